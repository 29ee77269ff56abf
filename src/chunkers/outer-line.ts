const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;

/** A tab counts as so many columns. */
const TAB_WIDTH = 4;

/** Lines that end or go on with what was begun above them; ` * ` is the middle of a comment. */
const closing = /(?:[)\]}]|end\b|<\/|\*|else\b|elif\b|except\b|finally\b|catch\b)/y;

/** Comments and decorators: the line after them is what they are about. */
const introducing = /(?:\/\/|\/\*|\*|#|--|;;|@|%|<!--)/y;

/**
 * Finds the best cut of code in (after, limit]: before a least indented line; among several, after a blank line; among these, the last.
 *
 * So cuts fall between functions rather than in them, and between methods rather than in a loop. A line that closes a construct is passed over, and so is one that
 * a comment or a decorator stands above. Only the further half is searched, to avoid small chunks; `undefined` without such a line there.
 *
 * **Cost** linear in the window.
 */
export function lastOuterLineStart(text: string, after: number, limit: number): number | undefined {
  let best: { readonly position: number; readonly indent: number; readonly isApart: boolean } | undefined;
  for (let position = limit; position > after + ((limit - after) >> 1); position -= 1) {
    if (text.charCodeAt(position - 1) !== LINE_FEED) continue;
    const { indent, start } = readIndent(text, position);
    if (start >= text.length || text.charCodeAt(start) === LINE_FEED) continue;
    closing.lastIndex = start;
    if (closing.test(text) || followsIntroduction(text, position, after)) continue;
    const isApart = followsBlankLine(text, position);
    const isBetter = best === undefined || indent < best.indent || (indent === best.indent && isApart && !best.isApart);
    if (isBetter) best = { position, indent, isApart };
  }
  return best?.position;
}

function readIndent(text: string, lineStart: number): { readonly indent: number; readonly start: number } {
  let indent = 0;
  let start = lineStart;
  for (; ; start += 1) {
    const code = text.charCodeAt(start);
    if (code === SPACE) indent += 1;
    else if (code === TAB) indent += TAB_WIDTH;
    else return { indent, start };
  }
}

function followsIntroduction(text: string, lineStart: number, after: number): boolean {
  let before = lineStart - 1;
  while (before > after && text.charCodeAt(before - 1) !== LINE_FEED) before -= 1;
  introducing.lastIndex = readIndent(text, before).start;
  return introducing.test(text);
}

/** Whether nothing but white space stands in the line before, or no line does. */
export function followsBlankLine(text: string, lineStart: number): boolean {
  let position = lineStart - 2;
  while (position >= 0 && (text.charCodeAt(position) === SPACE || text.charCodeAt(position) === TAB)) position -= 1;
  return position < 0 || text.charCodeAt(position) === LINE_FEED;
}
