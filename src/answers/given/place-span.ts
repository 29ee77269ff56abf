/** Unit in which an API counts. */
export type SpanUnit = "utf-16" | "code-points" | "bytes";

/**
 * Finds the stretch of a text that an API means by two numbers.
 *
 * APIs count UTF-16 code units, code points or bytes of UTF-8, and the same API differs between clients. Where the words of the stretch are known, the unit that gives
 * these words counts; else the unit of the API.
 *
 * **Shape** within the text; `undefined` where nothing remains. **Cost** linear in the text.
 */
export function placeSpan(
  text: string,
  start: number | undefined,
  end: number | undefined,
  { unit, words }: { readonly unit: SpanUnit; readonly words?: string | undefined },
): readonly [start: number, end: number] | undefined {
  if (end !== undefined) {
    const units: readonly SpanUnit[] = words === undefined ? [unit] : [unit, "utf-16", "code-points", "bytes"];
    for (const one of units) {
      const span = [toIndex(text, start ?? 0, one), toIndex(text, end, one)] as const;
      if (words === undefined ? span[0] < span[1] : text.slice(...span) === words) return span;
    }
  }
  if (words === undefined || words === "") return undefined;
  const near = toIndex(text, start ?? 0, unit);
  const after = text.indexOf(words, near);
  const before = text.lastIndexOf(words, near);
  const at = after === -1 || (before !== -1 && near - before < after - near) ? before : after;
  return at === -1 ? undefined : [at, at + words.length];
}

/** A count of units as an index of UTF-16 code units, at most the text's length. */
function toIndex(text: string, count: number, unit: SpanUnit): number {
  if (unit === "utf-16") return Math.min(count, text.length);
  let counted = 0;
  let at = 0;
  for (const character of text) {
    if (counted >= count) break;
    const code = character.codePointAt(0) ?? 0;
    counted += unit === "code-points" ? 1 : code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += character.length;
  }
  return at;
}
