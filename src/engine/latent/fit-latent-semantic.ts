import type { CorpusFit, FitChunk, FittedTerm, TermRow } from "../../contracts/corpus-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { truncateSvd } from "../kernels/truncated-svd.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts, sha256 } from "../../runtime/hash.ts";
import { latentSemanticVersion } from "./latent-basis.ts";
import { buildTermMatrix } from "./term-matrix.ts";

/** Options of a fit; see {@link fitLatentSemantic}. */
export interface FitOptions {
  /** The most dimensions; a small sample gets fewer. Default 128. */
  readonly dimensions?: number;
}

/** How {@link fitLatentSemantic} is watched and stopped. */
export interface FitRunOptions extends FitOptions {
  readonly signal?: AbortSignal;
  /** **Units** the share that is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** **Source** the usual size of such spaces; on test collections 64 and 256 do as well when fused with a lexical leg (`bench/latent-semantic.ts`). */
const defaultDimensions = 128;
/** With a dimension for every few chunks, each chunk has its own and nothing is related to anything. */
const chunksPerDimension = 4;
/** Terms made into rows between two breaths. */
const termsPerSlice = 1024;
/** The largest number that a coordinate is rounded to. */
const largest = 127;

/**
 * Fits a latent-semantic model on the terms of chunks. Terms with the same neighbours become close, so a question finds
 * a passage in other words.
 *
 * Log-entropy weights, then the directions in which most of the chunks' weight lies (truncated singular value decomposition).
 *
 * **Shape** all chunks that are given count; choose them with `sampleForFit`. The same chunks give the same model, bit
 * by bit, on every machine. The order of chunks, and of terms within a chunk, does not matter. Few or similar chunks
 * give fewer dimensions; without a term in two chunks there are none.
 * **Errors** `invalid-argument` for dimensions that are not a whole number from 1 to 1024, and unknown options; `aborted`, `timeout`.
 * **Cost** about a second of one processor for 10,000 chunks of 25 terms, three for 20,000 of 70. At 128 dimensions
 * some 1,200 bytes per chunk and per term, with at most 50,000 terms. The event loop runs every few tens of
 * milliseconds.
 * **Source** Deerwester, Dumais et al., Indexing by Latent Semantic Analysis (JASIS 1990).
 */
export async function fitLatentSemantic(
  chunks: Iterable<FitChunk>,
  { signal, onProgress, ...options }: FitRunOptions = {},
): Promise<CorpusFit> {
  const steps = latentSemanticSteps(chunks, options);
  for (;;) {
    throwIfAborted(signal, "The fit");
    const step = steps.next();
    if (step.done === true) return step.value;
    onProgress?.(step.value);
    await nextTurn();
  }
}

/**
 * {@link fitLatentSemantic} in slices, for a caller with its own thread or schedule.
 *
 * **Shape** yields the share that is done, from 0 to 1; returns the model.
 */
export function* latentSemanticSteps(
  chunks: Iterable<FitChunk>,
  options: FitOptions = {},
): Generator<number, CorpusFit> {
  checkOptions("fitLatentSemantic", options, { dimensions: true });
  const { dimensions = defaultDimensions } = options;
  if (!Number.isSafeInteger(dimensions) || dimensions < 1 || dimensions > 1024) {
    throw new IbidError(
      "invalid-argument",
      `fitLatentSemantic: dimensions must be a whole number from 1 to 1024, not ${String(dimensions)}.`,
      { hint: "128 serves most corpora." },
    );
  }
  const building = buildTermMatrix(chunks);
  let built = building.next();
  for (; built.done !== true; built = building.next()) yield 0;
  const { terms, weights, matrix } = built.value;

  const rank = Math.min(dimensions, Math.ceil(matrix.rows / chunksPerDimension));
  const factoring = truncateSvd(matrix, { rank });
  let factored = factoring.next();
  for (; factored.done !== true; factored = factoring.next()) yield factored.value * 0.9;
  const svd = factored.value;

  const named: FittedTerm[] = [];
  const digests: string[] = [];
  const block = new Float64Array(termsPerSlice * svd.rank);
  for (let from = 0; from < terms.length && svd.rank > 0; from += termsPerSlice) {
    const to = Math.min(terms.length, from + termsPerSlice);
    svd.rightVectors(from, to, block);
    const rounded: FittedTerm[] = [];
    for (let column = from; column < to; column++) {
      const at = (column - from) * svd.rank;
      const row = roundTerm(block.subarray(at, at + svd.rank), weights[column]!);
      if (row !== undefined) rounded.push({ term: terms[column]!, ...row });
    }
    named.push(...rounded);
    digests.push(digestTerms(rounded, svd.rank));
    yield 0.9 + 0.1 * (to / terms.length);
  }
  let captured = 0;
  for (const value of svd.values) captured += value * value;
  let whole = 0;
  for (const value of matrix.values) whole += value * value;
  return {
    fingerprint: hashParts(`latent-semantic/${latentSemanticVersion}/${svd.rank}`, ...digests),
    dimensions: named.length === 0 ? 0 : svd.rank,
    chunks: matrix.rows,
    energy: whole > 0 ? Math.min(1, captured / whole) : 0,
    terms: named,
  };
}

/** The nearest whole numbers on the finest scale that holds the largest of them; nothing for a row of nothing. */
function roundTerm(values: Float64Array, weight: number): TermRow | undefined {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  const scale = Math.fround(most / largest);
  if (scale === 0 || weight === 0) return undefined;
  const row = new Int8Array(values.length);
  for (let d = 0; d < row.length; d++) row[d] = Math.round(values[d]! / scale);
  return { row, scale, weight };
}

/** **Shape** for each term: its name's length, its name, weight, scale, row; numbers as little-endian 32-bit floats. */
function digestTerms(terms: readonly FittedTerm[], dimensions: number): string {
  const bytes = new Uint8Array(terms.length * (8 + dimensions));
  const view = new DataView(bytes.buffer);
  terms.forEach(({ row, scale, weight }, i) => {
    const at = i * (8 + dimensions);
    view.setFloat32(at, weight, true);
    view.setFloat32(at + 4, scale, true);
    bytes.set(new Uint8Array(row.buffer, row.byteOffset, row.length), at + 8);
  });
  return hashParts(...terms.map(({ term }) => term), sha256(bytes));
}

/** A task of its own, so that whatever else waits gets its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}
