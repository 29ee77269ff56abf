import { type Hit, openKnowledgeBase, type TextDocument } from "ibid";
import { createGate, operator } from "ibid/access";
import { buildPrompt } from "ibid/answers";
import {
  chainTransformers,
  createRecursiveChunker,
  createSectionChunker,
  createTitleTransformer,
  createTransformer,
} from "ibid/chunkers";
import { createHashingModel } from "ibid/models";
import { createMemoryEventStore } from "ibid/operations";
import { createMarkdownReader } from "ibid/readers";
import { createRetriever, diversify, dropDuplicates, rewriteQuery } from "ibid/search";
import { createHandler } from "ibid/server";
import { createMemoryStore } from "ibid/stores";
import { createSqliteEngine } from "ibid/stores/sqlite";
import { createScriptedChatModel } from "ibid/testing";
import { createSearchTools } from "ibid/tools";
import { fixed } from "../fixed.ts";
import { declarationsOf, importsOf, loadedBy, roomsOf } from "../imports.ts";
import { all, bytes, equal, holds, matches, plain, putVectors, reading, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { birds, readTree } from "./tree.ts";

/** Layers from below: each entry, and the rooms above it that it must not load. */
const application = ["integrations/tools", "integrations/mcp", "integrations/compat", "server", "cli"];
const service = ["search", "answers", "knowledge-base"];
const layers = {
  "./models": ["stores", "ingest", "chunkers", ...service, ...application],
  "./stores": ["ingest", "chunkers", ...service, ...application],
  "./chunkers": ["stores", "ingest", ...service, ...application],
  "./readers": ["stores", "models", ...service, ...application],
  "./ingest": [...service, ...application],
  "./search": ["knowledge-base", ...application],
  "./answers": ["knowledge-base", ...application],
} as const;

export const architecture = [
  prove("E1", "five layers, each used by itself, and none loads what is above it", async () => {
    for (const [entry, above] of Object.entries(layers))
      equal(
        [entry, roomsOf(loadedBy(entry).files).filter((room) => (above as readonly string[]).includes(room))],
        [entry, []],
      );
    const infrastructure = createHashingModel();
    equal((await infrastructure.embed(["heron"], { purpose: "document" })).embeddings.length, 1);
    const storage = createMemoryStore();
    await putVectors(storage, [
      { id: "heron", vector: [1, 0] },
      { id: "otter", vector: [0, 1] },
    ]);
    const ingestion = await createMarkdownReader().read({
      uri: "a.md",
      bytes: bytes("# A\n\nText."),
      mediaType: "text/markdown",
    });
    equal(ingestion.title, "A");
    const hits = await createRetriever({ store: storage }).retrieve(reading, "otter");
    equal(uris(hits), ["otter"]);
    matches(buildPrompt(hits).section, /otter/u);
    await withTexts({ a: "The otter swims." }, async (kb) =>
      matches(await createSearchTools(kb)[0]!.execute({ query: "otter" }), /otter swims/u),
    );
  }),
  prove(
    "E42",
    "each part does one thing by itself: read, cut, describe, embed, keep, find, write a prompt",
    async () => {
      const { text, root } = await createMarkdownReader().read({
        uri: "a.md",
        bytes: bytes(birds),
        mediaType: "text/markdown",
      });
      const document: TextDocument = { ...plain("a.md", text), mediaType: "text/markdown", root };
      const chunks = [...createSectionChunker({ maxSize: 60, overlap: 0 }).chunk(document)];
      equal(
        chunks.map(({ headings }) => headings.at(-1)),
        ["Water", "Heron", "Otter", "Hedge"],
      );
      const titled = await createTitleTransformer().transform(chunks[1]!, { document });
      holds(titled.text.endsWith(chunks[1]!.text) && titled.text.length > chunks[1]!.text.length);
      const { embeddings } = await createHashingModel().embed(chunks, { purpose: "document" });
      equal(embeddings.length, chunks.length);
      const version = {
        provider: "own",
        model: "x",
        dimensions: (embeddings[0] as Float32Array).length,
        fingerprint: "",
      };
      const store = createMemoryStore();
      await store.replace(createGate().write(operator, "deployment"), {
        document,
        chunks: chunks.map((chunk, i) => ({ chunk, embeddings: [{ version, embedding: embeddings[i]! }] })),
        contentHash: "",
        metadataHash: "",
        fingerprint: "",
        bytes: text.length,
        folder: null,
      });
      const found = await createRetriever({ store }).retrieve(reading, "heron reeds", { topK: 1 });
      equal(found[0]?.source.headings, ["Water", "Heron"]);
      matches(buildPrompt(found).section, /heron waits/u);
    },
  ),
  prove("E43", "every part may be one's own: an object with its functions, of no class of the package", async () => {
    const used = new Set<string>();
    const use = <Value>(name: string, value: Value): Value => (used.add(name), value);
    const embedding = {
      provider: "own",
      model: "own",
      kind: "dense",
      dimensions: 1,
      embed: async (inputs: readonly unknown[]) => use("model", { embeddings: inputs.map(() => [1]) }),
    } as const;
    const kb = await openKnowledgeBase({
      models: {
        embedding,
        chat: { ...createScriptedChatModel(["Own words [1]."]) },
        reranker: {
          name: "own",
          rerank: async (_, texts) =>
            use(
              "reranker",
              texts.map(() => 1),
            ),
        },
        cache: { get: () => use("cache", undefined), set: () => {}, hitRate: 0 },
      },
      readers: [
        {
          name: "own/1",
          accepts: (mediaType) => mediaType === "text/own",
          read: async ({ bytes: given }) => use("reader", { text: new TextDecoder().decode(given) }),
        },
      ],
      chunker: { fingerprint: "own", chunk: ({ text }) => use("chunker", [{ start: 0, end: text.length }]) },
      transformers: [{ name: "own", transform: (chunk) => use("transformer", chunk) }],
      search: {
        analyzer: { fingerprint: "own", analyze: (text) => use("analyzer", text.toLowerCase().split(/\W+/u)) },
        retriever: (base) => ({ retrieve: (...call) => use("retriever", base.retrieve(...call)) }),
      },
      operations: {
        tracer: { trace: () => use("tracer", undefined), miss: () => {} },
        telemetry: { event: () => use("telemetry", undefined) },
        events: createMemoryEventStore(),
        now: () => use("clock", 1_000_000),
      },
    });
    equal((await kb.ingest({ uri: "a", bytes: bytes("The otter swims."), mediaType: "text/own" })).failures, []);
    equal(uris(await kb.search("otter")), ["a"]);
    await kb.close();
    equal([...used].toSorted(), [
      "analyzer",
      "cache",
      "chunker",
      "clock",
      "model",
      "reader",
      "reranker",
      "retriever",
      "telemetry",
      "tracer",
      "transformer",
    ]);
    for (const file of declarationsOf("contracts"))
      equal(
        importsOf(file).filter((specifier) => !specifier.startsWith("./")),
        [],
      );
  }),
  prove("E43", "a part may be an instance of a class: its functions are inherited, and called on it", async () => {
    const lost: string[] = [];
    /** The part with its functions on a prototype, which fail without their `this`. */
    const asInstance = <Part extends object>(name: string, part: Part): Part => {
      const entries = Object.entries(part) as [string, unknown][];
      const made = Object.create(
        Object.fromEntries(
          entries.flatMap(([key, value]) =>
            typeof value === "function"
              ? [
                  [
                    key,
                    function called(this: unknown, ...given: readonly unknown[]): unknown {
                      if (this !== made) lost.push(`${name}.${key}`);
                      return Reflect.apply(value, part, given);
                    },
                  ],
                ]
              : [],
          ),
        ),
      ) as Part;
      return Object.assign(made, Object.fromEntries(entries.filter(([, value]) => typeof value !== "function")));
    };
    const kb = await openKnowledgeBase({
      models: {
        embedding: asInstance("embedding", createHashingModel()),
        chat: asInstance(
          "chat",
          createScriptedChatModel(() => "The otter swims [1]."),
        ),
        reranker: asInstance("reranker", { name: "own", rerank: async (_, texts) => texts.map(() => 1) }),
        cache: asInstance("cache", { get: () => undefined, set: () => {}, hitRate: 0 }),
      },
      readers: [asInstance("reader", createMarkdownReader())],
      chunker: asInstance("chunker", createSectionChunker()),
      transformers: [asInstance("transformer", createTitleTransformer())],
      enhancers: [asInstance("enhancer", { name: "own", enhance: () => ({ metadata: { seen: true } }) })],
      engine: asInstance("engine", createSqliteEngine()),
      operations: {
        events: asInstance("events", createMemoryEventStore()),
        tracer: asInstance("tracer", { trace: () => undefined, miss: () => {} }),
        telemetry: asInstance("telemetry", { event: () => undefined }),
      },
    });
    equal((await kb.ingest({ uri: "birds.md", bytes: bytes(birds) })).failures, []);
    matches((await kb.ask("Does the otter swim?")).text, /The otter swims/u);
    equal((await kb.search("otter"))[0]?.metadata["seen"], true);
    await kb.close();
    equal(lost, []);
  }),
  prove(
    "E44",
    "parts are put together: transformers in a chain, retrievers around retrievers, a chunker by kind",
    async () => {
      const chain = chainTransformers([
        createTransformer({ name: "one", text: ({ text }) => `${text} one` }),
        createTransformer({ name: "two", text: ({ text }) => `${text} two` }),
      ]);
      const model = createScriptedChatModel(() => "otter");
      await withTexts(
        { a: "The otter swims.", b: "The otter swims!", c: "A wren." },
        async (kb) => {
          const hits = await kb.search("Who is in the water?", { copies: "all" });
          equal(hits.length, 1);
          matches((await all(kb.chunks({ uri: "a" })))[0]?.chunk.text, / one two$/u);
        },
        {
          transformers: [chain],
          search: { retriever: (base) => rewriteQuery(dropDuplicates(diversify(base)), { model }) },
        },
      );
    },
  ),
  prove("E46", "open for extension, closed for change: what is added works beside what was there", async () => {
    const kb = await openKnowledgeBase({
      readers: [
        {
          name: "upper/1",
          accepts: (mediaType) => mediaType === "text/shout",
          read: async ({ bytes: given }) => ({ text: new TextDecoder().decode(given).toLowerCase() }),
        },
      ],
    });
    await kb.ingest([
      { uri: "loud", bytes: bytes("THE OTTER SWIMS"), mediaType: "text/shout" },
      { uri: "birds.md", bytes: bytes(birds) },
    ]);
    equal((await kb.document("loud"))?.text, "the otter swims");
    equal((await kb.outline("birds.md"))?.sections.length, 5);
    equal(new Set(uris(await kb.search("otter"))), new Set(["loud", "birds.md"]));
    await kb.close();
  }),
  prove("E47", "costs are stated, and what can be counted keeps to them", async () => {
    const measured = async (sentences: number): Promise<number> => {
      let count = 0;
      const counted = (text: string): number => ((count += text.length), text.length);
      const document = await readTree("a.md", "The heron waits in the reeds. ".repeat(sentences));
      equal([...createRecursiveChunker().chunk(document)].length > 1, true);
      equal([...createSectionChunker({ length: counted }).chunk(document)].length > 1, true);
      return count / sentences;
    };
    const [short, long] = [await measured(200), await measured(800)];
    holds(long < short * 1.25, `linear in the text: ${short} and ${long} for a sentence`);
    const embedding = fixed({ one: [1, 0], two: [0, 1] });
    await withTexts(
      { a: "one" },
      async (kb) => {
        const calls = async (work: () => unknown): Promise<number> => {
          const before = embedding.calls.length;
          await work();
          return embedding.calls.length - before;
        };
        equal(await calls(() => kb.search("two")), 1);
        equal(await calls(() => kb.search("two", { mode: "lexical" })), 0);
        equal(await calls(() => kb.ingest({ uri: "a", text: "one" })), 0);
        equal(await calls(() => kb.reembed({ estimate: true })), 0);
      },
      { models: { embedding } },
    );
    const store = createMemoryStore();
    await putVectors(store, [
      { id: "small", vector: Int8Array.of(1, 2) },
      { id: "large", vector: [1, 2] },
    ]);
    const sizes = (await all(store.chunks(reading, { includeEmbeddings: true }))).map(({ chunk, embeddings }) => [
      chunk.id,
      (embeddings![0]!.embedding as Float32Array).BYTES_PER_ELEMENT,
    ]);
    equal(sizes, [
      ["large", 4],
      ["small", 1],
    ]);
  }),
  prove("E48", "everything in one process: application, retrieval, embeddings and store", async () => {
    await withTexts(
      { "heron.txt": "The heron eats frogs and small fish." },
      async (kb) => {
        const { citations } = await kb.ask("What does the heron eat?");
        equal(
          citations.map(({ quote }) => quote),
          ["The heron eats frogs and small fish."],
        );
        const handler = createHandler(kb, {
          hosts: ["birds.example"],
          authenticate: () => ({ name: "app", access: "operator", write: true }),
        });
        const response = await handler(
          new Request("https://birds.example/search", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ query: "frogs" }),
          }),
        );
        const { hits } = (await response.json()) as { readonly hits: readonly Hit[] };
        equal(uris(hits), ["heron.txt"]);
      },
      { models: { embedding: createHashingModel() } },
    );
  }),
];
