import { openKnowledgeBase } from "ibid";
import { createContextTransformer, createTokenChunker } from "ibid/chunkers";
import { addNote, chunkSpreadsheet } from "ibid/compat";
import { createIngestionQueue, withIngestion } from "ibid/ingest";
import { createEmbeddingCache, type EmbeddingModel, type ImageEmbedder } from "ibid/models";
import { createMemoryEventStore, scheduleVacuum } from "ibid/operations";
import { createImageDocument } from "ibid/readers";
import { createHandler } from "ibid/server";
import { createMemoryBlobStore, createMemoryStore } from "ibid/stores";
import { parseQrels, scoreRun, type TrecRun } from "ibid/eval";
import { createFixedEmbeddingModel } from "ibid/testing";
import { all, bytes, equal, holds, matches, plain, refuses, sorted, withServer, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { createHostedEmbeddingModel } from "ibid/models";

const ones = () => createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] });
const twos = () => createFixedEmbeddingModel({}, { model: "two", dimensions: 2, otherwise: () => [0, 1] });
const soon = (ms = 1) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The outcome of one queued document whose model fails so, and the waits before its attempts. */
async function queued(embedding: EmbeddingModel, retry: object = {}, random = 0) {
  let now = 0;
  const kb = await openKnowledgeBase({ models: { embedding } });
  const queue = createIngestionQueue(kb, {
    retry,
    random: () => random,
    now: () => now,
    wait: () => soon(),
    pollMs: 1,
  });
  const id = (await queue.enqueue({ uri: "a", text: "Bees hum." })) as string;
  const waits: number[] = [];
  for (;;) {
    const status = (await queue.status(id))!;
    if (status.retryAt !== undefined && status.retryAt > now) {
      waits.push((status.retryAt - now) / 1000);
      now = status.retryAt;
    }
    if (status.state === "failed" || status.state === "indexed") {
      await queue.close();
      await kb.close();
      return { waits, state: status.state, attempts: status.attempts, code: status.error?.code };
    }
    await soon();
  }
}

export const services = [
  prove("T4", "a handler's document may have a summary, before each of its chunks", () =>
    withTexts(
      {},
      async (kb) => {
        await kb.ingest({ uri: "log", mediaType: "application/x-log", bytes: bytes("one bee\ntwo bees") });
        equal((await all(kb.chunks())).map(({ chunk }) => chunk.text).toSorted(), [
          "Context: A log of insects.\n\none bee",
          "Context: A log of insects.\n\ntwo bees",
        ]);
      },
      {
        reading: {
          handlers: [
            {
              name: "log/1",
              mediaTypes: ["application/x-log"],
              handle: ({ bytes: given }) => ({ chunks: new TextDecoder().decode(given).split("\n") }),
            },
          ],
        },
        transformers: [createContextTransformer({ summarise: () => "A log of insects." })],
      },
    ),
  ),
  prove("T11", "a write of a snapshot that failed is tried again, and nothing is lost", async () => {
    const blobs = createMemoryBlobStore();
    let broken = false;
    const saved: unknown[] = [];
    const failures: unknown[] = [];
    let fire: (() => void) | undefined;
    const kb = await openKnowledgeBase({
      snapshots: {
        blobs: {
          ...blobs,
          put: async (...call) => {
            if (broken) throw new Error("The bucket is gone.");
            const put = await blobs.put(...call);
            if (failures.length > 0 && call[0].endsWith("manifest")) saved.push(call[0]);
            return put;
          },
        },
        clock: { now: () => 0, after: (_, call) => ((fire = call), () => {}) },
        onError: (error) => void failures.push(error),
      },
    });
    broken = true;
    await kb.ingest({ uri: "a", text: "Bees hum." });
    fire?.();
    await soon(20);
    equal((await kb.search("bees")).length, 1);
    broken = false;
    for (let i = 0; i < 400 && saved.length === 0; i++) {
      fire?.();
      await soon(5);
    }
    holds(failures.length > 0 && saved.length > 0);
    await soon(20);
    const reader = await openKnowledgeBase({ snapshots: { blobs } });
    equal((await reader.status()).documents, 1);
    await reader.close();
    await kb.close();
  }),
  prove("T13", "a tombstone has its time in ISO 8601, and past its retention it cannot be restored", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    await withTexts(
      { a: "Bees hum." },
      async (kb) => {
        await kb.delete("a");
        equal(
          (await all(kb.deleted())).map(({ deletedAt }) => deletedAt),
          ["2026-01-01T00:00:00.000Z"],
        );
        now += 8 * 24 * 3_600_000;
        await kb.vacuum();
        equal([await kb.restore("a"), await all(kb.deleted())], [[], []]);
      },
      { operations: { now: () => now } },
    );
  }),
  prove("T14", "daily at 03:00 UTC, seven days, at least one minute; a vacuum that ran is told", async () => {
    let now = Date.parse("2026-01-01T02:00:00Z");
    let due: (() => void) | undefined;
    const clock = { now: () => now, after: (_: number, call: () => void) => ((due = call), () => {}) };
    const asked: unknown[] = [];
    const schedule = scheduleVacuum(
      { vacuum: async (options) => (asked.push(options), { chunks: 3 }) },
      { clock, onVacuum: ({ chunks }) => asked.push(chunks) },
    );
    equal(schedule.next, Date.parse("2026-01-01T03:00:00Z"));
    now = schedule.next;
    due?.();
    await schedule.stop();
    equal(asked, [{ olderThanMs: 7 * 24 * 3_600_000 }, 3]);
    await refuses("invalid-argument", () =>
      scheduleVacuum({ vacuum: async () => ({ chunks: 0 }) }, { retentionMs: 59_999, clock }),
    );
  }),
  prove("T15", "a scope that was reset stays empty where it is open, too", async () => {
    const kb = await openKnowledgeBase({ snapshots: { blobs: createMemoryBlobStore() } });
    await kb.ingest([{ uri: "a", text: "Bees hum." }], { scope: "team:a" });
    await kb.search("bees");
    await kb.reset("team:a");
    equal([await kb.search("bees"), (await kb.status()).documents, await all(kb.chunks())], [[], 0, []]);
    await kb.ingest([{ uri: "b", text: "Bees sleep." }], { scope: "team:a" });
    equal((await kb.search("bees")).length, 1);
    await kb.close();
  }),
  prove(
    "T30",
    "sizes are checked against one another, a short piece joins its neighbour, and 512/64/16 are sizes",
    () => {
      const text = `${"Bees hum in the meadow. ".repeat(40)}\n\nEnd.`;
      for (const config of [
        { maxTokens: 512, overlapTokens: 64, minTokens: 16 },
        { maxTokens: 100, overlapTokens: 10, minTokens: 40 },
      ]) {
        const chunks = [...createTokenChunker(config).chunk(plain("a", text))];
        holds(chunks.every((chunk) => chunk.text.length <= 4 * config.maxTokens));
        holds(chunks.length === 1 || chunks.every((chunk) => chunk.text.length >= 4 * config.minTokens - 4));
      }
    },
  ),
  prove("T34", "a row beyond the budget stands alone, whole", () => {
    const rows = [2, 3, 4].map((sourceIndex) => ({
      sourceIndex,
      values: [sourceIndex === 3 ? "long ".repeat(60).trim() : "x"],
    }));
    const chunks = chunkSpreadsheet({ sheetName: "S", headers: ["A"], rows }, { maxTokens: 20 });
    equal(
      chunks.map((chunk) => chunk.split("\n")[0]),
      ['Sheet "S", rows 2–2 of 3', 'Sheet "S", rows 3–3 of 3', 'Sheet "S", rows 4–4 of 3'],
    );
    holds(chunks[1]!.endsWith(rows[1]!.values[0]!));
  }),
  prove("T35", "the summary stands before each chunk, and the slice stays what it was", () =>
    withTexts(
      { a: "Bees hum. ".repeat(300) },
      async (kb) => {
        const chunks = (await all(kb.chunks())).map(({ chunk }) => chunk);
        holds(chunks.length > 1);
        for (const { text, urtext } of chunks) equal(text, `Context: On bees.\n\n${urtext}`);
      },
      { transformers: [createContextTransformer({ summarise: () => "On bees." })], chunker: createTokenChunker() },
    ),
  ),
  prove("T35", "the sentence stands alone before the text where the label is empty", () =>
    withTexts(
      { a: "Bees hum." },
      async (kb) => equal((await all(kb.chunks()))[0]!.chunk.text, "On bees.\n\nBees hum."),
      { transformers: [createContextTransformer({ summarise: () => "On bees.", label: "" })] },
    ),
  ),
  prove("T36", "many texts in one call, in their order", async () => {
    const model = createFixedEmbeddingModel({}, { dimensions: 1, otherwise: (text) => [text.length] });
    const { embeddings } = await model.embed(["a", "bb", "ccc"], { purpose: "document" });
    equal(
      embeddings.map((one) => Array.from(one as number[])),
      [[1], [2], [3]],
    );
  }),
  prove(
    "T38",
    "misses alone are sent, once each also when they are asked for at once, and stitched in their order",
    async () => {
      const sent: string[] = [];
      let open: (() => void) | undefined;
      const gate = new Promise<void>((resolve) => (open = resolve));
      const embedding: EmbeddingModel = {
        provider: "own",
        model: "slow",
        kind: "dense",
        dimensions: 1,
        async embed(inputs) {
          const texts = inputs.map((input) => (typeof input === "string" ? input : (input as { text: string }).text));
          sent.push(...texts);
          if (texts.includes("bees hum here")) await gate;
          return { embeddings: texts.map((text) => [text.length]) };
        },
      };
      const cache = createEmbeddingCache();
      const kb = await openKnowledgeBase({ models: { embedding, cache, embedNames: false } });
      const chunks = (...texts: readonly string[]) => texts.map((text) => ({ text }));
      await kb.ingest({ uri: "a", chunks: chunks("one", "three") });
      await kb.ingest({ uri: "b", chunks: chunks("zero", "one", "seventeen", "three") });
      equal(sent, ["one", "three", "zero", "seventeen"]);
      equal(
        sorted(
          (await all(kb.chunks({ uri: "b", includeEmbeddings: true }))).map(({ chunk, embeddings }) => [
            chunk.text,
            (embeddings![0]!.embedding as Float32Array)[0],
          ]),
        ),
        [
          ["one", 3],
          ["seventeen", 9],
          ["three", 5],
          ["zero", 4],
        ],
      );
      const asked = Promise.all([1, 2, 3].map(() => kb.search("bees hum here", { mode: "dense" })));
      await soon(20);
      open?.();
      await asked;
      equal(sent.filter((text) => text === "bees hum here").length, 1);
      await kb.close();
    },
  ),
  prove("T40", "as many at a time as are asked for", async () => {
    let [now, most] = [0, 0];
    const embedding: EmbeddingModel = {
      ...ones(),
      embed: async (inputs) => {
        now += inputs.length;
        most = Math.max(most, now);
        await soon(10);
        now -= inputs.length;
        return { embeddings: inputs.map(() => [1]) };
      },
    };
    const kb = await openKnowledgeBase({ models: { embedding } });
    const queue = createIngestionQueue(kb, { concurrency: 8 });
    for (let i = 0; i < 24; i++) await queue.enqueue({ uri: `d${i}`, text: `Text ${i}.` });
    await queue.drained();
    holds(most > 2 && most <= 8, `${most}`);
    await refuses("invalid-argument", () => createIngestionQueue(kb, { concurrency: -1 }));
    await queue.close();
    await kb.close();
  }),
  prove("T42", "an upload that a full queue refuses is marked failed, and health shows the queue's depth", async () => {
    const kb = await openKnowledgeBase();
    const queue = createIngestionQueue(kb, { capacity: 1, concurrency: 0 });
    const enqueue = ({
      input,
      options,
    }: Parameters<NonNullable<Parameters<typeof addNote>[2]>["enqueue"] & object>[0]) => queue.enqueue(input, options);
    const uploads = withIngestion(createMemoryBlobStore(), kb, { scope: "team:a", enqueue });
    equal((await uploads.put("a.md", bytes("# A"))).ingestion?.status, "queued");
    const refused = (await uploads.put("b.md", bytes("# B"))).ingestion;
    equal([refused?.status, refused?.error?.code], ["rejected", "store-busy"]);
    const note = await addNote(kb, "Bees hum.", { scope: "team:a", enqueue });
    equal([note.status, "error" in note && note.error?.code], ["failed", "store-busy"]);
    equal((await queue.status(queue.idOf("blob:b.md", "team:a")))?.state, "rejected");
    await soon(5);
    const handler = createHandler(kb, { authenticate: () => ({ name: "ops", access: "operator", write: true }) });
    const health = (await (await handler(new Request("http://127.0.0.1/health/rag"))).json()) as {
      readonly queue: { readonly depth: number; readonly rejected: number };
    };
    equal(health.queue, { depth: 1, rejected: 2 });
    await queue.close();
    await kb.close();
  }),
  prove("T43", "overflow: refused, waited for, or dropped with an event, as the queue is told", async () => {
    const outcomes = async (overflow: "refuse" | "wait" | "drop" | undefined) => {
      const kb = await openKnowledgeBase();
      const queue = createIngestionQueue(kb, { capacity: 1, ...(overflow && { overflow }) });
      const told: string[] = [];
      const events = queue.events();
      const listening = (async () => {
        for await (const event of events) if (event.type === "KnowledgeIngestionDropped") told.push(event.uri);
      })();
      const ids = await Promise.all(["a", "b", "c"].map((uri) => queue.enqueue({ uri, text: `Bee ${uri}.` })));
      const states = await Promise.all(
        ["a", "b", "c"].map(async (uri) => (await queue.status(queue.idOf(uri)))?.state),
      );
      await queue.drained();
      const { rejected } = await queue.depth();
      const { documents } = await kb.status();
      await queue.close();
      await listening;
      await kb.close();
      return {
        taken: ids.filter((id) => id !== false).length,
        refused: states.filter((state) => state === "rejected").length,
        rejected,
        told: told.length,
        documents,
      };
    };
    const refuse = await outcomes(undefined);
    equal(refuse, await outcomes("refuse"));
    holds(refuse.rejected > 0 && refuse.told === 0);
    equal(
      [refuse.taken, refuse.refused, refuse.documents],
      [3 - refuse.rejected, refuse.rejected, 3 - refuse.rejected],
    );
    equal(await outcomes("wait"), { taken: 3, refused: 0, rejected: 0, told: 0, documents: 3 });
    const drop = await outcomes("drop");
    holds(drop.rejected > 0);
    equal(drop, {
      taken: 3,
      refused: drop.rejected,
      rejected: drop.rejected,
      told: drop.rejected,
      documents: 3 - drop.rejected,
    });
    const kb = await openKnowledgeBase();
    await refuses("invalid-argument", () => createIngestionQueue(kb, { overflow: "alien" as never }));
    await kb.close();
  }),
  prove(
    "T43",
    "at most half an hour, a fifth more by chance; 401 and 404 end at once, 429 and 503 are tried again",
    async () => {
      const down: EmbeddingModel = { ...ones(), embed: () => Promise.reject(new Error("down")) };
      equal((await queued(down, { attempts: 9 })).waits, [30, 60, 120, 240, 480, 960, 1800, 1800]);
      equal((await queued(down, {}, 1)).waits, [36, 72, 144, 288]);
      const answering = (status: number) =>
        withServer(
          () => ({ status, error: { message: "no" } }),
          (serviceUrl) => queued(createHostedEmbeddingModel({ serviceUrl, accessToken: "t", dimensions: 1 })),
        );
      for (const status of [400, 401, 403, 404]) {
        const { attempts, state } = await answering(status);
        equal([status, attempts, state], [status, 1, "failed"]);
      }
      for (const status of [429, 500, 503]) {
        const { attempts, state } = await answering(status);
        equal([status, attempts, state], [status, 5, "failed"]);
      }
    },
  ),
  prove(
    "T44",
    "a chunk without a vector is stale; what was embedded anew has its event, its id and no other text",
    async () => {
      const store = createMemoryStore();
      const without = await openKnowledgeBase({ store, models: { embedding: null } });
      await without.ingest({ uri: "bare", text: "Wasps sting." });
      const first = await openKnowledgeBase({ store, models: { embedding: ones() } });
      await first.ingest({ uri: "a", text: "Bees hum." });
      const rows = async (of: typeof first) =>
        sorted((await all(of.chunks())).map(({ chunk: { id, text } }) => [id, text]));
      const before = await rows(first);
      const next = twos();
      const kb = await openKnowledgeBase({ store, models: { embedding: next, formerEmbeddings: [ones()] } });
      // Nothing is embedded because it is read.
      await all(kb.chunks());
      equal(next.calls.filter(({ purpose }) => purpose === "document").length, 0);
      await kb.reembed();
      equal(await rows(kb), before);
      equal(
        (await all(kb.chunks({ stamps: true }))).map(({ chunk }) => [
          chunk.metadata["_embedModel"],
          chunk.metadata["_embedDim"],
        ]),
        [
          ["two", 2],
          ["two", 2],
        ],
      );
      const [event] = await all(kb.events({ names: ["KnowledgeChunkReembedded"] }));
      equal([event!.scopes, (event!.data as { chunks: number }).chunks], [["deployment"], 2]);
      await kb.close();
    },
  ),
  prove("T53", "events name scopes platform, deployment, team:<id> and user:<id>", async () => {
    const events = createMemoryEventStore();
    await withTexts(
      { a: "Bees hum." },
      (kb) =>
        kb.as({ userId: "u", teamId: "t" }).search("bees", { scopes: ["platform", "deployment", "team:t", "user:u"] }),
      { access: { platform: true }, operations: { events } },
    );
    const [retrieved] = await all(events.read({ names: ["KnowledgeRetrieved"] }));
    equal(retrieved?.scopes, ["deployment", "platform", "team:t", "user:u"]);
  }),
  prove(
    "T54",
    "hits, low scores and nothing; the 95th of a hundred by its nearest rank; over HTTP for operators",
    async () => {
      let now = 1_000_000;
      const embedding = createFixedEmbeddingModel(
        {},
        { dimensions: 2, otherwise: (text) => (/bee/iu.test(text) ? [1, 0] : [0.1, 1]) },
      );
      await withTexts(
        { a: "Bees hum.", b: "A bee sleeps." },
        async (kb) => {
          await kb.search("bees", { mode: "dense" });
          await kb.search("wasps", { mode: "dense" });
          await kb.search("wasps", { mode: "dense", minScore: 0.9 });
          const { retrieval } = await kb.health();
          equal([retrieval.count, retrieval.hits, retrieval.misses, retrieval.empty], [3, 1, 1, 1]);
          now += 61_000;
          for (let ms = 1; ms <= 100; ms++) kb.report("KnowledgeFlushed", [], { latencyMs: ms });
          const { flush } = await kb.health();
          equal([flush.count, flush.p95, flush.max, flush.mean], [100, 95, 100, 50.5]);
          const as = (access: "operator" | "everyone") =>
            createHandler(kb, {
              authenticate: () => ({ name: "x", access: access === "operator" ? access : { userId: "u" } }),
            });
          const get = async (handler: ReturnType<typeof as>) => handler(new Request("http://127.0.0.1/health/rag"));
          const shown = (await (await get(as("operator"))).json()) as { readonly windowSeconds: number };
          equal(shown.windowSeconds, 60);
          equal((await get(as("everyone"))).status, 403);
        },
        { models: { embedding }, operations: { now: () => now } },
      );
    },
  ),
  prove("T57", "the maker of a picture's vector is named by keys of its own", async () => {
    const image: ImageEmbedder = {
      providerId: "own",
      modelId: "colours",
      dimensions: 2,
      embedImage: async () => Float32Array.from([1, 0]),
      embedQuery: async () => Float32Array.from([1, 0]),
    };
    await withTexts(
      {},
      async (kb) => {
        await kb.ingest(
          createImageDocument(new Uint8Array([1]), { mediaType: "image/png", metadata: { fileName: "a.png" } }),
        );
        const [{ chunk } = { chunk: undefined }] = await all(kb.chunks({ stamps: true }));
        equal(
          ["_imageProvider", "_imageModel", "_imageDim", "_embedDim"].map((key) => chunk?.metadata[key]),
          ["own", "colours", 2, undefined],
        );
      },
      { models: { image } },
    );
  }),
  prove("T59", "a relevant one among the first K counts as found; nDCG by log2(rank + 1); reciprocal ranks", () => {
    const qrels = parseQrels("q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 1\n");
    const run: TrecRun = new Map([
      [
        "q1",
        [
          { documentId: "d9", score: 2 },
          { documentId: "d1", score: 1 },
        ],
      ],
      ["q2", [{ documentId: "d8", score: 1 }]],
    ]);
    const { metrics } = scoreRun(run, qrels, { metrics: ["success@1", "success@2", "mrr@10", "ndcg@2", "recall@100"] });
    const means = Object.fromEntries(
      Object.entries(metrics).map(([name, { mean }]) => [name, Number(mean.toFixed(4))]),
    );
    const gain = 1 / Math.log2(3);
    equal(means, {
      "success@1": 0,
      "success@2": 0.5,
      "mrr@10": 0.25,
      "ndcg@2": Number((gain / (1 + gain) / 2).toFixed(4)),
      "recall@100": 0.25,
    });
    matches(JSON.stringify(means), /success/u);
  }),
];
