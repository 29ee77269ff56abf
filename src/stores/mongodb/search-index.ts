import type { EngineIndexSpec, EngineMetric } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { pause } from "../../runtime/abort.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { passOver } from "../engines/optional-client.ts";
import { type Mongo, onCollection, readAll } from "./mongodb-client.ts";

/** Name of the search index in each collection. */
export const indexName = "ibid";

const similarities = { cosine: "cosine", dot: "dotProduct", euclidean: "euclidean" } as const satisfies Record<
  EngineMetric,
  string
>;

/** The part of the options of an engine that its search indexes obey. */
export interface SearchIndexOptions {
  /** Fields of the vector field's definition, such as `quantization` or `hnswOptions`. */
  readonly field?: Readonly<Record<string, unknown>> | undefined;
  /** Longest wait until the search index has taken a write, or is built. **Units** milliseconds. Default 120,000. */
  readonly indexWithinMs?: number | undefined;
}

/** The search index of a collection, and the keys of numbers that it knows. */
export interface SearchIndex {
  make(signal?: AbortSignal): Promise<void>;
  /** Whether all keys are fields of the index that is searched, after a look where they were not. */
  knows(keys: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>;
  add(keys: readonly string[], signal?: AbortSignal): Promise<void>;
}

interface IndexState {
  readonly status: string;
  readonly queryable: boolean;
  readonly latestDefinition: { readonly fields: readonly Readonly<Record<string, unknown>>[] };
}

export function createSearchIndex(
  mongo: Mongo,
  name: string,
  spec: EngineIndexSpec,
  options: SearchIndexOptions,
): SearchIndex {
  const { indexWithinMs = 120_000 } = options;
  let known: ReadonlySet<string> = new Set();
  let adding: Promise<unknown> = Promise.resolve();

  const on = onCollection(mongo, name);

  const define = (numbers: readonly string[]): { fields: readonly object[] } => ({
    fields: [
      {
        ...options.field,
        type: "vector",
        path: "vector",
        numDimensions: spec.dimensions,
        similarity: similarities[spec.metric],
      },
      ...["revision", "tags", ...numbers.map((key) => `numbers.${key}`)].map((path) => ({ type: "filter", path })),
    ],
  });

  const look = async (signal?: AbortSignal): Promise<IndexState | undefined> => {
    const [state] = await on(
      "read the search index",
      (collection) => readAll(collection.listSearchIndexes(indexName)),
      signal,
    );
    return state as IndexState | undefined;
  };

  const numbersOf = ({ latestDefinition }: IndexState): ReadonlySet<string> =>
    new Set(
      latestDefinition.fields.flatMap(({ path }) =>
        String(path).startsWith("numbers.") ? String(path).slice("numbers.".length) : [],
      ),
    );

  /** Waits until the newest definition is the one that is searched. */
  async function built(signal?: AbortSignal): Promise<IndexState> {
    const until = platformNow() + indexWithinMs;
    for (let ms = 20; ; ms = Math.min(2_000, ms * 2)) {
      const state = await look(signal);
      if (state?.status === "READY" && state.queryable) return state;
      if (state?.status === "FAILED") throw indexLate(spec.name, "cannot be built", "store-failed");
      if (platformNow() > until)
        throw indexLate(spec.name, `is not built after ${indexWithinMs / 1000} s`, "store-busy");
      await pause(ms, signal, "mongodb: build the search index");
    }
  }

  return {
    async make(signal) {
      if ((await look(signal)) === undefined) {
        await mongo
          .run("create a collection", (db) => db.createCollection(name), signal)
          .catch(passOver(/already exists/iu));
        await on(
          "index the tags",
          (collection) => collection.createIndex({ tags: 1, listed: 1, _id: 1 } as never),
          signal,
        );
        const description = { name: indexName, type: "vectorSearch", definition: define([]) };
        await on(
          "create the search index",
          (collection) => collection.createSearchIndex(description as never),
          signal,
        ).catch(passOver(/already defined|already exists|duplicate/iu));
      }
      const state = await built(signal);
      known = numbersOf(state);
      const vector = state.latestDefinition.fields.find(({ type }) => type === "vector");
      checkDimensions("mongodb", spec, Number(vector?.["numDimensions"] ?? spec.dimensions));
    },
    async knows(keys, signal) {
      if (keys.some((key) => !known.has(key))) {
        const state = await look(signal);
        // Entries with a new number are counted only when the index that knows it is searched.
        if (state?.status === "READY") known = numbersOf(state);
      }
      return known;
    },
    async add(keys, signal) {
      const next = adding
        .catch(() => {})
        .then(async () => {
          if (keys.every((key) => known.has(key))) return;
          const before = numbersOf(await built(signal));
          const all = [...new Set([...before, ...keys])].sort();
          if (all.length > before.size) {
            await on(
              "index a number",
              (collection) => collection.updateSearchIndex(indexName, define(all) as never),
              signal,
            );
          }
          known = numbersOf(await built(signal));
        });
      adding = next;
      await next;
    },
  };
}

export function indexLate(name: string, reason: string, code: "store-busy" | "store-failed"): IbidError {
  return new IbidError(code, `mongodb: the search index of ${name} ${reason}.`, {
    hint: "Look at the search index, or allow more time with indexWithinMs; settling goes on with it.",
    details: { store: "mongodb", operation: "build the search index" },
  });
}
