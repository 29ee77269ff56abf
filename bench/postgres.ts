// A knowledge base in Postgres beside one in a SQLite file: writes, catch-up, searches, bytes. The server is started for it.
//
//   npm run bench:postgres -- --documents 2000
//   npm run bench:postgres -- --documents 14286 --whole 0     100,000 chunks
//   npm run bench:postgres -- --documents 142858 --whole 0    1,000,000 chunks: hours
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import { createGate, operator } from "../src/access/gate.ts";
import type { ChunkEntry, DocumentWrite } from "../src/contracts/document-store.ts";
import type { Query } from "../src/contracts/leg.ts";
import type { Scope } from "../src/contracts/scope.ts";
import type { Store } from "../src/contracts/store.ts";
import { installEngines, startPostgres } from "../scripts/start-postgres.ts";
import type { EmbeddingModel } from "../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../src/index.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { mayBeginAhead } from "../src/runtime/begin-ahead.ts";
import { createHashingModel } from "../src/models/hashing/hashing-model.ts";
import { openPostgresStore } from "../src/stores/postgres/postgres-store.ts";
import { openSqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import { createRandom } from "../src/testing/random.ts";

const { values } = parseArgs({
  options: { documents: { type: "string" }, questions: { type: "string" }, whole: { type: "string" } },
});
const count = Number(values.documents ?? 2000);
const questions = Number(values.questions ?? 600);
/** Documents of the whole ingestions, by reader, cutter and model. */
const whole = Number(values.whole ?? Math.min(count, 1000));
const dimensions = 384;
const chunksEach = 7;
const random = createRandom(7);
const scopes: readonly Scope[] = ["deployment", "team:a", "team:b"];
const version = { provider: "bench", model: "random", dimensions, fingerprint: "" };
const gate = createGate();

/** Words by Zipf's law, so that postings have the lengths of a language's. */
const words = Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)}${"aeiou"[i % 5]}`);
const text = (length: number, of = random): string =>
  Array.from({ length }, () => words[Math.floor(words.length ** of.next()) - 1]!).join(" ");
const vector = (of = random): Float32Array => Float32Array.from({ length: dimensions }, () => of.next() - 0.5);

/** The same for each number, whenever it is made: a large base need not be held in memory. */
function documentOf(number: number): { readonly scope: Scope; readonly write: DocumentWrite } {
  const own = createRandom(number + 1);
  const id = `d${number}`;
  const paragraphs = Array.from({ length: chunksEach }, () => text(110, own));
  const joined = paragraphs.join("\n\n");
  const common = { documentId: id, uri: `${id}.txt`, title: text(3, own), metadata: { year: 2000 + (number % 25) } };
  let start = 0;
  const chunks = paragraphs.map((urtext, index): ChunkEntry => {
    const place = { start, end: start + urtext.length, index, sectionId: "0", headings: [], origin: "user-content" };
    start += urtext.length + 2;
    const chunk = { type: "text-chunk", id: `${id}-${index}`, ...common, ...place, text: urtext, urtext } as const;
    return { chunk: chunk as ChunkEntry["chunk"], embeddings: [{ version, embedding: vector(own) }] };
  });
  const root = { id: "0", title: "", level: 0, start: 0, end: joined.length, contentStart: 0, children: [] };
  const { uri, title, metadata } = common;
  return {
    scope: scopes[number % 10 < 6 ? 0 : number % 10 < 9 ? 1 : 2]!,
    write: {
      document: {
        type: "text",
        id,
        uri,
        title,
        mediaType: "text/plain",
        text: joined,
        metadata,
        origin: "user-content",
        root,
        sourceMap: { lines: "text" },
      },
      chunks,
      contentHash: id.padStart(64, "0"),
      metadataHash: "0".repeat(64),
      fingerprint: "bench",
      bytes: joined.length,
      folder: null,
    },
  };
}

async function timed<Result>(work: () => Promise<Result>): Promise<readonly [ms: number, result: Result]> {
  const from = performance.now();
  const result = await work();
  return [performance.now() - from, result];
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!;
const shown = (times: readonly number[]): string =>
  `p50 ${quantile(times, 0.5).toFixed(2)}, p95 ${quantile(times, 0.95).toFixed(2)} ms`;

/** Documents that are made beforehand, outside the time that is measured. */
const madeAtOnce = 2048;

/** How far a long run is, beside its figures. */
const progress = (text: string): void => console.error(`${(performance.now() / 1000).toFixed(0)} s: ${text}`);

/** **Units** documents a second. */
async function ingest(store: Store, name: string): Promise<number> {
  let spent = 0;
  for (let first = 0; first < count; first += madeAtOnce) {
    const made = Array.from({ length: Math.min(madeAtOnce, count - first) }, (_, i) => documentOf(first + i));
    const [ms] = await timed(async () => {
      for (let from = 0; from < made.length; from += 16)
        await Promise.all(
          made.slice(from, from + 16).map(({ scope, write }) => store.replace(gate.write(operator, scope), write)),
        );
    });
    spent += ms;
    if ((first / madeAtOnce) % 8 === 7) progress(`${name} has ${first + made.length} of ${count} documents`);
  }
  return (count / spent) * 1000;
}

/** Legs and chunks as the built-in retriever asks for them. */
async function search(store: Store, query: Query): Promise<readonly unknown[]> {
  const session = await store.session(gate.read(operator, scopes), mayBeginAhead({}));
  const found = await Promise.all(session.legs.filter((leg) => leg.accepts(query)).map((leg) => leg.search(query, 10)));
  const matches = found.flatMap((leg) => leg.matches);
  await session.readChunks(found.flatMap((leg) => leg.matches.slice(0, 5)));
  return matches.map(({ scope, id, score }) => [scope, id, score]);
}

/**
 * Whole ingestion, with reader, cutter, model and commits, and a new copy of what it has made. Texts have a title and seven sections.
 *
 * **Units** documents a second, and documents a second of processor time of this process.
 */
async function measureWhole(address: string, model: string, embedding: EmbeddingModel | undefined): Promise<void> {
  const section = (): string => `## ${text(3)}\n\n${text(110)}`;
  const documents = Array.from({ length: whole }, (_, i) => ({
    uri: `whole/${i}.md`,
    mediaType: "text/markdown",
    text: `# ${text(3)}\n\n${Array.from({ length: chunksEach }, section).join("\n\n")}`,
  }));
  const schema = `whole_${model.replace(/\W+/gu, "_")}`;
  const open = (node: string): Promise<KnowledgeBase> =>
    openKnowledgeBase(`${address}?schema=${schema}`, {
      ...(embedding && { models: { embedding } }),
      replica: { replicas: join(folder, `${schema} ${node}`) },
    });
  const rates = async (work: () => Promise<unknown>): Promise<readonly [wall: number, processor: number]> => {
    const before = process.cpuUsage();
    const [ms] = await timed(work);
    const { user, system } = process.cpuUsage(before);
    return [(documents.length / ms) * 1000, (documents.length / (user + system)) * 1e6];
  };
  const writer = await open("writer");
  const ingested = await rates(() => writer.ingest(documents, { settle: true }));
  await writer.close();
  const copied: (readonly [wall: number, processor: number])[] = [];
  for (let i = 0; i < 4; i++) {
    let copy: KnowledgeBase | undefined;
    copied.push(await rates(async () => (copy = await open(`copy ${i}`))));
    await copy?.close();
  }
  const [wall, processor] = ingested.map((rate, i) => copied.map((each) => (each[i]! / rate).toFixed(1)).join(", "));
  console.log(
    `kb.ingest, ${model}: ${ingested[0].toFixed(0)} documents/s; four new nodes, one after the other: ${copied.map(([rate]) => rate.toFixed(0)).join(", ")}; ${wall} times the rate; by processor time ${processor} times`,
  );
}

/** The pool, with a count of trips and of the bytes that come back. */
function createCounter() {
  const counted = {
    trips: 0,
    bytes: 0,
    client: {
      async query(statement: string, values?: unknown[]) {
        counted.trips++;
        const { rows } = await pool.query<Record<string, unknown>>(statement, values);
        for (const row of rows)
          for (const value of Object.values(row))
            counted.bytes += value instanceof Uint8Array ? value.length : JSON.stringify(value).length;
        return { rows };
      },
    },
  };
  return counted;
}

/** A process without a copy: trips, bytes a chunk and times of its questions, and whether they are answered as the SQLite file answers them. */
async function measureLazy(sqlite: Store, writer: Store): Promise<void> {
  const sharer = await openPostgresStore(pool, { replicas: join(folder, "b"), shareIndex: true });
  const [shared] = await timed(() => sharer.upkeep!.settle());
  await sharer.close();
  const { rows } = await pool.query<{ bytes: string }>(
    "SELECT pg_total_relation_size('ibid.indexes') + pg_total_relation_size('ibid.index_files') AS bytes",
  );
  console.log(`sharing an index: ${(shared / 1000).toFixed(1)} s, ${(Number(rows[0]!.bytes) / 1e6).toFixed(1)} MB`);
  const chunks = count * chunksEach;
  const asking: Readonly<Record<string, () => Query>> = {
    words: () => ({ question: "", text: text(3), syntax: "literal", embeddings: [] }),
    vectors: () => ({
      question: "",
      text: "",
      syntax: "literal",
      embeddings: [{ embedding: vector(), version, scopes }],
    }),
  };
  for (const [kind, next] of Object.entries(asking)) {
    const counter = createCounter();
    const costs: Record<string, { readonly ms: number; readonly trips: number; readonly bytes: number }[]> = {};
    let equal = 0;
    let asked = 0;
    const measure = async (name: string, store: () => Promise<Store>, query: Query): Promise<void> => {
      Object.assign(counter, { trips: 0, bytes: 0 });
      const [ms, found] = await timed(async () => search(await store(), query));
      (costs[name] ??= []).push({ ms, trips: counter.trips, bytes: counter.bytes });
      asked++;
      if (JSON.stringify(found) === JSON.stringify(await search(sqlite, query))) equal++;
    };
    let lazy: Store | undefined;
    for (let i = 0; i < 3; i++) {
      await lazy?.close();
      await measure(
        "cold, with the opening",
        async () => (lazy = await openPostgresStore(counter.client, { lazy: true })),
        next(),
      );
    }
    const there = async (): Promise<Store> => lazy!;
    for (let i = 0; i < Math.min(50, questions); i++) {
      const query = next();
      await measure("new", there, query);
      await measure("asked again", there, query);
      if (i % 5 !== 0) continue;
      const { scope, write } = documentOf(count + 100 + i);
      for (const store of [sqlite, writer]) await store.replace(gate.write(operator, scope), write);
      await measure("after a write elsewhere", there, query);
    }
    await lazy!.close();
    for (const [name, list] of Object.entries(costs)) {
      const trips = list.map((each) => each.trips);
      const perChunk =
        quantile(
          list.map(({ bytes }) => bytes),
          0.5,
        ) / chunks;
      console.log(
        `without a copy, ${kind}, ${name}: trips p50 ${quantile(trips, 0.5)}, most ${Math.max(...trips)}; ${perChunk.toFixed(1)} B a chunk; ${shown(list.map(({ ms }) => ms))}`,
      );
    }
    console.log(`without a copy, ${kind}: hits, order and scores equal in ${equal} of ${asked} questions`);
  }
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

installEngines();
const server = await startPostgres();
if (server === undefined) throw new Error("There are no binaries of Postgres for this machine.");
const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));
const pool = new Pool({ connectionString: server.address, max: 8 });
try {
  const later = Array.from({ length: 60 }, (_, number) => documentOf(count + number));
  const sqlite = await openSqliteStore(join(folder, "sqlite", "ibid.sqlite"));
  const open = (node: string): Promise<Store> => openPostgresStore(pool, { replicas: join(folder, node) });
  const a = await open("a");
  console.log(
    `${count} documents, ${count * chunksEach} chunks of 110 words, ${dimensions} dimensions, ${scopes.length} scopes`,
  );
  const rates = [await ingest(sqlite, "SQLite"), await ingest(a, "Postgres")];
  console.log(`ingested, 16 at a time: SQLite ${rates[0]!.toFixed(0)}, Postgres ${rates[1]!.toFixed(0)} documents/s`);
  await sqlite.upkeep!.settle();
  await a.upkeep!.settle();
  progress("settled");

  const [caughtUp, b] = await timed(() => open("b"));
  const rate = (count / caughtUp) * 1000;
  console.log(
    `a new node: ${(caughtUp / 1000).toFixed(1)} s, ${rate.toFixed(0)} documents/s, ${(rate / rates[1]!).toFixed(1)} times the rate of ingestion`,
  );
  await b.upkeep!.settle();
  if (whole > 0) {
    await measureWhole(server.address, "its own model", undefined);
    await measureWhole(server.address, "a model of 384 dimensions", createHashingModel({ dimensions }));
  }

  const trips: number[] = [];
  for (let i = 0; i < 200; i++) trips.push((await timed(() => pool.query("SELECT 1")))[0]);
  console.log(`one trip: ${shown(trips)}`);

  const single: Record<string, number[]> = { SQLite: [], Postgres: [] };
  const seen: number[] = [];
  for (const { scope, write } of later) {
    single["SQLite"]!.push((await timed(() => sqlite.replace(gate.write(operator, scope), write)))[0]);
    single["Postgres"]!.push((await timed(() => a.replace(gate.write(operator, scope), write)))[0]);
    seen.push((await timed(() => b.moment(gate.read(operator, scopes))))[0]);
  }
  for (const [name, times] of Object.entries(single)) console.log(`one write, ${name}: ${shown(times)}`);
  console.log(`first look of the other node after a write, the rows included: ${shown(seen)}`);

  for (const follow of ["listen", "poll"] as const) {
    const reader = await openPostgresStore(pool, {
      replicas: join(folder, "b"),
      atMostMs: 3_600_000,
      leaseMs: 3_600_000,
      follow,
    });
    const late: number[] = [];
    for (const { scope, write } of later) {
      const { receipt } = await a.replace(gate.write(operator, scope), {
        ...write,
        contentHash: `${follow}${write.contentHash}`.slice(0, 64),
      });
      const from = performance.now();
      const held = async (): Promise<number> =>
        (await reader.moment(gate.read(operator, [scope]))).stamps.get(scope)?.stamp ?? 0;
      while ((await held()) < receipt.stamp) await new Promise((resolve) => setTimeout(resolve, 1));
      late.push(performance.now() - from);
      // Polling must not fall into step with the writes.
      await new Promise((resolve) => setTimeout(resolve, random.next() * 300));
    }
    console.log(`from the writer's receipt until the following node has it, ${follow}: ${shown(late)}`);
    await reader.close();
  }

  const still = await openPostgresStore(pool, { replicas: join(folder, "b"), atMostMs: 3_600_000, leaseMs: 3_600_000 });
  for (const [kind, query] of [
    ["words", (): Query => ({ question: "", text: text(3), syntax: "literal", embeddings: [] })],
    [
      "vectors",
      (): Query => ({
        question: "",
        text: "",
        syntax: "literal",
        embeddings: [{ embedding: vector(), version, scopes }],
      }),
    ],
  ] as const) {
    // Each takes every place in the order, so that what slows one slows all. A server that has slept answers a trip as late as a question.
    const ways: Readonly<Record<string, (asked: Query) => Promise<unknown>>> = {
      SQLite: (asked) => search(sqlite, asked),
      "one trip": () => pool.query("SELECT 1"),
      "copy that may be old": (asked) => search(still, asked),
      "copy that asks": (asked) => search(b, asked),
    };
    const names = Object.keys(ways);
    const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
    let equal = 0;
    for (let i = 0; i < questions; i++) {
      const asked = query();
      const found: string[] = [];
      for (let at = 0; at < names.length; at++) {
        const name = names[(i + at) % names.length]!;
        const [ms, hits] = await timed(() => ways[name]!(asked));
        times[name]!.push(ms);
        if (name !== "one trip") found.push(JSON.stringify(hits));
      }
      if (new Set(found).size === 1) equal++;
    }
    for (const [name, list] of Object.entries(times)) console.log(`${kind}, ${name}: ${shown(list)}`);
    const bar = (share: number): string =>
      (1.1 * quantile(times["SQLite"]!, share) + quantile(times["one trip"]!, share)).toFixed(2);
    console.log(`${kind}, bar of the copy that asks: p50 ${bar(0.5)}, p95 ${bar(0.95)} ms`);
    console.log(`${kind}: hits, order and scores equal in ${equal} of ${questions} questions`);
  }
  await measureLazy(sqlite, a);
  await Promise.all([a.close(), b.close(), still.close()]);
  await sqlite.close();
  const { rows } = await pool.query<{ bytes: string }>(
    "SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'ibid' AND relkind = 'r' AND relname NOT IN ('indexes', 'index_files')",
  );
  const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const [rowsBytes, fileBytes, copyBytes] = [
    Number(rows[0]!.bytes),
    bytesOf(join(folder, "sqlite")),
    bytesOf(join(folder, "b")),
  ];
  console.log(
    `bytes: Postgres ${mega(rowsBytes)}, SQLite ${mega(fileBytes)}, copy ${mega(copyBytes)}; ratio ${(rowsBytes / fileBytes).toFixed(2)}`,
  );
} finally {
  await pool.end();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}
