import { windowSize } from "../kernels/impact-sums.ts";
import type { Postings } from "../segments/segment.ts";

/** The highest impact: 16 bits. */
export const mostImpact = 65_535;

/** Counts of the entries that have any; the others have none. `at` ascends. */
export interface SparseCounts {
  readonly at: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * Where a word occurs in one segment, as a search walks it: by windows of {@link windowSize} chunks.
 *
 * An *impact* says how much an entry gives, of the most that any could, in 65,535ths and rounded up. So impacts add up to a bound of the
 * score, and to one that misses it by little.
 */
export interface WordList {
  readonly length: number;
  /** Window `w` has the entries `starts[w] … starts[w + 1]`. */
  readonly starts: Uint32Array;
  /** Per entry, the place of the chunk in its window in the low 16 bits, the impact in the high ones. Places ascend within a window. */
  readonly packed: Uint32Array;
  /** Occurrences in the text by entry; 255 stands for those in `large`. */
  readonly counts: Uint8Array;
  readonly large: ReadonlyMap<number, number>;
  readonly names: SparseCounts | undefined;
  readonly files: SparseCounts | undefined;
  readonly bytes: number;
}

/** **Cost** linear. `impacts` has the impact of each entry of the postings, from 1 to {@link mostImpact}. */
export function packPostings(list: Postings, size: number, impacts: Uint32Array): WordList {
  const { ordinals, counts: occurrences } = list;
  const { length } = ordinals;
  const windows = Math.ceil(size / windowSize);
  const starts = new Uint32Array(windows + 1);
  const packed = new Uint32Array(length);
  const counts = new Uint8Array(length);
  const large = new Map<number, number>();
  for (let i = 0; i < length; i++) {
    const ordinal = ordinals[i]!;
    const count = occurrences[i]!;
    starts[(ordinal >>> 16) + 1]!++;
    packed[i] = (ordinal & 0xffff) | (impacts[i]! << 16);
    counts[i] = Math.min(count, 255);
    if (count >= 255) large.set(i, count);
  }
  for (let window = 0; window < windows; window++) starts[window + 1]! += starts[window]!;
  const names = list.names && gather(ordinals, list.names);
  const files = list.files && gather(ordinals, list.files);
  const sparse = (names?.at.length ?? 0) + (files?.at.length ?? 0);
  const bytes = 200 + 4 * starts.length + 5 * length + 12 * sparse + 40 * large.size;
  return { length, starts, packed, counts, large, names, files, bytes };
}

function gather(ordinals: Uint32Array, counts: Uint32Array): SparseCounts | undefined {
  let size = 0;
  for (const count of counts) if (count > 0) size++;
  if (size === 0) return undefined;
  const gathered = { at: new Uint32Array(size), ordinals: new Uint32Array(size), counts: new Uint32Array(size) };
  for (let i = 0, next = 0; i < counts.length; i++) {
    if (counts[i] === 0) continue;
    gathered.at[next] = i;
    gathered.ordinals[next] = ordinals[i]!;
    gathered.counts[next++] = counts[i]!;
  }
  return gathered;
}

/** Where a list has a chunk, from one of its entries on, or the complement (`~at`) of where it would stand. */
export function entryOf({ packed, starts }: WordList, ordinal: number, from = 0): number {
  const window = ordinal >>> 16;
  const wanted = ordinal & 0xffff;
  const end = starts[window + 1]!;
  let low = Math.max(from, starts[window]!);
  // Chunks are mostly asked for in order, and the next one stands near.
  let step = 1;
  while (low + step < end && (packed[low + step]! & 0xffff) < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step + 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((packed[middle]! & 0xffff) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < end && (packed[low]! & 0xffff) === wanted ? low : ~low;
}

export function countAt({ counts, large }: WordList, at: number): number {
  const count = counts[at]!;
  return count === 255 ? large.get(at)! : count;
}

export function sparseAt(sparse: SparseCounts | undefined, at: number): number {
  if (sparse === undefined) return 0;
  const found = lowerBound(sparse.at, at);
  return sparse.at[found] === at ? sparse.counts[found]! : 0;
}

/** The first place of ascending numbers that is not below a number. */
export function lowerBound(numbers: Uint32Array, wanted: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
