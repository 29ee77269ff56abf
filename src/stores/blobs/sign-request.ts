/**
 * Credentials of the signer. Never part of an error, a log or a fingerprint.
 *
 * @experimental
 */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of temporary credentials. */
  readonly sessionToken?: string;
}

/** A request as it is signed. */
export interface SignedParts {
  readonly method: string;
  /** The path must be written by {@link encodePath}; the query is written here. */
  readonly host: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Besides `host` and those of the signature. All of them are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal digits. */
  readonly payloadHash: string;
}

/** Where and when a signature holds. */
export interface SigningPlace {
  readonly region: string;
  readonly credentials: S3Credentials;
  readonly now: Date;
}

/**
 * Headers that sign a request. The signature covers everything that is sent, and nothing else.
 *
 * **Shape** names in lower case; `host` is left out because the sender writes it.
 * **Source** AWS Signature Version 4 for S3, "Authenticating Requests: Using the Authorization Header", checked against its published examples.
 */
export async function signRequest(parts: SignedParts, place: SigningPlace): Promise<Readonly<Record<string, string>>> {
  const { region, credentials, now } = place;
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/gu, "");
  const day = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...parts.headers,
    "x-amz-content-sha256": parts.payloadHash,
    "x-amz-date": time,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken }),
  };
  const names = [...Object.keys(sent), "host"].toSorted();
  const lines = names.map((name) => `${name}:${(name === "host" ? parts.host : (sent[name] ?? "")).trim()}\n`);
  const canonical = [
    parts.method,
    parts.path,
    encodeQuery(parts.query ?? {}),
    lines.join(""),
    names.join(";"),
    parts.payloadHash,
  ].join("\n");

  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, await hexHash(encoder.encode(canonical))].join("\n");
  let key: Uint8Array = encoder.encode(`AWS4${credentials.secretAccessKey}`);
  for (const step of [day, region, "s3", "aws4_request"]) key = await hmac(key, step);
  const signature = toHex(await hmac(key, toSign));
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope},SignedHeaders=${names.join(";")},Signature=${signature}`;
  return { ...sent, authorization };
}

/** Writes all but `/` and RFC 3986's unreserved characters as `%` and two digits. Address parsers leave the result alone, so the signed path is sent. */
export function encodePath(path: string): string {
  return path.split("/").map(encodePart).join("/");
}

/** The query in sorted order, which is both signed and sent. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .toSorted()
    .join("&");
}

/** SHA-256 in hexadecimal digits. */
export async function hexHash(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))));
}

const encoder = new TextEncoder();

function encodePart(part: string): string {
  return encodeURIComponent(part).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

async function hmac(secret: Uint8Array, text: string): Promise<Uint8Array> {
  const settings = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new Uint8Array(secret), settings, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
