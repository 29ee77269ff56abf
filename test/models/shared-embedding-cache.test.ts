import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import {
  createHashingModel,
  createSharedEmbeddingCache,
  type Embedding,
  type SharedCache,
} from "../../src/models/index.node.ts";
import { createBlobCache } from "../../src/models/embedder/blob-cache.ts";
import { createMemoryBlobStore } from "../../src/stores/index.node.ts";
import { decodeEmbedding, encodeEmbedding } from "../../src/models/embedder/encode-embedding.ts";
import { collect } from "../../src/testing/assert.ts";

const secret = new Uint8Array(32).fill(7);

/** A process: a model that counts what it is sent, and a cache of its own before the shared one. */
function startProcess(shared: SharedCache, own = secret) {
  const model = createHashingModel();
  const embedder = createEmbedder(model, { cache: createSharedEmbeddingCache(shared), secret: own });
  return { embed: (...texts: string[]) => embedder.embed(texts, { purpose: "query" }) };
}

describe("a cache that processes share", () => {
  it("sends a text once, whichever process asks first [T39]", async () => {
    const shared = createBlobCache(createMemoryBlobStore());
    const [first, second] = [startProcess(shared), startProcess(shared)];
    const one = await first.embed("heron", "otter");
    const two = await second.embed("otter", "newt");
    expect([one.sent, two.sent]).toEqual([2, 1]);
    expect(two.embeddings[0]).toEqual(one.embeddings[1]);
    expect((await startProcess(shared).embed("heron", "otter", "newt")).sent).toBe(0);
    await shared.clear();
    expect((await startProcess(shared).embed("heron")).sent).toBe(1);
  });

  it("asks for all of one turn at once, and for nothing that this process had before [T39]", async () => {
    const inner = createBlobCache(createMemoryBlobStore());
    const gets: number[] = [];
    const sets: number[] = [];
    const counted: SharedCache = {
      getMany: (keys) => (gets.push(keys.length), inner.getMany(keys)),
      setMany: (entries) => (sets.push(entries.length), inner.setMany(entries)),
    };
    const { embed } = startProcess(counted);
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`);
    await embed(...texts);
    await embed(...texts);
    expect([gets, sets]).toEqual([[40], [40]]);
  });

  it("holds no text and no hash that could be guessed; another knowledge base finds nothing in it [T39 L10]", async () => {
    const blobs = createMemoryBlobStore();
    const shared = createBlobCache(blobs);
    await startProcess(shared).embed("heron");
    expect((await startProcess(shared, new Uint8Array(32).fill(8)).embed("heron")).sent).toBe(1);
    const listed = await collect(blobs.list());
    expect(listed.map(({ key }) => key)).toEqual([
      expect.stringMatching(/^embeddings\/[0-9a-f]{2}\/[0-9a-f]{64}$/),
      expect.stringMatching(/^embeddings\/[0-9a-f]{2}\/[0-9a-f]{64}$/),
    ]);
    for (const { key } of listed) expect(Buffer.from((await blobs.get(key))!.bytes).includes("heron")).toBe(false);
  });

  it("that fails or is damaged costs a request, never an answer [T39]", async () => {
    const down: SharedCache = {
      getMany: () => Promise.reject(new Error("gone")),
      setMany: () => Promise.reject(new Error("gone")),
    };
    expect((await startProcess(down).embed("heron")).sent).toBe(1);
    const blobs = createMemoryBlobStore();
    const shared = createBlobCache(blobs);
    const { embeddings } = await startProcess(shared).embed("heron");
    const key = (await collect(blobs.list()))[0]!.key;
    const bytes = (await blobs.get(key))!.bytes;
    for (let at = 0; at < bytes.length; at++) {
      await blobs.put(
        key,
        bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)),
      );
      const again = await startProcess(shared).embed("heron");
      expect([again.sent, again.embeddings]).toEqual([1, embeddings]);
    }
    await blobs.put(key, bytes.subarray(0, 7));
    expect((await startProcess(shared).embed("heron")).sent).toBe(1);
  });

  it("serves two lives of one knowledge base [T39 L10]", async () => {
    const blobs = createMemoryBlobStore();
    const open = () =>
      openKnowledgeBase({
        models: { embedding: createHashingModel(), cache: createSharedEmbeddingCache(cache) },
        snapshots: { blobs },
      });
    // One that cannot delete: entries stay until they expire.
    const inner = createBlobCache(blobs);
    const cache: SharedCache = {
      getMany: (keys) => inner.getMany(keys),
      setMany: (entries) => inner.setMany(entries),
    };
    const texts = [{ uri: "a", text: "The heron waits." }];
    const first = await open();
    expect(await first.ingest(texts)).toMatchObject({ embedded: 1 });
    await first.reset("deployment");
    await first.close();
    const second = await open();
    expect(await second.ingest(texts)).toMatchObject({ added: 1, embedded: 0 });
    await second.close();
  });

  it("lets go of what is deleted, edited, swept or reset, and of nothing else [T39 L8]", async () => {
    const blobs = createMemoryBlobStore();
    const kb = await openKnowledgeBase({
      models: { embedding: createHashingModel(), cache: createSharedEmbeddingCache(createBlobCache(blobs)) },
    });
    const entries = async () => (await collect(blobs.list())).length;
    await kb.ingest([
      { uri: "a", text: "The heron waits." },
      { uri: "b", text: "The otter swims.", metadata: { kind: "wet" } },
      { uri: "c", text: "The newt sleeps." },
      { uri: "d", text: "The stork stands." },
    ]);
    expect(await entries()).toBe(4);
    await kb.delete("a");
    expect(await entries()).toBe(3);
    await kb.delete({ filter: { kind: "wet" } }, { purge: true });
    expect(await entries()).toBe(2);
    await kb.ingest({ uri: "c", text: "The newt wakes." });
    expect(await entries()).toBe(2);
    // Not cached any more: what the other edition said is embedded again.
    expect(await kb.ingest({ uri: "c", text: "The newt sleeps." })).toMatchObject({ embedded: 1 });
    await kb.ingest({ uri: "e", text: "The ibis comes." }, { scope: "team:north" });
    await kb.reset("deployment");
    expect(await entries()).toBe(1);
    await kb.close();
  });

  it("that fails to let go makes the delete fail, and nothing is deleted [T39 L8 L9]", async () => {
    const cache = createBlobCache(createMemoryBlobStore());
    const deleteMany = async (): Promise<void> => {
      throw new Error("connection refused");
    };
    const kb = await openKnowledgeBase({
      models: { embedding: createHashingModel(), cache: createSharedEmbeddingCache({ ...cache, deleteMany }) },
    });
    await kb.ingest({ uri: "a", text: "The heron waits." });
    await expect(kb.delete("a", { purge: true })).rejects.toMatchObject({ code: "store-failed" });
    expect((await kb.status()).documents).toBe(1);
    // An edit is not held up by it.
    expect(await kb.ingest({ uri: "a", text: "The heron flies." })).toMatchObject({ updated: 1 });
    await kb.close();
  });

  it("embeddings come back as they were, to the bit", () => {
    const float = fc.double({ noNaN: true, noDefaultInfinity: true });
    const vector = fc.oneof(fc.array(float), fc.float32Array({ noNaN: true, noDefaultInfinity: true }), fc.int8Array());
    const indices = fc.oneof(fc.array(fc.nat()), fc.uint32Array());
    const sparse = fc.record({ indices, values: vector }, { noNullPrototype: true });
    const embedding = fc.oneof(vector, sparse, fc.record({ dense: vector, sparse }, { noNullPrototype: true }));
    fc.assert(
      fc.property(embedding, (given) => {
        expect(decodeEmbedding(encodeEmbedding(given as Embedding))).toEqual(given);
      }),
    );
  });
});
