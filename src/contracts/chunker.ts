import type { Chunk } from "./chunk.ts";
import type { TextDocument } from "./document.ts";

/**
 * How long a text is, in the unit of a size: characters, heuristic tokens, real tokens.
 *
 * **Shape** `length("") === 0`, and never longer than the sum of the parts plus one. **Source** ToolUp `ITokenCounter`.
 */
export interface LengthFunction {
  /** In the pipeline fingerprint where `countInPieces` or we gave it; a build may rename any other, which is told there by what it counts of a few texts. */
  readonly name: string;
  (text: string): number;
}

/**
 * Cuts a document, lazily.
 *
 * **Shape** chunks in order of `start`; law 1: each `urtext` is the slice it says, and together they cover every character of the document
 * that is not white space. Ids are unique within the document: a repeated paragraph stays two chunks.
 * **Errors** `invalid-argument` at construction for sizes that cannot be kept (size below 1, overlap not below size).
 * **Source** Embabel `ContentChunker`, Ballerina `Chunker`.
 */
export interface Chunker {
  /** Name and every setting: part of the pipeline fingerprint. */
  readonly fingerprint: string;
  chunk(document: TextDocument, options?: ChunkOptions): Iterable<Chunk>;
}

/**
 * A chunker that has to ask somebody where to cut, such as an embedding model. In all else it is a {@link Chunker}.
 *
 * **Errors** as {@link Chunker}; what it asks may fail, and then that is thrown; `aborted`.
 */
export interface AsyncChunker {
  readonly fingerprint: string;
  chunk(document: TextDocument, options?: ChunkOptions): AsyncIterable<Chunk>;
}

/** What one run of a chunker can be told. */
export interface ChunkOptions {
  /** Heeded by chunkers that wait for somebody. */
  readonly signal?: AbortSignal;
}

/** What a transformer may look at beside the chunk. */
export interface TransformContext {
  readonly document: TextDocument;
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
