import type { AccessContext, Scope } from "../../src/contracts/scope.ts";
import type { RetrievalTrace, Tracer } from "../../src/contracts/tracer.ts";

/** A tracer that remembers, for tests. */
export interface RecordingTracer extends Tracer {
  readonly traces: readonly { readonly trace: RetrievalTrace; readonly access: AccessContext | "operator" }[];
  readonly misses: readonly { readonly scopes: readonly Scope[]; readonly queryHash: string }[];
}

/** Remembers everything that it is told, in order. With `failing`, it also throws every time: no retrieval may fail for that. */
export function createRecordingTracer(options: { readonly failing?: boolean } = {}): RecordingTracer {
  const traces: RecordingTracer["traces"][number][] = [];
  const misses: RecordingTracer["misses"][number][] = [];
  const maybeFail = (): void => {
    if (options.failing === true) throw new Error("This tracer always fails.");
  };
  return {
    traces,
    misses,
    trace(trace, access) {
      traces.push({ trace, access });
      maybeFail();
    },
    miss(scopes, queryHash) {
      misses.push({ scopes: [...scopes], queryHash });
      maybeFail();
    },
  };
}
