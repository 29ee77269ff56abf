import type { Chosen } from "../../contracts/complete.ts";
import { withDefaults } from "../../runtime/with-defaults.ts";
import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";

/**
 * How often a job is tried, and how long it waits in between. **Units** milliseconds.
 *
 * @experimental
 */
export interface RetryPolicy {
  /** The first one included. Default 5. */
  readonly attempts: number;
  /** Wait before the second attempt; it doubles for each that follows. Default 30 seconds. */
  readonly initialMs: number;
  /** No wait is longer, before jitter. Default 30 minutes. */
  readonly longestMs: number;
  /** Up to this share is added by chance, so that what failed together is not tried together. Default 0.2. */
  readonly jitter: number;
}

/**
 * **Source** ToolUp.
 *
 * @experimental
 */
export const defaultRetryPolicy: RetryPolicy = { attempts: 5, initialMs: 30_000, longestMs: 1_800_000, jitter: 0.2 };

/** **Errors** `invalid-argument` for numbers that make no policy. */
export function checkRetryPolicy(policy?: Chosen<RetryPolicy>): RetryPolicy {
  const whole = withDefaults(defaultRetryPolicy, policy);
  const { attempts, initialMs, longestMs, jitter } = whole;
  const isRight =
    Number.isInteger(attempts) &&
    attempts >= 1 &&
    initialMs >= 0 &&
    longestMs >= initialMs &&
    jitter >= 0 &&
    jitter <= 1;
  if (isRight && [initialMs, longestMs].every(Number.isFinite)) return whole;
  throw new IbidError("invalid-argument", "This is no retry policy.", {
    hint: "attempts from 1, initialMs from 0, longestMs not below it, jitter from 0 to 1.",
  });
}

/**
 * How long to wait before an attempt. **Shape** 0 before the first; before the n-th `min(initialMs · 2^(n − 2), longestMs)`, and up to
 * `jitter` of that more. `random` is from 0 to 1.
 * **Source** capped exponential backoff with jitter, as in RFC 9110's advice on retries and in ToolUp.
 */
export function delayBefore(attempt: number, policy: RetryPolicy, random: number): number {
  if (attempt <= 1) return 0;
  const wait = Math.min(policy.initialMs * 2 ** Math.min(attempt - 2, 52), policy.longestMs);
  return Math.round(wait * (1 + policy.jitter * random));
}

/** Errors that the next attempt may not meet: the other side was busy, away or slow, or the cause is unknown. */
const transientCodes: ReadonlySet<IbidErrorCode> = new Set([
  "rate-limited",
  "timeout",
  "fetch-failed",
  "embedding-failed",
  "invalid-response",
  "model-failed",
  "store-busy",
  "store-failed",
  "internal",
]);

/**
 * Whether a failure is worth another attempt. A failure of another system, or of an unknown kind, is.
 * A failure that the document or the caller causes is not.
 *
 * **Shape** a status that came with it decides first: of the 4xx only 429 is worth it.
 * **Source** ToolUp: 4xx but 429 are permanent; 429, 5xx, timeouts and the unknown are transient.
 */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined && status >= 400 && status < 500) return status === 429;
  return !IbidError.isInstance(error) || transientCodes.has(error.code);
}

/** An HTTP status, where the error or what caused it has one. */
function statusOf(error: unknown): number | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const facts: object = IbidError.isInstance(at) ? at.details : at;
    for (const name of ["status", "statusCode"]) {
      const value: unknown = Reflect.get(facts, name);
      if (typeof value === "number" && value >= 100 && value < 600) return value;
    }
  }
  return undefined;
}
