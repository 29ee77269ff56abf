import type { Section } from "../contracts/document.ts";
import type { Span } from "./sentences.ts";

/**
 * Chooses, among the sections on the way to a chunk, the one that holds the chunk with its neighbours: the parent of its leaf, or its own section
 * if that has children.
 *
 * **Source** Embabel's container section.
 */
export function containerOf(path: readonly Section[]): Section {
  const innermost = path.at(-1)!;
  return innermost.children.length > 0 ? innermost : (path.at(-2) ?? innermost);
}

/** As much of a stretch as is allowed: from its beginning, or around `needed` where that would be cut off. Never through a surrogate pair. */
export function cutAround(text: string, { start, end }: Span, maxLength: number, needed?: Span): Span {
  if (end - start <= maxLength) return { start, end };
  let from = start;
  if (needed !== undefined && needed.end > start + maxLength) {
    const spare = Math.max(0, maxLength - (needed.end - needed.start));
    from = Math.max(start, Math.min(needed.start - Math.floor(spare / 2), end - maxLength));
  }
  return { start: wholeCharacter(text, from), end: wholeCharacter(text, Math.min(end, from + maxLength)) };
}

/** The position itself, or the one before where it would split a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const isInside = at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  return isInside ? at - 1 : at;
}
