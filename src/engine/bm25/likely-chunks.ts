import type { SearchedSegment } from "./best-chunks.ts";
import { type Bm25Scoring, type Bounds, headingOf } from "./bm25-scoring.ts";
import type { SharedParts } from "./document-parts.ts";
import { impactSums, siftedAtOnce, windowSize } from "../kernels/impact-sums.ts";
import { createTopK } from "../kernels/top-k.ts";
import type { KeepingSums } from "./kept-sums.ts";
import { impactStep, lowerBound, mostImpact, type WordList } from "./word-list.ts";

/** Chunks that may be among the best, end to end. Valid until the next search. */
export interface LikelyChunks {
  readonly size: number;
  /** Index among the searched segments; ascends. */
  readonly places: Uint32Array;
  readonly ordinals: Uint32Array;
  /** At most and at least the score without its heading. */
  readonly uppers: Float64Array;
  readonly lowers: Float64Array;
  /** The most that its heading gives. */
  readonly headings: Float64Array;
}

/** The same, valid for good. */
export function keepLikely({ size, ...lists }: LikelyChunks): LikelyChunks {
  const { places, ordinals, uppers, lowers, headings } = lists;
  return {
    size,
    places: places.slice(0, size),
    ordinals: ordinals.slice(0, size),
    uppers: uppers.slice(0, size),
    lowers: lowers.slice(0, size),
    headings: headings.slice(0, size),
  };
}

/**
 * Bounds by the words' weights. An impact is rounded up by less than {@link impactStep}. A sum in 32 bits errs by a share for each of two additions a word.
 *
 * **Source** IEEE 754: an addition of 32-bit floats errs by a share of 2⁻²⁴.
 */
export function boundScores(weights: readonly number[], most: number): Bounds {
  const scale = weights.reduce((most, weight) => Math.max(most, weight), 0) || 1;
  const share = (weights.length + 8) * 2 ** -21;
  // A weight that is too small for 32 bits beside the others is taken for a larger one.
  const units = Float64Array.from(weights, (weight) =>
    weight > 0 ? (Math.max(weight / scale, 1e-25) * most * (1 + share)) / mostImpact : 0,
  );
  return { units, scale, slack: units.reduce((sum, unit) => sum + unit * impactStep, 0) * scale, share };
}

/** Room for the chunks that are found. */
let found = makeRoom(1024);

function makeRoom(size: number, before?: typeof found) {
  const grown = {
    places: new Uint32Array(size),
    ordinals: new Uint32Array(size),
    uppers: new Float64Array(size),
    lowers: new Float64Array(size),
    headings: new Float64Array(size),
  };
  if (before !== undefined) {
    for (const name of ["places", "ordinals", "uppers", "lowers", "headings"] as const) grown[name].set(before[name]);
  }
  return grown;
}

/** Serves one search at a time. */
const sure = createTopK(0);

/** Below every sum but 0, in 32 bits. */
const leastSum = 1e-44;

/** Chunks that give a first threshold. */
const mostSeeds = 256;

/** When fewer entries than this share of a window's chunks are read, they are walked once more instead of the window. */
const sparseShare = 8;

/**
 * Finds the chunks that may be among the best `topK`, by upper bounds of their scores.
 *
 * **Shape** all admitted chunks that reach `minScore` and the `topK`-th best, and some that do not. **Cost** linear in the postings of the
 * words and in the chunks of windows that have many of them.
 */
export function findLikely(
  scoring: Bm25Scoring,
  searched: readonly SearchedSegment[],
  shared: SharedParts,
  topK: number,
  minScore: number,
  keeping?: KeepingSums,
): LikelyChunks {
  const { scale } = scoring.bounds;
  const search = { scoring, shared, topK, floor: minScore, size: 0, seeded: topK === Infinity };
  if (topK !== Infinity) sure.reset(topK);
  try {
    for (const [place, each] of searched.entries()) {
      const lists = scoring.words.map(({ indexed }) => indexed.lists.get(each.segment));
      const homes = shared.documents && scoring.index.fields!.documentsOf(each.segment);
      const entries = scoring.index.fields?.entriesOf(each.segment);
      const own: SearchedLists = { ...each, place, lists, homes, entries };
      keeping?.begin(each.segment);
      for (let window = 0, base = 0; base < each.segment.size; window++, base += windowSize) {
        const read = addWindow(scoring, lists, window);
        const end = Math.min(windowSize, each.segment.size - base);
        keeping?.add(end, read === 0 ? undefined : impactSums().sums);
        if (read === 0) continue;
        if (!search.seeded) seedFloor(search, own, window);
        if (read * sparseShare < end) walkEntries(search, own, window);
        else walkWindow(search, own, base, end, scale);
      }
    }
  } catch (error) {
    // The next search would add to what the window has.
    impactSums().sums.fill(0);
    throw error;
  }
  return keepReaching(search.size, search.floor);
}

interface LikelySearch {
  readonly scoring: Bm25Scoring;
  readonly shared: SharedParts;
  readonly topK: number;
  /** The least score that counts, as far as it is known. */
  floor: number;
  /** Chunks that are found. */
  size: number;
  /** Whether there is a first threshold. */
  seeded: boolean;
}

interface SearchedLists extends SearchedSegment {
  readonly place: number;
  readonly lists: readonly (WordList | undefined)[];
  readonly homes: Uint32Array | undefined;
  readonly entries: Uint32Array | undefined;
}

/** Adds up the impacts of a window, and what headings give at most. **Shape** how many entries the window has. */
function addWindow(
  { bounds: { units, scale }, headings }: Bm25Scoring,
  lists: readonly (WordList | undefined)[],
  window: number,
): number {
  let read = 0;
  const { add, sums } = impactSums();
  const end = (window + 1) * windowSize;
  for (let word = 0; word < lists.length; word++) {
    const list = lists[word];
    const unit = units[word]!;
    if (list === undefined || unit === 0) continue;
    const { packed, starts, names } = list;
    const [from, to] = [starts[window]!, starts[window + 1]!];
    read += to - from;
    add(packed.subarray(from, to), unit);
    if (headings === undefined || names === undefined) continue;
    const { ordinals } = names;
    const more = headings.most[word]! / scale;
    const first = window === 0 ? 0 : lowerBound(ordinals, end - windowSize);
    for (let i = first; i < ordinals.length && ordinals[i]! < end; i++) sums[ordinals[i]! & 0xffff]! += more;
  }
  return read;
}

/** A score that `topK` chunks reach, of those that have the word of the highest worth: so fewer others are looked at. */
function seedFloor(search: LikelySearch, own: SearchedLists, window: number): void {
  const { units } = search.scoring.bounds;
  const sizeOf = (list: WordList | undefined): number =>
    list === undefined ? 0 : list.starts[window + 1]! - list.starts[window]!;
  let rarest = -1;
  own.lists.forEach((list, word) => {
    if (sizeOf(list) >= search.topK && (rarest < 0 || units[word]! > units[rarest]!)) rarest = word;
  });
  if (rarest < 0) return;
  const { packed, starts } = own.lists[rarest]!;
  const { sums } = impactSums();
  const end = Math.min(starts[window + 1]!, starts[window]! + mostSeeds);
  const { scale } = search.scoring.bounds;
  for (let i = starts[window]!; i < end; i++) {
    const at = packed[i]! & 0xffff;
    const ordinal = window * windowSize + at;
    if (own.admitted[ordinal] !== 1) continue;
    const total = sums[at]! * scale + sharedOf(search.shared, own, ordinal);
    if (total > sure.floor) sure.offer(lowerOf(search, own, ordinal, total), 0);
  }
  search.seeded = sure.floor > -Infinity;
  search.floor = Math.max(search.floor, sure.floor);
  sure.reset(search.topK);
}

/** Names and document of a chunk, at most. */
function sharedOf({ names, documents }: SharedParts, { entries, homes }: SearchedLists, ordinal: number): number {
  let sum = 0;
  if (names !== undefined) sum += names[entries![ordinal]!]!;
  if (documents !== undefined) sum += documents[homes![ordinal]!]!;
  return sum;
}

/** At least the score without its heading, by the sum with all parts. */
function lowerOf(
  { scoring, shared }: LikelySearch,
  { lists }: SearchedLists,
  ordinal: number,
  total: number,
  heading = headingOf(scoring, lists, ordinal),
): number {
  const { share, slack } = scoring.bounds;
  return total * (1 - 2 * share) - heading - slack - shared.slack;
}

/** Puts a chunk down unless it cannot reach the threshold, and raises the threshold by it. */
function consider(search: LikelySearch, own: SearchedLists, ordinal: number, sum: number): void {
  if (own.admitted[ordinal] !== 1) return;
  const { scoring, shared, topK, size } = search;
  const { scale, share } = scoring.bounds;
  const total = sum * scale + sharedOf(shared, own, ordinal);
  const upper = total * (1 + share);
  if (upper < search.floor) return;
  if (size === found.ordinals.length) found = makeRoom(size * 2, found);
  const heading = headingOf(scoring, own.lists, ordinal);
  const lower = lowerOf(search, own, ordinal, total, heading);
  found.places[size] = own.place;
  found.ordinals[size] = ordinal;
  found.uppers[size] = upper - heading;
  found.lowers[size] = lower;
  found.headings[size] = heading;
  search.size = size + 1;
  if (topK === Infinity || lower <= search.floor) return;
  sure.offer(lower, 0);
  search.floor = Math.max(search.floor, sure.floor);
}

/** The least sum that may reach the threshold with the most that names and documents give. */
function leastFor({ floor, shared, scoring }: LikelySearch): number {
  const { scale, share } = scoring.bounds;
  return Math.max(((floor - shared.mostShared) / scale) * (1 - share), leastSum);
}

/** Considers the chunks of a window's entries, and takes their sums away. */
function walkEntries(search: LikelySearch, own: SearchedLists, window: number): void {
  let least = leastFor(search);
  const { sums } = impactSums();
  for (const list of own.lists) {
    if (list === undefined) continue;
    const { packed, starts } = list;
    for (let i = starts[window]!; i < starts[window + 1]!; i++) {
      const at = packed[i]! & 0xffff;
      const sum = sums[at]!;
      // A chunk that is here twice counts once.
      sums[at] = 0;
      if (sum < least) continue;
      consider(search, own, window * windowSize + at, sum);
      least = leastFor(search);
    }
  }
}

/** Considers the chunks of a window, and takes its sums away. */
function walkWindow(search: LikelySearch, own: SearchedLists, base: number, end: number, scale: number): void {
  const { sums, found: places, sift } = impactSums();
  const { homes } = own;
  const { documents, mostNamed } = search.shared;
  const more = 1 + search.scoring.bounds.share;
  let { floor } = search;
  for (let from = 0; from < end; from += siftedAtOnce) {
    const count = sift(from, Math.min(end, from + siftedAtOnce), leastFor(search));
    for (let i = 0; i < count; i++) {
      const at = places[i]!;
      const sum = sums[at]!;
      // Its document is looked at first: most chunks end here.
      const document = documents === undefined ? 0 : documents[homes![base + at]!]!;
      if ((sum * scale + mostNamed + document) * more < floor) continue;
      consider(search, own, base + at, sum);
      floor = search.floor;
    }
  }
  sums.fill(0, 0, end);
}

function keepReaching(count: number, floor: number): LikelyChunks {
  const { places, ordinals, uppers, lowers, headings } = found;
  let size = 0;
  for (let i = 0; i < count; i++) {
    if (uppers[i]! + headings[i]! < floor) continue;
    places[size] = places[i]!;
    ordinals[size] = ordinals[i]!;
    uppers[size] = uppers[i]!;
    lowers[size] = lowers[i]!;
    headings[size++] = headings[i]!;
  }
  return { size, places, ordinals, uppers, lowers, headings };
}
