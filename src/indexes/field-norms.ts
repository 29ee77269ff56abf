import type { Bm25Settings } from "./bm25-settings.ts";
import { type Bm25Formula, coarseLength } from "./bm25-variants.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import type { Segment } from "./segment.ts";

/** What one occurrence in each field counts, by ordinal: its weight over `1 - b + b · length / average`. */
export interface Norms {
  readonly text: Float64Array;
  readonly names: Float64Array;
}

interface KeptNorms extends Norms {
  readonly key: string;
}

const kept = new WeakMap<Segment, KeptNorms>();

/**
 * Norms of a segment, kept until the averages change, which is when something is written.
 *
 * **Cost** two divisions a chunk, once.
 */
export function createNorms(
  segment: Segment,
  averages: FieldLengths,
  { fields, coarse }: Bm25Formula,
  { variant, b, nameB, nameWeight }: Bm25Settings,
): Norms {
  const key = [segment.size, averages.text, averages.names, variant, b, nameB, nameWeight].join(" ");
  const known = kept.get(segment);
  if (known?.key === key) return known;
  const { size, textLengths, nameLengths } = segment;
  const text = new Float64Array(size);
  const names = fields ? new Float64Array(size) : text;
  const average = fields ? averages.text : averages.text + averages.names;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const length = fields ? textLengths[ordinal]! : textLengths[ordinal]! + nameLengths[ordinal]!;
    text[ordinal] = norm(coarse ? coarseLength(length) : length, average, b);
    if (fields) names[ordinal] = nameWeight * norm(nameLengths[ordinal]!, averages.names, nameB);
  }
  const made = { key, text, names };
  kept.set(segment, made);
  return made;
}

/** An empty field has no occurrences to count: its norm is any number, but for the infinity that a `b` of 1 would make it. */
function norm(length: number, average: number, b: number): number {
  return length === 0 ? 1 : 1 / (1 - b + (b * length) / average);
}
