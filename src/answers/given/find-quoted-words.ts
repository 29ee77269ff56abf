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
    const nextClosing = createClosingFinder(said);
    for (let at = 0; at < said.length; at++) {
      const mark = said[at]!;
      const closing = closings.get(mark);
      if (closing === undefined) continue;
      if (mark === '"' && (/[^\s\p{Ps}\p{Pd}*_>\]]/u.test(said[at - 1] ?? " ") || /\s/u.test(said[at + 1] ?? " ")))
        continue;
      const end = nextClosing(at + 1, closing);
      if (end - at > longestQuote) continue;
      if (end > at + 1) found.push({ start: line.index + at + 1, end: line.index + end });
      at = end;
    }
  }
  return found;
}

const codeStretch = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[^]*?(?:\n {0,3}\1|$(?![^]))|`[^`\n]*`/gmu;

/** Finds the next mark that closes a quotation; `Infinity` where none does. **Cost** linear in the line, for positions that ascend. */
function createClosingFinder(line: string): (from: number, closing: string) => number {
  const known = new Map<string, number>();
  return (from, closing) => {
    let at = known.get(closing) ?? 0;
    if (at >= from) return at;
    for (at = from; at < line.length; at++) {
      const mark = line[at]!;
      if (closing.includes(mark) && !(mark === '"' && /\s/u.test(line[at - 1] ?? " "))) break;
    }
    if (at === line.length) at = Infinity;
    known.set(closing, at);
    return at;
  };
}
