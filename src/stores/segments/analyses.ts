import { giveTurn } from "../../runtime/next-turn.ts";
import type { StoreThread } from "./errands.ts";
import type { PreparedChunk } from "./replace-document.ts";

/** Chunks under way to the thread: its work for the ten milliseconds in which a commit keeps the event loop from sending more. */
const mostSent = 256;

/** Chunks of one message, at least where so many wait. */
const sentTogether = 64;

/** Writes under way that keep the event loop busy: a commit of them begins soon, so that an analysis can wait for the thread. */
const mostWriting = 32;

/** Chunks that wait for their terms together. */
interface Waiting {
  readonly chunks: readonly PreparedChunk[];
  readonly done: PromiseWithResolvers<void>;
}

/** Analyses chunks before their write begins, in order, wherever there is time for it. */
export interface Analyses {
  /** Ends when the chunks have their terms. **Errors** errors of the analyzer. */
  of(chunks: readonly PreparedChunk[]): Promise<void>;
  /** Counts a write while it is under way. */
  during<Result>(write: Promise<Result>): Promise<Result>;
}

/**
 * Analyses beside a thread: there while it is up and has no other work, and here otherwise. An analysis is a function of the chunk, so both give the same.
 *
 * **Shape** the event loop writes first. It analyses where the thread has enough and few writes are under way. It also analyses a document that comes alone,
 * because the thread may be moving the log.
 */
export function createAnalyses(thread: StoreThread): Analyses {
  const waiting: Waiting[] = [];
  let sent = 0;
  let writing = 0;
  let isRunning = false;
  /** A thread that failed is not asked again. */
  let hasFailed = false;
  let wake: (() => void) | undefined;

  const isFree = (): boolean => !hasFailed && thread.isFree;
  const isAlone = (): boolean => writing === 0 && sent === 0 && waiting.length === 1;

  function change(): void {
    wake?.();
    wake = undefined;
  }

  function takeTogether(): readonly Waiting[] {
    let size = 0;
    const taken = waiting.findIndex(({ chunks }) => (size += chunks.length) >= sentTogether);
    return waiting.splice(0, taken < 0 ? waiting.length : taken + 1);
  }

  function send(together: readonly Waiting[]): void {
    const chunks = together.flatMap((one) => one.chunks);
    const said = chunks.map(({ chunk: { title, headings, text, language } }) => {
      const shown = { title, headings, text };
      return language === undefined ? shown : { ...shown, language };
    });
    sent += chunks.length;
    thread.call("analyze", said).then(
      ({ bytes, ends }) => {
        sent -= chunks.length;
        chunks.forEach((each, i) => each.take(bytes.subarray(ends[i - 1] ?? 0, ends[i])));
        for (const { done } of together) done.resolve();
        change();
      },
      () => {
        sent -= chunks.length;
        hasFailed = true;
        waiting.unshift(...together);
        change();
        void run();
      },
    );
  }

  async function analyzeHere({ chunks, done }: Waiting): Promise<void> {
    try {
      for (const each of chunks) {
        const turn = giveTurn();
        if (turn !== undefined) await turn;
        each.terms();
      }
      done.resolve();
    } catch (error) {
      done.reject(error);
    }
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (waiting.length > 0) {
      const turn = giveTurn();
      if (turn !== undefined) await turn;
      if (isFree() && sent < mostSent && !isAlone()) send(takeTogether());
      else if (isFree() && writing >= mostWriting) await new Promise<void>((resolve) => (wake = resolve));
      else await analyzeHere(waiting.shift()!);
    }
    isRunning = false;
  }

  return {
    of(chunks) {
      if (chunks.length === 0) return Promise.resolve();
      const done = Promise.withResolvers<void>();
      waiting.push({ chunks, done });
      void run();
      return done.promise;
    },
    async during(write) {
      writing++;
      try {
        return await write;
      } finally {
        writing--;
        change();
      }
    },
  };
}
