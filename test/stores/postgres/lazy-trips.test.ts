import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Embedder } from "../../../src/contracts/embedding-model.ts";
import type { EmbeddingVersion } from "../../../src/contracts/embedding.ts";
import type { FusionName, RetrieveOptions } from "../../../src/contracts/retriever.ts";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { createRetriever } from "../../../src/search/create-retriever.ts";
import { openPostgresStore } from "../../../src/stores/open-postgres-store.ts";
import type { PostgresStoreOptions } from "../../../src/stores/postgres/postgres-store.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { createRandom, type Random } from "../../../src/testing/random.ts";
import { fewer } from "../../support/runs.ts";
import { documentEntry, read, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
let node: Store;
const base = "lazy_trips";
beforeAll(async () => {
  database = await openTestDatabase();
  node = await openPostgresStore(database.client, {
    schema: database.schemaOf(base),
    replicas: database.replicasOf("a"),
    shareIndex: true,
  });
  await fill(node, createRandom(7));
}, 120_000);
afterAll(async () => {
  await node.close();
  await database.close();
});

const version: EmbeddingVersion = { provider: "test", model: "any", dimensions: 96, fingerprint: "" };
const scopes: readonly Scope[] = ["deployment", "team:a", "user:b"];
const fusionNames: readonly FusionName[] = ["best", "absolute", "weighted", "halves", "rrf"];

/** Few words that many chunks have, and many that few have. */
function wordOf(random: Random): string {
  return `word${Math.floor(random.next() ** 4 * 900)}`;
}

/** One of some directions, more or less. */
function vectorOf(random: Random, spread: number): Float32Array {
  const cluster = createRandom(Math.floor(random.next() * 20));
  return Float32Array.from({ length: version.dimensions }, () => cluster.next() - 0.5 + spread * (random.next() - 0.5));
}

async function fill(store: Store, random: Random): Promise<void> {
  for (const scope of scopes) {
    for (let i = 0; i < 40; i++) {
      const paragraphs = Array.from({ length: 5 }, (_, at) => {
        const length = 4 + Math.floor(random.next() * 20);
        return `${at}p c${i} ${scope} ${Array.from({ length }, () => wordOf(random)).join(" ")}`;
      });
      const spread = random.pick([0.2, 1, 4]);
      await store.replace(
        write(scope),
        documentEntry(`d${i}`, paragraphs, {
          version,
          embed: () => vectorOf(random, spread),
          document: { title: wordOf(random), metadata: { year: 2000 + (i % 9) } },
          headings: [wordOf(random)],
        }),
      );
    }
  }
  await store.upkeep!.settle();
}

/** Replaces a document. What the writer says of its commit reaches no reader. */
async function writeElsewhere(random: Random, name: string): Promise<void> {
  const paragraphs = Array.from({ length: 5 }, (_, at) => {
    return `${at}p late${name} ${Array.from({ length: 12 }, () => wordOf(random)).join(" ")}`;
  });
  const entry = documentEntry(`d${Math.floor(random.next() * 40)}`, paragraphs, {
    version,
    embed: () => vectorOf(random, 1),
    document: { metadata: { year: 2005 } },
  });
  await node.replace(write(random.pick(scopes)), entry);
}

interface Question {
  readonly words: string;
  readonly vector: Float32Array;
  readonly similarity: "meaning" | "form";
  readonly options: RetrieveOptions;
  readonly scopes: readonly Scope[];
}

function drawQuestion(random: Random): Question {
  const pick = <Item>(items: readonly Item[]): Item => random.pick(items);
  const name = pick(fusionNames);
  const filter = { op: "gte", key: "year", value: pick([2001, 2004, 2007]) } as const;
  return {
    words: Array.from({ length: pick([1, 1, 2, 5]) }, () => wordOf(random)).join(" "),
    vector: vectorOf(random, pick([0.2, 1, 4])),
    similarity: pick(["meaning", "form"]),
    scopes: pick([scopes, scopes, scopes.slice(0, 1), scopes.slice(1)]),
    options: {
      mode: pick(["hybrid", "hybrid", "hybrid", "hybrid", "dense", "lexical"]),
      topK: pick([1, 3, 10, 12, 20]),
      fusion: name === "halves" ? { name, half: pick([1, 3, 20]) } : name,
      weights: pick([undefined, undefined, { lexical: 0.2, dense: 1 }, { lexical: 1, dense: 0.1 }]),
      filter: pick([undefined, undefined, filter]),
      minScore: pick([undefined, undefined, undefined, 0.2]),
      under: pick([undefined, undefined, undefined, ["d1"]]),
      includeEmbeddings: pick([false, false, true]),
    },
  };
}

function ask(store: Store, { words, vector, similarity, options, scopes: asked }: Question) {
  const embedder = {
    model: { ...version, similarity },
    version,
    cacheHitRate: 0,
    embed: async () => ({ version, embeddings: [vector], sent: 0 }),
  };
  return createRetriever({ store, embedder: embedder as unknown as Embedder }).retrieve(read(...asked), words, options);
}

/** A process without a copy that has answered one question, and what its questions cost. */
async function openLazy(random: Random, options: PostgresStoreOptions = {}) {
  const cost = { trips: 0, codes: 0, news: 0 };
  const client: PostgresClient = {
    query(text, values) {
      cost.trips++;
      if (text.includes("WITH asked")) cost.news++;
      if (JSON.stringify(values).includes("codes/")) cost.codes++;
      return database.client.query(text, values);
    },
  };
  const lazy = await openPostgresStore(client, { schema: database.schemaOf(base), lazy: true, ...options });
  onTestFinished(() => lazy.close());
  // The first question of a process opens the scopes, and reads what every search with vectors and every filter needs.
  const filter = { op: "gte", key: "year", value: 2000 } as const;
  await ask(lazy, { ...drawQuestion(random), scopes, options: { mode: "hybrid", filter } });
  return { lazy, cost };
}

it("a question with new words and new vectors takes three trips at most, under every fusion, mostly also after a write elsewhere, and finds what a copy finds", async () => {
  const random = createRandom(11);
  const taken = new Map<number, number>();
  const over: string[] = [];
  const late: number[] = [];
  const processes = fewer(8, 60);
  for (let opened = 0; opened < processes; opened++) {
    const { lazy, cost } = await openLazy(random);
    for (let i = 0; i < 5; i++) {
      const question = drawQuestion(random);
      if (i % 3 === 0) await writeElsewhere(random, `${opened}x${i}`);
      Object.assign(cost, { trips: 0, news: 0 });
      const found = await ask(lazy, question);
      taken.set(cost.trips, (taken.get(cost.trips) ?? 0) + 1);
      if (cost.news > 0) late.push(cost.trips);
      else if (cost.trips > 3) over.push(`${cost.trips}: ${question.words} ${JSON.stringify(question.options)}`);
      expect(found).toEqual(await ask(node, question));
    }
  }
  expect(over).toEqual([]);
  // The news may make other vectors count than those that came with them.
  expect(Math.max(...late)).toBeLessThanOrEqual(4);
  expect(late.filter((each) => each > 3).length).toBeLessThan(late.length / 6);
  // Otherwise the questions are not new.
  expect(taken.get(3)).toBeGreaterThan(processes);
}, 600_000);

it("a process that keeps fewer bytes than a question needs takes as many trips, and says what it fetches again", async () => {
  const random = createRandom(13);
  let again = 0;
  for (let opened = 0; opened < fewer(8, 40); opened++) {
    const { lazy, cost } = await openLazy(random, { keepBytes: 20_000 });
    for (let i = 0; i < 4; i++) {
      const question = drawQuestion(random);
      cost.trips = 0;
      const found = await ask(lazy, question);
      expect([question, cost.trips]).toEqual([question, Math.min(cost.trips, 3)]);
      expect(found).toEqual(await ask(node, question));
    }
    // The codes of all vectors are in the index.
    expect(cost.codes).toBe(1);
    const { files } = await lazy.status(read(...scopes));
    expect(files).toMatchObject({ mostBytes: 20_000 });
    again += files!.againBytes;
    expect(files!.hint ?? "").toMatch(files!.againBytes === 0 ? /^$/u : /^Set keepBytes to \d+000000 or more\.$/u);
  }
  expect(again).toBeGreaterThan(20_000);
  expect((await node.status(read(...scopes))).files).toBeUndefined();
}, 600_000);
