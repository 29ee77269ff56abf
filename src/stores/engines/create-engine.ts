import type {
  Engine,
  EngineCandidate,
  EngineCapabilities,
  EngineIndex,
  EngineIndexSpec,
  EnginePage,
  EngineRequest,
  EngineRow,
} from "../../contracts/engine.ts";
import { checkGiven } from "../../runtime/check-options.ts";
import { checkPrefix, everyCondition, measureOf, metricsOf, refuseOptions } from "./check-engine.ts";
import { answers } from "./engine-ready.ts";
import { asItIs, type Measures } from "./engine-scores.ts";
import { nameUnknownAnswers } from "./name-unknown-answers.ts";
import { joinWords, type RankByWords } from "./join-words.ts";
import { type NumberFields, withKnownNumbers } from "./number-fields.ts";

/** Keys of a page that an engine orders by key. */
export const pageSize = 1_000;

/** A search, with the engine's own options of it. */
export interface OwnRequest extends Omit<EngineRequest, "options"> {
  /** The caller's options above those of the engine. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** An index as the engine's own code has it. No method is called without entries or keys. */
export interface OwnIndex extends Omit<EngineIndex, "list" | "nearest" | "read" | "readVectors"> {
  /** The first {@link pageSize} keys after `from`, in their order; or a page that the engine goes on from itself. */
  list(tag: string, from: string | undefined, signal?: AbortSignal): Promise<readonly string[] | EnginePage>;
  /** The nearest entries, each with the value that the engine gives it. */
  nearest(request: OwnRequest): Promise<readonly EngineCandidate[]>;
  /** The score of such a value, where no words are asked for. Default: the value itself. */
  readonly score?: ((value: number) => number) | undefined;
  /** Where the engine finds numbers in fields of its own alone. */
  readonly numbers?: NumberFields | undefined;
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
  /** Options of each search, to which those of the caller are added; `"none"` where a search has no options. */
  readonly query?: Readonly<Record<string, unknown>> | "none" | undefined;
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
  return nameUnknownAnswers({
    name,
    native,
    capabilities,
    async open(spec, signal) {
      const measure = measureOf(name, measures, spec.metric);
      return finishIndex(await parts.open(`${prefix}${spec.name}`, { ...spec, measure }, signal), name, parts.query);
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
  });
}

function finishIndex(own: OwnIndex, name: string, query: EngineParts<unknown>["query"]): EngineIndex {
  const { numbers, said, score = asItIs } = own;

  /** A condition in which each number is known to the index. */
  async function withKnown<Request extends EngineRequest>(request: Request): Promise<Request> {
    if (numbers === undefined || request.condition === undefined) return request;
    await numbers.learnFor(request.condition, request.signal);
    return { ...request, condition: withKnownNumbers(request.condition, numbers) };
  }

  async function nearest(request: EngineRequest): Promise<readonly EngineCandidate[]> {
    if (query === "none") refuseOptions(name, request.options);
    if (request.options !== undefined) checkGiven(`A search of ${name}`, "storeOptions", request.options, "object");
    const options = { ...(query as object | undefined), ...(request.options as object | undefined) };
    const found = await own.nearest(await withKnown({ ...request, options }));
    // An engine that joins words itself makes the score of both.
    if (request.words !== undefined && said === undefined) return found;
    return found.map(({ ref, score: value }) => ({ ref, score: score(value) }));
  }

  return {
    count: (tag, signal) => own.count(tag, signal),
    async list(tag, from, signal) {
      const found = await own.list(tag, from, signal);
      if (!("length" in found)) return found;
      return { keys: found, next: found.length < pageSize ? undefined : found.at(-1) };
    },
    async put(entries, signal) {
      if (entries.length === 0) return;
      await numbers?.addFor(entries, signal);
      await own.put(entries, signal);
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
    nearest: joinWords(nearest, said && (async (words, request) => said(words, await withKnown(request)))),
  };
}
