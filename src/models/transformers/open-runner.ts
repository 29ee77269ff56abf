import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { findProgram, startThread } from "../../runtime/thread.ts";
import { cannotLoad, type PlaceOptions } from "./find-place.ts";
import { findTransformers, importTransformers, type TransformersLibrary } from "./load-transformers.ts";
import { type EmbeddedText, loadRunner, type ModelRunner, type RunnerSettings } from "./run-model.ts";

/** How the package is found. */
export interface PackageOptions {
  /** Folder of the project that has the package, where ibid's own folder does not. Default: the current folder. */
  readonly packageFolder?: string | undefined;
  /** Gives the package itself. The model then runs in the calling thread. Default: the package in a thread of its own. */
  readonly load?: (() => Promise<TransformersLibrary>) | undefined;
}

/**
 * How a model is loaded into this process.
 *
 * @experimental
 */
export interface TransformersOptions extends PlaceOptions, PackageOptions {
  /** Longest input. **Units** tokens. Default: the tokenizer's own limit, which can be higher than that of the model's training. */
  readonly maxTokens?: number | undefined;
}

/** The options' names, for those who hand them on. */
export const transformersOptionNames = {
  allowDownload: true,
  cacheFolder: true,
  dtype: true,
  device: true,
  revision: true,
  maxTokens: true,
  packageFolder: true,
  load: true,
} as const;

/** Opens a model at the first call; later calls get the same one. */
export type OpenRunner = (signal: AbortSignal | undefined) => Promise<ModelRunner>;

/**
 * Opens a model once for all callers.
 *
 * **Shape** `prepare` gives the files that are loaded, and may download them. It is stopped when the last caller that waits is. A failed opening, and a thread
 * that ended, are tried again by the next call.
 * **Errors** errors of `prepare`; `dependency-missing` without the package; `model-failed` around any other failure to load; `aborted`, `timeout`.
 */
export function createRunnerOpening(
  settings: Omit<RunnerSettings, "source">,
  { load, packageFolder }: PackageOptions,
  prepare: (signal: AbortSignal) => Promise<RunnerSettings["source"]>,
): OpenRunner {
  interface Opening {
    readonly runner: Promise<ModelRunner>;
    readonly stop: AbortController;
    isOpen: boolean;
    waiting: number;
  }
  let opening: Opening | undefined;
  const forget = (one: Opening): void => {
    if (opening === one) opening = undefined;
  };

  async function open(signal: AbortSignal, ended: () => void): Promise<ModelRunner> {
    const path = load === undefined ? findTransformers(packageFolder) : undefined;
    const whole = { ...settings, source: await prepare(signal) };
    throwIfAborted(signal, "Loading the model");
    try {
      if (path === undefined) return await loadRunner(load!, whole);
      const program = findProgram(() => new URL("./run-in-thread.ts", import.meta.url), "run-in-thread.mjs");
      if (program === undefined) return await loadRunner(() => importTransformers(path), whole);
      return await startRunner(program, { path, settings: whole }, signal, ended);
    } catch (cause) {
      if (IbidError.isInstance(cause)) throw cause;
      throw cannotLoad(settings, "", cause);
    }
  }

  function start(): Opening {
    const stop = new AbortController();
    const runner = open(stop.signal, () => forget(started));
    const started: Opening = { runner, stop, isOpen: false, waiting: 0 };
    runner.then(
      () => (started.isOpen = true),
      () => forget(started),
    );
    return started;
  }

  return async (signal) => {
    const own = (opening ??= start());
    own.waiting++;
    try {
      return await untilAborted(own.runner, signal, "Loading the model");
    } finally {
      own.waiting--;
      // Nobody waits for the download any more.
      if (own.waiting === 0 && !own.isOpen && signal?.aborted === true) {
        own.stop.abort(signal.reason);
        forget(own);
      }
    }
  };
}

/** Loads a model in a thread of its own, because the runtime holds the thread that calls it. */
async function startRunner(
  program: URL,
  load: { readonly path: string; readonly settings: RunnerSettings },
  signal: AbortSignal,
  ended: () => void,
): Promise<ModelRunner> {
  const thread = startThread(program);
  try {
    await untilAborted(thread.call("load", load), signal, "Loading the model");
  } catch (error) {
    await thread.end();
    throw error;
  }
  void thread.ended.then(ended);
  return {
    embed: async (text) => (await thread.call("embed", text)) as EmbeddedText,
    score: async (query, text) => (await thread.call("score", { query, text })) as number,
  };
}
