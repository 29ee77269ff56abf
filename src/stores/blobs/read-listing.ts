import type { BlobListing } from "../../contracts/blob-store.ts";

/** One page of a list, and the mark with which the next is asked for. */
export interface ListingPage {
  readonly blobs: readonly BlobListing[];
  /** `undefined` on the last. */
  readonly next: string | undefined;
}

/**
 * Reads what a server says of its objects; `undefined` for what is no such list, or one that breaks off.
 *
 * **Source** S3 `ListObjectsV2`, with keys percent-encoded where the server did as it was asked.
 */
export function readListing(xml: string): ListingPage | undefined {
  if (!/<ListBucketResult[\s>]/u.test(xml) || !/<\/ListBucketResult>\s*$/u.test(xml)) return undefined;
  const encoded = /<EncodingType>\s*url\s*<\/EncodingType>/u.test(xml);
  const blobs: BlobListing[] = [];
  for (const [, inner = ""] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gsu)) {
    const written = elementOf(inner, "Key");
    const size = Number(elementOf(inner, "Size"));
    const key = written === undefined || !encoded ? written : decodeKey(written);
    if (key === undefined || !Number.isSafeInteger(size)) return undefined;
    blobs.push({ key, size });
  }
  const next = elementOf(xml, "NextContinuationToken");
  const goesOn = elementOf(xml, "IsTruncated") === "true";
  return goesOn && next === undefined ? undefined : { blobs, next: goesOn ? next : undefined };
}

/** The server's name for what went wrong. **Shape** letters only: the rest of such an answer may repeat what was signed. */
export function readErrorCode(xml: string): string | undefined {
  return /<Code>([A-Za-z]{1,64})<\/Code>/u.exec(xml)?.[1];
}

function elementOf(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(xml) ?? [];
  return text?.replaceAll(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/gu, readEntity);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function readEntity(_: string, name?: string, decimal?: string, hexadecimal?: string): string {
  if (name !== undefined) return entities[name] ?? "";
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\u{fffd}";
}

function decodeKey(written: string): string | undefined {
  try {
    return decodeURIComponent(written.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
