import type { Origin, PlaceLabels } from "./document.ts";
import type { Embedding, EmbeddingVersion } from "./embedding.ts";
import type { Metadata } from "./metadata.ts";

/**
 * The smallest unit of search and citation: a slice of one document.
 *
 * **Shape** `document.text.slice(start, end) === urtext`. `text` is embedded and searched. It equals `urtext`
 * until a {@link ChunkTransformer} writes a title or context around it.
 * **Units** UTF-16 code units, half open.
 * **Source** Ballerina `TextChunk`, Embabel `Chunk` with its `urtext`, Wesichain `Document`.
 */
export interface Chunk extends PlaceLabels {
  readonly type: "text-chunk";
  /** Hash of (document id, urtext, occurrence number), unless the caller gave one. Never blank. */
  readonly id: string;
  readonly documentId: string;
  readonly uri: string;
  readonly title: string;
  readonly text: string;
  readonly urtext: string;
  readonly start: number;
  readonly end: number;
  /** Position among the document's chunks, from 0, in order of `start`. */
  readonly index: number;
  /** The innermost section that holds the whole chunk. */
  readonly sectionId: string;
  /** Titles of that section and those around it, outermost first; the root is left out. */
  readonly headings: readonly string[];
  /** True for a section that has children and is not the root (a container, not a leaf). */
  readonly isInContainer?: true;
  /** Language of the document as a BCP 47 tag such as `en`. Absent when unknown. */
  readonly language?: string;
  /** The document's metadata, and what chunker and transformers added; the latter win. */
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** A vector that came with the chunk: checked, then used as it is. */
  readonly embedding?: Embedding;
  /** Version of that vector, where the caller named one. Default: that of the knowledge base's model. */
  readonly embeddingVersion?: EmbeddingVersion;
}

/**
 * Place of a chunk in its document. Every chunk that leaves a knowledge base has one.
 *
 * **Shape** the container is the innermost section around the chunk that has children; the leaf is the one without. The root is neither; a missing section leaves its
 * keys absent. `structureKeys` of `ibid/compat` has them under Embabel's names. **Source** Embabel's structure keys.
 *
 * @experimental
 */
export interface ChunkStructure {
  /** From 0, in order of `start`. */
  readonly chunkIndex: number;
  readonly sequenceNumber: number;
  /** Chunks of the document when it was looked at. Absent where the store does not count them. */
  readonly totalChunks?: number;
  readonly rootDocumentId: string;
  readonly rootDocumentTitle: string;
  readonly containerSectionId?: string;
  readonly containerSectionTitle?: string;
  readonly containerSectionUrl?: string;
  readonly leafSectionId?: string;
  readonly leafSectionTitle?: string;
  readonly leafSectionUrl?: string;
}
