import { IbidError } from "../../contracts/errors.ts";
import type { JobFailure, JobResult, TakenJob } from "../../contracts/job-store.ts";
import type { IngestResult, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { summaryWithoutMissing } from "../missing-inputs.ts";
import { asIngestError } from "../as-ingest-error.ts";
import { toIngestion } from "./queued-input.ts";
import { isTransient } from "./retry-policy.ts";

/** The outcome of one attempt. */
export interface Attempt {
  readonly result: JobResult;
  /** The document's uri, where it was one. */
  readonly document?: string;
  /** Why not all of it came in. Among several, one that is worth another attempt. */
  readonly failure?: unknown;
  readonly isTransient: boolean;
  /** Whether the ingestion itself ended with the failure, rather than one of its documents. */
  readonly isThrown?: true;
}

/** The signal and the callbacks of an attempt while it goes on. */
export interface AttemptEvents {
  readonly signal: AbortSignal;
  readonly onResult: (result: IngestResult) => void;
  readonly onEmbedding: () => void;
}

/**
 * Ingests the input of a job, as the caller who enqueued it. The gate checks permission again, since it may have changed.
 *
 * **Shape** never rejects. Documents that came in beside others that were refused are counted; nothing but refusals is a failure.
 */
export async function attemptJob(kb: KnowledgeBase, job: TakenJob, events: AttemptEvents): Promise<Attempt> {
  const counts = { documents: 0, chunks: 0, failed: 0 };
  const uris = new Set<string>();
  let lasting: unknown;
  let passing: unknown;
  try {
    const { input, options } = toIngestion(job);
    const { signal, onEmbedding } = events;
    const view = job.caller === undefined ? kb : kb.as(job.caller);
    for await (const result of view.ingest(input, { ...options, signal, onEmbedding })) {
      events.onResult(result);
      if (result.status === "failed") {
        counts.failed++;
        if (isTransient(result.error)) passing ??= result.error;
        else lasting ??= result.error;
        continue;
      }
      counts.documents++;
      counts.chunks += result.chunks;
      if (uris.size < 2) uris.add(result.uri);
    }
  } catch (error) {
    // A path that is not there has its result.
    if (summaryWithoutMissing(error) === undefined)
      return { result: counts, failure: error, isTransient: isTransient(error), isThrown: true };
  }
  const [document] = uris;
  const facts = { result: counts, ...(uris.size === 1 && document !== undefined && { document }) };
  if (passing !== undefined) return { ...facts, failure: passing, isTransient: true };
  return { ...facts, ...(lasting !== undefined && { failure: lasting }), isTransient: false };
}

/** An error in words that can be kept. */
export function toFailure(error: unknown, uri: string): JobFailure {
  if (!IbidError.isInstance(error)) return toFailure(asIngestError(error, uri), uri);
  const { code, message, hint } = error;
  return { code, message, ...(hint !== undefined && { hint }) };
}
