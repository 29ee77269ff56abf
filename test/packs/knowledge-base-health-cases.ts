import { check, equal, throwsCode } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";

/** What a knowledge base promises about saying how it is doing. */
export const healthCases: readonly KnowledgeBaseCase[] = [
  [
    "says-how-the-last-minute-went",
    "T41 T50 T54 L9",
    async (open) => {
      const kb = await open();
      await kb.search("heron");
      await kb.ingest([
        { uri: "a.txt", text: "The heron waits by the river." },
        { uri: "b.txt", text: "The heron waits by the lake." },
        { uri: "c.txt", text: "An otter swims." },
        { uri: "d.xyz", text: "?", mediaType: "application/x-nobody-reads-this" },
      ]);
      await kb.search("heron", { mode: "lexical" });
      await kb.as({ userId: "ada" }).search("otter", { mode: "lexical" });
      for (const everywhere of [false, true]) {
        const { retrieval, ingestion, flush, windowMs } = await kb.health({ everywhere });
        const { count, hits, misses, empty } = retrieval;
        equal({ count, hits, misses, empty }, { count: 3, hits: 2, misses: 0, empty: 1 }, "searches by anybody");
        equal(ingestion, { indexed: 3, failed: 1, reembedded: 0, reembedFailed: 0 }, "what was ingested");
        equal(flush.count, 3, "documents written");
        equal(windowMs, 60_000, "the window");
        check(retrieval.p95 >= retrieval.mean && retrieval.max >= retrieval.p95, "latencies", retrieval);
      }
    },
  ],
  [
    "tells-nobody-else-what-others-do",
    "T54 L3",
    async (open) => {
      const kb = await open();
      for (const context of [{ userId: "ada" }, { teamId: "north" }, {}]) {
        await throwsCode(() => kb.as(context).health(), "access-denied", "the health for a caller");
      }
      await throwsCode(() => kb.health({ for: "me" } as object), "invalid-argument", "an unknown option");
    },
  ],
];
