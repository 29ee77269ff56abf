import { readCaller } from "../../access/callers.ts";
import { type Caller, mayWrite, operator } from "../../access/gate.ts";
import { homeScope, parseScope } from "../../access/scopes.ts";
import { IbidError } from "../../contracts/errors.ts";
import type {
  EnqueueInput,
  EnqueueOptions,
  IngestionEvent,
  IngestionQueue,
  IngestionStatus,
  ListIngestionOptions,
} from "../../contracts/ingestion-queue.ts";
import type { IngestionState, JobRoom, StoredJob } from "../../contracts/job-store.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../contracts/scope.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { createEventStream } from "../../runtime/event-stream.ts";
import { isOver, toStatus } from "./ingestion-status.ts";
import { createJobPump } from "./job-pump.ts";
import { nameOf, toIngestOptions, toRequest } from "./queued-input.ts";
import { badNumber, decideQueueOptions, type IngestionQueueOptions } from "./queue-options.ts";
import { createWakeUp, type WakeUp } from "./wake-up.ts";

const enqueueOptions = ["scope", "metadata", "origin", "sweep", "folders", "changed", "signal"] as const;

/** So many documents that were rejected are remembered, the latest ones. */
const rejectedKept = 1000;
const pageSize = 200;

/**
 * Ingestion as a service over a knowledge base: what is queued is ingested in the background, from now until the queue is closed.
 *
 * **Shape** the operator's view, over the operator's view of `kb`; `as` gives everybody else theirs. Close the queue before the knowledge base.
 * **Errors** `invalid-argument`. **Source** see {@link IngestionQueue}.
 *
 * @experimental
 */
export function createIngestionQueue(kb: KnowledgeBase, options: IngestionQueueOptions = {}): IngestionQueue {
  const { jobs, capacity, maxBytes, concurrency, leaseMs, pollMs, now, wait, random, policy } =
    decideQueueOptions(options);
  checkIsOperators(kb);
  const room: JobRoom = { capacity, maxBytes };

  const events = createEventStream<IngestionEvent>();
  const wake = createWakeUp(wait);
  const rest = createWakeUp(wait);
  /** Those who wait for one document each. */
  const waiting = new Map<string, { readonly wake: WakeUp; waits: number }>();
  const rejected = new Map<string, IngestionStatus>();
  let rejections = 0;
  let closing: Promise<void> | undefined;

  let reported = 0;
  let isCounting = false;
  let isStale = false;

  /** Counts once for all that changed while the last count was under way. */
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
      // A store that cannot count says so to whoever asks it.
    } finally {
      isCounting = false;
    }
  }

  function changed({ id, uri, scope }: Pick<StoredJob, "id" | "uri" | "scope">, state: IngestionState): void {
    events.emit({ type: "IngestionStateChanged", at: now(), id, uri, scope, state });
    waiting.get(id)?.wake.now();
    void reportDepth();
  }
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
    changed,
    wake,
    emit: (event) => events.emit(event),
    onRest: () => rest.now(),
  });

  function checkOpen(): void {
    if (closing === undefined) return;
    throw new IbidError("store-closed", "This queue is closed.", {
      hint: "Make another; what was queued durably is in it.",
    });
  }

  function reject(status: IngestionStatus): void {
    rejections++;
    rejected.delete(status.id);
    rejected.set(status.id, status);
    for (const id of rejected.keys()) {
      if (rejected.size <= rejectedKept) break;
      rejected.delete(id);
    }
    changed(status, "rejected");
  }

  const view = (caller: Caller): IngestionQueue => {
    const person = caller === operator ? undefined : caller;
    const own = person === undefined ? kb : kb.as(person);
    const sees = (scope: Scope): boolean => mayWrite(caller, scope);
    const scopeOf = (scope: Scope | undefined): Scope => parseScope(scope ?? homeScope(person));
    const seen = async (id: string): Promise<StoredJob | undefined> => {
      checkOpen();
      const job = await jobs.get(id);
      return job !== undefined && sees(job.scope) ? job : undefined;
    };

    async function status(id: string): Promise<IngestionStatus | undefined> {
      const refused = rejected.get(id);
      if (refused !== undefined && sees(refused.scope)) return { ...refused };
      const job = await seen(id);
      return job && toStatus(job);
    }

    async function* walk(states: ListIngestionOptions["states"]): AsyncGenerator<StoredJob> {
      for (let after = 0; ;) {
        checkOpen();
        const page = await jobs.list({ after, limit: pageSize, ...(states && { states }) });
        for (const job of page) if (sees(job.scope)) yield job;
        after = page.at(-1)?.key ?? after;
        if (page.length < pageSize) return;
      }
    }

    /** Everything that can be refused is refused before anything is kept. **Shape** how to put it, as often as that takes. */
    async function prepare(input: EnqueueInput, given: EnqueueOptions): Promise<() => Promise<string | false>> {
      checkOpen();
      checkOptions("enqueue", given, enqueueOptions);
      const uri = nameOf(input);
      const scope = scopeOf(given.scope);
      // A run that nobody awaits does not start: this checks options and access now instead of in the background.
      void own.ingest(input, toIngestOptions({ ...given, scope }));
      throwIfAborted(given.signal, `Queueing ${uri}`, { uri });
      const kept = await toRequest(input, given);
      const size = kept.bytes?.byteLength ?? 0;
      if (size > maxBytes)
        throw new IbidError("too-large", `${uri} has ${size} bytes; the queue keeps ${maxBytes} of all documents.`, {
          uri,
          hint: "Queue its path instead, or allow more with maxBytes.",
        });
      const document = typeof input === "string" ? options.resolveUri?.(input) : uri;
      const id = hashParts(scope, uri);
      return async () => {
        checkOpen();
        throwIfAborted(given.signal, `Queueing ${uri}`, { uri });
        const facts = { id, scope, uri, enqueuedAt: now(), ...(person && { caller: person }) };
        if (!(await jobs.put({ ...facts, ...(document !== undefined && { document }), ...kept }, room))) return false;
        rejected.delete(id);
        changed(facts, "queued");
        wake.now();
        return id;
      };
    }

    return {
      async enqueue(input, given = {}) {
        const put = await prepare(input, given);
        const id = await put();
        if (id !== false) return id;
        const [uri, scope, at] = [nameOf(input), scopeOf(given.scope), now()];
        const error = {
          code: "store-busy",
          message: `The queue is full: ${uri} was not taken.`,
          hint: "Try again later.",
        } as const;
        const times = { enqueuedAt: at, updatedAt: at };
        reject({ id: hashParts(scope, uri), uri, scope, state: "rejected", attempts: 0, ...times, error });
        return false;
      },
      async enqueueWhenRoom(input, given = {}) {
        const put = await prepare(input, given);
        for (;;) {
          const since = wake.calls;
          const id = await put();
          if (id !== false) return id;
          await wake.wait(pollMs, since, given.signal);
        }
      },
      idOf: (uri, scope) => hashParts(scopeOf(scope), uri),
      status,
      async *list({ states } = {}) {
        for await (const job of walk(states)) yield toStatus(job);
      },
      async depth() {
        checkOpen();
        const counts = await jobs.counts();
        const depth = counts.queued + counts.reading + counts.embedding;
        return { ...counts, depth, capacity, rejected: rejections };
      },
      async done(id, { signal } = {}) {
        const mine = waiting.get(id) ?? { wake: createWakeUp(wait), waits: 0 };
        waiting.set(id, mine);
        mine.waits++;
        try {
          for (;;) {
            const since = mine.wake.calls;
            throwIfAborted(signal, "Waiting for a document");
            const found = await status(id);
            if (found === undefined)
              throw new IbidError("not-found", "There is no such job.", { hint: "See which there are with list()." });
            if (isOver(found.state)) return found;
            await mine.wake.wait(pollMs, since, signal);
          }
        } finally {
          if (--mine.waits === 0) waiting.delete(id);
        }
      },
      async drained(given = {}) {
        checkOptions("drained", given, ["everywhere", "signal"]);
        const { everywhere = false, signal } = given;
        for (;;) {
          const since = rest.calls;
          throwIfAborted(signal, "Waiting for the queue");
          checkOpen();
          const { reading, embedding } = await jobs.counts();
          const at = await jobs.nextAt();
          const isLeased = everywhere && reading + embedding > 0;
          if (!pump.isBusy && !isLeased && (at === undefined || at > now())) return;
          await rest.wait(pollMs, since, signal);
        }
      },
      async cancel(id) {
        const job = await seen(id);
        if (job === undefined) return false;
        const error = { code: "aborted", message: `The ingestion of ${job.uri} was cancelled.` } as const;
        if (!(await jobs.cancel(id, error, now()))) return false;
        pump.stop(id);
        changed(job, "failed");
        wake.now();
        return true;
      },
      async forget(uri, given = {}) {
        checkOpen();
        checkOptions("forget", given, ["scope"]);
        const scope = scopeOf(given.scope);
        if (!sees(scope)) return { jobs: 0 };
        const id = hashParts(scope, uri);
        const gone = await jobs.forget(scope, { document: options.resolveUri?.(uri) ?? uri, id });
        rejected.delete(id);
        pump.stop(id);
        waiting.get(id)?.wake.now();
        wake.now();
        if (gone > 0) void reportDepth();
        return gone > 0 && (await jobs.scrub?.()) === false ? { jobs: gone, pending: true } : { jobs: gone };
      },
      async replay(id) {
        let replayed = 0;
        for await (const job of id === undefined
          ? walk(["failed"])
          : [await seen(id)].filter((job) => job !== undefined)) {
          if (!(await jobs.replay(job.id, room, now()))) continue;
          replayed++;
          changed(job, "queued");
        }
        wake.now();
        return replayed;
      },
      events({ buffer = 1000, signal } = {}) {
        if (!Number.isInteger(buffer) || buffer < 1) throw badNumber("buffer", buffer);
        const missed = (count: number): IngestionEvent => ({ type: "EventsMissed", at: now(), missed: count });
        return events.listen({ buffer, missed, signal, wanted: (event) => !("scope" in event) || sees(event.scope) });
      },
      as(context: AccessContext) {
        // The knowledge base says who may become whom.
        own.as(context);
        return view(readCaller(context));
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  };

  function close(): Promise<void> {
    return (closing ??= pump
      .close()
      .then(() => jobs.close())
      .finally(() => {
        events.close();
        wake.now();
        rest.now();
        for (const each of waiting.values()) each.wake.now();
      }));
  }

  return view(operator);
}

/** A queue does everybody's jobs, each as whoever asked. **Errors** `invalid-argument` for one caller's view, which could not. */
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
