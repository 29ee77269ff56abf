import type {
  Engine,
  EngineCapabilities,
  EngineCondition,
  EngineEntry,
  EngineIndex,
  EngineMetric,
} from "../contracts/engine.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkKind } from "./check-subject.ts";

/** Keys of one page. */
const pageSize = 100;

/**
 * An engine in memory that does what an `Engine` promises: to read, to compare with, and to test what stands on an engine.
 *
 * **Cost** every search compares every entry.
 * @experimental
 */
export function createReferenceEngine(options: { readonly name?: string | undefined } = {}): Engine {
  checkKind("createReferenceEngine", "the options", options, "object");
  const kept = new Map<string, { readonly dimensions: number; readonly entries: Map<string, EngineEntry> }>();
  const name = options.name ?? "the reference engine";
  const capabilities: EngineCapabilities = {
    exhaustive: true,
    conditions: ["has", "lacks", "number", "and", "or"],
    metrics: Object.keys(scores) as EngineMetric[],
    visibleAfterMs: 0,
    candidates: 100_000,
    batch: 500,
    records: { kinds: ["flat"], words: true },
  };
  return {
    name,
    capabilities,
    native: kept,
    async open({ name: index, dimensions, metric }) {
      const found = kept.get(index) ?? { dimensions, entries: new Map<string, EngineEntry>() };
      if (found.dimensions !== dimensions) {
        throw new IbidError(
          "dimension-mismatch",
          `${name}: ${index} has ${found.dimensions} dimensions, not ${dimensions}.`,
        );
      }
      kept.set(index, found);
      return createIndex(found.entries, metric);
    },
    indexes: async (beginning) => [...kept.keys()].filter((index) => index.startsWith(beginning)),
    drop: async (index) => void kept.delete(index),
  };
}

function createIndex(entries: Map<string, EngineEntry>, metric: EngineMetric): EngineIndex {
  return {
    async put(given) {
      for (const entry of given) entries.set(entry.key, structuredClone(entry));
    },
    async delete(keys) {
      for (const key of keys) entries.delete(key);
    },
    count: async (tag) => [...entries.values()].filter(({ tags }) => tags.includes(tag)).length,
    async list(tag, from = "") {
      const keys = [...entries.values()].flatMap(({ key, tags }) => (tags.includes(tag) && key > from ? [key] : []));
      const page = keys.sort().slice(0, pageSize);
      return { keys: page, next: page.length < pageSize ? undefined : page.at(-1) };
    },
    async nearest({ vector, condition, limit, words }) {
      const met = [...entries.values()].filter((entry) => condition === undefined || meets(entry, condition));
      const asked = words === undefined ? [] : wordsOf(words);
      const scored = met.map(({ ref, vector: other, record }) => {
        const has = new Set(wordsOf(record?.text ?? ""));
        return { ref, score: scores[metric](vector, other) + asked.filter((word) => has.has(word)).length };
      });
      return scored.sort((a, b) => b.score - a.score).slice(0, limit);
    },
    async read(keys) {
      return keys.flatMap((key) => {
        const { ref, record } = entries.get(key) ?? {};
        return ref === undefined || record?.json === undefined ? [] : [{ key, ref, json: record.json }];
      });
    },
    async readVectors(keys) {
      return keys.flatMap((key) => {
        const vector = entries.get(key)?.vector;
        return vector === undefined ? [] : [{ key, vector: vector.slice() }];
      });
    },
  };
}

/** Whether an entry meets a condition: the meaning of each form. */
function meets(entry: EngineEntry, condition: EngineCondition): boolean {
  switch (condition.op) {
    case "has":
      return entry.tags.includes(condition.tag);
    case "lacks":
      return !entry.tags.includes(condition.tag);
    case "number": {
      const value = entry.numbers[condition.key];
      if (value === undefined) return false;
      if (condition.is === "gt") return value > condition.value;
      if (condition.is === "gte") return value >= condition.value;
      return condition.is === "lt" ? value < condition.value : value <= condition.value;
    }
    case "and":
      return condition.of.every((part) => meets(entry, part));
    case "or":
      return condition.of.some((part) => meets(entry, part));
  }
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const scores: Readonly<Record<EngineMetric, (a: Float32Array, b: Float32Array) => number>> = {
  cosine: (a, b) => dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1),
  dot,
  euclidean: (a, b) => 1 / (1 + Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0))),
  hamming: (a, b) => 1 / (1 + a.reduce((sum, value, i) => sum + (value === b[i] ? 0 : 1), 0)),
  manhattan: (a, b) => 1 / (1 + a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0)),
};
