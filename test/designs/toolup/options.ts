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
];
