import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Hit, IbidError, openKnowledgeBase, type SearchOptions } from "ibid";
import { createMemoryPlugin, createTemplate, createTextMemory } from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { createHandler } from "ibid/server";
import {
  createEngineStore,
  createMemoryStore,
  type Engine,
  type EngineCondition,
  type EngineEntry,
  openFileBlobStore,
  writeCondition,
} from "ibid/stores";
import { createDuckDbEngine } from "ibid/stores/duckdb";
import { createHnswEngine } from "ibid/stores/hnsw";
import { createQdrantEngine } from "ibid/stores/qdrant";
import { createSqliteEngine } from "ibid/stores/sqlite";
import { createEnginePack } from "ibid/testing";
import { all, equal, holds, refuses, uris, version } from "./kit.ts";
import { prove } from "./prove.ts";
import { withQdrant } from "./qdrant.ts";

const embedding = createHashingModel({ dimensions: 64 });
const birds = ["heron", "wren", "kite", "otter", "robin", "finch", "crane", "stork"];

/** A document for each number, in words that lie near one another. */
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    uri: `${i}`,
    text: `${birds[i % birds.length]!} number ${i} sits in tree ${i % 7}`,
    metadata: { tree: i % 7, kind: birds[i % birds.length]!, note: `n${i}`, tags: [i % 2 === 0 ? "even" : "odd"] },
  }));

async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-engines-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const dense = (more: SearchOptions = {}) => ({ mode: "dense", topK: 10, ...more }) as const;

/** An engine that counts the searches that it is asked for. */
function counting(engine: Engine): Engine & { readonly asked: () => number } {
  let asked = 0;
  return {
    ...engine,
    asked: () => asked,
    async open(spec, signal) {
      const index = await engine.open(spec, signal);
      return { ...index, nearest: (request) => (asked++, index.nearest(request)) };
    },
  };
}
const found = (hits: readonly Hit[]) => hits.map(({ source, score }) => [source.uri, score]);

/** All cases of the contract pack over an engine. **Shape** how many there were. */
async function runPack(name: string, create: () => Engine): Promise<number> {
  const pack = createEnginePack({
    name,
    create: async () => create(),
    createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
  });
  for (const { run } of pack) await run();
  return pack.length;
}

/** Entries that SQLite's file holds, and its tags, as another program reads them. */
function readTables(file: string): { readonly entries: number; readonly tags: readonly string[] } {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const tables = names.map(({ name }) => String(name)).filter((name) => !name.endsWith("_tags"));
    const count = (table: string): number => Number(db.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.["n"]);
    const tagsOf = (table: string) => db.prepare(`SELECT DISTINCT tag FROM "${table}_tags"`).all();
    return {
      entries: tables.reduce((sum, table) => sum + count(table), 0),
      tags: tables.flatMap(tagsOf).map(({ tag }) => String(tag)),
    };
  } finally {
    db.close();
  }
}

/** Proofs that need a vector engine: databases and a graph in this process, and a server behind a stand-in on this machine. */
export const engines = [
  prove("T17", "a graph over the chunks, kept in a folder and opened warm, finds what the scan finds", () =>
    withFolder(async (folder) => {
      const graphs = join(folder, "graphs");
      const open = () =>
        openKnowledgeBase(join(folder, "kb"), {
          models: { embedding },
          engine: { name: "hnsw", path: graphs },
        });
      const first = await open();
      await first.ingest(many(400), { settle: true });
      await first.close();
      const kept = readdirSync(graphs);
      holds(kept.length > 0, "No graph was kept.");
      const again = await open();
      const scan = await openKnowledgeBase({ models: { embedding } });
      await scan.ingest(many(400));
      let same = 0;
      for (const bird of birds) {
        const query = `${bird} in a tree`;
        const [near, exact] = [await again.search(query, dense()), await scan.search(query, dense())];
        same += near.filter(({ source }) => uris(exact).includes(source.uri)).length;
        equal(near[0]?.score, exact[0]?.score);
      }
      holds(same >= 76, `${same} of 80 nearest were found.`);
      await Promise.all([again.close(), scan.close()]);
      equal(readdirSync(graphs).toSorted(), kept.toSorted());
    }),
  ),
  prove("T17", "the graph lies in the blob store of the snapshots, and is opened warm from it", () =>
    withFolder(async (folder) => {
      const blobs = openFileBlobStore(join(folder, "blobs"));
      const graphs = async (): Promise<readonly string[]> =>
        (await all(blobs.list({ prefix: "ibid/graphs/" }))).map(({ key }) => key);
      const open = () => openKnowledgeBase({ snapshots: { blobs }, models: { embedding }, engine: { name: "hnsw" } });
      const first = await open();
      await first.ingest(many(400), { settle: true });
      await first.close();
      const kept = await graphs();
      equal(kept.length, 2);
      const before = await Promise.all(kept.map(async (key) => (await blobs.head(key))?.etag));
      const again = await open();
      const scan = await openKnowledgeBase({ models: { embedding } });
      await scan.ingest(many(400));
      let same = 0;
      for (const bird of birds) {
        const query = `${bird} in a tree`;
        const [near, exact] = [await again.search(query, dense()), await scan.search(query, dense())];
        same += near.filter(({ source }) => uris(exact).includes(source.uri)).length;
        equal(near[0]?.score, exact[0]?.score);
      }
      holds(same >= 76, `${same} of 80 nearest were found.`);
      await Promise.all([again.close(), scan.close()]);
      // Nothing was made again: the blobs are those that the first process wrote.
      equal(await Promise.all(kept.map(async (key) => (await blobs.head(key))?.etag)), before);
      const engine = createHnswEngine({ blobs, prefix: "ibid/graphs/" });
      equal((await engine.indexes("")).length, 1);
      await engine.close?.();
    }),
  ),
  prove("T18", "one contract pack over two databases, a graph and a server's protocol: every case passes", () =>
    withFolder((folder) =>
      withQdrant(async ({ url }) => {
        let databases = 0;
        const ran = [
          await runPack("sqlite", () => createSqliteEngine({ file: join(folder, `${databases++}.sqlite`) })),
          await runPack("duckdb", () => createDuckDbEngine({ database: join(folder, `${databases++}.duckdb`) })),
          await runPack("hnsw", () => createHnswEngine()),
          await runPack("qdrant", () => createQdrantEngine({ url })),
        ];
        holds(new Set(ran).size === 1 && ran[0]! >= 20, `${ran.join(", ")} cases.`);
      }),
    ),
  ),
  prove("W51", "approximate neighbours, scored as the scan scores them", async () => {
    const engine = counting(createHnswEngine());
    const near = await openKnowledgeBase({ store: createEngineStore(engine), models: { embedding } });
    const scan = await openKnowledgeBase({ models: { embedding } });
    for (const kb of [near, scan]) await kb.ingest(many(600), { settle: true });
    const query = "a crane in tree 3";
    equal(found(await near.search(query, dense())), found(await scan.search(query, dense())));
    equal(engine.asked(), 1);
    await Promise.all([near.close(), scan.close()]);
  }),
  prove("W52", "a database keeps the vectors and applies the filters, and what it holds goes with a purge", () =>
    withFolder(async (folder) => {
      const file = join(folder, "vectors.sqlite");
      const filter = {
        and: [{ kind: { in: ["heron", "wren"] } }, { tree: { gte: 5 } }, { tags: { hasElement: "odd" } }],
      };
      const wanted = many(60).flatMap(({ metadata: { kind, tree }, uri }) =>
        kind === "wren" && tree >= 5 ? [uri] : [],
      );
      for (const create of [
        () => createSqliteEngine({ file }),
        () => createDuckDbEngine({ database: join(folder, "vectors.duckdb") }),
      ]) {
        const engine = counting(create());
        const kb = await openKnowledgeBase({ store: createEngineStore(engine), models: { embedding } });
        await kb.ingest(many(60), { settle: true });
        const hits = await kb.search("wren in a tree", dense({ filter, topK: 20 }));
        equal(
          uris(hits).toSorted((a, b) => Number(a) - Number(b)),
          wanted,
        );
        equal(engine.asked(), 1);
        if (engine.name === "sqlite") equal(readTables(file).entries, 60);
        await kb.delete("1", { purge: true });
        if (engine.name === "sqlite") equal(readTables(file).entries, 59);
        await kb.close();
      }
    }),
  ),
  prove("W52", "a server's protocol carries the same filters, and a purge", () =>
    withQdrant(async ({ url, collections, filters }) => {
      const open = () =>
        openKnowledgeBase({ store: createEngineStore(createQdrantEngine({ url })), models: { embedding } });
      const kb = await open();
      await kb.ingest(many(60), { settle: true });
      equal(
        [...collections.values()].map((points) => points.size),
        [60],
      );
      const filter = {
        and: [{ kind: { in: ["heron", "wren"] } }, { tree: { gte: 5 } }, { tags: { hasElement: "odd" } }],
      };
      const hits = await kb.search("wren in a tree", dense({ filter, topK: 20 }));
      equal(
        uris(hits)
          .map(Number)
          .toSorted((a, b) => a - b),
        many(60).flatMap(({ metadata: { kind, tree }, uri }) => (kind === "wren" && tree >= 5 ? [Number(uri)] : [])),
      );
      holds(filters.some((one) => JSON.stringify(one).includes('"range":{"gte":5}')));
      await kb.delete("1", { purge: true });
      equal([...collections.values()][0]!.size, 59);
      await kb.close();
    }),
  ),
  prove(
    "E31",
    "each filter in the language of its backend; what a backend cannot say is checked on its candidates",
    () =>
      withQdrant(async ({ url, filters }) => {
        const scan = await openKnowledgeBase({ models: { embedding } });
        const engines = [createSqliteEngine(), createDuckDbEngine(), createHnswEngine(), createQdrantEngine({ url })];
        const counted = engines.map(counting);
        const backends = await Promise.all(
          counted.map((engine) => openKnowledgeBase({ store: createEngineStore(engine), models: { embedding } })),
        );
        for (const kb of [scan, ...backends]) await kb.ingest(many(80), { settle: true });
        const cases = [
          { kind: "heron" },
          { kind: { ne: "heron" } },
          { tree: { in: [1, 2] } },
          { tree: { nin: [1, 2, 3] } },
          { tree: { gt: 4 } },
          { not: { tree: { lte: 5 } } },
          { missing: { exists: false } },
          { tags: { hasElement: "odd" } },
          { note: { startsWith: "n7" } },
          { note: { contains: "7" } },
          { or: [{ kind: "heron" }, { note: { endsWith: "9" } }] },
          { note: { like: "^n[0-3]$" } },
        ];
        for (const filter of cases) {
          const expected = found(await scan.search("in a tree", dense({ filter })));
          holds(expected.length > 0, `Nothing passes ${JSON.stringify(filter)}.`);
          for (const kb of backends)
            equal([filter, found(await kb.search("in a tree", dense({ filter })))], [filter, expected]);
        }
        for (const { name, asked } of counted) holds(asked() >= cases.length, `${name} was asked ${asked()} times.`);
        // No word of the metadata leaves: tags are hashes under the base's own key.
        holds(filters.length >= cases.length && !JSON.stringify(filters).includes("heron"));
        const own: EngineCondition = {
          op: "and",
          of: [
            { op: "has", tag: "a" },
            {
              op: "or",
              of: [
                { op: "lacks", tag: "b" },
                { op: "number", key: "n", is: "gte", value: 5 },
              ],
            },
          ],
        };
        const sql = { gt: ">", gte: ">=", lt: "<", lte: "<=" };
        equal(
          writeCondition<string>(own, {
            has: (tag) => `tag ${tag}`,
            lacks: (tag) => `no ${tag}`,
            number: (key, is, value) => `${key} ${sql[is]} ${value}`,
            and: (parts) => parts.join(" AND "),
            or: (parts) => `(${parts.join(" OR ")})`,
            nothing: () => "FALSE",
          }),
          "tag a AND (no b OR n >= 5)",
        );
        for (const kb of [scan, ...backends]) await kb.close();
      }),
  ),
  prove(
    "E40",
    "a backend of one's own: three methods for indexes, five for entries, and the knowledge base works over it",
    async () => {
      const kept = new Map<string, Map<string, EngineEntry>>();
      let asked = 0;
      const own: Engine = {
        name: "own",
        native: kept,
        // It evaluates nothing: the store checks its candidates.
        capabilities: {
          exhaustive: true,
          conditions: [],
          metrics: ["cosine"],
          visibleAfterMs: 0,
          candidates: 1000,
          batch: 100,
        },
        async open({ name }) {
          const entries = kept.get(name) ?? new Map<string, EngineEntry>();
          kept.set(name, entries);
          return {
            put: async (given) => given.forEach((entry) => entries.set(entry.key, entry)),
            delete: async (keys) => keys.forEach((key) => entries.delete(key)),
            count: async (tag) => [...entries.values()].filter(({ tags }) => tags.includes(tag)).length,
            list: async (tag) => ({
              keys: [...entries.values()].flatMap(({ key, tags }) => (tags.includes(tag) ? [key] : [])),
            }),
            async nearest({ vector, limit }) {
              asked++;
              const scored = [...entries.values()].map(({ ref, vector: other }) => ({
                ref,
                score: other.reduce((sum, x, i) => sum + x * vector[i]!, 0),
              }));
              return scored.toSorted((a, b) => b.score - a.score).slice(0, limit);
            },
          };
        },
        indexes: async (beginning) => [...kept.keys()].filter((name) => name.startsWith(beginning)),
        drop: async (name) => void kept.delete(name),
      };
      const kb = await openKnowledgeBase({ store: createEngineStore(own), models: { embedding } });
      await kb.ingest(many(40), { settle: true });
      equal(
        [...kept.values()].map((entries) => entries.size),
        [40],
      );
      equal(uris(await kb.search("wren number 9 sits in tree 2", dense({ topK: 1 }))), ["9"]);
      equal(
        uris(await kb.search("wren", dense({ filter: { kind: "stork" }, topK: "all" }))).map((uri) => Number(uri) % 8),
        [7, 7, 7, 7, 7],
      );
      holds(asked > 0);
      await kb.close();
    },
  ),
  prove("E50", "functions that keep nothing, over a vector store and a bucket: a database, and a managed one", () =>
    withFolder((folder) =>
      withQdrant(async ({ url, collections }) => {
        const file = join(folder, "vectors.sqlite");
        const engines = { sqlite: { name: "sqlite", file }, qdrant: { name: "qdrant", url } } as const;
        const invoke = async (on: keyof typeof engines, path: string, body: object): Promise<Response> => {
          const kb = await openKnowledgeBase({
            snapshots: { blobs: openFileBlobStore(join(folder, on)) },
            engine: engines[on],
            models: { embedding },
          });
          try {
            const handler = createHandler(kb, {
              hosts: ["functions.example"],
              authenticate: () => ({ name: "gateway", access: "operator", write: true }),
            });
            const response = await handler(
              new Request(`https://functions.example/${path}`, {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify(body),
              }),
            );
            return new Response(await response.arrayBuffer(), response);
          } finally {
            await kb.close();
          }
        };
        const text = "The heron eats frogs and small fish.";
        const query = { query: "what the heron eats", mode: "dense" };
        const kept = {
          sqlite: () => readTables(file).entries,
          qdrant: () => [...collections.values()].reduce((sum, points) => sum + points.size, 0),
        };
        for (const on of ["sqlite", "qdrant"] as const) {
          equal((await invoke(on, "documents", { uri: "heron.txt", text })).status, 201);
          equal(kept[on](), 1);
          const { hits } = (await (await invoke(on, "search", query)).json()) as { readonly hits: readonly Hit[] };
          equal(uris(hits), ["heron.txt"]);
          const answer = await invoke(on, "rag/query", { query: "What does the heron eat?" });
          equal(await answer.json(), { response: text });
        }
      }),
    ),
  ),
  prove("S1", "connectors to databases, used directly or through the memory plugin of a prompt", () =>
    withFolder(async (folder) => {
      const file = join(folder, "memory.sqlite");
      const kb = await openKnowledgeBase({
        store: createEngineStore(createSqliteEngine({ file })),
        models: { embedding },
      });
      await createTextMemory(kb).save("b", "Company budget by year: 100,000 dollars in 2024.");
      const text = await createTemplate("{{recall 'company budget by year'}} What is my budget for 2024?", {
        functions: createMemoryPlugin(kb).functions,
      }).render();
      equal(text, "Company budget by year: 100,000 dollars in 2024. What is my budget for 2024?");
      await kb.close();
      // The database itself, without a knowledge base.
      const connector = createSqliteEngine({ file });
      const [name] = await connector.indexes("");
      const index = await connector.open({
        name: name!,
        version: { ...version, dimensions: 64 },
        dimensions: 64,
        metric: "cosine",
      });
      const { embeddings } = await embedding.embed(["Company budget by year: 100,000 dollars in 2024."], {
        purpose: "document",
      });
      const [nearest] = await index.nearest({ vector: embeddings[0] as Float32Array, limit: 1 });
      holds(nearest !== undefined && nearest.score > 0.5);
      await connector.close?.();
      equal(readTables(file).entries, 1);
    }),
  ),
  prove(
    "S2",
    "a connector over a package and one over plain HTTP are chosen by name, and each says what it lacks",
    () =>
      withQdrant(({ url }) =>
        withFolder(async (folder) => {
          for (const engine of [{ name: "hnsw" }, { name: "qdrant", url }] as const) {
            const kb = await openKnowledgeBase(join(folder, engine.name), { models: { embedding }, engine });
            await kb.ingest(many(30), { settle: true });
            equal(uris(await kb.search("kite number 10 sits in tree 3", dense({ topK: 1 }))), ["10"]);
            await kb.close();
          }
          const gone = createQdrantEngine({ url: "http://127.0.0.1:9", attempts: 1 });
          const error = await refuses("store-failed", () => gone.indexes(""));
          equal([error.details?.["store"], error.details?.["operation"]], ["qdrant", "list collections"]);
          await refuses("invalid-argument", () =>
            openKnowledgeBase(join(folder, "x"), { engine: { name: "faiss" } as never }),
          );
        }),
      ),
  ),
  prove("S10", "an engine's own client and its own options stay within reach, for the operator alone", () =>
    withFolder((folder) =>
      withQdrant(async ({ url, collections }) => {
        const kb = await openKnowledgeBase(join(folder, "kb"), {
          models: { embedding },
          engine: { name: "qdrant", url, query: { params: { hnsw_ef: 256 } } },
        });
        await kb.ingest(many(10), { settle: true });
        const client = (await kb.native("qdrant")) as {
          call(operation: string, call: object): Promise<{ readonly body: { readonly result: unknown } }>;
        };
        const { body } = await client.call("look", {
          method: "GET",
          path: `/collections/${[...collections.keys()][0]!}`,
        });
        equal((body.result as { readonly status: string }).status, "green");
        await refuses("access-denied", () => kb.as({ userId: "ada" }).native("qdrant"));
        const error = await refuses("invalid-argument", () => kb.native("chroma"));
        holds(IbidError.isInstance(error) && `${error.message} ${error.hint}`.includes("qdrant"));
        await kb.close();
      }),
    ),
  ),
];
