import type { ListBlobsOptions, PutBlobOptions } from "../../contracts/blob-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions, sayValue } from "../../runtime/check-options.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** As much as S3 allows. **Units** bytes of UTF-8. */
const maxKeyBytes = 1024;

/** As much as a file named outright may have when it is ingested. **Units** bytes. */
const defaultMaxBlobBytes = 64 * 1024 * 1024;

const encoder = new TextEncoder();

/**
 * Whether a key can be kept by every store. Parts that a file system or an address would read as a way up are none.
 *
 * **Source** S3's rules for object keys, narrowed to what survives addresses and file systems.
 */
export function isBlobKey(key: unknown): key is string {
  return (
    typeof key === "string" &&
    key.isWellFormed() &&
    // oxlint-disable-next-line no-control-regex -- they are what is refused
    !/[\u0000-\u001f\u007f]/u.test(key) &&
    key.split("/").every((part) => part !== "" && part !== "." && part !== "..") &&
    encoder.encode(key).length <= maxKeyBytes
  );
}

/** **Errors** `invalid-argument` for what is no key; `aborted` when the signal has fired. */
export function checkBlobKey(
  key: string,
  what: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): void {
  if (!isBlobKey(key)) {
    throw new IbidError(
      "invalid-argument",
      `${what}: ${typeof key === "string" ? JSON.stringify(key).slice(0, 100) : `a value ${sayValue(key)}`} is not a key.`,
      {
        hint: 'A key is parts joined by "/", such as "reports/2026.pdf": no part empty, "." or "..", no control characters, 1,024 bytes at most.',
      },
    );
  }
  checkGiven(what, "options", options, "object");
  throwIfAborted(options.signal, `${what} of ${key}`);
}

/** Checks that every store makes before it writes. **Errors** `invalid-argument`, `too-large`, `aborted`. */
export function checkBlobPut(key: string, bytes: Uint8Array, options: PutBlobOptions, maxBytes: number): void {
  checkOptions("put", options, { ifNoneMatch: true, ifMatch: true, signal: true });
  checkBlobKey(key, "put", options);
  if (!ArrayBuffer.isView(bytes) || !(bytes instanceof Uint8Array)) {
    throw new IbidError("invalid-argument", `put: ${key} was given something that is no Uint8Array.`, {
      uri: key,
      hint: "Encode text with a TextEncoder; collect a stream first.",
    });
  }
  const { ifNoneMatch, ifMatch } = options as { ifNoneMatch?: unknown; ifMatch?: unknown };
  const known = (ifNoneMatch === undefined || ifNoneMatch === "*") && (ifMatch === undefined || isEtag(ifMatch));
  if (!known || (ifNoneMatch !== undefined && ifMatch !== undefined)) {
    throw new IbidError("invalid-argument", `put: the condition on ${key} is none that there is.`, {
      uri: key,
      hint: 'Say ifNoneMatch: "*", or ifMatch with an etag that put, get or head gave; not both.',
    });
  }
  checkBlobSize(key, bytes.length, maxBytes);
}

/** One line of visible characters, as it goes into a header. */
const isEtag = (value: unknown): boolean => typeof value === "string" && /^[\x21-\x7e]{1,256}$/u.test(value);

/** **Errors** `too-large`. */
export function checkBlobSize(key: string, size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new IbidError(
    "too-large",
    `The blob ${key} has ${size.toLocaleString("en")} bytes; ${maxBytes.toLocaleString("en")} are allowed.`,
    { uri: key, hint: "Split it, or open the store with a larger maxBytes.", details: { size, maxBytes } },
  );
}

/** The limit that a store was opened with. **Errors** `invalid-argument` unless it is above 0. */
export function checkMaxBlobBytes(where: string, maxBytes: number = defaultMaxBlobBytes): number {
  if (Number.isSafeInteger(maxBytes) && maxBytes > 0) return maxBytes;
  throw new IbidError("invalid-argument", `${where}: maxBytes must be a whole number above 0, not ${maxBytes}.`, {
    hint: "Leave it out for 64 MiB.",
  });
}

/** **Errors** `invalid-argument`, `aborted`. */
export function checkBlobList(options: ListBlobsOptions): void {
  checkOptions("list", options, { prefix: true, after: true, signal: true });
  for (const [name, value] of Object.entries({ prefix: options.prefix, after: options.after }) as [string, unknown][]) {
    if (value === undefined || (typeof value === "string" && value.isWellFormed())) continue;
    throw new IbidError("invalid-argument", `list: ${name} must be well-formed text.`, {
      hint: "Give the beginning of a key.",
    });
  }
  throwIfAborted(options.signal, "list");
}

/** Whether a list with these options has that key. */
export function isListed(key: string, { prefix = "", after }: ListBlobsOptions): boolean {
  return key.startsWith(prefix) && (after === undefined || compareCodePoints(key, after) > 0);
}
