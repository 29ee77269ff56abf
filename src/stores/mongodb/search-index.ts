import type { EngineIndexSpec, EngineMetric } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createNumberFields, type NumberFields } from "../engines/number-fields.ts";
import { passOver } from "../engines/optional-client.ts";
import { waitUntil } from "../engines/wait-until.ts";
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

interface IndexState {
  readonly status: string;
  readonly queryable: boolean;
  readonly latestDefinition: { readonly fields: readonly Readonly<Record<string, unknown>>[] };
}

/** Makes the search index of a collection where it is not there. **Shape** the keys of numbers that the index which is searched knows. */
export async function makeSearchIndex(
  mongo: Mongo,
  name: string,
  spec: EngineIndexSpec,
  options: SearchIndexOptions,
  signal?: AbortSignal,
): Promise<NumberFields> {
  const { indexWithinMs = 120_000 } = options;
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

  const look = (stop?: AbortSignal): Promise<IndexState | undefined> => lookAt(mongo, name, indexName, stop);

  const numbersOf = ({ latestDefinition }: IndexState): readonly string[] =>
    latestDefinition.fields.flatMap(({ path }) =>
      String(path).startsWith("numbers.") ? String(path).slice("numbers.".length) : [],
    );

  const built = (stop?: AbortSignal): Promise<IndexState> =>
    untilBuilt(mongo, name, { index: indexName, short: spec.name, indexWithinMs }, stop);

  if ((await look(signal)) === undefined) {
    const made = mongo.run("create a collection", (db) => db.createCollection(name), signal);
    await made.catch(passOver(/already exists/iu));
    await on("index the tags", (one) => one.createIndex({ tags: 1, listed: 1, _id: 1 } as never), signal);
    const description = { name: indexName, type: "vectorSearch", definition: define([]) };
    const defined = on("create the search index", (one) => one.createSearchIndex(description as never), signal);
    await defined.catch(passOver(/already defined|already exists|duplicate/iu));
  }
  const state = await built(signal);
  const vector = state.latestDefinition.fields.find(({ type }) => type === "vector");
  checkDimensions("mongodb", spec, Number(vector?.["numDimensions"] ?? spec.dimensions));

  return createNumberFields(
    numbersOf(state),
    async (stop) => {
      const now = await look(stop);
      // Entries with a new number are counted only when the index that knows it is searched.
      return now?.status === "READY" ? numbersOf(now) : [];
    },
    async (keys, stop) => {
      // One definition takes the place of the other: each waits for the one before.
      const next = adding
        .catch(() => {})
        .then(async () => {
          const before = numbersOf(await built(stop));
          const all = [...new Set([...before, ...keys])].sort();
          if (all.length === before.length) return;
          await on("index a number", (one) => one.updateSearchIndex(indexName, define(all) as never), stop);
          await built(stop);
        });
      adding = next;
      await next;
    },
  );
}

async function lookAt(
  mongo: Mongo,
  name: string,
  index: string,
  signal?: AbortSignal,
): Promise<IndexState | undefined> {
  const read = onCollection(mongo, name);
  const [state] = await read("read the search index", (one) => readAll(one.listSearchIndexes(index)), signal);
  return state as IndexState | undefined;
}

/** Waits until the newest definition of a search index is the one that is searched. */
export function untilBuilt(
  mongo: Mongo,
  name: string,
  { index, short, indexWithinMs }: { readonly index: string; readonly short: string; readonly indexWithinMs: number },
  signal?: AbortSignal,
): Promise<IndexState> {
  const wait = { what: "mongodb: build the search index", withinMs: indexWithinMs, pauseMs: 2_000, signal };
  const ready = async (): Promise<IndexState | undefined> => {
    const state = await lookAt(mongo, name, index, signal);
    if (state?.status === "FAILED") throw indexLate(short, "cannot be built", "store-failed");
    return state?.status === "READY" && state.queryable ? state : undefined;
  };
  return waitUntil(wait, ready, () => indexLate(short, `is not built after ${indexWithinMs / 1000} s`, "store-busy"));
}

export function indexLate(name: string, reason: string, code: "store-busy" | "store-failed"): IbidError {
  return new IbidError(code, `mongodb: the search index of ${name} ${reason}.`, {
    hint: "Look at the search index, or allow more time with indexWithinMs; settling goes on with it.",
    details: { store: "mongodb", operation: "build the search index" },
  });
}
