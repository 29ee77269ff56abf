import { escapeAt, literalOf } from "./regex-syntax.ts";

/** A stretch of code points, both ends included, or an escape that stands for many, such as `\d`. */
export type ClassPart = { readonly first: number; readonly last: number } | { readonly escape: string };

/**
 * Reads the parts between the brackets of a class, such as `[a-f\d_]`.
 *
 * **Shape** in the order of the source; `undefined` for a negated class (`[^…]`). The source is well formed.
 */
export function readClass(source: string): readonly ClassPart[] | undefined {
  if (source.startsWith("[^")) return undefined;
  const parts: ClassPart[] = [];
  const end = source.length - 1;
  for (let at = 1; at < end;) {
    const start = readOne();
    if ("escape" in start || source[at] !== "-" || at + 1 === end) {
      parts.push(start);
      continue;
    }
    at++;
    const stop = readOne();
    // A class at the end of a range is a syntax error.
    if (!("escape" in stop)) parts.push({ first: start.first, last: stop.last });

    function readOne(): ClassPart {
      if (source[at] !== "\\") {
        const codePoint = source.codePointAt(at)!;
        at += codePoint > 0xffff ? 2 : 1;
        return { first: codePoint, last: codePoint };
      }
      const escape = escapeAt(source, at);
      at += escape.length;
      const literal = escape === "\\b" ? "\b" : literalOf(escape);
      if (literal === undefined) return { escape };
      const codePoint = literal.codePointAt(0)!;
      return { first: codePoint, last: codePoint };
    }
  }
  return parts;
}
