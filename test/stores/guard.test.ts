import { documentWith, writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { describe, expect, it } from "vitest";
import { createGate, operator } from "../../src/access/gate.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { AuthorizedScopes, SystemAuthority } from "../../src/contracts/scope.ts";
import type { ChunkEntry } from "../../src/contracts/document-store.ts";
import type { VectorQuery } from "../../src/contracts/vector-store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { chunk, collect, documentEntry, entry, plainAnalyzer, read, three, two, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

const into = write("deployment");
const from = read("deployment");

describe.each(eachStore)("the guard of $name", ({ open }) => {
  it("lets nobody through without a proof that the gate made [L3 T20]", async () => {
    const store = await open();
    const forged = { right: "read", scopes: ["deployment"], requested: [] } as unknown as AuthorizedScopes;
    const copied = { ...from } as AuthorizedScopes;
    const denied = { code: "access-denied" };
    for (const proof of [
      forged,
      copied,
      into as unknown as AuthorizedScopes,
      undefined as unknown as AuthorizedScopes,
    ]) {
      await expect(searchVectors(store, proof, {})).rejects.toMatchObject(denied);
      await expect(searchWords(store, proof, { text: "x" })).rejects.toMatchObject(denied);
      await expect(searchPattern(store, proof, { pattern: "x" })).rejects.toMatchObject(denied);
      await expect(store.find(proof, "x")).rejects.toMatchObject(denied);
      await expect(store.document(proof, "x")).rejects.toMatchObject(denied);
      await expect(store.status(proof)).rejects.toMatchObject(denied);
      await expect(collect(store.chunks(proof))).rejects.toMatchObject(denied);
      await expect(collect(store.documents(proof))).rejects.toMatchObject(denied);
    }
    for (const proof of [{ ...into }, from, {}] as AuthorizedScopes<"write">[]) {
      await expect(store.delete(proof, { ids: [] })).rejects.toMatchObject(denied);
      await expect(store.trash!.restore(proof, { ids: [] })).rejects.toMatchObject(denied);
      await expect(store.replace(proof, documentEntry("d", []))).rejects.toMatchObject(denied);
      await expect(store.touch(proof, "d", { folder: null })).rejects.toMatchObject(denied);
      await expect(store.held(proof, "d", undefined)).rejects.toMatchObject(denied);
    }
    await expect(store.trash!.vacuum({} as SystemAuthority, { olderThanMs: 0 })).rejects.toMatchObject(denied);
    await expect(store.scopes(from as unknown as SystemAuthority)).rejects.toMatchObject(denied);
  });

  it("a proof of nothing finds nothing, and what is in other scopes is not there [L3]", async () => {
    const store = await open();
    await store.replace(write("user:ada"), documentEntry("d", ["ash"]));
    const anonymous = createGate().read({}, ["user:ada"]);
    for (const proof of [anonymous, read("user:bob"), createGate().read(operator, [])]) {
      expect(await searchVectors(store, proof, { topK: "all" })).toEqual([]);
      expect((await searchWords(store, proof, { text: "ash" })).matches).toEqual([]);
      expect(await store.document(proof, "d")).toBeUndefined();
      expect(await store.status(proof)).toEqual({
        documents: 0,
        chunks: 0,
        bytes: 0,
        scopes: [],
        embeddingVersions: [],
      });
    }
  });

  it("refuses a whole batch for one blank id or one wrong vector, before anything is stored [B26 L6 W12 W15 W16]", async () => {
    const store = await open();
    const bad: [ChunkEntry, string, object?][] = [
      [entry(" ", "x"), "invalid-id"],
      [entry("\ud800", "x"), "invalid-id"],
      [entry("a", "x", undefined, { documentId: "" }), "invalid-id"],
      [
        { chunk: chunk("a", "x"), embeddings: [{ version: three, embedding: [1, 2] }] },
        "dimension-mismatch",
        { expected: 3, got: 2 },
      ],
      [{ chunk: chunk("a", "x"), embeddings: [{ version: three, embedding: [1, 2, Number.NaN] }] }, "invalid-argument"],
      [{ chunk: chunk("a", "x"), embeddings: [{ version: three, embedding: [1, 2, 1e39] }] }, "invalid-argument"],
      [
        { chunk: chunk("a", "x"), embeddings: [{ version: three, embedding: { indices: [2, 1], values: [1, 1] } }] },
        "invalid-argument",
      ],
      [
        { chunk: chunk("a", "x"), embeddings: [{ version: three, embedding: { indices: [3], values: [1] } }] },
        "dimension-mismatch",
      ],
      [entry("a", "x", undefined, { start: 5, end: 4 }), "invalid-argument"],
      [entry("a", "x", undefined, { metadata: { big: 1n as unknown as number } }), "invalid-argument"],
    ];
    for (const [wrong, code, details] of bad) {
      const batch = [entry("good", "x"), wrong].map(({ chunk: { documentId, ...others }, embeddings }) => {
        return { chunk: { ...others, documentId: documentId && "d" }, embeddings };
      });
      await expect(store.replace(into, documentWith(batch))).rejects.toMatchObject({
        code,
        ...(details && { details }),
      });
    }
    const document = documentEntry("d", ["ash", "birch"]);
    for (const times of [{ ingestedAt: "yesterday" }, { checkedAt: "2026-01-02" }])
      await expect(store.replace(into, { ...document, ...times })).rejects.toMatchObject({ code: "invalid-argument" });
    const twice = { ...document, chunks: [document.chunks[0]!, document.chunks[0]!] };
    await expect(store.replace(into, twice)).rejects.toMatchObject({ code: "invalid-id" });
    const foreign = { ...document, chunks: [entry("other", "x")] };
    await expect(store.replace(into, foreign)).rejects.toMatchObject({ code: "invalid-id" });
    expect(await searchVectors(store, from, { topK: "all" })).toEqual([]);
    expect(await collect(store.documents(from))).toEqual([]);
  });

  it("refuses a query that cannot be answered [L4 L5 L6 W15 B20]", async () => {
    const store = await open();
    const queries: [VectorQuery, string][] = [
      [{ topK: 0 }, "invalid-argument"],
      [{ topK: -1 }, "invalid-argument"],
      [{ topK: 1.5 }, "invalid-argument"],
      [{ minScore: Number.NaN }, "invalid-argument"],
      [{ embedding: [1, 2, 3] }, "invalid-argument"],
      [{ embedding: [1, 2], version: three }, "dimension-mismatch"],
      [{ metric: "alien" as "dot" }, "invalid-argument"],
      [{ limit: 3 } as VectorQuery, "invalid-argument"],
      [{ filter: { op: "near", key: "x" } as unknown as NonNullable<VectorQuery["filter"]> }, "invalid-filter"],
    ];
    for (const [query, code] of queries) {
      const asked = query.embedding === undefined ? { embedding: [1, 2], version: two, ...query } : query;
      await expect(searchVectors(store, from, asked)).rejects.toMatchObject({ code });
    }
    await expect(searchWords(store, from, { text: "x", topK: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(store.delete(into, { ids: [] }, { force: true } as object)).rejects.toMatchObject({
      code: "invalid-argument",
    });
    // An empty store answers for any version.
    expect(await searchVectors(store, from, { embedding: [1, 2], version: two })).toEqual([]);
  });

  it("shares nothing with its callers, going in or coming out [B27 L4]", async () => {
    const store = await open();
    const metadata = { tags: ["x"] };
    const headings = ["One"];
    const embedding = Float32Array.of(1, 0, 0);
    const given = { ...chunk("a", "ash", { metadata, headings }), embedding };
    const entries = [{ chunk: given as Chunk, embeddings: [{ version: three, embedding }] }];
    const writing = writeChunks(store, into, entries);
    // Before the write has happened, and after.
    metadata.tags.push("late");
    headings.push("late");
    embedding.fill(9);
    entries.length = 0;
    await writing;
    const look = async () =>
      (await searchVectors(store, from, { embedding: [1, 0, 0], version: three, includeEmbeddings: true }))[0]!;
    const first = await look();
    expect(first.chunk).toEqual(chunk("a", "ash", { metadata: { tags: ["x"] }, headings: ["One"] }));
    expect(first.score).toBe(1);
    (first.chunk.metadata["tags"] as string[]).push("mine");
    (first.chunk.headings as string[]).push("mine");
    (first.embedding as Float32Array).fill(7);
    const second = await look();
    expect(second.chunk.metadata).toEqual({ tags: ["x"] });
    expect(second.embedding).toEqual(Float32Array.of(1, 0, 0));
    const secret = store.secret;
    expect(secret).toHaveLength(32);
    secret.fill(0);
    expect(store.secret).not.toEqual(secret);
  });

  it("says what it is, is ready, and is closed once closed [S4 B31]", async () => {
    const store = await open();
    await store.ready();
    await expect(store.ready(AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
    expect(store.capabilities).toMatchObject({
      embeddings: ["dense", "sparse", "hybrid"],
      versions: true,
      trash: true,
      upkeep: true,
    });
    await writeChunks(store, into, [entry("a", "ash")]);
    const listing = store.chunks(from)[Symbol.asyncIterator]();
    await store.close();
    await store.close();
    await expect(searchVectors(store, from, {})).rejects.toMatchObject({ code: "store-closed" });
    await expect(store.replace(into, documentEntry("d", []))).rejects.toMatchObject({ code: "store-closed" });
    await expect(store.upkeep!.settle()).rejects.toMatchObject({ code: "store-closed" });
    await expect(listing.next()).rejects.toMatchObject({ code: "store-closed" });
  });

  it("runs writes one at a time, in the order of their calls [B31 W7]", async () => {
    const store = await open();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => writeChunks(store, into, [entry("a", `text ${i}`), entry(`b${i}`, "x")])),
    );
    expect((await searchPattern(store, from, { pattern: "text \\d+" })).map(({ chunk: { text } }) => text)).toEqual([
      "text 19",
    ]);
    expect((await store.status(from)).chunks).toBe(21);
  });
});

describe("options of a store", () => {
  it.each([
    { topK: 0 },
    { bm25: { k1: -1 } },
    { bm25: { b: 2 } },
    { metric: "nearest" as "dot" },
    { segments: { sealAt: 0 } },
    { segments: { mergeFactor: 1 } },
    { limit: 3 } as object,
  ])("%j cannot be", (options) => {
    expect(() => createMemoryStore(options)).toThrow(expect.objectContaining({ code: "invalid-argument" }) as Error);
  });

  it("decide what a search that says nothing gets [B20 B25]", async () => {
    const store = createMemoryStore({ analyzer: plainAnalyzer, metric: "dot", bm25: { k1: 0, document: 0 } });
    await writeChunks(store, into, [
      entry("a", "ash ash", [1, 0]),
      entry("b", "ash", [3, 0]),
      entry("c", "ash", [2, 0]),
    ]);
    const matches = await searchVectors(store, from, { embedding: [1, 0], version: { ...three, dimensions: 2 } });
    expect(matches.map(({ score }) => score)).toEqual([3, 2, 1]);
    const idf = Math.log(1 + 0.5 / 3.5);
    expect((await searchWords(store, from, { text: "ash" })).matches.map(({ score }) => score)).toEqual([
      idf,
      idf,
      idf,
    ]);
  });
});
