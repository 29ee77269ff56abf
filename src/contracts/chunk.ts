import type { Origin, PlaceLabels } from "./document.ts";
import type { Embedding } from "./embedding.ts";
import type { Metadata } from "./metadata.ts";

/**
 * The smallest thing that can be found and cited: a stretch of one document.
 *
 * **Shape** `document.text.slice(start, end) === urtext`. `text` is what is embedded and searched; it equals `urtext`
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
  /** Whether that section has sections below it, and is not the root: a container, not a leaf. */
  readonly isInContainer?: true;
  /** What the document is written in, as a BCP 47 language such as `en`. Absent when nobody knows. */
  readonly language?: string;
  /** The document's metadata, and what chunker and transformers added; the latter win. */
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** A vector that came with the chunk: taken as it is, checked, never computed again. */
  readonly embedding?: Embedding;
}

/**
 * Where a chunk stands in its document, in the words of the seed. On every chunk that leaves a knowledge base.
 *
 * **Shape** the container is the innermost section around the chunk that has sections below it, the leaf the one without; the root is neither, and where there
 * is none, its keys are absent. **Source** Embabel's structure keys.
 */
export interface ChunkStructure {
  /** From 0, in order of `start`. */
  readonly chunk_index: number;
  readonly sequence_number: number;
  /** Chunks of the document when it was looked at. Absent where the store does not count them. */
  readonly total_chunks?: number;
  readonly root_document_id: string;
  readonly root_document_title: string;
  readonly container_section_id?: string;
  readonly container_section_title?: string;
  readonly container_section_url?: string;
  readonly leaf_section_id?: string;
  readonly leaf_section_title?: string;
  readonly leaf_section_url?: string;
}
