import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createWorkerReaders, type WorkerReaders } from "./worker-readers.ts";
import type { Reader } from "../../contracts/reader.ts";

/** The worker's program. In the source it lies beside this file; in the package the bundle writes it to `dist/node`, however deep the caller lies. */
export function findReadWorker(): URL | undefined {
  if (import.meta.url.endsWith(".ts")) return new URL("./read-worker.ts", import.meta.url);
  try {
    const manifest = createRequire(import.meta.url).resolve("ibid/package.json");
    return new URL("dist/node/read-worker.js", pathToFileURL(manifest));
  } catch {
    // An application's bundle without the package `ibid` beside it.
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
  return createWorkerReaders(readers, { program: findReadWorker(), own, readInWorker });
}
