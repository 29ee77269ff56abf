import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";

import { openSqliteEventStore } from "../../../src/stores/sqlite/sqlite-event-store.ts";
import type { EventStore, KnowledgeEvent } from "../../../src/contracts/event-store.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { openKnowledgeBase as openInMemory } from "../../../src/knowledge-base/open-in-memory.ts";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { bufferMs, createEventBuffer, mostBuffered } from "../../../src/knowledge-base/operations/event-buffer.ts";
import { createMemoryEventStore } from "../../../src/stores/memory/memory-event-store.ts";
import { collect } from "../../../src/testing/assert.ts";
import { createRecordingTracer } from "../../packs/recording-tracer.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-seeing-"));
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => void vi.useRealTimers());
let count = 0;
const fresh = (): string => join(root, `kb-${count++}`);

const shelf = [
  { uri: "a.txt", text: "The heron waits by the river for a fish." },
  { uri: "b.txt", text: "An otter swims in the river all day." },
];
const flushed = (latencyMs: number): KnowledgeEvent => ({
  name: "KnowledgeFlushed",
  at: 1,
  scopes: [],
  data: { latencyMs },
});

describe("events", () => {
  it("name documents under a key, or by their own ids where that is asked for [T41]", async () => {
    for (const documentIds of ["keyed", "plain"] as const) {
      const events = createMemoryEventStore();
      const kb = await openInMemory({ operations: { events, documentIds } });
      const results = await collect(kb.ingest([shelf[0]!, { uri: "c.pdf", text: "x", mediaType: "application/pdf" }]));
      await kb.close();
      const told = await collect(events.read({ names: ["KnowledgeChunkIndexed", "KnowledgeChunkFailed"] }));
      const ids = told.map(({ data }) => (data as { readonly documentId: string }).documentId);
      expect(results.map(({ status }) => status)).toEqual(["added", "failed"]);
      const own = results.map(({ documentId }) => documentId);
      const keyed = own.map(() => expect.stringMatching(/^[0-9a-f]{64}$/u) as string);
      expect(ids).toEqual(documentIds === "plain" ? own : keyed);
    }
  });

  it("of a service are reported by the operator, to health, store and telemetry, and by nobody else [T42 T54]", async () => {
    const events = createMemoryEventStore();
    const seen: string[] = [];
    const telemetry = {
      event({ name }: KnowledgeEvent) {
        seen.push(name);
        throw new Error("The telemetry is down.");
      },
    };
    const kb = await openInMemory(undefined, { operations: { events, telemetry } });
    kb.report("KnowledgeQueued", ["deployment"], { depth: 3, rejected: 0 });
    expect((await kb.health()).queue).toEqual({ depth: 3, rejected: 0 });
    const denied = (): void => kb.as({ userId: "ada" }).report("KnowledgeQueued", [], { depth: 0, rejected: 0 });
    expect(denied).toThrow(expect.objectContaining({ code: "access-denied" }));
    await kb.close();
    const kept = { name: "KnowledgeQueued", scopes: ["deployment"], data: { depth: 3, rejected: 0 } };
    expect(await collect(events.read())).toMatchObject([kept]);
    expect(seen).toEqual(["KnowledgeQueued"]);
  });

  it("are of searches, misses, embeddings, writes and documents, under their names, in order [T41 T50 T53 T54]", async () => {
    const events = createMemoryEventStore();
    const kb = await openInMemory({
      operations: { events },
      models: { embedding: createHashingModel({ dimensions: 64 }) },
    });
    await kb.ingest([...shelf, { uri: "c.pdf", text: "no reader", mediaType: "application/pdf" }]);
    await kb.as({ userId: "ada" }).search("heron", { mode: "lexical" });
    await kb.close();

    const seen = await collect(events.read());
    const [a, b, failed] = seen.filter(({ name }) => name.startsWith("KnowledgeChunk"));
    expect([a, b, failed]).toEqual([
      expect.objectContaining({
        name: "KnowledgeChunkIndexed",
        scopes: ["deployment"],
        data: { documentId: expect.any(String), chunks: 1 },
      }),
      expect.objectContaining({ name: "KnowledgeChunkIndexed", scopes: ["deployment"] }),
      expect.objectContaining({
        name: "KnowledgeChunkFailed",
        scopes: ["deployment"],
        data: { documentId: expect.stringMatching(/^[0-9a-f]{64}$/u), code: expect.any(String) },
      }),
    ]);
    expect(seen.filter(({ name }) => name === "KnowledgeFlushed")).toHaveLength(2);
    expect(seen.filter(({ name }) => name === "KnowledgeEmbedded").map(({ data }) => data)).toEqual(
      Array.from({ length: 2 }, () => ({ purpose: "document", inputs: 1, sent: 1, latencyMs: expect.any(Number) })),
    );
    const [search, miss] = seen.slice(-2);
    expect(search).toEqual({
      name: "KnowledgeRetrieved",
      stream: "_platform.retrieval",
      at: expect.any(Number),
      scopes: ["deployment", "user:ada"],
      data: {
        queryHash: expect.stringMatching(/^[0-9a-f]{64}$/u),
        queryLength: 5,
        requestedScopes: ["deployment", "user:ada"],
        permittedScopes: ["deployment", "user:ada"],
        topK: 5,
        candidatePoolSize: 1,
        topScore: expect.any(Number),
        dense: false,
        sparse: true,
        reranked: false,
        latencyMs: expect.any(Number),
        stages: ["scopes", "lexical", "origins", "snippets"],
        resultCount: 1,
      },
    });
    expect(miss).toMatchObject({ name: "KnowledgeRetrievalMiss", scopes: ["deployment", "user:ada"] });
    // The store was given, and is not ours to close.
    await events.append([flushed(1)]);
  });

  it("hold no word of a query, a text or a uri, in memory or in a file [L10 T52]", async () => {
    const folder = fresh();
    const kb = await openKnowledgeBase(folder);
    await kb.ingest([
      { uri: "quagga.txt", text: "The wombat sleeps." },
      { uri: "numbat.pdf", text: "?", mediaType: "application/pdf" },
    ]);
    await kb.search("axolotl wombat");
    await expect(kb.search("(dugong", { mode: "regex" })).rejects.toThrow("pattern");
    const told = await collect(kb.events());
    expect(told.length).toBeGreaterThan(3);
    expect(JSON.stringify(told)).not.toMatch(/wombat|axolotl|quagga|numbat|dugong/u);
    await kb.close();
    const files = readdirSync(folder).filter((name) => name.startsWith("events"));
    expect(files).toContain("events.sqlite");
    for (const file of files)
      expect(readFileSync(join(folder, file), "latin1")).not.toMatch(/wombat|axolotl|quagga|numbat|dugong/u);
  });

  it("are seen by other processes, and health is theirs together [T53 T54]", async () => {
    const folder = fresh();
    const one = await openKnowledgeBase(folder);
    await one.ingest(shelf);
    await one.search("river");
    await one.close();
    const other = await openKnowledgeBase(folder);
    await other.search("river");
    expect((await other.health()).retrieval.count).toBe(1);
    const together = await other.health({ everywhere: true });
    expect(together).toMatchObject({
      retrieval: { count: 2, hits: 2, misses: 0, empty: 0 },
      flush: { count: 2 },
      ingestion: { indexed: 2, failed: 0 },
    });
    await other.close();
    const reader = await openSqliteEventStore(join(folder, "events.sqlite"), { readOnly: true });
    expect((await collect(reader.read({ names: ["KnowledgeRetrieved"] }))).length).toBe(2);
    await reader.close();
  });

  it("are kept for a durable knowledge base, and nowhere for one in memory or where that is not wanted [T53]", async () => {
    const folder = fresh();
    const kb = await openKnowledgeBase(folder, { operations: { events: false } });
    await kb.ingest(shelf);
    await kb.search("heron");
    expect((await kb.health({ everywhere: true })).retrieval.count).toBe(1);
    await kb.close();
    expect(readdirSync(folder)).not.toContain("events.sqlite");
    // Looking makes no file either.
    const looked = await openKnowledgeBase(folder);
    expect((await looked.health({ everywhere: true })).retrieval.count).toBe(0);
    await looked.close();
    expect(readdirSync(folder)).not.toContain("events.sqlite");
  });

  it("are kept for as long as is wanted; anything else is refused [T53]", async () => {
    const folder = fresh();
    const kb = await openKnowledgeBase(folder, { operations: { events: { maxEvents: 2 } } });
    await kb.ingest(shelf);
    await kb.close();
    const reader = await openSqliteEventStore(join(folder, "events.sqlite"), { readOnly: true });
    expect(await collect(reader.read())).toHaveLength(2);
    await reader.close();
    for (const events of [{ maxEvents: 0 }, { maxAgeMs: -1 }, { forever: true }, "yes"]) {
      await expect(openInMemory({ events } as never)).rejects.toMatchObject({ code: "invalid-argument" });
    }
  });
});

describe("what is told of fails nothing", () => {
  it("neither a store that fails, nor a tracer, nor a telemetry [T53]", async () => {
    const fail = (): never => {
      throw new Error("full");
    };
    const events: EventStore = { append: fail, read: fail, close: fail };
    const tracer = createRecordingTracer({ failing: true });
    for (const telemetry of [{ event: fail, span: fail }, { span: () => ({ within: fail, end: fail }) }]) {
      const kb = await openInMemory({ operations: { events, tracer, telemetry } });
      expect(await kb.ingest(shelf)).toMatchObject({ added: 2, failed: 0 });
      expect(await kb.search("heron")).toHaveLength(1);
      expect((await kb.health()).retrieval).toMatchObject({ count: 1, hits: 1, misses: 0 });
      await kb.close();
    }
    expect(tracer.traces).toHaveLength(2);
  });

  it("nor a file of events that is somebody else's [T53]", async () => {
    const folder = fresh();
    const first = await openKnowledgeBase(folder, { operations: { events: false } });
    await first.ingest(shelf);
    await first.close();
    writeFileSync(join(folder, "events.sqlite"), "not a database, but long enough to look like one".repeat(40));
    const kb = await openKnowledgeBase(folder);
    expect(await kb.search("heron")).toHaveLength(1);
    await expect(kb.health({ everywhere: true })).rejects.toMatchObject({ code: "store-corrupt" });
    await kb.close();
    expect(readFileSync(join(folder, "events.sqlite"), "utf8")).toMatch(/^not a database/u);
  });
});

describe("the buffer of events", () => {
  it("writes what came within a second, in one go and in order [T53]", async () => {
    vi.useFakeTimers();
    const calls: (readonly KnowledgeEvent[])[] = [];
    const buffer = createEventBuffer({ append: async (events) => void calls.push(events) });
    buffer.add(flushed(1));
    await vi.advanceTimersByTimeAsync(bufferMs - 1);
    buffer.add(flushed(2));
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual([[flushed(1), flushed(2)]]);
    buffer.add(flushed(3));
    await buffer.flush();
    await buffer.flush();
    expect(calls).toEqual([[flushed(1), flushed(2)], [flushed(3)]]);
  });

  it("counts what it could not keep [T53]", async () => {
    let failing = true;
    const kept: KnowledgeEvent[] = [];
    const buffer = createEventBuffer({
      append: async (events) => {
        if (failing) throw new Error("full");
        kept.push(...events);
      },
    });
    for (let i = 0; i < mostBuffered + 3; i++) buffer.add(flushed(i));
    await buffer.flush();
    expect(buffer.lost).toBe(mostBuffered + 3);
    failing = false;
    buffer.add(flushed(7));
    await buffer.flush();
    expect(kept).toEqual([flushed(7)]);
    expect(buffer.lost).toBe(mostBuffered + 3);
  });
});

describe("health", () => {
  it("is for the operator alone: it counts everybody's searches [L3 T54]", async () => {
    const kb = await openInMemory();
    await expect(kb.as({ userId: "ada" }).health()).rejects.toMatchObject({ code: "access-denied" });
    await expect(kb.health({ every: true } as never)).rejects.toMatchObject({ code: "invalid-argument" });
    await kb.close();
    await expect(kb.health()).rejects.toMatchObject({ code: "store-closed" });
  });

  it("knows how often the cache had what was wanted [T38 T54]", async () => {
    const kb = await openInMemory({ models: { embedding: createHashingModel({ dimensions: 64 }) } });
    await kb.ingest(shelf);
    for (let i = 0; i < 4; i++) await kb.search("heron", { mode: "dense" });
    const { embedding } = await kb.health();
    // Two texts and one query were sent; three queries were not.
    expect(embedding).toMatchObject({ count: 3, cacheHitRate: 0.5 });
    await kb.close();
  });
});
