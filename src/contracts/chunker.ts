import type { Chunk } from "./chunk.ts";
import type { Section, TextDocument } from "./document.ts";
import type { MetadataInput } from "./metadata.ts";

/**
 * How long a text is, in the unit of a size: characters, heuristic tokens, real tokens.
 *
 * **Shape** `length("") === 0`, and never longer than the sum of the parts plus one. **Source** ToolUp `ITokenCounter`.
 *
 * @experimental
 */
export interface LengthFunction {
  /** Name in the pipeline fingerprint, used where ibid or `countInPieces` set it. A build may rename any other function, so the fingerprint samples its counts instead. */
  readonly name: string;
  (text: string): number;
}

/**
 * Cuts a document, lazily.
 *
 * **Shape** chunks in order of `start`. Each `urtext` is its slice; together the chunks cover every character of the document
 * that is not white space. Ids are unique within the document: a repeated paragraph stays two chunks.
 * **Errors** `invalid-argument` at construction for impossible sizes (size below 1, overlap not below size).
 * **Source** Embabel `ContentChunker`, Ballerina `Chunker`.
 */
export interface Chunker {
  /** Name and every setting: part of the pipeline fingerprint. */
  readonly fingerprint: string;
  chunk(document: TextDocument, options?: ChunkOptions): Iterable<Chunk>;
}

/**
 * A chunker that waits for a service, such as an embedding model; otherwise a {@link Chunker}.
 *
 * **Errors** as {@link Chunker}; a failure of the service is thrown; `aborted`.
 *
 * @experimental
 */
export interface AsyncChunker {
  readonly fingerprint: string;
  chunk(document: TextDocument, options?: ChunkOptions): AsyncIterable<Chunk>;
}

/**
 * Options of one run of a chunker.
 *
 * @experimental
 */
export interface ChunkOptions {
  /** Used by chunkers that wait for a service. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Context of a transformer beside the chunk.
 *
 * @experimental
 */
export interface TransformContext {
  readonly document: TextDocument;
  /** The innermost section that holds the whole chunk. Set for each chunk; a transformer that is called by itself may lack it. */
  readonly section?: Section;
  /** All chunks of the document, as they were cut, for a transformer that asks a model about many at once. */
  readonly chunks?: readonly Chunk[];
  readonly signal?: AbortSignal;
}

/**
 * Writes around a chunk before it is embedded: titles, context, metadata. `id`, `urtext`, `start` and `end` stay as they are; the core checks it.
 *
 * **Source** Embabel `ChunkTransformer`.
 */
export interface ChunkTransformer {
  /** Marks the chunk (`transform_<name>: true`) and enters the pipeline fingerprint. */
  readonly name: string;
  transform(chunk: Chunk, context: TransformContext): Chunk | Promise<Chunk>;
}

/**
 * A stretch of a document, as a custom chunker cuts it. Only `start` and `end` are required; ibid fills in the rest of the chunk.
 *
 * **Units** UTF-16 code units into `document.text`, half open.
 * @experimental
 */
export interface ChunkSpan {
  readonly start: number;
  readonly end: number;
  /** The words that are embedded and searched. Default: the slice. */
  readonly text?: string | undefined;
  /** Default: a hash of the document's id, the slice and its occurrence. */
  readonly id?: string | undefined;
  /** Default: titles of the sections around it. */
  readonly headings?: readonly string[] | undefined;
  /** Added to the document's; wins over it. */
  readonly metadata?: MetadataInput | undefined;
}

/**
 * Any chunker that `openKnowledgeBase` takes: a {@link Chunker}, or one that returns stretches alone.
 *
 * **Shape** stretches in order of `start`. **Errors** `invalid-response` for a wrong shape, naming chunker, field and value.
 * @experimental
 * @example { fingerprint: "pages/1", chunk: ({ text }) => [{ start: 0, end: text.length }] }
 */
export interface CustomChunker {
  /** Name and every setting: change it when the same document gives other chunks. */
  readonly fingerprint: string;
  chunk(
    document: TextDocument,
    options?: ChunkOptions,
  ): Iterable<ChunkSpan> | AsyncIterable<ChunkSpan> | Promise<Iterable<ChunkSpan>>;
}
