import { IbidError } from "../../contracts/errors.ts";
import { pause } from "../../runtime/abort.ts";
import { platformNow } from "../../runtime/platform-clock.ts";

/** A wait for a state of an engine. */
export interface Wait {
  /** Names the wait in errors. */
  readonly what: string;
  /** **Units** milliseconds. */
  readonly withinMs: number;
  /** Longest pause between two looks; pauses double up to it. **Units** milliseconds. Default 1,000. */
  readonly pauseMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A wait for an index of an engine. */
export interface IndexWait extends Omit<Wait, "what"> {
  readonly engine: string;
  readonly operation: string;
  /** Such as `"the index b1 is not ready"`. */
  readonly state: string;
  readonly hint: string;
}

/** Looks until an index is as wanted. **Errors** `store-busy` with the state, when the time is over; `aborted`. */
export async function waitForIndex<Found>(
  { engine, operation, state, hint, ...wait }: IndexWait,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const late = (): IbidError =>
    new IbidError("store-busy", `${engine}: ${state} after ${wait.withinMs / 1000} s.`, {
      hint,
      details: { store: engine, operation },
    });
  return waitUntil({ ...wait, what: `${engine}: ${operation}` }, look, late);
}

/** Looks until something is found. **Errors** the one that `late` makes, when the time is over; `aborted`. */
export async function waitUntil<Found>(
  { what, withinMs, pauseMs = 1_000, signal }: Wait,
  look: () => Promise<Found | undefined>,
  late: () => IbidError,
): Promise<Found> {
  const until = platformNow() + withinMs;
  for (let ms = 20; ; ms = Math.min(pauseMs, ms * 2)) {
    const found = await look();
    if (found !== undefined) return found;
    if (platformNow() > until) throw late();
    await pause(ms, signal, what);
  }
}
