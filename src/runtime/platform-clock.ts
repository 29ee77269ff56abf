import type { Clock } from "../contracts/clock.ts";

/**
 * The clock on the wall.
 *
 * **Shape** on Node a timer keeps the process alive until it has fired, unless `staysFor` is false.
 */
export function createPlatformClock({ staysFor }: { readonly staysFor: boolean }): Clock {
  return {
    now: () => Date.now(),
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
