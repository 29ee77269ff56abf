import { describe, expect, it } from "vitest";

import { createGate, operator } from "../../src/access/gate.ts";
import type { AuthorizedScopes } from "../../src/contracts/scope.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { sessionOver } from "../support/session-over.ts";
import { createFakeEmbedder, createFakeStore, type FakeChunk, readAll } from "./fake-store.ts";

const chunks: readonly FakeChunk[] = [
  { id: "a", text: "Keys are rotated every ninety days.", vector: [1, 0], metadata: { team: "ops" } },
  { id: "b", text: "Backups run every night.", vector: [0.6, 0.8], metadata: { team: "ops" } },
  { id: "c", text: "Holidays are requested in the portal.", vector: [0, 1], origin: "note", metadata: { team: "hr" } },
];
const embedder = () => createFakeEmbedder([1, 0]);

describe("stages", () => {
  it("embeds the query for its purpose and hands out hits without embeddings [B32 B34 C14]", async () => {
    const fake = embedder();
    const hits = await createRetriever({ store: createFakeStore(chunks), embedder: fake.embedder }).retrieve(
      readAll(),
      "rotated keys",
      {
        mode: "dense",
        topK: 2,
      },
    );
    expect(fake.asked).toEqual([{ inputs: ["rotated keys"], purpose: "query" }]);
    expect(hits.map(({ chunkId, score, rank }) => [chunkId, score, rank])).toEqual([
      ["a", 1, 1],
      ["b", 0.6, 2],
    ]);
    expect(hits.every((hit) => !("embedding" in hit))).toBe(true);
  });

  it("hands out embeddings when asked, whichever leg found the hit [C14 W15]", async () => {
    const retriever = createRetriever({ store: createFakeStore(chunks), embedder: embedder().embedder });
    for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
      const [hit] = await retriever.retrieve(readAll(), mode === "regex" ? "rotated" : "rotated keys", {
        mode,
        includeEmbeddings: true,
      });
      expect([mode, hit?.embedding]).toEqual([mode, [1, 0]]);
    }
  });

  it("is lexical when there is no embedder, and embeds nothing in lexical and regex searches [T23 T24]", async () => {
    const store = createFakeStore(chunks);
    const [hit, ...rest] = await createRetriever({ store }).retrieve(readAll(), "rotated keys", { explain: true });
    expect([hit?.chunkId, hit?.explain?.fusion, rest]).toEqual(["a", "lexical", []]);
    expect(store.calls.map(({ leg }) => leg)).toEqual(["lexical"]);
    const fake = embedder();
    const retriever = createRetriever({ store, embedder: fake.embedder });
    await retriever.retrieve(readAll(), "rotated", { mode: "lexical" });
    await retriever.retrieve(readAll(), "rotated", { mode: "regex" });
    expect(fake.asked).toEqual([]);
  });

  it("says what a dense search lacks [T23]", async () => {
    const search = createRetriever({ store: createFakeStore(chunks) }).retrieve(readAll(), "keys", { mode: "dense" });
    await expect(search).rejects.toMatchObject({ code: "configuration-missing" });
  });

  it("says what a store lacks, and searches a hybrid with what there is [B33 B47]", async () => {
    const store = createFakeStore(chunks, { lacks: ["lexicalSearch", "regexSearch"] });
    const retriever = createRetriever({ store, embedder: embedder().embedder });
    await expect(retriever.retrieve(readAll(), "keys", { mode: "lexical" })).rejects.toMatchObject({
      code: "unsupported",
    });
    await expect(retriever.retrieve(readAll(), "keys", { mode: "regex" })).rejects.toMatchObject({
      code: "unsupported",
    });
    expect((await retriever.retrieve(readAll(), "keys", { topK: 1, explain: true }))[0]?.explain?.fusion).toBe("dense");
  });

  it("finds a pattern and says where in the document [E23 E26]", async () => {
    const store = createFakeStore([{ id: "a", text: "ab12cd34", start: 100 }]);
    const [hit] = await createRetriever({ store }).retrieve(readAll(), "[0-9]+", { mode: "regex" });
    expect(hit?.matches).toEqual([
      { start: 102, end: 104 },
      { start: 106, end: 108 },
    ]);
    expect(hit?.score).toBe(2 / 3);
  });

  it("cuts snippets and never texts [T24 L1]", async () => {
    const text = `${"Nothing of note. ".repeat(40)}The keys rotate here. ${"More of nothing. ".repeat(40)}`;
    const store = createFakeStore([{ id: "a", text, start: 5 }]);
    const [hit] = await createRetriever({ store }).retrieve(readAll(), "keys rotate", { snippetLength: 60 });
    expect(hit?.text).toBe(text);
    expect(hit?.source).toMatchObject({
      uri: "a.md",
      title: "Title of a",
      headings: ["Part"],
      line: 7,
      start: 5,
      end: 5 + text.length,
    });
    expect(hit?.snippet.length).toBeLessThanOrEqual(62);
    expect(hit?.snippet).toContain("keys rotate");
  });
});

describe("what a caller may ask", () => {
  const retrieve = (query: string, options = {}) => {
    const fake = embedder();
    const run = createRetriever({
      store: createFakeStore(chunks),
      embedder: fake.embedder,
      maxQueryLength: 20,
    }).retrieve(readAll(), query, options);
    return { run, asked: fake.asked };
  };

  it("refuses blank and over-long queries before any model call [T28]", async () => {
    for (const query of ["", " \n\t", "x".repeat(21)]) {
      const { run, asked } = retrieve(query);
      await expect(run).rejects.toMatchObject({ code: "invalid-argument" });
      expect(asked).toEqual([]);
    }
    await expect(retrieve("x".repeat(20)).run).resolves.toBeDefined();
  });

  it("never repeats the query in an error [L10]", async () => {
    const error = await retrieve("a secret that is very long").run.catch((reason: unknown) => reason);
    expect(JSON.stringify([String(error), error])).not.toContain("secret");
  });

  it("takes topK from 1 up, or all [C1]", async () => {
    for (const topK of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3"]) {
      await expect(retrieve("keys", { topK }).run).rejects.toMatchObject({ code: "invalid-argument" });
    }
    expect(await retrieve("keys", { topK: 1 }).run).toHaveLength(1);
    expect(await retrieve("keys", { topK: "all", mode: "dense" }).run).toHaveLength(3);
  });

  it("gives five hits unless told otherwise [C1 T45]", async () => {
    const many = Array.from({ length: 9 }, (_, index) => ({
      id: `c${index}`,
      text: `keys ${index}`,
      vector: [1, index],
    }));
    const retriever = createRetriever({ store: createFakeStore(many), embedder: embedder().embedder });
    expect(await retriever.retrieve(readAll(), "keys")).toHaveLength(5);
  });

  it("throws for options nobody reads and values that mean nothing [T22]", async () => {
    const bad = [
      { limit: 3 },
      { mode: "fuzzy" },
      { fusion: "sum" },
      { origins: ["mine"] },
      { minScore: Number.NaN },
      { minFusedScore: "0.3" },
      { snippetLength: 3 },
      { explain: "yes" },
    ];
    for (const options of bad)
      await expect(retrieve("keys", options).run).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(retrieve("keys", { filter: { op: "near", key: "x" } }).run).rejects.toMatchObject({
      code: "invalid-filter",
    });
  });

  it("stops when told to [L9]", async () => {
    const signal = AbortSignal.abort();
    await expect(retrieve("keys", { signal }).run).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("the gate", () => {
  const shared: readonly FakeChunk[] = [
    { id: "open", text: "the plan is public", vector: [0.1, 0] },
    { id: "mine", text: "the plan is secret", vector: [1, 0], scope: "team:a" },
    { id: "theirs", text: "the plan is secret", vector: [1, 0], scope: "team:b" },
  ];
  const retriever = createRetriever({ store: createFakeStore(shared), embedder: embedder().embedder });

  it("believes nobody but the gate [L3 T26]", async () => {
    const forged = { right: "read", scopes: ["team:b"], requested: [] } as unknown as AuthorizedScopes;
    await expect(retriever.retrieve(forged, "plan")).rejects.toMatchObject({ code: "access-denied" });
  });

  it("drops scopes that may not be read, and finds nothing when none is left [T25 T26 L3]", async () => {
    const gate = createGate();
    const ada = gate.read({ teamId: "a" }, []);
    expect((await retriever.retrieve(ada, "plan")).map(({ chunkId }) => chunkId)).toEqual(["mine", "open"]);
    const fake = embedder();
    const other = createRetriever({ store: createFakeStore(shared), embedder: fake.embedder });
    expect(await other.retrieve(gate.read({ teamId: "a" }, [], ["team:b"]), "plan")).toEqual([]);
    expect(fake.asked).toEqual([]);
  });

  it("lets nothing through that a store should not have found [L3 L4]", async () => {
    const honest = createFakeStore(shared);
    const everything = createGate().read(operator, ["deployment", "team:a", "team:b"]);
    const { search } = honest.searches;
    const leaking = { session: sessionOver({ search: (_, query) => search!(everything, query) }) };
    const hits = await createRetriever({ store: leaking, embedder: embedder().embedder }).retrieve(
      readAll("deployment"),
      "plan",
    );
    expect(hits.map(({ chunkId }) => chunkId)).toEqual(["open"]);
  });

  it("keeps hidden chunks out of every score [L3]", async () => {
    const seen = await retriever.retrieve(createGate().read({ teamId: "a" }, []), "plan", { explain: true });
    const alone = createRetriever({ store: createFakeStore(shared.slice(0, 2)), embedder: embedder().embedder });
    expect(seen).toEqual(await alone.retrieve(createGate().read({ teamId: "a" }, []), "plan", { explain: true }));
  });
});

describe("filters", () => {
  it("starve no search: filtered before ranking [L4 C6]", async () => {
    const many: FakeChunk[] = Array.from({ length: 300 }, (_, index) => ({
      id: `n${String(index).padStart(3, "0")}`,
      text: `keys ${index}`,
      vector: [1 - index / 1000, 0],
      origin: index >= 295 ? "note" : "user-content",
      metadata: { late: index >= 295 },
    }));
    const retriever = createRetriever({ store: createFakeStore(many), embedder: embedder().embedder });
    for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
      const expected = ["n295", "n296", "n297", "n298", "n299"];
      expect(
        (await retriever.retrieve(readAll(), "keys", { mode, origins: ["note"] })).map(({ chunkId }) => chunkId),
      ).toEqual(expected);
      expect(
        (await retriever.retrieve(readAll(), "keys", { mode, filter: { late: true } })).map(({ chunkId }) => chunkId),
      ).toEqual(expected);
    }
  });

  it("checks origins again after ranking [T9 T24]", async () => {
    const store = createFakeStore(chunks, { ignoresOrigins: true });
    const hits = await createRetriever({ store, embedder: embedder().embedder }).retrieve(readAll(), "keys", {
      origins: ["note"],
    });
    expect(hits.map(({ chunkId }) => chunkId)).toEqual(["c"]);
  });
});
