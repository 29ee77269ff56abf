import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Answer, AnswerEvent } from "../contracts/answer.ts";
import { IbidError, type IbidErrorCode } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessContext } from "../contracts/scope.ts";
import { anySignal, abortError } from "../runtime/abort.ts";
import { checkNotRevoked, checkGiven, checkOptions } from "../runtime/check-options.ts";
import { createRun } from "../runtime/create-run.ts";
import { createPublicNames, type PublicNames } from "./public-names.ts";
import { packBody } from "./pack-body.ts";
import {
  type BodyChoices,
  makeSearchBody,
  shareSearchBody,
  type SharedSearches,
  type ShareSearchBody,
} from "./search-body.ts";
import type { Measured } from "./relay-measures.ts";
import { searchOnce } from "./search-once.ts";
import type { ServiceMetrics } from "./service-metrics.ts";

/** Verbs that take a processor, and so are worth another process. */
type SharedVerb = "search" | "searchBody" | "ask" | "verify";

/** A message to a process: a call, or the end of one. */
type ToSearcher =
  | {
      readonly id: number;
      readonly verb: SharedVerb;
      readonly access: AccessContext | "operator";
      readonly given: readonly [subject: unknown, options: object, choices?: BodyChoices | undefined];
    }
  | { readonly id: number; readonly stop: true };

/** A message of a process: that it is ready, or something about a call. */
type FromSearcher =
  | { readonly ready: true }
  | { readonly measured: readonly Measured[] }
  | { readonly id: number; readonly event: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** An error between processes. */
interface SentError {
  readonly code: IbidErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly uri?: string | undefined;
}

/**
 * Processes that search one knowledge base beside each other.
 *
 * @experimental
 */
export interface SearchPool extends AsyncDisposable {
  /** Processes that run at the moment. */
  readonly size: number;
  /**
   * The same knowledge base, with its searches, answers and verdicts made by the processes. Everything else is done here: writes, lists, limits, jobs and events.
   *
   * **Errors** errors of the calls. A call whose process ended is done here.
   */
  share(kb: KnowledgeBase): KnowledgeBase;
  /** Ends the processes, also those that still search. */
  close(): Promise<void>;
}

/**
 * Options of {@link openSearchPool}.
 *
 * @experimental
 */
export interface SearchPoolOptions {
  /** Number of processes. One for each processor is enough. */
  readonly size: number;
  /** Starts a process that opens the same knowledge base and calls {@link serveSearches}: `fork(file, args, { serialization: "advanced" })`. */
  readonly start: () => ChildProcess;
  /** Gets a sentence when a process ended and another takes its place. */
  readonly onRestart?: ((reason: string) => void) | undefined;
  /** Figures of the service, which count the searches of processes that send theirs, as those of `ibid serve` do. */
  readonly metrics?: Pick<ServiceMetrics, "take"> | undefined;
}

/** One process with its calls under way. */
interface Searcher {
  readonly child: ChildProcess;
  readonly calls: Map<number, (message: FromSearcher | undefined) => void>;
}

/** A process that ends within this time of its start is not started again. **Units** milliseconds. */
const leastLifeMs = 5000;

/**
 * Starts processes that search one knowledge base.
 *
 * **Shape** resolves when every process is ready. **Errors** `internal` when a process ends before it is ready. **Cost** each process has its own copy of the index in memory.
 *
 * @experimental
 */
export async function openSearchPool(options: SearchPoolOptions): Promise<SearchPool> {
  checkOptions("openSearchPool", options, { size: true, start: true, onRestart: true, metrics: true });
  checkGiven("openSearchPool", "options", options, "object", { start: "function" });
  const { size, start, onRestart, metrics } = options;
  if (!Number.isInteger(size) || size < 1 || size > 256)
    throw new IbidError("invalid-argument", `The pool has ${String(size)} processes; it must have 1 to 256.`, {
      hint: "One for each processor is enough.",
    });
  const searchers = new Set<Searcher>();
  let lastId = 0;
  let isClosing = false;

  const add = async (): Promise<void> => {
    const started = performance.now();
    const searcher: Searcher = { child: start(), calls: new Map() };
    const { child, calls } = searcher;
    const ready = Promise.withResolvers<void>();
    child.on("message", (message: FromSearcher) => {
      if ("ready" in message) ready.resolve();
      else if ("measured" in message) metrics?.take(message.measured);
      else calls.get(message.id)?.(message);
    });
    child.on("error", ready.reject);
    child.once("exit", (code, signal) => {
      searchers.delete(searcher);
      const reason = `A process that searches ended (${signal ?? code}).`;
      ready.reject(new IbidError("internal", reason, { hint: "Its reason is on standard error." }));
      for (const end of calls.values()) end(undefined);
      if (isClosing || performance.now() - started < leastLifeMs) return;
      onRestart?.(`${reason} Another takes its place.`);
      add().catch(() => {});
    });
    await ready.promise;
    searchers.add(searcher);
  };

  const close = async (): Promise<void> => {
    isClosing = true;
    await Promise.all(
      [...searchers].map(async ({ child }) => {
        const ended = once(child, "exit");
        child.disconnect();
        const late = setTimeout(() => child.kill("SIGKILL"), 2000);
        await ended;
        clearTimeout(late);
      }),
    );
  };

  /** Calls a verb in the process with the fewest calls. **Shape** `undefined` is yielded where no process does it. */
  async function* call(
    verb: SharedVerb,
    access: AccessContext | "operator",
    given: Extract<ToSearcher, { readonly given: unknown }>["given"],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<FromSearcher | undefined> {
    const [searcher] = [...searchers].toSorted((a, b) => a.calls.size - b.calls.size);
    if (searcher === undefined) return yield undefined;
    const id = ++lastId;
    const waiting: (FromSearcher | undefined)[] = [];
    let wake = (): void => {};
    searcher.calls.set(id, (message) => {
      waiting.push(message);
      wake();
    });
    const stop = (): void => {
      if (searcher.child.connected) searcher.child.send({ id, stop: true } satisfies ToSearcher);
      wake();
    };
    signal?.addEventListener("abort", stop, { once: true });
    let isOver = false;
    try {
      searcher.child.send({ id, verb, access, given } satisfies ToSearcher);
      while (!isOver) {
        if (signal?.aborted === true) throw abortError(signal, "The request");
        const [message] = waiting;
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        waiting.shift();
        isOver = message === undefined || !("event" in message);
        yield message;
      }
    } finally {
      signal?.removeEventListener("abort", stop);
      searcher.calls.delete(id);
      if (!isOver) stop();
    }
  }

  const share = (kb: KnowledgeBase, access: AccessContext | "operator" = "operator"): SharedSearches => {
    const single = async (
      verb: "search" | "searchBody" | "verify",
      here: () => Promise<unknown>,
      subject: unknown,
      options: object,
      choices?: BodyChoices,
    ) => {
      const { signal, ...rest } = options as { readonly signal?: AbortSignal };
      if (!isPlain(rest)) return here();
      for await (const message of call(verb, access, [subject, rest, choices], signal)) {
        if (message === undefined) return here();
        if ("error" in message) throw toError(message.error);
        if ("result" in message) return message.result;
      }
      return here();
    };
    const body: ShareSearchBody = (query, options, choices) =>
      single("searchBody", async () => undefined, query, options, choices) as ReturnType<ShareSearchBody>;
    return {
      ...kb,
      [shareSearchBody]: body,
      as: (who, options) =>
        options === undefined && access === "operator" ? share(kb.as(who), who) : kb.as(who, options),
      search: (query, options = {}) =>
        single("search", () => kb.search(query, options), query, options) as ReturnType<KnowledgeBase["search"]>,
      verify: (answer, options = {}) =>
        single("verify", () => kb.verify(answer, options), answer, options) as ReturnType<KnowledgeBase["verify"]>,
      ask(question, options = {}) {
        const left = new AbortController();
        const { signal, ...rest } = options;
        const either = signal === undefined ? left.signal : anySignal([signal, left.signal]);
        if (!isPlain(rest)) return kb.ask(question, options);
        return createRun<AnswerEvent, Answer>(
          async function* () {
            let hasBegun = false;
            for await (const message of call("ask", access, [question, rest], either)) {
              if (message === undefined) {
                // An answer that has begun cannot begin again: the client has a part of it.
                if (hasBegun) throw new IbidError("internal", "The process that made the answer ended.");
                const run = kb.ask(question, options);
                yield* run;
                return await run;
              }
              if ("error" in message) throw toError(message.error);
              if ("result" in message) return message.result as Answer;
              hasBegun = true;
              if ("event" in message) yield message.event as AnswerEvent;
            }
            throw new IbidError("internal", "The answer ended before it was complete.");
          },
          () => left.abort(),
        );
      },
    };
  };

  try {
    await Promise.all(Array.from({ length: size }, add));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get size() {
      return searchers.size;
    },
    share,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Whether options can be sent to another process: functions and models cannot. */
function isPlain(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "symbol") return false;
  return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}

function toError({ code, message, hint, uri }: SentError): IbidError {
  return new IbidError(code, message, { ...(hint !== undefined && { hint }), ...(uri !== undefined && { uri }) });
}

/** The channel between a process and the one that started it: `process` itself. */
interface Channel {
  send?: ((message: FromSearcher) => unknown) | undefined;
  on(event: "message", listener: (message: ToSearcher) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

/**
 * Does the searches of a pool, in a process that it started, until the pool lets go of it.
 *
 * **Shape** `channel` is `process`. **Errors** `invalid-argument` in a process that no pool started.
 *
 * @experimental
 */
export async function serveSearches(kb: KnowledgeBase, channel: Channel): Promise<void> {
  checkGiven("serveSearches", "kb", kb, "object");
  checkNotRevoked("serveSearches", "channel", channel);
  const stops = new Map<number, AbortController>();
  const names = createPublicNames(kb);
  const send = (message: FromSearcher): void => {
    // The pool may be gone by now.
    if ((channel as { readonly connected?: boolean }).connected !== false) channel.send?.(message);
  };
  if (typeof channel?.send !== "function")
    throw new IbidError("invalid-argument", "This process was not started by a pool.", {
      hint: "Start it with fork, in the option `start` of openSearchPool.",
    });
  const done = Promise.withResolvers<void>();
  channel.once("disconnect", () => {
    for (const stop of stops.values()) stop.abort();
    done.resolve();
  });
  channel.on("message", (message) => {
    const { id } = message;
    if ("stop" in message) {
      stops.get(id)?.abort();
      return;
    }
    const stop = new AbortController();
    stops.set(id, stop);
    answer(kb, names, message, stop.signal, send)
      .catch((error: unknown) => send({ id, error: toSent(error) }))
      .finally(() => stops.delete(id));
  });
  // A failure must not keep the process from being used: the next search gets its error.
  await searchOnce(kb).catch(() => {});
  send({ ready: true });
  await done.promise;
}

async function answer(
  kb: KnowledgeBase,
  names: PublicNames,
  { id, verb, access, given: [subject, options, choices = {}] }: Exclude<ToSearcher, { readonly stop: true }>,
  signal: AbortSignal,
  send: (message: FromSearcher) => void,
): Promise<void> {
  const view = access === "operator" ? kb : kb.as(access);
  const how = { ...options, signal };
  if (verb === "searchBody") {
    const shown = choices.isHidden === true ? names.hide(view) : view;
    const { bytes } = await makeSearchBody(shown, subject as string, how);
    const packed = choices.mayPack === true ? packBody(bytes) : undefined;
    return send({ id, result: { bytes: packed ?? bytes, isPacked: packed !== undefined } });
  }
  if (verb === "search") return send({ id, result: await view.search(subject as string, how) });
  if (verb === "verify") return send({ id, result: await view.verify(subject as string, how) });
  const run = view.ask(subject as string, how);
  for await (const event of run) send({ id, event });
  send({ id, result: await run });
}

function toSent(error: unknown): SentError {
  if (!IbidError.isInstance(error))
    return { code: "internal", message: error instanceof Error ? error.message : String(error) };
  const { code, message, hint, uri } = error;
  return { code, message, hint, uri };
}
