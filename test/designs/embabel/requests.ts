import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createSectionChunker } from "ibid/chunkers";
import {
  createRagService,
  createTextSearchProvider,
  findClusters,
  mergeAdjacentResults,
  ragasScore,
  readFolder,
  structureKeys,
} from "ibid/compat";
import { hyde } from "ibid/search";
import { createFixedEmbeddingModel, createScriptedChatModel } from "ibid/testing";
import { createSearchTools, toChatTool } from "ibid/tools";
import { fixed } from "../fixed.ts";
import { all, equal, holds, matches, refuses, sorted, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { birds, readTree, sectionOf } from "./tree.ts";

/** Texts on a circle: the number in each is its cosine with the query. */
const circle = (text: string): readonly number[] => {
  const cosine = Number(/\d\.\d+/u.exec(text)?.[0] ?? 1);
  return [cosine, Math.sqrt(1 - cosine * cosine)];
};
const onCircle = () => ({
  models: { embedding: createFixedEmbeddingModel({}, { dimensions: 2, otherwise: circle }), embedNames: false },
});
const texts = (results: readonly { readonly match: { readonly text: string } }[]) =>
  results.map(({ match }) => match.text);

export const requests = [
  prove("E55", "a request asks for eight results from .8 on, and says otherwise where it wants", () =>
    withTexts(
      {},
      async (kb) => {
        const cosines = [0.99, 0.95, 0.9, 0.88, 0.86, 0.85, 0.84, 0.83, 0.82, 0.81, 0.79, 0.5];
        await kb.ingest(cosines.map((cosine) => ({ uri: `${cosine}`, text: `at ${cosine.toFixed(2)}` })));
        const service = createRagService(kb, { name: "birds" });
        const response = await service.search("query");
        equal(response.request, { query: "query", similarityThreshold: 0.8, topK: 8 });
        equal(response.service, "birds");
        equal(
          response.results.map(({ score }) => Number(score.toFixed(2))),
          cosines.slice(0, 8),
        );
        equal((await service.search({ query: "query", topK: 20 })).results.length, 10);
        equal((await service.search({ query: "query", similarityThreshold: 0.5, topK: 20 })).results.length, 12);
        await refuses("invalid-argument", () => service.search({ query: "query", similarityThreshold: 2 }));
        await refuses("invalid-argument", () => service.search({ query: "query", threshold: 1 } as never));
      },
      onCircle(),
    ),
  ),
  prove("E55", "chunks that follow one another are one, by the best score, their texts joined by a space", () =>
    withTexts(
      {},
      async (kb) => {
        const chunks = ["one 0.99", "two 0.98", "three 0.10", "four 0.97"].map((text) => ({ text }));
        await kb.ingest([
          { uri: "a", chunks },
          { uri: "b", chunks: [{ text: "else 0.96" }] },
        ]);
        equal(texts((await createRagService(kb).search("query")).results), [
          "one 0.99",
          "two 0.98",
          "four 0.97",
          "else 0.96",
        ]);
        const merged = await createRagService(kb, { enhancers: [mergeAdjacentResults] }).search("query");
        equal(texts(merged.results), ["one 0.99 two 0.98", "four 0.97", "else 0.96"]);
        equal(Number(merged.results[0]?.score.toFixed(2)), 0.99);
      },
      onCircle(),
    ),
  ),
  prove("E55", "enhancers run in their order; behind them doubles and what is below the threshold go", () =>
    withTexts(
      { a: "one 0.99", b: "two 0.90" },
      async (kb) => {
        const order: string[] = [];
        const service = createRagService(kb, {
          enhancers: [
            (response) => {
              order.push(`first ${response.results.length}`);
              const [one, two] = response.results;
              return { ...response, results: [{ ...one!, score: 0.81 }, one!, { ...two!, score: 0.7 }] };
            },
            async (response) => {
              order.push(`second ${response.results.length}`);
              return response;
            },
          ],
        });
        const { results } = await service.search("query");
        equal(
          [order, texts(results), Number(results[0]?.score.toFixed(2))],
          [["first 2", "second 3"], ["one 0.99"], 0.99],
        );
      },
      onCircle(),
    ),
  ),
  prove("E55", "the score of an evaluation is the harmonic mean of its metrics above 0", async () => {
    const all5 = {
      faithfulness: 1,
      answerRelevancy: 0.5,
      contextPrecision: 0.25,
      contextRecall: 1,
      contextRelevancy: 0.5,
    };
    // By hand: 5 / (1 + 2 + 4 + 1 + 2).
    equal(ragasScore(all5), 0.5);
    equal(ragasScore({ ...all5, contextRecall: 0, answerRelevancy: 0 }), 3 / 7);
    equal([ragasScore({}), ragasScore({ faithfulness: 0 })], [0, 0]);
    await refuses("invalid-argument", () => ragasScore({ faithfulness: 1.5 }));
  }),
  prove("E56", "clusters: what is like a chunk from .7 on, ten at most, each pair once", () =>
    withTexts(
      {},
      async (kb) => {
        const vector = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
        const chunks = [0, 30, 60, 170].map((degrees) => ({
          id: `${degrees}`,
          text: `${degrees}`,
          embedding: vector(degrees),
        }));
        await kb.ingest({ uri: "a", chunks });
        const clusters = async (options = {}) =>
          (await all(findClusters(kb, options))).map(({ anchor, similar }) =>
            similar.map(({ match, score }) => [sorted([anchor.id, match.id]).join(" "), Number(score.toFixed(3))]),
          );
        // The cosine of 30 degrees is .866, that of 60 is .5.
        equal(sorted((await clusters()).flat()), [
          ["0 30", 0.866],
          ["30 60", 0.866],
        ]);
        equal((await clusters({ similarityThreshold: 0.4 })).flat().length, 3);
        await kb.ingest({
          uri: "b",
          chunks: Array.from({ length: 14 }, (_, i) => ({ text: `same ${i}`, embedding: vector(0) })),
        });
        equal(Math.max(...(await clusters({ similarityThreshold: 0.99 })).map(({ length }) => length)), 10);
        await refuses("invalid-argument", () => all(findClusters(kb, { similarityThreshold: 7 })));
        equal(await all(findClusters(kb.as({ userId: "u" }), { scope: "user:u" })), []);
      },
      { models: { embedding: null } },
    ),
  ),
  prove("E12", "a chunk names the sections around it by id, title and address", async () => {
    const document = await readTree("birds.md", birds);
    const [otter] = [...createSectionChunker({ maxSize: 60, overlap: 0 }).chunk(document)].filter(({ text }) =>
      text.includes("otter"),
    );
    const keys = structureKeys(otter!, document, 5);
    equal(
      [
        "container_section_id",
        "container_section_title",
        "container_section_url",
        "leaf_section_id",
        "leaf_section_title",
      ].map((key) => keys[key]),
      [sectionOf(document.root, "Water").id, "Water", "birds.md", sectionOf(document.root, "Otter").id, "Otter"],
    );
  }),
  prove("E15", "a folder is parsed without keeping it, and its counts are told", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-parse-"));
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "x.md"), "# Hidden");
    writeFileSync(join(folder, "a.md"), "# A\n\n## B\n\nAlpha.");
    writeFileSync(join(folder, "b.txt"), "Beta.");
    writeFileSync(join(folder, "broken.pdf"), "%PDF-1.4 broken");
    writeFileSync(join(folder, "large.txt"), "word ".repeat(999));
    const result = await readFolder(folder, { maxFileBytes: 1000, oversized: "skip" });
    const { totalFilesFound, filesProcessed, filesSkipped, filesErrored, totalSectionsExtracted, errors } = result;
    equal(
      { totalFilesFound, filesProcessed, filesSkipped, filesErrored },
      { totalFilesFound: 4, filesProcessed: 2, filesSkipped: 1, filesErrored: 1 },
    );
    holds(totalSectionsExtracted >= 2 && errors.length === 1 && result.processingTime >= 0);
    const titles: string[] = [];
    for await (const { title } of readFolder(folder, { include: ["*.md"] })) titles.push(title);
    equal(titles, ["A"]);
    rmSync(folder, { recursive: true });
  }),
  prove("E17", "a hundred chunks are embedded at once, where the model says so", async () => {
    const sizes: number[] = [];
    const model = createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] });
    const embedding = {
      ...model,
      maxBatchSize: 100,
      embed: (...call: Parameters<typeof model.embed>) => (sizes.push(call[0].length), model.embed(...call)),
    };
    const chunks = Array.from({ length: 250 }, (_, i) => ({ text: `Text ${i}.` }));
    await withTexts(
      { many: { text: undefined as never, chunks } },
      async (kb) => equal((await kb.status()).chunks, 250),
      {
        models: { embedding },
      },
    );
    equal(
      sizes.toSorted((a, b) => b - a),
      [100, 100, 50],
    );
  }),
  prove("E21", "what a base needs is provided before its first use", async () => {
    const kb = await openKnowledgeBase();
    await kb.ready();
    await kb.ready();
    equal(await kb.info(), {
      documentCount: 0,
      sectionCount: 0,
      chunkCount: 0,
      contentElementCount: 0,
      hasEmbeddings: false,
      isPersistent: false,
    });
    await kb.close();
  }),
  prove("E25", "likeness by a measure, and any other sign of a literal query is a letter", () =>
    withTexts({ a: "wagon", b: "wagons", c: "dragon" }, async (kb) => {
      const found = async (query: string) =>
        uris(await kb.search(query, { syntax: "lucene", mode: "lexical", topK: "all" })).toSorted();
      holds((await found("wagonn~0.8")).includes("a") && !(await found("wagonn~0.8")).includes("c"));
      equal(await found("wgn~0.9"), []);
      holds((await found("wragon~0.5")).includes("c"));
      equal(uris(await kb.search("wagon~0.8 -wagon", { mode: "lexical" })).includes("a"), true);
    }),
  ),
  prove("E52", "floors of .25 for vectors and none for words; a section up to 25,000 characters", () =>
    withTexts(
      { near: "near 0.26", far: "far 0.24", long: `# Long\n\n${"0.99 words ".repeat(4000)}` },
      async (kb) => {
        const tools = createSearchTools(kb, { name: "x", topK: 50 });
        const run = (name: string, input: object): Promise<string> =>
          tools.find((tool) => tool.name === `x_${name}`)!.execute(input);
        const found = await run("vector_search", { query: "query" });
        holds(found.includes("near 0.26") && !found.includes("far 0.24"));
        holds(!(await run("vector_search", { query: "query", threshold: 0.5 })).includes("near 0.26"));
        matches(await run("text_search", { query: "far" }), /far 0\.24/u);
        const [long] = await all(kb.chunks({ uri: "long" }));
        const opened = await run("zoom_out", { chunkId: long!.chunk.id, levels: 2 });
        holds(opened.length < 26_000);
        matches(opened, /\[TRUNCATED: /u);
      },
      { ...onCircle(), chunker: createSectionChunker() },
    ),
  ),
  prove("E52", "a first search stands in the prompt beside the tools, which say what they search", () =>
    withTexts({ keys: "Keys hang in the hall." }, async (kb) => {
      const tools = createSearchTools(kb, { about: "the handbook of ACME" });
      holds(tools.filter(({ description }) => description.includes("the handbook of ACME")).length >= 4);
      holds(createSearchTools(kb)[0]!.description.includes("the user's documents"));
      const eager = await createTextSearchProvider(kb).beforeCall({ role: "user", content: "Where do the keys hang?" });
      matches(eager.instructions, /Contents: Keys hang in the hall\./u);
      const model = createScriptedChatModel((messages) =>
        JSON.stringify(messages).includes("in the hall") ? "Hall." : "?",
      );
      const asked = [
        { role: "system", content: eager.instructions },
        { role: "user", content: "Where do the keys hang?" },
      ] as const;
      equal((await model.chat(asked, { tools: tools.map(toChatTool) })).message.content, "Hall.");
    }),
  ),
  prove("E52", "a model may be asked for a passage of 50 words to search by, or one is written for it", async () => {
    const model = createScriptedChatModel(["The otter swims under the bridge."]);
    const options = {
      models: {
        embedding: fixed({
          "The otter swims under the bridge.": [1, 0],
          "Tea is served.": [0, 1],
          "Where is the lutra?": [0, 1],
        }),
      },
    };
    const otters = { otter: "The otter swims under the bridge.", tea: "Tea is served." };
    await withTexts(
      otters,
      async (kb) => {
        const described = (hypotheticalWords?: number) =>
          createSearchTools(kb, { tools: ["vector_search"], hypotheticalWords })[0]!.description;
        matches(described(50), /Write a passage of some 50 words that would answer the question, and search by it\./u);
        holds(!described().includes("passage"));
        await refuses("invalid-argument", () => described(0));
      },
      options,
    );
    await withTexts(
      otters,
      async (kb) => equal(uris(await kb.search("Where is the lutra?", { mode: "dense", topK: 1 })), ["otter"]),
      { ...options, search: { retriever: (base) => hyde(base, { model }) } },
    );
  }),
];
