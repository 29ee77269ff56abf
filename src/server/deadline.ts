/** A signal that fires with another one or after a time, and can be given up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Lets go of the other signal and of the timer, so that neither keeps memory until the time is up. */
  release(): void;
}

/** **Units** milliseconds. **Shape** the reason at the end of the time is a `TimeoutError`, as of `AbortSignal.timeout`. */
export function createDeadline(other: AbortSignal, afterMs: number): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(other.reason);
  if (other.aborted) follow();
  else other.addEventListener("abort", follow, { once: true });
  const timer = setTimeout(() => controller.abort(new DOMException("The time is up.", "TimeoutError")), afterMs);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      other.removeEventListener("abort", follow);
    },
  };
}
