import { platformNow } from "../../runtime/platform-clock.ts";

/** A moment by the clock that only runs, which may stop while the machine sleeps, and by the one that is set. */
export interface Instant {
  readonly running: number;
  readonly clock: number;
}

export const present = (): Instant => ({ running: performance.now(), clock: platformNow() });

/** Before every other moment. */
export const never: Instant = { running: -Infinity, clock: -Infinity };

/** Whether a moment is not before another of this process, whatever became of the clock that is set. */
export const isSince = (moment: Instant, other: Instant): boolean => moment.running >= other.running;

/** How long ago it surely was. A machine that slept, or whose clock was put back, makes it longer, never shorter. **Units** milliseconds. */
export function ageOf({ running, clock }: Instant): number {
  return Math.max(performance.now() - running, platformNow() - clock);
}
