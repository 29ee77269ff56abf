import type { Email } from "postal-mime";

/**
 * With what a message is encrypted as a whole; `undefined` when its body can be read.
 *
 * **Source** RFC 8551 (S/MIME), RFC 3156 (PGP/MIME), RFC 9580 (ASCII armor).
 */
export function encryptionOf({ headers, text }: Email): string | undefined {
  const type = headers.find(({ key }) => key === "content-type")?.value.slice(0, 1000) ?? "";
  if (/^\s*application\/(?:x-)?pkcs7-mime/i.test(type) && !/smime-type\s*=\s*"?signed/i.test(type)) return "S/MIME";
  if (/^\s*multipart\/encrypted/i.test(type)) return /pgp/i.test(type) ? "PGP" : "S/MIME";
  return /^\s*-----BEGIN PGP MESSAGE-----/.test(text?.slice(0, 1000) ?? "") ? "PGP" : undefined;
}
