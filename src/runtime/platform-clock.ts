import type { Clock } from "../contracts/clock.ts";

/** Time of this machine. **Units** milliseconds since 1970. No other module of `src` reads it. */
export const platformNow = (): number => Date.now();

/**
 * The clock on the wall.
 *
 * **Shape** on Node a timer keeps the process alive until it has fired, unless `staysFor` is false.
 */
export function createPlatformClock({ staysFor }: { readonly staysFor: boolean }): Clock {
  return {
    now: platformNow,
    after(ms, call) {
      const timer: unknown = setTimeout(call, ms);
      if (!staysFor && typeof timer === "object" && timer !== null && "unref" in timer) (timer as Unreferable).unref();
      return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
    },
  };
}

interface Unreferable {
  unref(): void;
}
