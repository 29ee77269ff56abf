import { checkIngest } from "../../ingest/uploads/check-ingest.ts";
import { ingestOnly } from "../../ingest/uploads/ingest-only.ts";
import { delayBefore, isTransient, type RetryPolicy } from "../../ingest/queue/retry-policy.ts";
import { homeScope } from "../../access/scopes.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { IngestOptions, IngestResult, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { given } from "../given.ts";
import { busy, Refusal, toRefusal } from "../refusal.ts";
import type { Originals } from "../originals.ts";
import type { Caller } from "../route.ts";
import {
  isJobOf,
  isLive,
  type JobChanges,
  type JobRecord,
  type JobRequest,
  type JobSelection,
  type LiveJob,
  ownerOf,
  type ServiceJobFailure,
  showJob,
  summariseBatch,
} from "./job.ts";
import { createJobTable, type JobRoom } from "./job-table.ts";
import type { JobShelf } from "./job-shelf.ts";
import { createReceiver, type Receiver } from "./receive-file.ts";
import type { DeliverWebhook } from "./webhook.ts";

/** Sizes and times of {@link ServiceJobs}. */
export interface JobSettings extends JobRoom {
  /** Jobs that are done at once. */
  readonly jobsAtOnce: number;
  /** How long a job is kept after its end, and an upload that does not go on. **Units** hours. */
  readonly jobHours: number;
  /** Largest file. */
  readonly maxUploadBytes: number;
  /** Longest silence of a sender. **Units** milliseconds. */
  readonly bodyTimeoutMs: number;
  readonly retry: RetryPolicy;
}

/** Parts that jobs work with. */
export interface JobParts {
  /** The operator's view. */
  readonly kb: KnowledgeBase;
  readonly shelf: JobShelf;
  readonly settings: JobSettings;
  /** Keeps the bytes of a file and adds its text: both or neither. */
  readonly keepWith: Originals["keepWith"];
  /** Absent where webhooks are not sent. */
  readonly deliver: DeliverWebhook | undefined;
  readonly now?: () => number;
}

/** Jobs of a service: documents that are ingested in the background. A job is visible to operators, and to its caller as long as they may write to its scope. */
export interface ServiceJobs extends Receiver {
  /** Whether jobs outlive the process. */
  readonly isLasting: boolean;
  /** Name of this process, beside which revisions count. */
  readonly epoch: string;
  /** Makes a job. A file's bytes follow with `receive`. **Errors** `access-denied` and `invalid-argument` as `kb.ingest`; 413; 503 without room. */
  create(
    caller: Caller,
    request: JobRequest,
    source: { readonly kind: "file" | "text"; readonly size: number } | { readonly kind: "url" },
  ): Promise<string>;
  /** **Errors** 404 for a job that is not there, or belongs to another caller. */
  find(caller: Caller, id: string): Promise<LiveJob>;
  show(caller: Caller, job: LiveJob): object;
  /** The caller's jobs, latest first; for operators all. */
  list(caller: Caller, selection?: JobSelection): Promise<readonly LiveJob[]>;
  /** Changes after a revision. */
  changes(caller: Caller, selection: JobSelection, after: number | undefined): Promise<JobChanges>;
  /** Waits for a change after a revision. **Shape** ends also when the signal fires or the jobs are closed. */
  changed(caller: Caller, after: number, signal: AbortSignal): Promise<void>;
  /** Ends jobs that are not over. **Shape** the ids of those that it ended. */
  cancel(caller: Caller, ids: readonly string[]): Promise<readonly string[]>;
  /** Queues failed jobs again, and begins those at once that wait for their next attempt. **Shape** the ids of those that it queued. */
  retry(caller: Caller, ids: readonly string[]): Promise<readonly string[]>;
  /** Removes jobs; those that are not over end. */
  remove(caller: Caller, ids: readonly string[]): Promise<readonly string[]>;
  /** Removes jobs of all callers for a document that was purged, with every trace of it; see {@link isJobOf}. */
  forget(uri: string, scope: Scope | undefined, endedBy?: number): Promise<void>;
  readonly isClosed: boolean;
  /** Breaks off jobs that are being done; a lasting shelf keeps them for the next process. */
  close(): Promise<void>;
}

/** Ended jobs that are kept for one caller. */
const mostEnded = 1000;
const progressMs = 250;
const hourMs = 3_600_000;

/** The failure as the caller of the job sees it. The sentences about an address are the service's own: the library's may name what lies behind it. */
function failureOf(error: unknown): ServiceJobFailure {
  if (IbidError.isInstance(error) && error.code === "blocked-address")
    return {
      code: error.code,
      message: "The address is not public.",
      hint: "Save the page to a file and upload that.",
    };
  if (IbidError.isInstance(error) && error.code === "fetch-failed") {
    const { status } = error.details;
    const happened = typeof status === "number" ? `answered with status ${status}` : "cannot be fetched";
    return { code: error.code, message: `The address ${happened}.`, hint: "Open it in a browser, or upload the file." };
  }
  // A package that is missing is named: the one who runs the service has to install it.
  const { code, message, hint } = IbidError.isInstance(error, "dependency-missing") ? error : toRefusal(error);
  return { code, message, ...given({ hint }) };
}

/** **Shape** starts with the jobs of an earlier process, where the shelf lasts. */
export function createServiceJobs(parts: JobParts): ServiceJobs {
  const { kb, shelf, settings, deliver, now = platformNow } = parts;
  const table = createJobTable(now);
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closing: Promise<void> | undefined;
  let sweptAt = 0;

  const loaded = (async (): Promise<void> => {
    const kept = await shelf.load();
    for (const { record, received } of kept.toSorted((a, b) => a.record.createdAt - b.record.createdAt)) {
      // Work that an earlier process left is begun again.
      const state = record.state === "reading" || record.state === "embedding" ? "queued" : record.state;
      table.add({ ...record, state }, received);
      if (received > 0 && !isLive(record) && state !== "failed") await shelf.drop(record.id);
    }
    await sweep();
    pump();
  })();
  // Each call waits for it, and gets the error.
  loaded.catch(() => {});

  const changeAndSave = async (id: string, more: Partial<JobRecord>, facts: Partial<LiveJob> = {}): Promise<void> => {
    const changed = table.change(id, more, facts);
    if (changed !== undefined) await shelf.save(changed.record);
  };

  /** Jobs whose message is on its way. */
  const telling = new Set<string>();
  /** The message of a job that waits to be sent, unless it is on its way. */
  const waitingMessage = ({ record: { id, delivery, webhook } }: LiveJob) =>
    delivery?.state === "waiting" && webhook !== undefined && deliver !== undefined && !telling.has(id)
      ? { delivery, webhook, deliver, dueAt: delivery.dueAt ?? 0 }
      : undefined;

  const mayBegin = ({ record }: LiveJob): boolean =>
    record.state === "queued" && !running.has(record.id) && (record.dueAt ?? 0) <= now();

  /** The oldest job that may begin, of the caller with the fewest that are being done. */
  function next(): LiveJob | undefined {
    const busyOwners = [...running.keys()].map((id) => table.get(id)?.record.owner);
    const load = (job: LiveJob): number => busyOwners.filter((owner) => owner === job.record.owner).length;
    let best: LiveJob | undefined;
    for (const job of table.all()) {
      if (mayBegin(job) && (best === undefined || load(job) < load(best))) best = job;
    }
    return best;
  }

  function pump(): void {
    if (isClosed) return;
    while (running.size < settings.jobsAtOnce) {
      const job = next();
      if (job === undefined) break;
      const stop = new AbortController();
      const done = run(job, stop.signal)
        // A failure outside of the ingestion, such as a full disk, ends the job: nobody waits for this promise.
        .catch((error: unknown) => fail(job.record.id, error))
        .then(() => {
          running.delete(job.record.id);
          pump();
        });
      running.set(job.record.id, { stop, done });
    }
    clearTimeout(timer);
    const due = table.all().flatMap((job) => {
      const { state, dueAt } = job.record;
      const waiting = waitingMessage(job);
      return [
        ...(state === "queued" && dueAt !== undefined && dueAt > now() ? [dueAt] : []),
        // A message that is due already has its turn too: its time may have come while it was written.
        ...(waiting === undefined ? [] : [waiting.dueAt]),
      ];
    });
    if (due.length > 0) {
      timer = setTimeout(tick, Math.min(Math.max(0, Math.min(...due) - now()), hourMs));
      (timer as { unref?: () => void }).unref?.();
    }
  }

  function tick(): void {
    for (const { record } of table.all()) void tell(record.id);
    pump();
  }

  async function run({ record }: LiveJob, signal: AbortSignal): Promise<void> {
    const { id } = record;
    const attempts = record.attempts + 1;
    await changeAndSave(id, { state: "reading", attempts });
    const outcome = await attempt(record, signal);
    if (signal.aborted) {
      // A cancelled job has its state already; one that was broken off keeps its attempts.
      if (isClosed && table.get(id)?.record.state !== "cancelled")
        await changeAndSave(id, { state: "queued", attempts: record.attempts });
      return;
    }
    const { result, error } = outcome;
    if (error === undefined && result !== undefined) {
      const { uri, scope, status, documentId, chunks, notes } = result;
      const facts = { uri, scope, status, documentId, chunks, ...(notes && { notes }) };
      await finish(id, { state: status === "unchanged" ? "unchanged" : "indexed", result: facts });
      await shelf.drop(id);
      return;
    }
    const failure = failureOf(error);
    const mayRetry = attempts < settings.retry.attempts && isTransient(error);
    if (mayRetry) {
      const dueAt = now() + delayBefore(attempts + 1, settings.retry, Math.random());
      await changeAndSave(id, { state: "queued", error: failure, dueAt }, { progress: undefined });
    } else await finish(id, { state: "failed", error: failure });
  }

  async function attempt(
    record: JobRecord,
    signal: AbortSignal,
  ): Promise<{ readonly result?: IngestResult; readonly error?: unknown }> {
    const { id, access, source, uri, title, mediaType, charset, scope, metadata } = record;
    try {
      const bytes = source === "url" ? undefined : await shelf.read(id);
      const facts = { uri, ...given({ title, mediaType }) };
      const input =
        bytes === undefined
          ? uri
          : source === "text"
            ? { ...facts, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) }
            : { ...facts, ...given({ charset }), bytes, maxBytes: Math.max(1, bytes.byteLength), keepsMedia: true };
      let told = 0;
      const options: IngestOptions = {
        ...given({ scope, metadata }),
        signal,
        onEmbedding() {
          if (table.get(id)?.record.state === "reading") table.change(id, { state: "embedding" });
        },
        onProgress({ chunks, pages }) {
          // The last page is never left out, because work of another kind follows.
          if (now() - told < progressMs && (pages === undefined || pages.done < pages.of)) return;
          told = now();
          const progress = { chunks, ...(pages && { pages: { done: pages.done, of: pages.of } }) };
          if (table.get(id)?.record.state !== "cancelled") table.change(id, {}, { progress });
        },
      };
      const add = async (): Promise<IngestResult> => {
        const result = await ingestOnly(access === "operator" ? kb : kb.as(access), input, options);
        if (result.error !== undefined) throw result.error;
        return result;
      };
      return { result: source === "file" && bytes ? await parts.keepWith(uri, bytes, add) : await add() };
    } catch (error) {
      return { error };
    }
  }

  /** Ends a job that cannot be done. A shelf that cannot keep the state does not hide it. */
  async function fail(id: string, error: unknown): Promise<void> {
    const { record } = table.get(id) ?? {};
    if (record === undefined || !isLive(record)) return;
    await finish(id, { state: "failed", error: failureOf(error) }).catch(() => {});
  }

  /** Ends a job, and tells its webhook. */
  async function finish(id: string, more: Partial<JobRecord>): Promise<void> {
    const { webhook, batch: name, owner } = table.get(id)?.record ?? {};
    const message = (): JobRecord["delivery"] => {
      const all = table.all().filter(({ record }) => record.batch === name && record.owner === owner);
      const then = all.map((job) => (job.record.id === id ? { ...job, record: { ...job.record, ...more } } : job));
      // The last job of a batch tells its end.
      const batch = name === undefined ? undefined : summariseBatch(then);
      return { id: crypto.randomUUID(), state: "waiting", attempts: 0, dueAt: now(), ...given({ batch }) };
    };
    await changeAndSave(id, { ...more, ...(webhook && { delivery: message() }) }, { progress: undefined });
    void tell(id);
  }

  /** Sends the message about a job that is over, where it is due. */
  async function tell(id: string): Promise<void> {
    const job = table.get(id);
    const waiting = job && waitingMessage(job);
    if (isClosed || job === undefined || waiting === undefined || waiting.dueAt > now()) return;
    const { delivery, webhook } = waiting;
    telling.add(id);
    try {
      const attempts = delivery.attempts + 1;
      const { id: messageId, batch } = delivery;
      const message = {
        type: `job.${job.record.state}`,
        job: showJob(job, undefined, false),
        ...given({ batch }),
      };
      const error = await waiting.deliver(webhook, messageId, message);
      // An address that is not permitted is refused at each attempt.
      const isLast = attempts >= settings.retry.attempts || error?.code === "blocked-address";
      const dueAt = now() + delayBefore(attempts + 1, settings.retry, Math.random());
      const told: JobRecord["delivery"] =
        error === undefined
          ? { id: messageId, state: "delivered", attempts }
          : isLast
            ? { id: messageId, state: "failed", attempts, error }
            : { ...delivery, attempts, dueAt, error };
      // Where this cannot be written, the next process sends the message once more, under the same id.
      await changeAndSave(id, { delivery: told }).catch(() => {});
    } finally {
      telling.delete(id);
      pump();
    }
  }

  /** Removes a job from memory and from the shelf. */
  async function discard(id: string): Promise<void> {
    const job = table.get(id);
    if (job === undefined) return;
    running.get(id)?.stop.abort();
    table.remove(id);
    await shelf.remove(id);
  }

  /** Removes jobs that ended long ago, and uploads that did not go on. */
  async function sweep(): Promise<void> {
    const oldest = now() - settings.jobHours * hourMs;
    sweptAt = now();
    const ended = new Map<string, number>();
    for (const { record } of table.all().toReversed()) {
      const count = (ended.get(record.owner) ?? 0) + (isLive(record) ? 0 : 1);
      ended.set(record.owner, count);
      const isOld = record.updatedAt < oldest && (!isLive(record) || record.state === "receiving");
      if (isOld || (!isLive(record) && count > mostEnded)) await discard(record.id);
    }
  }

  const find = async (caller: Caller, id: string): Promise<LiveJob> => {
    await loaded;
    const job = table.get(id);
    if (job !== undefined && table.seen(caller, { id }).length > 0) return job;
    throw new Refusal(404, "not-found", "There is no job of yours with this id.", { hint: "See GET /jobs for yours." });
  };

  const each = async (
    caller: Caller,
    ids: readonly string[],
    act: (job: LiveJob) => Promise<boolean>,
  ): Promise<readonly string[]> => {
    const found = await Promise.all(ids.map((id) => find(caller, id)));
    const done: string[] = [];
    for (const job of found) if (await act(job)) done.push(job.record.id);
    pump();
    return done;
  };

  const receiver = createReceiver({
    shelf,
    silenceMs: settings.bodyTimeoutMs,
    maxBytes: (job) => job.record.size ?? 0,
    now: (id) => table.get(id),
    arrived: (id, received) => void table.change(id, {}, { received }),
    async complete(id) {
      await changeAndSave(id, { state: "queued" });
      pump();
    },
  });

  return {
    ...receiver,
    isLasting: shelf.isLasting,
    epoch: crypto.randomUUID().slice(0, 8),
    get isClosed() {
      return isClosed;
    },
    async create(caller, request, source) {
      await loaded;
      if (now() - sweptAt > hourMs / 60) await sweep();
      const { uri, scope, metadata, charset } = request;
      const size = source.kind === "url" ? undefined : source.size;
      const wanted = { scope: scope ?? homeScope(caller.access === "operator" ? undefined : caller.access) };
      checkIngest(caller.kb, { uri, text: "" }, { ...wanted, ...given({ metadata, charset }) });
      if ((size ?? 0) > settings.maxUploadBytes)
        throw new Refusal(
          413,
          "too-large",
          `The file has ${size} bytes; the service takes ${settings.maxUploadBytes}.`,
          {
            uri,
            hint: "Send a smaller file, or ask the operator for a higher limit.",
          },
        );
      if (request.webhook !== undefined && deliver === undefined)
        throw new Refusal(400, "invalid-argument", "This service sends no webhooks.", {
          hint: "Leave webhook out, and ask for the state of the job.",
        });
      const owner = ownerOf(caller);
      if (!table.hasRoom(owner, size ?? 0, settings)) throw busy(30);
      const at = now();
      const record: JobRecord = {
        ...request,
        scope: wanted.scope,
        id: crypto.randomUUID(),
        owner,
        caller: caller.name,
        access: caller.access,
        source: source.kind,
        ...given({ size }),
        state: source.kind === "url" ? "queued" : "receiving",
        attempts: 0,
        createdAt: at,
        updatedAt: at,
      };
      table.add(record, 0);
      try {
        await shelf.save(record);
      } catch (error) {
        await discard(record.id).catch(() => {});
        throw error;
      }
      if (size === 0) await receiver.receive(record.id, 0, null, new AbortController().signal);
      pump();
      return record.id;
    },
    find,
    show: (caller, job) => showJob(job, table.ahead(caller, job.record.id), caller.isOperator),
    async list(caller, selection = {}) {
      await loaded;
      return table.seen(caller, selection).toReversed();
    },
    async changes(caller, selection, after) {
      await loaded;
      return table.changes(caller, selection, after);
    },
    async changed(caller, after, signal) {
      if (!isClosed) await table.changed(caller, after, signal);
    },
    cancel: (caller, ids) =>
      each(caller, ids, async ({ record }) => {
        if (!isLive(record)) return false;
        const { id } = record;
        const error = { code: "aborted", message: "The job was cancelled." };
        const stopped = finish(id, { state: "cancelled", error });
        running.get(id)?.stop.abort();
        await receiver.stop(id);
        await stopped;
        await shelf.drop(id);
        return true;
      }),
    retry: (caller, ids) =>
      each(caller, ids, async ({ record }) => {
        const waits = record.state === "queued" && (record.dueAt ?? 0) > now();
        if (record.state !== "failed" && !waits) return false;
        const fresh = {
          state: "queued",
          attempts: 0,
          error: undefined,
          dueAt: undefined,
          delivery: undefined,
        } as const;
        await changeAndSave(record.id, fresh);
        return true;
      }),
    remove: (caller, ids) =>
      each(caller, ids, async ({ record }) => {
        await receiver.stop(record.id);
        await discard(record.id);
        return true;
      }),
    async forget(uri, scope, endedBy) {
      await loaded;
      for (const { record } of table.all()) if (isJobOf(record, uri, scope, endedBy)) await discard(record.id);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      table.wake();
      return (closing ??= (async () => {
        await loaded.catch(() => {});
        for (const { stop } of running.values()) stop.abort();
        await Promise.all([...running.values()].map(({ done }) => done));
      })());
    },
  };
}
