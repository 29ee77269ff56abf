import { systemAuthority } from "../access/gate.ts";
import type { ChunkEntry } from "../contracts/document-store.ts";
import type { Engine } from "../contracts/engine.ts";
import type { EmbeddingVersion } from "../contracts/embedding.ts";
import type { Filter } from "../contracts/filter.ts";
import type { LegResult, Query } from "../contracts/leg.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Scope } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { check, equal } from "./assert.ts";
import { checkKind } from "./check-subject.ts";
import { type ContractCase, defineCases } from "./contract-case.ts";
import { dimensions, indexCases, vectorOf, version, withIndex } from "./engine-index-cases.ts";
import { type OpenBase, recordCases, withRecords } from "./engine-record-cases.ts";
import { createFaultProxy, type EngineFaults, type FaultProxy } from "./fault-proxy.ts";
import { createRandom, type Random } from "./random.ts";
import {
  deployment,
  documentWith,
  entryOf,
  filterTable,
  filterWorldEntries,
  from,
  into,
  north,
  south,
  versionOf,
} from "./store-fixtures.ts";

/**
 * Subject of the engine pack.
 *
 * @experimental
 */
export interface EngineSubject {
  /** Name of the engine in the ids of cases. */
  readonly name: string;
  /** Connects to the engine. Cases use indexes of their own, and remove them. */
  readonly create: () => Promise<Engine>;
  /** A new, empty store in memory; with an engine, over it: `createEngineStore(engine)`. */
  readonly createStore: (engine?: Engine) => Store;
  /** Opens a knowledge base over an engine, or over none, for the cases about collections that the engine keeps. Default: those cases are left out. */
  readonly openKnowledgeBase?: OpenBase | undefined;
  /** Chunks of the case that measures recall. Default 600. */
  readonly chunks?: number | undefined;
  /** Receives the recall at each share of chunks that a filter excludes, for a report. */
  readonly onRecall?: ((share: number, recall: number, exact: boolean) => void) | undefined;
}

const other = versionOf(dimensions, "engine-2");
const scopes: readonly Scope[] = [deployment, north, south];

/**
 * Cases for an `Engine` and for a store over it, with faults between the two.
 *
 * **Shape** hits, order and scores are those of the same store without the engine. An approximate engine finds .99 of them at each share of filtered chunks.
 * Faults change `exact`, never the chunks that may be seen.
 *
 * @experimental
 */
export function createEnginePack(subject: EngineSubject): readonly ContractCase[] {
  checkKind("createEnginePack", "the subject", subject, "object");
  for (const name of ["create", "createStore"] as const)
    checkKind("createEnginePack", `the subject's ${name}`, subject[name], "function");
  const { openKnowledgeBase } = subject;
  return defineCases(`engine/${subject.name}`, [
    ...indexCases.map(([name, run]) => [name, "", () => withIndex(subject.create, run)] as const),
    ...storeCases.map(([name, items, run]) => [name, items, () => withWorld(subject, run)] as const),
    ...(openKnowledgeBase === undefined ? [] : recordCases).map(
      ([name, run]) => [name, "S1 S10", () => withRecords(subject.create, openKnowledgeBase!, run)] as const,
    ),
  ]);
}

interface World {
  readonly subject: EngineSubject;
  readonly engine: FaultProxy;
  readonly store: Store;
  readonly reference: Store;
  readonly random: Random;
  write(scope: Scope, entries: readonly ChunkEntry[]): Promise<void>;
  remove(scope: Scope, documentId: string, purge?: boolean): Promise<readonly string[]>;
  settle(): Promise<void>;
}

async function withWorld(subject: EngineSubject, run: (world: World) => Promise<void>): Promise<void> {
  const engine = createFaultProxy(await subject.create());
  const [store, reference] = [subject.createStore(engine), subject.createStore()];
  try {
    await run({
      subject,
      engine,
      store,
      reference,
      random: createRandom(11),
      async write(scope, entries) {
        for (const one of [store, reference]) await one.replace(into(scope), documentWith(entries));
      },
      async remove(scope, documentId, purge = false) {
        await reference.delete(into(scope), { documentIds: [documentId] }, { purge });
        return (await store.delete(into(scope), { documentIds: [documentId] }, { purge })).pending ?? [];
      },
      settle: async () => store.upkeep?.settle(),
    });
  } finally {
    engine.faults = {};
    for (const scope of scopes) await store.delete(into(scope), { scope: true });
    await store.close();
    await reference.close();
    const cleaner = await subject.create();
    for (const name of await cleaner.indexes("b")) await cleaner.drop(name);
    await cleaner.close?.();
  }
}

function documentAt(
  random: Random,
  id: string,
  chunks: number,
  metadata: Metadata = {},
  at: EmbeddingVersion = version,
) {
  return Array.from({ length: chunks }, (_, i) =>
    entryOf(
      `${id}#${i}`,
      vectorOf(random),
      { documentId: id, text: `text ${i} of ${id} ${random.below(99)}`, index: i, metadata },
      at,
    ),
  );
}

async function fill(world: World, documents = 12): Promise<void> {
  for (let i = 0; i < documents; i++) {
    const metadata = { number: i, half: i % 2 === 0, name: `D'${i}"` };
    await world.write(scopes[i % 3]!, documentAt(world.random, `d${i}`, 1 + (i % 4), metadata));
  }
}

interface Asked {
  readonly k?: number;
  readonly in?: readonly Scope[];
  readonly filter?: Filter;
  readonly at?: EmbeddingVersion;
}

async function ask(store: Store, vector: Float32Array, asked: Asked = {}): Promise<LegResult> {
  const { k = 5, in: where = scopes, filter, at = version } = asked;
  const session = await store.session(from(...where));
  const query: Query = {
    question: "",
    text: "",
    syntax: "literal",
    embeddings: [{ embedding: vector, version: at, scopes: where }],
  };
  const leg = session.legs.find(({ name }) => name === "dense")!;
  return leg.search(query, k, { restriction: session.restrict(filter) });
}

const shape = ({ matches }: LegResult, k = 5): unknown =>
  matches.slice(0, k).map(({ scope, id, score }) => [scope, id, score]);

/** Share of the reference's hits that the store found. Whatever was found has the reference's score; a result that says `exact` is the reference's. */
async function compare(world: World, asked: Asked = {}, rounds = 5): Promise<{ recall: number; exact: boolean }> {
  const { k = 5 } = asked;
  let [found, all, exact] = [0, 0, true];
  for (let round = 0; round < rounds; round++) {
    const vector = vectorOf(world.random);
    const result = await ask(world.store, vector, asked);
    const expected = await ask(world.reference, vector, asked);
    const whole = new Map(
      (await ask(world.reference, vector, { ...asked, k: 1e6 })).matches.map((match) => [
        `${match.scope} ${match.id}`,
        match.score,
      ]),
    );
    for (const { scope, id, score } of result.matches)
      check(Object.is(whole.get(`${scope} ${id}`), score), `the score of ${id}`, [score, whole.get(`${scope} ${id}`)]);
    if (result.exact) equal(shape(result, k), shape(expected, k), "a result that says exact");
    const ids = new Set(result.matches.slice(0, k).map(({ scope, id }) => `${scope} ${id}`));
    const wanted = expected.matches.slice(0, k);
    found += wanted.filter(({ scope, id }) => ids.has(`${scope} ${id}`)).length;
    all += wanted.length;
    exact &&= result.exact;
  }
  return { recall: all === 0 ? 1 : found / all, exact };
}

/** Settles as often as a faulty engine may need. */
async function recover(world: World): Promise<void> {
  world.engine.faults = {};
  for (let tries = 0; ; tries++) {
    try {
      await world.settle();
      return;
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

const faulty: Readonly<Record<string, EngineFaults>> = {
  "lost-writes": { lost: 0.5 },
  "repeated-writes": { repeated: 0.8 },
  "reordered-writes": { reordered: 0.6 },
  "writes-cut-in-half": { cut: 0.7 },
  "failing-calls": { failing: 0.4 },
  "late-writes": { lateCalls: 9 },
  "shuffled-candidates": { shuffled: true },
  "ignored-conditions": { ignoresConditions: true },
  "leaked-candidates": { leaks: ["team%3Asouth/d2%230", "deployment/none", "%", "", "a/b/c"] },
};

type StoreCase = readonly [name: string, items: string, run: (world: World) => Promise<void>];

const storeCases: readonly StoreCase[] = [
  [
    "same-hits-as-without",
    "T18 L11",
    async (world) => {
      await fill(world);
      const { recall } = await compare(world);
      check(recall >= 0.99, "recall right after the writes", recall);
      await world.settle();
      for (const asked of [{}, { in: [north] }, { in: [deployment, south], k: 1 }, { k: 60 }]) {
        const after = await compare(world, asked);
        check(after.recall >= 0.99, `recall of ${JSON.stringify(asked)}`, after.recall);
      }
    },
  ],
  [
    "filters-as-in-the-table",
    "L4",
    async (world) => {
      for (const entry of filterWorldEntries()) {
        const chunk = { ...entry, embeddings: [{ version, embedding: vectorOf(world.random) }] };
        await world.write(deployment, [chunk]);
      }
      await world.write(
        deployment,
        documentAt(world.random, "odd", 3, { "a'b\"; DROP": "x' OR '1'='1", 日本: "é\u{1F600}", n: -0 }),
      );
      await world.settle();
      const odd: readonly Filter[] = [
        { op: "eq", key: "a'b\"; DROP", value: "x' OR '1'='1" },
        { op: "eq", key: "日本", value: "é\u{1F600}" },
        { op: "eq", key: "日本", value: "é\u{1F601}" },
        { op: "gte", key: "n", value: 0 },
        { op: "lt", key: "a number that nothing has", value: 0 },
        { op: "not", filter: { op: "lt", key: "year", value: 2024 } },
      ];
      for (const filter of [...filterTable.map(([each]) => each), ...odd]) {
        const vector = vectorOf(world.random);
        for (const k of [1, 10]) {
          const result = await ask(world.store, vector, { k, filter });
          equal(
            shape(result, k),
            shape(await ask(world.reference, vector, { k, filter }), k),
            `matches of ${JSON.stringify(filter)}`,
          );
        }
      }
    },
  ],
  [
    "recall-at-every-share",
    "T17 W51 L4",
    async (world) => {
      const { chunks = 600 } = world.subject;
      for (let from = 0; from < chunks; from += 50) {
        const some = Array.from({ length: Math.min(50, chunks - from) }, (_, i) =>
          entryOf(
            `c${from + i}`,
            vectorOf(world.random),
            { documentId: `many${from}`, index: i, metadata: { rank: from + i } },
            version,
          ),
        );
        await world.write(deployment, some);
      }
      await world.settle();
      for (const share of [0, 0.5, 0.9, 0.99, 0.999]) {
        const filter: Filter = { op: "gte", key: "rank", value: Math.floor(chunks * share) };
        const asText: Filter = { op: "not", filter: { op: "like", key: "none", pattern: "x" } };
        for (const one of [filter, { op: "and", filters: [filter, asText] } satisfies Filter]) {
          const { recall, exact } = await compare(world, { k: 10, in: [deployment], filter: one }, 8);
          check(recall >= 0.99, `recall where a filter excludes ${share}`, recall);
          if (one === filter) world.subject.onRecall?.(share, recall, exact);
        }
      }
    },
  ],
  [
    "swaps-whole",
    "L7",
    async (world) => {
      const name = "swapped";
      const versions = [0, 1, 2, 3].map((i) => documentAt(world.random, name, 3, { generation: i }));
      await world.write(deployment, versions[0]!);
      const done = new AbortController();
      const reading = (async () => {
        while (!done.signal.aborted) {
          const { matches } = await ask(world.store, vectorOf(world.random), { in: [deployment], k: 9 });
          equal(
            new Set(matches.map(({ revision }) => revision)).size,
            3,
            "chunks of the one generation that a search sees",
          );
        }
      })();
      try {
        for (let i = 1; i < 12; i++) await world.store.replace(into(deployment), documentWith(versions[i % 4]!));
        await world.reference.replace(into(deployment), documentWith(versions[11 % 4]!));
      } finally {
        done.abort();
        await reading;
      }
      await world.settle();
      equal((await compare(world, { in: [deployment] })).recall, 1, "recall after the swaps");
    },
  ],
  [
    "deleted-is-not-seen",
    "L8",
    async (world) => {
      await fill(world);
      await world.settle();
      await world.remove(deployment, "d3");
      check((await compare(world)).recall >= 0.99, "recall beside a deleted document");
      for (const one of [world.store, world.reference])
        await one.trash?.restore(into(deployment), { documentIds: ["d3"] });
      check((await compare(world)).recall >= 0.99, "recall after a restore");
      equal(await world.remove(deployment, "d6", true), [], "engines that still hold a purged document");
      await world.settle();
      check((await compare(world)).recall >= 0.99, "recall beside a purged document");
    },
  ],
  [
    "a-purge-says-pending",
    "L8",
    async (world) => {
      if (world.engine.capabilities.visibleAfterMs > 0) return;
      await fill(world);
      await world.settle();
      world.engine.faults = { failing: 1 };
      equal(
        await world.remove(deployment, "d0", true),
        [world.engine.name],
        "engines that may still hold a purged document",
      );
      await recover(world);
      check((await world.store.upkeep?.scrub(systemAuthority())) === true, "a scrub ends what a purge left");
    },
  ],
  [
    "two-models-never-meet",
    "L6",
    async (world) => {
      await fill(world, 6);
      const both = documentAt(world.random, "both", 3).map((entry) => ({
        ...entry,
        embeddings: [...entry.embeddings, { version: other, embedding: vectorOf(world.random) }],
      }));
      await world.write(deployment, both);
      await world.settle();
      for (const at of [version, other]) check((await compare(world, { at })).recall >= 0.99, `recall of ${at.model}`);
    },
  ],
  ...Object.entries(faulty).map(([name, faults]): StoreCase => [
    name,
    "L3 L4",
    async (world) => {
      await fill(world, 6);
      world.engine.faults = faults;
      await fill(world);
      await world.remove(north, "d1");
      for (let i = 0; i < 3; i++) {
        // A search may fail with the engine; it never shows what it may not.
        for (const asked of [{}, { in: [north] }, { filter: { op: "eq", key: "half", value: true } as const }])
          await compare(world, asked, 2).catch((error: unknown) => {
            if (faults.failing === undefined) throw error;
          });
      }
      await recover(world);
      check((await compare(world)).recall >= 0.99, "recall when the engine is well again");
    },
  ]),
  [
    "a-kill-before-each-call",
    "L8",
    async (world) => {
      await fill(world, 3);
      for (let call = 1; call <= 12; call++) {
        world.engine.faults = { killBefore: world.engine.calls + call };
        await world.write(deployment, documentAt(world.random, "k", 1 + (call % 3)));
        world.engine.faults = {};
        const { recall } = await compare(world, { in: [deployment] }, 2);
        check(recall >= 0.99, `recall after a kill before call ${call}`, recall);
      }
      await recover(world);
      check((await compare(world)).recall >= 0.99, "recall at last");
    },
  ],
];
