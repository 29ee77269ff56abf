import { operator } from "../../access/gate.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { IngestionQueue } from "../../contracts/ingestion-queue.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { createJobPump } from "./job-pump.ts";
import { decideQueueOptions, type IngestionQueueOptions } from "./queue-options.ts";
import { createQueueReport } from "./queue-report.ts";
import { createQueueView } from "./queue-view.ts";
import { createWakeUp } from "./wake-up.ts";

/**
 * Ingestion as a service over a knowledge base: a queued document is ingested in the background, until the queue is closed.
 *
 * **Shape** the operator's view, over the operator's view of `kb`; `as` gives other callers theirs. Close the queue before the knowledge base.
 * **Errors** `invalid-argument`. **Source** see {@link IngestionQueue}.
 *
 * @experimental
 */
export function createIngestionQueue(kb: KnowledgeBase, options: IngestionQueueOptions = {}): IngestionQueue {
  const settings = decideQueueOptions(options);
  checkIsOperators(kb);
  const { jobs, policy, concurrency, leaseMs, pollMs, now, wait, random } = settings;
  const wake = createWakeUp(wait);
  const rest = createWakeUp(wait);
  const report = createQueueReport(kb, jobs, now, wait);
  const pump = createJobPump({
    kb,
    jobs,
    policy,
    concurrency,
    leaseMs,
    pollMs,
    now,
    wait,
    random,
    changed: (job, state) => report.changed(job, state),
    wake,
    emit: (event) => report.events.emit(event),
    onRest: () => rest.now(),
  });

  let closing: Promise<void> | undefined;
  function checkOpen(): void {
    if (closing === undefined) return;
    throw new IbidError("store-closed", "This queue is closed.", {
      hint: "Make another one; it continues the jobs of a durable queue.",
    });
  }
  function close(): Promise<void> {
    return (closing ??= pump
      .close()
      .then(() => jobs.close())
      .finally(() => {
        report.close();
        wake.now();
        rest.now();
      }));
  }

  const { resolveUri } = options;
  return createQueueView({ kb, settings, resolveUri, report, pump, wake, rest, checkOpen, close }, operator);
}

/** A queue runs the jobs of all callers, each as its caller. **Errors** `invalid-argument` for the view of one caller, which could not. */
function checkIsOperators(kb: KnowledgeBase): void {
  try {
    kb.as({ userId: crypto.randomUUID() });
  } catch (cause) {
    throw new IbidError("invalid-argument", "A queue cannot be made over one caller's view of a knowledge base.", {
      hint: "Make it over the knowledge base itself, and use the queue's as().",
      cause,
    });
  }
}
