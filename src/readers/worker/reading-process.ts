import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { IbidError } from "../../contracts/errors.ts";
import type { ReadLimits } from "../../contracts/reader.ts";
import { abortError } from "../../runtime/abort.ts";
import { createCalls } from "../../runtime/calls.ts";

/** A process that reads one file at a time, and can be killed while it does. */
export interface ReadingProcess {
  /** Memory limit of the process; another limit needs another process. */
  readonly maxMemoryBytes: number;
  readonly isAlive: boolean;
  /**
   * Reads one file by calling the worker, within the limits.
   *
   * **Errors** `timeout`, `too-large` for memory, `aborted`, `unreadable` when the process ended otherwise. Each names
   * the file, and the process is gone. {@link NotStarted} when the process could not start.
   */
  run<Value>(work: () => Promise<Value>, job: ProcessJob): Promise<Value>;
  /** **Errors** the worker's own, as long as it lives. */
  call(method: string, argument: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface ProcessJob {
  readonly uri: string;
  readonly limits: ReadLimits;
  readonly signal?: AbortSignal | undefined;
}

/** There is no worker to be had on this machine, or the program has been bundled away from it. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
}

/** The longest wait that a timer takes. */
const longestTimer = 2 ** 31 - 1;
const mebibyte = 1024 * 1024;

/** Environment of the reading process: variables for dates and paths, and no keys. */
const passedOn = ["PATH", "TZ", "LANG", "LC_ALL", "SystemRoot", "TEMP", "TMP", "TMPDIR"];

/** Starts the worker's program. It keeps nobody's process alive while nothing is read. */
export function startReadingProcess(
  program: URL,
  maxMemoryBytes: number,
  methods: (process: ReadingProcess) => Readonly<Record<string, (argument: never) => unknown>>,
): ReadingProcess {
  const child = startProgram(program, maxMemoryBytes);
  const ended = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let isAlive = true;
  let lastWords = "";
  let stop: ((error: unknown) => void) | undefined;

  child.stderr?.setEncoding("utf8").on("data", (text: string) => (lastWords = (lastWords + text).slice(-2000)));
  child.on("message", (message) => {
    if (typeof message === "object" && message !== null && "ready" in message) ready.resolve();
    else calls.receive(message);
  });
  const end = (reason: Ended): void => {
    isAlive = false;
    // Killed at once, it had too little memory; that is no reason to go on without it.
    const couldNot = new NotStarted(`The reading worker did not start: ${firstError(lastWords) ?? reason.message}.`);
    ready.reject(reason.signal === null ? couldNot : reason);
    calls.end(reason);
    stop?.(reason);
  };
  child.on("error", (cause) => end(new Ended(null, null, cause)));
  child.on("exit", (code, signal) => {
    end(new Ended(code, signal));
    ended.resolve();
  });
  const keepAlive = (isBusy: boolean): void => {
    // A pipe is a socket in Node, which can be let go of; in Bun it is a stream without these methods.
    for (const handle of [child, child.channel, child.stderr as Partial<ChildProcess> | null]) {
      if (isBusy) handle?.ref?.();
      else handle?.unref?.();
    }
  };
  keepAlive(false);

  const self: ReadingProcess = {
    maxMemoryBytes,
    get isAlive() {
      return isAlive;
    },
    async run(work, { uri, limits, signal }) {
      keepAlive(true);
      const stopped = Promise.withResolvers<never>();
      stopped.promise.catch(() => {});
      stop = stopped.reject;
      const abort = (): void => {
        if (signal !== undefined) kill(abortError(signal, `Reading ${uri}`, { uri }));
      };
      const kill = (error: unknown): void => {
        stopped.reject(error);
        child.kill("SIGKILL");
      };
      signal?.addEventListener("abort", abort, { once: true });
      let timer: NodeJS.Timeout | undefined;
      try {
        if (signal?.aborted === true) throw abortError(signal, `Reading ${uri}`, { uri });
        await Promise.race([ready.promise, stopped.promise]);
        timer = setTimeout(() => kill(tooSlow(uri, limits.timeoutMs)), Math.min(limits.timeoutMs, longestTimer));
        return await Promise.race([work(), stopped.promise]);
      } catch (error) {
        // A killed process is not given to the next file, though it takes a moment until it is gone.
        if (child.killed) isAlive = false;
        throw error instanceof Ended ? describeEnding(error, uri, limits) : error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        stop = undefined;
        keepAlive(false);
      }
    },
    call: (method, argument) => calls.call(method, argument),
    async close() {
      isAlive = false;
      stop?.(
        new IbidError("store-closed", "The reading was stopped: the knowledge base is closed.", {
          hint: "Open it again.",
        }),
      );
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      child.kill("SIGKILL");
      // Closing waits for this process alone.
      child.ref();
      await ended.promise;
    },
  };
  const calls = createCalls(
    (message) => child.send(message, (error) => error && end(new Ended(null, null, error))),
    methods(self),
  );
  return self;
}

/** **Errors** {@link NotStarted} where processes may not be started at all, as under Node's permissions. */
function startProgram(program: URL, maxMemoryBytes: number): ChildProcess {
  const env = Object.fromEntries(passedOn.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
  try {
    // Most who open a knowledge base start no worker, and this loads half of the network stack.
    const { fork } = process.getBuiltinModule("node:child_process");
    return fork(fileURLToPath(program), [String(maxMemoryBytes)], {
      serialization: "advanced",
      execArgv: heapLimit(maxMemoryBytes),
      // Where the runtime is an application's own, it is still Node that is asked for.
      env: { ...env, ELECTRON_RUN_AS_NODE: "1" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NotStarted(`The reading worker cannot be started: ${reason}.`, { cause });
  }
}

/** A process came to its end, and nobody here ended it. */
class Ended extends Error {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(code: number | null, signal: NodeJS.Signals | null, cause?: Error) {
    super(cause?.message ?? `it ended with ${signal ?? `code ${code}`}`, cause && { cause });
    this.code = code;
    this.signal = signal;
  }
}

/** V8 takes whole mebibytes, and without a bound its own. */
function heapLimit(maxMemoryBytes: number): string[] {
  return Number.isFinite(maxMemoryBytes)
    ? [`--max-old-space-size=${Math.max(32, Math.floor(maxMemoryBytes / mebibyte))}`]
    : [];
}

function tooSlow(uri: string, timeoutMs: number): IbidError {
  return new IbidError(
    "timeout",
    `${uri} took longer to read than ${(timeoutMs / 1000).toLocaleString("en")} seconds.`,
    {
      hint: "Split it into several files, or raise the limit timeoutMs.",
      uri,
      details: { limit: "timeoutMs", max: timeoutMs },
    },
  );
}

/** V8 aborts when its heap is full, the worker's watch kills it when everything together is too much, and so may the system. */
function describeEnding(ended: Ended, uri: string, { maxMemoryBytes }: ReadLimits): IbidError {
  const { code, signal } = ended;
  if (signal === "SIGABRT" || signal === "SIGKILL" || code === 134) {
    const allowed = Math.round(maxMemoryBytes / mebibyte).toLocaleString("en");
    return new IbidError("too-large", `${uri} needs more memory to be read than ${allowed} MiB.`, {
      hint: "Split it into several files, or raise the limit maxMemoryBytes.",
      uri,
      details: { limit: "maxMemoryBytes", max: maxMemoryBytes },
      cause: ended,
    });
  }
  return new IbidError("unreadable", `${uri} could not be read: its worker stopped, ${ended.message}.`, {
    hint: "Check that the file opens in a program of its kind, or give it in another format.",
    uri,
    details: { code, signal },
    cause: ended,
  });
}

function firstError(text: string): string | undefined {
  return text.split("\n").find((line) => /error/iu.test(line));
}
