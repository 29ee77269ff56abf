import { describe, expect, it } from "vitest";
import type { RetrieveOptions } from "../../src/contracts/retriever.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { documentEntry, read, write } from "../stores/build.ts";
import { createFakeStore } from "./fake-store.ts";

const standard = "Forward-looking statements are subject to risks.";

/** Reports that share one paragraph, and what is unlike it. */
async function open(copies = 40, scope: Scope = "deployment") {
  const store = createMemoryStore();
  for (let i = 0; i < copies; i++) {
    const uri = `report-${String(i).padStart(2, "0")}.md`;
    // White space is no difference.
    const paragraph = i % 2 === 0 ? standard : standard.replaceAll(" ", "\n ");
    await store.replace(write(scope), documentEntry(uri, [paragraph, `Revenue of company ${i} grew.`]));
  }
  const others = [
    "The risks of statements are many.",
    "Statements of cash are subject to audit.",
    "Other risks remain.",
  ];
  await store.replace(write("deployment"), documentEntry("other.md", others));
  const retriever = createRetriever({ store });
  const search = (options: RetrieveOptions = {}, ...scopes: Scope[]) =>
    retriever.retrieve(read("deployment", ...scopes), "forward-looking statements risks", {
      mode: "lexical",
      ...options,
    });
  return { store, search };
}

describe("chunks with the same text are one hit", () => {
  it("tops up to k, counts the others and names ten of them in order", async () => {
    const { search } = await open();
    const hits = await search({ topK: 4 });
    expect(hits).toHaveLength(4);
    expect(hits.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
    const [first, ...rest] = hits;
    expect(first?.copies?.count).toBe(39);
    expect(rest.every(({ copies }) => copies === undefined)).toBe(true);
    const uris = first?.copies?.places.map(({ uri }) => uri) ?? [];
    expect(uris).toHaveLength(10);
    expect(uris).toEqual(uris.toSorted());
    expect(uris).not.toContain(first?.source.uri);
    for (const { start, end } of first?.copies?.places ?? []) expect([start, end]).not.toContain(NaN);
  });

  it("gives the first hits that a larger k gives, and the hits of every chunk without the copies", async () => {
    const { search } = await open();
    const [two, all, every] = [
      await search({ topK: 2 }),
      await search({ topK: "all" }),
      await search({ topK: "all", copies: "all" }),
    ];
    expect(two).toEqual(all.slice(0, 2));
    expect(every).toHaveLength(43);
    expect(every.every(({ copies }) => copies === undefined)).toBe(true);
    const seen = new Set<string>();
    const firsts = every.filter(({ text }) => {
      const words = text.split(/\s+/u).join(" ");
      return !seen.has(words) && seen.add(words);
    });
    expect(all.map(({ chunkId, score }) => [chunkId, score])).toEqual(
      firsts.map(({ chunkId, score }) => [chunkId, score]),
    );
  });

  it("counts what the filter admits, in the scopes of the proof alone", async () => {
    const { store, search } = await open(3);
    const entry = documentEntry("hidden.md", [standard]);
    await store.replace(write("team:red"), entry);
    const tagged = entry.chunks.map(({ chunk, embeddings }) => ({
      chunk: { ...chunk, metadata: { year: 2020 } },
      embeddings,
    }));
    await store.replace(write("team:blue"), { ...entry, chunks: tagged });
    const countOf = async (options: RetrieveOptions, ...scopes: Scope[]) =>
      (await search(options, ...scopes))[0]?.copies?.count;
    expect(await countOf({})).toBe(2);
    expect(await countOf({}, "team:red", "team:blue")).toBe(4);
    expect(await countOf({ filter: { year: { exists: false } } }, "team:red", "team:blue")).toBe(3);
    expect(await countOf({ filter: { year: 2020 } }, "team:red", "team:blue")).toBeUndefined();
  });

  it("forgets copies that are deleted, and finds them again when they are restored", async () => {
    const { store, search } = await open(3);
    const second = (await search())[0]!.copies!.places[0]!;
    await store.delete(write("deployment"), { documentIds: [second.documentId] });
    expect((await search())[0]?.copies?.count).toBe(1);
    await store.trash?.restore(write("deployment"), { documentIds: [second.documentId] });
    expect((await search())[0]?.copies?.count).toBe(2);
  });

  it("holds over a store that keeps no keys of texts", async () => {
    const store = createFakeStore([
      { id: "a", text: "keys keys" },
      { id: "b", text: "keys\nkeys" },
      { id: "c", text: "keys" },
    ]);
    const hits = await createRetriever({ store }).retrieve(read("deployment"), "keys", { mode: "lexical", topK: 2 });
    expect(hits.map(({ chunkId, copies }) => [chunkId, copies?.count])).toEqual([
      ["a", 1],
      ["c", undefined],
    ]);
  });
});
