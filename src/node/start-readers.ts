import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createWorkerReaders, type WorkerReaders } from "../adapters/worker/worker-readers.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Reader } from "../contracts/reader.ts";
import { createReaders } from "./create-readers.ts";

/** **Errors** `invalid-argument` for anything but those three. */
export function checkReadInWorker(readInWorker: unknown): void {
  if ([true, false, "auto"].some((known) => known === readInWorker)) return;
  throw new IbidError("invalid-argument", `readInWorker is ${JSON.stringify(readInWorker)}.`, {
    mend: 'Say true, false or "auto".',
  });
}

/** The worker's program: beside this file in the source; in the package where it was built to, for what is built does not lie as deep as its source. */
function workerProgram(): URL | undefined {
  if (import.meta.url.endsWith(".ts")) return new URL("./read-worker.ts", import.meta.url);
  try {
    return new URL(
      "dist/node/read-worker.js",
      pathToFileURL(createRequire(import.meta.url).resolve("ibid/package.json")),
    );
  } catch {
    // Bundled, and away from its package.
    return undefined;
  }
}

/** What ibid reads, in a process of its own where that is wanted; your own readers stay in this one. */
export function startReaders(own: readonly Reader[], readInWorker: boolean | "auto"): WorkerReaders {
  const readers = createReaders();
  if (readInWorker === false) return { readers, close: () => Promise.resolve() };
  return createWorkerReaders(readers, { program: workerProgram(), own, readInWorker });
}
