import type { Engine, EngineCapabilities, EngineIndexSpec } from "../../contracts/engine.ts";
import { checkPrefix, everyCondition } from "./check-engine.ts";
import { answers } from "./engine-ready.ts";
import { joinWords, type WordedIndex } from "./join-words.ts";

/** The parts in which engines differ, beside their indexes. Names of indexes are whole: they begin with the prefix. */
export interface EngineParts {
  readonly name: string;
  readonly native: unknown;
  /** Beginning of the names of indexes. Default `"ibid"`. */
  readonly prefix: string | undefined;
  /** Promises that differ from {@link usual}. */
  readonly capabilities: Partial<EngineCapabilities>;
  open(name: string, spec: EngineIndexSpec, signal?: AbortSignal): Promise<WordedIndex>;
  /** Indexes whose names begin with a text. Others, which a server gives beside them, are passed over. */
  names(beginning: string, signal?: AbortSignal): Promise<readonly string[]>;
  drop(name: string, signal?: AbortSignal): Promise<unknown>;
  readonly close?: (() => Promise<void>) | undefined;
}

/** Promises of most engines. */
const usual: EngineCapabilities = {
  exhaustive: false,
  conditions: everyCondition,
  metrics: ["cosine", "dot", "euclidean"],
  visibleAfterMs: 0,
  candidates: 10_000,
  batch: 500,
};

/** An engine whose indexes lie beside those of others, in a server or a database. **Errors** `invalid-argument` for the prefix. */
export function createEngine(parts: EngineParts): Engine {
  const { name, native, close } = parts;
  const prefix = `${checkPrefix(name, parts.prefix ?? "ibid")}_`;
  return {
    name,
    native,
    capabilities: { ...usual, ...parts.capabilities },
    open: async (spec, signal) => joinWords(await parts.open(`${prefix}${spec.name}`, spec, signal)),
    async indexes(beginning, signal) {
      const start = `${prefix}${beginning}`;
      const found = await parts.names(start, signal);
      return found.filter((each) => each.startsWith(start)).map((each) => each.slice(prefix.length));
    },
    async drop(index, signal) {
      // No index has a name with other characters.
      if (/^\w+$/u.test(index)) await parts.drop(`${prefix}${index}`, signal);
    },
    ready: (signal) => answers(() => parts.names(prefix, signal)),
    ...(close && { close }),
  };
}
