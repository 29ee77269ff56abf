import type { Engine, EngineCapabilities, EngineIndex, EngineIndexSpec, EngineRow } from "../../contracts/engine.ts";
import { checkPrefix, everyCondition, measureOf, metricsOf } from "./check-engine.ts";
import { answers } from "./engine-ready.ts";
import type { Measures } from "./engine-scores.ts";
import { joinWords, type RankByWords } from "./join-words.ts";

/** An index as the engine's own code has it. No method is called without entries or keys. */
export interface OwnIndex extends Omit<EngineIndex, "read" | "readVectors"> {
  /** Entries by their keys, those without a record too. */
  read(keys: readonly string[], signal?: AbortSignal): Promise<readonly OwnRow[]>;
  readVectors(keys: readonly string[], signal?: AbortSignal): Promise<readonly OwnVector[]>;
  /** Where the engine ranks words and vectors, and does not join them. */
  readonly said?: RankByWords;
}

type OwnRow = Pick<EngineRow, "key" | "ref"> & { readonly json?: string | null | undefined };
type OwnVector = { readonly key: string; readonly vector: ArrayLike<number> };

/** The index to open, with the engine's own measure of its metric. */
export type MeasuredSpec<Measure> = EngineIndexSpec & { readonly measure: Measure };

/** The parts in which engines differ, beside their indexes. Names of indexes are whole: they begin with the prefix. */
export interface EngineParts<Measure> {
  readonly name: string;
  readonly native: unknown;
  /** Beginning of the names of indexes. Default `"ibid"`. */
  readonly prefix: string | undefined;
  /** The metrics that the engine has, each as the engine measures it. */
  readonly measures: Measures<Measure>;
  /** Promises that differ from {@link usual}. */
  readonly capabilities: Partial<Omit<EngineCapabilities, "metrics">>;
  open(name: string, spec: MeasuredSpec<Measure>, signal?: AbortSignal): Promise<OwnIndex>;
  /** Indexes whose names begin with a text. Others, which a server gives beside them, are passed over. */
  names(beginning: string, signal?: AbortSignal): Promise<readonly string[]>;
  drop(name: string, signal?: AbortSignal): Promise<unknown>;
  readonly close?: (() => Promise<void>) | undefined;
}

/** Promises of most engines. */
const usual: Omit<EngineCapabilities, "metrics"> = {
  exhaustive: false,
  conditions: everyCondition,
  visibleAfterMs: 0,
  candidates: 10_000,
  batch: 500,
};

/** An engine whose indexes lie beside those of others, in a server or a database. **Errors** `invalid-argument` for the prefix. */
export function createEngine<Measure>(parts: EngineParts<Measure>): Engine {
  const { name, native, measures, close } = parts;
  const prefix = `${checkPrefix(name, parts.prefix ?? "ibid")}_`;
  const capabilities = { ...usual, metrics: metricsOf(measures), ...parts.capabilities };
  return {
    name,
    native,
    capabilities,
    async open(spec, signal) {
      const measure = measureOf(name, measures, spec.metric);
      return finishIndex(await parts.open(`${prefix}${spec.name}`, { ...spec, measure }, signal));
    },
    async indexes(beginning, signal) {
      const start = `${prefix}${beginning}`;
      const found = await parts.names(start, signal);
      return found.filter((each) => each.startsWith(start)).map((each) => each.slice(prefix.length));
    },
    async drop(index, signal) {
      // No index has a name with other characters.
      if (/^\w+$/u.test(index)) await parts.drop(`${prefix}${index}`, signal);
    },
    ready: (signal, onFailure) => answers(() => parts.names(prefix, signal), onFailure),
    ...(close && { close }),
  };
}

function finishIndex({ said, ...own }: OwnIndex): EngineIndex {
  return {
    ...own,
    async put(entries, signal) {
      if (entries.length > 0) await own.put(entries, signal);
    },
    async delete(keys, signal) {
      if (keys.length > 0) await own.delete(keys, signal);
    },
    async read(keys, signal) {
      const rows = keys.length === 0 ? [] : await own.read(keys, signal);
      // A record is never empty: it is JSON.
      return rows.flatMap(({ key, ref, json }) => ((json ?? "") === "" ? [] : [{ key, ref, json: json! }]));
    },
    async readVectors(keys, signal) {
      const rows = keys.length === 0 ? [] : await own.readVectors(keys, signal);
      return rows.map(({ key, vector }) => ({ key, vector: Float32Array.from(vector) }));
    },
    nearest: joinWords(own.nearest, said),
  };
}
