import type { Origin } from "../../contracts/document.ts";

/** A value in fewer bytes than its text has: digits as bytes, a time as a number, a known word as its place. */
export type Packed = string | number | Uint8Array;

const digits = /^(?:[0-9a-f]{2}){4,}$/u;

/** Hexadecimal digits as bytes; another text as it is. **Source** ids and hashes are SHA-256, or what a caller made of them. */
export function packDigits(text: string): Packed {
  return digits.test(text) ? Buffer.from(text, "hex") : text;
}

export function unpackDigits(packed: Packed): string {
  if (typeof packed === "string") return packed;
  if (typeof packed === "number") return String(packed);
  return Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString("hex");
}

/** Length of the ids that are kept as bytes. **Units** hexadecimal digits. */
const idLength = 32;

/** An id as it is kept: 16 bytes for one of our own making, and a caller's as its text. */
export function packId(id: string): Packed {
  return id.length === idLength ? packDigits(id) : id;
}

/**
 * The first of the ids that are kept as bytes which comes after a text, by code point.
 *
 * **Shape** the bytes, and whether an equal id comes after the text too; `undefined` where none comes after it.
 */
export function firstPackedAfter(text: string): { readonly bytes: Uint8Array; readonly orEqual: boolean } | undefined {
  const common = /^[0-9a-f]*/u.exec(text.slice(0, idLength))![0];
  const pad = (start: string): Uint8Array => Buffer.from(start.padEnd(idLength, "0"), "hex");
  if (common.length === idLength) return { bytes: pad(common), orEqual: false };
  if (common.length === text.length) return { bytes: pad(common), orEqual: true };
  const next = text.codePointAt(common.length)!;
  const digit = Array.from("0123456789abcdef").find((each) => each.codePointAt(0)! > next);
  if (digit !== undefined) return { bytes: pad(common + digit), orEqual: true };
  // Nothing that begins so comes after it: the next beginning does.
  const rest = common.replace(/f+$/u, "");
  if (rest === "") return undefined;
  const raised = (Number.parseInt(rest.at(-1)!, 16) + 1).toString(16);
  return { bytes: pad(rest.slice(0, -1) + raised), orEqual: true };
}

/** In the order in which a file numbers them: another goes to the end. */
const origins: readonly Origin[] = ["user-content", "narrative", "note", "synthetic"];

export function packOrigin(origin: Origin): Packed {
  const place = origins.indexOf(origin);
  return place < 0 ? origin : place;
}

export function unpackOrigin(packed: Packed): Origin {
  return typeof packed === "number" ? origins[packed]! : (packed as Origin);
}

/** A time in ISO 8601 as milliseconds since 1970, where that gives the same text again. */
export function packTime(text: string): Packed {
  const time = Date.parse(text);
  return Number.isFinite(time) && new Date(time).toISOString() === text ? time : text;
}

export function unpackTime(packed: Packed): string {
  return typeof packed === "number" ? new Date(packed).toISOString() : (packed as string);
}
