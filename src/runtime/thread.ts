import { IbidError } from "../contracts/errors.ts";
import { type CallMethods, createCalls } from "./calls.ts";
import { findPackage } from "./packages.ts";

/** A module that runs in a thread of this process and answers calls. */
export interface Thread {
  readonly isAlive: boolean;
  /** Resolves when the thread is gone: with `undefined` after `end`, else with the reason. */
  readonly ended: Promise<IbidError | undefined>;
  /**
   * Calls a method of the module. A `Transfer` as the argument moves its buffers instead of copying them.
   *
   * **Errors** errors of the method; `unsupported-runtime` when the thread did not start; `aborted` after `end`; `internal` when the thread died.
   */
  call(method: string, argument: unknown): Promise<unknown>;
  /** Ends the thread at once, also in the middle of work. Calls without an answer reject. */
  end(): Promise<void>;
}

/**
 * Finds a program that is started by its file, which lies beside the code that starts it, in the sources as in the package.
 *
 * Some bundlers leave it behind; then the installed package has it, where there is one: `packaged` is the file's name in it.
 *
 * **Shape** `address` makes the URL of a literal path against the module's own address: bundlers know this form and copy the file. `undefined` where there is none.
 */
export function findProgram(address: () => URL, packaged: string): URL | undefined {
  const { existsSync } = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  try {
    const program = address();
    if (existsSync(program)) return program;
  } catch {
    // A bundle of CommonJS has no address of its own.
  }
  const manifest = findPackage("ibid/package.json", [path.join(process.cwd(), "package.json")]);
  if (manifest === undefined) return undefined;
  const file = path.join(path.dirname(manifest), "dist", "node", packaged);
  return existsSync(file) ? process.getBuiltinModule("node:url").pathToFileURL(file) : undefined;
}

/** Heap of young objects in a thread: left to itself it grows to 128 MB, and gives little of it back. */
const maxYoungGenerationSizeMb = 20;

/**
 * Starts a module in a thread. The module calls {@link serveThread}.
 *
 * **Shape** the thread keeps the process alive while a call waits for its answer, and not when it is idle. `methods` are what the module may call here.
 * **Errors** none: a thread that does not start rejects its calls and resolves `ended` with the reason.
 * **Cost** about 70 ms on another core until the first answer, and some tens of megabytes.
 */
export function startThread(program: URL, methods: CallMethods = {}): Thread {
  const name = program.pathname.slice(program.pathname.lastIndexOf("/") + 1);
  const ended = Promise.withResolvers<IbidError | undefined>();
  let reason: IbidError | undefined;
  let waiting = 0;

  // Loaded here because most processes start no thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  let worker: InstanceType<typeof Worker> | undefined;
  const calls = createCalls((message, transfer) => worker?.postMessage(message, transfer), methods);

  const finish = (error: IbidError, isExpected: boolean): void => {
    if (reason !== undefined) return;
    reason = error;
    calls.end(error);
    ended.resolve(isExpected ? undefined : error);
  };
  const died = (message: string, cause?: unknown): IbidError =>
    new IbidError("internal", `The thread ${name} ended: ${message}.`, {
      hint: "Do the work in this thread, or start another.",
      cause,
    });

  try {
    worker = new Worker(program, { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb } });
    worker.unref();
    worker.on("message", (message: unknown) => calls.receive(message));
    worker.on("messageerror", (error) => finish(died("its answer could not be read", error), false));
    worker.on("error", (error) => finish(died(error instanceof Error ? error.message : String(error), error), false));
    worker.on("exit", (code) => finish(died(`its exit code is ${code}`), false));
  } catch (cause) {
    // Node's permissions can forbid threads.
    const options = { hint: "Allow worker threads (--allow-worker).", cause };
    finish(new IbidError("unsupported-runtime", `The thread ${name} cannot be started.`, options), false);
  }

  return {
    get isAlive() {
      return reason === undefined;
    },
    ended: ended.promise,
    async call(method, argument) {
      if (reason !== undefined) throw reason;
      waiting++;
      worker?.ref();
      try {
        return await calls.call(method, argument);
      } finally {
        if (--waiting === 0) worker?.unref();
      }
    },
    async end() {
      // Its calls end at once, and the process stays until it has.
      waiting++;
      worker?.ref();
      finish(new IbidError("aborted", `The thread ${name} was ended.`), true);
      await worker?.terminate();
    },
  };
}

/**
 * Answers calls in a thread that {@link startThread} started, and returns a function that calls the methods given there.
 *
 * **Shape** calls run as they come; a method that awaits does not hold up the next call. **Errors** `internal` outside such a thread.
 */
export function serveThread(methods: CallMethods): (method: string, argument: unknown) => Promise<unknown> {
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  if (parentPort === null) {
    throw new IbidError("internal", "serveThread was called outside a worker thread.", {
      hint: "Start the module with startThread.",
    });
  }
  const calls = createCalls((message, transfer) => parentPort.postMessage(message, transfer), methods);
  parentPort.on("message", (message: unknown) => calls.receive(message));
  return (method, argument) => calls.call(method, argument);
}
