import { openKnowledgeBase } from "ibid";
import { chunkSpreadsheet, formatRow, splitBySentence, splitByTokens, withContextualHeader } from "ibid/compat";
import { createTokenChunker, heuristicTokens } from "ibid/chunkers";
import { collectRun, parseQrels, scoreRun } from "ibid/eval";
import { createMemoryEventStore, scheduleVacuum } from "ibid/operations";
import { createMemoryBlobStore, createMemoryStore, openSnapshotStore } from "ibid/stores";
import { createPdfReader, noTableExtractor } from "ibid/readers";
import { createStorePack } from "ibid/testing";
import { all, bytes, equal, holds, matches, plain, putVectors, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

const week = 7 * 24 * 60 * 60 * 1000;

export const toolupStores = [
  prove("T11", "changes reach the blob store after a delay, all at once", async () => {
    const blobs = createMemoryBlobStore();
    let fire: (() => void) | undefined;
    let waited = 0;
    const clock = {
      now: () => 0,
      after: (ms: number, call: () => void) => {
        waited = ms;
        fire = call;
        return () => {};
      },
    };
    const store = await openSnapshotStore({ snapshots: { blobs, clock } });
    await putVectors(store, [{ id: "a", vector: [1, 0] }]);
    equal([waited, (await all(blobs.list())).length], [5000, 0]);
    fire?.();
    for (let i = 0; i < 200 && (await all(blobs.list())).length === 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    holds((await all(blobs.list())).length > 0);
    await store[Symbol.asyncDispose]();
  }),
  prove("T11", "a hundred changed chunks reach the blob store at once, by an option", async () => {
    const blobs = createMemoryBlobStore();
    const never = { now: () => 0, after: () => () => {} };
    const kb = await openKnowledgeBase({ snapshots: { blobs, maxChangedChunks: 100, clock: never } });
    const chunks = (n: number) => Array.from({ length: n }, (_, i) => ({ text: `Bee ${n} ${i}.` }));
    await kb.ingest({ chunks: chunks(20) });
    await new Promise((resolve) => setTimeout(resolve, 50));
    equal((await all(blobs.list())).length, 0);
    await kb.ingest({ chunks: chunks(90) });
    for (let i = 0; i < 400 && (await all(blobs.list())).length === 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const reader = await openKnowledgeBase({ snapshots: { blobs } });
    equal((await reader.status()).chunks, 110);
    await reader.close();
    await kb.close();
  }),
  prove("T12", "closing flushes: nothing acknowledged is lost", async () => {
    const blobs = createMemoryBlobStore();
    const first = await openKnowledgeBase({ snapshots: { blobs, delayMs: 1_000_000 } });
    await first.ingest([{ uri: "a", text: "Bees hum." }]);
    await first.close();
    const second = await openKnowledgeBase({ snapshots: { blobs } });
    equal(uris(await second.search("bees")), ["a"]);
    await second.close();
  }),
  prove("T13", "a delete hides at once and can be restored", () =>
    withTexts({ a: "Bees hum." }, async (kb) => {
      await kb.delete("a");
      equal(await kb.search("bees"), []);
      equal((await kb.restore("a")).length, 1);
      equal(uris(await kb.search("bees")), ["a"]);
      await kb.ingest({ uri: "b", text: "Wasps hum." }, { scope: "team:x" });
      await kb.delete("b");
      equal(
        (await all(kb.deleted())).map(({ uri, scope }) => [uri, scope]),
        [["b", "team:x"]],
      );
      equal((await kb.restore("b")).length, 1);
    }),
  ),
  prove("T14", "vacuum removes tombstones past their time, counts them, and can be scheduled", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    await withTexts(
      { a: "Bees hum.", b: "Wasps hum." },
      async (kb) => {
        await kb.delete("a");
        equal(await kb.vacuum(), { chunks: 0 });
        now += week + 1;
        equal(await kb.vacuum(), { chunks: 1 });
        equal(await kb.restore("a"), []);
        const schedule = scheduleVacuum(kb, { at: "03:00" });
        equal(new Date(schedule.next).getUTCHours(), 3);
        await schedule.stop();
      },
      { operations: { now: () => now } },
    );
  }),
  prove("T15", "a scope reset is for good, and stays empty after a restart", async () => {
    const blobs = createMemoryBlobStore();
    const first = await openKnowledgeBase({ snapshots: { blobs } });
    await first.ingest([{ uri: "a", text: "Bees hum." }], { scope: "team:a" });
    await first.ingest([{ uri: "b", text: "Bees sleep." }]);
    equal((await first.reset("team:a")).chunks, 1);
    equal(await first.restore("a"), []);
    await first.close();
    const second = await openKnowledgeBase({ snapshots: { blobs } });
    equal(uris(await second.search("bees")), ["b"]);
    await second.close();
  }),
  prove("T18", "the contract pack of a store runs over any store", async () => {
    const cases = createStorePack({ create: async () => createMemoryStore() });
    holds(cases.length > 50);
    for (const { run } of cases.slice(0, 20)) await run();
  }),
  prove("T31", "by sentences, by tokens, by rows; a header before a text", () => {
    equal(
      splitBySentence("One ends. Two ends!").map((text) => text.trim()),
      ["One ends.", "Two ends!"],
    );
    const tokens = splitByTokens(
      { maxTokens: 5, overlapTokens: 0, minTokens: 1 },
      heuristicTokens,
      "Bees hum here. Wasps hum there. Flies hum.",
    );
    holds(tokens.length > 1 && tokens.every((text) => heuristicTokens(text) <= 5));
    equal(formatRow(["A", "B"], ["1"]), "A: 1 | B: ");
    equal(
      chunkSpreadsheet({
        sheetName: "S",
        headers: ["A", "B"],
        rows: [{ sourceIndex: 2, values: ["1", "2"] }],
      })[0]?.includes("A: 1 | B: 2"),
      true,
    );
    matches(withContextualHeader("On bees.", "They hum."), /On bees\.\s+They hum\.$/u);
    equal(withContextualHeader(undefined, "They hum."), "They hum.");
  }),
  prove("T30", "sizes in tokens: 500, 50 and 100, checked", async () => {
    const text = Array.from({ length: 400 }, (_, i) => `Sentence number ${i} is of bees.`).join(" ");
    const chunks = [...createTokenChunker().chunk(plain("a", text))];
    holds(chunks.length > 3 && chunks.every((chunk) => heuristicTokens(chunk.text) <= 500));
    holds(chunks.slice(1).every((chunk, i) => chunk.start < chunks[i]!.end));
    for (const wrong of [{ maxTokens: 0 }, { maxTokens: 10, overlapTokens: 10 }, { overlapTokens: -1 }])
      await refuses("invalid-argument", () => createTokenChunker(wrong));
  }),
  prove("T32", "a token is four characters, rounded up; nothing is none", () => {
    equal(
      ["", "a", "abcd", "abcde"].map((text) => heuristicTokens(text)),
      [0, 1, 1, 2],
    );
  }),
  prove("T35", "a summary of the document before each chunk; none by default", async () => {
    const { createContextTransformer } = await import("ibid/chunkers");
    const text = { a: "Bees hum in the meadow." };
    await withTexts(text, async (kb) => equal(await kb.search("apiary", { mode: "lexical" }), []));
    await withTexts(
      text,
      async (kb) => {
        const [hit] = await kb.search("apiary", { mode: "lexical" });
        equal(hit?.text, text.a);
      },
      { transformers: [createContextTransformer({ summarise: () => "From a book on the apiary." })] },
    );
  }),
  prove("T55", "text recognition is asked for pages without text, and its words are found", async () => {
    const pdf = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n`;
    const ocr = {
      name: "ocr/1",
      isScanned: () => true,
      extractText: async () => [{ page: 1, text: "The heron waits." }],
    };
    await withTexts(
      {},
      async (kb) => {
        equal((await kb.ingest({ uri: "a.pdf", bytes: bytes(pdf), mediaType: "application/pdf" })).failures, []);
        equal((await kb.search("heron"))[0]?.source.page, 1);
      },
      { readers: [createPdfReader({ ocr })] },
    );
    await withTexts({}, async (kb) => {
      const { failures } = await kb.ingest({ uri: "a.pdf", bytes: bytes(pdf), mediaType: "application/pdf" });
      equal(failures.length, 1);
    });
  }),
  prove("T56", "no tables by default; those of an extractor feed the sheets", async () => {
    equal(
      await noTableExtractor.extractTables({ uri: "a", bytes: new Uint8Array(), mediaType: "application/pdf" }),
      [],
    );
    const pdf = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n`;
    const tables = {
      name: "tables/1",
      extractTables: async () => [{ page: 1, headers: ["Bird", "Count"], rows: [["Heron", "3"]] }],
    };
    await withTexts(
      {},
      async (kb) => {
        equal((await kb.ingest({ uri: "a.pdf", bytes: bytes(pdf), mediaType: "application/pdf" })).failures, []);
        matches((await kb.search("heron"))[0]?.text, /Heron/u);
      },
      {
        readers: [
          createPdfReader({
            tables,
            ocr: {
              name: "ocr/2",
              isScanned: () => true,
              extractText: async () => [{ page: 1, text: "A table of birds." }],
            },
          }),
        ],
      },
    );
  }),
  prove("T59", "recall, nDCG, MRR and latency", async () => {
    const qrels = parseQrels("q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 1\n");
    const search = async (query: string): Promise<readonly { documentId: string; score: number }[]> =>
      query === "one"
        ? [
            { documentId: "d9", score: 2 },
            { documentId: "d1", score: 1 },
          ]
        : [{ documentId: "d3", score: 1 }];
    const { run, latencyMs } = await collectRun(
      search,
      new Map([
        ["q1", "one"],
        ["q2", "two"],
      ]),
    );
    const { metrics } = scoreRun(run, qrels, { metrics: ["recall@10", "mrr@10", "ndcg@10"] });
    equal(metrics["recall@10"]?.mean, 0.75);
    equal(metrics["mrr@10"]?.mean, 0.75);
    const ideal = 1 + 1 / Math.log2(3);
    equal(metrics["ndcg@10"]?.mean.toFixed(9), ((1 / Math.log2(3) / ideal + 1) / 2).toFixed(9));
    holds(latencyMs.p50 <= latencyMs.p95 && latencyMs.p95 <= latencyMs.p99);
  }),
  prove("T41", "events for what was indexed, and what failed", async () => {
    const events = createMemoryEventStore();
    await withTexts(
      { a: "Bees hum." },
      (kb) => kb.ingest({ uri: "b.pdf", bytes: bytes("no pdf"), mediaType: "application/pdf" }),
      { operations: { events } },
    );
    const [indexed, failed] = await all(events.read({ names: ["KnowledgeChunkIndexed", "KnowledgeChunkFailed"] }));
    equal([indexed?.name, failed?.name], ["KnowledgeChunkIndexed", "KnowledgeChunkFailed"]);
    equal((indexed!.data as { chunks: number }).chunks, 1);
  }),
];
