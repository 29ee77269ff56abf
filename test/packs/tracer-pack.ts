import type { RetrievalTrace, Tracer } from "../../src/contracts/tracer.ts";
import { check, equal } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";

/** A tracer to be tried. */
export interface TracerSubject {
  create(): Tracer;
  /** What it was told, where that can be asked. */
  read?(tracer: Tracer): Promise<readonly unknown[]> | readonly unknown[];
}

/** A trace of the shape that retrievals give: thirteen facts, and no word of the query. */
export const sampleTrace: RetrievalTrace = {
  queryHash: "0123456789abcdef".repeat(4),
  queryLength: 12,
  requestedScopes: ["deployment", "team:north"],
  permittedScopes: ["deployment"],
  topK: 5,
  candidatePoolSize: 32,
  topScore: 0.5,
  dense: true,
  sparse: true,
  reranked: false,
  latencyMs: 1.5,
  stages: ["scopes", "embed", "dense", "lexical", "merge"],
  resultCount: 3,
};

/** What every {@link Tracer} promises: it takes what a retrieval tells it, keeps the order, changes nothing. */
export function createTracerPack(subject: TracerSubject): readonly ContractCase[] {
  return defineCases("tracer", [
    [
      "takes-traces-and-misses",
      "T50 T51 T53",
      async () => {
        const tracer = subject.create();
        await tracer.trace(sampleTrace, { userId: "ada", teamId: "north" });
        await tracer.trace({ ...sampleTrace, topK: "all", topScore: 0, resultCount: 0 }, {});
        await tracer.trace(sampleTrace, "operator");
        await tracer.miss(["deployment"], sampleTrace.queryHash);
        await tracer.miss([], sampleTrace.queryHash);
        if (subject.read !== undefined)
          check((await subject.read(tracer)).length >= 3, "it remembers what it was told");
      },
    ],
    [
      "changes-nothing-it-was-given",
      "B27 T51",
      async () => {
        const tracer = subject.create();
        const trace = structuredClone(sampleTrace);
        const access = { userId: "ada" };
        await tracer.trace(trace, access);
        equal([trace, access], [sampleTrace, { userId: "ada" }], "the trace and the caller after they were told");
      },
    ],
  ]);
}
