import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hit, HitPart, RetrieveOptions } from "../../src/contracts/retriever.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { groupTouching, hitsToJoin, joinTouching, type Standing } from "../../src/search/join-touching.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { documentEntry, read, write } from "../stores/build.ts";
import { eachStore } from "../stores/each-store.ts";
import { runs } from "../support/runs.ts";

const words = ["heron", "otter", "newt", "vole", "reed", "moss"];
const scopes = ["deployment", "team:red"] as const;

interface World {
  readonly documents: readonly { readonly scope: Scope; readonly chunks: readonly string[] }[];
  /** Chunks share so much of their beginning with the end of the one before; 0 leaves white space between. */
  readonly overlap: number;
}

const anyWorld: fc.Arbitrary<World> = fc.record({
  documents: fc.array(
    fc.record({
      scope: fc.constantFrom(...scopes),
      chunks: fc.array(
        fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 6 }).map((said) => said.join(" ")),
        { minLength: 1, maxLength: 7 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  overlap: fc.constantFrom(0, 3),
});

/** Fills a store. **Shape** the text of each document, by scope and id. */
async function fill(store: Store, { documents, overlap }: World): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const [i, { scope, chunks }] of documents.entries()) {
    const id = `d${i}`;
    const entry = documentEntry(id, chunks);
    const { text } = entry.document;
    texts.set(`${scope} ${id}`, text);
    const cut = entry.chunks.map(({ chunk, embeddings }, at) => {
      const start = at === 0 || overlap === 0 ? chunk.start : chunk.start - 2 - overlap;
      const urtext = text.slice(start, chunk.end);
      return { chunk: { ...chunk, id: `${id}-${at}`, start, urtext, text: urtext }, embeddings };
    });
    await store.replace(write(scope), { ...entry, chunks: cut });
  }
  return texts;
}

const partsOf = (hit: Hit): readonly Pick<HitPart, "chunkId" | "scope" | "start" | "end" | "score">[] =>
  hit.parts ?? [{ ...hit, ...hit.source }];

describe.each(eachStore)("hits that touch are one hit: $name [L1 L3]", ({ open }) => {
  it("the parts are the first hits without merge, and each text is the document's own", async () => {
    const law = fc.asyncProperty(
      anyWorld,
      fc.constantFrom(words[0]!, `${words[0]} ${words[1]}`, words.join(" ")),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<readonly Scope[]>(["deployment"], [...scopes]),
      async (world, query, topK, readable) => {
        const store = await open();
        const texts = await fill(store, world);
        const retriever = createRetriever({ store });
        const search = (options: RetrieveOptions) =>
          retriever.retrieve(read(...readable), query, { mode: "lexical", ...options });
        const joined = await search({ merge: true, topK });
        expect(await search({ merge: true, topK })).toEqual(joined);

        const parts = joined.flatMap(partsOf);
        const apart = await search({ topK: "all" });
        const shown = apart.slice(0, parts.length);
        const key = ({ scope, chunkId }: { scope: string; chunkId: string }) => `${scope} ${chunkId}`;
        const rankOf = (part: { scope: string; chunkId: string }): number =>
          apart.find((one) => key(one) === key(part))!.rank;
        // Nothing is lost, invented or shown twice, and the ranking goes on where it was left.
        expect(parts.map(key).toSorted()).toEqual(shown.map(key).toSorted());
        for (const part of parts) {
          const hit = apart.find((one) => key(one) === key(part))!;
          expect(part.score).toBe(hit.score);
          expect([part.start, part.end]).toEqual([hit.source.start, hit.source.end]);
        }
        expect(joined.length).toBeLessThanOrEqual(topK);
        expect(joined.length === topK || parts.length === apart.length).toBe(true);

        for (const [at, hit] of joined.entries()) {
          expect(hit.rank).toBe(at + 1);
          const { start, end } = hit.source;
          expect(hit.text).toBe(texts.get(`${hit.scope} ${hit.documentId}`)!.slice(start, end));
          const own = partsOf(hit);
          expect(own.length).toBeLessThanOrEqual(3);
          expect([start, end]).toEqual([own[0]!.start, Math.max(...own.map((part) => part.end))]);
          expect(own.every(({ scope }) => scope === hit.scope)).toBe(true);
          expect(readable).toContain(hit.scope);
          const best = own.toSorted((a, b) => rankOf(a) - rankOf(b))[0]!;
          expect([hit.score, hit.chunkId]).toEqual([best.score, best.chunkId]);
          if (hit.parts === undefined) continue;
          expect(hit.parts.map(({ rank }) => rank)).toEqual(hit.parts.map(rankOf));
          // Each part but the first follows the one before it in the document.
          const indices = hit.parts.map(({ chunkId }) => Number(chunkId.split("-")[1]));
          expect(indices).toEqual(indices.map((_, i) => indices[0]! + i));
          expect(hit.parts.every(({ uri }) => uri === hit.source.uri)).toBe(true);
        }
        const leaders = joined.map((hit) => Math.min(...partsOf(hit).map(rankOf)));
        expect(leaders).toEqual(leaders.toSorted((a, b) => a - b));
      },
    );
    await fc.assert(law, { numRuns: runs(8) });
  });
});

/** Chunks of one document, by their index, best first. */
const chunksAt = (...indices: readonly number[]): readonly (Standing & { readonly index: number })[] =>
  indices.map((index) => ({
    index,
    scope: "deployment",
    documentId: "d",
    origin: "user-content",
    structure: { chunkIndex: index },
    source: {},
  }));

function groupsOf(most: number | "all", items: readonly (Standing & { readonly index: number })[]) {
  const touching = groupTouching<(typeof items)[number]>(most);
  const taken = items.findIndex((item) => !touching.take(item));
  return { groups: touching.groups().map((group) => group.map(({ index }) => index)), taken };
}

describe("groups of chunks that touch", () => {
  it.each<[string, number | "all", readonly number[], readonly (readonly number[])[], number]>([
    ["neighbours join, best first", "all", [5, 9, 4], [[5, 4], [9]], -1],
    ["the fourth begins a group of its own", "all", [5, 4, 6, 7], [[5, 4, 6], [7]], -1],
    ["a chunk between two makes them one", "all", [5, 7, 6], [[5, 7, 6]], -1],
    [
      "a chunk between two joins the better where they would be four",
      "all",
      [5, 7, 8, 6],
      [
        [5, 6],
        [7, 8],
      ],
      -1,
    ],
    [
      "a chunk between a full group and another joins the other",
      "all",
      [1, 2, 3, 5, 4],
      [
        [1, 2, 3],
        [5, 4],
      ],
      -1,
    ],
    ["the ranking ends before one group too many", 2, [1, 5, 2, 9, 6], [[1, 2], [5]], 3],
    ["what makes two groups one leaves room for another", 2, [1, 3, 2, 9, 20], [[1, 3, 2], [9]], 4],
    ["a chunk that comes twice is not its own neighbour", "all", [1, 1, 2], [[1, 2], [1]], -1],
  ])("%s", (_, most, indices, groups, taken) => {
    expect(groupsOf(most, chunksAt(...indices))).toEqual({ groups, taken });
  });

  it.each<[string, Partial<Standing>]>([
    ["documents", { documentId: "e" }],
    ["scopes", { scope: "team:red" }],
    ["origins", { origin: "note" }],
    ["sheets", { source: { sheet: "Costs" } }],
    ["attachments", { source: { part: "notes.txt" } }],
    ["chunks that do not know their place", { structure: undefined }],
  ])("are of one kind: different %s stay apart", (_, other) => {
    const [first, second] = chunksAt(1, 2);
    expect(groupsOf("all", [first!, { ...second!, ...other }]).groups).toEqual([[1], [2]]);
  });

  it("as many hits as could be joined are enough", () => {
    expect(hitsToJoin("all")).toBe("all");
    const ranking = chunksAt(...[0, 10, 20, 30].flatMap((start) => [start, start + 1, start + 2]));
    for (const most of [1, 2, 3]) expect(groupsOf(most, ranking).taken).toBe(Number(hitsToJoin(most)) - 1);
  });

  it("a larger k keeps the order, and only adds to what was joined", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 5 }),
        (indices, most) => {
          const items = chunksAt(...indices);
          const [few, many] = [groupsOf(most, items).groups, groupsOf(most + 1, items).groups];
          const homes = few.map((group) => many.findIndex((wider) => group.every((index) => wider.includes(index))));
          expect(homes).not.toContain(-1);
          // Two groups may have become one.
          const inOrder = [...new Set(homes)];
          expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

describe("a joined hit", () => {
  const texts = ["The heron waits.", "A heron and an otter wait.", "An otter swims off.", "Moss grows."];
  async function open(sections = false) {
    const store = createMemoryStore();
    const entry = documentEntry("birds", texts, { headings: ["Birds"] });
    const chunks = entry.chunks.map(({ chunk, embeddings }, i) => ({
      chunk: { ...chunk, ...(sections && { headings: ["Birds", i < 2 ? "First" : "Second"] }), line: 1 + 2 * i },
      embeddings,
    }));
    await store.replace(write("deployment"), { ...entry, chunks });
    const reranked: (readonly string[])[] = [];
    const reranker = {
      name: "longest",
      rerank: async (_: string, given: readonly string[]) => {
        reranked.push(given);
        return given.map((text) => text.length);
      },
    };
    const search = (query: string, options: RetrieveOptions = {}, by?: typeof reranker | "proximity") =>
      createRetriever({ store, reranker: by }).retrieve(read("deployment"), query, {
        mode: "lexical",
        merge: true,
        ...options,
      });
    return { store, search, reranker, reranked };
  }

  it("has place, matches and headings of all parts, and the other facts of the best", async () => {
    const { search } = await open(true);
    const [hit, ...others] = await search("heron otter", { topK: 2, explain: true });
    expect(others).toEqual([]);
    expect(hit?.text).toBe(texts.slice(0, 3).join("\n\n"));
    expect(hit?.source).toMatchObject({ headings: ["Birds"], start: 0, line: 1 });
    expect(hit?.chunkId).toBe("birds-A");
    expect(hit?.structure?.chunkIndex).toBe(1);
    expect(hit?.parts?.map(({ headings, line }) => [headings.at(-1), line])).toEqual([
      ["First", 1],
      ["First", 3],
      ["Second", 5],
    ]);
    expect(texts[1]).toContain(hit!.snippet);
    for (const { explain, score } of hit!.parts!)
      expect(explain!.parts.reduce((sum, { value }) => sum + value, 0)).toBe(score);
    expect(hit?.explain).toEqual(hit?.parts?.[1]?.explain);

    const [found] = await search("heron|otter", { mode: "regex" });
    expect(found?.matches?.map(({ start, end }) => found.text.slice(start, end))).toEqual([
      "heron",
      "heron",
      "otter",
      "otter",
    ]);
  });

  it("is made after a reranker, which reads the pool that it reads without", async () => {
    const { search, reranker, reranked } = await open();
    const [hit] = await search("heron otter", { topK: 1 }, reranker);
    expect(hit?.chunkId).toBe("birds-A");
    expect(hit?.score).toBe(texts[1]!.length);
    expect(hit?.parts?.map(({ rank }) => rank)).toEqual([3, 1, 2]);
    await search("heron otter", { topK: 1, merge: false }, reranker);
    expect(reranked[0]).toEqual(reranked[1]);
    const near = await search("heron otter", { topK: 1 }, "proximity");
    expect(near[0]?.parts).toHaveLength(3);
  });

  it("is of parts that all pass the threshold, and of texts that are no copies", async () => {
    const { store, search } = await open();
    await store.replace(write("deployment"), documentEntry("copy", [texts[1]!]));
    const all = await search("heron otter", { topK: 3, merge: false });
    const least = all[1]!.score;
    const [hit] = await search("heron otter", { topK: 3, minFusedScore: least });
    expect(hit?.parts?.every(({ score }) => score >= least)).toBe(true);
    const best = (await search("heron otter", { topK: 1 }))[0]!;
    expect(best.copies?.places).toMatchObject([{ documentId: "copy" }]);
    expect(best.parts?.map(({ copies }) => copies?.count)).toEqual([undefined, 1, undefined]);
    const apart = await search("heron otter", { copies: "all" });
    expect(apart.map(({ documentId }) => documentId)).toEqual(["birds", "copy"]);
  });

  it("stays apart where its document changed since it was found", async () => {
    const { search } = await open();
    const apart = await search("heron otter", { topK: "all", merge: false });
    for (const now of [undefined, `${texts[0]}\n\nAnother text.\n\n${texts[2]}`]) {
      const hits = await joinTouching(apart, "all", async (_, start, end) => now?.slice(start, end));
      expect(hits).toEqual(apart);
    }
    expect(await joinTouching(apart, 1, async () => undefined)).toEqual(apart.slice(0, 1));
  });

  it("needs no reading where chunks overlap, and a store that reads where they do not", async () => {
    const store = createMemoryStore();
    await fill(store, { documents: [{ scope: "deployment", chunks: ["heron reed", "heron moss"] }], overlap: 3 });
    await fill(store, { documents: [{ scope: "team:red", chunks: ["heron reed", "heron moss"] }], overlap: 0 });
    const session = createRetriever({ store: { session: (...asked) => store.session(...asked) } });
    const search = (scope: Scope) => session.retrieve(read(scope), "heron", { mode: "lexical", merge: true });
    expect((await search("deployment")).map(({ text }) => text)).toEqual(["heron reed\n\nheron moss"]);
    expect((await search("team:red")).map(({ text }) => text)).toEqual(["heron reed", "heron moss"]);
  });
});
