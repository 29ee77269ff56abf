import { segmentSentences } from "../text/sentences.ts";
import { segmentWords } from "../text/words.ts";
import { lastOuterLineStart } from "./outer-line.ts";
import { isSafeCut } from "./safe-cut.ts";
import { isWhiteSpace } from "./white-space.ts";

/**
 * Places for a cut, from coarse to fine. `outer-line` is the least indented lines of code. `part` is a word of a script
 * without spaces.
 */
export type Level = "paragraph" | "outer-line" | "line" | "sentence" | "word" | "part" | "character";

/** Length beyond the limit that a sentence or word segmenter sees, so that the last boundary before it is a true one. In UTF-16 code units. */
const LOOK_AHEAD = 160;

const LINE_FEED = 0x0a;

/** The last line start in (after, limit]. */
export function lastLineStart(text: string, after: number, limit: number): number | undefined {
  for (let position = limit; position > after; position -= 1) {
    if (text.charCodeAt(position - 1) === LINE_FEED) return position;
  }
  return undefined;
}

/** The first line start in [from, limit). */
export function firstLineStart(text: string, from: number, limit: number): number | undefined {
  for (let position = Math.max(1, from); position < limit; position += 1) {
    if (text.charCodeAt(position - 1) === LINE_FEED) return position;
  }
  return undefined;
}

function lastParagraphStart(text: string, after: number, limit: number): number | undefined {
  let line = lastLineStart(text, after, limit);
  while (line !== undefined) {
    let position = line - 2;
    while (position > after && text.charCodeAt(position) !== LINE_FEED && isWhiteSpace(text.charCodeAt(position))) {
      position -= 1;
    }
    if (position > after && text.charCodeAt(position) === LINE_FEED) return line;
    line = lastLineStart(text, after, Math.min(line - 1, position + 1));
  }
  return undefined;
}

function lastWordStart(text: string, after: number, limit: number): number | undefined {
  for (let position = limit; position > after; position -= 1) {
    if (isWhiteSpace(text.charCodeAt(position - 1)) && !isWhiteSpace(text.charCodeAt(position))) return position;
  }
  return undefined;
}

/** The first start in [from, limit) of a stretch without white space. */
export function firstWordStart(text: string, from: number, limit: number): number | undefined {
  for (let position = Math.max(1, from); position < limit; position += 1) {
    if (isWhiteSpace(text.charCodeAt(position - 1)) && !isWhiteSpace(text.charCodeAt(position))) return position;
  }
  return undefined;
}

function lastSentenceStart(
  text: string,
  context: number,
  after: number,
  limit: number,
  end: number,
): number | undefined {
  const sentences = segmentSentences(text.slice(context, Math.min(end, limit + LOOK_AHEAD)));
  for (let index = sentences.length - 1; index > 0; index -= 1) {
    const position = context + (sentences[index]?.start ?? 0);
    if (position <= after) return undefined;
    if (position <= limit && isSafeCut(text, position)) return position;
  }
  return undefined;
}

/** The first sentence start in [from, end), seen from `context`; the start of the context itself is not one. */
export function firstSentenceStart(text: string, context: number, from: number, end: number): number | undefined {
  for (const sentence of segmentSentences(text.slice(context, end))) {
    const position = context + sentence.start;
    if (position > context && position >= from && isSafeCut(text, position)) return position;
  }
  return undefined;
}

function lastPartStart(text: string, context: number, after: number, limit: number, end: number): number | undefined {
  let last: number | undefined;
  for (const word of segmentWords(text.slice(context, Math.min(end, limit + LOOK_AHEAD)))) {
    const position = context + word.start;
    if (position > limit) break;
    if (position > after && isSafeCut(text, position)) last = position;
  }
  return last;
}

/** A window of a text in which a boundary is looked for. */
export interface Window {
  /** Where the segmenters begin to read: a start of a piece or of a block, so that a cut depends on nothing before it. */
  readonly context: number;
  readonly after: number;
  readonly limit: number;
  /** Where the stretch of text ends that the boundary belongs to. */
  readonly end: number;
}

/**
 * The last boundary of a level in (after, limit], or `undefined`. Level `"character"` is `lastSafeCut`'s.
 *
 * **Cost** linear in the window, never in the text before it.
 */
export function lastBoundary(text: string, level: Exclude<Level, "character">, window: Window): number | undefined {
  const { context, after, limit, end } = window;
  switch (level) {
    case "paragraph":
      return lastParagraphStart(text, after, limit);
    case "outer-line":
      return lastOuterLineStart(text, after, limit);
    case "line":
      return lastLineStart(text, after, limit);
    case "sentence":
      return lastSentenceStart(text, context, after, limit, end);
    case "word":
      return lastWordStart(text, after, limit);
    case "part":
      return lastPartStart(text, context, after, limit, end);
  }
}
