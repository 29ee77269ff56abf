/** Words between quotation marks. **Units** positions of the words, without the marks. */
export interface QuotedWords {
  readonly start: number;
  readonly end: number;
}

/** A longer stretch between quotation marks is not taken for a quote. **Units** UTF-16. */
const longestQuote = 1200;
const closings: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["“", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["「", "」"],
  ["『", "』"],
]);

/**
 * Finds what a text quotes: words between quotation marks, within one line and outside code.
 *
 * **Shape** in order, apart. An inch mark opens no quote. **Cost** linear.
 */
export function findQuotedWords(text: string): readonly QuotedWords[] {
  const found: QuotedWords[] = [];
  for (const line of text.replaceAll(codeStretch, (code) => code.replaceAll(/[^\n]/gu, "x")).matchAll(/[^\n]+/gu)) {
    const said = line[0];
    for (let at = 0; at < said.length; at++) {
      const mark = said[at]!;
      const closing = closings.get(mark);
      if (closing === undefined) continue;
      if (mark === '"' && (/[^\s\p{Ps}\p{Pd}*_>\]]/u.test(said[at - 1] ?? " ") || /\s/u.test(said[at + 1] ?? " ")))
        continue;
      const end = closes(said, at + 1, closing);
      if (end === -1) continue;
      if (end > at + 1) found.push({ start: line.index + at + 1, end: line.index + end });
      at = end;
    }
  }
  return found;
}

const codeStretch = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[^]*?(?:\n {0,3}\1|$(?![^]))|`[^`\n]*`/gmu;

function closes(line: string, from: number, closing: string): number {
  for (let at = from; at < Math.min(line.length, from + longestQuote); at++) {
    const mark = line[at]!;
    if (closing.includes(mark) && !(mark === '"' && /\s/u.test(line[at - 1] ?? " "))) return at;
  }
  return -1;
}
