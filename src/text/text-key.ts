import { hashParts } from "../runtime/hash.ts";

/** White space other than one plain space: most gaps are one, and need no change. */
const gaps = /[^\S ]\s*| \s+/gu;

/**
 * Names a text by its words: two texts that differ in white space alone have the same key.
 *
 * **Shape** 32 hexadecimal digits of SHA-256, so that nobody can write a text that hides another one.
 */
export function textKey(text: string): string {
  return hashParts(text.replaceAll(gaps, " ").trim());
}
