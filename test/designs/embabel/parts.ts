import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { chainTransformers, createSectionChunker, createTitleTransformer, createTransformer } from "ibid/chunkers";
import { describeElement } from "ibid/readers";
import { defineEntityType, openEntities } from "ibid/records";
import { compileFilter, parseFilter } from "ibid/search";
import { fromVectorStore } from "ibid/stores";
import { createSearchTools, describeForModel, type ToolCallEvent } from "ibid/tools";
import { fixed } from "../fixed.ts";
import { all, equal, holds, matches, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { object } from "../schema.ts";
import { birds, readTree, sectionOf } from "./tree.ts";

const small = createSectionChunker({ maxSize: 60, overlap: 0 });
const lucene = { syntax: "lucene", mode: "lexical", topK: "all" } as const;

export const parts = [
  prove("E3", "a document, a section and a chunk say what of them is kept", async () => {
    const document = await readTree("birds.md", birds, { year: 2026 });
    const { id, uri } = document;
    equal(describeElement(document).propertiesToPersist["year"], 2026);
    const leaf = describeElement(document, sectionOf(document.root, "Heron")).propertiesToPersist;
    equal(
      [leaf["uri"], leaf["title"], leaf["text"], leaf["parentId"], leaf["year"]],
      [
        uri,
        "Heron",
        "The heron waits in the reeds.",
        describeElement(document, sectionOf(document.root, "Water")).id,
        2026,
      ],
    );
    const [chunk] = small.chunk(document);
    const kept = describeElement(document, chunk).propertiesToPersist;
    equal([kept["id"], kept["text"], kept["urtext"]], [chunk!.id, chunk!.text, chunk!.urtext]);
    holds(describeElement(document).id === id);
  }),
  prove("E8", "a root, containers, leaves and chunks, each of its kind", async () => {
    const document = await readTree("birds.md", birds);
    const kinds = [
      document,
      sectionOf(document.root, "Water"),
      sectionOf(document.root, "Heron"),
      [...small.chunk(document)][0]!,
    ].map((element) => describeElement(document, element).labels[0]);
    equal([kinds[0], kinds[3]], ["Document", "Chunk"]);
    const labels = ["Water", "Heron"].map((title) => describeElement(document, sectionOf(document.root, title)).labels);
    equal(
      labels.map((each) => each.includes("ContainerSection")),
      [true, false],
    );
    equal(
      labels.map((each) => each.includes("LeafSection")),
      [false, true],
    );
  }),
  prove(
    "E9",
    "a chunk is embedded as its text, a leaf with its title, an entity by name and description without its vector",
    () =>
      withTexts({}, async (kb) => {
        const document = await readTree("birds.md", birds);
        equal(
          describeElement(document, sectionOf(document.root, "Otter")).embeddableValue,
          "Otter\nThe otter swims under the bridge.",
        );
        const things = openEntities(kb, "things");
        await things.upsert({
          id: "inn",
          name: "The Inn",
          description: "By the sea.",
          properties: { embedding: [1, 2], id: 7, rooms: 3 },
        });
        equal((await things.search("sea", { mode: "lexical" }))[0]?.hit.text, "The Inn: By the sea.");
        equal(describeForModel((await things.get("inn"))!), "entity: inn\nThe Inn: By the sea.\nrooms: 3");
      }),
  ),
  prove(
    "E15",
    "folders by rules: kinds, depth, size, links; what is left out is told, and what fails does not stop the rest",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "ibid-folders-"));
      mkdirSync(join(folder, "deep", "deeper"), { recursive: true });
      mkdirSync(join(folder, "node_modules"));
      const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
      write("a.md", "# A\n\nAlpha.");
      write("deep/b.md", "# B\n\nBeta.");
      write("deep/deeper/c.md", "# C\n\nGamma.");
      write("node_modules/d.md", "# D\n\nDelta.");
      write("large.txt", "word ".repeat(999));
      write("broken.pdf", "%PDF-1.4 broken");
      const kb = await openKnowledgeBase();
      const skipped: string[] = [];
      const { added, failures } = await kb.ingest(folder, {
        folders: { maxDepth: 1, maxFileBytes: 1000 },
        onSkip: (uri) => skipped.push(uri),
      });
      equal(added, 2);
      equal(failures.map(({ uri, error }) => `${uri.split("/").at(-1)} ${error.code}`).toSorted(), [
        "broken.pdf unreadable",
        "large.txt too-large",
      ]);
      holds(skipped.some((uri) => uri.includes("node_modules")));
      equal((await all(kb.list())).map(({ title }) => title).toSorted(), ["A", "B"]);
      equal((await kb.ingest(folder, { folders: { include: ["c.md"] }, sweep: false })).added, 1);
      await kb.close();
      rmSync(folder, { recursive: true });
    },
  ),
  prove(
    "E18",
    "a section that fits is one chunk, leaves are grouped, a long one is cut at sentences, a table between its rows",
    async () => {
      const chunk = async (text: string, maxSize: number, overlap = 0) => [
        ...createSectionChunker({ maxSize, overlap }).chunk(await readTree("a.md", text)),
      ];
      equal((await chunk(birds, 1500)).length, 1);
      const grouped = await chunk("# A\n\n## One\n\nx\n\n## Two\n\ny\n\n## Three\n\nz\n", 28);
      equal(
        grouped.map(({ urtext }) => urtext.match(/^## \w+/gmu)?.length ?? 0),
        [2, 1],
      );
      const sentences = await chunk(`# Long\n\n${"One two three four five six. ".repeat(20)}`, 120, 40);
      holds(sentences.length > 3 && sentences.every(({ text }) => text.length <= 120));
      for (const [i, { start, urtext }] of sentences.entries())
        if (i > 0) holds(sentences[i - 1]!.end > start && urtext.startsWith("One two"));
      const table = `| Bird | Count |\n|---|---|\n${Array.from({ length: 20 }, (_, i) => `| Heron ${i} | ${i} |`).join("\n")}\n`;
      const rows = await chunk(`# T\n\n${table}`, 120);
      holds(rows.length > 2 && rows.slice(1).every(({ text }) => text.startsWith("| Bird | Count |\n|---|---|\n")));
      equal(rows.flatMap(({ urtext }) => urtext.match(/Heron \d+/gu) ?? []).length, 20);
      const wide = `| ${"wide ".repeat(40)}| 1 |`;
      const header = "| Bird | Count |\n|---|---|\n";
      equal(
        (await chunk(`${header}${wide}\n| Wren | 2 |\n${wide}\n`, 60)).map(({ text }) => text),
        [`${header}${wide}`, `${header}| Wren | 2 |`, `${header}${wide}`],
      );
      const some = await readTree("a.md", "Text.");
      const none = { ...some, text: "", blocks: [], root: { ...some.root, start: 0, contentStart: 0, end: 0 } };
      equal(
        [...createSectionChunker({ emptyChunk: true }).chunk(none)].map(({ text, start, end }) => [text, start, end]),
        [["", 0, 0]],
      );
      equal([...createSectionChunker().chunk(none)], []);
      const empty = { uri: "empty.md", text: "", metadata: { kind: "empty" } };
      await withTexts({}, async (kb) => equal((await kb.ingest(empty)).failures[0]?.error.code, "empty"));
      await withTexts(
        {},
        async (kb) => {
          equal((await kb.ingest(empty)).added, 1);
          const kept = (await all(kb.chunks())).map(({ chunk: { text: own, metadata } }) => [own, metadata["kind"]]);
          equal(kept, [["", "empty"]]);
        },
        { chunker: createSectionChunker({ emptyChunk: true }), reading: { empty: "keep" } },
      );
    },
  ),
  prove(
    "E19",
    "transformers in a chain, each named and marked, metadata before the text; titles above a chunk",
    async () => {
      const seen: string[] = [];
      const one = createTransformer({
        name: "one",
        metadata: (_, { document }) => ({ from: document.title }),
        text: ({ text, metadata }) => `${metadata["from"] as string}: ${text}`,
      });
      const two = createTransformer({
        name: "two",
        text: ({ text, metadata }) => (
          seen.push(`${JSON.stringify(metadata["transform_one"])} ${text.slice(0, 6)}`),
          `2 ${text}`
        ),
      });
      await withTexts(
        { "birds.md": birds },
        async (kb) => {
          for (const { chunk } of await all(kb.chunks()))
            equal(
              [chunk.metadata["transform_one"], chunk.metadata["transform_two"], chunk.text.endsWith(chunk.urtext)],
              [true, true, true],
            );
          holds(
            seen.length > 2 && seen.every((each) => each.startsWith("true birds") || each.startsWith("true Water")),
            seen[0],
          );
        },
        { chunker: small, transformers: [chainTransformers([one, two])] },
      );
      const document = await readTree("birds.md", birds);
      const otter = [...small.chunk(document)].find(({ text }) => text.includes("otter"))!;
      matches(
        (await createTitleTransformer().transform(otter, { document })).text,
        /^# Title: .*\n# URI: birds\.md\n# Section: .*Otter\n+## Otter/u,
      );
    },
  ),
  prove(
    "E20",
    "a document is written with its chunks, which have its metadata, found by its address and deleted whole",
    () =>
      withTexts(
        { "birds.md": { text: birds, metadata: { kind: "birds" } } },
        async (kb) => {
          const chunks = await all(kb.chunks({ uri: "birds.md" }));
          holds(chunks.length > 1 && chunks.every(({ chunk }) => chunk.metadata["kind"] === "birds"));
          equal(
            [(await kb.document("birds.md"))?.metadata["kind"], await kb.document("gone.md")],
            ["birds", undefined],
          );
          equal(await kb.delete("birds.md"), [{ uri: "birds.md", scope: "deployment", chunks: chunks.length }]);
          equal(
            [await kb.document("birds.md"), (await all(kb.chunks())).length, await kb.delete("birds.md")],
            [undefined, 0, []],
          );
        },
        { chunker: small },
      ),
  ),
  prove("E21", "it counts its documents, chunks and vectors, and gives each by its id", () =>
    withTexts(
      { "birds.md": birds, a: "One." },
      async (kb) => {
        const chunks = await all(kb.chunks());
        const { documents, chunks: counted, embeddingVersions } = await kb.status();
        equal(
          [documents, counted, embeddingVersions.map((version) => version.chunks)],
          [2, chunks.length, [chunks.length]],
        );
        for (const { chunk } of chunks)
          equal(
            (await kb.expand(chunk.id, { zoomOut: 1 }))?.chunks.some(({ chunkId }) => chunkId === chunk.id),
            true,
          );
        equal(
          (await all(kb.list())).map(({ uri }) => uri),
          ["a", "birds.md"],
        );
      },
      {
        chunker: small,
        models: {
          embedding: {
            provider: "own",
            model: "x",
            kind: "dense",
            dimensions: 1,
            embed: async (inputs) => ({ embeddings: inputs.map(() => [1]) }),
          },
        },
      },
    ),
  ),
  prove("E23", "search by vector, by words and by pattern, each by itself", () =>
    withTexts(
      { east: "east", code: "ERR-7" },
      async (kb) => {
        equal(uris(await kb.search("which way", { mode: "dense", topK: 1 })), ["east"]);
        equal(
          [uris(await kb.search("which way", { mode: "lexical" })), uris(await kb.search("east", { mode: "lexical" }))],
          [[], ["east"]],
        );
        equal(uris(await kb.search(String.raw`[A-Z]+-\d`, { mode: "regex" })), ["code"]);
      },
      { models: { embedding: fixed({ east: [1, 0], "ERR-7": [0, 1], "which way": [1, 0] }) } },
    ),
  ),
  prove(
    "E25",
    "terms, required and excluded, phrases, prefixes and likeness; a literal query cannot fail to parse",
    () =>
      withTexts({ a: "red kite", b: "red wagon", c: "blue kites fly", d: "kite red" }, async (kb) => {
        const found = async (query: string) => uris(await kb.search(query, lucene)).toSorted();
        equal(await found("red blue"), ["a", "b", "c", "d"]);
        equal([await found("+red kite"), await found("red -kite")], [["a", "b", "d"], ["b"]]);
        equal([await found('"red kite"'), await found("wag*"), await found("wagn~")], [["a"], ["b"], ["b"]]);
        await refuses("invalid-argument", () => kb.search('"red', lucene));
        equal(uris(await kb.search('"wagon +(~', { mode: "lexical" })), ["b"]);
      }),
  ),
  prove("E27", "a filter that few pass does not starve the search of a store that knows no filters", async () => {
    const kept = new Map<string, readonly number[]>();
    const asked: number[] = [];
    const own = fromVectorStore({
      add: (entries) => entries.forEach(({ id, embedding }) => kept.set(id, embedding)),
      query: ({ embedding, topK }) => (
        asked.push(topK),
        [...kept]
          .map(([id, vector]) => ({ id, similarityScore: vector.reduce((sum, x, i) => sum + x * embedding[i]!, 0) }))
          .toSorted((a, b) => b.similarityScore - a.similarityScore)
          .slice(0, topK)
      ),
      delete: (ids) => ids.forEach((id) => kept.delete(id)),
    });
    const chunks = Array.from({ length: 60 }, (_, i) => ({ text: `t${i}`, metadata: { rare: i === 59 } }));
    const vectors = Object.fromEntries(chunks.map(({ text }, i) => [text, [Math.cos(i / 60), Math.sin(i / 60)]]));
    await withTexts(
      { a: { text: undefined as never, chunks } },
      async (kb) => {
        equal(
          (await kb.search("query", { mode: "dense", topK: 2, filter: { rare: true } })).map(({ text }) => text),
          ["t59"],
        );
        holds(Math.max(...asked) > 2);
      },
      { store: own, models: { embedding: fixed({ ...vectors, query: [1, 0] }) } },
    );
  }),
  prove(
    "E29",
    "a missing key fails every comparison but ne and nin; and of nothing holds, or of nothing does not",
    () => {
      const test = (filter: object): boolean => compileFilter(parseFilter(filter as never))({ there: 1, word: "x" });
      for (const condition of [
        { eq: 1 },
        { in: [1] },
        { gt: 0 },
        { lte: 9 },
        { contains: "a" },
        { startsWith: "a" },
        { endsWith: "a" },
        { like: "." },
        { hasElement: 1 },
        { exists: true },
      ])
        equal([condition, test({ missing: condition })], [condition, false]);
      for (const condition of [{ ne: 1 }, { nin: [1] }, { exists: false }])
        equal([condition, test({ missing: condition })], [condition, true]);
      equal(
        [test({ and: [] }), test({ or: [] }), test({ word: { gt: 0 } }), test({ there: { gte: 1 } })],
        [true, false, false, true],
      );
    },
  ),
  prove("E33", "an entity as an object of its types; nothing where its label or its properties do not fit", () =>
    withTexts({}, async (kb) => {
      const Bird = defineEntityType({ label: "Bird", schema: object({ wings: "number" }) });
      const Singer = defineEntityType({ label: "Singer", schema: object({ song: "string" }) });
      const things = openEntities(kb, "things", { types: [Bird, Singer] });
      await things.upsert([
        { id: "wren", name: "Wren", labels: ["Bird", "Singer"], properties: { wings: 2, song: "trill" } },
        { id: "stone", name: "Stone" },
      ]);
      const wren = await things.toInstance("wren", Bird, Singer);
      equal([wren?.wings, wren?.song, wren?.name], [2, "trill", "Wren"]);
      equal([await things.toInstance("stone", Bird), await things.toInstance("nobody", Bird)], [undefined, undefined]);
      equal((await things.get("wren"))?.properties, { wings: 2, song: "trill" });
    }),
  ),
  prove(
    "E52",
    "tools that search, widen, outline and read; filters that a model neither sees nor changes; listeners",
    () =>
      withTexts(
        {
          "birds.md": { text: birds, metadata: { area: "open" } },
          "plans.md": { text: "# Plans\n\nThe merger is secret.", metadata: { area: "board" } },
        },
        async (kb) => {
          const events: ToolCallEvent[] = [];
          const tools = createSearchTools(kb, {
            name: "birds",
            filter: { area: "open" },
            maxLength: 60,
            onCall: (event) => void events.push(event),
          });
          const run = (name: string, input: object): Promise<string> =>
            tools.find((tool) => tool.name === `birds_${name}`)!.execute(input);
          holds(tools.every(({ readOnly }) => readOnly));
          const found = await run("text_search", { query: "otter", topK: 1 });
          const chunkId = /chunkId: (\S+)/u.exec(found)![1]!;
          matches(await run("regex_search", { regex: "s[wi]{2}ms" }), /otter swims/u);
          matches(await run("find_by_id", { chunkId }), /otter swims/u);
          matches(await run("broaden_chunk", { chunkId }), /heron waits/u);
          matches(await run("zoom_out", { chunkId, levels: 2 }), /\[TRUNCATED: /u);
          matches(await run("list_sections", { document: "birds.md" }), /0\.0\.1 Otter/u);
          matches(await run("read_section", { document: "birds.md", section: "0.0.1" }), /otter swims/u);
          equal(await run("text_search", { query: "merger secret" }), "0 results");
          equal(await run("list_sections", { document: "plans.md" }), "There is no document of this url.");
          for (const more of [{ filter: {} }, { scopes: [] }])
            await refuses("invalid-argument", () => run("text_search", { query: "x", ...more }));
          equal([events[0]?.tool, events[0]?.chunkIds], ["birds_text_search", [chunkId]]);
        },
        { chunker: small },
      ),
  ),
  prove(
    "E54",
    "results under their number, one line of address and score each, parted by a rule, within a budget",
    () =>
      withTexts({ one: "Keys are red.", two: "Keys are blue, and long." }, async (kb) => {
        const [search] = createSearchTools(kb, { tools: ["search"] });
        const shown = await search!.execute({ query: "keys" });
        matches(
          shown,
          /^2 results:\nchunkId: \S+ url: \S+\n\d\.\d\d - Keys[^\n]*\n---\nchunkId: \S+ url: \S+\n\d\.\d\d - Keys/u,
        );
        const [short] = createSearchTools(kb, { tools: ["search"], maxTokens: Math.ceil(shown.length / 4) - 4 });
        matches(await short!.execute({ query: "keys" }), /^2 results, the first 1 shown:/u);
      }),
  ),
];
