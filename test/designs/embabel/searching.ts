import { createSectionChunker } from "ibid/chunkers";
import { createModelReranker } from "ibid/models";
import { allOf, anyOf, compileFilter, compressHits, dropDuplicates, expandHits, hyde, not, where } from "ibid/search";
import { createScriptedChatModel } from "ibid/testing";
import { callTools, createSearchTools, toChatTool } from "ibid/tools";
import { fixed } from "../fixed.ts";
import { equal, holds, matches, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { birds } from "./tree.ts";

const small = { chunker: createSectionChunker({ maxSize: 60, overlap: 0 }) };
const codes = { a: "Errors ERR-7 and ERR-19.", b: "An error err-3.", c: "Nothing." };
const facts = { title: "The Heron", year: 2024, tags: ["bird", "water"], draft: false, none: null };
const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

export const searching = [
  prove(
    "E24",
    "vector search: the query is embedded, the nearest by cosine come first, from a threshold on, at most topK",
    () =>
      withTexts(
        { east: "east", near: "near", north: "north" },
        async (kb) => {
          const search = async (options: object) =>
            (await kb.search("which way", { mode: "dense", ...options })).map(({ source, score }) => [
              source.uri,
              rounded(score),
            ]);
          equal(await search({}), [
            ["east", 1],
            ["near", 0.6],
            ["north", 0],
          ]);
          equal(await search({ topK: 1 }), [["east", 1]]);
          equal(await search({ minScore: 0.6 - 1e-6 }), [
            ["east", 1],
            ["near", 0.6],
          ]);
        },
        { models: { embedding: fixed({ east: [2, 0], near: [0.6, 0.8], north: [0, 1], "which way": [1, 0] }) } },
      ),
  ),
  prove("E26", "pattern search: what matches, where, at most topK; a wrong pattern is refused", () =>
    withTexts(codes, async (kb) => {
      const hits = await kb.search(String.raw`ERR-\d+`, { mode: "regex" });
      equal(uris(hits), ["a"]);
      equal(
        hits[0]?.matches?.map(({ start, end }) => codes.a.slice(start, end)),
        ["ERR-7", "ERR-19"],
      );
      equal(uris(await kb.search(String.raw`err-\d`, { mode: "regex", ignoreCase: true })).toSorted(), ["a", "b"]);
      equal((await kb.search(String.raw`err-\d`, { mode: "regex", ignoreCase: true, topK: 1 })).length, 1);
      await refuses("invalid-regex", () => kb.search("ERR-(", { mode: "regex" }));
    }),
  ),
  prove("E28", "every operator, and what they make together", async () => {
    const cases = [
      [where("year").eq(2024), true],
      [where("year").ne(2024), false],
      [where("year").gt(2024), false],
      [where("year").gte(2024), true],
      [where("year").lt(2025), true],
      [where("year").lte(2023), false],
      [where("title").in(["x", "The Heron"]), true],
      [where("year").nin([2024]), false],
      [where("title").contains("Her"), true],
      [where("title").contains("her"), false],
      [where("title").contains("her", { ignoreCase: true }), true],
      [where("title").startsWith("The"), true],
      [where("title").endsWith("The"), false],
      [where("title").eq("the heron", { ignoreCase: true }), true],
      [where("title").like("^The .eron$"), true],
      [where("tags").hasElement("water"), true],
      [where("tags").hasElement("air"), false],
      [not(where("year").eq(2024)), false],
      [allOf(where("year").gt(2000), where("draft").eq(false)), true],
      [allOf(), true],
      [anyOf(where("year").gt(3000), not(where("draft").eq(true))), true],
      [anyOf(), false],
    ] as const;
    for (const [filter, expected] of cases) equal([filter, compileFilter(filter)(facts)], [filter, expected]);
    await withTexts(
      { heron: { text: "A heron.", metadata: facts }, other: { text: "Another heron.", metadata: { year: 1999 } } },
      async (kb) => {
        for (const [filter, expected] of cases)
          equal(uris(await kb.search("heron", { filter })).includes("heron"), expected);
      },
    );
  }),
  prove("E51", "a model calls the tools of a knowledge base, and gets what they found", () =>
    withTexts(
      { "birds.md": birds },
      async (kb) => {
        const tools = createSearchTools(kb, { name: "birds" });
        const model = createScriptedChatModel([
          { toolCalls: [{ id: "1", name: "birds_text_search", arguments: { query: "otter", topK: 1 } }] },
          { toolCalls: [{ id: "2", name: "birds_list_sections", arguments: { document: "birds.md" } }] },
          "Under the bridge.",
        ]);
        const messages: Parameters<typeof model.chat>[0][] = [];
        let conversation: readonly object[] = [{ role: "user", content: "Where does the otter swim?" }];
        for (;;) {
          const { message } = await model.chat(conversation as never, { tools: tools.map(toChatTool) });
          messages.push([message] as never);
          if (message.toolCalls === undefined) break;
          conversation = [...conversation, message, ...(await callTools(tools, message.toolCalls))];
        }
        const results = conversation
          .filter((one) => (one as { role: string }).role === "function")
          .map((one) => (one as { content: string }).content);
        matches(results[0], /^1 result:\nchunkId: \S+ url: birds\.md\n[\s\S]*The otter swims under the bridge\./u);
        matches(results[1], /0\.0\.1 Otter/u);
        equal(messages.length, 3);
        equal(
          model.calls[0]?.options.tools?.some(({ name }) => name === "birds_text_search"),
          true,
        );
      },
      small,
    ),
  ),
  prove("E53", "a result expands to its sequence within the section, or to its parent", async () => {
    const lines = ["One waits.", "Two swims.", "Three sings.", "Four circles.", "Five sleeps."];
    const here = `# Here\n\n${lines.map((line, i) => `## N${i}\n\n${line}`).join("\n\n")}`;
    await withTexts(
      { "a.md": `${here}\n\n# There\n\n## N9\n\nSix is elsewhere.\n` },
      async (kb) => {
        const [hit] = await kb.search("Three sings", { topK: 1 });
        const words = async (neighbours: number) =>
          (await kb.expand(hit!, { neighbours }))?.chunks.map(({ text }) => text.trim().split("\n").at(-1));
        equal(await words(1), lines.slice(1, 4));
        equal(await words(9), lines);
        const parent = await kb.expand(hit!, { zoomOut: 2 });
        equal([parent?.headings, parent?.text.trim()], [["Here"], here]);
      },
      { chunker: createSectionChunker({ maxSize: 25, overlap: 0 }) },
    );
    await withTexts(
      { "birds.md": birds },
      async (kb) => {
        matches((await kb.search("heron waits reeds"))[0]?.text, /heron waits[\s\S]*otter swims/u);
      },
      { ...small, search: { retriever: (base, { documents }) => expandHits(base, { documents, neighbours: 1 }) } },
    );
  }),
  prove("E55", "results that touch are merged, with the best score", () =>
    withTexts(
      { "birds.md": birds },
      async (kb) => {
        const apart = await kb.search("heron otter", { mode: "lexical" });
        const merged = await kb.search("heron otter", { mode: "lexical", merge: true });
        equal([apart.length, merged.length], [2, 1]);
        equal(merged[0]?.score, Math.max(...apart.map(({ score }) => score)));
        equal(merged[0]?.text, birds.slice(merged[0]!.source.start, merged[0]!.source.end));
      },
      small,
    ),
  ),
  prove(
    "E55",
    "duplicates are dropped, results compressed to what bears on the query, and judged by a model",
    async () => {
      await withTexts(
        { a: "Keys are kept in a safe at the bank.", b: "keys are kept — in a safe, at the bank" },
        async (kb) => equal((await kb.search("keys safe", { copies: "all" })).length, 1),
        { search: { retriever: (base) => dropDuplicates(base) } },
      );
      const long = "The office has plants. Signing keys are rotated in spring. Tea is served at four. The lift is old.";
      await withTexts(
        { a: long },
        async (kb) => equal((await kb.search("rotate signing keys"))[0]?.text, "Signing keys are rotated in spring."),
        {
          search: { retriever: (base, { documents }) => compressHits(base, { documents, around: 0 }) },
        },
      );
      const judge = createScriptedChatModel((messages) =>
        JSON.stringify(messages.at(-1)).includes("[1] Red") ? "1: 2\n2: 10" : "1: 10\n2: 2",
      );
      await withTexts(
        { a: "Red keys, and red doors.", b: "Blue keys." },
        async (kb) => {
          equal(uris(await kb.search("red keys", { rerank: false })), ["a", "b"]);
          equal(uris(await kb.search("red keys")), ["b", "a"]);
        },
        { models: { reranker: createModelReranker({ model: judge }) } },
      );
      const invented = createScriptedChatModel(["The otter swims under the bridge."]);
      await withTexts(
        { "birds.md": birds },
        async (kb) =>
          holds((await kb.search("Where is the lutra?", { topK: "all" })).some(({ text }) => text.includes("otter"))),
        {
          ...small,
          search: { retriever: (base) => hyde(base, { model: invented }) },
        },
      );
    },
  ),
  prove("E56", "half of each leg: words as s / (s + 3), and the cosine", () =>
    withTexts(
      { a: "red kite", b: "blue kite", c: "red wagon" },
      async (kb) => {
        const words = new Map(
          (await kb.search("red kite", { mode: "lexical" })).map(({ source, score }) => [source.uri, score]),
        );
        const meant = new Map(
          (await kb.search("red kite", { mode: "dense" })).map(({ source, score }) => [source.uri, score]),
        );
        const hits = await kb.search("red kite", { fusion: "halves" });
        equal(hits.length, 3);
        for (const {
          source: { uri },
          score,
        } of hits) {
          const lexical = words.get(uri) ?? 0;
          holds(Math.abs(score - (lexical / (lexical + 3) + meant.get(uri)!) / 2) < 1e-6, `${uri} ${score}`);
        }
      },
      { models: { embedding: fixed({ "red kite": [1, 0], "blue kite": [0.6, 0.8], "red wagon": [0.8, 0.6] }) } },
    ),
  ),
];
