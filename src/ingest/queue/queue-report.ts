import type { IngestionEvent, IngestionStatus } from "../../contracts/ingestion-queue.ts";
import type { IngestionState, JobStore, StoredJob } from "../../contracts/job-store.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { createEventStream, type EventStream } from "../../runtime/event-stream.ts";
import { createWakeUp, type WakeUp } from "./wake-up.ts";

/** Rejected documents that are remembered, the latest ones. */
const rejectedKept = 1000;

/** Tells listeners, waiting callers and the knowledge base about each change of a job. */
export interface QueueReport {
  readonly events: EventStream<IngestionEvent>;
  /** Documents that a full queue did not take, since it was made. */
  readonly rejections: number;
  rejected(id: string): IngestionStatus | undefined;
  reject(status: IngestionStatus): void;
  forgetRejected(id: string): void;
  changed(job: Pick<StoredJob, "id" | "uri" | "scope">, state: IngestionState): void;
  /** Wakes on every change of one job. Each call needs one {@link QueueReport.leave}. */
  waitFor(id: string): WakeUp;
  leave(id: string): void;
  wakeWaiting(id: string): void;
  /** Reports the depth of the queue again. */
  countAgain(): void;
  /** Ends all event streams and wakes every waiting caller. */
  close(): void;
}

export function createQueueReport(
  kb: KnowledgeBase,
  jobs: JobStore,
  now: () => number,
  wait: Parameters<typeof createWakeUp>[0],
): QueueReport {
  const events = createEventStream<IngestionEvent>();
  const waiting = new Map<string, { readonly wake: WakeUp; waits: number }>();
  const rejected = new Map<string, IngestionStatus>();
  let [rejections, reported] = [0, 0];
  let [isCounting, isStale] = [false, false];

  /** Counts once for all changes that come while a count is under way. */
  async function reportDepth(): Promise<void> {
    isStale = true;
    if (isCounting) return;
    isCounting = true;
    try {
      while (isStale) {
        isStale = false;
        const { queued, reading, embedding } = await jobs.counts();
        const refused = rejections - reported;
        reported = rejections;
        kb.report("KnowledgeQueued", [], { depth: queued + reading + embedding, rejected: refused });
      }
    } catch {
      // A store that cannot count reports that to the callers that ask it.
    } finally {
      isCounting = false;
    }
  }

  function changed({ id, uri, scope }: Pick<StoredJob, "id" | "uri" | "scope">, state: IngestionState): void {
    events.emit({ type: "IngestionStateChanged", at: now(), id, uri, scope, state });
    waiting.get(id)?.wake.now();
    void reportDepth();
  }

  return {
    events,
    get rejections() {
      return rejections;
    },
    rejected: (id) => rejected.get(id),
    reject(status) {
      rejections++;
      rejected.delete(status.id);
      rejected.set(status.id, status);
      for (const id of rejected.keys()) {
        if (rejected.size <= rejectedKept) break;
        rejected.delete(id);
      }
      changed(status, "rejected");
    },
    forgetRejected: (id) => void rejected.delete(id),
    changed,
    waitFor(id) {
      const entry = waiting.get(id) ?? { wake: createWakeUp(wait), waits: 0 };
      waiting.set(id, entry);
      entry.waits++;
      return entry.wake;
    },
    leave(id) {
      const entry = waiting.get(id);
      if (entry !== undefined && --entry.waits === 0) waiting.delete(id);
    },
    wakeWaiting: (id) => waiting.get(id)?.wake.now(),
    countAgain: () => void reportDepth(),
    close() {
      events.close();
      for (const { wake } of waiting.values()) wake.now();
    },
  };
}
