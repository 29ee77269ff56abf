import { checkGiven } from "../runtime/check-options.ts";
import { endsSentence, type SentenceEnd } from "./sentence-end.ts";
import { endOfClosers, endOfTerminators, isTerminator, plain, signOf, space, surrogate } from "./sentence-signs.ts";

/** A stretch of text. **Units** UTF-16 code units, half open. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the sentences of a text in any script.
 *
 * A sentence ends after a terminator of its script and its closing marks (`.” Next`, `。」`, `.[1]`), and at a blank line or page break. It also ends where a
 * heading (`#`), table row (`|`), code fence or list item begins, or a heading, row or fence ends. A single line break does not end one. Full stops
 * after abbreviations, initials and ordinals, inside numbers and names, and before a small letter do not end one. Where an abbreviation may end a
 * sentence (`U.S.`, `Inc.`) the next word decides. Thai and Lao do not mark sentences: theirs end with the paragraph.
 *
 * **Shape** in order, each beginning where the one before ends, together the whole text. White space belongs to the sentence before it; at the front
 * of the text, to the first. `""` has none; a blank text is one.
 * **Cost** linear, whatever the text holds.
 * **Source** terminators: Unicode's `Sentence_Terminal`. The rules are ibid's, in the spirit of UAX 29 (SB6 to SB8): `Intl.Segmenter`
 * ends a sentence at every `Dr.` and changes with ICU.
 *
 * @experimental
 */
export function segmentSentences(text: string): Span[] {
  checkGiven("segmentSentences", "text", text, "text");
  return cutAtEnds(text, endsSentence);
}

/** The sentences of a text by another rule for their ends. */
export function cutAtEnds(text: string, ends: SentenceEnd): Span[] {
  const spans: Span[] = [];
  const { length } = text;
  if (length === 0) return spans;
  let start = 0;
  let ended = false;
  let line = readLine(text, endOfGap(text, 0));
  let at = line.contentStart;

  const cut = (end: number): void => {
    spans.push({ start, end });
    start = end;
    ended = false;
  };

  while (at < length) {
    const unit = text.charCodeAt(at);
    const sign = signOf(unit);
    if (sign === plain) {
      at++;
    } else if (sign === space) {
      const gapEnd = endOfGap(text, at);
      if (gapEnd >= length) break;
      const breaks = countBreaks(text, at, gapEnd);
      const next = breaks === 0 ? undefined : readLine(text, gapEnd);
      if (ended || breaks > 1 || (next !== undefined && (line.endsAlone || next.beginsAlone))) cut(gapEnd);
      if (next !== undefined) line = next;
      at = next?.contentStart ?? gapEnd;
    } else if (sign === surrogate && !isTerminator(String.fromCodePoint(text.codePointAt(at)!))) {
      at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    } else {
      const close = endOfClosers(text, endOfTerminators(text, at));
      if (ends(text, at, close)) {
        ended = close >= length || signOf(text.charCodeAt(close)) === space;
        if (!ended) cut(close);
      }
      at = close;
    }
  }
  spans.push({ start, end: length });
  return spans;
}

/** A line as far as it tells where sentences end. */
interface Line {
  /** It is no continuation of the line before. */
  readonly beginsAlone: boolean;
  /** The line after is no continuation of it. */
  readonly endsAlone: boolean;
  /** Behind its marker, whose full stop ends nothing: `1. First`. */
  readonly contentStart: number;
}

const heading = /#{1,6}(?:[ \t]+(?:\d{1,3}[.)]){0,6})?(?=[ \t]|$|\d)/my;
const fence = /(?:`{3}|~{3})/y;
const item = /(?:[-*+•‣◦▪·–—]|\d{1,3}[.)]|\p{L}\))(?=[ \t])/uy;
const underline = /(?:={3}|-{3}|\*{3}|_{3})[-=*_]{0,200}[ \t]*$/my;
const quote = /(?:>[ \t]?){1,32}/y;

/** Reads the beginning of the line whose first visible character is at `at`. */
function readLine(text: string, at: number): Line {
  const content = endOfMatch(quote, text, at) ?? at;
  const headingEnd = endOfMatch(heading, text, content);
  if (headingEnd !== undefined) return { beginsAlone: true, endsAlone: true, contentStart: headingEnd };
  if (text[content] === "|") return { beginsAlone: true, endsAlone: true, contentStart: content };
  const fenceEnd = endOfMatch(fence, text, content);
  if (fenceEnd !== undefined) return { beginsAlone: true, endsAlone: true, contentStart: fenceEnd };
  // Under a heading, or between paragraphs.
  if (endOfMatch(underline, text, content) !== undefined)
    return { beginsAlone: false, endsAlone: true, contentStart: content };
  const itemEnd = endOfMatch(item, text, content);
  if (itemEnd !== undefined) return { beginsAlone: true, endsAlone: false, contentStart: itemEnd };
  return { beginsAlone: false, endsAlone: false, contentStart: content };
}

function endOfMatch(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfGap(text: string, at: number): number {
  let end = at;
  while (end < text.length && signOf(text.charCodeAt(end)) === space) end++;
  return end;
}

/** Line breaks in white space; a page or paragraph separator counts as a blank line. */
function countBreaks(text: string, start: number, end: number): number {
  let breaks = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a) breaks++;
    else if (unit === 0x0c || unit === 0x2029) breaks += 2;
  }
  return breaks;
}
