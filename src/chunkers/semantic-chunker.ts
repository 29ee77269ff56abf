import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, LengthFunction } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { Embedding, SparseVector, Vector } from "../contracts/embedding.ts";
import type { EmbeddingModel } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import type { Span } from "../text/sentences.ts";
import { checkSizes, checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { findSentences } from "./document-sentences.ts";
import { gatherSpans } from "./gather-spans.ts";
import { createMeasure } from "./measure.ts";
import { dot, norm } from "../runtime/dot.ts";
import { sparseDot, sparseNorm, type SparseRow } from "../runtime/sparse.ts";

/**
 * Options of a semantic chunker: the model, the threshold of a change, and sizes.
 *
 * @experimental
 */
export interface SemanticChunkerOptions {
  /** Embedding model that measures the distance between two stretches of text. */
  readonly model: EmbeddingModel;
  /** Hard limit of a chunk, overlap included. Default 1500. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of neighbouring chunks, where the size ended the first one and not the meaning. Default 0. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Size below which a chunk continues across any change. Default: an eighth of `maxSize`. **Units** as `length` counts. */
  readonly minSize?: number | undefined;
  /** The share of distances, in percent, above which one is a break. Default 95. */
  readonly percentile?: number | undefined;
  /** How many sentences on each side are embedded with a sentence, for one by itself says little. Default 1. */
  readonly neighbours?: number | undefined;
  /** Default `characters`. */
  readonly length?: LengthFunction | undefined;
}

const version = 1;

/** Windows in one call of a model that does not say how many it takes. */
const batchSize = 96;

/** Longest part of a window that is embedded: more than most models read. **Units** UTF-16. */
const windowLimit = 8192;

/**
 * Cuts a document where an embedding model sees its meaning change.
 *
 * **Shape** sentences, each with its neighbours, are embedded. A chunk ends where the cosine distance to the next one exceeds a percentile of all distances of the document.
 * Chunks are whole sentences within the size, as {@link createSentenceChunker} makes them; a row of a table and a line of code count as one. The
 * same model gives the same chunks.
 * **Errors** `invalid-argument` at construction for impossible sizes, percentiles and unknown options; `unsupported-input` for a document without text; `embedding-failed` around
 * errors of the model; `invalid-response` for an invalid result; `aborted`.
 * **Cost** each sentence is embedded once as a window, before the first chunk comes; vectors are not kept.
 * **Source** G. Kamradt, "5 Levels of Text Splitting" (2024), level 4, as Smith and Troynikov measure it ("Evaluating Chunking Strategies for Retrieval", Chroma 2024). Percentiles
 * are interpolated. The limits of size are ibid's.
 * @experimental
 * @example openKnowledgeBase("./kb", { chunker: createSemanticChunker({ model: fromAiSdkEmbeddingModel(embedder) }) })
 */
export function createSemanticChunker(options: SemanticChunkerOptions): AsyncChunker {
  checkGiven("createSemanticChunker", "options", options, "object");
  const known = {
    model: true,
    maxSize: true,
    overlap: true,
    minSize: true,
    percentile: true,
    neighbours: true,
    length: true,
  } as const;
  checkOptions("createSemanticChunker", options, known);
  const { model, maxSize = 1500, overlap = 0, percentile = 95, neighbours = 1, length = characters } = options;
  const minSize = options.minSize ?? maxSize >> 3;
  checkSizes("createSemanticChunker", maxSize, overlap, length);
  checkNumber("minSize", minSize, 0, maxSize);
  checkNumber("neighbours", neighbours, 0, 16);
  checkNumber("percentile", percentile, 0, 100);
  if (typeof model?.embed !== "function") {
    throw new IbidError("invalid-argument", "createSemanticChunker needs an embedding model.", {
      hint: "Give it as `model`; one of the AI SDK through fromAiSdkEmbeddingModel.",
    });
  }
  const { provider, model: name, fingerprint = "" } = model;
  const settings = [
    version,
    provider,
    name,
    fingerprint,
    maxSize,
    overlap,
    minSize,
    percentile,
    neighbours,
    lengthKey(length),
  ];

  async function* chunk(document: TextDocument, signal: AbortSignal | undefined): AsyncGenerator<Chunk, undefined> {
    const { text } = document;
    const makeChunk = createChunkFactory(document);
    const sentences = [...findSentences(document)];
    const distances = await measureDistances(model, windowsOf(text, sentences, neighbours), signal);
    const threshold = percentileOf(distances, percentile);
    const measure = createMeasure(text, length);
    const pieces = gatherSpans(text, sentences, measure, {
      maxSize,
      overlap,
      breaksBefore: (sentence, start, end) =>
        (distances[sentence - 1] ?? 0) > threshold && measure.of(start, end) >= minSize,
    });
    for (const { start, end } of pieces) yield makeChunk(start, end);
  }

  return {
    fingerprint: JSON.stringify(["semantic", ...settings]),
    chunk: (document, { signal } = {}) => {
      checkTextDocument(document);
      return { [Symbol.asyncIterator]: () => chunk(document, signal) };
    },
  };
}

function checkNumber(option: string, value: number, least: number, most: number): void {
  if (
    Number.isFinite(value) &&
    value >= least &&
    value <= most &&
    (option === "percentile" || Number.isInteger(value))
  ) {
    return;
  }
  throw new IbidError(
    "invalid-argument",
    `createSemanticChunker: ${option} must be from ${least} to ${most}, not ${String(value)}.`,
    { hint: `Leave ${option} out for the default.`, details: { [option]: value } },
  );
}

function windowsOf(text: string, sentences: readonly Span[], neighbours: number): readonly string[] {
  return sentences.map((_, index) => {
    const first = sentences[Math.max(0, index - neighbours)]!;
    const last = sentences[Math.min(sentences.length - 1, index + neighbours)]!;
    return text.slice(first.start, Math.min(last.end, first.start + windowLimit));
  });
}

/** The distance from each window to the next. **Shape** one less than windows. */
async function measureDistances(
  model: EmbeddingModel,
  windows: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const distances: number[] = [];
  if (windows.length < 2) return distances;
  const size = Math.max(1, Math.min(model.maxBatchSize ?? batchSize, batchSize));
  let before: Embedding | undefined;
  for (let from = 0; from < windows.length; from += size) {
    throwIfAborted(signal, "The semantic chunking");
    for (const embedding of await embed(model, windows.slice(from, from + size), signal)) {
      if (before !== undefined) distances.push(checkedDistance(model, before, embedding));
      before = embedding;
    }
  }
  return distances;
}

async function embed(
  model: EmbeddingModel,
  inputs: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Embedding[]> {
  const options = { purpose: "document" as const, ...(signal === undefined ? {} : { signal }) };
  const { embeddings } = await model.embed(inputs, options).catch((cause: unknown) => {
    if (IbidError.isInstance(cause)) throw cause;
    throwIfAborted(signal, "The semantic chunking", { cause });
    throw new IbidError("embedding-failed", `The model ${model.provider}/${model.model} failed to embed sentences.`, {
      hint: "Look at the cause.",
      cause,
    });
  });
  if (embeddings.length === inputs.length) return embeddings;
  throw new IbidError(
    "invalid-response",
    `The model ${model.provider}/${model.model} returned another number of embeddings than sentences.`,
    {
      details: { expected: inputs.length, got: embeddings.length },
    },
  );
}

function checkedDistance({ provider, model }: EmbeddingModel, a: Embedding, b: Embedding): number {
  const distance = cosineDistance(a, b);
  if (!Number.isNaN(distance)) return distance;
  throw new IbidError(
    "invalid-response",
    `The model ${provider}/${model} returned embeddings that cannot be compared.`,
    {
      hint: "Use a model whose embeddings have one dimension and finite values.",
    },
  );
}

/** **Source** linear interpolation between order statistics (R's type 7, NumPy's default). */
function percentileOf(values: readonly number[], percentile: number): number {
  if (values.length === 0) return Infinity;
  const sorted = values.toSorted((a, b) => a - b);
  const position = ((sorted.length - 1) * percentile) / 100;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position - Math.floor(position));
}

const isSparse = (embedding: Embedding): embedding is SparseVector => "indices" in embedding;
const denseOf = (embedding: Embedding): Vector => ("dense" in embedding ? embedding.dense : (embedding as Vector));
const rowOf = ({ indices, values }: SparseVector): SparseRow => ({
  indices: Uint32Array.from(indices),
  values: Float32Array.from(values),
  start: 0,
  end: values.length,
});

/**
 * Distance in meaning between two texts: one minus their cosine.
 *
 * **Shape** from 0 to 2; 1 where one has no direction; NaN for embeddings of different kinds or dimensions, or with NaN. Hybrid embeddings compare by their dense part.
 */
function cosineDistance(a: Embedding, b: Embedding): number {
  if (isSparse(a) || isSparse(b)) {
    if (!isSparse(a) || !isSparse(b)) return Number.NaN;
    const [left, right] = [rowOf(a), rowOf(b)];
    return distance(sparseDot(left, right), sparseNorm(left) * sparseNorm(right));
  }
  const [left, right] = [Float32Array.from(denseOf(a)), Float32Array.from(denseOf(b))];
  if (left.length !== right.length) return Number.NaN;
  return distance(dot(left, 0, right, 0, left.length), norm(left, 0, left.length) * norm(right, 0, right.length));
}

const distance = (product: number, lengths: number): number => (lengths === 0 ? 1 : 1 - product / lengths);
