import type { DocumentEntry } from "../../../contracts/document-store.ts";
import { IbidError } from "../../../contracts/errors.ts";
import type { KnowledgeStore } from "../../../contracts/knowledge-store.ts";
import type { AuthorizedScopes, Scope } from "../../../contracts/scope.ts";
import type { ChunkEntry, Metric } from "../../../contracts/store.ts";
import type { VectorMatch } from "../../../contracts/vector-store.ts";
import { narrowProof } from "../../../access/gate.ts";
import { compareCodePoints } from "../../../runtime/compare-text.ts";
import { type CandidateSearch, candidateSearchOf } from "../candidate-search.ts";
import { copyDocument, copyEntry } from "../../guard/copy-data.ts";
import { checkOptions } from "../../../runtime/check-options.ts";
import { createHnswFiles } from "./hnsw-files.ts";
import { createHnswIndex, type IndexedVector } from "./hnsw-index.ts";
import { type ApplyWrite, createHnswKeeper, denseOf, type HnswKeeper, type RevisedStore } from "./hnsw-keeper.ts";
import { loadUsearch, type NativeIndex, type NativeSettings, type UsearchLibrary } from "./load-usearch.ts";
import { type Asked, readAsked, searchGraph } from "./search-graph.ts";

/**
 * How an HNSW index is built and used.
 *
 * @experimental
 */
export interface HnswOptions {
  /** Where graphs are kept between runs; nobody else's files belong there. Default: nowhere, they are built again. */
  readonly folder?: string;
  /** Vectors of one version in one scope from which on there is a graph; below, the exact scan is as fast. Default 50,000. */
  readonly startAt?: number;
  /** Similarity of a search that does not say which, as the store was opened with. Default `"cosine"`. */
  readonly metric?: Metric;
  /** Neighbours of a node: more of them find more and take more memory. Default 16. **Source** Malkov and Yashunin 2018, M. */
  readonly connectivity?: number;
  /** Candidates while building. Default 128. **Source** the same, efConstruction. */
  readonly expansionAdd?: number;
  /** Candidates while searching, at least. Default 64. **Source** the same, ef. */
  readonly expansionSearch?: number;
  /** Threads that build. Default: as many as the machine has. */
  readonly threads?: number;
  /** The package `usearch`, where it cannot be found by its name. */
  readonly usearch?: UsearchLibrary;
}

const hnswOptionNames = [
  ...([
    "folder",
    "startAt",
    "metric",
    "connectivity",
    "expansionAdd",
    "expansionSearch",
    "threads",
    "usearch",
  ] as const),
];

/**
 * Puts an approximate index before a store's search for the nearest dense vectors: a hierarchical navigable small world graph, for scopes
 * that are large enough. The store stays the truth: a graph only names candidates, which the store then scores and filters as it always
 * does, for the proof that came. Nothing is found that the store would not give; what can go missing is a neighbour that the graph overlooked.
 *
 * **Shape** `capabilities.exact` is false. A search that fewer candidates survive than it wants (filters, origins, deletes) is answered by the
 * store's exact scan; so are those for everything, for more than 1,000, by distance, by dot product among vectors of unequal lengths, of
 * sparse and hybrid vectors, and all of a scope whose graph is not there or has fallen behind. The first search of a large scope starts
 * to make its graph and is itself exact; `settle` waits for it and writes it, `close` writes what is finished. Writes through this store are in
 * the graph when they are acknowledged; those of other processes are noticed by the store's revisions, and the graph is brought up to date
 * before it is used again. After a purge, a vacuum or the deletion of a scope, the scope's graph and its files are gone when the call
 * returns (another process that has this folder open drops its own at its next search), and made again at the next search. A
 * replaced vector lies in memory and file, out of everybody's sight, until a quarter of the graph is gone or it is made again.
 * **Errors** `dependency-missing` without the package `usearch`; `unsupported` for a store without revisions; `invalid-argument` for an option that cannot be.
 * **Cost** in memory and on disk about 1 byte for each coordinate and 250 for each vector, besides what the store holds; see bench/README.md.
 * **Source** Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using HNSW graphs, 2018; coordinates are kept as bytes.
 * @experimental
 */
export async function withHnsw(store: KnowledgeStore, options: HnswOptions = {}): Promise<KnowledgeStore> {
  checkOptions("hnsw", options, hnswOptionNames);
  const { folder, startAt = 50_000, metric = "cosine", threads = 0 } = options;
  const { connectivity = 16, expansionAdd = 128, expansionSearch = 64 } = options;
  const counts = { startAt, connectivity, expansionAdd, expansionSearch };
  for (const [name, count] of Object.entries({ ...counts, threads: threads + 1 })) {
    if (Number.isInteger(count) && count >= 1) continue;
    throw new IbidError("invalid-argument", `${name} of hnsw is ${String(count)}.`, { hint: "It is a whole number." });
  }
  if (!isRevised(store)) {
    throw new IbidError("unsupported", "This store does not say when it has changed, so no index can be kept of it.");
  }
  const usearch = options.usearch ?? (await loadUsearch());

  const settingsFor = (dimensions: number): NativeSettings => ({
    dimensions,
    metric: "ip",
    quantization: "i8",
    connectivity,
    expansion_add: expansionAdd,
    expansion_search: expansionSearch,
  });
  const open = (dimensions: number): NativeIndex => new usearch.Index(settingsFor(dimensions));
  const keeper = createHnswKeeper(store, {
    startAt,
    files: folder === undefined ? undefined : createHnswFiles(folder, store.secret),
    settings: JSON.stringify(settingsFor(0)),
    create: (dimensions) => createHnswIndex(open(dimensions), threads),
    load(dimensions, path, facts) {
      const native = open(dimensions);
      native.load(path);
      if (native.size() !== facts.ids.length) throw new RangeError("The graph is not of its manifest's size.");
      return createHnswIndex(native, threads, facts);
    },
  });
  return createHnswStore(store, keeper, metric);
}

function isRevised(store: KnowledgeStore): store is RevisedStore {
  return store.revisions !== undefined;
}

function createHnswStore(store: RevisedStore, keeper: HnswKeeper, standard: Metric): KnowledgeStore {
  let closing: Promise<void> | undefined;
  const candidates = candidateSearchOf(store);
  const others: Partial<RevisedStore> & Omit<RevisedStore, "replaceInBatches"> = { ...store };
  // The graph must be told of every vector, and holds them all in memory: it takes documents whole.
  delete others.replaceInBatches;

  return {
    ...others,
    capabilities: Object.freeze({ ...store.capabilities, exact: false }),
    get secret() {
      return store.secret;
    },

    async upsert(into, entries) {
      const copies = attempt(() => entries.map(copyEntry));
      if (copies === undefined) return store.upsert(into, entries);
      return keeper.write(
        into,
        () => store.upsert(into, copies),
        () => putEntries(copies),
      );
    },

    async replace(into, entry) {
      const copy = attempt((): DocumentEntry => ({
        ...entry,
        document: copyDocument(entry.document),
        entries: entry.entries.map(copyEntry),
        ...(entry.keeps === undefined ? {} : { keeps: [...entry.keeps] }),
      }));
      if (copy === undefined) return store.replace(into, entry);
      return keeper.write(
        into,
        () => store.replace(into, copy),
        ({ removed }) =>
          (graph) => {
            graph.lose(removed);
            return putEntries(copy.entries)(graph);
          },
      );
    },

    async delete(from, target, options) {
      const copy = attempt(() => structuredClone(target)) ?? target;
      return keeper.write(
        from,
        () => store.delete(from, copy, options),
        (gone) => (graph) => {
          // Hidden by the store; the vectors wait, for the chunks may be restored.
          graph.lose(gone);
          return true;
        },
      );
    },

    async restore(into, target) {
      const copy = attempt(() => structuredClone(target)) ?? target;
      return keeper.write(
        into,
        () => store.restore(into, copy),
        () => (graph) => "ids" in copy && copy.ids.every((id) => graph.has(id)),
      );
    },

    async vacuum(authority, options) {
      const gone = await store.vacuum(authority, options);
      await keeper.forget();
      return gone;
    },

    async search(scopes, query) {
      const asked = readAsked(query, standard);
      return asked === undefined ? store.search(scopes, query) : searchGraphs(store, candidates, keeper, scopes, asked);
    },

    async settle(options) {
      await store.settle(options);
      await keeper.save();
    },

    close: () =>
      (closing ??= (async () => {
        await keeper.stop();
        try {
          await keeper.save();
        } finally {
          await store.close();
        }
      })()),
  };
}

/** By the store's own door for candidates, where it has one and everything is known; else by ids. */
async function searchGraphs(
  store: RevisedStore,
  candidates: CandidateSearch | undefined,
  keeper: HnswKeeper,
  scopes: AuthorizedScopes,
  asked: Asked,
): Promise<readonly VectorMatch[]> {
  const found =
    (await candidates?.(scopes, asked.query, (revision, score) => {
      const index = keeper.known(revision, asked.version);
      if (typeof index === "string") return index;
      const steps = searchGraph<ReturnType<typeof score>[number]>(index, asked);
      let step = steps.next();
      while (step.done !== true) step = steps.next(score(step.value));
      return step.value ?? "scan";
    })) ?? (await searchByIds(store, keeper, scopes, asked));
  return found.toSorted(byScore).slice(0, asked.topK);
}

async function searchByIds(
  store: RevisedStore,
  keeper: HnswKeeper,
  scopes: AuthorizedScopes,
  asked: Asked,
): Promise<readonly VectorMatch[]> {
  const { minScore: _minScore, ...rest } = asked.query;
  const exact: Scope[] = [];
  const found: VectorMatch[] = [];
  for (const revision of await store.revisions(scopes)) {
    const proof = narrowProof(scopes, [revision.scope]);
    const index = await keeper.current(proof, revision, asked.version);
    if (index === undefined) {
      exact.push(revision.scope);
      continue;
    }
    const steps = searchGraph<VectorMatch>(index, asked);
    let step = steps.next();
    while (step.done !== true) {
      const { numbers, idOf } = step.value;
      const chunkIds = Array.from(numbers, idOf).filter((id) => id !== undefined);
      step = steps.next(await store.search(proof, { ...rest, chunkIds }));
    }
    if (step.value === undefined) exact.push(revision.scope);
    else found.push(...step.value);
  }
  if (found.length === 0 || exact.length > 0) {
    found.push(...(await store.search(narrowProof(scopes, exact), asked.query)));
  }
  return found;
}

function byScore(a: VectorMatch, b: VectorMatch): number {
  return b.score - a.score || compareCodePoints(a.chunk.id, b.chunk.id) || compareCodePoints(a.scope, b.scope);
}

/** Chunks without a vector keep the one that is there: if the graph does not know of any, only the store can tell. */
function putEntries(entries: readonly ChunkEntry[]): ApplyWrite {
  return (graph) => {
    const vectors: IndexedVector[] = [];
    let known = true;
    for (const { chunk, embeddings } of entries) {
      const vector = denseOf(embeddings, graph.version);
      if (vector !== undefined) vectors.push({ id: chunk.id, vector });
      else if (embeddings.length === 0 && !graph.has(chunk.id)) known = false;
    }
    graph.put(vectors);
    return known;
  };
}

/** What cannot be copied cannot be stored either, and the store says so. */
function attempt<Copy>(copy: () => Copy): Copy | undefined {
  try {
    return copy();
  } catch {
    return undefined;
  }
}
