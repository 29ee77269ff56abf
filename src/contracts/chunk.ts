import type { Origin, PlaceLabels } from "./document.ts";
import type { Embedding } from "./embedding.ts";
import type { Metadata } from "./metadata.ts";

/**
 * The smallest thing that can be found and cited: a stretch of one document.
 *
 * **Shape** `document.text.slice(start, end) === urtext` (law 1). `text` is what is embedded and searched; it equals `urtext`
 * until a {@link ChunkTransformer} writes a title or context around it.
 * **Units** UTF-16 code units, half open.
 * **Source** Ballerina `TextChunk` (B7, B8, B10), Embabel `Chunk` with its `urtext` (E11, E12), Wesichain `Document` (W5).
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
  /** What the document is written in, as a BCP 47 language such as `en`. Absent when nobody knows. */
  readonly language?: string;
  /** The document's metadata, and what chunker and transformers added; the latter win. */
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** A vector that came with the chunk: taken as it is, checked, never computed again (W5). */
  readonly embedding?: Embedding;
}
