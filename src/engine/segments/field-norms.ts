import type { Bm25Settings } from "../bm25/bm25-settings.ts";
import { type Bm25Formula, coarseLength } from "../bm25/bm25-variants.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import type { Segment } from "./segment.ts";

/** Worth of one occurrence in each field, by ordinal: the field's weight over `1 - b + b · length / average`. */
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
 * **Cost** a pass over the chunks, once; a division for each length that there is.
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
  const average = fields ? averages.text : averages.text + averages.names;
  const lengths = fields ? textLengths : textLengths.subarray(0, size).map((length, at) => length + nameLengths[at]!);
  const text = byOrdinal(lengths, size, (length) => norm(coarse ? coarseLength(length) : length, average, b));
  const names = fields
    ? byOrdinal(nameLengths, size, (length) => nameWeight * norm(length, averages.names, nameB))
    : text;
  const made = { key, text, names };
  kept.set(segment, made);
  return made;
}

/** Chunks that are no longer than this have one of so many norms. */
const mostKnown = 1024;

function byOrdinal(lengths: Uint32Array, size: number, normOf: (length: number) => number): Float64Array {
  const known = new Float64Array(mostKnown).map((_, length) => normOf(length));
  const norms = new Float64Array(size);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const length = lengths[ordinal]!;
    norms[ordinal] = length < mostKnown ? known[length]! : normOf(length);
  }
  return norms;
}

/** An empty field has no occurrences to count: its norm is any number, but for the infinity that a `b` of 1 would make it. */
function norm(length: number, average: number, b: number): number {
  return length === 0 ? 1 : 1 / (1 - b + (b * length) / average);
}
