import { createWorkerReaders, type WorkerReaders } from "./worker-readers.ts";
import type { Reader } from "../../contracts/reader.ts";
import { findProgram } from "../../runtime/thread.ts";

/** Built-in readers, in a process of its own where that is wanted; your own stay in this one. */
export function startReaders(
  own: readonly Reader[],
  readInWorker: boolean | "auto",
  readers: readonly Reader[],
): WorkerReaders {
  if (readInWorker === false) return { readers, close: () => Promise.resolve() };
  const program = findProgram(() => new URL("./read-worker.ts", import.meta.url), "read-worker.mjs");
  return createWorkerReaders(readers, { program, own, readInWorker });
}
