import type { Worker } from "node:worker_threads";
import type { Answered, Asked, PreparedDocument, Ready } from "./prepared-document.ts";

/** A thread that prepares documents, from its start to its end. */
export interface AheadThread {
  readonly isReady: boolean;
  /** Ends when it is ready, or never will be. */
  readonly started: Promise<void>;
  /** `undefined` where it could not, or is gone: no error, for whoever asks can do it himself. */
  prepare(reader: number, input: Asked["input"]): Promise<KnownTerms | undefined>;
  end(): void;
}

/** A prepared document, with the terms that its numbers mean. */
export interface KnownTerms extends PreparedDocument {
  readonly words: readonly string[];
}

/** Answers that are handed on at once, so that what becomes of them shares a commit. */
const together = 16;

/**
 * Starts the thread's program.
 *
 * **Shape** it keeps the process alive while it is asked, and not when it is idle. `expected` is what it must be ready with, `patienceMs` how long it may be silent; `onEnd` is called once.
 */
export function startAheadThread(program: URL, expected: string, patienceMs: number, onEnd: () => void): AheadThread {
  const asked = new Map<number, (document: KnownTerms | undefined) => void>();
  const held: { readonly job: number; readonly document: KnownTerms | undefined }[] = [];
  const started = Promise.withResolvers<void>();
  let words: string[] = [];
  let jobs = 0;
  let isReady = false;
  let silence: NodeJS.Timeout | undefined;
  let worker: Worker | undefined;

  const end = (): void => {
    if (worker === undefined) return;
    const ended = worker;
    worker = undefined;
    isReady = false;
    clearTimeout(silence);
    void ended.terminate();
    started.resolve();
    for (const resolve of asked.values()) resolve(undefined);
    asked.clear();
    held.length = 0;
    onEnd();
  };
  const rest = (): void => {
    clearTimeout(silence);
    silence = undefined;
    worker?.unref();
  };
  const handOn = (): void => {
    for (const { job, document } of held.splice(0)) {
      asked.get(job)?.(document);
      asked.delete(job);
    }
    if (asked.size === 0) rest();
    else silence?.refresh();
  };
  const learn = ({ document }: Answered): KnownTerms | undefined => {
    if (document?.cuts?.anew === true) words = [];
    for (const word of document?.cuts?.added ?? []) words.push(word);
    return document && { ...document, words };
  };
  const receive = (message: Ready | Answered): void => {
    if ("ready" in message) {
      isReady = message.ready === expected;
      if (!isReady) end();
      else rest();
      started.resolve();
      return;
    }
    held.push({ job: message.job, document: learn(message) });
    if (held.length >= Math.min(together, asked.size / 2)) handOn();
  };

  try {
    // Most who open a knowledge base start no thread.
    const { Worker: Thread } = process.getBuiltinModule("node:worker_threads");
    worker = new Thread(program, { execArgv: [], stdout: true, stderr: true });
    worker.on("message", receive).on("error", end).on("exit", end);
    silence = setTimeout(end, patienceMs);
  } catch {
    // Not here, as under Node's permissions.
    started.resolve();
    queueMicrotask(onEnd);
  }

  return {
    get isReady() {
      return isReady;
    },
    started: started.promise,
    prepare(reader, input) {
      if (worker === undefined || !isReady) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<KnownTerms | undefined>();
      // A copy of its own: the bytes may be a part of something larger, and are still somebody else's.
      const bytes = input.bytes.slice();
      const job = ++jobs;
      asked.set(job, resolve);
      worker.ref();
      silence ??= setTimeout(end, patienceMs);
      worker.postMessage({ job, reader, input: { ...input, bytes } } satisfies Asked, [bytes.buffer]);
      return promise;
    },
    end,
  };
}
