import type { Origin } from "./document.ts";
import type { EmbeddingVersion } from "./embedding.ts";
import type { Filter } from "./filter.ts";
import type { VectorMatch } from "./vector-store.ts";

/** What a latent search is asked. */
export interface LatentQuery {
  readonly text: string;
  readonly filter?: Filter;
  /** As in a `VectorQuery`. */
  readonly origins?: readonly Origin[];
  /** As in a `VectorQuery`. */
  readonly chunkIds?: readonly string[];
  readonly topK?: number | "all";
  /** Inclusive floor on `score`. */
  readonly minScore?: number;
}

/** The nearest chunks, and what they were compared in. */
export interface LatentResult {
  /** Best first, ties by chunk id then scope; `score` is the cosine. */
  readonly matches: readonly VectorMatch[];
  readonly version: EmbeddingVersion;
  /** Whether the space was fitted on the corpus; before that it sees how words are written. */
  readonly fitted: boolean;
  /** How much of the query the space captures, from 0 to 1. */
  readonly energy: number;
  /** What a score counts in an absolute fusion; see `TermVector`. */
  readonly weight: number;
}
