import type { Section } from "../contracts/document.ts";
import type { Span } from "./sentences.ts";

/**
 * Chooses the section that holds a chunk with its neighbours: the parent of the chunk's leaf, or the chunk's own
 * section if that has children.
 *
 * **Source** Embabel's container section.
 */
export function containerOf(path: readonly Section[]): Section {
  const innermost = path.at(-1)!;
  return innermost.children.length > 0 ? innermost : (path.at(-2) ?? innermost);
}

/** As much of a stretch as is allowed: from its beginning, or around `needed` where that would be cut off. Never through a surrogate pair. */
export function cutAround(text: string, span: Span, maxLength: number, needed?: Span): Span {
  return keepPairs(text, 0, span, cutSpan(span, maxLength, needed));
}

/** {@link cutAround} before its ends are moved out of surrogate pairs. */
export function cutSpan({ start, end }: Span, maxLength: number, needed?: Span): Span {
  if (end - start <= maxLength) return { start, end };
  let from = start;
  if (needed !== undefined && needed.end > start + maxLength) {
    const spare = Math.max(0, maxLength - (needed.end - needed.start));
    from = Math.max(start, Math.min(needed.start - Math.floor(spare / 2), end - maxLength));
  }
  return { start: from, end: Math.min(end, from + maxLength) };
}

/** A cut stretch with its ends moved out of surrogate pairs. `text` begins at `origin`, and reaches one character beyond the cut on both sides. */
export function keepPairs(text: string, origin: number, whole: Span, cut: Span): Span {
  if (cut.start === whole.start && cut.end === whole.end) return cut;
  const move = (position: number): number => origin + wholeCharacter(text, position - origin);
  return { start: move(cut.start), end: move(cut.end) };
}

/** The position itself, or the one before where it would split a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const isInside = at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  return isInside ? at - 1 : at;
}
