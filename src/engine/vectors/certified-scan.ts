import { batchRows, strideOf } from "../kernels/code-layout.ts";
import { codeMemory } from "../kernels/code-memory.ts";
import { eachReaching } from "../kernels/impact-sums.ts";
import type { CodeTable, SumBounds } from "../kernels/code-table.ts";
import { createKthBest, type KthBest } from "../kernels/kth-best.ts";
import { type LentRoom, takeRoom } from "../kernels/lent-room.ts";
import { quantize } from "../kernels/quantize.ts";
import type { VectorColumn } from "../segments/segment.ts";
import { type CosineBounds, tightenBounds } from "./tighten-bounds.ts";
import { closeness, scoreDense, type ScoredQuery } from "./vector-scores.ts";

/**
 * Finds the rows of some dense columns that can be among the best `topK`, by a first pass over 8-bit codes; it misses none.
 *
 * The search returns the same result as scoring every row, to the last bit and the last tie. The pass only finds rows
 * that need no score. The proof follows.
 *
 * **Bound.** Let x be a row and q the query, x = s·c + r and q = t·e + w. Here c and e are whole numbers (the codes), s and t steps, and r and w the
 * remainders. Let D = c·e, which is exact, ρ = ‖r‖/‖x‖ and ω = ‖w‖/‖q‖. Then x·q = s·t·D + s·(c·w) + r·q, and by
 * Cauchy and Schwarz, with ‖s·c‖ ≤ ‖x‖ + ‖r‖,
 *
 *     | x·q / (‖x‖‖q‖)  -  (s/‖x‖)·(t/‖q‖)·D |  ≤  (1 + ρ)·ω + ρ  =  ρ·(1 + ω) + ω.
 *
 * **Rounding.** Every code is the nearest whole number to its coordinate or nearer to 0. So ρ ≤ 1 and ω ≤ 1 (but for
 * 2^-40), and |s·t·D| ≤ 4‖x‖‖q‖. `slopes` hold s/‖x‖ in 32 bits, off by 2^-24 of itself, which moves the middle by at
 * most 2^-22; `residuals` hold no less than ρ, but for a denormal loss below 2^-126. All else is computed in 64 bits,
 * from 32-bit numbers. Their products, down to 2^-298 and up to 2^256 times the dimensions, neither overflow nor vanish
 * there. A sum of n such products is off by less than n·2^-53·‖x‖‖q‖ in any order. A norm is off by less than (n +
 * 2)·2^-53 of itself (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). With n ≤ 2^20 all of these are
 * below 2^-31. `slack` = 2^-20 is more than three times all of them together. So the computed cosine lies within
 *
 *     middle ± reach,  middle = slope·(τ·D),  reach = residual·(1 + ω) + ω + slack,  τ = t/‖q‖,
 *
 * and a computed dot product within ‖x‖‖q‖ times that. For a zero row both are 0.
 *
 * **Twice.** The bound does not depend on how fine the query's codes are. So it holds for e of 16 bits, and for digits from -63 to 63. Their sums
 * take half the time or less (sift-codes.wat shows how, and why they are the same on every machine). Their ω is some .014, where the
 * others' is almost 0. A row whose upper bound by the digits is below the threshold is not among the best. For the rows that are left, the middle
 * and the reach are those by all the bits. Where there are no digits, all rows are left. Some of these would have to be read from a file to be
 * scored. At the end of the pass, {@link tightenBounds} narrows the bounds of those that still may be among the best.
 *
 * **Threshold.** If k rows have scores of at least L, the k-th best score of all rows is at least L. A row among the
 * best has at least the k-th best score, hence at least L, hence an upper bound of at least L. So a row whose upper
 * bound is below L, strictly, is not among the best, not even by a tie. L only rises as rows come, so a row that is
 * left out early would be left out late. The same holds for `minScore` in the place of L.
 *
 * **Euclidean.** The score falls with the distance, d² = ‖x‖² + ‖q‖² - 2x·q, but rounds: two distances may have one
 * score, and then ids decide. So lower bounds are turned into scores with the same formula. The threshold is a score.
 * It is turned back into the least κ = (x·q - ‖x‖²/2)/‖q‖ that could still have it. With z = 1/L - 1, d² ≤ z², so κ ≥
 * (‖q‖² - z²)/(2‖q‖). All of it is widened by 2^-28 of ‖x‖², ‖q‖² and z², which is more than four times what rounding
 * can do to them.
 *
 * **Shape** for dense queries that are not zero, of at most {@link certifiedDimensions}. Several may be under way: each has scratch of its own.
 * **Cost** one byte a coordinate is read of every admitted row. Nothing is allocated but for scratch that grows once.
 * **Source** a filter step with bounds, then refinement, as in VA-files (Weber, Schek and Blott 1998). The length of
 * the remainder takes the place of a grid cell.
 */
export interface CertifiedScan {
  /** Looks at the rows of one column. */
  look(column: VectorColumn, admitted: Uint8Array): void;
  /** Ends the first pass, and scores the most promising rows, which raises the threshold for the others. */
  settle(): void;
  /** The rows, of the column of the n-th `look` (from 0), that may be among the best, each once and with its true score. */
  rows(look: number, offer: (row: number, score: number) => void): void;
  /** Ends the scan: the next one takes its scratch. */
  close(): void;
  /** Bounds of all rows that were looked at; `undefined` for a scan that keeps none. */
  readonly kept: KeptScan | undefined;
}

/** Scores that rows need by a sum that another leg kept of their chunks. A row without a sum needs `leasts[0]`. Others need that of the sum times `perSum`, from 1, and at most the last. */
export interface RowNeeds {
  readonly leasts: Float64Array;
  readonly perSum: number;
  /** Sum of each chunk, by `first` and its ordinal. */
  readonly sums: Float32Array;
  readonly first: number;
  readonly ordinals: Uint32Array;
}

/** Rows of a scan after its end, with bounds of their scores. */
export interface KeptScan {
  /**
   * Rows of the column of the n-th look that may score `least`, with the most that they score. Rows that were not admitted may be among them. With `needs`, rows that
   * need more than that are left out.
   *
   * **Shape** `false` where other scans have taken the room since. **Cost** a look at each row.
   */
  rows(look: number, least: number, offer: (row: number, upper: number) => void, needs?: RowNeeds): boolean;
  /**
   * The most and the least that an admitted row scores; `undefined` where other scans have taken the room since. With `closely`, by all bits of the query and by
   * the angle.
   *
   * **Shape** where the row's codes are gone, the least is `-Infinity`. **Cost** nothing; `closely` reads the row's codes: two to three microseconds.
   */
  bounds(look: number, row: number, closely: boolean): RowBounds | undefined;
  /** Forgets them: the next scan takes the room. */
  close(): void;
}

export interface RowBounds {
  readonly most: number;
  readonly least: number;
}

/** Above, rounding errors would outgrow their slack. */
export const certifiedDimensions = 1 << 20;

const slack = 2 ** -20;
const wider = 1 + 2 ** -28;
const narrower = 1 - 2 ** -28;

/** Rows of the first batch. Each later batch is as long as all before it: the threshold rises most at the beginning. */
const firstBatch = 64;

/** The largest absolute value of a row's code. */
const largestCode = 128;

/** The largest of the query's digits: with 64 added, they are 7 bits. */
const largestDigit = 63;

/** Scratch: the rows that may be among the best, with their upper bounds, their lower bounds, and, once known, their scores. */
interface Scratch {
  readonly kth: KthBest;
  rowOf: Uint32Array;
  upperOf: Float64Array;
  lowerOf: Float64Array;
  scoreOf: Float64Array;
}

/** Scratch of the scan that ended last. */
let spare: Scratch | undefined;

function takeScratch(): Scratch {
  const taken = spare;
  spare = undefined;
  return (
    taken ?? {
      kth: createKthBest(),
      rowOf: new Uint32Array(1024),
      upperOf: new Float64Array(1024),
      lowerOf: new Float64Array(1024),
      scoreOf: new Float64Array(1024),
    }
  );
}

/** Whether a scan can keep bounds: distances would need some of their own. */
export function canKeep({ metric }: ScoredQuery): boolean {
  return metric === "cosine" || metric === "dot";
}

/** Starts a scan for the best `topK`. With `keep` it keeps bounds of so many rows, all that it looks at. */
export function startCertifiedScan(query: ScoredQuery, topK: number, minScore: number, keep?: number): CertifiedScan {
  const { metric, dense, denseNorm } = query;
  const memory = codeMemory();
  const stride = strideOf(dense.length);
  const { fine, coarse, codes, digits } = encodeQuery(query, stride);
  const scratch = takeScratch();
  const { kth } = scratch;
  const omega = fine.more - 1;
  let found = 0;
  /** How much of ‖x‖² is taken off for the distance: 1 / (2‖q‖), or nothing. */
  const half = metric === "euclidean" ? 1 / (2 * denseNorm) : 0;
  const squared = denseNorm * denseNorm;
  const columns: VectorColumn[] = [];
  const starts: number[] = [];
  const room = keep === undefined ? undefined : takeRoom(keep);
  const looks: number[] = [0];
  let floor = minScore;
  let batch = firstBatch;
  const bounds = {
    fine,
    coarse,
    scaled: metric !== "cosine",
    shrink: half * narrower,
    bound: leastBound(floor),
  };
  kth.reset(topK);

  /** Least upper bound of a row with that score: for the cosine, for x·q/‖q‖, or for κ. */
  function leastBound(score: number): number {
    if (metric === "cosine") return score;
    if (metric === "dot") return score / denseNorm;
    if (score <= 0) return -Infinity;
    const z = wider / score - 1;
    return z < 0 ? Infinity : (squared * narrower - z * z * wider) / (2 * denseNorm);
  }

  function raise(to: number): void {
    if (!(to > floor)) return;
    floor = to;
    bounds.bound = leastBound(floor);
  }

  /** As the scan computes it. */
  function upperBound(middle: number, reach: number, norm: number): number {
    const upper = middle + reach;
    return bounds.scaled ? norm * upper - norm * norm * bounds.shrink : upper;
  }

  /** The score of a row with that cosine, or less. */
  function lowerScore(low: number, norm: number): number {
    if (metric === "cosine") return low;
    if (metric === "dot") return low * norm * denseNorm;
    const farthest = (squared * wider - 2 * denseNorm * (norm * low - norm * norm * half * wider)) * wider;
    return closeness(Math.max(0, farthest)) * narrower;
  }

  function take(row: number, upper: number, norm: number, middle: number, reach: number): void {
    if (found === scratch.rowOf.length) grow(scratch);
    const lower = lowerScore(middle - reach, norm);
    scratch.rowOf[found] = row;
    scratch.upperOf[found] = upper;
    scratch.lowerOf[found++] = lower;
    kth.offer(lower);
    raise(kth.floor);
  }

  /** By all bits of the query, and by the angle. */
  function cosineBounds(table: CodeTable, row: number): CosineBounds {
    const { product, squares } = table.sums(row, codes);
    const [slope, residual] = [table.slope(row), table.residual(row)];
    const given = { middle: slope * (fine.tau * product), reach: residual * fine.more + fine.margin };
    return tightenBounds(given, { coded: slope * Math.sqrt(squares), residual }, omega);
  }

  /** As far as a kept bound may be above the score: twice the reach by the digits, in the bound's own units. */
  function mostReach(look: number, row: number): number {
    const rows = columns[look]!.dense()!;
    if (rows.isPassed === true) return Infinity;
    const table = rows.codes();
    const reach = 2 * (table.residual(row) * coarse.more + coarse.margin);
    return bounds.scaled ? table.norm(row) * reach : reach;
  }

  /** Bounds of one row, of a metric for which bounds are kept; `undefined` where its codes are gone. */
  function closeBounds(look: number, row: number): RowBounds | undefined {
    const rows = columns[look]!.dense()!;
    if (rows.isPassed === true) return undefined;
    const table = rows.codes();
    const norm = table.norm(row);
    const { middle, reach } = cosineBounds(table, row);
    return { most: lowerScore(middle + reach, norm), least: lowerScore(middle - reach, norm) };
  }

  /** Narrows the bounds of rows that still may be among the best and would have to be read. **Shape** how many. */
  function narrow(look: number): number {
    const rows = columns[look]!.dense()!;
    if (rows.isRead === undefined) return 0;
    const table = rows.codes();
    const { rowOf, upperOf, lowerOf } = scratch;
    let count = 0;
    for (let i = starts[look]!; i < starts[look + 1]!; i++) {
      const row = rowOf[i]!;
      if (upperOf[i]! < bounds.bound || !rows.isRead(row)) continue;
      const norm = table.norm(row);
      const { middle, reach } = cosineBounds(table, row);
      upperOf[i] = Math.min(upperOf[i]!, upperBound(middle, reach, norm));
      lowerOf[i] = Math.max(lowerOf[i]!, lowerScore(middle - reach, norm));
      count++;
    }
    return count;
  }

  /** Narrows bounds of all columns, and the threshold with them. */
  function narrowAll(): void {
    let count = 0;
    for (let look = 0; look < columns.length; look++) count += narrow(look);
    if (count === 0) return;
    kth.reset(topK);
    for (let i = 0; i < found; i++) kth.offer(scratch.lowerOf[i]!);
    raise(kth.floor);
  }

  /** Rows whose scores may count, by what is known so far. */
  function* reaching(look: number): Generator<number> {
    for (let i = starts[look]!; i < starts[look + 1]!; i++)
      if (scratch.upperOf[i]! >= bounds.bound) yield scratch.rowOf[i]!;
  }

  return {
    look(column, admitted) {
      columns.push(column);
      starts.push(found);
      const { ordinals, rows } = column;
      const table = column.dense()!.codes();
      memory.reserve(stride, Math.max(rows, admitted.length));
      memory.weave(table, rows);
      memory.query.set(codes);
      memory.digits.set(digits);
      const { flags } = memory;
      // Mostly every chunk has a vector, and then rows are ordinals.
      if (rows > 0 && ordinals[rows - 1] === rows - 1) flags.set(admitted);
      else for (let row = 0; row < rows; row++) flags[row] = admitted[ordinals[row]!]!;
      const looked = looks.at(-1)!;
      looks.push(looked + rows);
      const uppers = room?.numbers;
      const isWhole = flags.subarray(0, rows).indexOf(0) < 0;
      for (let from = 0, size = 0; from < rows; from += size) {
        size = Math.min(batch, rows - from);
        batch = Math.min(batchRows, batch * 2);
        // Rows that are not looked at keep it: none of them is listed.
        if (uppers !== undefined && !isWhole) memory.uppers.fill(-Infinity, 0, size);
        const count = memory.scan(table, from, size, bounds);
        uppers?.set(memory.uppers.subarray(0, size), looked + from);
        const { found: numbers, middles, reaches } = memory;
        for (let at = 0; at < count; at++) {
          const row = numbers[at]!;
          const norm = table.norm(row);
          const [middle, reach] = [middles[at]!, reaches[at]!];
          const upper = upperBound(middle, reach, norm);
          if (upper >= bounds.bound) take(row, upper, norm, middle, reach);
        }
      }
    },
    settle() {
      starts.push(found);
      narrowAll();
      const first = kth.floor;
      const { rowOf, upperOf, lowerOf, scoreOf } = scratch;
      kth.reset(topK);
      for (let look = 0; look < columns.length; look++) columns[look]!.dense()!.expect?.(reaching(look));
      for (let look = 0; look < columns.length; look++) {
        const rows = columns[look]!.dense()!;
        for (let i = starts[look]!; i < starts[look + 1]!; i++) {
          const best = lowerOf[i]! >= first && upperOf[i]! >= bounds.bound;
          scoreOf[i] = best ? scoreDense(rows, rowOf[i]!, query) : Number.NaN;
          if (best) kth.offer(scoreOf[i]!);
        }
      }
      raise(kth.floor);
    },
    rows(look, offer) {
      const { rowOf, upperOf, scoreOf } = scratch;
      const rows = columns[look]!.dense()!;
      for (let i = starts[look]!; i < starts[look + 1]!; i++) {
        let score = scoreOf[i]!;
        if (Number.isNaN(score)) {
          if (upperOf[i]! < bounds.bound) continue;
          score = scoreDense(rows, rowOf[i]!, query);
          kth.offer(score);
          raise(kth.floor);
        }
        if (score >= floor) offer(rowOf[i]!, score);
      }
    },
    close: () => void (spare = scratch),
    kept: room && keptScan(room, looks, metric === "dot" ? denseNorm : 1, mostReach, closeBounds),
  };
}

/** `worth` is the score of an upper bound of 1, and `reach` how far a bound may be above what it bounds. */
function keptScan(
  room: LentRoom,
  looks: readonly number[],
  worth: number,
  reach: (look: number, row: number) => number,
  closeBounds: (look: number, row: number) => RowBounds | undefined,
): KeptScan {
  const scoreOf = (upper: number): number => (upper + Math.abs(upper) * roundedUp + leastStep) * worth;
  return {
    rows(look, least, offer, needs) {
      const uppers = room.numbers;
      if (uppers === undefined) return false;
      // The bound of a row that scores `least` is rounded no lower than this.
      const boundOf = (least: number): number =>
        Math.max(lowest, Math.fround((least / worth) * (least < 0 ? wider : narrower)));
      const [first, end] = [looks[look]!, looks[look + 1]!];
      const take = (at: number): void => offer(at - first, scoreOf(uppers[at]!));
      const taking = needs === undefined ? take : takeNeeded(uppers, first, needs, boundOf, take);
      eachReaching(uppers, first, end, boundOf(least), taking);
      return true;
    },
    bounds(look, row, closely) {
      const upper = room.numbers?.[looks[look]! + row];
      if (upper === undefined) return undefined;
      const close = closely ? closeBounds(look, row) : undefined;
      const lower = upper - Math.abs(upper) * roundedUp - leastStep - reach(look, row) * wider;
      return close ?? { most: scoreOf(upper), least: lower * worth };
    },
    close: () => room.close(),
  };
}

/** Takes those of the numbers from `from` on that reach what the sums of their chunks ask for. */
function takeNeeded(
  numbers: Float32Array,
  from: number,
  { sums, first, perSum, ordinals, ...needs }: RowNeeds,
  boundOf: (least: number) => number,
  take: (at: number) => void,
): (at: number) => void {
  const leasts = Float32Array.from(needs.leasts, boundOf);
  const last = leasts.length - 1;
  return (at) => {
    const sum = sums[first + ordinals[at - from]!]!;
    if (numbers[at]! >= leasts[sum > 0 ? Math.min(last, 1 + Math.floor(sum * perSum)) : 0]!) take(at);
  };
}

/** More than a number loses by being rounded to 32 bits: as a share of it, and where it is almost 0. */
const roundedUp = 2 ** -23;
const leastStep = 2 ** -149;

/** The lowest number of 32 bits. */
const lowest = -(2 - 2 ** -23) * 2 ** 127;

/** A query as the scan takes it. */
interface EncodedQuery {
  readonly fine: SumBounds;
  readonly coarse: SumBounds;
  readonly codes: Int16Array;
  readonly digits: Uint8Array;
}

function encodeQuery(query: ScoredQuery, stride: number): EncodedQuery {
  const { vector, dense, denseNorm, form } = query;
  const { length } = dense;
  const codes = new Int16Array(stride);
  // No sum of products may leave 32 bits.
  const most = Math.floor((2 ** 31 - 1) / (largestCode * length));
  const round = (largest: number): SumBounds => {
    const { step, residual } = quantize(dense, 0, length, Math.min(largest, most), codes, 0);
    return boundsOf(step / denseNorm, residual / denseNorm);
  };
  const coarse = round(largestDigit);
  const digits = new Uint8Array(stride);
  for (let i = 0; i < stride; i++) digits[i] = codes[i]! + 64;
  if (form === "float32" || most < largestCode) return { fine: round(32_767), coarse, codes, digits };
  // Bytes are their own codes.
  codes.set(vector);
  return { fine: boundsOf(1 / denseNorm, 0), coarse, codes, digits };
}

function boundsOf(tau: number, left: number): SumBounds {
  return { tau, more: 1 + left, margin: left + slack };
}

function grow(scratch: Scratch): void {
  const length = scratch.rowOf.length * 2;
  scratch.rowOf = widen(scratch.rowOf, new Uint32Array(length));
  scratch.upperOf = widen(scratch.upperOf, new Float64Array(length));
  scratch.lowerOf = widen(scratch.lowerOf, new Float64Array(length));
  scratch.scoreOf = new Float64Array(length);
}

function widen<Numbers extends Uint32Array | Float64Array>(before: Numbers, after: Numbers): Numbers {
  after.set(before);
  return after;
}
