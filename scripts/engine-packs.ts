// Runs the engine pack over the engines that were started, and writes what it found to docs/engines.md. No test runner is needed.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { metrics as allMetrics } from "../src/contracts/embedding.ts";
import type { Engine, EngineCapabilities } from "../src/contracts/engine.ts";
import type { KnowledgeBase } from "../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../src/models/hashing/hashing-model.ts";
import { createAzureSearchEngine } from "../src/stores/azure-search/azure-search-engine.ts";
import { createChromaEngine } from "../src/stores/chroma/chroma-engine.ts";
import type { Filter } from "../src/contracts/filter.ts";
import { createEngineTags } from "../src/stores/engines/engine-tags.ts";
import { translateRestriction } from "../src/stores/engines/translate-filter.ts";
import { createEngineStore } from "../src/stores/engines/engine-store.ts";
import { createDuckDbEngine } from "../src/stores/duckdb/duckdb-engine.ts";
import { createHnswEngine } from "../src/stores/hnsw/hnsw-engine.ts";
import type { UsearchLibrary } from "../src/stores/hnsw/load-usearch.ts";
import { createKustoEngine } from "../src/stores/kusto/kusto-engine.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { createMilvusEngine } from "../src/stores/milvus/milvus-engine.ts";
import { createMongoEngine } from "../src/stores/mongodb/mongodb-engine.ts";
import { createElasticsearchEngine, createOpenSearchEngine } from "../src/stores/opensearch/opensearch-engine.ts";
import { createPgvectorEngine } from "../src/stores/pgvector/pgvector-engine.ts";
import { createPineconeEngine } from "../src/stores/pinecone/pinecone-engine.ts";
import { createQdrantEngine } from "../src/stores/qdrant/qdrant-engine.ts";
import { createRedisEngine } from "../src/stores/redis/redis-engine.ts";
import { recordCases } from "../src/testing/engine-record-cases.ts";
import { createWeaviateEngine } from "../src/stores/weaviate/weaviate-engine.ts";
import { createSqliteEngine } from "../src/stores/sqlite/sqlite-engine.ts";
import { createEnginePack } from "../src/testing/engine-pack.ts";

const root = join(import.meta.dirname, "..");
const usearch = join(root, "compat", "engines", "node_modules", "usearch");
const prefix = `t${Date.now().toString(36)}`;

/** Makers of engines, by name. An address is that of a server, or a folder. */
const makers: Readonly<Record<string, (address: string) => Engine>> = {
  hnsw: (folder) => createHnswEngine({ library: createRequire(import.meta.url)(folder) as UsearchLibrary }),
  duckdb: (database) => createDuckDbEngine({ database: join(database, "pack.duckdb"), prefix }),
  sqlite: (folder) => createSqliteEngine({ file: join(folder, "pack.sqlite"), prefix }),
  pgvector: (database) => createPgvectorEngine({ database, prefix }),
  qdrant: (url) => createQdrantEngine({ url, prefix }),
  chroma: (url) => createChromaEngine({ url, prefix }),
  opensearch: (url) => createOpenSearchEngine({ url, prefix, refresh: "true" }),
  redis: (url) => createRedisEngine({ server: url, prefix }),
  milvus: (url) => createMilvusEngine({ server: url, prefix }),
  weaviate: (url) => createWeaviateEngine({ url, prefix }),
  "azure-search": (url) => createAzureSearchEngine({ url, prefix, apiKey: "admin", visibleAfterMs: 200 }),
  kusto: (url) => createKustoEngine({ url, prefix, database: "db", token: "token", visibleAfterMs: 200 }),
  mongodb: (database) => createMongoEngine({ database, prefix }),
  pinecone: (url) => createPineconeEngine({ url, prefix, apiKey: "key", visibleAfterMs: 200 }),
  elasticsearch: (url) => createElasticsearchEngine({ url, prefix, refresh: "true" }),
};

export const engineNames: readonly string[] = Object.keys(makers);

/** An engine that runs. */
export interface Started {
  readonly address: string;
  /** Name and version of the server, and whether it stands in for another. */
  readonly server: string;
  /** Where it keeps its data, if it is on this machine. */
  readonly folder?: string | undefined;
}

/** Findings of the pack about one engine. */
export interface EngineReport extends Started {
  readonly name: string;
  readonly failures: readonly string[];
  readonly cases: number;
  readonly recall: readonly string[];
  readonly writeMs: number;
  /** Whether files hold the words of a record that was deleted. */
  readonly left: string;
  readonly capabilities: EngineCapabilities;
}

const wordCase = "words-beside-the-vector";

/** Runs every case over one engine, and says each failure. */
export async function runEnginePack(name: string, started: Started): Promise<EngineReport> {
  const create = async (): Promise<Engine> => makers[name]!(started.address);
  const recall: string[] = [];
  const pack = createEnginePack({
    name,
    create,
    createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
    openKnowledgeBase: (engine) => openKnowledgeBase({ engine }),
    chunks: 2_000,
    onRecall: (_, found, exact) => recall.push(`${found.toFixed(3)}${exact ? " (scan)" : ""}`),
  });
  const failures: string[] = [];
  const probe = await create();
  // An engine that keeps no records, or takes no words, passes over the cases about them.
  const { records } = probe.capabilities;
  const passedOver = recordCases
    .map(([one]) => one)
    .filter((one) => records === undefined || (one === wordCase && !records.words));
  const isTried = (id: string): boolean => !passedOver.some((one) => id.endsWith(`/${one}`));
  await probe.close?.();
  const cases = pack.filter(({ id }) => isTried(id));
  for (const { id, run } of cases) {
    await run().catch((error: unknown) => {
      failures.push(id);
      console.log(`FAILED ${id}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  const engine = await create();
  const writeMs = await timeWrite(engine);
  const left = await lookAfterPurge(engine, started.folder);
  await engine.close?.();
  console.log(
    `${name} (${started.server}): ${cases.length - failures.length} of ${cases.length} cases; recall ${recall.join(" ")}; after a purge: ${left}`,
  );
  return { name, ...started, failures, cases: cases.length, recall, writeMs, left, capabilities: engine.capabilities };
}

/** Milliseconds from a write to the moment when it is proposed. */
async function timeWrite(engine: Engine): Promise<number> {
  const version = { provider: "report", model: "report", dimensions: 8, fingerprint: "" };
  const name = `report${Date.now().toString(36)}`;
  const index = await engine.open({ name, version, dimensions: 8, metric: "cosine" });
  try {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const vector = Float32Array.from({ length: 8 }, (_, d) => (d === i ? 1 : 0.1));
      const from = performance.now();
      const key = `00000000-0000-4000-8000-00000000000${i}`;
      await index.put([{ key, ref: `deployment/${i}`, vector, tags: ["0000000000000001"], numbers: {} }]);
      while (!(await index.nearest({ vector, limit: 1 })).some(({ ref }) => ref === `deployment/${i}`));
      times.push(performance.now() - from);
    }
    return times.sort((a, b) => a - b)[2]!;
  } finally {
    await engine.drop(name);
  }
}

/** Deletes a record, waits until the engine counts nothing of it, and looks for its words in the engine's files. **Shape** a cell of the report. */
async function lookAfterPurge(engine: Engine, folder: string | undefined): Promise<string> {
  if (engine.capabilities.records === undefined || folder === undefined) return "not looked at";
  const version = { provider: "report", model: "report", dimensions: 8, fingerprint: "" };
  const name = `purge${Date.now().toString(36)}`;
  const word = `w${randomBytes(8).toString("hex")}`;
  const [key, tag] = ["00000000-0000-4000-8000-00000000000a", "00000000000000aa"];
  const files = async (): Promise<number> => {
    const { length } = await holding(folder, word);
    return length;
  };
  const index = await engine.open({ name, version, dimensions: 8, metric: "cosine", records: true });
  try {
    const record = { json: JSON.stringify({ word }), text: `a record with ${word}`, fields: { word } };
    const vector = Float32Array.from({ length: 8 }, (_, d) => 1 + d);
    await index.put([{ key, ref: "deployment/a", vector, tags: [tag], numbers: {}, record }]);
    let before = 0;
    for (let tries = 0; tries < 40 && (before === 0 || (await index.count(tag)) === 0); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      before = await files();
    }
    await index.delete([key]);
    while ((await index.count(tag)) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    if (before === 0) return "no words seen in its files before";
    const after = await files();
    return after === 0 ? "nothing" : `words in ${after} ${after === 1 ? "file" : "files"}`;
  } finally {
    await engine.drop(name);
  }
}

/** Files below a folder that hold a word as it stands. */
async function holding(folder: string, word: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // A file may go while it is read.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    if (bytes.includes(word)) found.push(path);
  }
  return found;
}

/** Records that go around the engines, and how many of them the first engine loses on the way. */
const [travelling, lost] = [300, 200];

/** Copies records from each engine to the next, and from the last to the first; each copy is made twice. **Shape** complaints. */
export async function copyAround(
  started: readonly { readonly name: string; readonly address: string }[],
): Promise<readonly string[]> {
  const keepers = started.filter(({ name }) => name !== "hnsw");
  if (keepers.length < 2) return [];
  const folder = mkdtempSync(join(tmpdir(), "ibid-copies-"));
  const open = (engine: Engine): Promise<KnowledgeBase> =>
    openKnowledgeBase(join(folder, "kb"), { engine, models: { embedding: createHashingModel({ dimensions: 64 }) } });
  const itemsIn = (kb: KnowledgeBase) =>
    kb.collection("travellers", {
      schema: z.object({ id: z.string(), text: z.string(), also: z.string().nullable(), size: z.number().optional() }),
      key: "id",
      text: ["text", "also"],
      vectors: { also: { metric: "cosine" } },
      filterable: ["size", "also"],
      keptIn: "engine",
    });
  const items = Array.from({ length: travelling }, (_, i) => ({
    id: `k${i}`,
    text: `traveller ${i} of "${i % 17}" 東`,
    also: i % 5 === 0 ? null : `with ${i % 9} bags`,
    ...(i % 3 > 0 && { size: i / 8 }),
  }));
  const complaints: string[] = [];
  const pairs = [...keepers, keepers[0]!].slice(1).map((to, i) => ({ from: keepers[i]!, to }));
  try {
    for (const [i, pair] of pairs.entries()) {
      const [from, to] = [pair.from, pair.to].map(({ name, address }) => makers[name]!(address)) as [Engine, Engine];
      const kb = await open(from);
      if (i === 0) await itemsIn(kb).upsert(items);
      const said = `${from.name} → ${to.name}`;
      try {
        const { records, unchanged, verified } = await kb.copyRecords({ to });
        const again = await kb.copyRecords({ to });
        console.log(
          `${said}: ${records} records, ${unchanged} of them there before and ${again.unchanged} after; ${verified.searches} searches alike`,
        );
        if (records !== travelling) complaints.push(`${said}: ${records} records`);
        if (again.unchanged !== travelling)
          complaints.push(`${said}: a second copy wrote ${travelling - again.unchanged} records that were there`);
      } catch (error) {
        complaints.push(`${said}: ${error instanceof Error ? error.message : String(error)}`);
      }
      // The first engine loses some, and gets them back at the end: so many are written by the last copy, and no others.
      if (i === 0) await itemsIn(kb).delete(items.slice(0, lost).map(({ id }) => id));
      await kb.close();
      await to.close?.();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return complaints;
}

const page = join(root, "docs", "engines.md");

/** Every operator of a filter, by an example. */
const operators: readonly Filter[] = [
  { op: "eq", key: "k", value: "x" },
  { op: "ne", key: "k", value: "x" },
  { op: "in", key: "k", values: ["x"] },
  { op: "nin", key: "k", values: ["x"] },
  { op: "exists", key: "k" },
  { op: "hasElement", key: "k", value: "x" },
  { op: "gt", key: "k", value: 1 },
  { op: "gte", key: "k", value: 1 },
  { op: "lt", key: "k", value: 1 },
  { op: "lte", key: "k", value: 1 },
  { op: "contains", key: "k", value: "x" },
  { op: "startsWith", key: "k", value: "x" },
  { op: "endsWith", key: "k", value: "x" },
  { op: "like", key: "k", pattern: "x" },
];

/** Operators that an engine evaluates, and those that are checked on candidates. No filter is refused. */
function divideOperators({ conditions }: EngineCapabilities): readonly [native: string, checked: string] {
  const tags = createEngineTags(new Uint8Array(32));
  const isChecked = (filter: Filter): boolean =>
    translateRestriction(["deployment"], { filter }, tags, conditions).checkedAfter.length > 0;
  const names = (some: readonly Filter[]): string => some.map(({ op }) => `\`${op}\``).join(" ");
  return [names(operators.filter((one) => !isChecked(one))), names(operators.filter(isChecked))];
}

/** Refusals of a collection in an engine, by name. */
function refusals({ metrics, records }: EngineCapabilities): string {
  if (records === undefined) return "collections";
  const lacking = [...new Set(Object.values(allMetrics))].filter((metric) => !metrics.includes(metric));
  return [...(records.words ? [] : ["`hybridSearch`"]), "`textSearch`", ...lacking].join(", ");
}

const abilities = [
  "filters in the engine",
  "checked on candidates",
  "distances",
  "kinds of indexes",
  "refused by name",
];

/** Abilities of an engine, which its maker knows without a server. None for one whose package is not here. */
function describe(name: string): readonly (readonly string[])[] {
  const address = {
    hnsw: usearch,
    pgvector: "postgres://a@127.0.0.1/a",
    redis: "redis://127.0.0.1",
    mongodb: "mongodb://127.0.0.1/a",
  }[name];
  try {
    const { capabilities } = makers[name]!(address ?? "http://127.0.0.1:1");
    const { metrics, records } = capabilities;
    const kinds = records === undefined || records.kinds.length === 0 ? "–" : records.kinds.join(", ");
    return [[name, ...divideOperators(capabilities), metrics.join(", "), kinds, refusals(capabilities)]];
  } catch (error) {
    console.log(`${name}: its abilities stay as they are: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** Writes the tables between the marks of the page. Rows of engines that did not run stay. */
export function writeReports(reports: readonly EngineReport[]): void {
  let text = readFileSync(page, "utf8");
  const write = (mark: string, head: readonly string[], given: readonly (readonly string[])[]): void => {
    const block = new RegExp(`(<!-- ${mark} -->\\n)(.*?)(<!-- end -->)`, "su");
    const rows = new Map(
      [...(block.exec(text)?.[2] ?? "").matchAll(/^\| `([\w-]+)` +\|.*$/gmu)].map(([row, name]) => [name, row]),
    );
    for (const [name, ...cells] of given) rows.set(name, `| \`${name}\` | ${cells.join(" | ")} |`);
    const table = [
      `| engine | ${head.join(" | ")} |`,
      `|${"---|".repeat(head.length + 1)}`,
      ...engineNames.flatMap((name) => rows.get(name) ?? []),
    ].join("\n");
    text = text.replace(block, (_, begin: string, __: string, end: string) => `${begin}\n${table}\n\n${end}`);
  };
  const shares = ["0 %", "50 %", "90 %", "99 %", "99.9 %"];
  write(
    "reports",
    ["checked against", "cases", ...shares, "write seen after, ms", "left by a purge"],
    reports.map(({ name, server, failures, cases, recall, writeMs, left }) => [
      name,
      server,
      `${cases - failures.length} of ${cases}`,
      ...recall,
      writeMs.toFixed(0),
      left,
    ]),
  );
  write("abilities", abilities, engineNames.flatMap(describe));
  writeFileSync(page, text);
}
