import { IbidError } from "../../contracts/errors.ts";
import type { IngestionEvent } from "../../contracts/ingestion-queue.ts";
import type { JobLease, JobOutcome, JobState, JobStore, TakenJob } from "../../contracts/job-store.ts";
import type { IngestResult, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { type Attempt, attemptJob, toFailure } from "./attempt-job.ts";
import { delayBefore, isTransient, type RetryPolicy } from "./retry-policy.ts";
import type { Wait, WakeUp } from "./wake-up.ts";

/** The parts that a pump works with. **Units** milliseconds. */
export interface PumpParts {
  readonly kb: KnowledgeBase;
  readonly jobs: JobStore;
  readonly policy: RetryPolicy;
  readonly concurrency: number;
  /** How long a job stays with a process that does not stir. */
  readonly leaseMs: number;
  /** How often a look is taken at what other processes did. */
  readonly pollMs: number;
  readonly now: () => number;
  readonly wait: Wait;
  readonly random: () => number;
  readonly emit: (event: IngestionEvent) => void;
  readonly changed: (job: Pick<TakenJob, "id" | "uri" | "scope">, state: JobState) => void;
  /** Called when a job is added; wakes also the callers that wait for its end. */
  readonly wake: WakeUp;
  /** Called whenever there is nothing more to begin. */
  readonly onRest: () => void;
}

/** Takes jobs that are due and does them, a few at a time. */
export interface JobPump {
  /** Whether a job is being looked for, or done. */
  readonly isBusy: boolean;
  /** Breaks off a job that is being done here. */
  stop(id: string): void;
  /** Takes no more; ends when what is being done has. */
  close(): Promise<void>;
}

/** Starts at once, with what an earlier process left. */
export function createJobPump(parts: PumpParts): JobPump {
  const { jobs, wake, now } = parts;
  const name = crypto.randomUUID();
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  let takes = 0;
  let isClosing = false;
  let isLooking = true;

  const stalled = (error: unknown): void => {
    const known = IbidError.isInstance(error) ? error : new IbidError("internal", String(error), { cause: error });
    if (known.code === "store-closed") isClosing = true;
    parts.emit({ type: "IngestionStalled", at: now(), error: known });
  };

  async function look(): Promise<void> {
    for (;;) {
      if (isClosing) return;
      const seen = wake.calls;
      isLooking = true;
      const until = await begin();
      isLooking = false;
      if (until === 0) continue;
      parts.onRest();
      await wake.wait(until, seen);
    }
  }

  /** **Shape** how long nothing can be begun, in milliseconds. */
  async function begin(): Promise<number> {
    if (running.size >= parts.concurrency) return parts.pollMs;
    try {
      const at = now();
      // Its own owner for each: a lease that was lost is not mistaken for the one that followed it.
      const lease = { owner: `${name}/${++takes}`, now: at, until: at + parts.leaseMs };
      const job = await jobs.take(lease);
      if (job === undefined) return Math.min(parts.pollMs, Math.max(1, ((await jobs.nextAt()) ?? Infinity) - at));
      const stop = new AbortController();
      const done = run(job, lease.owner, stop).catch(stalled);
      running.set(job.id, { stop, done });
      void done.then(() => {
        running.delete(job.id);
        wake.now();
      });
      return 0;
    } catch (error) {
      stalled(error);
      return parts.pollMs;
    }
  }

  async function run(job: TakenJob, owner: string, stop: AbortController): Promise<void> {
    const lease = { id: job.id, owner, revision: job.revision };
    const { policy } = parts;
    parts.changed(job, "reading");
    const delay = delayBefore(job.attempts + 1, policy, parts.random());
    const mayRetry = job.attempts < policy.attempts;
    const failed = (error: unknown, uri = job.uri): void => {
      const again = mayRetry && isTransient(error) ? { retryAt: now() + delay } : {};
      const { id, scope, attempts } = job;
      const facts = { at: now(), id, uri, scope, attempt: attempts, error: toFailure(error, uri) };
      parts.emit({ type: "KnowledgeChunkFailed", ...facts, ...again });
    };
    const heart = new AbortController();
    const beating = beat(lease, stop, heart.signal);
    let told: Promise<unknown> | undefined;
    let outcome: JobOutcome;
    if (job.attempts > policy.attempts) {
      const error = neverEnded(job);
      failed(error);
      outcome = { state: "failed", error: toFailure(error, job.uri) };
    } else {
      const attempt = await attemptJob(parts.kb, job, {
        signal: stop.signal,
        onResult: (result) => (result.status === "failed" ? failed(result.error, result.uri) : indexed(job, result)),
        onEmbedding: () => {
          told ??= tellEmbedding(job, lease);
        },
      });
      // A document's failure is reported already, by `onResult`.
      if (attempt.isThrown && !isBrokenOff(attempt, stop)) failed(attempt.failure);
      outcome = toOutcome(job.uri, attempt, isBrokenOff(attempt, stop), mayRetry ? now() + delay : undefined);
      if (IbidError.isInstance(attempt.failure, "store-closed")) stalled(attempt.failure);
    }
    heart.abort();
    await Promise.all([beating, told]);
    const state = await jobs.finish(lease, outcome, now());
    if (state !== undefined) parts.changed(job, state);
  }

  /** Whether the attempt was cancelled, lost its lease, or met a closed knowledge base: it then says nothing about the document. */
  function isBrokenOff({ failure }: Attempt, stop: AbortController): boolean {
    return failure !== undefined && (stop.signal.aborted || IbidError.isInstance(failure, "store-closed"));
  }

  function toOutcome(uri: string, attempt: Attempt, isOff: boolean, retryAt: number | undefined): JobOutcome {
    const { result, document, failure } = attempt;
    if (isOff) return { state: "queued", dueAt: now() };
    const error = failure === undefined ? undefined : toFailure(failure, uri);
    if (error !== undefined && attempt.isTransient && retryAt !== undefined)
      return { state: "queued", dueAt: retryAt, error };
    // Some files of a folder may be refused for good: `error` says so, and the rest is in.
    if (error !== undefined && (attempt.isTransient || result.documents === 0)) return { state: "failed", error };
    return { state: "indexed", result, ...(document !== undefined && { document }), ...(error && { error }) };
  }

  function indexed({ id, scope }: TakenJob, { status, uri, documentId, chunks }: IngestResult): void {
    if (status === "unchanged") return;
    parts.emit({ type: "KnowledgeChunkIndexed", at: now(), id, uri, scope, status, documentId, chunks });
  }

  async function tellEmbedding(job: TakenJob, lease: JobLease): Promise<void> {
    const at = now();
    const isOurs = await jobs
      .renew(lease, { until: at + parts.leaseMs, now: at, state: "embedding" })
      .catch(() => false);
    if (isOurs) parts.changed(job, "embedding");
  }

  /** Renews a lease while the work goes on, and aborts the work when another worker holds it. */
  async function beat(lease: JobLease, stop: AbortController, end: AbortSignal): Promise<void> {
    for (;;) {
      await parts.wait(parts.leaseMs / 3, end);
      if (end.aborted) return;
      const at = now();
      // A store that does not answer may do so before the lease is over.
      const isOurs = await jobs.renew(lease, { until: at + parts.leaseMs, now: at }).catch(() => true);
      if (!isOurs) stop.abort();
      if (!isOurs) return;
    }
  }

  const looking = look();
  return {
    get isBusy() {
      return isLooking || running.size > 0;
    },
    stop: (id) => running.get(id)?.stop.abort(),
    async close() {
      isClosing = true;
      wake.now();
      await looking;
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

function neverEnded({ uri, attempts }: TakenJob): IbidError {
  return new IbidError("internal", `${uri} was begun ${attempts - 1} times, and no process lived to end it.`, {
    uri,
    hint: "It may be too large for the memory that there is. Look at it, then replay it.",
  });
}
