/** How comments and strings of a language begin and end. */
export interface MaskRules {
  /** Beginnings of comments that reach to the end of their line. */
  readonly lines: readonly string[];
  readonly blocks: readonly (readonly [open: string, close: string])[];
  /** Signs around strings. A backslash before one makes it a letter of the string. */
  readonly quotes: string;
  /** Whether `$tag$ … $tag$` is a string, as in PostgreSQL. */
  readonly dollars: boolean;
}

/**
 * A text of the same length, with spaces in place of comments and strings. A word that is found in it is a word of the language.
 *
 * **Shape** line breaks stay. `lead` is where the comments begin that stand directly above the line of a position, else the line's beginning.
 * **Cost** linear.
 */
export function maskText(
  text: string,
  rules: MaskRules,
): { readonly masked: string; readonly lead: (at: number) => number } {
  const parts: string[] = [];
  const comments: { readonly start: number; readonly end: number }[] = [];
  let from = 0;
  const hide = (start: number, end: number, isComment: boolean): number => {
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/gu, blanks));
    from = end;
    if (isComment) comments.push({ start, end });
    return end;
  };
  const endOf = (sign: string, at: number): number => {
    const found = text.indexOf(sign, at);
    return found === -1 ? text.length : found + sign.length;
  };
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const line = rules.lines.find((sign) => text.startsWith(sign, at));
    const block = rules.blocks.find(([open]) => text.startsWith(open, at));
    if (line !== undefined) {
      const end = text.indexOf("\n", at);
      at = hide(at, end === -1 ? text.length : end, true);
    } else if (block !== undefined) {
      at = hide(at, endOf(block[1], at + block[0].length), true);
    } else if (rules.quotes !== "" && rules.quotes.includes(char)) {
      at = hide(at, endOfString(text, at, char), false);
    } else if (rules.dollars && char === "$") {
      const tag = /^\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/u.exec(text.slice(at, at + 66))?.[0];
      at = tag === undefined ? at + 1 : hide(at, endOf(tag, at + tag.length), false);
    } else {
      at += 1;
    }
  }
  parts.push(text.slice(from));
  return { masked: parts.join(""), lead: (place) => leadOf(text, comments, place) };
}

/** As many spaces as a character has units, so that positions stay. */
function blanks(char: string): string {
  return " ".repeat(char.length);
}

function endOfString(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === quote) return at + 1;
  }
  return text.length;
}

function leadOf(
  text: string,
  comments: readonly { readonly start: number; readonly end: number }[],
  at: number,
): number {
  let start = text.lastIndexOf("\n", at - 1) + 1;
  let [low, high] = [0, comments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comments[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  for (let index = low - 1; index >= 0; index--) {
    const comment = comments[index]!;
    const line = text.lastIndexOf("\n", comment.start - 1) + 1;
    const isApart = /\S|\n[^\S\n]*\n/u.test(text.slice(comment.end, start));
    if (isApart || text.slice(line, comment.start).trim() !== "") break;
    start = line;
  }
  return start;
}
