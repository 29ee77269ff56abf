import type { CollectionDefinition, RecordCollection } from "../contracts/collection.ts";
import { metrics as allMetrics } from "../contracts/embedding.ts";
import type { Engine } from "../contracts/engine.ts";
import type { Filter } from "../contracts/filter.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { JsonValue } from "../contracts/metadata.ts";
import type { StandardSchema } from "../contracts/schema.ts";
import { check, collect, equal, throwsCode } from "./assert.ts";
import { createFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import { createFixedEmbeddingModel } from "./fixed-embedding-model.ts";
import { createReferenceEngine } from "./reference-engine.ts";
import { createRandom, type Random } from "./random.ts";

/** Opens a knowledge base over an engine, or over none. */
export type OpenBase = (engine?: Engine) => Promise<KnowledgeBase>;

interface Item {
  readonly id: string;
  readonly text: string;
  readonly more?: string | undefined;
  readonly [field: string]: JsonValue | undefined;
}

const dimensions = 16;

/** Any object with an id and a text is a record. */
const schema: StandardSchema<Item, Item> = {
  "~standard": {
    version: 1,
    vendor: "ibid",
    validate: (value) => {
      const isItem = typeof value === "object" && value !== null && "id" in value && "text" in value;
      return isItem ? { value: value as Item } : { issues: [{ message: "It has no id or no text" }] };
    },
  },
};

/** Names of fields as strangers choose them. */
const fields = ["a", "b.c", "d'; DROP TABLE x; --", 'e"}', "ключ", "constructor", "$where"] as const;

const values: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  -2.5,
  1e15,
  "",
  "1",
  "true",
  "HR",
  "hr",
  "2024-02-29",
  "2024-03-01T00:00:00.000Z",
  "' OR 1=1 --",
  '"}]} | {"$ne": null}',
  "%_*?\\",
  "naïve 東京 🏯",
  "a\nb\tc",
  [],
  ["HR", 1],
  ["hr", null, true],
  [1, 2, 3],
];

function vectorFor(text: string): readonly number[] {
  let seed = 7;
  for (const character of text) seed = (Math.imul(seed, 31) + character.codePointAt(0)!) | 0;
  const random = createRandom(seed);
  const vector = Array.from({ length: dimensions }, () => random.next() - 0.5);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

const embeddingModel = createFixedEmbeddingModel({}, { dimensions, otherwise: vectorFor });

const likeness = (a: string, b: string): number => {
  const [left, right] = [vectorFor(a), vectorFor(b)];
  return left.reduce((sum, value, i) => sum + value * right[i]!, 0);
};

function itemsOf(random: Random, count: number): readonly Item[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `k${i}`,
    text: `record ${i} of ${random.below(1e6)}`,
    ...Object.fromEntries(fields.filter(() => random.next() < 0.6).map((field) => [field, random.pick(values)])),
  }));
}

const definitionIn = (
  keptIn: "documents" | "engine",
  more: Partial<CollectionDefinition<typeof schema>> = {},
): CollectionDefinition<typeof schema> => ({
  schema,
  key: "id",
  text: ["text"],
  filterable: fields,
  embeddingModel,
  keptIn,
  ...more,
});

interface RecordWorld {
  readonly engine: FaultProxy;
  readonly kb: KnowledgeBase;
  readonly random: Random;
  readonly name: string;
  readonly openBase: OpenBase;
  collection(more?: Partial<CollectionDefinition<typeof schema>>): Collection;
  /** Waits until writes are shown. */
  shown(): Promise<void>;
}

type Collection = RecordCollection<Item, Item, "id", string>;

let worlds = 0;

/** Runs a case in a knowledge base of its own, and drops its collection. An engine that keeps no records is passed over. */
export async function withRecords(
  create: () => Promise<Engine>,
  openBase: OpenBase,
  run: (world: RecordWorld) => Promise<void>,
): Promise<void> {
  const engine = createFaultProxy(await create());
  if (engine.capabilities.records === undefined) {
    await engine.close?.();
    return;
  }
  const kb = await openBase(engine);
  const name = `Pack ${Date.now().toString(36)} ${worlds++}`;
  const collection = (more = {}): Collection =>
    kb.collection(name, definitionIn("engine", more) as never) as unknown as Collection;
  try {
    await run({
      engine,
      kb,
      name,
      openBase,
      collection,
      random: createRandom(5),
      shown: () => new Promise((resolve) => setTimeout(resolve, engine.capabilities.visibleAfterMs)),
    });
  } finally {
    engine.faults = {};
    await collection().drop();
    await kb.close();
  }
}

/** Filters that the generator makes. */
function filterOf(random: Random, depth = 2): Filter {
  const key = random.pick(fields);
  const text = (): string => random.pick(values.filter((value) => typeof value === "string"));
  if (depth > 0 && random.next() < 0.4) {
    const filters = Array.from({ length: random.below(4) }, () => filterOf(random, depth - 1));
    return random.next() < 0.3
      ? { op: "not", filter: filterOf(random, depth - 1) }
      : { op: random.pick(["and", "or"]), filters };
  }
  switch (random.below(6)) {
    case 0:
      return { op: random.pick(["eq", "ne"]), key, value: random.pick(values) };
    case 1:
      return { op: random.pick(["in", "nin"]), key, values: [random.pick(values), random.pick(values)] };
    case 2: {
      const value = random.next() < 0.6 ? random.below(4) - 1 : text();
      return { op: random.pick(["gt", "gte", "lt", "lte"]), key, value };
    }
    case 3:
      return { op: random.pick(["contains", "startsWith", "endsWith"]), key, value: text().slice(0, 2) };
    case 4:
      return { op: "exists", key };
    default:
      return { op: "hasElement", key, value: random.pick(["HR", "hr", 1, 2, true, null]) };
  }
}

const keysOf = (found: readonly { readonly record: Item }[]): string[] => found.map(({ record }) => record.id);

/** Promises of records that an engine keeps. */
export const recordCases: readonly (readonly [string, (world: RecordWorld) => Promise<void>])[] = [
  [
    "records-come-back-to-the-character",
    async (world) => {
      const items = [
        ...itemsOf(world.random, 30),
        { id: "ключ/'\"%", text: "naïve 東京 🏯 '\"\\ \n end", deep: { a: [null, { b: "ü" }] } },
      ];
      const collection = world.collection();
      equal(await collection.exists(), false, "a collection before it is made");
      await collection.ensure();
      equal(await collection.exists(), true, "a collection that was made");
      await collection.upsert(items);
      await world.shown();
      for (const item of items) equal(await collection.get(item.id), item, `record ${item.id}`);
      equal(await collection.get("nothing"), undefined, "a record that is not there");
      equal(
        (await collect(collection.keys())).map(({ key }) => key),
        items.map(({ id }) => id).sort(),
        "keys",
      );
      equal(await world.kb.collections(), [{ name: world.name, scope: "deployment" }], "collections");
      const found = await collection.search(items[3]!.text, { topK: 1 });
      equal(keysOf(found), [items[3]!.id], "the record of a text");
      check(Math.abs(found[0]!.score - 1) < 1e-3, "the score of the same text", found[0]!.score);
    },
  ],
  [
    "records-are-written-and-deleted-once",
    async (world) => {
      const collection = world.collection();
      const [first, second] = itemsOf(world.random, 2) as [Item, Item];
      const counts = async (items: readonly Item[]): Promise<unknown> => {
        const { added, updated, unchanged } = await collection.upsert(items);
        await world.shown();
        return [added, updated, unchanged];
      };
      equal(await counts([first, second]), [2, 0, 0], "new records");
      equal(await counts([first, second]), [0, 0, 2], "the same records");
      const other = { ...first, text: "another text", a: 7 };
      equal(await counts([other]), [0, 1, 0], "another version");
      equal(await collection.get(first.id), other, "the last version");
      equal(keysOf(await collection.search("another text", { topK: 9 })).sort(), [first.id, second.id], "each once");
      equal(
        keysOf(await collection.search("x", { topK: 9, filter: { a: 7 } })),
        [first.id],
        "by the last version's fields",
      );
      equal(await collection.delete([first.id, "nothing"]), 1, "deleted records");
      equal(await collection.get(first.id), undefined, "a deleted record");
      await world.shown();
      equal(keysOf(await collection.search("another text", { topK: 9 })), [second.id], "a search after a delete");
      equal(await collection.drop(), 1, "records that went with the collection");
      equal(await collection.exists(), false, "a dropped collection");
    },
  ],
  [
    "filters-mean-one-thing",
    async (world) => {
      const items = itemsOf(world.random, 60);
      const collection = world.collection();
      const plain = await world.openBase();
      try {
        const expected = plain.collection("plain", definitionIn("documents") as never) as unknown as Collection;
        await expected.upsert(items);
        await collection.upsert(items);
        await world.shown();
        for (let round = 0; round < 60; round++) {
          const filter = filterOf(world.random);
          const said = JSON.stringify(filter);
          const wanted = (await collect(expected.list({ filter }))).map(({ id }) => id);
          equal(
            (await collect(collection.list({ filter }))).map(({ id }) => id),
            wanted,
            `records listed by ${said}`,
          );
          const query = `question ${round}`;
          const textOf = new Map(items.map(({ id, text }) => [id, text]));
          const found = await collection.search(query, { topK: 10, filter });
          equal(found.length, Math.min(10, wanted.length), `records found by ${said}`);
          const scores = wanted.map((id) => likeness(query, textOf.get(id)!)).sort((a, b) => b - a);
          for (const [i, { record, score }] of found.entries()) {
            check(wanted.includes(record.id), `${record.id} is admitted by ${said}`);
            check(Math.abs(score - scores[i]!) < 2e-3, `score ${i + 1} under ${said}`, [score, scores[i]]);
          }
        }
      } finally {
        await plain.close();
      }
    },
  ],
  [
    "a-caller-sees-their-scopes-alone",
    async (world) => {
      const { kb, engine, name } = world;
      const of = (view: KnowledgeBase): Collection =>
        view.collection(name, definitionIn("engine") as never) as unknown as Collection;
      const [ada, bob] = [of(kb.as({ userId: "ada" })), of(kb.as({ userId: "bob" }))];
      await ada.upsert([{ id: "1", text: "of ada" }]);
      await bob.upsert([
        { id: "1", text: "of bob" },
        { id: "2", text: "more of bob" },
      ]);
      await world.shown();
      for (const faults of [
        {},
        { ignoresConditions: true },
        { shuffled: true, leaks: ["user%3Abob/%5B%221%22%2C%22%22%5D", "x"] },
      ]) {
        engine.faults = faults;
        const found = await ada.search("of bob", { topK: "all" });
        equal(
          found.map(({ record }) => record.text),
          ["of ada"],
          `Ada's records with ${JSON.stringify(faults)}`,
        );
      }
      engine.faults = {};
      equal(await ada.get("2"), undefined, "a record of another caller");
      equal(await ada.delete("2"), 0, "a delete of another caller's record");
      await throwsCode(
        () => ada.upsert({ id: "3", text: "x" }, { scope: "user:bob" }),
        "access-denied",
        "another's scope",
      );
      equal((await bob.search("of bob", { topK: 9 })).length, 2, "Bob's records");
      const all = world.collection();
      await throwsCode(() => all.get("1"), "ambiguous", "a key of two scopes");
      equal(await all.scopesOf("1"), ["user:ada", "user:bob"], "scopes of a key");
    },
  ],
  [
    "what-an-engine-lacks-is-named",
    async (world) => {
      const { engine } = world;
      const { metrics, records } = engine.capabilities;
      const over = (settings: object): Collection => world.collection({ vectors: { text: settings } });
      const item = { id: "1", text: "one" };
      for (const lacking of new Set(Object.values(allMetrics))) {
        if (metrics.includes(lacking)) continue;
        const write = (): Promise<unknown> => over({ metric: lacking }).upsert(item);
        const error = await throwsCode(write, "unsupported", `the metric ${lacking}`);
        for (const metric of metrics)
          check(`${error.message} ${error.hint}`.includes(metric), `the error names ${metric}`);
      }
      for (const index of ["hnsw", "ivf-flat", "quantized-flat", "disk-ann"] as const) {
        if (records!.kinds.includes(index)) continue;
        const lacking = await throwsCode(() => over({ index }).upsert(item), "unsupported", `the kind ${index}`);
        for (const kind of records!.kinds) check(lacking.hint?.includes(kind) === true, `the error names ${kind}`);
      }
      if (!records!.words)
        await throwsCode(() => world.collection().hybridSearch("one"), "unsupported", "words beside the vector");
    },
  ],
  [
    "each-kind-and-metric-finds",
    async (world) => {
      const { metrics, records } = world.engine.capabilities;
      const items = itemsOf(world.random, 40);
      const each = [...metrics.map((metric) => ({ metric })), ...records!.kinds.map((index) => ({ index }))];
      for (const [i, settings] of each.entries()) {
        const definition = definitionIn("engine", { vectors: { text: settings } });
        const collection = world.kb.collection(`${world.name} ${i}`, definition as never) as unknown as Collection;
        try {
          await collection.upsert(items);
          await world.shown();
          const found = await collection.search(items[7]!.text, { topK: 1, vectorProperty: "text" });
          equal(keysOf(found), ["k7"], `the record of a text, with ${JSON.stringify(settings)}`);
        } finally {
          await collection.drop();
        }
      }
    },
  ],
  [
    "records-go-to-another-engine-and-back",
    async (world) => {
      const { engine, kb, name, openBase } = world;
      const collection = world.collection();
      const items = [...itemsOf(world.random, 40), { id: "blank", text: " ", a: 1 }];
      await collection.upsert(items);
      await world.shown();
      const other = createReferenceEngine();
      const copied = await kb.copyRecords({ to: other });
      equal([copied.records, copied.unchanged, copied.verified.records], [41, 0, 41], "records that were copied");
      const second = await openBase(other);
      try {
        const there = second.collection(name, definitionIn("engine") as never) as unknown as Collection;
        const { unchanged, embedded } = await there.upsert(items);
        equal([unchanged, embedded], [41, 0], "records that the other engine has already");
        await collection.delete(items.slice(0, 30).map(({ id }) => id));
        await world.shown();
        equal((await second.copyRecords({ to: engine })).unchanged, 11, "records that were there when they came back");
      } finally {
        await second.close();
      }
      for (const { id, text } of items.slice(0, 40)) {
        const [found] = await collection.search(text, { topK: 1 });
        check(found?.key === id && Math.abs(found.score - 1) < 1e-3, `${id} is found by its vector`, found);
      }
      equal(await collection.get("blank"), items[40], "a record without text");
    },
  ],
  [
    "words-beside-the-vector",
    async (world) => {
      if (world.engine.capabilities.records?.words !== true) return;
      const collection = world.collection();
      await collection.upsert([...itemsOf(world.random, 30), { id: "word", text: "zanzibar lantern" }]);
      await world.shown();
      // The vectors of this model know no words, so that words alone can find it.
      const found = await collection.hybridSearch("where is the lantern of zanzibar", { topK: 3 });
      check(keysOf(found).includes("word"), "the record with the words", keysOf(found));
    },
  ],
];
