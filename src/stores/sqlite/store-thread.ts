import { IbidError } from "../../contracts/errors.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import { findProgram, startThread, type Thread } from "../../runtime/thread.ts";
import { latentSemanticModel } from "../../engine/latent/latent-semantic-model.ts";
import type { SegmentStoreOptions } from "../segments/segment-core.ts";
import type { SentOptions } from "./sent-options.ts";
import type { StoreThread } from "../segments/errands.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";

/** Calls that change nothing that a search could tell. The next settling does again what one of them left. */
const upkeep: ReadonlySet<string> = new Set(["follow", "analyze", "build", "tidy", "fit", "trigrams"]);

/** An idle thread ends after this time, with its connection. **Units** milliseconds. */
const longestIdle = 10_000;

/** A thread, and who hears of its progress. */
interface Helper {
  readonly thread: Thread;
  tell: ((share: number) => void) | undefined;
}

/** A thread whose store is closed, and the clock that ends it. The next store of the process takes it: a new thread compiles the same code once more. */
let resting: { readonly helper: Helper; readonly clock: NodeJS.Timeout } | undefined;

function takeHelper(program: URL, start: typeof startThread): Helper {
  const rested = resting;
  resting = undefined;
  clearTimeout(rested?.clock);
  if (rested?.helper.thread.isAlive === true) return rested.helper;
  const helper: Helper = {
    thread: start(program, { progress: (share: number) => helper.tell?.(share) }),
    tell: undefined,
  };
  return helper;
}

/** Keeps one thread for the next store, and ends the others. */
async function restHelper(helper: Helper): Promise<void> {
  if (resting !== undefined) return helper.thread.end();
  const clock = setTimeout(() => {
    resting = undefined;
    void helper.thread.end();
  }, longestIdle);
  resting = { helper, clock: clock.unref() };
}

/**
 * A thread for the works of a store that take long. It has a connection of its own to the same file, so that searches go on beside it.
 *
 * **Shape** `undefined` for an analyzer or a model of the caller's, which cannot be sent, and where the program is not found. It starts with the first call, and
 * again after a rest. A thread whose store is closed serves the next store that opens within ten seconds.
 * **Cost** about 70 ms of another core at the start; the memory of a connection and of one work; some tens of megabytes while it rests.
 */
export async function createStoreThread(
  path: string,
  busyTimeoutMs: number,
  { analyzer, corpusModel, bm25, metric, policy }: Omit<SegmentStoreOptions, "secret" | "embeddings">,
  start = startThread,
): Promise<StoreThread | undefined> {
  const isOwn =
    corpusModel === undefined ||
    (corpusModel.fit === latentSemanticModel.fit && corpusModel.project === latentSemanticModel.project);
  const program = findProgram(() => new URL("./store-thread-program.ts", import.meta.url), "store-thread-program.mjs");
  const sent = await nameOf(analyzer);
  if (sent === undefined || !isOwn || program === undefined) return undefined;
  const options: SentOptions = {
    path,
    busyTimeoutMs,
    bm25,
    metric,
    policy,
    embeddings: ["dense", "sparse", "hybrid"],
    analyzer: sent,
    leastChunks: corpusModel?.leastChunks,
  };
  let opened: Promise<Helper> | undefined;
  /** The one of `opened`, until it rests. */
  let own: Helper | undefined;
  /** The thread, until it has a store open. */
  let starting: Thread | undefined;
  /** Whether it has a store open. */
  let isReady = false;
  /** Names of the calls that are under way, and when each is over. */
  const calls = new Map<Promise<unknown>, string>();
  let isHasty = false;
  let idle: NodeJS.Timeout | undefined;

  async function open(): Promise<Helper> {
    const helper = takeHelper(program!, start);
    const { thread } = helper;
    own = helper;
    void thread.ended.then(() => {
      // It may serve another store by then.
      if (own !== helper) return;
      opened = undefined;
      starting = undefined;
      isReady = false;
    });
    starting = thread;
    await thread.call("open", options);
    starting = undefined;
    isReady = true;
    return helper;
  }

  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => void end(), longestIdle).unref();
  }

  async function end(settle = true): Promise<void> {
    clearTimeout(idle);
    isReady = false;
    isHasty ||= !settle;
    // It was started for what might have come.
    if (starting !== undefined && [...calls.values()].every((name) => name === "follow")) return starting.end();
    if (!settle) await Promise.all([...calls].filter(([, name]) => !upkeep.has(name)).map(([over]) => over));
    const helper = await opened?.catch(() => undefined);
    opened = undefined;
    if (helper === undefined) return;
    if (!settle && calls.size > 0) return helper.thread.end();
    // Its connection is closed in the thread: a thread that is cut off leaves the log as it is.
    const isClosed = await helper.thread.call("close", undefined).then(
      () => true,
      () => false,
    );
    if (!isClosed || calls.size > 0) return helper.thread.end();
    if (own === helper) own = undefined;
    await restHelper(helper);
  }

  return {
    async call(method, given, { signal, onProgress } = {}) {
      clearTimeout(idle);
      if (isHasty && upkeep.has(method))
        throw new IbidError("aborted", "The store is closed without its upkeep.", { hint: "Open it again." });
      const over = Promise.withResolvers<void>();
      calls.set(over.promise, method);
      try {
        const helper = await (opened ??= open());
        const { thread } = helper;
        if (onProgress !== undefined) helper.tell = onProgress;
        const stop = (): void => void thread.call("stop", undefined).catch(() => {});
        signal?.addEventListener("abort", stop, { once: true });
        try {
          if (signal?.aborted === true) stop();
          return (await thread.call(method, given)) as never;
        } finally {
          signal?.removeEventListener("abort", stop);
          if (helper.tell === onProgress) helper.tell = undefined;
        }
      } finally {
        over.resolve();
        calls.delete(over.promise);
        if (calls.size === 0 && opened !== undefined) rest();
      }
    },
    get isAlive() {
      return opened !== undefined;
    },
    get isFree() {
      return isReady && [...calls.values()].every((name) => name === "analyze");
    },
    close: ({ settle } = {}) => end(settle),
  };
}

async function nameOf(analyzer: Analyzer): Promise<SentOptions["analyzer"] | undefined> {
  if (analyzer === defaultAnalyzer) return "default";
  const { languageAnalyzer } = await import("../../text/languages/snowball/language-analyzer.ts");
  return analyzer === languageAnalyzer ? "languages" : undefined;
}
