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
import type { StoredJob, IngestionState } from "../../contracts/job-store.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../contracts/scope.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { planOptions } from "../../runtime/plan-options.ts";
import { enqueueOptions } from "../ingest-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { checkIngest } from "../uploads/check-ingest.ts";
import type { JobPump } from "./job-pump.ts";
import { badNumber, type DecidedQueueOptions } from "./queue-options.ts";
import type { QueueReport } from "./queue-report.ts";
import { nameOf, toIngestOptions, toRequest } from "./queued-input.ts";
import type { WakeUp } from "./wake-up.ts";

const pageSize = 200;

/** Parts that all views of one queue share. */
export interface QueueParts {
  /** The operator's view. */
  readonly kb: KnowledgeBase;
  readonly settings: DecidedQueueOptions;
  readonly resolveUri?: ((input: string) => string) | undefined;
  readonly report: QueueReport;
  readonly pump: JobPump;
  /** Woken when a job may be due. */
  readonly wake: WakeUp;
  /** Woken when the pump comes to rest. */
  readonly rest: WakeUp;
  /** **Errors** `store-closed` once the queue is closed. */
  readonly checkOpen: () => void;
  readonly close: () => Promise<void>;
}

/** Makes one caller's view of a queue: it shows and changes only jobs of scopes that the caller may write. */
export function createQueueView(parts: QueueParts, caller: Caller): IngestionQueue {
  const { kb, report, pump, wake, rest, resolveUri, checkOpen, close } = parts;
  const { jobs, capacity, maxBytes, overflow, pollMs, now } = parts.settings;
  const room = { capacity, maxBytes };
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
    const refused = report.rejected(id);
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
    planOptions("enqueue", enqueueOptions, given);
    if (typeof input !== "string") checkGiven("enqueue", "input", input, "object");
    const uri = nameOf(input);
    const scope = scopeOf(given.scope);
    checkIngest({ mayWrite: sees }, input, { ...toIngestOptions(given), scope });
    throwIfAborted(given.signal, `Queueing ${uri}`, { uri });
    const kept = await toRequest(input, given);
    const size = kept.bytes?.byteLength ?? 0;
    if (size > maxBytes)
      throw new IbidError("too-large", `${uri} has ${size} bytes; the queue keeps ${maxBytes} of all documents.`, {
        uri,
        hint: "Queue its path instead, or allow more with maxBytes.",
      });
    const document = typeof input === "string" ? resolveUri?.(input) : uri;
    const id = hashParts(scope, uri);
    return async () => {
      checkOpen();
      throwIfAborted(given.signal, `Queueing ${uri}`, { uri });
      const facts = { id, scope, uri, enqueuedAt: now(), ...(person && { caller: person }) };
      if (!(await jobs.put({ ...facts, ...(document !== undefined && { document }), ...kept }, room))) return false;
      report.forgetRejected(id);
      report.changed(facts, "queued");
      wake.now();
      return id;
    };
  }

  async function enqueueWhenRoom(input: EnqueueInput, given: EnqueueOptions = {}): Promise<string> {
    const put = await prepare(input, given);
    for (;;) {
      const since = wake.calls;
      const id = await put();
      if (id !== false) return id;
      await wake.wait(pollMs, since, given.signal);
    }
  }

  return {
    async enqueue(input, given = {}) {
      if (overflow === "wait") return enqueueWhenRoom(input, given);
      const put = await prepare(input, given);
      const taken = await put();
      if (taken !== false) return taken;
      const [uri, scope, at] = [nameOf(input), scopeOf(given.scope), now()];
      const id = hashParts(scope, uri);
      const error = {
        code: "store-busy",
        message: `The queue is full: ${uri} was not taken.`,
        hint: "Try again later.",
      } as const;
      const times = { enqueuedAt: at, updatedAt: at };
      report.reject({ id, uri, scope, state: "rejected", attempts: 0, ...times, error });
      if (overflow === "refuse") return false;
      report.events.emit({ type: "KnowledgeIngestionDropped", at, id, uri, scope });
      return id;
    },
    enqueueWhenRoom,
    idOf(uri, scope) {
      checkText("idOf", "uri", uri);
      return hashParts(scopeOf(scope), uri);
    },
    status,
    async *list(given = {}) {
      checkOptions("list", given, { states: true });
      for await (const job of walk(given.states)) yield toStatus(job);
    },
    async depth() {
      checkOpen();
      const counts = await jobs.counts();
      const depth = counts.queued + counts.reading + counts.embedding;
      return { ...counts, depth, capacity, rejected: report.rejections };
    },
    async done(id, given = {}) {
      checkText("done", "id", id);
      checkOptions("done", given, { signal: true });
      const { signal } = given;
      const mine = report.waitFor(id);
      try {
        for (;;) {
          const since = mine.calls;
          throwIfAborted(signal, "Waiting for a document");
          const found = await status(id);
          if (found === undefined)
            throw new IbidError("not-found", "There is no such job.", { hint: "See which there are with list()." });
          if (isOver(found.state)) return found;
          await mine.wait(pollMs, since, signal);
        }
      } finally {
        report.leave(id);
      }
    },
    async drained(given = {}) {
      checkOptions("drained", given, { everywhere: true, signal: true });
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
      report.changed(job, "failed");
      wake.now();
      return true;
    },
    async forget(uri, given = {}) {
      checkOpen();
      checkOptions("forget", given, { scope: true });
      checkText("forget", "uri", uri);
      const scope = scopeOf(given.scope);
      if (!sees(scope)) return { jobs: 0 };
      const id = hashParts(scope, uri);
      const gone = await jobs.forget(scope, { document: resolveUri?.(uri) ?? uri, id });
      report.forgetRejected(id);
      pump.stop(id);
      report.wakeWaiting(id);
      wake.now();
      if (gone > 0) report.countAgain();
      return gone > 0 && (await jobs.scrub?.()) === false ? { jobs: gone, pending: true } : { jobs: gone };
    },
    async replay(id) {
      let replayed = 0;
      for await (const job of id === undefined
        ? walk(["failed"])
        : [await seen(id)].filter((job) => job !== undefined)) {
        if (!(await jobs.replay(job.id, room, now()))) continue;
        replayed++;
        report.changed(job, "queued");
      }
      wake.now();
      return replayed;
    },
    events(given = {}) {
      checkOptions("events", given, { buffer: true, signal: true });
      const { buffer = 1000, signal } = given;
      if (!Number.isInteger(buffer) || buffer < 1) throw badNumber("buffer", buffer);
      const missed = (count: number): IngestionEvent => ({ type: "EventsMissed", at: now(), missed: count });
      return report.events.listen({
        buffer,
        missed,
        signal,
        wanted: (event) => !("scope" in event) || sees(event.scope),
      });
    },
    as(context: AccessContext) {
      // The knowledge base says who may become whom.
      own.as(context);
      return createQueueView(parts, readCaller(context));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Whether nothing more comes of a document by itself. */
const isOver = (state: IngestionState): boolean => state === "indexed" || state === "failed" || state === "rejected";

/** A job as people see it. */
function toStatus(job: StoredJob): IngestionStatus {
  const { id, uri, scope, state, attempts, enqueuedAt, updatedAt, dueAt, error, result } = job;
  return {
    id,
    uri,
    scope,
    state,
    attempts,
    enqueuedAt,
    updatedAt,
    ...(state === "queued" && error !== undefined && { retryAt: dueAt }),
    ...(error && { error }),
    ...(result && { result }),
  };
}
