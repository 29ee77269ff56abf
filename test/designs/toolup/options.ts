import { createTokenChunker } from "ibid/chunkers";
import { createReembeddingQueue } from "ibid/operations";
import { adaptTopK, boostHits } from "ibid/search";
import { createAnalyzer } from "ibid/text";
import { createFixedEmbeddingModel, createIsolationPack } from "ibid/testing";
import { refuses as refusesAny, plain, uris, holds } from "../kit.ts";
import { createHash } from "node:crypto";
import { openKnowledgeBase } from "ibid";
import { chunkSpreadsheet } from "ibid/compat";
import { createContextTransformer } from "ibid/chunkers";
import { createIngestionQueue } from "ibid/ingest";
import { createHashingModel } from "ibid/models";
import { createMemoryEventStore } from "ibid/operations";
import { all, equal, matches, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

export const options = [
  prove("T6", "listed chunks name the version of their vector", () =>
    withTexts(
      { a: "Bees hum." },
      async (kb) => {
        const [stored] = await all(kb.chunks({ stamps: true }));
        const { provider, model } = createHashingModel();
        equal(
          [stored?.chunk.metadata._embedProvider, stored?.chunk.metadata._embedModel, stored?.chunk.metadata._embedDim],
          [provider, model, 32],
        );
        equal((await all(kb.chunks()))[0]?.chunk.metadata._embedDim, undefined);
      },
      { models: { embedding: createHashingModel({ dimensions: 32 }) } },
    ),
  ),
  prove("T14", "an event tells of a vacuum and counts", async () => {
    const events = createMemoryEventStore();
    let ahead = 0;
    await withTexts(
      { a: "Bees hum." },
      async (kb) => {
        await kb.delete("a");
        ahead = 10;
        await kb.vacuum({ olderThanMs: 0 });
      },
      { operations: { events, now: () => Date.now() + ahead } },
    );
    const [vacuumed] = await all(events.read({ names: ["KnowledgeVacuumCompleted"] }));
    equal(vacuumed?.data, { chunks: 1 });
  }),
  prove("T34", "rows 2 to 3 of the number of rows, the header repeated, 1-based", () => {
    const rows = [
      { sourceIndex: 2, values: ["Lamp", "12"] },
      { sourceIndex: 3, values: ["Desk"] },
    ];
    equal(chunkSpreadsheet({ sheetName: "Prices", headers: ["Product", "Price"], rows }), [
      'Sheet "Prices", rows 2–3 of 2\nColumns: Product, Price\nProduct: Lamp | Price: 12\nProduct: Desk | Price: ',
    ]);
    equal(chunkSpreadsheet({ sheetName: "Prices", headers: ["Product", "Price"], rows }, { maxTokens: 22 }).length, 2);
    equal(
      [
        chunkSpreadsheet({ sheetName: "P", headers: [], rows }),
        chunkSpreadsheet({ sheetName: "P", headers: ["A"], rows: [] }),
      ],
      [[], []],
    );
  }),
  prove("T35", "a transformer that changed nothing marks nothing", () =>
    withTexts(
      { a: "Bees hum." },
      async (kb) =>
        equal(
          Object.keys((await all(kb.chunks()))[0]!.chunk.metadata).filter((key) => key.startsWith("transform_")),
          [],
        ),
      { transformers: [createContextTransformer()] },
    ),
  ),
  prove("T43", "waits of 30, 60, 120 seconds; from 60 by an option; 5 attempts, then a dead letter", async () => {
    const waits = async (retry: object): Promise<readonly number[]> => {
      let now = 0;
      const kb = await openKnowledgeBase({
        models: {
          embedding: {
            provider: "own",
            model: "down",
            kind: "dense",
            dimensions: 1,
            embed: async () => {
              throw new Error("down");
            },
          },
        },
      });
      const queue = createIngestionQueue(kb, {
        retry,
        random: () => 0,
        now: () => now,
        wait: () => new Promise<void>((resolve) => setTimeout(resolve, 1)),
        pollMs: 1,
      });
      const id = (await queue.enqueue({ uri: "a", text: "Bees hum." })) as string;
      const found: number[] = [];
      for (let i = 0; i < 3000; i++) {
        const status = await queue.status(id);
        if (status?.retryAt !== undefined && status.retryAt > now) {
          found.push((status.retryAt - now) / 1000);
          now = status.retryAt;
        }
        if (status?.state === "failed") break;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      equal((await queue.status(id))?.state, "failed");
      await queue.close();
      await kb.close();
      return found;
    };
    equal(await waits({}), [30, 60, 120, 240]);
    equal(await waits({ initialMs: 60_000 }), [60, 120, 240, 480]);
  }),
  prove(
    "T52",
    "a query's hash is keyed; by an option its plain SHA-256, the same in every knowledge base",
    async () => {
      const hashes = async (queryHash?: "sha256"): Promise<readonly string[]> => {
        const seen: string[] = [];
        for (let i = 0; i < 2; i++)
          await withTexts({ a: "Bees hum." }, (kb) => kb.search("bees"), {
            operations: {
              ...(queryHash && { queryHash }),
              tracer: { trace: (trace) => void seen.push(trace.queryHash), miss() {} },
            },
          });
        return seen;
      };
      const [first, second] = await hashes();
      matches(first, /^[0-9a-f]{64}$/u);
      equal(first === second, false);
      const plain = createHash("sha256").update("bees").digest("hex");
      equal(await hashes("sha256"), [plain, plain]);
    },
  ),
  prove("T3", "a queue of scopes re-embeds in the background, once each, and looks again periodically", async () => {
    const models = [1, 2].map((n) =>
      createFixedEmbeddingModel({}, { model: `m${n}`, dimensions: 2, otherwise: () => [n, 1] }),
    );
    const { createMemoryStore } = await import("ibid/stores");
    const store = createMemoryStore();
    const first = await openKnowledgeBase({ store, models: { embedding: models[0]! } });
    await first.ingest([{ uri: "a", text: "Bees hum." }], { scope: "team:a" });
    const kb = await openKnowledgeBase({ store, models: { embedding: models[1]!, formerEmbeddings: [models[0]!] } });
    const done: unknown[] = [];
    const queue = createReembeddingQueue(kb, { onScope: ({ scope, embedded }) => done.push([scope, embedded]) });
    equal([queue.enqueue("team:a"), queue.enqueue("team:a")], [true, false]);
    await queue.drained();
    equal(done, [["team:a", 1]]);
    equal(
      (await kb.status()).versions.map(({ current }) => current?.model),
      ["m2"],
    );
    await queue.stop();
    equal(queue.enqueue("team:a"), false);
    let tick: (() => void) | undefined;
    const periodic = createReembeddingQueue(kb, {
      refreshMs: 60_000,
      onScope: ({ scope }) => done.push(scope),
      clock: {
        now: () => 0,
        after: (ms, call) => {
          equal(ms, 60_000);
          tick = call;
          return () => {};
        },
      },
    });
    tick?.();
    for (let i = 0; i < 500 && done.length < 2; i++) await new Promise((resolve) => setTimeout(resolve, 2));
    equal(done.at(-1), "team:a");
    await periodic.stop();
    await kb.close();
  }),
  ...(["T24", "T25", "T26", "T27"] as const).map((item) =>
    prove(item, "the exported pack passes, and a base that leaks on purpose fails it", async () => {
      const open = () => openKnowledgeBase({ history: true });
      const pack = createIsolationPack({ create: open }).filter(({ items }) => items.includes(item));
      holds(pack.length > 0);
      for (const { run } of pack) await run();
      const leaking = createIsolationPack({
        create: async () => {
          const kb = await open();
          return { ...kb, as: () => kb };
        },
      });
      let caught = 0;
      for (const { items, run } of leaking) if (items.includes(item)) await run().catch(() => (caught += 1));
      equal(caught, pack.length);
    }),
  ),
  prove("T26", "the exported pack catches a leak through one verb", async () => {
    for (const verb of ["find", "searchVector", "section", "media", "verify", "deleted", "collections"] as const) {
      const leaking = createIsolationPack({
        create: async () => {
          const kb = await openKnowledgeBase({ models: { embedding: createHashingModel({ dimensions: 32 }) } });
          return { ...kb, as: (context) => ({ ...kb.as(context), [verb]: kb[verb] }) };
        },
      });
      let caught = 0;
      for (const { run } of leaking) await run().catch(() => (caught += 1));
      holds(caught > 0, verb);
    }
  }),
  prove(
    "T28",
    "the active module and summaries are raised, scores that fall off end the list, ties and long queries",
    async () => {
      const texts = {
        a: { text: "Bees hum here.", metadata: { module: "x" } },
        b: { text: "Bees hum here too.", metadata: { module: "y" } },
        c: "Wasps hum.",
      };
      const order = (
        retriever?: Parameters<typeof boostHits>[0] extends infer R
          ? (base: R & Parameters<typeof boostHits>[0]) => Parameters<typeof boostHits>[0]
          : never,
      ) =>
        withTexts(
          texts,
          async (kb) => uris(await kb.search("bees hum here", { mode: "lexical", explain: true })),
          retriever ? { search: { retriever } } : {},
        );
      equal((await order())[0], "a");
      equal(
        (await order((base) => boostHits(base, { when: ({ metadata }) => metadata["module"] === "y", by: 10 })))[0],
        "b",
      );
      equal((await order((base) => adaptTopK(base, { minShare: 0.9 }))).length < (await order()).length, true);
      await withTexts({ x: "Bees hum.", y: "Bees hum!" }, async (kb) => {
        equal(uris(await kb.search("bees", { copies: "all" })), ["x", "y"]);
        await refusesAny("invalid-argument", () => kb.search("bee ".repeat(100_000)));
      });
    },
  ),
  prove(
    "T29",
    "a word that a query says twice counts twice; once in the design's variant, or by an option",
    async () => {
      const score = (analyzer?: ReturnType<typeof createAnalyzer>, variant: "lucene" | "toolup" = "lucene") =>
        withTexts(
          { a: "Bees hum.", b: "Wasps sting." },
          async (kb) => {
            const [once] = await kb.search("bees", { mode: "lexical" });
            const [twice] = await kb.search("bees bees", { mode: "lexical" });
            return (twice!.score / once!.score).toFixed(3);
          },
          { search: { bm25: { variant }, ...(analyzer && { analyzer }) } },
        );
      equal([await score(), await score(createAnalyzer({ queryTermFrequency: false }))], ["2.000", "1.000"]);
      equal(await score(undefined, "toolup"), "1.000");
      // By hand: k1 1.2, b 0.75, two chunks of two words each, of which one has the word once.
      await withTexts(
        { a: "Bees hum.", b: "Wasps sting." },
        async (kb) => {
          const [hit] = await kb.search("bees", { mode: "lexical" });
          equal(hit?.score.toFixed(9), (Math.log(1 + 1.5 / 1.5) * (2.2 / 2.2)).toFixed(9));
        },
        {
          models: { embedding: null },
          search: { bm25: { variant: "toolup" }, analyzer: createAnalyzer({ tokens: "plain" }) },
        },
      );
    },
  ),
  prove("T30", "500, 50 and 100 tokens; short chunks are dropped, and tokens are plain, by options", async () => {
    const config = { maxTokens: 500, overlapTokens: 50, minTokens: 500 };
    const text = "A short paragraph.";
    equal([...createTokenChunker(config).chunk(plain("a", text))].length, 1);
    equal([...createTokenChunker({ ...config, dropShort: true }).chunk(plain("a", text))], []);
    const analyzer = createAnalyzer({ tokens: "plain" });
    equal(analyzer.analyze("SKU-1234 punctuation, Renewals!"), ["sku", "1234", "punctuation", "renewals"]);
    await withTexts(
      { a: "Renewals are due." },
      async (kb) =>
        equal(
          [
            (await kb.search("renewal", { mode: "lexical" })).length,
            (await kb.search("renewals", { mode: "lexical" })).length,
          ],
          [0, 1],
        ),
      { models: { embedding: null }, search: { analyzer } },
    );
  }),
];
