import { openKnowledgeBase } from "ibid";
import { createTokenChunker } from "ibid/chunkers";
import { createInMemoryVectorStore } from "ibid/compat";
import { createIngestionQueue } from "ibid/ingest";
import { createBlobCache, createEmbeddingCache, createSharedEmbeddingCache, type SharedCache } from "ibid/models";
import { createMemoryBlobStore } from "ibid/stores";
import { createChunkerPack } from "ibid/testing";
import { fixed } from "../fixed.ts";
import { documentationOf } from "../imports.ts";
import { equal, holds, matches, putVectors, reading, refuses, uris, version, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { measure } from "../wesichain/bench.ts";

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

export const guarantees = [
  prove("T7", "a match is the whole chunk, with its scope and its score", async () => {
    const store = createInMemoryVectorStore();
    await putVectors(store, [{ id: "near", vector: [0.6, 0.8], metadata: { kind: "note" } }]);
    const [match] = await store.search(reading, { embedding: [1, 0], version });
    const { id, text, metadata, origin, documentId } = match!.chunk;
    equal([id, text, metadata, origin, documentId], ["near", "near", { kind: "note" }, "user-content", "id of near"]);
    equal([match?.scope, rounded(match!.score)], ["deployment", 0.6]);
  }),
  prove(
    "T16",
    "the size is stated where the store is declared, and an exact store answers at a fifth of it",
    async () => {
      matches(documentationOf("./stores", "openSnapshotStore"), /meant for some 50,000 chunks/u);
      const { chunks, found, exact } = await measure(10_000);
      equal(chunks, 10_000);
      for (const [i, hits] of found.entries())
        for (const [rank, { score }] of hits.entries()) holds(Math.abs(score - exact[i]![rank]!) < 1e-5);
    },
  ),
  prove("T19", "a query finds vectors of its own dimensions alone, and none is cut to fit", async () => {
    const store = createInMemoryVectorStore();
    await putVectors(store, [
      { id: "two", vector: [1, 0] },
      { id: "three", vector: [1, 0, 0] },
    ]);
    const found = async (embedding: readonly number[]) =>
      (
        await store.search(reading, { embedding, version: { ...version, dimensions: embedding.length }, topK: "all" })
      ).map(({ chunk, score }) => [chunk.id, score]);
    equal([await found([1, 0]), await found([1, 0, 0]), await found([1, 0, 0, 0])], [[["two", 1]], [["three", 1]], []]);
  }),
  prove("T21", "chunks go in by one door and out by another, both asking who it is", () =>
    withTexts({}, async (kb) => {
      const tom = kb.as({ userId: "tom", teamId: "a" });
      await tom.ingest({ uri: "own", chunks: [{ text: "Leave is 30 days." }] });
      await refuses("access-denied", () =>
        tom.ingest({ uri: "x", chunks: [{ text: "Leave is never." }] }, { scope: "team:b" }),
      );
      equal(
        (await tom.search("leave")).map(({ scope, text }) => [scope, text]),
        [["team:a", "Leave is 30 days."]],
      );
      equal(await kb.as({ userId: "eve", teamId: "b" }).search("leave"), []);
    }),
  ),
  prove("T33", "a counter of one's own, and the pack that holds it", async () => {
    const words = (text: string): number => text.split(/\s+/u).filter(Boolean).length;
    const resize = (maxTokens: number, overlapTokens: number) =>
      createTokenChunker({ maxTokens, overlapTokens, minTokens: 0, length: words });
    const cases = createChunkerPack({
      create: () => resize(12, 3),
      resize,
      limits: { maxSize: 12, overlap: 3, length: words },
    });
    holds(cases.length > 5);
    for (const { run } of cases) await run();
  }),
  prove("T38", "10,000 entries by default: the ten thousand and first puts out the oldest", () => {
    const cache = createEmbeddingCache();
    for (let i = 0; i <= 10_000; i++) cache.set(String(i), [i]);
    equal([cache.get("0"), cache.get("1") === undefined, cache.hitRate], [undefined, false, 0.5]);
  }),
  prove(
    "T39",
    "processes over one knowledge base share it, by keys that tell nothing; one that fails costs a request",
    async () => {
      const kept = new Map<string, Uint8Array>();
      const shared: SharedCache = {
        getMany: async (keys) => keys.map((key) => kept.get(key)),
        setMany: async (entries) => entries.forEach(([key, value]) => kept.set(key, value)),
      };
      const down: SharedCache = {
        getMany: () => Promise.reject(new Error("down")),
        setMany: () => Promise.reject(new Error("down")),
      };
      const blobs = createMemoryBlobStore();
      const asked = async (cache: SharedCache): Promise<number> => {
        const embedding = fixed({ east: [1, 0], where: [1, 0] });
        const kb = await openKnowledgeBase({
          snapshots: { blobs },
          models: { embedding, cache: createSharedEmbeddingCache(cache) },
        });
        await kb.ingest({ uri: "east", text: "east" });
        equal(uris(await kb.search("where", { mode: "dense" })), ["east"]);
        await kb.close();
        return embedding.calls.length;
      };
      equal([await asked(shared), await asked(shared), await asked(down)], [2, 0, 1]);
      const inBlobs = createBlobCache(createMemoryBlobStore());
      equal([await asked(inBlobs), await asked(inBlobs)], [1, 0]);
      holds(kept.size === 2 && [...kept.keys()].every((key) => /^[0-9a-f]{64}$/u.test(key)));
    },
  ),
  prove("T42", "a queue has room for 5,000 unless it is told otherwise, and shows how many wait", () =>
    withTexts({}, async (kb) => {
      const queue = createIngestionQueue(kb, { concurrency: 0 });
      await queue.enqueue({ uri: "a", text: "One." });
      const { capacity, depth, rejected } = await queue.depth();
      equal([capacity, depth, rejected], [5000, 1, 0]);
      await queue.close();
    }),
  ),
];
