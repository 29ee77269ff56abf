import type { OpenSpan, SpanEnd, SpanStart, Telemetry } from "../../contracts/telemetry.ts";

/** Starts a span with whoever wants to see it; nothing that it does wrong reaches the work. */
export function openSpan(telemetry: Telemetry | undefined, start: SpanStart): OpenSpan {
  const span = attempt(() => telemetry?.span?.(start));
  return {
    within<Result>(work: () => Result): Result {
      let outcome: { readonly result: Result } | { readonly error: unknown } | undefined;
      const run = (): Result | undefined => {
        try {
          const result = work();
          outcome = { result };
          return result;
        } catch (error) {
          outcome = { error };
          return undefined;
        }
      };
      attempt(() => span?.within(run));
      if (outcome === undefined) return work();
      if ("error" in outcome) throw outcome.error;
      return outcome.result;
    },
    end: (outcome) => attempt(() => span?.end(outcome)),
  };
}

/** Work that is one span from its beginning to its end. */
export async function inSpan<Result>(
  telemetry: Telemetry | undefined,
  start: SpanStart,
  work: () => Promise<Result>,
  facts: (result: Result) => SpanEnd,
): Promise<Result> {
  const span = openSpan(telemetry, start);
  try {
    const result = await span.within(work);
    span.end({ facts: facts(result) });
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}

function attempt<Result>(tell: () => Result): Result | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}
