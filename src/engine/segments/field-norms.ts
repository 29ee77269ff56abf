import type { Bm25Settings } from "../bm25/bm25-settings.ts";
import { type Bm25Formula, coarseLength } from "../bm25/bm25-variants.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import type { Segment } from "./segment.ts";

/** Worth of one occurrence in each field: the field's weight over `1 - b + b · length / average`. Chunk `o` has `text[textLengths[o]]`, and `names[nameLengths[o]]`. */
export interface Norms {
  /** By length. **Shape** all segments share it. */
  readonly text: Float64Array;
  readonly names: Float64Array;
  /** Lengths by ordinal. May be longer than the segment. */
  readonly textLengths: Uint32Array;
  readonly nameLengths: Uint32Array;
}

/**
 * Norms of segments that are searched together.
 *
 * **Shape** memory follows the longest chunk, and not the number of chunks. **Cost** a pass over the chunks when first asked, and a division for each length up to
 * the longest.
 */
export function createNorms(
  segments: readonly Segment[],
  averages: FieldLengths,
  { fields, coarse }: Bm25Formula,
  { b, nameB, nameWeight }: Bm25Settings,
): (segment: Segment) => Norms {
  let tables: Pick<Norms, "text" | "names"> | undefined;
  const joined = new Map<Segment, Uint32Array>();

  /** Lengths of texts and names together, for formulas that know one field. */
  function joinedLengths(segment: Segment): Uint32Array {
    let made = joined.get(segment);
    if (made === undefined) {
      const { size, textLengths, nameLengths } = segment;
      made = textLengths.slice(0, size);
      for (let at = 0; at < size; at++) made[at]! += nameLengths[at]!;
      joined.set(segment, made);
    }
    return made;
  }

  function makeTables(): Pick<Norms, "text" | "names"> {
    const longest = (lengthsOf: (segment: Segment) => Uint32Array): number =>
      segments.reduce((most, segment) => longestOf(lengthsOf(segment), segment.size, most), 0);
    const average = fields ? averages.text : averages.text + averages.names;
    const text = byLength(longest(fields ? (segment) => segment.textLengths : joinedLengths), (length) =>
      norm(coarse ? coarseLength(length) : length, average, b),
    );
    if (!fields) return { text, names: text };
    const names = byLength(
      longest((segment) => segment.nameLengths),
      (length) => nameWeight * norm(length, averages.names, nameB),
    );
    return { text, names };
  }

  return (segment) => {
    tables ??= makeTables();
    if (fields) return { ...tables, textLengths: segment.textLengths, nameLengths: segment.nameLengths };
    const lengths = joinedLengths(segment);
    return { ...tables, textLengths: lengths, nameLengths: lengths };
  };
}

function longestOf(lengths: Uint32Array, size: number, least: number): number {
  let longest = least;
  for (let at = 0; at < size; at++) if (lengths[at]! > longest) longest = lengths[at]!;
  return longest;
}

function byLength(longest: number, normOf: (length: number) => number): Float64Array {
  return new Float64Array(longest + 1).map((_, length) => normOf(length));
}

/** An empty field has no occurrences to count: its norm is any number, but for the infinity that a `b` of 1 would make it. */
function norm(length: number, average: number, b: number): number {
  return length === 0 ? 1 : 1 / (1 - b + (b * length) / average);
}
