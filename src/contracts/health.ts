/**
 * How long something took, over the window. All are 0 when nothing was measured. **Units** milliseconds.
 *
 * @experimental
 */
export interface LatencySummary {
  readonly count: number;
  readonly mean: number;
  /** Nearest rank: the smallest measurement that at least 95 of 100 do not exceed. */
  readonly p95: number;
  readonly max: number;
}

/**
 * How a knowledge base has fared in the last minute.
 *
 * **Source** ToolUp `/health/rag`: embedding latency, queue depth, flush latency, and searches by their outcome.
 *
 * @experimental
 */
export interface Health {
  /** **Units** milliseconds since 1970. */
  readonly at: number;
  /** **Units** milliseconds: 60,000. */
  readonly windowMs: number;
  readonly retrieval: LatencySummary & {
    /** Searches with at least one hit that is evidence. */
    readonly hits: number;
    /** Searches whose hits are all no evidence. */
    readonly misses: number;
    /** Searches that found nothing at all. */
    readonly empty: number;
  };
  /** Calls that asked the model for something. */
  readonly embedding: LatencySummary & {
    /** Texts that needed no request, over all; 0 when there were none. */
    readonly cacheHitRate: number;
  };
  /** Writes of a document, until it was safe. */
  readonly flush: LatencySummary;
  readonly queue: {
    /** The latest that is known within the window, else 0. */
    readonly depth: number;
    /** Jobs that were refused because the queue was full. */
    readonly rejected: number;
  };
  readonly ingestion: {
    /** Chunks that can be found since. */
    readonly indexed: number;
    /** Documents that could not be taken in. */
    readonly failed: number;
    readonly reembedded: number;
    readonly reembedFailed: number;
  };
}

/**
 * Whose minute is wanted.
 *
 * @experimental
 */
export interface HealthOptions {
  /** Covers every process that has the knowledge base open, from its event store. Default false: this process alone. */
  readonly everywhere?: boolean | undefined;
}
