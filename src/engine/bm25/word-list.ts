import { windowSize } from "../kernels/impact-sums.ts";
import type { Postings } from "../segments/segment.ts";

/** An impact says the count too, in its lowest bits: so it is rounded up by less than this. */
export const impactStep = 16;

/** The highest impact, before it is rounded up. With {@link impactStep} it stays within 16 bits. */
export const mostImpact = 65_504;

/** Counts from here on stand apart. */
const largeCount = impactStep - 1;

/** Counts of the entries that have any; the others have none. `at` ascends. */
export interface SparseCounts {
  readonly at: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * Where a word occurs in one segment, as a search walks it: by windows of {@link windowSize} chunks.
 *
 * An *impact* says how much an entry gives, of the most that any could, in shares of {@link mostImpact} and rounded up. So impacts add up to a bound of the
 * score, and to one that misses it by little.
 */
export interface WordList {
  readonly length: number;
  /** Window `w` has the entries `starts[w] … starts[w + 1]`. */
  readonly starts: readonly number[];
  /**
   * Per entry, the place of the chunk in its window in the low 16 bits, the impact in the high ones. Places ascend within a window. The four lowest bits of the
   * impact are the occurrences in the text; 15 stands for those in `large`.
   */
  readonly packed: Uint32Array;
  readonly large: Pick<SparseCounts, "at" | "counts"> | undefined;
  readonly names: SparseCounts | undefined;
  readonly files: SparseCounts | undefined;
  readonly bytes: number;
}

/** Memory of a list beside its numbers, nearly. **Units** bytes. */
const listBytes = 450;

/** **Cost** linear. `impacts` has the impact of each entry of the postings, from 1 to {@link mostImpact}. */
export function packPostings(list: Postings, size: number, impacts: Uint32Array): WordList {
  const { ordinals, counts } = list;
  const { length } = ordinals;
  const windows = Math.ceil(size / windowSize);
  const starts = Array.from({ length: windows + 1 }, () => 0);
  const packed = new Uint32Array(length);
  let apart = 0;
  for (let i = 0; i < length; i++) {
    const ordinal = ordinals[i]!;
    const count = Math.min(counts[i]!, largeCount);
    if (count === largeCount) apart++;
    starts[(ordinal >>> 16) + 1]!++;
    // The least impact with these bits that is not below the given one.
    const impact = (((impacts[i]! - count + impactStep - 1) >> 4) << 4) | count;
    packed[i] = (ordinal & 0xffff) | (impact << 16);
  }
  for (let window = 0; window < windows; window++) starts[window + 1]! += starts[window]!;
  const large = apart === 0 ? undefined : gatherLarge(counts, apart);
  const names = list.names && gather(ordinals, list.names);
  const files = list.files && gather(ordinals, list.files);
  const sparse = 12 * ((names?.at.length ?? 0) + (files?.at.length ?? 0)) + 8 * apart;
  return { length, starts, packed, large, names, files, bytes: listBytes + 8 * windows + 4 * length + sparse };
}

function gatherLarge(counts: Uint32Array, size: number): Pick<SparseCounts, "at" | "counts"> {
  const gathered = { at: new Uint32Array(size), counts: new Uint32Array(size) };
  for (let i = 0, next = 0; next < size; i++) {
    if (counts[i]! < largeCount) continue;
    gathered.at[next] = i;
    gathered.counts[next++] = counts[i]!;
  }
  return gathered;
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

export function countAt({ packed, large }: WordList, at: number): number {
  const count = (packed[at]! >>> 16) % impactStep;
  return count === largeCount ? sparseAt(large, at) : count;
}

export function sparseAt(sparse: Pick<SparseCounts, "at" | "counts"> | undefined, at: number): number {
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
