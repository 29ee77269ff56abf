import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createWorkerReaders, type WorkerReaders } from "./worker/worker-readers.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Reader } from "../contracts/reader.ts";

/** **Errors** `invalid-argument` for anything but those three. */
export function checkReadInWorker(readInWorker: unknown): void {
  if ([true, false, "auto"].some((known) => known === readInWorker)) return;
  throw new IbidError("invalid-argument", `readInWorker is ${JSON.stringify(readInWorker)}.`, {
    hint: 'Say true, false or "auto".',
  });
}

/** A program of ours, such as the worker's: beside this file in the source; in the package where it was built to, for what is built does not lie as deep as its source. */
export function findProgram(name: "read-worker" | "ahead-thread"): URL | undefined {
  if (import.meta.url.endsWith(".ts")) return new URL(`./${name}.ts`, import.meta.url);
  try {
    return new URL(`dist/node/${name}.js`, pathToFileURL(createRequire(import.meta.url).resolve("ibid/package.json")));
  } catch {
    // Bundled, and away from its package.
    return undefined;
  }
}

/** Built-in readers, in a process of its own where that is wanted; your own stay in this one. */
export function startReaders(
  own: readonly Reader[],
  readInWorker: boolean | "auto",
  readers: readonly Reader[],
): WorkerReaders {
  if (readInWorker === false) return { readers, close: () => Promise.resolve() };
  return createWorkerReaders(readers, { program: findProgram("read-worker"), own, readInWorker });
}
