// ibid as its users get it: the built package.
import { join } from "node:path";
import type { Chunk, ChunkEntry, Store } from "../../../dist/node.js";
import type { Batch, Contestant, Passage, Setting } from "../contestant.ts";

export const ibid = await import("../../../dist/node.js");

const gate = ibid.createGate();
export const into = gate.write(ibid.operator, "deployment");
export const from = gate.read(ibid.operator, ["deployment"]);
export const version = { provider: "bench", model: "given", dimensions: 0, fingerprint: "" };

/** Ten passages are one document. */
export function toChunk({ id, text, slot }: Passage): Chunk {
  const number = Number(id);
  const documentId = `d${Math.floor(number / 10)}`;
  return {
    type: "text-chunk",
    id,
    documentId,
    uri: documentId,
    title: documentId,
    text,
    urtext: text,
    start: 0,
    end: text.length,
    index: number % 10,
    sectionId: "0",
    headings: [],
    metadata: { slot },
    origin: "user-content",
  };
}

export function toEntries({ passages, vectors, dimensions }: Batch): ChunkEntry[] {
  return passages.map((passage, i) => ({
    chunk: toChunk(passage),
    embeddings:
      dimensions === 0
        ? []
        : [
            {
              version: { ...version, dimensions },
              embedding: vectors.subarray(i * dimensions, (i + 1) * dimensions),
            },
          ],
  }));
}

export function openMemory(): Store {
  return ibid.createMemoryStore({ analyzer: ibid.languageAnalyzer });
}

export function openDurable({ folder }: Setting): Promise<Store> {
  return ibid.openSqliteStore(join(folder, "ibid.sqlite"));
}

/** The store by itself, asked with a vector. */
export function byVector(store: Store, { topK, dimensions }: Setting): Contestant<ChunkEntry[], Float32Array> {
  return {
    shape: toEntries,
    add: (entries) => store.upsert(into, entries),
    finish: () => store.settle(),
    shapeQuery: ({ vector }) => vector,
    query: async (embedding) =>
      (await store.search(from, { embedding, version: { ...version, dimensions }, topK })).map(({ chunk }) => chunk.id),
    close: () => store.close(),
  };
}

/** Words as a search asks for them: a question without its function words. */
export function byWords(store: Store, { topK }: Setting): Contestant<ChunkEntry[], string> {
  const retriever = ibid.createRetriever({ store, analyzer: ibid.languageAnalyzer });
  return {
    shape: toEntries,
    add: (entries) => store.upsert(into, entries),
    finish: () => store.settle(),
    shapeQuery: ({ text }) => text,
    query: async (text) =>
      (await retriever.retrieve(from, text, { mode: "lexical", topK, snippetLength: 0 })).map(({ chunkId }) => chunkId),
    close: () => store.close(),
  };
}
