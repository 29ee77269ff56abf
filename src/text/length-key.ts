import type { LengthFunction } from "../contracts/chunker.ts";
import { checkText } from "../runtime/check-options.ts";

/** Those whose names were given as text. */
const named = new WeakSet<LengthFunction>();

/** Gives a length function a name that no build changes. The function has **Errors** `invalid-argument` for anything but a text. */
export function nameLength(length: (text: string) => number, name: string): LengthFunction {
  const checked: LengthFunction = (text) => {
    checkText(name, "the text", text);
    return length(text);
  };
  // A function's own `name` is read-only, but it may be defined anew.
  const given: LengthFunction = Object.defineProperty(checked, "name", { value: name });
  named.add(given);
  return given;
}

/** Where tokenizers and rules of thumb differ: words, signs, numbers, other scripts, what is not in any vocabulary. */
const probes = [
  "Foxes aren't jumping over 1,234.5 dogs",
  "getUserById(42) ??\n\n\t",
  "größte 中文分词 русский",
  "👩‍👩‍👧 e\u0301 qzxvwkj",
];

/**
 * Returns the name of a length function in a pipeline's fingerprint: its given name, else its counts of a few texts.
 *
 * A function's own name is not enough: a build that minifies renames it, and every document would be cut again.
 *
 * **Cost** a few short counts.
 */
export function lengthKey(length: LengthFunction): string {
  return named.has(length) ? length.name : `counts ${probes.map((probe) => length(probe)).join(" ")}`;
}
