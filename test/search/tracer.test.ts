import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";

import { createGate } from "../../src/access/gate.ts";
import type { RetrievalTrace, Tracer } from "../../src/contracts/tracer.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createFakeEmbedder, createFakeStore, readAll } from "./fake-store.ts";

const secret = new Uint8Array(32).fill(7);
const store = createFakeStore([
  { id: "a", text: "Keys are rotated every ninety days.", vector: [1, 0] },
  { id: "b", text: "Old keys are rotated out.", vector: [0.9, 0] },
  { id: "c", text: "Nothing here.", vector: [0, 1] },
]);

function recorder(): Tracer & {
  readonly traces: RetrievalTrace[];
  readonly misses: unknown[];
  readonly accesses: unknown[];
} {
  const [traces, misses, accesses]: [RetrievalTrace[], unknown[], unknown[]] = [[], [], []];
  return {
    traces,
    misses,
    accesses,
    trace: (trace, access) => {
      traces.push(trace);
      accesses.push(access);
    },
    miss: (scopes, queryHash) => {
      misses.push({ scopes, queryHash });
    },
  };
}

describe("traces", () => {
  it("have thirteen fields, and the query only as an HMAC under the store's secret [T51 T52 L10]", async () => {
    const tracer = recorder();
    const retriever = createRetriever({
      store,
      embedder: createFakeEmbedder([1, 0]).embedder,
      tracer,
      secret,
      access: { userId: "ada" },
    });
    const scopes = createGate().read({ userId: "ada" }, [], ["deployment", "team:x"]);
    await retriever.retrieve(scopes, "rotated keys");
    const [trace] = tracer.traces;
    expect(trace).toEqual({
      queryHash: createHmac("sha256", secret).update("rotated keys").digest("hex"),
      queryLength: 12,
      requestedScopes: ["deployment", "team:x"],
      permittedScopes: ["deployment"],
      topK: 5,
      candidatePoolSize: 3,
      topScore: expect.any(Number),
      dense: true,
      sparse: true,
      reranked: false,
      latencyMs: expect.any(Number),
      stages: ["scopes", "embed", "lexical", "dense", "merge", "origins", "snippets"],
      resultCount: 3,
    });
    expect(trace?.topScore).toBeGreaterThan(0.7);
    expect(JSON.stringify(tracer.traces)).not.toMatch(/rotated|keys/u);
    expect(tracer.accesses).toEqual([{ userId: "ada" }]);
    expect(tracer.misses).toEqual([]);
  });

  it("name all eight stages when all ran, in order [T24]", async () => {
    const tracer = recorder();
    const reranker = { name: "same", rerank: async (_: string, texts: readonly string[]) => texts.map(() => 1) };
    const retriever = createRetriever({
      store,
      embedder: createFakeEmbedder([1, 0]).embedder,
      tracer,
      secret,
      reranker,
    });
    await retriever.retrieve(readAll(), "keys");
    expect(tracer.traces[0]?.stages).toEqual([
      "scopes",
      "embed",
      "lexical",
      "dense",
      "merge",
      "rerank",
      "origins",
      "snippets",
    ]);
    expect(tracer.traces[0]?.reranked).toBe(true);
  });

  it("are written also when nothing may be read [T25 T51 C21]", async () => {
    const tracer = recorder();
    const none = createGate({ deployment: false }).read({}, [], ["team:x"]);
    expect(await createRetriever({ store, tracer, secret }).retrieve(none, "keys")).toEqual([]);
    expect(tracer.traces[0]).toMatchObject({
      permittedScopes: [],
      requestedScopes: ["team:x"],
      stages: ["scopes"],
      topScore: 0,
      resultCount: 0,
    });
    expect(tracer.misses).toHaveLength(1);
  });

  it("say a miss when fewer than two hits are evidence, however few were wanted [T50 L5]", async () => {
    const tracer = recorder();
    const { embedder } = createFakeEmbedder([1, 0]);
    const retriever = createRetriever({ store, embedder, tracer, secret });
    await retriever.retrieve(readAll(), "rotated keys", { topK: 1 });
    await retriever.retrieve(readAll(), "unheard", { mode: "dense", minScore: 0.9, topK: 1 });
    expect(tracer.misses).toEqual([]);
    await retriever.retrieve(readAll(), "unheard", { mode: "dense", minScore: 0.95 });
    expect(tracer.misses).toEqual([
      { scopes: ["deployment"], queryHash: createHmac("sha256", secret).update("unheard").digest("hex") },
    ]);
    await retriever.retrieve(readAll(), "ninety", { mode: "lexical" });
    expect(tracer.misses).toHaveLength(2);
  });

  it("neither fail nor delay what they tell of [T53]", async () => {
    const thrower = () => {
      throw new Error("full");
    };
    const tracers: Tracer[] = [
      { trace: thrower, miss: thrower },
      { trace: () => Promise.reject(new Error("full")), miss: () => Promise.reject(new Error("full")) },
      { trace: () => new Promise(() => undefined), miss: () => new Promise(() => undefined) },
    ];
    for (const tracer of tracers) {
      expect(await createRetriever({ store, tracer, secret }).retrieve(readAll(), "ninety")).toHaveLength(1);
    }
  });

  it("need a secret [L10]", () => {
    expect(() => createRetriever({ store, tracer: recorder() })).toThrow("secret");
  });
});

describe("evidence", () => {
  const explained = async (query: string, options = {}, extra = {}) =>
    createRetriever({ store, embedder: createFakeEmbedder([1, 0], "form").embedder, ...extra }).retrieve(
      readAll(),
      query,
      {
        explain: true,
        ...options,
      },
    );

  it("is lexical strength, in which words of every subject do not count [L5]", async () => {
    const [first] = await explained("how do I get keys rotated?");
    expect(first?.evidence).toBe(true);
    expect(first?.explain?.strength).toBeGreaterThan(0.8);
    const offTopic = await explained("what are the tides of Saturn?");
    expect(offTopic.length).toBeGreaterThan(0);
    expect(offTopic.every((hit) => hit.evidence === false && hit.explain?.strength === 0)).toBe(true);
  });

  it("is closeness only where closeness is of meaning, or a floor was given [L5]", async () => {
    const dense = { mode: "dense" as const };
    expect((await explained("x", dense))[0]?.evidence).toBe(false);
    expect((await explained("x", { ...dense, minScore: 0.9 }))[0]?.evidence).toBe(true);
    const meaning = { embedder: createFakeEmbedder([0.3, 0.29]).embedder };
    expect((await explained("x", { ...dense, topK: "all" }, meaning)).map(({ evidence }) => evidence)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is any match of a pattern [E23]", async () => {
    expect((await explained("rot.ted", { mode: "regex" }))[0]?.evidence).toBe(true);
  });
});
