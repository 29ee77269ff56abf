import { type Bm25Scoring, headingOf } from "./bm25-scoring.ts";
import type { SharedParts } from "./document-parts.ts";
import { type LentRoom, takeRoom } from "../kernels/lent-room.ts";
import type { ScoreBounds } from "../../contracts/leg.ts";
import type { Segment } from "../segments/segment.ts";

/** Bounds of the scores of all chunks that a search looked at. **Shape** the most that each given chunk scores, by its place; 0 without a word of the query. */
export interface KeptScores {
  /** Sums by ordinal, from `first`; `undefined` as below. */
  sums(segment: Segment): { readonly sums: Float32Array; readonly first: number } | undefined;
  /** The most that a chunk with such a sum scores, with the most that names and documents give any chunk. */
  most(sum: number): number;
  /** With its own name, and the most that its document gives by the sum of impacts; `undefined` where other searches have taken the room since. */
  uppers(segment: Segment, ordinals: readonly number[]): Float64Array | undefined;
  /** The same, and the least. **Cost** beside it, a look-up in the lists of names for each word where headings count. */
  bounds(segment: Segment, ordinals: readonly number[]): ScoreBounds | undefined;
  /** Forgets them: the next search takes the room. */
  close(): void;
}

/** Sums of a search on their way: windows of the segments, in order. */
export interface KeepingSums {
  /** Begins with a segment. */
  begin(segment: Segment): void;
  /** Puts down the sums of the next chunks; without sums, that they have no word. */
  add(size: number, sums?: Float32Array): void;
  /** Bounds of scores by these sums, and by what names and documents give. */
  finish(shared: SharedParts): KeptScores;
  /** Gives the room back, where the search does not come to its end. */
  close(): void;
}

/** Keeps the sums of a search over so many chunks. Behind them stands the most that each document gives, rounded: bounds are raised by more than that takes away. */
export function keepSums(scoring: Bm25Scoring, size: number): KeepingSums {
  const documents = scoring.index.fields?.documents ?? 0;
  const room = takeRoom(size + documents);
  const firsts = new Map<Segment, number>();
  let at = 0;
  return {
    begin: (segment) => void firsts.set(segment, at),
    add(count, sums) {
      if (sums === undefined) room.numbers?.fill(0, at, at + count);
      else room.numbers?.set(sums.subarray(0, count), at);
      at += count;
    },
    finish(shared) {
      if (shared.documents !== undefined) room.numbers?.set(shared.documents.subarray(0, documents), at);
      return boundKept(scoring, room, firsts, shared, at);
    },
    close: () => room.close(),
  };
}

function boundKept(
  scoring: Bm25Scoring,
  room: LentRoom,
  firsts: ReadonlyMap<Segment, number>,
  { documents, mostShared, slack }: SharedParts,
  firstDocument: number,
): KeptScores {
  const { bounds, parts, index } = scoring;
  const hasDocuments = documents !== undefined;
  const { scale } = bounds;
  const more = 1 + bounds.share;
  function uppersWith(
    segment: Segment,
    ordinals: readonly number[],
    names?: SharedParts["names"],
  ): Float64Array | undefined {
    const [sums, first] = [room.numbers, firsts.get(segment)];
    if (sums === undefined || first === undefined) return undefined;
    const entries = index.fields?.entriesOf(segment);
    const homes = hasDocuments ? index.fields!.documentsOf(segment) : undefined;
    const uppers = new Float64Array(ordinals.length);
    for (let n = 0; n < uppers.length; n++) {
      const ordinal = ordinals[n]!;
      const sum = sums[first + ordinal]!;
      // Without a word of the query nothing else counts.
      if (sum === 0) continue;
      let upper = sum * scale;
      if (names !== undefined) upper += names[entries![ordinal]!]!;
      if (homes !== undefined) upper += sums[firstDocument + homes[ordinal]!]!;
      uppers[n] = upper * more;
    }
    return uppers;
  }
  const uppers: KeptScores["uppers"] = (segment, ordinals) =>
    parts === undefined
      ? uppersWith(segment, ordinals)
      : parts.withParts(false, ({ names }) => uppersWith(segment, ordinals, names));
  return {
    sums(segment) {
      const [sums, first] = [room.numbers, firsts.get(segment)];
      return sums === undefined || first === undefined ? undefined : { sums, first };
    },
    most: (sum) => (sum > 0 ? (sum * scale + mostShared) * more : 0),
    uppers,
    bounds(segment, ordinals) {
      const most = uppers(segment, ordinals);
      if (most === undefined) return undefined;
      const lists = scoring.words.map(({ indexed }) => indexed.lists.get(segment));
      // The bound is too large by the heading's most, by what impacts are rounded up, and by a share for each of both sides.
      const less = (upper: number, n: number): number =>
        Math.max(0, upper * (1 - 4 * bounds.share) - headingOf(scoring, lists, ordinals[n]!) - bounds.slack - slack);
      return { most, least: most.map((upper, n) => (upper > 0 ? less(upper, n) : 0)) };
    },
    close: () => room.close(),
  };
}
