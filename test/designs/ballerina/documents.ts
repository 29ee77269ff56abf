import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { augmentUserQuery, createInMemoryVectorStore, createTextDataLoader, prompt, renderPrompt } from "ibid/compat";
import { createImageDocument } from "ibid/readers";
import { createFixedEmbeddingModel } from "ibid/testing";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { all, bytes, equal, holds, matches, plain, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

const policy = "Refunds are paid within 14 days. Cold pizzas are replaced.";

export const documents = [
  prove("B1", "documents enter a knowledge base", () =>
    withTexts({}, async (kb) => {
      equal(
        (
          await kb.ingest([
            { uri: "a", text: policy },
            { uri: "b", text: "Bees hum." },
          ])
        ).added,
        2,
      );
      equal(
        (await all(kb.list())).map(({ uri }) => uri),
        ["a", "b"],
      );
    }),
  ),
  prove("B2", "and are found again", () =>
    withTexts({ a: policy, b: "Bees hum." }, async (kb) => {
      equal(uris(await kb.search("hum bees", { topK: 1 })), ["b"]);
      equal(await kb.search("zeppelin"), []);
    }),
  ),
  prove("B4", "metadata: known keys and any other JSON; dates filter; what JSON cannot hold is refused by key", () =>
    withTexts({}, async (kb) => {
      const metadata = {
        fileName: "p.md",
        fileSize: 4.5,
        createdAt: new Date("2026-02-03T04:05:06Z"),
        deep: { list: [1, null, true] },
      };
      await kb.ingest({ uri: "a", text: policy, metadata });
      const [hit] = await kb.search("refunds", { filter: { createdAt: { gte: "2026-02-01", lt: "2026-03-01" } } });
      equal(hit?.metadata["createdAt"], "2026-02-03T04:05:06.000Z");
      equal(hit?.metadata["deep"], { list: [1, null, true] });
      equal(hit?.metadata["fileSize"], 4.5);
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      class Money {
        amount = 1;
      }
      for (const value of [new Map([["a", 1]]), () => 1, 1n, new Money(), Symbol("s"), cycle, Number.NaN, new Set()]) {
        const { failures } = await kb.ingest({ uri: "bad", text: "x", metadata: { wrong: value as never } }).then(
          (summary) => summary,
          (error: unknown) => ({ failures: [{ error: error as Error }] }),
        );
        matches(failures[0]?.error.message, /wrong/u);
      }
      equal(await kb.document("bad"), undefined);
    }),
  ),
  prove("B8", "every chunk keeps its document's metadata", () =>
    withTexts({ a: { text: `${policy}\n\n`.repeat(60), metadata: { department: "HR" } } }, async (kb) => {
      const chunks = await all(kb.chunks());
      holds(chunks.length > 2);
      holds(chunks.every(({ chunk }) => chunk.metadata["department"] === "HR"));
    }),
  ),
  prove("B10", "a chunk knows its id, its index and the headings above it", () =>
    withTexts({}, async (kb) => {
      await kb.ingest({ uri: "a.md", text: `# One\n\n${"x y. ".repeat(300)}\n\n## Two\n\nEnd.` });
      const chunks = (await all(kb.chunks())).map(({ chunk }) => chunk).toSorted((a, b) => a.index - b.index);
      equal(
        chunks.map(({ index }) => index),
        chunks.map((_, i) => i),
      );
      equal(new Set(chunks.map(({ id }) => id)).size, chunks.length);
      equal(chunks.at(-1)?.headings, ["One", "Two"]);
    }),
  ),
  prove("B11", "an address that is no URL", async () => {
    const error = await refuses("invalid-argument", () => createImageDocument("not a url"));
    matches(error.message, /Must be a valid URL/u);
    equal((createImageDocument("https://example.com/a.png").content as URL).href, "https://example.com/a.png");
  }),
  prove("B12", "dense, sparse and hybrid vectors are kept and compared", async () => {
    const dense = [1, 0];
    const sparse = { indices: [3], values: [2] };
    for (const [kind, vector] of [
      ["dense", dense],
      ["sparse", sparse],
      ["hybrid", { dense, sparse }],
    ] as const) {
      const model = {
        provider: "own",
        model: kind,
        kind,
        dimensions: kind === "sparse" ? 8 : 2,
        embed: async (inputs: readonly unknown[]) => ({ embeddings: inputs.map(() => vector) }),
      };
      await withTexts(
        { a: policy },
        async (kb) => {
          const [hit] = await kb.search("anything", { mode: "dense", includeEmbeddings: true });
          holds(hit !== undefined && hit.score > 0, kind);
          equal(JSON.parse(JSON.stringify(hit?.embedding)), vector);
        },
        { models: { embedding: model } },
      );
    }
  }),
  prove("B13", "an embedding model takes a chunk", async () => {
    const model = createHashingModel();
    const document = plain("a", policy);
    const chunk = {
      type: "text-chunk",
      id: "1",
      documentId: document.id,
      uri: "a",
      title: "",
      text: policy,
      urtext: policy,
      start: 0,
      end: policy.length,
      index: 0,
      sectionId: "0",
      headings: [],
      metadata: {},
      origin: "user-content",
    } as const;
    const { embeddings } = await model.embed([chunk, policy], { purpose: "document" });
    equal(embeddings[0], embeddings[1]);
  }),
  prove("B14", "and many at once, in their order", async () => {
    const model = createHashingModel();
    const texts = ["one", "two", "three"];
    const { embeddings } = await model.embed(texts, { purpose: "document" });
    const alone = await Promise.all(
      texts.map(async (text) => (await model.embed([text], { purpose: "document" })).embeddings[0]),
    );
    equal(embeddings, alone);
  }),
  prove("B16", "a picture for a text model is refused by its kind", async () => {
    const image = createImageDocument(new Uint8Array([1]));
    await refuses("unsupported-input", () => createHashingModel().embed([image], { purpose: "document" }));
  }),
  prove("B32", "a query becomes scored chunks", () =>
    withTexts({ a: policy, b: "Bees hum over pizzas." }, async (kb) => {
      const hits = await kb.search("cold pizzas");
      equal(uris(hits), ["a", "b"]);
      holds(hits.every(({ score }) => Number.isFinite(score)) && hits[0]!.score > hits[1]!.score);
    }),
  ),
  prove("B33", "a retriever of one's own, and a reranker", async () => {
    await withTexts(
      { a: policy, b: "Bees hum over pizzas." },
      async (kb) => equal(uris(await kb.search("pizzas", { mode: "lexical" })).length, 1),
      {
        search: { retriever: (base) => ({ retrieve: async (...call) => (await base.retrieve(...call)).slice(-1) }) },
      },
    );
    await withTexts(
      { a: "Pizza pizza pizza.", b: "Pizza bees." },
      async (kb) => equal(uris(await kb.search("pizza"))[0], "b"),
      {
        models: {
          reranker: { name: "bees", rerank: async (_, texts) => texts.map((text) => (text.includes("bees") ? 1 : 0)) },
        },
      },
    );
  }),
  prove("B34", "the query is embedded, and no vector is handed out", async () => {
    const model = createFixedEmbeddingModel(
      { where: [1, 0] },
      { otherwise: (text) => (text.includes("east") ? [1, 0.1] : [0, 1]) },
    );
    await withTexts(
      { east: "east", north: "north" },
      async (kb) => {
        const [hit] = await kb.search("where", { mode: "dense", topK: 1 });
        equal(hit?.source.uri, "east");
        equal(hit?.embedding, undefined);
        equal(model.calls.at(-1)?.purpose, "query");
      },
      { models: { embedding: model } },
    );
  }),
  prove("B35", "chunks or documents in; deleting by a filter", () =>
    withTexts(
      { a: { chunks: [{ text: "A chunk of bees." }], text: undefined as never, metadata: { kind: "x" } }, b: policy },
      async (kb) => {
        equal(uris(await kb.search("bees")), ["a"]);
        equal(await kb.delete({ filter: { kind: "x" } }), [{ uri: "a", scope: "deployment", chunks: 1 }]);
        equal(await kb.search("bees"), []);
      },
    ),
  ),
  prove("B36", "a failing embedding leaves the store untouched; a wrong count is refused", async () => {
    for (const embed of [
      async () => {
        throw new Error("down");
      },
      async () => ({ embeddings: [] }),
    ]) {
      const kb = await openKnowledgeBase({
        models: { embedding: { provider: "own", model: "x", kind: "dense", dimensions: 2, embed } },
      });
      equal((await kb.ingest([{ uri: "a", text: policy }])).failed, 1);
      equal((await kb.status()).documents, 0);
      await kb.close();
    }
  }),
  prove("B37", "a query is augmented into a user message with a structured prompt", () =>
    withTexts({ a: policy }, async (kb) => {
      const message = augmentUserQuery(await kb.search("refunds"), "When are refunds paid?");
      equal(message.role, "user");
      holds(typeof message.content === "object" && message.content.insertions.length > 0);
      const text = renderPrompt(message.content);
      matches(text, /^Answer the question based on the following provided context:/u);
      matches(text, /<CONTEXT>[\s\S]*Refunds are paid within 14 days[\s\S]*<\/CONTEXT>/u);
      matches(text, /Question: When are refunds paid\?$/u);
      const [one, two] = [plain("a", "One."), plain("b", "Two.")];
      const before = "Answer the question based on the following provided context:\n<CONTEXT>";
      equal(
        renderPrompt(augmentUserQuery([one, two], "Q?").content),
        `${before}One.\n\nTwo.</CONTEXT>\n\nQuestion: Q?`,
      );
      equal(renderPrompt(augmentUserQuery([], "Q?").content), `${before}</CONTEXT>\n\nQuestion: Q?`);
    }),
  ),
  prove("B39", "a prompt keeps strings and insertions apart", () => {
    const made = prompt`Compare ${[1, 2]} with ${"two"}.`;
    equal(made.strings, ["Compare ", " with ", "."]);
    equal(made.insertions, [[1, 2], "two"]);
  }),
  prove("B52", "loaders: a missing path fails the maker, one path gives one document, several a list", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-loader-"));
    const [a, b] = [join(folder, "a.md"), join(folder, "b.html")];
    writeFileSync(a, "# A\n\nAlpha.");
    writeFileSync(b, "<p>Beta.</p>");
    matches(
      (await refuses("not-found", () => createTextDataLoader(join(folder, "c.md")))).message,
      /File does not exist/u,
    );
    const one = await createTextDataLoader(a).load();
    holds(!Array.isArray(one));
    const { metadata } = [one].flat()[0]!;
    equal(
      [metadata.fileName, metadata.mimeType, metadata.fileSize],
      ["a.md", "text/markdown", bytes("# A\n\nAlpha.").length],
    );
    holds(typeof metadata.modifiedAt === "string");
    equal([await createTextDataLoader(a, b).load()].flat().length, 2);
    const other = await refuses("unsupported-media", () => createTextDataLoader(a, b).load({ extensions: ["md"] }));
    equal(other.message, "Unsupported file type: html");
    rmSync(folder, { recursive: true });
  }),
  prove("B24", "a store of one's own implements three functions", async () => {
    holds(createInMemoryVectorStore !== undefined);
    const { fromVectorStore } = await import("ibid/stores");
    const kept = new Map<string, readonly number[]>();
    const store = fromVectorStore({
      add: (added) => added.forEach(({ id, embedding }) => kept.set(id, [...embedding])),
      query: ({ embedding, topK }) =>
        [...kept]
          .map(([id, own]) => ({ id, similarityScore: own.reduce((sum, x, i) => sum + x * embedding[i]!, 0) }))
          .toSorted((x, y) => y.similarityScore - x.similarityScore)
          .slice(0, topK),
      delete: (ids) => ids.forEach((id) => kept.delete(id)),
    });
    await withTexts(
      { a: policy, b: "Bees hum." },
      async (kb) => {
        equal(kept.size, 2);
        equal(uris(await kb.search("bees", { mode: "dense", topK: 1 })), ["b"]);
        await kb.delete("b", { purge: true });
        equal(kept.size, 1);
      },
      { store, models: { embedding: createHashingModel() } },
    );
  }),
];
