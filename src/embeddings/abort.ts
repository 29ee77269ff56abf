import { IbidError } from "../contracts/errors.ts";

/** **Shape** `timeout` when the signal was a deadline, else `aborted`; the signal's reason, or `cause`, is kept. */
function abortedError(signal: AbortSignal, cause: unknown): IbidError {
  const isDeadline = signal.reason instanceof Error && signal.reason.name === "TimeoutError";
  return isDeadline
    ? new IbidError("timeout", "Embedding took longer than its signal allows.", {
        cause,
        mend: "Allow more time, or send less.",
      })
    : new IbidError("aborted", "Embedding was aborted.", { cause });
}

/** **Errors** `aborted` or `timeout` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined, cause?: unknown): void {
  if (signal?.aborted === true) throw abortedError(signal, cause ?? signal.reason);
}

/** A promise, or the signal's error as soon as it fires; the promise goes on, and its failure is not lost on anyone. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  let stop: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(abortedError(signal, signal.reason));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}
