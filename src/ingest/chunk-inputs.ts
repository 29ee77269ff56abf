import { checkChunkIds } from "../chunkers/check-chunk-ids.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Origin, TextDocument } from "../contracts/document.ts";
import { type Embedding, kindOf, type SparseVector, type Vector, type VersionName } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { ChunkInput, ChunksInput, InvalidChunk, TextInput } from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Scope } from "../contracts/scope.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { hashParts } from "../runtime/hash.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { composedMediaType, joinParts, sectionsOf, sharedMetadata } from "../text/compose-chunks.ts";
import { createChunkFactory } from "../chunkers/create-chunk.ts";
import { placeLabels } from "../text/place-labels.ts";
import { namedLanguage } from "./find-language.ts";
import type { Span } from "../text/sentences.ts";
import type { Arrival, ChunksContent, PlacedChunk, Seen } from "./arrival.ts";
import { type GivenLengths, readVersionName, unnamedVersion } from "./given-version.ts";
import { checkEmbedding, dimensionsOf } from "../models/embedder/check-embedding.ts";
import { checkKind } from "../stores/compose/check-entries.ts";
import { fingerprintPipeline } from "./fingerprint.ts";
import type { IngestStages } from "./stages.ts";
import { hashBytes, hashMetadata } from "./prepare-document.ts";

const inputNames = { uri: true, title: true, text: true, chunks: true, metadata: true } as const;
const chunkNames = {
  text: true,
  urtext: true,
  id: true,
  headings: true,
  language: true,
  metadata: true,
  embedding: true,
  embeddingVersion: true,
  start: true,
  end: true,
  page: true,
  lastPage: true,
  line: true,
  slide: true,
  time: true,
  sheet: true,
  cells: true,
  part: true,
} as const;

type Taken = Omit<PlacedChunk, keyof Span> & Pick<ChunkInput, keyof Span>;

/**
 * Makes an arrival of chunks that were cut elsewhere. Without a text of their own, they are joined in order, with a blank line between two.
 *
 * **Errors** `invalid-argument`, naming the chunk and the field, for a wrong shape and for a chunk that is not the slice that it says; `invalid-id`.
 */
export function readChunksInput(input: ChunksInput, mediaType?: string): Arrival {
  checkOptions("Chunks to ingest", input, inputNames);
  const { uri, title = "", text, chunks } = input;
  const where = uri === undefined ? "Chunks to ingest" : `Chunks of ${uri}`;
  for (const [name, value] of [["uri", uri] as const, ["title", title] as const, ["text", text] as const])
    if (value !== undefined && typeof value !== "string") throw wrong(where, name, value, "a string");
  const metadata = toMetadata(input.metadata, where);
  const taken = chunks.map((chunk, i) => takeChunk(chunk, where, i));
  return arrivalOf({ uri, title, text, taken, metadata, where, mediaType });
}

/** Makes an arrival of a text that brings its own vector: one chunk. **Errors** as {@link readChunksInput}. */
export function readEmbeddedText(input: TextInput): Arrival {
  const { uri, text, title = "", metadata, embedding, embeddingVersion, mediaType } = input;
  const chunk: ChunkInput = { text, start: 0, end: text.length, embedding, embeddingVersion };
  return readChunksInput({ uri, title, text, chunks: [chunk], metadata }, mediaType);
}

/** Makes arrivals of complete chunks, one for each document that they name. **Errors** as {@link readChunksInput}. */
export function readChunkList(chunks: readonly Chunk[]): readonly Arrival[] {
  checkChunkIds(chunks);
  return [...Map.groupBy(chunks, ({ documentId }) => documentId)].map(([id, own]) => {
    const [{ uri, title, origin }] = own as [Chunk];
    const where = `Chunks of ${uri || id}`;
    const ordered = own.toSorted((a, b) => a.start - b.start || a.index - b.index);
    const taken = ordered.map((chunk, i): Taken => ({
      ...takeChunk(chunk, where, i),
      title: chunk.title,
      origin: chunk.origin,
    }));
    return arrivalOf({ uri, title, text: undefined, taken, metadata: {}, where, id, origin });
  });
}

interface Given extends Pick<ChunksContent, "id" | "origin"> {
  /** Default: that of plain text, or of chunks that were joined. */
  readonly mediaType?: string | undefined;
  readonly uri: string | undefined;
  readonly title: string;
  readonly text: string | undefined;
  readonly taken: readonly Taken[];
  readonly metadata: Arrival["metadata"];
  readonly where: string;
}

function arrivalOf({ uri, title, text: given, taken, metadata, where, id, origin, mediaType: said }: Given): Arrival {
  if (taken.length === 0) throw wrong(where, "chunks", taken, "a list of one chunk or more");
  const slices = taken.map(({ urtext, text }) => urtext ?? text);
  const { text, places } = given === undefined ? joinParts(slices) : checkPlaces(given, taken, slices, where);
  const chunks = taken
    .map((chunk, given): PlacedChunk => ({
      ...chunk,
      ...places[given]!,
      ...(chunk.embedding || chunk.fault ? { given } : {}),
    }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  const named = uri?.trim() ? uri : `chunks:${hashParts(...taken.map((chunk, i) => chunk.id ?? slices[i]!))}`;
  const root = sectionsOf(
    text,
    title,
    chunks.map(({ start, end, headings = [] }) => ({ start, end, headings })),
  );
  const mediaType = said ?? (given === undefined ? composedMediaType : "text/plain");
  return {
    uri: named,
    title,
    metadata: { ...sharedMetadata(chunks.map((chunk) => chunk.metadata)), ...metadata },
    folder: null,
    content: { kind: "chunks", id, title, mediaType, text, root, chunks, origin },
  };
}

function checkPlaces(
  text: string,
  taken: readonly Taken[],
  slices: readonly string[],
  where: string,
): ReturnType<typeof joinParts> {
  const places = taken.map(({ start, end }, i) => {
    const at = `${where}: chunks[${i}]`;
    if (!Number.isSafeInteger(start) || start! < 0) throw wrong(at, "start", start, "a whole number from 0");
    if (!Number.isSafeInteger(end) || end! < start! || end! > text.length)
      throw wrong(at, "end", end, `a whole number from start to ${text.length}, the length of the text`);
    if (text.slice(start, end) !== slices[i]) {
      throw new IbidError("invalid-argument", `${at} is not the text from start ${start} to end ${end}.`, {
        hint: "Positions count UTF-16 code units; a chunk with more than the slice in `text` has the slice in `urtext`.",
        details: { field: "start", index: i },
      });
    }
    return { start: start!, end: end! };
  });
  return { text, places };
}

/** A chunk as it is given, checked field by field. */
function takeChunk(given: ChunkInput & { readonly type?: string }, document: string, index: number): Taken {
  const where = `${document}: chunks[${index}]`;
  if (typeof given !== "object" || given === null) throw wrong(where, "chunk", given, "an object with a text");
  if (given.type !== "text-chunk") checkOptions<ChunkInput, typeof chunkNames>(where, given, chunkNames);
  const { text, urtext, id, headings, language, embedding, start, end } = given;
  for (const [name, value] of [["text", text] as const, ["urtext", urtext ?? ""] as const])
    if (typeof value !== "string") throw wrong(where, name, value, "a string");
  if (language !== undefined && typeof language !== "string") throw wrong(where, "language", language, "a string");
  const isHeadings =
    headings === undefined || (Array.isArray(headings) && headings.every((h) => typeof h === "string"));
  if (!isHeadings) throw wrong(where, "headings", headings, "a list of strings");
  if (given.time !== undefined && !isTimeSpan(given.time))
    throw wrong(where, "time", given.time, "{ start, end } in seconds, with 0 <= start <= end");
  if (id !== undefined) checkChunkIds([{ id, uri: where }], index);
  return {
    text,
    metadata: toMetadata(given.metadata, where),
    ...placeLabels(given),
    ...(urtext !== undefined && { urtext }),
    ...(id !== undefined && { id }),
    ...(headings !== undefined && { headings: [...headings] }),
    ...(language !== undefined && { language }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(embedding !== undefined &&
      takeVector(embedding, given.embeddingVersion, id === undefined ? where : `${where} (${id})`)),
  };
}

function isTimeSpan(given: unknown): boolean {
  const { start, end } = (given ?? {}) as { readonly start?: unknown; readonly end?: unknown };
  return typeof start === "number" && typeof end === "number" && start >= 0 && start <= end && end < Infinity;
}

/** A vector with the version that its caller names. A fault is kept for the ingestion, whose option says what follows from it. */
function takeVector(
  given: unknown,
  name: VersionName | undefined,
  where: string,
): Pick<Taken, "embedding" | "embeddingVersion" | "fault"> {
  try {
    const embedding = readEmbedding(given, where);
    const dimensions = dimensionsOf(embedding) ?? 0;
    const version = name === undefined ? undefined : readVersionName(name, dimensions, where);
    checkEmbedding(embedding, version ?? { dimensions }, `${where}: embedding`);
    return { embedding, ...(version && { embeddingVersion: version }) };
  } catch (fault) {
    if (!IbidError.isInstance(fault)) throw fault;
    return { fault };
  }
}

/** A vector as it is given, or as JSON wrote it: an object with the positions as keys is what it makes of a `Float32Array`. */
function readEmbedding(given: unknown, where: string): Embedding {
  const vector = (value: unknown): Vector => {
    if (Array.isArray(value) || value instanceof Float32Array || value instanceof Int8Array) return value as Vector;
    if (value instanceof Float64Array) return Array.from(value);
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (entries.length > 0 && entries.every(([key], i) => key === String(i)))
      return entries.map(([, each]) => each as number);
    throw wrong(where, "embedding", value, "a list of numbers, a sparse vector or a hybrid one");
  };
  const sparse = ({ indices, values }: SparseVector): SparseVector => ({
    indices: indices instanceof Uint32Array ? indices : (vector(indices) as readonly number[]),
    values: vector(values),
  });
  if (typeof given !== "object" || given === null) return vector(given);
  if ("dense" in given) {
    const { dense, sparse: other } = given as { readonly dense: unknown; readonly sparse: SparseVector };
    return { dense: vector(dense), sparse: sparse(other) };
  }
  return "indices" in given ? sparse(given as SparseVector) : vector(given);
}

/** The options of an ingestion that chunks follow. */
interface ChunksJob {
  readonly onInvalid?: "error" | "skip" | undefined;
  readonly scope: Scope;
  readonly metadata: Metadata;
  readonly origin: Origin;
}

/** Chunks that were cut elsewhere: neither read nor cut, nor transformed. */
export async function seeChunks(
  { stages, job, lengths }: { readonly stages: IngestStages; readonly job: ChunksJob; readonly lengths: GivenLengths },
  arrival: Arrival,
  asked: ChunksContent,
): Promise<Seen> {
  const { kept: content, invalid } = await checkVectors(stages, job, lengths, asked);
  const { uri, folder: _, ...given } = arrival;
  const { id: own, title, mediaType, text, root } = content;
  const origin = content.origin ?? job.origin;
  const metadata = { ...given.metadata, ...job.metadata };
  const pipeline = { ...stages, readers: [], chunker: asGiven, transformers: [], limits: undefined };
  const bytes = new TextEncoder().encode(text);
  return {
    ...(invalid.length > 0 && { invalid }),
    contentHash: hashParts(await hashBytes(bytes), JSON.stringify([title, root, content.chunks], plainNumbers)),
    metadataHash: hashMetadata(metadata, origin),
    bytes: bytes.byteLength,
    mediaType,
    fingerprint: (type) => fingerprintPipeline(pipeline, type),
    read: (id) =>
      Promise.resolve({
        document: {
          type: "text",
          id: id || (own ?? hashParts(job.scope, uri)),
          uri,
          title,
          mediaType,
          text,
          metadata,
          origin,
          root,
          sourceMap: { lines: mediaType === composedMediaType ? "none" : "text" },
        },
        chunks: (document) =>
          completeChunks(document, content).map((chunk) => ({
            ...chunk,
            metadata: { ...chunk.metadata, ...job.metadata },
          })),
      }),
  };
}

/**
 * Settles the version of each given vector, and leaves out chunks whose vector is invalid, where that is asked for.
 *
 * **Errors** the fault of the first invalid vector, naming its chunk; `dimension-mismatch`.
 */
async function checkVectors(
  { embedder, store }: IngestStages,
  { onInvalid = "error" }: ChunksJob,
  lengths: GivenLengths,
  content: ChunksContent,
): Promise<{ readonly kept: ChunksContent; readonly invalid: readonly InvalidChunk[] }> {
  const invalid: InvalidChunk[] = [];
  const chunks: PlacedChunk[] = [];
  for (const chunk of content.chunks) {
    const { fault: found, given, ...rest } = chunk;
    const where = `chunks[${given}]${chunk.id === undefined ? "" : ` (${chunk.id})`}`;
    const fault = found ?? (await settle(rest, where));
    if (fault === undefined) continue;
    if (onInvalid === "error") throw fault;
    invalid.push({ index: given ?? 0, ...(chunk.id !== undefined && { id: chunk.id }), error: fault });
  }
  return { kept: { ...content, chunks }, invalid };

  async function settle(chunk: PlacedChunk, where: string): Promise<IbidError | undefined> {
    const { embedding, embeddingVersion } = chunk;
    const policy = { name: store.name, embeddings: store.capabilities.embeddings };
    // Its kind first: where the store keeps none of it, no other version would help.
    const refused = embedding && faultOf(() => checkKind(kindOf(embedding), policy, where));
    if (refused !== undefined) return refused;
    if (embedding === undefined || (embeddingVersion === undefined && embedder !== undefined)) {
      const dimensions = embedder?.version?.dimensions;
      const fault = faultOf(() => {
        if (embedding !== undefined && dimensions !== undefined) checkEmbedding(embedding, { dimensions }, where);
      });
      if (fault === undefined) chunks.push(chunk);
      return fault;
    }
    const got = dimensionsOf(embedding) ?? 0;
    const version = embeddingVersion ?? readVersionName(unnamedVersion, got, where);
    const expected = await lengths.expect(version);
    if (expected !== got) {
      return new IbidError(
        "dimension-mismatch",
        `dimension mismatch: expected ${sizeOf(expected)}, got ${sizeOf(got)}`,
        {
          hint: `Vectors of ${version.provider}/${version.model} have one length (${where}); give others another embeddingVersion.`,
          details: { expected, got, where },
        },
      );
    }
    chunks.push({ ...chunk, embeddingVersion: version });
    return undefined;
  }
}

/** The error of a check, as a value. */
function faultOf(check: () => void): IbidError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
    throw error;
  }
}

/** A sparse vector has no number of dimensions, and its version has 0. */
const sizeOf = (dimensions: number): string => (dimensions === 0 ? "a sparse vector" : `${dimensions}`);

/** Stands for the chunker where there is none. */
const asGiven = { fingerprint: "as given", chunk: () => [] };

const plainNumbers = (_key: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value;

/** The chunks of a document that were cut elsewhere, complete. */
function completeChunks(document: TextDocument, { chunks }: ChunksContent): readonly Chunk[] {
  const create = createChunkFactory(document);
  return chunks.map((given): Chunk => {
    const { start, end, text, id, headings, embedding, embeddingVersion, metadata, title, origin } = given;
    const language = namedLanguage(given.language, metadata);
    const made = create(start, end, text);
    return {
      ...made,
      ...placeLabels(given),
      ...(id !== undefined && { id }),
      ...(title !== undefined && { title }),
      ...(headings !== undefined && { headings }),
      ...(language !== "" && { language }),
      ...(embedding !== undefined && { embedding }),
      ...(embeddingVersion !== undefined && { embeddingVersion }),
      ...(origin !== undefined && { origin }),
      metadata: { ...made.metadata, ...metadata },
    };
  });
}

function wrong(where: string, field: string, value: unknown, expected: string): IbidError {
  const shown = typeof value === "string" ? JSON.stringify(value) : Array.isArray(value) ? "a list" : String(value);
  return new IbidError("invalid-argument", `${where}: ${field} is ${shown}; it must be ${expected}.`, {
    hint: "Give { uri, chunks: [{ text }] }, or { uri, text, chunks: [{ text, start, end }] }.",
    details: { field },
  });
}
