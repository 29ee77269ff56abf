import type { IbidError } from "../../contracts/errors.ts";
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
