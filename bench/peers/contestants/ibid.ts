// ibid as its users get it: the built package.
import { join } from "node:path";
import type { Batch, Contestant, Passage, Setting } from "../contestant.ts";
import { type Chunk, type DocumentWrite, loadIbid, loadStores, type Store } from "../ibid.ts";

export const { openKnowledgeBase } = await loadIbid();
const stores = await loadStores();

const gate = stores.createGate();
const into = gate.write(stores.operator, "deployment");
const from = gate.read(stores.operator, ["deployment"]);
const version = { provider: "bench", model: "given", dimensions: 0, fingerprint: "" };
const gap = "\n\n";

/** Ten passages are one document: its text, and a chunk for each of them. */
function toDocument(passages: readonly Passage[]): { readonly text: string; readonly chunks: readonly Chunk[] } {
  const uri = `d${Math.floor(Number(passages[0]!.id) / 10)}`;
  let end = -gap.length;
  const chunks = passages.map(({ id, text, slot }, index): Chunk => {
    const start = end + gap.length;
    end = start + text.length;
    return {
      type: "text-chunk",
      id,
      documentId: uri,
      uri,
      title: uri,
      text,
      urtext: text,
      start,
      end,
      index,
      sectionId: "0",
      headings: [],
      metadata: { slot },
      origin: "user-content",
    };
  });
  return { text: passages.map(({ text }) => text).join(gap), chunks };
}

/** Batches begin at a multiple of ten, so that none cuts a document in two. */
function tens(passages: readonly Passage[]): readonly (readonly Passage[])[] {
  return Array.from({ length: Math.ceil(passages.length / 10) }, (_, i) => passages.slice(10 * i, 10 * i + 10));
}

/** Complete chunks, as `ingest` takes them. */
export function toChunks(passages: readonly Passage[]): readonly Chunk[] {
  return tens(passages).flatMap((ten) => toDocument(ten).chunks);
}

function toWrites({ passages, vectors, dimensions }: Batch): readonly DocumentWrite[] {
  return tens(passages).map((ten, i) => {
    const { text, chunks } = toDocument(ten);
    const { uri } = chunks[0]!;
    const at = (index: number): number => (10 * i + index) * dimensions;
    const embeddingsOf = (index: number) =>
      dimensions === 0
        ? []
        : [{ version: { ...version, dimensions }, embedding: vectors.subarray(at(index), at(index + 1)) }];
    return {
      document: {
        type: "text",
        id: uri,
        uri,
        title: uri,
        mediaType: "text/plain",
        text,
        metadata: {},
        origin: "user-content",
        root: { id: "0", title: uri, level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
        sourceMap: { lines: "text" },
      },
      chunks: chunks.map((chunk, index) => ({ chunk, embeddings: embeddingsOf(index) })),
      contentHash: uri,
      metadataHash: "",
      fingerprint: "bench",
      bytes: text.length,
      folder: null,
    };
  });
}

export function openMemory(): Store {
  return stores.createMemoryStore({ analyzer: stores.languageAnalyzer });
}

export function openDurable({ folder }: Setting): Promise<Store> {
  return stores.openSqliteStore(join(folder, "ibid.sqlite"));
}

async function write(store: Store, documents: readonly DocumentWrite[]): Promise<void> {
  // Writes of one turn share a commit.
  await Promise.all(documents.map((document) => store.replace(into, document)));
}

/** The store by itself, asked with a vector. */
export function byVector(
  store: Store,
  { topK, dimensions }: Setting,
): Contestant<readonly DocumentWrite[], Float32Array> {
  return {
    shape: toWrites,
    add: (documents) => write(store, documents),
    finish: () => store.upkeep?.settle(),
    shapeQuery: ({ vector }) => vector,
    query: async (embedding) => {
      const session = await store.session(from);
      const dense = session.legs.find(({ name }) => name === "dense")!;
      const embeddings = [{ version: { ...version, dimensions }, embedding, scopes: session.scopes }];
      const { matches } = await dense.search({ question: "", text: "", syntax: "literal", embeddings }, topK);
      const read = await session.readChunks(matches);
      return read.flatMap((each) => (each === undefined ? [] : [each.chunk.id]));
    },
    close: () => store.close(),
  };
}

/** Words as a search asks for them: a question without its function words. */
export function byWords(store: Store, { topK }: Setting): Contestant<readonly DocumentWrite[], string> {
  const retriever = stores.createRetriever({ store, analyzer: stores.languageAnalyzer });
  return {
    shape: toWrites,
    add: (documents) => write(store, documents),
    finish: () => store.upkeep?.settle(),
    shapeQuery: ({ text }) => text,
    query: async (text) =>
      (await retriever.retrieve(from, text, { mode: "lexical", topK, snippetLength: 0 })).map(({ chunkId }) => chunkId),
    close: () => store.close(),
  };
}
