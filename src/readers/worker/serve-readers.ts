import { Worker } from "node:worker_threads";
import type { Reader } from "../../contracts/reader.ts";
import { detectMediaType } from "../media-type.ts";
import { createPartReader, type PartInput } from "../read-document.ts";
import { limitsOf } from "../read-limits.ts";
import { createCalls } from "../../runtime/calls.ts";
import { type CallersResult, type FilePiece, type PagesRead, sendAhead, type WorkerJob } from "./worker-job.ts";

/**
 * The worker's side: reads each file that it receives, one at a time, and ends with the process that started it.
 *
 * **Shape** parts inside a file are read here too, but those for a reader of the caller's own go back to it.
 */
export function serveReaders(readers: readonly Reader[], maxMemoryBytes: number): void {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error("Only ibid may start this program, which reads files.");
  watchOver(maxMemoryBytes);
  // Ctrl-C reaches every process of a terminal; when to stop is for the one that started us to say.
  process.on("SIGINT", () => {});
  process.on("disconnect", () => process.exit());
  // Libraries leave promises behind that fail unobserved. The requested reading has its own result, and its own time limit.
  process.on("unhandledRejection", () => {});

  /** Media types of the caller's own readers, which live in the other process; an answer for a type stays. */
  const taken = new Map<string, Promise<boolean>>();
  const isTaken = (mediaType: string): Promise<boolean> => {
    const known = taken.get(mediaType) ?? (calls.call("takes", mediaType) as Promise<boolean>);
    taken.set(mediaType, known);
    return known;
  };
  const readElsewhere = async (part: PartInput): Promise<CallersResult> => {
    const mediaType = detectMediaType(part.bytes, { declared: part.mediaType, name: part.uri });
    if (!(await isTaken(mediaType))) return undefined;
    return (await calls.call("readPart", part)) as CallersResult;
  };
  const files = new Map<number, Uint8Array>();
  const calls = createCalls((message) => void send(message), {
    piece({ file, total, at, bytes }: FilePiece): void {
      const whole = files.get(file) ?? new Uint8Array(total);
      whole.set(bytes, at);
      files.set(file, whole);
    },
    async read({ job, reader, input: sent, tellsPages, hasOwn, file }: WorkerJob) {
      const input = { ...sent, bytes: files.get(file ?? 0) ?? sent.bytes };
      files.delete(file ?? 0);
      const asked = readers[reader];
      if (asked === undefined) throw new TypeError(`There is no reader ${reader}.`);
      const readPart = createPartReader(readers, {
        ...input,
        limits: limitsOf(input),
        ...(hasOwn && { readElsewhere }),
      });
      const onPage = (done: number, of: number): void => {
        // A listener that fails does not stop the reader.
        calls.call("pagesRead", { job, done, of } satisfies PagesRead).catch(() => {});
      };
      const read = await asked.read({ ...input, readPart, ...(tellsPages && { onPage }) });
      return sendAhead(calls.call.bind(calls), job, read);
    },
  });
  process.on("message", (message) => calls.receive(message));
  send({ ready: true });
}

/**
 * A thread that watches while the other is busy. It ends the process when that takes too much memory, or when its parent is gone.
 *
 * V8's own limit is for its heap alone, and a process whose parent was killed would continue with a file that never ends.
 */
function watchOver(maxMemoryBytes: number): void {
  const program = `
    const { workerData } = require("node:worker_threads");
    const { ppid } = process;
    setInterval(() => {
      if (process.ppid !== ppid || process.memoryUsage.rss() > workerData) process.kill(process.pid, "SIGKILL");
    }, 100);`;
  new Worker(program, { eval: true, execArgv: [], workerData: maxMemoryBytes }).unref();
}
