import { openKnowledgeBase } from "ibid";
import { createPromptBuilder } from "ibid/answers";
import { renderPrompt } from "ibid/compat";
import { createIngestionQueue, withIngestion } from "ibid/ingest";
import { createEmbeddingCache, createHashingModel } from "ibid/models";
import { createEventStoreTracer, createMemoryEventStore, noTracer, type RetrievalTrace } from "ibid/operations";
import { createGate, operator, parseScope } from "ibid/access";
import { createMemoryBlobStore, createMemoryStore } from "ibid/stores";
import { createFixedEmbeddingModel, createScriptedChatModel } from "ibid/testing";
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
} from "../kit.ts";
import { prove } from "../prove.ts";

const leave = "Annual leave is 30 days for everybody.";

export const pipelines = [
  prove("T1", "query, cache, scopes, search, merge, snippets, prompt, trace", async () => {
    const traces: RetrievalTrace[] = [];
    const cache = createEmbeddingCache();
    const kb = await openKnowledgeBase({
      models: { embedding: createHashingModel(), cache },
      operations: { tracer: { trace: (trace) => void traces.push(trace), miss() {} } },
    });
    await kb.ingest([{ uri: "leave", text: `${leave} ${"More words about leave follow. ".repeat(20)}` }], {
      scope: "team:people",
    });
    await kb.ingest([{ uri: "secret", text: leave }], { scope: "team:other" });
    const builder = createPromptBuilder(kb.as({ userId: "tom", teamId: "people" }), { snippetLimit: 60 });
    const built = await builder.build("How many days is annual leave?");
    equal(
      built.hits.map(({ source }) => source.uri),
      ["leave"],
    );
    matches(built.section, /Annual leave is 30 days/u);
    holds(!built.section.includes("follow. More words about leave follow. More"), "the snippet is cut");
    holds(renderPrompt(built.system).includes(built.section));
    await builder.build("How many days is annual leave?");
    equal(
      [traces.length, cache.hitRate > 0, traces[0]?.permittedScopes],
      [2, true, ["deployment", "team:people", "user:tom"]],
    );
    await kb.close();
  }),
  prove("T2", "upload, hook, queue, embedding with its version, event", async () => {
    const events = createMemoryEventStore();
    const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() }, operations: { events } });
    const queue = createIngestionQueue(kb);
    const uploads = withIngestion(createMemoryBlobStore(), kb, {
      scope: "team:a",
      enqueue: ({ input, options }) => queue.enqueue(input, options),
    });
    equal((await uploads.put("bees.md", bytes("# Bees\n\nThey hum."))).ingestion?.status, "queued");
    equal((await queue.done(queue.idOf("blob:bees.md", "team:a"))).state, "indexed");
    const [stored] = await all(kb.chunks({ uri: "blob:bees.md" }));
    equal(stored?.scope, "team:a");
    equal((await kb.status()).versions[0]?.current?.provider, createHashingModel().provider);
    await queue.close();
    await kb.close();
    equal(
      (await all(events.read({ names: ["KnowledgeChunkIndexed"] }))).map(({ scopes }) => scopes),
      [["team:a"]],
    );
  }),
  prove("T4", "a handler turns data of a type into chunks", () =>
    withTexts(
      {},
      async (kb) => {
        await kb.ingest({ uri: "log", mediaType: "application/x-log", bytes: bytes("one bee\ntwo bees") });
        equal((await all(kb.chunks())).map(({ chunk }) => chunk.text).toSorted(), ["one bee", "two bees"]);
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
      },
    ),
  ),
  prove("T8", "four kinds of scope, each with its readers", async () => {
    const kb = await openKnowledgeBase({ access: { platform: true } });
    for (const scope of ["platform", "deployment", "team:a", "user:ada"] as const)
      await kb.ingest([{ uri: scope, text: leave }], { scope });
    const seen = async (view: typeof kb): Promise<readonly string[]> =>
      uris(await view.search("leave", { topK: "all", copies: "all" })).toSorted();
    equal(await seen(kb.as({ userId: "ada", teamId: "a" })), ["deployment", "platform", "team:a", "user:ada"]);
    equal(await seen(kb.as({ userId: "bob", teamId: "b" })), ["deployment", "platform"]);
    equal(await seen(kb.as({})), ["deployment"]);
    await kb.close();
    const closed = await openKnowledgeBase();
    await closed.ingest([{ uri: "platform", text: leave }], { scope: "platform" });
    equal(await seen(closed.as({ userId: "ada" })), []);
    await closed.close();
  }),
  prove("T27", "anonymous callers read the deployment, and the platform where it is opened to everyone", async () => {
    const texts = ["platform", "deployment", "team:a", "user:ada"] as const;
    const seenBy = async (platformFor: "authenticated" | "everyone" | undefined) => {
      const kb = await openKnowledgeBase({ access: { platform: true, ...(platformFor && { platformFor }) } });
      for (const scope of texts) await kb.ingest([{ uri: scope, text: leave }], { scope });
      const anonymous = kb.as({});
      const found = uris(await anonymous.search("leave", { topK: "all", copies: "all" })).toSorted();
      equal((await all(anonymous.list())).map(({ uri }) => uri).toSorted(), found);
      equal((await anonymous.document("platform")) !== undefined, found.includes("platform"));
      await refuses("access-denied", () => anonymous.ingest({ uri: "x", text: "X." }, { scope: "platform" }));
      await kb.close();
      return found;
    };
    equal(
      [await seenBy(undefined), await seenBy("authenticated"), await seenBy("everyone")],
      [["deployment"], ["deployment"], ["deployment", "platform"]],
    );
    await refuses("invalid-argument", () => openKnowledgeBase({ access: { platformFor: "everyone" } }));
  }),
  prove("T10", "lengths of vectors do not matter: a cosine is a dot product of normalised ones", async () => {
    const store = createMemoryStore();
    await putVectors(store, [
      { id: "long", vector: [300, 400] },
      { id: "short", vector: [0.03, 0.04] },
    ]);
    const session = await store.session(reading);
    const dense = session.legs.find(({ name }) => name === "dense");
    const asked = {
      question: "",
      text: "",
      syntax: "literal" as const,
      embeddings: [{ embedding: [3, 4], version, scopes: session.scopes }],
    };
    const { matches: found } = await dense!.search(asked, 2, {});
    equal(
      found.map(({ score }) => score.toFixed(6)),
      ["1.000000", "1.000000"],
    );
  }),
  prove("T20", "a store asks for the gate's permission", async () => {
    const store = createMemoryStore();
    const forged = { right: "read", scopes: ["deployment"], requested: ["deployment"] } as never;
    await refuses("access-denied", () => store.session(forged));
    await refuses("access-denied", () => store.replace(forged, {} as never));
    equal(createGate().read({ userId: "a" }, ["user:b", "deployment"]).scopes, ["deployment", "user:a"]);
    holds(createGate().read(operator, ["team:x"]).scopes.includes("team:x"));
    equal(writing.scopes, ["deployment"]);
  }),
  prove("T22", "a request names query, scopes, limit, floor, merge and origins", () =>
    withTexts(
      {},
      async (kb) => {
        await kb.ingest([{ uri: "note", text: leave }], { scope: "team:a", origin: "note" });
        await kb.ingest([{ uri: "file", text: leave }], { scope: "team:b" });
        const request = {
          scopes: ["team:a", "team:b"],
          topK: 5,
          minScore: 0.3,
          mode: "hybrid",
          fusion: "rrf",
        } as const;
        equal(uris(await kb.search("leave", { ...request, origins: ["note"] })), ["note"]);
        equal(uris(await kb.search("leave", { ...request, scopes: ["team:b"] })), ["file"]);
      },
      { models: { embedding: createHashingModel() } },
    ),
  ),
  prove("T23", "dense, lexical, hybrid, and hybrid with reranking", () =>
    withTexts(
      { a: leave, b: "Bees hum." },
      async (kb) => {
        const legs = async (options: object): Promise<unknown> => {
          const [hit] = await kb.search("annual leave", { explain: true, ...options });
          return [hit?.source.uri, Object.keys(hit?.explain?.legs ?? {}).toSorted(), hit?.explain?.rerank?.reranker];
        };
        equal(await legs({ mode: "dense" }), ["a", ["dense"], "flat"]);
        equal(await legs({ mode: "lexical", rerank: false }), ["a", ["lexical"], undefined]);
        equal(await legs({ mode: "hybrid", rerank: false }), ["a", ["dense", "lexical"], undefined]);
        equal(await legs({ mode: "hybrid" }), ["a", ["dense", "lexical"], "flat"]);
      },
      {
        models: {
          embedding: createHashingModel(),
          reranker: {
            name: "flat",
            rerank: async (_, texts) => texts.map((text) => (text === leave ? 1 : 0)),
          },
        },
      },
    ),
  ),
  prove("T24", "seventy parts of meaning and thirty of words", () =>
    withTexts(
      { east: "east", north: "north east" },
      async (kb) => {
        const hits = await kb.search("east", { fusion: "weighted", explain: true });
        for (const { explain, score } of hits)
          equal(explain?.parts.reduce((sum, { value }) => sum + value, 0).toFixed(9), score.toFixed(9));
        const dense = hits[0]?.explain?.parts.find(({ name }) => name === "dense")?.value ?? 0;
        equal(dense.toFixed(3), (0.7 * (hits[0]?.explain?.legs.dense?.score ?? 0)).toFixed(3));
      },
      {
        models: {
          embedding: createFixedEmbeddingModel(
            {},
            { dimensions: 2, otherwise: (text) => (text === "east" ? [1, 0] : [1, 1]) },
          ),
        },
      },
    ),
  ),
  prove("T36", "a model says its provider, name and dimensions", async () => {
    const model = createHashingModel({ dimensions: 32 });
    const { embeddings } = await model.embed(["x"], { purpose: "query" });
    equal(
      [typeof model.provider, typeof model.model, model.dimensions, (embeddings[0] as Float32Array).length],
      ["string", "string", 32, 32],
    );
  }),
  prove("T37", "every vector says which version it is of", () =>
    withTexts(
      { a: leave },
      async (kb) => {
        const { provider, model, dimensions } = createHashingModel({ dimensions: 32 });
        equal(
          (await kb.status()).embeddingVersions.map((one) => [one.provider, one.model, one.dimensions, one.chunks]),
          [[provider, model, dimensions, 1]],
        );
      },
      { models: { embedding: createHashingModel({ dimensions: 32 }) } },
    ),
  ),
  prove(
    "T38",
    "the cache: 10,000 entries, hashed keys, hit rate, most recent kept, misses alone are sent",
    async () => {
      const model = createFixedEmbeddingModel({}, { dimensions: 1, otherwise: (text) => [text.length] });
      const cache = createEmbeddingCache({ capacity: 2 });
      equal(cache.hitRate, 0);
      cache.set("a", [1]);
      cache.set("b", [2]);
      cache.get("a");
      cache.set("c", [3]);
      equal(
        [cache.get("a"), cache.get("b")].map((one) => one !== undefined),
        [true, false],
      );
      const keys: string[] = [];
      const inner = createEmbeddingCache();
      const kb = await openKnowledgeBase({
        models: {
          embedding: model,
          cache: {
            get: (key) => {
              keys.push(key);
              return inner.get(key);
            },
            set: (key, value) => inner.set(key, value),
            get hitRate() {
              return inner.hitRate;
            },
          },
        },
      });
      await kb.ingest([{ uri: "a", text: leave }]);
      await kb.search("days of leave", { mode: "dense" });
      await kb.search("days of leave", { mode: "dense" });
      equal(model.calls.length, 2);
      holds(keys.length >= 3 && keys.every((key) => !/leave/iu.test(key)));
      holds((await kb.status()).cacheHitRate! > 0);
      await kb.close();
    },
  ),
  prove("T40", "two at a time", async () => {
    let [now, most] = [0, 0];
    const embedding = createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] });
    const slow = {
      ...embedding,
      embed: async (...call: Parameters<typeof embedding.embed>) => {
        // Texts of two jobs may be in one request.
        const [texts] = call;
        now += texts.length;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 5));
        now -= texts.length;
        return embedding.embed(...call);
      },
    };
    const kb = await openKnowledgeBase({ models: { embedding: slow } });
    const queue = createIngestionQueue(kb);
    for (let i = 0; i < 8; i++) await queue.enqueue({ uri: `d${i}`, text: `Text ${i}.` });
    await queue.drained();
    equal(most, 2);
    await queue.close();
    await kb.close();
  }),
  prove("T42", "a full queue says false, counts it, and drops nothing", async () => {
    const kb = await openKnowledgeBase();
    const queue = createIngestionQueue(kb, { capacity: 2 });
    const hold = await Promise.all([1, 2, 3, 4, 5].map((i) => queue.enqueue({ uri: `d${i}`, text: `Bee ${i}.` })));
    const refused = hold.filter((id) => id === false).length;
    holds(refused >= 1, "some are refused");
    equal((await queue.depth()).rejected, refused);
    equal((await queue.depth()).capacity, 2);
    await queue.drained();
    equal((await kb.status()).documents, 5 - refused);
    await queue.close();
    equal((await kb.health()).queue.rejected, refused);
    await kb.close();
  }),
  prove("T42", "a caller that would wait for room waits, and loses nothing", async () => {
    const kb = await openKnowledgeBase();
    const queue = createIngestionQueue(kb, { capacity: 1 });
    await Promise.all([1, 2, 3, 4, 5].map((i) => queue.enqueueWhenRoom({ uri: `d${i}`, text: `Bee ${i}.` })));
    await queue.drained();
    equal([(await kb.status()).documents, (await queue.depth()).rejected], [5, 0]);
    await queue.close();
    await kb.close();
  }),
  prove("T47", "the builder composes with an application's own prompt", () =>
    withTexts({ leave }, async (kb) => {
      const built = await createPromptBuilder(kb, { instructions: "You are Ada's assistant." }).build("annual leave?");
      matches(renderPrompt(built.system), /^You are Ada's assistant\.[\s\S]*Annual leave is 30 days/u);
    }),
  ),
  prove("T48", "permissive, preferred and strict; strict refuses when nothing is found", () =>
    withTexts({ leave }, async (kb) => {
      const systems = new Set<string>();
      for (const grounding of ["permissive", "preferred", "strict"] as const) {
        const builder = createPromptBuilder(kb, { grounding });
        systems.add(renderPrompt((await builder.build("annual leave?")).system));
        equal((await builder.build("Who won in 1954?")).refuse, grounding === "strict");
      }
      equal(systems.size, 3);
    }),
  ),
  prove("T49", "strategies choose the scopes of a question", () =>
    withTexts(
      {},
      async (kb) => {
        for (const scope of ["platform", "team:a", "team:b", "user:u"] as const)
          await kb.ingest([{ uri: scope, text: leave }], { scope });
        const view = kb.as({ userId: "u", teamId: "a", teams: ["a", "b"] });
        const seen = async (strategy: Parameters<typeof view.search>[1] & object) =>
          uris(await view.search("leave", { copies: "all", topK: "all", ...strategy })).toSorted();
        equal(await seen({ strategy: "active-team" }), ["team:a"]);
        equal(await seen({ strategy: "active-team-plus-user" }), ["team:a", "user:u"]);
        equal(await seen({ strategy: "active-team-plus-platform" }), ["platform", "team:a"]);
        equal(await seen({ strategy: "all" }), ["platform", "team:a", "team:b", "user:u"]);
        equal(await seen({ strategy: (_, readable) => readable.filter((scope) => scope === "team:b") }), ["team:b"]);
      },
      { access: { platform: true } },
    ),
  ),
  prove("T50", "fewer than two survivors are a miss", async () => {
    let misses = 0;
    await withTexts(
      { a: leave, b: "Annual leave can be carried." },
      async (kb) => {
        await kb.search("annual leave", { mode: "lexical" });
        equal(misses, 0);
        await kb.search("everybody", { mode: "lexical" });
        equal(misses, 1);
      },
      { operations: { tracer: { trace() {}, miss: () => void (misses += 1) } } },
    );
  }),
  prove("T51", "a trace of thirteen facts", async () => {
    const traces: RetrievalTrace[] = [];
    await withTexts(
      { a: leave },
      (kb) => kb.as({ userId: "u" }).search("annual leave", { scopes: ["deployment", "team:x"] }),
      {
        models: { embedding: createHashingModel() },
        operations: { tracer: { trace: (trace) => void traces.push(trace), miss() {} } },
      },
    );
    const { queryHash, latencyMs, topScore, candidatePoolSize, stages, ...others } = traces[0]!;
    matches(queryHash, /^[0-9a-f]{64}$/u);
    holds(latencyMs >= 0 && topScore > 0 && candidatePoolSize >= 1 && stages.length >= 3);
    equal(others, {
      queryLength: 12,
      requestedScopes: ["deployment", "team:x"],
      permittedScopes: ["deployment"],
      topK: 5,
      dense: true,
      sparse: true,
      reranked: false,
      resultCount: 1,
    });
  }),
  prove("T53", "a tracer that fails fails nothing; scopes are written by name; one that does nothing", async () => {
    await withTexts({ a: leave }, async (kb) => equal((await kb.search("leave")).length, 1), {
      operations: {
        tracer: {
          trace() {
            throw new Error("no");
          },
          miss: async () => {
            throw new Error("no");
          },
        },
      },
    });
    await withTexts({ a: leave }, async (kb) => equal((await kb.search("leave")).length, 1), {
      operations: { tracer: noTracer },
    });
    const events = createMemoryEventStore();
    const tracer = createEventStoreTracer(events);
    await withTexts(
      { a: leave },
      async (kb) => kb.as({ userId: "u", teamId: "t" }).search("leave", { scopes: ["deployment", "team:t", "user:u"] }),
      { operations: { tracer } },
    );
    const [retrieved] = await all(events.read({ names: ["KnowledgeRetrieved"] }));
    equal(parseScope("team:t"), "team:t");
    equal((retrieved!.data as RetrievalTrace).requestedScopes, ["deployment", "team:t", "user:u"]);
  }),
  prove("T54", "health over a rolling minute", async () => {
    let now = 1_000_000;
    await withTexts(
      { a: leave, b: "Annual leave can be carried." },
      async (kb) => {
        await kb.search("annual leave", { mode: "lexical" });
        await kb.search("everybody", { mode: "lexical" });
        await kb.search("zeppelin", { mode: "lexical" });
        const { retrieval, embedding, flush, windowMs } = await kb.health();
        equal([retrieval.hits, retrieval.misses, retrieval.empty, windowMs], [2, 0, 1, 60_000]);
        holds(embedding.count >= 1 && flush.count === 2 && retrieval.p95 >= 0);
        now += 61_000;
        equal((await kb.health()).retrieval.count, 0);
        await refuses("access-denied", () => kb.as({ userId: "u" }).health());
      },
      { models: { embedding: createHashingModel() }, operations: { now: () => now } },
    );
  }),
  prove("T58", "a picture waits for a message that can carry it", async () => {
    const { createImageDocument } = await import("ibid/readers");
    const { prompt, renderParts } = await import("ibid/compat");
    const parts = renderParts(
      prompt`See ${createImageDocument(new Uint8Array([1, 2]), { mediaType: "image/png" })} and ${plain("a", "words")}.`,
    );
    equal(
      parts.map(({ type }) => type),
      ["text", "image", "text", "text", "text"],
    );
    equal(createScriptedChatModel(["x"]).calls.length, 0);
  }),
];
