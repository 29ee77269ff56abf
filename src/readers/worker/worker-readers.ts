import { existsSync } from "node:fs";
import { IbidError } from "../../contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { type PartInput, readDocument } from "../read-document.ts";
import { limitsOf } from "../read-limits.ts";
import { needsWorker } from "./needs-worker.ts";
import { createReadingPool } from "./reading-pool.ts";
import { NotStarted, type ReadingProcess, startReadingProcess } from "./reading-process.ts";
import { type CallersResult, sendJob, takePagesRead, takeResultPiece, type WorkerJob } from "./worker-job.ts";

/** How files are read in a worker. */
export interface WorkerReaderOptions {
  /** The worker's program, which makes the same list of readers. `undefined` where it was left behind. */
  readonly program: URL | undefined;
  /** The caller's own readers. They stay in this process, and parts inside a file are offered to them first, as everything is. */
  readonly own?: readonly Reader[];
  /** `"auto"`: what is large or unpacks, and nothing where there is no worker to be had; `true`: everything, else an error. Default `"auto"`. */
  readonly readInWorker?: true | "auto";
}

/** Readers that read elsewhere, until they are closed. */
export interface WorkerReaders {
  readonly readers: readonly Reader[];
  /** Ends the workers; what they were reading fails. */
  close(): Promise<void>;
}

/**
 * Runs readers in a process that can be stopped: a file that hangs, explodes or crashes its reader fails alone, and this thread stays free.
 *
 * **Shape** names, media types and results as without. Each file has a worker to itself; after an accident the next one gets a fresh worker.
 * **Errors** as those of the readers; `timeout` beyond `limits.timeoutMs`, `too-large` beyond `limits.maxMemoryBytes`, `unreadable` when the worker crashed.
 * `unsupported-runtime` with `readInWorker: true` where no worker starts.
 * **Cost** the first file waits about 0.15 s for the worker; each file is copied there, its text back.
 * **Source** OWASP on file uploads: a parser of untrusted files is isolated and bounded. A process and not a thread: an allocation that fails
 * in a thread ends the whole program (`docs/decisions/0026-reading-in-a-process.md`).
 */
export function createWorkerReaders(
  readers: readonly Reader[],
  { program, own = [], readInWorker = "auto" }: WorkerReaderOptions,
): WorkerReaders {
  const hasOwn = own.length > 0;
  const found = program !== undefined && !isSingleFile() && existsSync(program) ? program : undefined;
  const leftBehind = new NotStarted("The reading worker's program is not there.");
  let missing = found === undefined ? leftBehind : undefined;
  let isSaid = false;
  let hasStarted = false;

  const jobOf = (reader: number, input: ReadInput): Omit<WorkerJob, "job" | "tellsPages"> => ({
    reader,
    input: sendable(input),
    hasOwn,
  });
  /** Methods for parts inside a file: the caller's own reader may need that same worker again. */
  const methodsFor = (process: ReadingProcess) => ({
    takes: (mediaType: string): boolean => own.some((reader) => reader.accepts(mediaType)),
    resultPiece: takeResultPiece,
    pagesRead: takePagesRead,
    readPart: (part: PartInput): Promise<CallersResult> => readDocument([...own, ...within(process)], part),
  });
  const within = (process: ReadingProcess): readonly Reader[] =>
    readers.map((reader, index) => ({
      ...described(reader),
      read: (input) => sendJob(process.call.bind(process), jobOf(index, input)),
    }));
  const pool = createReadingPool((maxMemoryBytes) => {
    if (found === undefined) throw leftBehind;
    return startReadingProcess(found, maxMemoryBytes, methodsFor);
  });

  const readThere = async (reader: number, input: ReadInput): Promise<ReadResult> => {
    const { uri, signal } = input;
    const limits = limitsOf(input);
    return pool.use({ maxMemoryBytes: limits.maxMemoryBytes, signal, uri }, (process) =>
      process.run(() => sendJob(process.call.bind(process), jobOf(reader, input), input.onPage), {
        uri,
        limits,
        signal,
      }),
    );
  };
  const read = async (reader: Reader, index: number, input: ReadInput): Promise<ReadResult> => {
    if (readInWorker !== true && !needsWorker(reader.name, input.bytes.byteLength)) return reader.read(input);
    if (missing === undefined) {
      try {
        const result = await readThere(index, input);
        hasStarted = true;
        return result;
      } catch (error) {
        if (!(error instanceof NotStarted)) throw error;
        // Where there was one, there will be one again: this file waits for that.
        if (hasStarted) throw notStarted(error);
        missing = error;
      }
    }
    if (readInWorker === true) throw notStarted(missing);
    if (!isSaid) warn(missing);
    isSaid = true;
    return reader.read(input);
  };

  return {
    readers: readers.map((reader, index) => ({
      ...described(reader),
      read: (input) => read(reader, index, input),
      ...(reader.readText !== undefined && readInWorker !== true && !needsWorker(reader.name, Infinity)
        ? { readText: (input) => reader.readText!(input) }
        : {}),
    })),
    close: () => pool.close(),
  };
}

/** Whether the program is one executable file of Node's, which cannot start another program. Bun and Deno have no such module. */
function isSingleFile(): boolean {
  return process.getBuiltinModule("node:sea")?.isSea() ?? false;
}

function described(reader: Reader): Pick<Reader, "name" | "accepts"> {
  return { name: reader.name, accepts: (mediaType) => reader.accepts(mediaType) };
}

function warn(error: Error): void {
  process.emitWarning(`${error.message} Files are read in this process, where a hostile one cannot be stopped.`, {
    type: "IbidWarning",
    code: "IBID_NO_WORKER",
  });
}

function notStarted(cause: Error): IbidError {
  return new IbidError("unsupported-runtime", cause.message, {
    hint: 'When ibid is bundled, keep it external; or open with reading: { worker: "auto" }, which reads in this process without a worker.',
    cause,
  });
}

/** The data of the input: a signal and functions cannot be sent. */
function sendable(input: ReadInput): WorkerJob["input"] {
  const sent: { -readonly [Key in keyof ReadInput]?: ReadInput[Key] } = { ...input };
  delete sent.signal;
  delete sent.readPart;
  delete sent.onPage;
  return { ...(sent as WorkerJob["input"]), limits: limitsOf(input) };
}
