import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { chunkSpreadsheet, createInMemoryVectorStore, createTextDataLoader, splitTextRecursively } from "ibid/compat";
import { createHtmlChunker, createSectionChunker, createSeparatorChunker, createTokenChunker } from "ibid/chunkers";
import { createIngestionQueue } from "ibid/ingest";
import { createHashingModel, type EmbeddingModel } from "ibid/models";
import { createHtmlReader } from "ibid/readers";
import { compileFilter, inflateTopK, multiQuery, parseFilter } from "ibid/search";
import { createScriptedChatModel } from "ibid/testing";
import { createAnalyzer } from "ibid/text";
import { createSearchTools } from "ibid/tools";
import * as z from "zod";
import { fixed } from "./fixed.ts";
import {
  all,
  bytes,
  equal,
  holds,
  matches,
  plain,
  putVectors,
  reading,
  refuses,
  uris,
  version,
  withTexts,
  writing,
} from "./kit.ts";
import type { Proof } from "./prove.ts";

/** A case of the designs' own suites in which ibid differs or differed, with the way to the design's result. */
export interface Behaviour extends Proof {
  /** Whose suite it is. */
  readonly design: string;
  /** `"same"`: the default is the design's now. Else the option that gives its result, or the reason why there is none. */
  readonly way: "same" | { readonly option: string } | { readonly reason: string };
}

const behave = (
  number: number,
  design: string,
  title: string,
  way: Behaviour["way"],
  run: () => unknown,
): Behaviour => ({ item: `#${number}`, design, title, way, run });

const test = (filter: object, metadata: object, dialect = {}): boolean =>
  compileFilter(parseFilter(filter as never, dialect))(metadata as never);

const readHtml = async (html: string) => {
  const input = { uri: "a.html", mediaType: "text/html", bytes: bytes(html) };
  return { ...plain("a.html", ""), ...(await createHtmlReader().read(input)) };
};

const markdown = "# Keys\n\nTurn them  twice.\n\n## Lost\n\nCall us. Wait.\n\n- one\n- two\n";
const table = `| Bird | Count |\n|---|---|\n${Array.from({ length: 20 }, (_, i) => `| Heron ${i} | ${i} |`).join("\n")}\n`;

/** The scores of two vectors under a metric of the knowledge base, nearest first. */
async function scores(metric: "cosine-distance" | "negative-dot" | "squared-euclidean" | "hamming" | "manhattan") {
  const chunks = [
    { text: "near", embedding: [1, 0] },
    { text: "far", embedding: [0, 3] },
  ];
  return withTexts(
    { a: { text: undefined as never, chunks } },
    async (kb) => {
      const found = await kb.searchVector([1, 0]);
      holds(found.every(({ score }, i) => i === 0 || found[i - 1]!.score >= score));
      return found.map(({ chunk, rawScore }) => [chunk.text, rawScore] as const);
    },
    { search: { metric } },
  );
}

const distances = [
  [
    36,
    "cosine distance",
    "cosine-distance",
    [
      ["near", 0],
      ["far", 1],
    ],
  ],
  [
    37,
    "negative dot product",
    "negative-dot",
    [
      ["near", -1],
      ["far", 0],
    ],
  ],
  [
    38,
    "squared Euclidean distance",
    "squared-euclidean",
    [
      ["near", 0],
      ["far", 10],
    ],
  ],
  [
    39,
    "Hamming distance",
    "hamming",
    [
      ["near", 0],
      ["far", 2],
    ],
  ],
  [
    40,
    "Manhattan distance",
    "manhattan",
    [
      ["near", 0],
      ["far", 4],
    ],
  ],
] as const;

const failing = (word: string): EmbeddingModel => ({
  provider: "own",
  model: "ones",
  kind: "dense",
  dimensions: 1,
  maxBatchSize: 1,
  async embed(inputs) {
    if (JSON.stringify(inputs).includes(word)) throw new Error("The model is out.");
    return { embeddings: inputs.map(() => [1]) };
  },
});

const goods = z.object({ id: z.string(), name: z.string(), note: z.string() });

export const behaviours: readonly Behaviour[] = [
  behave(
    1,
    "Ballerina",
    "HTML `<p>test</p>`: the chunk keeps the markup",
    { option: '`mediaType: "text/markdown"`, whose text is the source' },
    async () => {
      const chunkOf = (mediaType: string) =>
        withTexts({}, async (kb) => {
          await kb.ingest({ uri: "a.html", text: "<p>test</p>", mediaType });
          return (await all(kb.chunks()))[0]?.chunk.text;
        });
      equal([await chunkOf("text/html"), await chunkOf("text/markdown")], ["test", "<p>test</p>"]);
    },
  ),
  behave(2, "Ballerina", "HTML cut by headers: a chunk of a section has its heading", "same", async () => {
    const document = await readHtml(
      "<h1>Guide</h1><p>Before.</p><h2>Section 1</h2><p>The first section has a paragraph that does not fit.</p><h2>Section 2</h2><p>The second.</p>",
    );
    const chunks = [...createHtmlChunker({ maxSize: 50, overlap: 5 }).chunk(document)];
    holds(chunks.some(({ metadata }) => metadata["header2"] === "Section 1"));
  }),
  behave(
    3,
    "Ballerina",
    "An unclosed `<h1>` is an error",
    { option: '`createHtmlReader({ unclosed: "error" })`' },
    async () => {
      const page = { uri: "a.html", mediaType: "text/html", bytes: bytes("<h1>Guide<p>Text.</p>") };
      const { root, text } = await readHtml("<h1>Guide<p>Text.</p>");
      holds(text.includes("Guide") && root.children.length + root.title.length > 0);
      await refuses("unreadable", async () => createHtmlReader({ unclosed: "error" }).read(page));
      await withTexts({}, async (kb) => equal((await kb.ingest(page)).failures[0]?.error.code, "unreadable"), {
        readers: [createHtmlReader({ unclosed: "error" })],
      });
    },
  ),
  behave(
    4,
    "Ballerina",
    "Markdown without overlap: the chunks joined are the input",
    { option: "`createSeparatorChunker({ overlap: 0, lossless: true })`" },
    () => {
      const document = plain("a.md", markdown);
      const joined = (chunks: Iterable<{ readonly urtext: string }>) =>
        Array.from(chunks, ({ urtext }) => urtext).join("");
      equal(joined(createSeparatorChunker({ maxSize: 12, overlap: 0 }).chunk(document)) === markdown, false);
      equal(joined(createSeparatorChunker({ maxSize: 12, overlap: 0, lossless: true }).chunk(document)), markdown);
    },
  ),
  behave(
    5,
    "Ballerina",
    "With overlap, a chunk's text is a substring of the input",
    { option: "`urtext` of every chunk" },
    async () => {
      const kb = await openKnowledgeBase({ chunker: createSectionChunker({ maxSize: 120, overlap: 0 }) });
      await kb.ingest({ uri: "t.md", text: table, mediaType: "text/markdown" });
      const chunks = (await all(kb.chunks())).map(({ chunk }) => chunk);
      holds(chunks.length > 2 && chunks.some(({ text }) => !table.includes(text)));
      holds(chunks.every(({ urtext }) => table.includes(urtext)));
      await kb.close();
    },
  ),
  behave(
    6,
    "Ballerina",
    "The pieces of a text rejoin byte for byte",
    {
      option:
        "`splitTextRecursively(text, size, overlap, { lossless: true })`, `createSeparatorChunker({ lossless: true })`",
    },
    () => {
      const text = "One two  three.\tFour\n\n\nfive  six ";
      const pieces = (lossless: boolean) =>
        Array.from(
          createSeparatorChunker({ maxSize: 6, overlap: 0, lossless }).chunk(plain("a", text)),
          (chunk) => chunk.urtext,
        ).join("");
      equal([pieces(false) === text, pieces(true)], [false, text]);
    },
  ),
  ...(["in", "nin"] as const).map((operator, i) =>
    behave(
      7 + i,
      "Ballerina",
      `The filter \`"a" ${operator} "a"\` is false`,
      { option: '`parseFilter(filter, { invalid: "nothing" })`' },
      async () => {
        const filter = { filters: [{ key: "k", operator, value: "a" }] };
        await refuses("invalid-filter", () => parseFilter(filter));
        equal(test(filter, { k: "a" }, { invalid: "nothing" }), false);
      },
    ),
  ),
  behave(
    9,
    "Ballerina",
    'The filter `"abc" > "def"` is an error',
    { option: '`parseFilter(filter, { ranges: "checked" })`, `createInMemoryVectorStore({ ranges: "checked" })`' },
    async () => {
      equal([test({ k: { gt: "def" } }, { k: "abc" }), test({ k: { gt: "abc" } }, { k: "def" })], [false, true]);
      await refuses("invalid-filter", () => parseFilter({ k: { gt: "def" } }, { ranges: "checked" }));
      const store = createInMemoryVectorStore({ ranges: "checked" });
      await putVectors(store, [{ id: "a", vector: [1, 0], metadata: { k: "abc" } }]);
      await refuses("invalid-filter", () => store.search(reading, { filter: parseFilter({ k: { gt: 5 } }) }));
    },
  ),
  behave(
    10,
    "Ballerina",
    "A filter without an embedding: order of insertion, 10 by default",
    { option: '`kb.find({ filter, order: "inserted", topK: 10 })`' },
    async () => {
      const kb = await openKnowledgeBase();
      for (const uri of ["z", "m", "a"]) await kb.ingest({ uri, text: `Bees ${uri}.`, metadata: { kind: "x" } });
      const find = async (more: object) =>
        (await kb.find({ filter: { kind: "x" }, ...more })).map(({ chunk }) => chunk.uri);
      equal(
        [await find({}), await find({ order: "inserted", topK: 10 })],
        [
          ["a", "m", "z"],
          ["z", "m", "a"],
        ],
      );
      await kb.close();
    },
  ),
  behave(
    11,
    "Ballerina",
    "The message about an unknown id to delete",
    { option: '`createInMemoryVectorStore({ onMissing: "error" })`' },
    async () => {
      const [usual, own] = [createInMemoryVectorStore(), createInMemoryVectorStore({ onMissing: "error" })];
      for (const store of [usual, own]) await putVectors(store, [{ id: "a", vector: [1, 0] }]);
      equal((await usual.delete(writing, { ids: ["19"] })).chunks, 0);
      equal(
        (await refuses("not-found", () => own.delete(writing, { ids: ["19"] }))).message,
        "Vector entry with reference id '19' not found",
      );
    },
  ),
  behave(
    12,
    "Ballerina",
    "The loader refuses `test.txt`",
    { option: '`createTextDataLoader("test.txt").load({ extensions: ["pdf", "docx", "pptx", "html", "htm", "md"] })`' },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "ibid-behaviour-"));
      const file = join(folder, "test.txt");
      writeFileSync(file, "Bees hum.");
      const loader = createTextDataLoader(file);
      equal([await loader.load()].flat()[0]?.text, "Bees hum.");
      const extensions = ["pdf", "docx", "pptx", "html", "htm", "md"];
      equal(
        (await refuses("unsupported-media", () => loader.load({ extensions }))).message,
        "Unsupported file type: txt",
      );
      rmSync(folder, { recursive: true });
    },
  ),
  behave(13, "ToolUp", "500 tokens at least, for a short paragraph: no chunk", { option: "`dropShort: true`" }, () => {
    const config = { maxTokens: 500, overlapTokens: 50, minTokens: 500 };
    const count = (more: object) =>
      [...createTokenChunker({ ...config, ...more }).chunk(plain("a", "A short paragraph."))].length;
    equal([count({}), count({ dropShort: true })], [1, 0]);
  }),
  behave(14, "ToolUp", "A sheet of two rows: `rows 2–3 of 2`", "same", () => {
    const rows = [2, 3].map((sourceIndex) => ({ sourceIndex, values: ["x"] }));
    matches(chunkSpreadsheet({ sheetName: "S", headers: ["A"], rows })[0], /rows 2–3 of 2/u);
  }),
  behave(
    15,
    "ToolUp",
    "The tokens of `SKU-1234` are `sku` and `1234`",
    { option: '`createAnalyzer({ tokens: "plain" })`' },
    () => {
      holds(createAnalyzer().analyze("SKU-1234").length > 2);
      equal(createAnalyzer({ tokens: "plain" }).analyze("SKU-1234"), ["sku", "1234"]);
    },
  ),
  behave(16, "ToolUp", "`punctuation` stays as it is", { option: '`createAnalyzer({ tokens: "plain" })`' }, () => {
    const found = (options: object) => createAnalyzer(options).analyze("punctuation");
    equal([found({}), found({ tokens: "plain" })], [["punctuat"], ["punctuation"]]);
  }),
  behave(
    17,
    "ToolUp",
    '"renewal" does not match "renewals"',
    { option: '`search: { analyzer: createAnalyzer({ tokens: "plain" }) }`' },
    async () => {
      const count = (options: object) =>
        withTexts({ a: "Renewals are due." }, async (kb) => (await kb.search("renewal", { mode: "lexical" })).length, {
          models: { embedding: null },
          ...options,
        });
      equal([await count({}), await count({ search: { analyzer: createAnalyzer({ tokens: "plain" }) } })], [1, 0]);
    },
  ),
  behave(18, "ToolUp", "The first retry waits 60 seconds", { option: "`retry: { initialMs: 60_000 }`" }, async () => {
    const firstWait = async (retry: object): Promise<number> => {
      const kb = await openKnowledgeBase({ models: { embedding: failing("") } });
      const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
      const queue = createIngestionQueue(kb, { retry, random: () => 0, now: () => 0, wait, pollMs: 1 });
      const id = (await queue.enqueue({ uri: "a", text: "Bees hum." })) as string;
      for (;;) {
        const { retryAt } = (await queue.status(id)) ?? {};
        if (retryAt !== undefined && retryAt > 0) {
          await queue.close();
          await kb.close();
          return retryAt;
        }
        await wait();
      }
    };
    equal([await firstWait({}), await firstWait({ initialMs: 60_000 })], [30_000, 60_000]);
  }),
  behave(
    19,
    "ToolUp",
    "A query's hash is its SHA-256",
    { option: '`operations: { queryHash: "sha256" }`' },
    async () => {
      const hash = async (more: object): Promise<string | undefined> => {
        let seen: string | undefined;
        const tracer = { trace: ({ queryHash }: { readonly queryHash: string }) => void (seen = queryHash), miss() {} };
        await withTexts({ a: "Bees." }, (kb) => kb.search("bees"), { operations: { ...more, tracer } });
        return seen;
      };
      const sha256 = createHash("sha256").update("bees").digest("hex");
      equal([(await hash({})) === sha256, await hash({ queryHash: "sha256" })], [false, sha256]);
    },
  ),
  behave(
    20,
    "Wesichain",
    "The recursive splitter keeps every character",
    { option: "`createSeparatorChunker({ lossless: true })`" },
    () => {
      const text = "aa aa\n\nbb bb\n\ncc cc";
      const kept = Array.from(
        createSeparatorChunker({ maxSize: 8, overlap: 0, lossless: true }).chunk(plain("a", text)),
        ({ urtext }) => urtext,
      );
      equal(
        splitTextRecursively(text, 8, 0, { lossless: true }).map((chunk) => chunk.urtext),
        kept,
      );
      equal(
        [
          kept.join(""),
          splitTextRecursively(text, 8, 0)
            .map((chunk) => chunk.urtext)
            .join("") === text,
        ],
        [text, false],
      );
    },
  ),
  behave(
    21,
    "Wesichain",
    "The hash embedder's values of `hello`",
    { option: '`createHashingModel({ variant: "fnv" })`' },
    async () => {
      const first = async (more: object) =>
        (
          (await createHashingModel({ dimensions: 4, ...more }).embed(["hello"], { purpose: "query" }))
            .embeddings[0] as Float32Array
        )[0];
      const expected = Math.fround(Number(0xa430d84680aabd0bn % 10_000n) / 10_000);
      equal([(await first({})) === expected, await first({ variant: "fnv" })], [false, expected]);
    },
  ),
  behave(
    22,
    "Wesichain",
    "A NaN embedding beside another is kept, and sorted last",
    {
      option:
        '`createInMemoryVectorStore({ onInvalid: "last" })`; in a knowledge base `onInvalid: "skip"` keeps the others',
    },
    async () => {
      const entries = [
        { id: "bad", vector: [Number.NaN, 0] },
        { id: "good", vector: [-1, 0] },
      ];
      await refuses("invalid-argument", () => putVectors(createInMemoryVectorStore(), entries));
      const store = createInMemoryVectorStore({ onInvalid: "last" });
      await putVectors(store, entries);
      const found = async (more: object = {}) =>
        (await store.search(reading, { embedding: [1, 0], version, ...more })).map(({ chunk, score }) => [
          chunk.id,
          score,
        ]);
      equal(await found(), [
        ["good", -1],
        ["bad", -Infinity],
      ]);
      equal([await found({ topK: 1 }), await found({ minScore: -1 })], [[["good", -1]], [["good", -1]]]);
      await putVectors(store, [{ id: "bad", vector: [1, 0] }]);
      equal((await found())[0], ["bad", 1]);
      await withTexts({}, async (kb) => {
        const chunks = [
          { text: "good", embedding: [1, 0] },
          { text: "bad", embedding: [Number.NaN, 0] },
        ];
        await refuses("invalid-response", () => kb.ingest({ uri: "a", chunks }));
        await kb.ingest({ uri: "a", chunks }, { onInvalid: "skip" });
        equal(
          (await kb.searchVector([1, 0])).map(({ chunk }) => chunk.text),
          ["good"],
        );
      });
    },
  ),
  behave(
    23,
    "Wesichain",
    'A range from "a" to "z" does not match "high"',
    { option: '`parseFilter(filter, { ranges: "numbers" })`' },
    () => {
      const range = { v: { gte: "a", lte: "z" } };
      equal([test(range, { v: "high" }), test(range, { v: "high" }, { ranges: "numbers" })], [true, false]);
    },
  ),
  behave(24, "Wesichain", "One failing variant of a multi-query: the others answer", "same", () =>
    withTexts({ a: "Bees hum." }, async (kb) => equal(uris(await kb.search("insects", { mode: "lexical" })), ["a"]), {
      search: {
        retriever: (base) =>
          multiQuery(
            {
              async retrieve(scopes, query, search) {
                if (query.includes("wasps")) throw new Error("no wasps");
                return base.retrieve(scopes, query, search);
              },
            },
            { model: createScriptedChatModel(() => "bees\nwasps") },
          ),
      },
    }),
  ),
  behave(
    25,
    "Embabel",
    '`Gt(score, 0.5)` on "0.8" is true',
    { option: '`parseFilter(filter, { ranges: "coerced" })`' },
    () => {
      const filter = { score: { gt: 0.5 } };
      equal([test(filter, { score: "0.8" }), test(filter, { score: "0.8" }, { ranges: "coerced" })], [false, true]);
    },
  ),
  behave(
    26,
    "Embabel",
    "`Like` with an invalid expression is false",
    { option: '`parseFilter(filter, { invalid: "nothing" })`' },
    async () => {
      const filter = { name: { like: "[invalid(regex" } };
      await refuses("invalid-filter", () => parseFilter(filter));
      equal(test(filter, { name: "x" }, { invalid: "nothing" }), false);
    },
  ),
  behave(
    27,
    "Embabel",
    "An empty container is one chunk",
    { option: '`createSectionChunker({ emptyChunk: true })`; in a knowledge base with `reading: { empty: "keep" }`' },
    async () => {
      const empty = plain("a", "");
      equal(
        [
          [...createSectionChunker().chunk(empty)].length,
          [...createSectionChunker({ emptyChunk: true }).chunk(empty)].length,
        ],
        [0, 1],
      );
      const chunker = createSectionChunker({ emptyChunk: true });
      await withTexts({}, async (kb) => equal((await kb.ingest({ uri: "a.md", text: "" })).chunks, 1), {
        chunker,
        reading: { empty: "keep" },
      });
    },
  ),
  behave(28, "Embabel", "A row wider than the size keeps its header", "same", async () => {
    const header = "| Bird | Count |\n|---|---|\n";
    const kb = await openKnowledgeBase({ chunker: createSectionChunker({ maxSize: 60, overlap: 0 }) });
    await kb.ingest({ uri: "t.md", text: `${header}| ${"wide ".repeat(40)}| 1 |\n`, mediaType: "text/markdown" });
    const chunks = (await all(kb.chunks())).map(({ chunk }) => chunk.text);
    holds(
      chunks.every((text) => text.startsWith(header)),
      JSON.stringify(chunks),
    );
    await kb.close();
  }),
  behave(29, "Embabel", "A chunk that stands alone, expanded by 1, is itself", "same", () =>
    withTexts({}, async (kb) => {
      await kb.ingest({ chunks: [{ text: "Bees hum." }] });
      const { id } = (await all(kb.chunks()))[0]!.chunk;
      equal(
        (await kb.expand(id, { neighbours: 1 }))?.chunks.map(({ chunkId }) => chunkId),
        [id],
      );
      const [broaden] = createSearchTools(kb, { tools: ["broaden_chunk"] });
      matches(await broaden!.execute({ chunkId: id, chunksToAdd: 1 }), /Bees hum/u);
    }),
  ),
  behave(
    30,
    "Embabel",
    "A score of words in [0, 1): 3 is one half",
    { option: '`search(query, { scores: "unit" })`' },
    () =>
      withTexts({ a: "Bees hum.", b: "Wasps sting." }, async (kb) => {
        const [usual] = await kb.search("bees", { mode: "lexical" });
        const [unit] = await kb.search("bees", { mode: "lexical", scores: "unit" });
        equal(unit!.score, usual!.score / (usual!.score + 3));
      }),
  ),
  behave(
    31,
    "Embabel",
    "Inflation 10 → 30 and 500 → 1000, offsets, pass rates",
    { option: "`inflateTopK` of `ibid/search`" },
    () => {
      equal(
        [inflateTopK(10), inflateTopK(500), inflateTopK(10, { offset: 7 }), inflateTopK(10, { expectedPassRate: 0.1 })],
        [30, 1000, 17, 100],
      );
    },
  ),
  behave(
    32,
    "Embabel",
    "The cosine of vectors of different sizes is 0",
    { option: '`kb.searchVector(vector, { onMismatch: "zero" })`' },
    () =>
      withTexts({ a: { text: undefined as never, chunks: [{ text: "x", embedding: [1, 0] }] } }, async (kb) => {
        matches((await refuses("dimension-mismatch", () => kb.searchVector([1, 0, 0]))).message, /expected 2, got 3/u);
        equal(
          (await kb.searchVector([1, 0, 0], { onMismatch: "zero" })).map(({ score }) => score),
          [0],
        );
      }),
  ),
  behave(
    33,
    "Embabel",
    "A budget of no tokens: `0 results`",
    { option: '`createSearchTools(kb, { counts: "shown" })`' },
    () =>
      withTexts({ a: "Bees hum.", b: "Bees sting." }, async (kb) => {
        const shown = async (more: object) =>
          createSearchTools(kb, { tools: ["search"], maxTokens: 1, ...more })[0]!.execute({ query: "bees" });
        equal([await shown({}), await shown({ counts: "shown" })], ["2 results, the first 0 shown:", "0 results"]);
      }),
  ),
  behave(
    34,
    "Embabel",
    "A root, a section and two chunks deleted: 4",
    { option: "`kb.delete(uri, { elements: true })`" },
    async () => {
      const kb = await openKnowledgeBase({ chunker: createSectionChunker({ maxSize: 30, overlap: 0 }) });
      const text = "# Keys\n\nTurn them two times.\n\nThen wait for a while.\n";
      await kb.ingest({ uri: "a.md", text, mediaType: "text/markdown" });
      const [usual] = await kb.delete("a.md");
      await kb.restore("a.md");
      const [all4] = await kb.delete("a.md", { elements: true });
      equal([usual?.elements, all4?.elements], [undefined, 1 + 1 + all4!.chunks]);
      await kb.close();
    },
  ),
  behave(
    35,
    "Embabel",
    "The second of two batches fails: the first one's embeddings are kept",
    { option: '`ingest(input, { onFailedBatch: "skip" })`' },
    () =>
      withTexts(
        {},
        async (kb) => {
          const input = { uri: "a", chunks: [{ text: "good" }, { text: "bad" }] };
          await refuses("embedding-failed", async () => {
            const { failures } = await kb.ingest(input);
            if (failures[0] !== undefined) throw failures[0].error;
          });
          equal((await all(kb.chunks())).length, 0);
          equal((await kb.ingest(input, { onFailedBatch: "skip" })).unembedded, 1);
          const held = await all(kb.chunks({ includeEmbeddings: true }));
          equal(
            held
              .map(({ chunk, embeddings = [] }) => [chunk.text, embeddings.length])
              .toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
            [
              ["bad", 0],
              ["good", 1],
            ],
          );
        },
        { models: { embedding: failing("bad") } },
      ),
  ),
  ...distances.map(([number, name, metric, expected]) =>
    behave(
      number,
      "Semantic Kernel",
      `Distance function: ${name}`,
      { option: `\`search: { metric: "${metric}" }\`` },
      async () => equal(await scores(metric), expected),
    ),
  ),
  behave(
    41,
    "Semantic Kernel",
    "The model of a field wins over that of its collection, and this over the store's",
    { option: "`vectorProperty` names the field where there are several; `strict: true` asks for it" },
    () => {
      const model = (name: string, vector: readonly number[]): EmbeddingModel => ({
        provider: "own",
        model: name,
        kind: "dense",
        dimensions: 2,
        embed: async (inputs) => ({
          embeddings: inputs.map((input) => (JSON.stringify(input).includes("ask") ? [1, 0] : vector)),
        }),
      });
      return withTexts(
        {},
        async (kb) => {
          const open = (vectors: object) =>
            kb.collection("goods", {
              schema: goods,
              key: "id",
              text: ["name", "note"],
              vectors: vectors as { name: object },
              embeddingModel: model("collection", [1, 1]),
            });
          const both = open({ name: { embeddingModel: model("field", [1, 0]) }, note: {} });
          await both.upsert({ id: "1", name: "Kettle", note: "Whistles." });
          const score = async (vectorProperty?: "name") =>
            (await both.search("ask", vectorProperty === undefined ? {} : { vectorProperty }))[0]?.score.toFixed(3);
          equal([await score("name"), await score("note" as "name"), await score()], ["1.000", "0.707", "0.000"]);
          // Two fields with none named are an error in the design; with one field, its model is that of every search.
          await refuses("invalid-argument", () =>
            kb
              .collection("goods", {
                schema: goods,
                key: "id",
                text: ["name", "note"],
                vectors: { name: {}, note: {} },
                strict: true,
              })
              .search("ask"),
          );
          const one = kb.collection("single", {
            schema: goods,
            key: "id",
            text: ["name"],
            vectors: { name: { embeddingModel: model("field", [1, 0]) } },
            embeddingModel: model("collection", [1, 1]),
          });
          await one.upsert({ id: "1", name: "Kettle", note: "Whistles." });
          equal((await one.search("ask"))[0]?.score.toFixed(3), "1.000");
        },
        { models: { embedding: model("store", [0, 1]) } },
      );
    },
  ),
  ...([42, 43] as const).map((number) =>
    behave(
      number,
      "Semantic Kernel",
      number === 42
        ? "A hybrid search over two text fields with none named is an error"
        : "Vectors asked for beside a generator are an error",
      { option: "`strict: true` of the collection" },
      () =>
        withTexts(
          {},
          async (kb) => {
            const open = (strict: boolean) =>
              kb.collection("goods", {
                schema: goods,
                key: "id",
                text: ["name", "note"],
                vectors: { name: {} },
                strict,
              });
            await open(false).upsert({ id: "1", name: "Kettle", note: "Whistles." });
            const options = number === 42 ? {} : ({ vectorProperty: "name", includeEmbeddings: true } as const);
            equal((await open(false).hybridSearch("kettle", options)).length, 1);
            await refuses("invalid-argument", () => open(true).hybridSearch("kettle", options));
          },
          { models: { embedding: fixed({ Kettle: [1, 0], "Whistles.": [0, 1], kettle: [1, 0] }) } },
        ),
    ),
  ),
];
