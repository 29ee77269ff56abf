import { IbidError } from "../contracts/errors.ts";

/**
 * Converts a fired signal to an error.
 *
 * **Shape** `timeout` when the signal was a deadline (`AbortSignal.timeout`), else `aborted`; `what` is the subject of the message: "The search".
 */
export function abortError(
  signal: AbortSignal,
  what: string,
  options: { uri?: string; cause?: unknown } = {},
): IbidError {
  const { reason } = signal as { reason?: unknown };
  const rest = { cause: options.cause ?? reason, ...(options.uri === undefined ? {} : { uri: options.uri }) };
  return isDeadline(reason)
    ? new IbidError("timeout", `${what} took longer than its signal allows.`, {
        ...rest,
        hint: "Allow more time, or ask for less.",
      })
    : new IbidError("aborted", `${what} was stopped.`, rest);
}

/** Whether a signal fired for this reason because its time was over. */
export const isDeadline = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";

/** **Errors** {@link abortError} when the signal has fired. */
export function throwIfAborted(
  signal: AbortSignal | undefined,
  what: string,
  options?: { uri?: string; cause?: unknown },
): void {
  if (signal?.aborted === true) throw abortError(signal, what, options);
}

/** A signal that fires as soon as one of some does. Unlike `AbortSignal.any`, it takes those of another realm, and any object that has what a signal has. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  if (signals.every((signal) => signal instanceof AbortSignal)) return AbortSignal.any([...signals]);
  const joined = new AbortController();
  for (const signal of signals) {
    const stop = (): void => joined.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  }
  return joined.signal;
}

/** A promise, or the signal's error as soon as it fires; the promise goes on, and its failure is lost on nobody. */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
  what: string,
): Promise<Value> {
  if (signal === undefined) return promise;
  let stop: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(abortError(signal, what));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}

/** Waits so many milliseconds. **Errors** {@link abortError}, at once when the signal fires. */
export async function pause(ms: number, signal: AbortSignal | undefined, what: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await untilAborted(promise, signal, what);
  } finally {
    clearTimeout(timer);
  }
}
