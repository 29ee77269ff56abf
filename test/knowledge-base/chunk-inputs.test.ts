import { type ChunksInput, IbidError, type KnowledgeBase, openKnowledgeBase } from "ibid";
import { createInMemoryVectorStore } from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "../../src/testing/assert.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";

const open: KnowledgeBase[] = [];
afterEach(async () => {
  for (const kb of open.splice(0)) await kb.close();
});
const opened = async (...given: Parameters<typeof openKnowledgeBase>): Promise<KnowledgeBase> => {
  const kb = await openKnowledgeBase(...given);
  open.push(kb);
  return kb;
};

const manual: ChunksInput = {
  uri: "manual",
  title: "The manual",
  metadata: { kind: "manual" },
  chunks: [
    { text: "Open the sluice before the river rises.", headings: ["Sluice", "Opening"], page: 3 },
    { text: "Close it when the meadows are dry.", headings: ["Sluice", "Closing"], metadata: { year: 1911 } },
    { text: "The manual: Grease the gears.", urtext: "Grease the gears.", headings: ["Upkeep"], id: "gears" },
  ],
};
const composed = "Open the sluice before the river rises.\n\nClose it when the meadows are dry.\n\nGrease the gears.";

describe("chunks that were cut elsewhere", () => {
  it("keep the media type that a text with its own vector, or a chunk as a literal, says", async () => {
    const kb = await opened();
    const embeddingVersion = "own";
    await kb.ingest({
      uri: "own.md",
      text: "# Title",
      mediaType: "text/markdown",
      embedding: [1, 0],
      embeddingVersion,
    });
    const metadata = { fileName: "part.md", mimeType: "text/markdown" };
    await kb.ingest({ type: "text-chunk", content: "# Part", metadata });
    expect((await kb.document("own.md"))?.mediaType).toBe("text/markdown");
    expect((await kb.document("part.md"))?.mediaType).toBe("text/markdown");
  });

  it("get a document that is composed of them, and stand in it like any others [L1 B35]", async () => {
    const kb = await opened();
    const [result] = await collect(kb.ingest(manual));
    expect(result).toMatchObject({ uri: "manual", status: "added", chunks: 3 });
    expect(await collect(kb.list())).toMatchObject([{ uri: "manual", title: "The manual", chunks: 3 }]);
    const document = await kb.document("manual");
    expect(document).toMatchObject({
      text: composed,
      mediaType: "application/vnd.ibid.chunks",
      metadata: { kind: "manual" },
    });
    const chunks = (await collect(kb.chunks())).map(({ chunk }) => chunk).toSorted((a, b) => a.index - b.index);
    for (const { start, end, urtext } of chunks) expect(composed.slice(start, end)).toBe(urtext);
    expect(chunks).toMatchObject([
      { headings: ["Sluice", "Opening"], page: 3, sectionId: "0.0.0", metadata: { kind: "manual" } },
      { headings: ["Sluice", "Closing"], sectionId: "0.0.1", metadata: { kind: "manual", year: 1911 } },
      { id: "gears", text: "The manual: Grease the gears.", urtext: "Grease the gears.", sectionId: "0.1" },
    ]);
    expect((await kb.outline("manual"))?.sections.map(({ title }) => title)).toEqual([
      "The manual",
      "Sluice",
      "Opening",
      "Closing",
      "Upkeep",
    ]);
    expect((await kb.expand("gears", { neighbours: 1 }))?.text).toMatch(/^Close it .*\n\nGrease the gears\.$/u);
    expect((await kb.expand("gears", { zoomOut: 2 }))?.text).toBe(composed);
  });

  it("are found, cited, deleted, restored and purged [L2]", async () => {
    const kb = await opened();
    await kb.ingest(manual);
    const { citations } = await kb.ask("When is the sluice opened?");
    const quote = "Open the sluice before the river rises.";
    expect(citations[0]).toMatchObject({ uri: "manual", quote, start: 0, end: quote.length });
    const gone = [{ uri: "manual", scope: "deployment", chunks: 3 }];
    expect(await kb.delete("manual")).toEqual(gone);
    expect(await kb.search("sluice")).toEqual([]);
    expect(await kb.restore("manual")).toEqual(gone);
    expect(await kb.search("sluice")).not.toEqual([]);
    expect(await kb.delete("manual", { purge: true })).toEqual(gone);
    expect((await kb.doctor({ absent: ["Grease the gears."] })).findings).toEqual([]);
    expect(await kb.status()).toMatchObject({ documents: 0, chunks: 0 });
  });

  it("belong to the text that is given with them", async () => {
    const kb = await opened();
    const text = "Apples are red. Pears are green. Plums are blue.";
    const at = (slice: string) => ({
      text: slice,
      start: text.indexOf(slice),
      end: text.indexOf(slice) + slice.length,
    });
    // In any order, and they may overlap.
    const chunks = [at("Plums are blue."), at("Apples are red. Pears"), at("Pears are green.")];
    await kb.ingest({ uri: "fruit", text, chunks });
    expect(await kb.document("fruit")).toMatchObject({ text, mediaType: "text/plain" });
    const [hit] = await kb.search("plums");
    expect(hit).toMatchObject({ text: "Plums are blue.", source: { uri: "fruit", start: 33, end: 48, line: 1 } });
    const indices = (await collect(kb.chunks({ uri: "fruit" }))).map(({ chunk }) => chunk.index);
    expect(new Set(indices)).toEqual(new Set([0, 1, 2]));
  });

  it("write nothing when they come again; what changed replaces what was there [L7]", async () => {
    const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => [text.length, 1] });
    const kb = await opened(undefined, { models: { embedding: model } });
    expect(await kb.ingest(manual)).toMatchObject({ added: 1, embedded: 3 });
    const before = await collect(kb.list());
    expect(await kb.ingest(manual)).toMatchObject({ unchanged: 1, embedded: 0 });
    expect(await kb.ingest(structuredClone(manual))).toMatchObject({ unchanged: 1, embedded: 0 });
    expect(await collect(kb.list())).toEqual(before);
    const changed = { ...manual, chunks: [...manual.chunks.slice(1), { text: "Paint the gate." }] };
    expect(await kb.ingest(changed)).toMatchObject({ updated: 1, embedded: 1, chunks: 3 });
    expect(await kb.search("river rises", { mode: "lexical" })).toEqual([]);
    expect(await kb.ingest(manual, { metadata: { year: 2 } })).toMatchObject({ updated: 1 });
    expect((await collect(kb.chunks())).map(({ chunk }) => chunk.metadata["year"])).toEqual([2, 2, 2]);
  });

  it("keep the vectors that they bring, as typed arrays, as lists, and as JSON writes either [W5]", async () => {
    const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [0, 1] });
    const given = [
      { uri: "typed", chunks: [{ text: "Typed.", embedding: new Float32Array([0.5, 0.25]) }] },
      { uri: "listed", chunks: [{ text: "Listed.", embedding: [0.5, 0.25] }] },
    ];
    const kb = await opened(undefined, { models: { embedding: model } });
    expect(await kb.ingest(given)).toMatchObject({ added: 2, embedded: 0 });
    expect(await kb.ingest(JSON.parse(JSON.stringify(given)) as ChunksInput[])).toMatchObject({ unchanged: 2 });
    const hits = await kb.search("anything", { mode: "dense", includeEmbeddings: true });
    expect(hits.map(({ embedding }) => JSON.stringify(embedding))).toEqual(["[0.5,0.25]", "[0.5,0.25]"]);
    const again = hits.map(({ text, embedding }, i) => ({
      uri: `again-${i}`,
      chunks: [{ text, embedding: embedding! }],
    }));
    expect(await kb.ingest(JSON.parse(JSON.stringify(again)) as ChunksInput[])).toMatchObject({
      added: 2,
      embedded: 0,
    });
  });

  it("are named after their ids, or their texts, where no uri is given", async () => {
    const kb = await opened();
    const [first] = await collect(kb.ingest({ chunks: [{ id: "a", text: "One." }] }));
    expect(first?.uri).toMatch(/^chunks:[0-9a-f]{32}$/u);
    const [again] = await collect(kb.ingest({ chunks: [{ id: "a", text: "Another text." }] }));
    expect(again).toMatchObject({ uri: first?.uri, status: "updated" });
    const [other] = await collect(kb.ingest({ chunks: [{ text: "One." }] }));
    expect(other).toMatchObject({ status: "added" });
  });

  it("come in together or not at all; other documents fail alone [B36]", async () => {
    const model = createFixedEmbeddingModel(
      {},
      {
        dimensions: 2,
        otherwise: (text) => {
          if (text.includes("poison")) throw new IbidError("embedding-failed", "No.");
          return [1, 0];
        },
      },
    );
    const kb = await opened(undefined, { models: { embedding: model } });
    const two = [
      { uri: "good", chunks: [{ text: "fine" }] },
      { uri: "bad", chunks: [{ text: "poison" }] },
    ];
    await expect(kb.ingest(two)).rejects.toMatchObject({ code: "embedding-failed" });
    expect((await kb.status()).documents).toBe(0);
    const summary = await kb.ingest([...two, { uri: "text", text: "A text." }]);
    expect(summary).toMatchObject({
      added: 2,
      failed: 1,
      failures: [{ uri: "bad", error: { code: "embedding-failed" } }],
    });
  });

  const wrong: readonly (readonly [string, object, string])[] = [
    ["no chunks", { uri: "x", chunks: [] }, "chunks is a list; it must be a list of one chunk or more"],
    ["a text that is none", { chunks: [{ text: 7 }] }, "chunks[0]: text is 7; it must be a string"],
    ["an unknown field", { chunks: [{ text: "a", vector: [1] }] }, 'chunks[0] has no option "vector"'],
    [
      "headings that are none",
      { chunks: [{ text: "a", headings: "b" }] },
      'headings is "b"; it must be a list of strings',
    ],
    ["no start", { text: "abc", chunks: [{ text: "a" }] }, "start is undefined; it must be a whole number from 0"],
    [
      "an end beyond",
      { text: "abc", chunks: [{ text: "abcd", start: 0, end: 4 }] },
      "end is 4; it must be a whole number",
    ],
    [
      "another slice",
      { text: "abc", chunks: [{ text: "b", start: 0, end: 1 }] },
      "is not the text from start 0 to end 1",
    ],
    ["an embedding that is none", { chunks: [{ text: "a", embedding: "no" }] }, 'embedding is "no"; it must be'],
    ["metadata that JSON cannot hold", { chunks: [{ text: "a", metadata: { f() {} } }] }, "metadata.f is a function"],
  ];
  it.each(wrong)("are refused by field name: %s", async (_, input, message) => {
    const kb = await opened();
    const error = await Promise.resolve(kb.ingest(input as ChunksInput)).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "invalid-argument", message: expect.stringContaining(message) as string });
    expect((await kb.status()).documents).toBe(0);
  });

  it("of one id, or of two documents with one uri, are refused", async () => {
    const kb = await opened(undefined, { models: { embedding: createHashingModel() } });
    const same = [
      { id: "a", text: "One." },
      { id: "a", text: "Two." },
    ];
    await expect(kb.ingest({ uri: "x", chunks: same })).rejects.toMatchObject({ code: "invalid-id" });
    const twice = [
      { uri: "x", chunks: [{ text: "One." }] },
      { uri: "x", chunks: [{ text: "Two." }] },
    ];
    await expect(kb.ingest(twice)).rejects.toMatchObject({ code: "invalid-id", uri: "x" });
    expect((await kb.status()).documents).toBe(0);
  });
});

describe("names and vectors that are wrong", () => {
  it("say which chunk has a blank id", async () => {
    const kb = await opened();
    const chunks = [
      { id: "a", text: "One." },
      { id: " ", text: "Two." },
    ];
    await expect(kb.ingest({ uri: "d", chunks })).rejects.toMatchObject({
      code: "invalid-id",
      message: "invalid document id: chunk 1 has a blank id.",
    });
  });

  it("refuse a text with a vector of its own and a blank uri, unless names are made", async () => {
    const kb = await opened();
    const text = { uri: " ", text: "One.", embedding: [1, 0], embeddingVersion: "given" };
    await expect(kb.ingest(text)).rejects.toMatchObject({ code: "invalid-id" });
    expect((await kb.status()).documents).toBe(0);
    expect((await kb.ingest(text, { ids: "generate" })).added).toBe(1);
  });

  it("refuse a list with a blank uri before any text of it is embedded [W16]", async () => {
    const model = createFixedEmbeddingModel({ "One.": [1, 0] });
    const kb = await opened(undefined, { models: { embedding: model } });
    const texts = [
      { uri: "a", text: "One." },
      { uri: " ", text: "One." },
    ];
    await expect(kb.ingest(texts)).rejects.toMatchObject({ code: "invalid-id" });
    expect([model.calls.length, (await kb.status()).documents]).toEqual([0, 0]);
  });

  it("say which vectors the store keeps, before lengths are compared [B26]", async () => {
    const sparse = { indices: [1], values: [1] };
    const refusal = { code: "unsupported", message: "InMemoryVectorStore supports dense vectors exclusively" };
    const kb = await opened(undefined, { store: createInMemoryVectorStore() });
    await expect(kb.searchVector(sparse)).rejects.toMatchObject(refusal);
    const good = { text: "One.", embedding: [1, 0] };
    const bad = { text: "Two.", embedding: sparse };
    await expect(kb.ingest({ uri: "d", chunks: [good, bad] })).rejects.toMatchObject(refusal);
    expect((await kb.status()).chunks).toBe(0);
    await kb.ingest({ uri: "d", chunks: [good] });
    await expect(kb.ingest({ uri: "e", chunks: [bad] })).rejects.toMatchObject(refusal);
    await expect(kb.searchVector(sparse)).rejects.toMatchObject(refusal);
    const skipped = await collect(kb.ingest({ uri: "d", chunks: [good, bad] }, { onInvalid: "skip" }));
    expect(skipped[0]?.invalid?.map(({ error: { code } }) => code)).toEqual(["unsupported"]);
  });

  it("name a sparse vector as such among dense ones", async () => {
    const kb = await opened();
    const chunks = [
      { text: "One.", embedding: [1, 0] },
      { text: "Two.", embedding: { indices: [1], values: [1] } },
    ];
    await expect(kb.ingest({ uri: "d", chunks })).rejects.toMatchObject({
      message: "dimension mismatch: expected 2, got a sparse vector",
    });
  });
});

describe("a listing of chunks", () => {
  it("names the version of a vector beside the vector, where both are asked for [T6]", async () => {
    const kb = await opened(undefined, { models: { embedding: createHashingModel({ dimensions: 64 }) } });
    await kb.ingest({ uri: "a", text: "The heron waits." });
    const [both] = await collect(kb.chunks({ stamps: true, includeEmbeddings: true }));
    expect(both).toMatchObject({
      chunk: { metadata: { _embedDim: 64 } },
      embeddings: [{ version: { dimensions: 64 } }],
    });
    const [stamped] = await collect(kb.chunks({ stamps: true }));
    expect(stamped).not.toHaveProperty("embeddings");
  });
});

describe("a delete by a filter", () => {
  it("answers with the documents that went, and restore brings each back [B35]", async () => {
    const kb = await opened();
    await kb.ingest({ uri: "a", text: "Apples.", metadata: { old: true } });
    await kb.ingest({ uri: "b", text: "Pears.", metadata: { old: false } });
    await kb.ingest(manual, { metadata: { old: true } });
    const gone = await kb.delete({ filter: { old: true } });
    expect(gone).toEqual([
      { uri: "a", scope: "deployment", chunks: 1 },
      { uri: "manual", scope: "deployment", chunks: 3 },
    ]);
    expect((await collect(kb.list())).map(({ uri }) => uri)).toEqual(["b"]);
    expect(await kb.search("sluice apples", { mode: "lexical" })).toEqual([]);
    for (const { uri, scope } of gone) expect(await kb.restore(uri, { scope })).toHaveLength(1);
    expect(await kb.status()).toMatchObject({ documents: 3, chunks: 5 });
    expect(await kb.search("sluice", { mode: "lexical" })).not.toEqual([]);
  });

  it("shows what restore brings back, by uri too, to those alone who may write it [L2 T5]", async () => {
    const kb = await opened();
    await kb.ingest(manual);
    await kb.ingest({ uri: "a", text: "Apples." });
    await kb.ingest({ uri: "own", text: "Pears." }, { scope: "user:ada" });
    const [one] = await collect(kb.chunks({ uri: "manual" }));
    await kb.delete({ chunks: [one!.chunk.id] });
    await kb.delete("a");
    await kb.delete("own", { scope: "user:ada" });
    const listed = async (view: Pick<typeof kb, "chunks">, options: Parameters<typeof kb.chunks>[0] = {}) =>
      (await collect(view.chunks({ includeDeleted: true, ...options })))
        .map(({ scope, chunk, deletedAt }) => `${scope} ${chunk.uri}${deletedAt === undefined ? "" : " deleted"}`)
        .sort();
    const manuals = ["deployment manual", "deployment manual", "deployment manual deleted"];
    expect(await listed(kb, { scope: "deployment" })).toEqual(["deployment a deleted", ...manuals]);
    expect(await listed(kb, { uri: "manual" })).toEqual(manuals);
    expect(await listed(kb, { uri: "a" })).toEqual(["deployment a deleted"]);
    expect(await listed(kb, { ids: [one!.chunk.id], stamps: true })).toEqual(["deployment manual deleted"]);
    expect(await listed(kb.as({ userId: "ada" }))).toEqual([...manuals.slice(0, 2), "user:ada own deleted"]);
    expect(await listed(kb.as({ userId: "bob" }))).toEqual(manuals.slice(0, 2));
    expect(await listed(kb.as({ userId: "bob" }), { uri: "a" })).toEqual([]);
    expect(await collect(kb.chunks({ uri: "a" }))).toEqual([]);
    await kb.delete({ chunks: [one!.chunk.id] }, { purge: true });
    await kb.vacuum({ olderThanMs: 0 });
    expect(await listed(kb)).toEqual(manuals.slice(0, 2));
  });

  it("takes a composed document only when all its chunks match", async () => {
    const kb = await opened();
    const chunks = [
      { text: "One.", metadata: { year: 1 } },
      { text: "Two.", metadata: { year: 2 } },
    ];
    await kb.ingest({ uri: "years", chunks });
    expect(await kb.delete({ filter: { year: 1 } })).toEqual([]);
    expect((await kb.status()).chunks).toBe(2);
    expect(await kb.delete({ filter: { year: { gte: 1 } } })).toMatchObject([{ uri: "years", chunks: 2 }]);
  });

  it("says so, where that is asked for, when nothing matches, and refuses what is no filter", async () => {
    const kb = await opened();
    const missing = kb.delete({ filter: { old: true } }, { onMissing: "error" });
    await expect(missing).rejects.toMatchObject({ code: "not-found" });
    await expect(kb.delete({ filters: {} } as never)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(kb.delete({} as never)).rejects.toMatchObject({ code: "invalid-filter" });
  });

  it("are refused by place and id where a vector is invalid [W15]", async () => {
    const kb = await opened();
    const chunk = { id: "gears", text: "Grease the gears.", embedding: [Number.NaN, 1] };
    const named = expect.stringContaining("chunks[0] (gears)") as string;
    await expect(kb.ingest({ uri: "a", chunks: [chunk] })).rejects.toMatchObject({ message: named });
  });
});
