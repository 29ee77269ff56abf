import type { SegmentStoreOptions } from "../segments/segment-core.ts";

/** Choices of a store that can be sent to another thread. */
export interface SentOptions extends Pick<SegmentStoreOptions, "bm25" | "embeddings" | "metric" | "policy"> {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Snowball's stemmers are loaded where they are used. */
  readonly analyzer: "default" | "languages";
  /** Least chunks of the store's own model; `undefined` without one. */
  readonly leastChunks: number | undefined;
}
