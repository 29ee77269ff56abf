import { availableParallelism } from "node:os";
import { IbidError } from "../../contracts/errors.ts";
import { abortError } from "../../runtime/abort.ts";
import type { ReadingProcess } from "./reading-process.ts";

export interface ReadingPool {
  /** Gives `work` a process that nobody else uses meanwhile. **Errors** `aborted` while it waits for one; `store-closed` after `close`. */
  use<Value>(
    options: { readonly maxMemoryBytes: number; readonly signal?: AbortSignal | undefined; readonly uri: string },
    work: (process: ReadingProcess) => Promise<Value>,
  ): Promise<Value>;
  close(): Promise<void>;
}

/** One core is the caller's own; more than four processes take more memory than they save time. */
const defaultProcesses = Math.min(4, Math.max(1, availableParallelism() - 1));

/** A process costs a tenth of a second to start and some 60 MB to keep. */
const idleMs = 30_000;

/** Keeps a few processes: starts one where all are busy, lets it go when nothing was read for a while. */
export function createReadingPool(
  start: (maxMemoryBytes: number) => ReadingProcess,
  most: number = defaultProcesses,
): ReadingPool {
  const idle: ReadingProcess[] = [];
  const busy = new Set<ReadingProcess>();
  const waiting: (() => void)[] = [];
  let closed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  const turn = async (signal: AbortSignal | undefined, uri: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      const place = waiting.indexOf(resolve);
      if (place !== -1) waiting.splice(place, 1);
      if (signal !== undefined) reject(abortError(signal, `Reading ${uri}`, { uri }));
    };
    waiting.push(resolve);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  };
  const take = (maxMemoryBytes: number): ReadingProcess => {
    clearTimeout(idleTimer);
    for (let process = idle.pop(); process !== undefined; process = idle.pop()) {
      if (process.isAlive && process.maxMemoryBytes === maxMemoryBytes) return process;
      void process.close();
    }
    return start(maxMemoryBytes);
  };
  const letGo = async (): Promise<void> => {
    await Promise.all(idle.splice(0).map((process) => process.close()));
  };

  return {
    async use({ maxMemoryBytes, signal, uri }, work) {
      let isOurs = busy.size < most;
      while (!isOurs) {
        await turn(signal, uri);
        isOurs = busy.size < most;
      }
      if (closed) {
        throw new IbidError("store-closed", `${uri} is not read: the knowledge base is closed.`, {
          hint: "Open it again.",
          uri,
        });
      }
      let process: ReadingProcess | undefined;
      try {
        process = take(maxMemoryBytes);
        busy.add(process);
        return await work(process);
      } finally {
        if (process !== undefined) {
          busy.delete(process);
          if (process.isAlive && !closed) idle.push(process);
          else void process.close();
        }
        waiting.shift()?.();
        if (busy.size === 0) idleTimer = setTimeout(() => void letGo(), idleMs).unref();
      }
    },
    async close() {
      closed = true;
      clearTimeout(idleTimer);
      for (const wake of waiting.splice(0)) wake();
      await Promise.all([letGo(), ...[...busy].map((process) => process.close())]);
    },
  };
}
