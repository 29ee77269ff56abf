import type { KnowledgeEvent } from "../../src/contracts/event-store.ts";
import type { SpanStart, Telemetry } from "../../src/contracts/telemetry.ts";
import { check, equal } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { sampleTrace } from "./tracer-pack.ts";

/** Something that is told of spans and events, to be tried. */
export interface TelemetrySubject {
  create(): Promise<Telemetry> | Telemetry;
}

const starts: readonly SpanStart[] = [
  { operation: "retrieval", topK: 5, mode: "hybrid", query: "a query" },
  { operation: "retrieval", topK: "all", mode: "regex", query: "" },
  { operation: "embeddings", provider: "p", model: "m", dimensions: undefined, purpose: "query", inputs: 1 },
  { operation: "embeddings", provider: "p", model: "m", dimensions: 3, purpose: "document", inputs: 64 },
  { operation: "rerank", reranker: "r", candidates: 32 },
  { operation: "ingest", scope: "team:north" },
];

const at = 1_700_000_000_000;
const events: readonly KnowledgeEvent[] = [
  { name: "KnowledgeRetrieved", at, scopes: ["deployment"], data: sampleTrace },
  { name: "KnowledgeRetrievalMiss", at, scopes: [], data: { queryHash: sampleTrace.queryHash } },
  { name: "KnowledgeChunkIndexed", at, scopes: [], data: { documentId: "d", chunks: 0 } },
  { name: "KnowledgeChunkFailed", at, scopes: [], data: { documentId: "", code: "unreadable" } },
  { name: "KnowledgeChunkReembedded", at, scopes: [], data: { version: "v", chunks: 1 } },
  { name: "KnowledgeChunkReembedFailed", at, scopes: [], data: { version: "v", chunks: 1, code: "timeout" } },
  { name: "KnowledgeEmbedded", at, scopes: [], data: { purpose: "query", inputs: 0, sent: 0, latencyMs: 0 } },
  { name: "KnowledgeFlushed", at, scopes: [], data: { latencyMs: 0.5 } },
  { name: "KnowledgeQueued", at, scopes: [], data: { depth: 0, rejected: 0 } },
];

/** What every {@link Telemetry} promises: the work that it looks at is done once, as it would be without it. */
export function createTelemetryPack(subject: TelemetrySubject): readonly ContractCase[] {
  return defineCases("telemetry", [
    [
      "does-the-work-once-and-hands-it-back",
      "B53 T53",
      async () => {
        const telemetry = await subject.create();
        for (const start of starts) {
          let runs = 0;
          const span = telemetry.span?.(start);
          if (span === undefined) continue;
          equal(
            span.within(() => ++runs),
            1,
            `what work at once gives, in ${start.operation}`,
          );
          equal(await span.within(async () => ++runs), 2, `what work that takes time gives, in ${start.operation}`);
          span.end({ facts: { resultCount: 2, topScore: 0.5 } });
          equal(runs, 2, `how often work was done, in ${start.operation}`);
        }
      },
    ],
    [
      "lets-errors-through",
      "B53 T53",
      async () => {
        const telemetry = await subject.create();
        for (const start of starts) {
          const span = telemetry.span?.(start);
          if (span === undefined) continue;
          const wrong = new Error("the work's own");
          const fail = (): never => {
            throw wrong;
          };
          let caught: unknown;
          try {
            span.within(fail);
          } catch (error) {
            caught = error;
          }
          check(caught === wrong, `the error of work at once, in ${start.operation}`, caught);
          caught = await span.within(() => Promise.reject(wrong)).catch((error: unknown) => error);
          check(caught === wrong, `the error of work that takes time, in ${start.operation}`, caught);
          span.end({ error: wrong });
        }
      },
    ],
    [
      "takes-every-event-and-changes-none",
      "T41 T44 T50 T53",
      async () => {
        const telemetry = await subject.create();
        const told = structuredClone(events);
        for (const event of told) telemetry.event?.(event);
        equal(told, events, "the events after they were told");
      },
    ],
  ]);
}
