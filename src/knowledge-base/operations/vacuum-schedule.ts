import type { Clock } from "../../contracts/clock.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase, VacuumResult } from "../../contracts/knowledge-base.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createPlatformClock } from "../../runtime/platform-clock.ts";

/**
 * Times of a vacuum, and its listeners. Everything has a default.
 *
 * @experimental
 */
export interface VacuumScheduleOptions {
  /** Time of the day in UTC, `HH:MM`. Default `03:00`. */
  readonly at?: string | undefined;
  /** How long what was deleted is kept. **Units** milliseconds, from one minute. Default 7 days. */
  readonly retentionMs?: number | undefined;
  /** Called after every vacuum. */
  readonly onVacuum?: ((result: VacuumResult) => void) | undefined;
  /** Called when one fails; the next is tried all the same. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A schedule under way.
 *
 * @experimental
 */
export interface VacuumSchedule extends AsyncDisposable {
  /** Milliseconds since 1970. */
  readonly next: number;
  /** No vacuum begins any more. Resolves when the one under way has ended. */
  stop(): Promise<void>;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Beyond it a timer of the platform fires at once. */
const longestWaitMs = 2 ** 31 - 1;

/**
 * Vacuums a knowledge base once a day, so that deleted documents go for good without attention.
 *
 * **Shape** opt-in: without it nothing is vacuumed. One at a time; a missed day is not repeated.
 * **Errors** `invalid-argument` for an invalid time, and for a retention below a minute, which would leave no time to undo a mistake.
 * **Source** ToolUp: daily at 03:00 UTC, seven days, at least one minute.
 *
 * @experimental
 */
export function scheduleVacuum(kb: Pick<KnowledgeBase, "vacuum">, options: VacuumScheduleOptions = {}): VacuumSchedule {
  checkOptions("scheduleVacuum", options, { at: true, retentionMs: true, onVacuum: true, onError: true, clock: true });
  const { at = "03:00", retentionMs = 7 * dayMs, onVacuum, onError, clock = platformClock } = options;
  const minutes = readTime(at);
  if (!(retentionMs >= minuteMs)) {
    throw new IbidError("invalid-argument", `retentionMs is ${String(retentionMs)}.`, {
      hint: "It is a number of milliseconds, 60,000 or more.",
    });
  }
  let next = nextTime(clock.now(), minutes);
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  let cancel = wait();

  function wait(): () => void {
    return clock.after(Math.min(longestWaitMs, Math.max(0, next - clock.now())), due);
  }

  function due(): void {
    if (isStopped) return;
    if (clock.now() < next) {
      // A timer may fire early.
      cancel = wait();
      return;
    }
    running = run();
  }

  async function run(): Promise<void> {
    try {
      const result = await kb.vacuum({ olderThanMs: retentionMs });
      onVacuum?.(result);
    } catch (error) {
      tell(onError, error);
    }
    next = nextTime(clock.now(), minutes);
    if (!isStopped) cancel = wait();
  }

  const stop = (): Promise<void> => {
    isStopped = true;
    cancel();
    return running;
  };
  return {
    get next() {
      return next;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A callback that throws does not end the schedule. */
function tell(onError: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    onError?.(error);
  } catch {
    // No callback is left for that failure.
  }
}

/** A timer that keeps no process alive. */
const platformClock = createPlatformClock({ staysFor: false });

function readTime(at: string): number {
  const [, hours = "", minutes = ""] = /^([01]\d|2[0-3]):([0-5]\d)$/u.exec(at) ?? [];
  if (hours !== "") return Number(hours) * 60 + Number(minutes);
  throw new IbidError("invalid-argument", `"${at}" is no time of the day.`, { hint: 'It is written "03:00", in UTC.' });
}

/** The next moment after `now` at which the day, in UTC, is so many minutes old. */
function nextTime(now: number, minutes: number): number {
  const today = Math.floor(now / dayMs) * dayMs + minutes * minuteMs;
  return today > now ? today : today + dayMs;
}
