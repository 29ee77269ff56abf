import { versionOf } from "./store-fixtures.ts";
import type { Engine, EngineCondition, EngineEntry, EngineIndex, EngineMetric } from "../contracts/engine.ts";
import { check, equal } from "./assert.ts";
import { createRandom, type Random } from "./random.ts";
import { createReferenceEngine } from "./reference-engine.ts";

/** Dimensions of every vector of the pack. */
export const dimensions = 16;

/** The version of most vectors of the pack. */
export const version = versionOf(dimensions, "engine");

/** One index of an engine, by itself. */
export interface IndexWorld {
  readonly engine: Engine;
  readonly index: EngineIndex;
  readonly random: Random;
  /** Waits until writes are shown. */
  shown(count: number): Promise<void>;
}

let indexes = 0;

/** Runs a case with an index of its own, and removes the index. */
export async function withIndex(
  create: () => Promise<Engine>,
  run: (world: IndexWorld) => Promise<void>,
): Promise<void> {
  const engine = await create();
  const name = `pack${Date.now().toString(36)}${indexes++}`;
  try {
    const [metric = "cosine"] = engine.capabilities.metrics;
    const index = await engine.open({ name, version, dimensions, metric });
    await run({
      engine,
      index,
      random: createRandom(7),
      shown: (count) => until(engine, async () => (await index.count(everywhere)) === count, `${count} entries`),
    });
  } finally {
    await engine.drop(name);
    await engine.close?.();
  }
}

async function until(engine: Engine, isSo: () => Promise<boolean>, what: string): Promise<void> {
  const { visibleAfterMs } = engine.capabilities;
  for (let looks = 0; !(await isSo()); looks++) {
    check(visibleAfterMs > 0 && looks < 40, `${engine.name} shows ${what} when it says so`);
    await new Promise((resolve) => setTimeout(resolve, visibleAfterMs / 4));
  }
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");
const tagOf = (number: number): string => hex(number + 0xabc, 16);
const everywhere = tagOf(0);
const numberKey = `n${tagOf(99)}`;

function entriesOf(random: Random, count: number): readonly EngineEntry[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `00000000-0000-4000-8000-${hex(i + 1, 12)}`,
    ref: `deployment/c${i}`,
    vector: vectorOf(random),
    tags: [everywhere, ...[1, 2, 3, 4].filter(() => random.next() < 0.5).map(tagOf)],
    numbers: random.next() < 0.7 ? { [numberKey]: random.below(9) - 4.5 } : {},
  }));
}

/** A vector of length 1. */
export function vectorOf(random: Random): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** A vector of -1, 0 and 1, which is never zero. */
function coarse(random: Random): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random.below(3) - 1);
  vector[random.below(dimensions)] = 1;
  return vector;
}

async function putAll(
  { engine, index }: Pick<IndexWorld, "engine" | "index">,
  entries: readonly EngineEntry[],
): Promise<void> {
  const { batch } = engine.capabilities;
  for (let at = 0; at < entries.length; at += batch) await index.put(entries.slice(at, at + batch));
}

async function listAll(index: EngineIndex, tag: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let at: string | undefined; ;) {
    const page = await index.list(tag, at);
    keys.push(...page.keys);
    if (page.next === undefined) return keys.sort();
    at = page.next;
  }
}

const keysWith = (entries: readonly EngineEntry[], tag: string): readonly string[] =>
  entries.flatMap(({ key, tags }) => (tags.includes(tag) ? [key] : [])).sort();

async function referenceOf(entries: readonly EngineEntry[], metric: EngineMetric) {
  const index = await createReferenceEngine().open({ name: "reference", version, dimensions, metric });
  await index.put(entries);
  return index;
}

/** Promises of an index, with no store over it. */
export const indexCases: readonly (readonly [string, (world: IndexWorld) => Promise<void>])[] = [
  [
    "entries-are-kept-once",
    async (world) => {
      const { engine, index, random } = world;
      const entries = entriesOf(random, 230);
      equal(await index.count(everywhere), 0, "entries of a new index");
      await putAll(world, entries);
      await putAll(world, entries.slice(0, 40));
      await world.shown(230);
      equal(await listAll(index, everywhere), keysWith(entries, everywhere), "keys, each once");
      equal(await listAll(index, tagOf(2)), keysWith(entries, tagOf(2)), "keys with a tag");
      equal(await index.count(tagOf(3)), keysWith(entries, tagOf(3)).length, "count with a tag");
      equal(await index.count(tagOf(77)), 0, "count of an unknown tag");
      const gone = entries.slice(0, 30).map(({ key }) => key);
      await index.delete([...gone, "00000000-0000-4000-8000-ffffffffffff"].slice(0, engine.capabilities.batch));
      await index.delete(gone);
      await world.shown(200);
      equal(await listAll(index, everywhere), keysWith(entries.slice(30), everywhere), "keys after a delete");
    },
  ],
  [
    "nearest-first-by-the-metric",
    async (world) => {
      const { engine, index, random } = world;
      const entries = entriesOf(random, 200);
      await putAll(world, entries);
      await world.shown(200);
      const [metric = "cosine"] = engine.capabilities.metrics;
      const reference = await referenceOf(entries, metric);
      let found = 0;
      for (let round = 0; round < 10; round++) {
        const vector = vectorOf(random);
        const got = await index.nearest({ vector, limit: 20 });
        const expected = await reference.nearest({ vector, limit: 20 });
        const by = new Map((await reference.nearest({ vector, limit: 200 })).map(({ ref, score }) => [ref, score]));
        for (const [i, { ref, score }] of got.entries()) {
          check(Math.abs(score - by.get(ref)!) < 1e-3, `${metric}: the score of ${ref}`, [score, by.get(ref)]);
          check(i === 0 || got[i - 1]!.score >= score - 1e-6, "nearest first", got);
        }
        const refs = new Set(got.map(({ ref }) => ref));
        found += expected.filter(({ ref }) => refs.has(ref)).length;
        if (engine.capabilities.exhaustive)
          equal(refs, new Set(expected.map(({ ref }) => ref)), "an exhaustive engine misses none");
      }
      check(found >= 198, "an engine finds .99 of the nearest", found / 200);
      equal((await index.nearest({ vector: vectorOf(random), limit: 1 })).length, 1, "one candidate");
    },
  ],
  [
    "each-metric-is-the-one-that-is-named",
    async ({ engine, random }) => {
      for (const metric of engine.capabilities.metrics) {
        const name = `pack_m${Date.now().toString(36)}${indexes++}`;
        const index = await engine.open({ name, version, dimensions, metric });
        try {
          // Services take the product for vectors of length 1 alone. Elsewhere some coordinates are equal, and lengths differ.
          const one = metric === "dot" ? vectorOf : coarse;
          const entries = entriesOf(random, 60).map((entry) => ({ ...entry, vector: one(random) }));
          await putAll({ engine, index }, entries);
          await until(engine, async () => (await index.count(everywhere)) === 60, "60 entries");
          const reference = await referenceOf(entries, metric);
          for (let round = 0; round < 5; round++) {
            const vector = one(random);
            const ranked = await reference.nearest({ vector, limit: 60 });
            const by = new Map(ranked.map(({ ref, score }) => [ref, score]));
            const got = await index.nearest({ vector, limit: 10 });
            equal(got.length, 10, `${metric}: candidates`);
            for (const [i, { ref, score }] of got.entries()) {
              const [is, best] = [by.get(ref)!, ranked[i]!.score];
              check(is > best - 1e-3 * Math.max(1, Math.abs(best)), `${metric}: the candidate ${i}`, [is, best]);
              // The score of a product may be the engine's own, which orders only.
              check(metric === "dot" || Math.abs(score - is) < 1e-3, `${metric}: the score of ${ref}`, [score, is]);
            }
          }
        } finally {
          await engine.drop(name);
        }
      }
    },
  ],
  [
    "conditions-mean-one-thing",
    async (world) => {
      const { engine, index, random } = world;
      const entries = entriesOf(random, 80);
      await putAll(world, entries);
      await world.shown(80);
      const [metric = "cosine"] = engine.capabilities.metrics;
      const reference = await referenceOf(entries, metric);
      const { conditions } = engine.capabilities;
      for (let round = 0; round < 60; round++) {
        const condition = conditionOf(random, conditions, 3);
        const vector = vectorOf(random);
        const refs = async (one: EngineIndex): Promise<unknown> =>
          (await one.nearest({ vector, condition, limit: 80 })).map(({ ref }) => ref).sort();
        equal(await refs(index), await refs(reference), `entries that meet ${JSON.stringify(condition)}`);
      }
    },
  ],
  [
    "indexes-are-apart",
    async (world) => {
      const { engine, index, random } = world;
      await putAll(world, entriesOf(random, 10));
      await world.shown(10);
      const name = `pack_b${Date.now().toString(36)}${indexes++}`;
      const [metric = "cosine"] = engine.capabilities.metrics;
      const second = await engine.open({ name, version, dimensions, metric });
      equal(await second.count(everywhere), 0, "entries of another index");
      check((await engine.indexes("pack_b")).includes(name), "the index is listed by its beginning", name);
      equal((await engine.indexes("pack_c")).length, 0, "indexes of another beginning");
      await engine.drop(name);
      await engine.drop(name);
      check(!(await engine.indexes("pack_b")).includes(name), "a dropped index is gone");
      equal(await index.count(everywhere), 10, "entries beside a dropped index");
    },
  ],
];

function conditionOf(random: Random, forms: readonly EngineCondition["op"][], depth: number): EngineCondition {
  const groups = forms.filter((form) => form === "and" || form === "or");
  if (depth > 0 && groups.length > 0 && random.next() < 0.5) {
    const of = Array.from({ length: 1 + random.below(3) }, () => conditionOf(random, forms, depth - 1));
    return { op: random.pick(groups), of };
  }
  const op = random.pick(forms.filter((form) => form === "has" || form === "lacks" || form === "number"));
  if (op === "number")
    return { op, key: numberKey, is: random.pick(["gt", "gte", "lt", "lte"]), value: random.below(9) - 4.5 };
  return { op, tag: tagOf(random.below(6)) };
}
