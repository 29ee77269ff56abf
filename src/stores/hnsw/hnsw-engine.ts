import type { BlobStore } from "../../contracts/blob-store.ts";
import type { Engine, EngineEntry, EngineIndex, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import {
  checkDimensions,
  engineFailed,
  everyCondition,
  measureOf,
  metricsOf,
  refuseOptions,
} from "../engines/check-engine.ts";
import { fromOne, fromSquare } from "../engines/engine-scores.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { createGraphBlobs, createGraphFolder, type GraphShelf } from "./graph-shelf.ts";
import { loadUsearch, type UsearchIndex, type UsearchLibrary } from "./load-usearch.ts";

/**
 * Options of {@link createHnswEngine}.
 *
 * @experimental
 */
export interface HnswOptions {
  /** Folder of the graphs, so that the next process opens them as they are. Default: none; they are made again. One process may use it at a time. */
  readonly path?: string | undefined;
  /** Blob store of the graphs, in place of `path`. Default for a knowledge base with `snapshots` that names this engine: that of the snapshots. */
  readonly blobs?: BlobStore | undefined;
  /** Prefix of the graphs' keys in `blobs`. Default `"graphs/"`. */
  readonly prefix?: string | undefined;
  /** Neighbours of a node. Default 16. */
  readonly connectivity?: number | undefined;
  /** Candidates while a node is added. Default 128. */
  readonly expansionAdd?: number | undefined;
  /** Candidates of a search: more find more. Default 256. */
  readonly expansionSearch?: number | undefined;
  /** Numbers of the graph. Default `"f32"`; `"f16"` and `"i8"` take less memory, and ibid scores with the stored vectors all the same. */
  readonly quantization?: "f32" | "f16" | "bf16" | "i8" | undefined;
  /** The package, where the application has loaded it. Default: it is found when it is needed. */
  readonly library?: UsearchLibrary | undefined;
}

/** Entries without their vectors, which the graph has. */
interface Held {
  readonly label: number;
  readonly ref: string;
  readonly tags: ReadonlySet<string>;
  readonly numbers: Readonly<Record<string, number>>;
}

interface Graph {
  readonly spec: Pick<EngineIndexSpec, "name" | "dimensions" | "metric">;
  readonly index: UsearchIndex;
  readonly held: Map<string, Held>;
  readonly keys: Map<number, string>;
  next: number;
  isChanged: boolean;
}

const name = "hnsw";

/** **Source** usearch: one minus the cosine and the product, and the squared distance. Its others are for bits, places on a globe and distributions. */
const measures = {
  cosine: { name: "cos", score: fromOne },
  dot: { name: "ip", score: fromOne },
  euclidean: { name: "l2sq", score: fromSquare },
};

/** Neighbours that are looked at where a condition excludes many. Beyond, the store compares what is left. */
const mostLooked = 8_192;

/**
 * An engine in this process: a graph of the package `usearch`, 2.26 or later.
 *
 * **Shape** graphs are written to `path`, or to `blobs`, when the engine is closed. After a crash the last ones are opened. The store finds the difference, and `settle` repairs it.
 * **Errors** `dependency-missing` without the package; `invalid-argument` for `path` beside `blobs`; `store-failed` for a folder or a blob store that cannot be used. **Cost** the vectors and the graph are in memory.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createHnswEngine({ path: "./kb/graphs" }) });
 *
 * @experimental
 */
export function createHnswEngine(options: HnswOptions = {}): Engine {
  checkOptions("createHnswEngine", options, {
    path: true,
    blobs: true,
    prefix: true,
    connectivity: true,
    expansionAdd: true,
    expansionSearch: true,
    quantization: true,
    library: true,
  });
  const shelf = openShelf(options);
  const { connectivity = 16, expansionAdd = 128, expansionSearch = 256, quantization = "f32" } = options;
  const graphs = new Map<string, Graph>();
  // A package that is missing shows at once: searches go on without an engine that fails.
  const library = options.library ?? loadUsearch();

  function makeIndex({ dimensions, metric }: Graph["spec"]): UsearchIndex {
    return new library.Index({
      dimensions,
      metric: measureOf(name, measures, metric).name,
      quantization,
      connectivity,
      expansion_add: expansionAdd,
      expansion_search: expansionSearch,
      multi: false,
    });
  }

  return {
    name,
    native: graphs,
    capabilities: {
      exhaustive: false,
      conditions: everyCondition,
      metrics: metricsOf(measures),
      visibleAfterMs: 0,
      candidates: mostLooked,
      batch: 1_000,
    },
    async open(spec) {
      const known = graphs.get(spec.name);
      const graph = known ?? (await load(shelf, spec, makeIndex)) ?? emptyGraph(spec, makeIndex(spec));
      checkDimensions(name, spec, graph.spec.dimensions);
      // Another call may have opened it meanwhile.
      const first = graphs.get(spec.name) ?? graph;
      graphs.set(spec.name, first);
      return createIndex(first);
    },
    async indexes(beginning) {
      const saved = (await shelf?.names()) ?? [];
      return [...new Set([...graphs.keys(), ...saved])].filter((each) => each.startsWith(beginning));
    },
    async drop(index) {
      graphs.delete(index);
      if (/^[a-z0-9_]+$/u.test(index)) await shelf?.drop(index);
    },
    async close() {
      if (shelf === undefined) return;
      try {
        for (const graph of graphs.values()) if (graph.isChanged) await save(shelf, graph);
      } catch (cause) {
        throw engineFailed(name, `writing graphs to ${shelf.place}`, cause);
      }
    },
  };
}

/** **Errors** `invalid-argument` for two places, and for a prefix without blobs. */
function openShelf({ path, blobs, prefix }: HnswOptions): GraphShelf | undefined {
  if (blobs === undefined) {
    if (prefix === undefined) return path === undefined ? undefined : createGraphFolder(path);
    throw new IbidError("invalid-argument", "createHnswEngine: prefix is given without blobs.", {
      hint: "Give blobs as well, or leave prefix out.",
    });
  }
  if (path === undefined) return createGraphBlobs(blobs, prefix ?? "graphs/");
  throw new IbidError("invalid-argument", "createHnswEngine: both path and blobs are given.", {
    hint: "Keep the graphs in one place.",
  });
}

function emptyGraph({ name: index, dimensions, metric }: EngineIndexSpec, made: UsearchIndex): Graph {
  return {
    spec: { name: index, dimensions, metric },
    index: made,
    held: new Map(),
    keys: new Map(),
    next: 0,
    isChanged: false,
  };
}

async function save(shelf: GraphShelf, graph: Graph): Promise<void> {
  const { spec, index, held, next } = graph;
  const entries = Array.from(held, ([key, { label, ref, tags, numbers }]) => [key, label, ref, [...tags], numbers]);
  await shelf.write(spec.name, JSON.stringify({ ...spec, next, entries }), (file) => index.save(file));
  graph.isChanged = false;
}

interface Saved extends Graph {
  readonly entries: readonly (readonly [
    key: string,
    label: number,
    ref: string,
    tags: readonly string[],
    numbers: Held["numbers"],
  ])[];
}

/** The saved graph; `undefined` where there is none, or its parts are not of one time. A new one is filled from the store. */
async function load(
  shelf: GraphShelf | undefined,
  spec: EngineIndexSpec,
  makeIndex: (spec: Graph["spec"]) => UsearchIndex,
): Promise<Graph | undefined> {
  const index = makeIndex(spec);
  try {
    const entries = await shelf?.read(spec.name, (file) => index.load(file));
    if (entries === undefined) return undefined;
    const saved = JSON.parse(entries) as Graph["spec"] & Pick<Saved, "entries" | "next">;
    checkDimensions(name, spec, saved.dimensions);
    if (saved.metric !== spec.metric || index.size() !== saved.entries.length) return undefined;
    const graph: Graph = { ...emptyGraph(spec, index), next: saved.next };
    for (const [key, label, ref, tags, numbers] of saved.entries) {
      graph.held.set(key, { label, ref, tags: new Set(tags), numbers });
      graph.keys.set(label, key);
    }
    return graph;
  } catch {
    return undefined;
  }
}

const pageSize = 1_000;

function createIndex(graph: Graph): EngineIndex {
  const { index, held, keys } = graph;
  const { score } = measureOf(name, measures, graph.spec.metric);
  return {
    async put(entries: readonly EngineEntry[]) {
      for (const { key, ref, tags, numbers, vector } of entries) {
        if (held.has(key)) continue;
        const label = graph.next++;
        index.add(BigInt(label), vector);
        held.set(key, { label, ref, tags: new Set(tags), numbers });
        keys.set(label, key);
        graph.isChanged = true;
      }
    },
    async delete(gone) {
      for (const key of gone) {
        const label = held.get(key)?.label;
        if (label === undefined) continue;
        index.remove(BigInt(label));
        held.delete(key);
        keys.delete(label);
        graph.isChanged = true;
      }
    },
    async count(tag) {
      let count = 0;
      for (const { tags } of held.values()) if (tags.has(tag)) count++;
      return count;
    },
    async list(tag, from) {
      const page: string[] = [];
      let isPast = from === undefined;
      for (const [key, { tags }] of held) {
        if (isPast && tags.has(tag) && page.push(key) === pageSize) return { keys: page, next: key };
        isPast ||= key === from;
      }
      return { keys: page };
    },
    async nearest({ vector, condition, limit, options }) {
      refuseOptions(name, options);
      const meets = writeTest(condition);
      const most = Math.min(held.size, Math.max(limit, mostLooked));
      for (let asked = Math.min(most, limit); ; asked = Math.min(most, asked * 4)) {
        if (asked === 0) return [];
        const found = index.search(vector, asked, 1);
        const candidates = Array.from(found.keys, (label, i) => {
          const entry = held.get(keys.get(Number(label)) ?? "");
          return entry !== undefined && meets(entry) ? [{ ref: entry.ref, score: score(found.distances[i]!) }] : [];
        }).flat();
        if (candidates.length >= limit || asked === most) return candidates.slice(0, limit);
      }
    },
  };
}

type Test = (entry: Held) => boolean;

const comparisons = {
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
} as const;

function writeTest(condition: Parameters<typeof writeCondition>[0]): Test {
  const test = writeCondition<Test>(condition, {
    has: (tag) => (entry) => entry.tags.has(tag),
    lacks: (tag) => (entry) => !entry.tags.has(tag),
    number: (key, is, value) => (entry) => key in entry.numbers && comparisons[is](entry.numbers[key]!, value),
    and: (parts) => (entry) => parts.every((part) => part(entry)),
    or: (parts) => (entry) => parts.some((part) => part(entry)),
    nothing: () => () => false,
  });
  return test ?? (() => true);
}
