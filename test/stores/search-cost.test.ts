import { afterEach, describe, expect, it, vi } from "vitest";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import type { DirectoryReader, SegmentDirectory } from "../../src/stores/segments/segment-directory.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { slowClock } from "../support/turns.ts";
import { collect, documentEntry, read, system, write } from "./build.ts";

afterEach(() => vi.restoreAllMocks());

/** A directory that counts transactions, calls by name, and rows of chunks and of documents' names that were read. */
function createCountingDirectory() {
  const inner = createMemoryDirectory();
  const counts = { transactions: 0, calls: new Map<string, number>(), chunks: 0, homes: 0 };
  const chunkReads = new Set([
    "chunk",
    "chunks",
    "chunkById",
    "chunksById",
    "chunksOfDocument",
    "copiesOf",
    "chunksAfter",
  ]);
  const counting = (rows: DirectoryReader): DirectoryReader =>
    Object.fromEntries(
      Object.entries(rows).map(([name, call]) => [
        name,
        (...asked: never[]) => {
          counts.calls.set(name, (counts.calls.get(name) ?? 0) + 1);
          const result = (call as (...given: never[]) => unknown)(...asked);
          if (name === "homesOf") counts.homes += (result as readonly unknown[]).length;
          if (chunkReads.has(name)) counts.chunks += Array.isArray(result) ? result.length : 1;
          return result;
        },
      ]),
    ) as unknown as DirectoryReader;
  let wrapped: DirectoryReader | undefined;
  const directory: SegmentDirectory = {
    ...inner,
    read: (work) => {
      counts.transactions++;
      return inner.read((rows) => work((wrapped ??= counting(rows))));
    },
  };
  const reset = (): void => {
    counts.transactions = 0;
    counts.calls.clear();
    counts.chunks = 0;
    counts.homes = 0;
  };
  return { directory, counts, reset };
}

async function open(sealAt: number) {
  const { directory, counts, reset } = createCountingDirectory();
  const parts = createSegmentStore(directory, {
    ...decideStoreOptions({ corpusModel: latentSemanticModel, segments: { sealAt, settleAt: sealAt } }),
    secret: createSecret(),
    embeddings: ["dense"],
  });
  const store = composeStore(parts);
  for (let i = 0; i < 150; i++) {
    const texts = ["heron", "otter", "newt", "vole"].map((word, n) => `${word} ${i} waits near the river ${n}.`);
    const entry = documentEntry(`d${i}.md`, texts);
    const chunks = entry.chunks.map(({ chunk, embeddings }) => ({
      chunk: { ...chunk, metadata: { even: i % 2 === 0 } },
      embeddings,
    }));
    await store.replace(write("deployment"), { ...entry, chunks });
  }
  const search = async (query: string, options: object = {}, reranker?: "proximity") => {
    const retriever = createRetriever({ store, reranker });
    await retriever.retrieve(read("deployment"), query, options);
    reset();
    return retriever.retrieve(read("deployment"), query, options);
  };
  return { store, search, counts, reset };
}

describe.each([
  ["an unsealed scope", 100_000],
  ["a sealed scope", 100],
])("a warm search of %s", (_, sealAt) => {
  it.each([1, 5, 20])("reads as many chunks as it shows: %i", async (topK) => {
    const { search, counts } = await open(sealAt);
    const hits = await search("heron near the river", { topK });
    expect(hits).toHaveLength(topK);
    expect(counts.chunks).toBe(topK);
  });

  it("reads the chunks of equal scores once, for their places and to be shown", async () => {
    const { search, counts } = await open(sealAt);
    let tied = 0;
    for (let i = 0; i < 20; i++) {
      const scores = (await search(`heron ${i} vole ${i + 3}`, { topK: 6, fusion: "rrf" })).map(({ score }) => score);
      if (new Set(scores).size < scores.length) tied++;
      expect(counts.chunks).toBe(6);
    }
    expect(tied).toBeGreaterThan(0);
  });

  it("reads no text below the hits for copies, but for those that fill the places of copies", async () => {
    const { store, search, counts } = await open(sealAt);
    for (const uri of ["copy-1.md", "copy-2.md"])
      await store.replace(write("deployment"), documentEntry(uri, ["heron 7 waits near the river 0."]));
    const hits = await search("heron 7 waits", { topK: 3, mode: "lexical" });
    expect(hits.map(({ copies }) => copies?.count)).toEqual([2, undefined, undefined]);
    // Three chunks with the rows of two copies, and two chunks in their places.
    expect(counts.chunks).toBe(3 + 2 + 2);
    expect(new Set(hits.map(({ text }) => text)).size).toBe(3);
  });

  it("reads no names, headings and words again after a write to another scope [18.8]", async () => {
    const { store, search, counts, reset } = await open(sealAt);
    const options = { topK: 5, mode: "lexical" } as const;
    const before = await search("heron near the river", options);
    await store.replace(write("team:red"), documentEntry("red.md", ["heron and newt near the river."]));
    reset();
    const after = await createRetriever({ store }).retrieve(read("deployment"), "heron near the river", options);
    const shown = ({ chunkId, score, explain }: (typeof before)[number]) => ({ chunkId, score, explain });
    expect(after.map(shown)).toEqual(before.map(shown));
    const calls = (name: string): number => counts.calls.get(name) ?? 0;
    // Names of the documents that are shown.
    expect(["homesOf", "chunkDetails", "chunkDocuments", "file"].map(calls)).toEqual([1, 0, 0, 0]);
  });

  it("reads after a write the names of the documents that came, and all where one got another name [18.8]", async () => {
    const { store, search, counts, reset } = await open(sealAt);
    const options = { topK: 5, mode: "lexical" } as const;
    const find = (query: string) => createRetriever({ store }).retrieve(read("deployment"), query, options);
    await search("heron near the river", options);
    await store.replace(write("deployment"), documentEntry("fresh.md", ["heron and newt near the river."]));
    reset();
    await find("heron near the river");
    const shown = 5;
    expect(counts.homes).toBe(1 + shown);
    const renamed = { document: { title: "Capybara" } };
    await store.replace(write("deployment"), documentEntry("fresh.md", ["heron and newt near the river."], renamed));
    reset();
    const [first] = await find("capybara");
    expect(first?.documentId).toBe("fresh.md");
    expect(counts.homes).toBe(151 + 1);
  });

  it("reads the parts of joined hits and the first chunk beyond, and one slice for each that has a gap", async () => {
    const { store, search, counts, reset } = await open(sealAt);
    const slices: number[] = [];
    const watched: Pick<typeof store, "session" | "readText"> = {
      session: (...asked) => store.session(...asked),
      async readText(...asked) {
        slices.push(asked[3] - asked[2]);
        return store.readText(...asked);
      },
    };
    await search("7 waits near", { topK: 4, mode: "lexical", merge: true });
    reset();
    const joining = createRetriever({ store: watched });
    const hits = await joining.retrieve(read("deployment"), "7 waits near", { topK: 4, mode: "lexical", merge: true });
    const parts = hits.reduce((sum, { parts: own = [{}] }) => sum + own.length, 0);
    expect(hits).toHaveLength(4);
    expect(parts).toBeGreaterThan(4);
    expect(parts).toBeLessThanOrEqual(12);
    expect(counts.chunks).toBe(parts + 1);
    const joined = hits.filter(({ parts: own }) => own !== undefined);
    expect(slices).toEqual(joined.map(({ text }) => text.length));
    await search("7 waits near", { topK: 4, mode: "lexical", merge: true }, "proximity");
    expect(counts.chunks).toBe(20);
  });

  it("reads postings, documents and headings once, and after a write those that the words need", async () => {
    const { store, search, counts, reset } = await open(sealAt);
    const once = ["file", "chunkDocuments", "chunkDetails", "homesOf"];
    const asked = (): number => once.reduce((sum, name) => sum + (counts.calls.get(name) ?? 0), 0);
    await search("heron near the river", { topK: 5, mode: "lexical" });
    expect(asked()).toBe(0);
    await createRetriever({ store }).retrieve(read("deployment"), "river", { topK: 5, mode: "lexical" });
    // Its words are held; names of the documents of other hits are not.
    expect(counts.calls.get("file") ?? 0).toBe(0);
    expect(counts.calls.get("chunkDocuments") ?? 0).toBe(0);

    await store.replace(write("deployment"), documentEntry("late.md", ["A heron, late."]));
    reset();
    const [late] = await createRetriever({ store }).retrieve(read("deployment"), "late heron", {
      topK: 1,
      mode: "lexical",
    });
    expect(late!.documentId).toBe("late.md");
    // A block of postings for each word of each sealed segment, at most.
    expect(counts.calls.get("file") ?? 0).toBeLessThanOrEqual(sealAt > 1000 ? 0 : 2 * 8);
    expect(counts.calls.get("chunkDocuments") ?? 0).toBeLessThanOrEqual(sealAt > 1000 ? 1 : 8);
  });

  it("takes three transactions at most, however many legs search: legs, their look-ups, chunks", async () => {
    const { search, counts } = await open(sealAt);
    // A slow machine cuts a search in slices, each a transaction.
    slowClock(0);
    await search("heron near the river", { topK: 5 });
    expect(counts.transactions).toBeLessThanOrEqual(3);
    await search("heron near the river", { topK: 5, mode: "lexical" });
    expect(counts.transactions).toBe(2);
    const calls = [...counts.calls.values()].reduce((sum, count) => sum + count, 0);
    // Each sealed segment is asked for its ids; equal scores in several segments are told apart by single ids.
    expect(calls).toBeLessThanOrEqual(sealAt > 1000 ? 45 : 110);
  });

  it("reads the first pages of listings that begin at once in one transaction [18.8]", async () => {
    const { store, counts, reset } = await open(sealAt);
    reset();
    const found = await Promise.all(
      ["d1.md", "d2.md", "d3.md"].map((under) => collect(store.documents(read("deployment"), { under }))),
    );
    expect(found.map((documents) => documents.length)).toEqual([1, 1, 1]);
    expect(counts.transactions).toBe(1);
  });

  it("asks once for scopes, ids, and names and totals of documents, and anew after a write", async () => {
    const { store, search, counts, reset } = await open(sealAt);
    const once = ["scopes", "chunkIds", "homesOf", "liveChunksOf"];
    const asked = (): number => once.reduce((sum, name) => sum + (counts.calls.get(name) ?? 0), 0);
    await store.scopes(system);
    const before = await search("heron near the river", { topK: 20, mode: "lexical" });
    await store.scopes(system);
    expect(asked()).toBe(0);
    expect(before.map(({ structure }) => structure?.totalChunks)).toEqual(before.map(() => 4));

    const { documentId } = before[0]!;
    const texts = [before[0]!.text, "A moorhen."];
    const titled = { uri: `${documentId}.md`, title: "Herons" };
    await store.replace(write("deployment"), documentEntry(documentId, texts, { document: titled }));
    await store.replace(write("team:red"), documentEntry("red", ["A heron."]));
    reset();
    expect(await store.scopes(system)).toEqual(["deployment", "team:red"]);
    const retriever = createRetriever({ store });
    const query = before[0]!.text;
    const [after] = await retriever.retrieve(read("deployment"), query, { topK: 2, mode: "lexical" });
    expect(after).toMatchObject({ documentId, source: { title: "Herons" }, structure: { totalChunks: 2 } });
  });

  it("counts no chunks of documents that a reranker may drop", async () => {
    const { search, counts } = await open(sealAt);
    const hits = await search("heron near the river", { topK: 5 }, "proximity");
    expect(hits.every(({ structure }) => structure?.totalChunks === undefined)).toBe(true);
    expect(counts.calls.get("liveChunksOf") ?? 0).toBe(0);
  });

  it("asks for the facts of a filter together, never chunk by chunk", async () => {
    const { search, counts, store, reset } = await open(sealAt);
    reset();
    const retriever = createRetriever({ store });
    const hits = await retriever.retrieve(read("deployment"), "heron", { topK: 5, filter: { even: true } });
    expect(hits).toHaveLength(5);
    expect(counts.calls.get("chunkFacts") ?? 0).toBeLessThanOrEqual(8);
    expect(counts.chunks).toBe(5);
    await search("heron", { topK: 5, filter: { even: true } });
    expect(counts.calls.get("chunkFacts") ?? 0).toBe(0);
  });

  it("reads the pool of a reranker by proximity, and no more", async () => {
    const { search, counts } = await open(sealAt);
    await search("heron near the river", { topK: 5 }, "proximity");
    expect(counts.chunks).toBe(20);
  });

  it("searches again when a write comes between the legs and the chunks, and shows the text as it is then", async () => {
    const { store } = await open(sealAt);
    let writes = 0;
    const watched: Pick<typeof store, "session"> = {
      session: async (...asked) => {
        const session = await store.session(...asked);
        return {
          ...session,
          readChunks: async (refs, options) => {
            if (writes++ === 0) {
              await store.delete(write("deployment"), {
                documentIds: [
                  (await collect(store.chunks(read("deployment"), { ids: [refs[0]!.id] })))[0]!.chunk.documentId,
                ],
              });
            }
            return session.readChunks(refs, options);
          },
        };
      },
    };
    const hits = await createRetriever({ store: watched }).retrieve(read("deployment"), "heron near the river", {
      topK: 5,
    });
    expect(writes).toBe(2);
    expect(hits).toHaveLength(5);
    const live = new Set((await collect(store.chunks(read("deployment")))).map(({ chunk }) => chunk.id));
    expect(hits.every(({ chunkId }) => live.has(chunkId))).toBe(true);
  });
});
