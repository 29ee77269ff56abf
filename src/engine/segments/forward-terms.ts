import type { NumberedTerms, TermCounts } from "../../contracts/corpus-model.ts";
import { createByteReader } from "./bytes.ts";
import { decodeTerms } from "./chunk-terms.ts";
import type { LiveSegment } from "./live-segment.ts";
import { readTerms } from "./postings-file.ts";
import type { SealedSegment } from "./sealed-segment.ts";
import { createTermNumbers } from "./term-numbers.ts";
import { finishSteps } from "../../runtime/steps.ts";

/** Terms of a chunk with their occurrences in all fields. */
export function totalCounts({
  terms,
  counts,
  names,
}: {
  readonly terms: readonly string[];
  readonly counts: readonly number[];
  readonly names: readonly number[];
}): TermCounts {
  return { terms, counts: counts.map((count, i) => count + names[i]!) };
}

/** Reads {@link totalCounts} of many chunks, as `encodeTerms` wrote them, with a number for each term. */
export interface CountsReader {
  readonly read: (encoded: Uint8Array) => NumberedTerms;
  readonly text: (number: number) => string;
}

/** **Cost** a text is made of each term once, and not of each of its chunks. */
export function createCountsReader(terms = createTermNumbers()): CountsReader {
  return {
    text: (number) => terms.text(number),
    read(encoded) {
      const reader = createByteReader(encoded);
      reader.text();
      const counts: number[] = [];
      for (let left = reader.count(); left > 0; left--) {
        const count = reader.varint();
        counts.push((count >>> 1) + ((count & 1) === 1 ? reader.varint() : 0));
      }
      return { numbers: terms.of(encoded, reader.position, counts.length), counts };
    },
  };
}

/** The terms of chosen chunks of a sealed segment, turned back from its postings. **Shape** by ordinal. **Cost** one pass over the postings. */
export function collectTerms(
  segment: Pick<SealedSegment, "size" | "blocks">,
  chosen: (ordinal: number) => boolean,
): Map<number, TermCounts> {
  return finishSteps(collectTermsInSteps(segment.size, chosen, segment.blocks()));
}

/** Postings between two steps: a few milliseconds. */
const postingsAtOnce = 32_768;

/** {@link collectTerms} in steps, for a caller that lets other work have its turn. */
export function* collectTermsInSteps(
  size: number,
  chosen: (ordinal: number) => boolean,
  blocks: Iterable<Uint8Array>,
): Generator<void, Map<number, TermCounts>> {
  const collected = new Map<number, { terms: string[]; counts: number[] }>();
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (chosen(ordinal)) collected.set(ordinal, { terms: [], counts: [] });
  }
  if (collected.size === 0) return collected;
  let read = 0;
  for (const { term, ordinals, counts, names } of readTerms(blocks)) {
    for (let i = 0; i < ordinals.length; i++) {
      const chunk = collected.get(ordinals[i]!);
      if (chunk === undefined) continue;
      chunk.terms.push(term);
      chunk.counts.push(counts[i]! + (names?.[i] ?? 0));
    }
    read += ordinals.length;
    if (read < postingsAtOnce) continue;
    read = 0;
    yield;
  }
  return collected;
}

/** The same of a live segment, which has them as they came. */
export function collectLiveTerms(segment: LiveSegment, chosen: (ordinal: number) => boolean): Map<number, TermCounts> {
  const collected = new Map<number, TermCounts>();
  for (const [ordinal, row] of segment.rows()) {
    if (chosen(ordinal)) collected.set(ordinal, totalCounts(decodeTerms(row.terms)));
  }
  return collected;
}
