import type { Span } from "../text/sentences.ts";
import { isSafeCut } from "./safe-cut.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/** Separators for halving, from coarse to fine: sets of characters; `""` is the middle itself. */
export type HalvingSeparators = readonly string[];

/** **Source** Semantic Kernel `TextChunker`. */
export const plainSeparators: HalvingSeparators = ["\n", ".。．", "?!", ";", ":", ",，、", ")]}", " ", "-", ""];

/** The same for Markdown, where a line break says little: it comes near the end. **Source** Semantic Kernel `TextChunker`. */
export const markdownSeparators: HalvingSeparators = [".。．", "?!", ";", ":", ",，、", ")]}", " ", "-", "\n\r", ""];

export interface HalvingSettings {
  readonly maxSize: number;
  readonly separators: HalvingSeparators;
  readonly count: (text: string) => number;
  /** Whether white space around each part is left out. */
  readonly trim: boolean;
}

/**
 * Halves a stretch of text: a part that is too large is cut behind the separator nearest to its middle, coarsest first.
 *
 * **Shape** parts in order, together the whole but for trimmed space. A part stays too large only where it cannot be cut, such as a single character. A blank stretch is one
 * empty part when it is trimmed. **Cost** n log n for ordinary texts. **Source** Semantic Kernel `TextChunker`.
 */
export function halveText(text: string, stretch: Span, settings: HalvingSettings): Span[] {
  const { maxSize, separators, count, trim } = settings;
  const parts: Span[] = [];
  const narrow = ({ start, end }: Span): Span => {
    if (!trim) return { start, end };
    const first = skipWhiteSpace(text, start, end);
    return { start: first, end: trimEndAt(text, first, end) };
  };
  // The first separators are tried on the stretch as it is; what they leave is trimmed.
  const open = [{ ...stretch, rank: 0, whole: narrow(stretch) }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { start, end, rank, whole } = part;
    const separator = separators[rank];
    if (separator === undefined || count(text.slice(start, end)) <= maxSize) {
      parts.push(whole);
      continue;
    }
    const cut = separator === "" ? middleOf(text, start, end) : nearestToMiddle(text, start, end, separator);
    if (cut === undefined) {
      open.push({ ...whole, rank: rank + 1, whole });
      continue;
    }
    const [first, second] = [narrow({ start, end: cut }), narrow({ start: cut, end })];
    open.push({ ...second, rank, whole: second }, { ...first, rank, whole: first });
  }
  return parts;
}

/** A grapheme stays whole, unlike in the source. */
function middleOf(text: string, start: number, end: number): number | undefined {
  let middle = start + ((end - start) >> 1);
  while (middle > start && !isSafeCut(text, middle)) middle -= 1;
  return middle > start ? middle : undefined;
}

/**
 * Just behind the separator that is nearest to the middle; the last character is not looked at. Distances are measured from the separator to come, and from behind the one that was
 * found, as in the source.
 */
function nearestToMiddle(text: string, start: number, end: number, separators: string): number | undefined {
  const length = end - start;
  if (length <= 2) return undefined;
  const half = length >> 1;
  let nearest = -1;
  for (let index = 0; index < length - 1; index += 1) {
    const isNearer = Math.abs(half - index) < Math.abs(half - nearest);
    if (index > half && !isNearer) break;
    if (!isNearer || !separators.includes(text[start + index]!)) continue;
    if (isSafeCut(text, start + index + 1)) nearest = index + 1;
  }
  return nearest > 0 ? start + nearest : undefined;
}
