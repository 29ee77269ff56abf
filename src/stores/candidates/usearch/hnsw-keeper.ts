import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type EmbeddingVersion,
  kindOf,
  type Vector,
  type VersionedEmbedding,
  versionKey,
} from "../../../contracts/embedding.ts";
import { IbidError } from "../../../contracts/errors.ts";
import type { KnowledgeStore, ScopeRevision } from "../../../contracts/knowledge-store.ts";
import type { AuthorizedScopes, Scope } from "../../../contracts/scope.ts";
import type { HnswFiles } from "./hnsw-files.ts";
import { type HnswIndex, type IndexedVector, type IndexFacts } from "./hnsw-index.ts";

export interface KeeperOptions {
  readonly startAt: number;
  readonly files: HnswFiles | undefined;
  /** How graphs are built, as one string. */
  readonly settings: string;
  readonly create: (dimensions: number) => HnswIndex;
  readonly load: (dimensions: number, path: string, facts: IndexFacts) => HnswIndex;
}

/** A store that says how far its scopes have come. */
export type RevisedStore = KnowledgeStore & Required<Pick<KnowledgeStore, "revisions">>;

/** What a write means for one graph. **Shape** false when only the store can tell: then the graph is brought up to date from it. */
export type ApplyWrite = (graph: WrittenGraph) => boolean;

/** A graph as a write sees it. */
export interface WrittenGraph {
  readonly version: string;
  has(id: string): boolean;
  put(vectors: readonly IndexedVector[]): void;
  /** Chunks that cannot be found any more; their vectors stay until the graph is built anew. */
  lose(chunks: number): void;
}

/**
 * Keeps graphs beside a store: made in the background when a search wants one, brought up to date by every write that goes through here,
 * by a look at the whole scope after any other, and never used before that.
 */
export interface HnswKeeper {
  /** The graph of the one scope of `proof`, when there is one that holds all that the store does. */
  current(proof: AuthorizedScopes, revision: ScopeRevision, version: EmbeddingVersion): Promise<HnswIndex | undefined>;
  /** The same at once and for nothing, of a scope that was asked for before: `"scan"` when it is too small, `"unknown"` when somebody must look. */
  known(revision: ScopeRevision, version: EmbeddingVersion): HnswIndex | "scan" | "unknown";
  /** Runs a write after those before it, and tells the scope's graphs of it. */
  write<Result>(
    into: AuthorizedScopes<"write">,
    work: () => Promise<Result>,
    apply: (result: Result) => ApplyWrite,
  ): Promise<Result>;
  /** Compares lives after something was removed for good. */
  forget(): Promise<void>;
  /** Waits for what is being made, and writes what is not yet on disk. **Errors** of making and of writing. */
  save(): Promise<void>;
  /** What is being made is given up. */
  stop(): Promise<void>;
}

interface Kept {
  readonly scope: Scope;
  readonly version: string;
  readonly dimensions: number;
  /** For looks into the store between searches; it reads this scope and no other. */
  readonly proof: AuthorizedScopes;
  readonly loading: Promise<void>;
  index: HnswIndex | undefined;
  /** What the graph stands at, once `complete`. */
  revision: ScopeRevision | undefined;
  complete: boolean;
  dirty: boolean;
  lost: number;
  refreshing: Promise<void> | undefined;
  /** Put in by writes while the scope is looked through: newer than what the look may still give. */
  readonly touched: Set<string>;
  /** Vectors of this version in the store, and at which revision they were counted. */
  counted: { readonly revision: ScopeRevision; readonly vectors: number } | undefined;
}

const batch = 256;

export function createHnswKeeper(store: RevisedStore, options: KeeperOptions): HnswKeeper {
  const { files, settings, startAt } = options;
  const graphs = new Map<string, Kept>();
  const nameOf = (scope: Scope, version: string): string => JSON.stringify([scope, version]);
  let writing: Promise<unknown> = Promise.resolve();
  let failure: Error | undefined;
  let stopped = false;

  function keptFor(proof: AuthorizedScopes, scope: Scope, version: EmbeddingVersion): Kept {
    const key = versionKey(version);
    const name = nameOf(scope, key);
    let kept = graphs.get(name);
    if (kept === undefined) {
      const made: Kept = {
        scope,
        proof,
        version: key,
        dimensions: version.dimensions,
        touched: new Set(),
        index: undefined,
        revision: undefined,
        complete: false,
        dirty: false,
        lost: 0,
        refreshing: undefined,
        counted: undefined,
        loading: Promise.resolve().then(() => load(made)),
      };
      graphs.set(name, (kept = made));
    }
    return kept;
  }

  async function load(kept: Kept): Promise<void> {
    const found = await files?.read(kept, settings);
    if (found === undefined || stopped) return;
    const { manifest, path } = found;
    try {
      kept.index = options.load(kept.dimensions, path, manifest);
    } catch {
      // Gone since it was looked at, or not to the library's liking: built anew.
      return;
    }
    kept.revision = manifest.revision;
    kept.complete = true;
  }

  /** **Shape** what `complete` says is not so before the file was read. */
  function currentOf(kept: Kept, revision: ScopeRevision): HnswIndex | undefined {
    const isCurrent = kept.complete && isSame(kept.revision, revision) && kept.lost * 4 <= (kept.index?.size ?? 0);
    return isCurrent ? kept.index : undefined;
  }

  async function isDue(kept: Kept, revision: ScopeRevision): Promise<boolean> {
    if (kept.counted === undefined || !isSame(kept.counted.revision, revision)) {
      const { embeddingVersions } = await store.status(kept.proof);
      const vectors = embeddingVersions.find((version) => versionKey(version) === kept.version)?.chunks ?? 0;
      kept.counted = { revision, vectors };
    }
    return kept.counted.vectors >= startAt;
  }

  /** Looks through the scope. One refresh at a time; what goes wrong is told by `save`. */
  function refresh(kept: Kept): void {
    kept.refreshing ??= lookThrough(kept)
      .catch((error: unknown) => {
        if (!stopped) failure = error as Error;
      })
      .finally(() => {
        kept.refreshing = undefined;
        kept.touched.clear();
      });
  }

  async function lookThrough(kept: Kept): Promise<void> {
    const [now] = await store.revisions(kept.proof);
    if (now === undefined) return;
    const isAnother = kept.revision?.life !== now.life;
    if (isAnother && kept.revision !== undefined) await files?.drop(kept.scope);
    const isHollow = kept.lost * 4 > (kept.index?.size ?? 0);
    const index = isAnother || isHollow || kept.index === undefined ? options.create(kept.dimensions) : kept.index;
    Object.assign(kept, { index, revision: now, complete: false, dirty: true, lost: 0 });
    const seen = new Set<string>();
    let vectors: IndexedVector[] = [];
    const flush = async (): Promise<void> => {
      index.put(vectors.filter(({ id }) => !kept.touched.has(id)));
      vectors = [];
      await nextTurn();
    };
    for await (const { chunk, embeddings } of store.chunks(kept.proof, { includeEmbeddings: true })) {
      if (stopped) return;
      const vector = denseOf(embeddings ?? [], kept.version);
      if (vector === undefined) continue;
      seen.add(chunk.id);
      if (vectors.push({ id: chunk.id, vector }) === batch) await flush();
    }
    await flush();
    // A purge took it meanwhile.
    if (kept.index !== index) return;
    index.keep((id) => seen.has(id) || kept.touched.has(id));
    kept.complete = true;
  }

  async function dropGraph(kept: Kept): Promise<void> {
    Object.assign(kept, { index: undefined, revision: undefined, complete: false, dirty: false });
    await files?.drop(kept.scope);
  }

  async function saveGraph(kept: Kept): Promise<void> {
    const { index, revision } = kept;
    if (!kept.dirty || !kept.complete || files === undefined || index === undefined || revision === undefined) return;
    const [before] = await store.revisions(kept.proof);
    // Another process was here: what it removed must not come back in a file.
    if (!isSame(before, revision) || kept.revision !== revision) return;
    kept.dirty = false;
    try {
      await files.write(kept, settings, revision, (path) => index.save(path));
    } catch (cause) {
      kept.dirty = true;
      throw new IbidError("store-failed", `The HNSW index cannot be written: ${(cause as Error).message}.`, {
        hint: "Make its folder writable, or leave it out.",
        cause,
      });
    }
    const [after] = await store.revisions(kept.proof);
    if (after?.life !== revision.life) await dropGraph(kept);
  }

  return {
    async current(proof, revision, version) {
      const kept = keptFor(proof, revision.scope, version);
      await kept.loading;
      if (stopped) return undefined;
      const index = currentOf(kept, revision);
      if (index === undefined && (await isDue(kept, revision))) refresh(kept);
      return index;
    },

    known(revision, version) {
      const kept = graphs.get(nameOf(revision.scope, versionKey(version)));
      if (kept === undefined || stopped) return "unknown";
      const { counted } = kept;
      const isSmall = counted !== undefined && isSame(counted.revision, revision) && counted.vectors < startAt;
      return currentOf(kept, revision) ?? (isSmall ? "scan" : "unknown");
    },

    write(into, work, apply) {
      const scope = scopeOf(into);
      const run = async () => {
        const concerned = [...graphs.values()].filter((kept) => kept.scope === scope);
        if (concerned.length === 0) return work();
        const [before] = await store.revisions(into);
        const result = await work();
        const [after] = await store.revisions(into);
        if (isSame(before, after)) return result;
        for (const kept of concerned) {
          await kept.loading;
          const { index } = kept;
          if (after?.life !== before?.life) await dropGraph(kept);
          // Ours alone, on what the graph stands at: otherwise the next search finds that it has fallen behind.
          else if (index !== undefined && isSame(kept.revision, before) && after?.changes === before!.changes + 1) {
            kept.dirty = true;
            const put = (vectors: readonly IndexedVector[]): void => {
              for (const { id } of vectors) kept.touched.add(id);
              index.put(vectors);
            };
            const lose = (chunks: number): void => void (kept.lost += chunks);
            const done = apply(result)({ version: kept.version, has: (id) => index.has(id), put, lose });
            if (kept.refreshing === undefined) kept.touched.clear();
            if (done) kept.revision = after;
          }
        }
        return result;
      };
      const result = writing.then(run);
      writing = result.catch(() => {});
      return result;
    },

    async forget() {
      for (const kept of graphs.values()) {
        const [now] = await store.revisions(kept.proof);
        await kept.loading;
        if (kept.revision !== undefined && kept.revision.life !== now?.life) await dropGraph(kept);
      }
    },

    async save() {
      for (const kept of graphs.values()) {
        await kept.loading;
        await kept.refreshing;
        await saveGraph(kept);
      }
      const told = failure;
      failure = undefined;
      if (told !== undefined) throw told;
    },

    async stop() {
      stopped = true;
      for (const kept of graphs.values()) {
        await kept.loading;
        await kept.refreshing;
      }
      await writing;
    },
  };
}

function isSame(a: ScopeRevision | undefined, b: ScopeRevision | undefined): boolean {
  return a !== undefined && b !== undefined && a.life === b.life && a.changes === b.changes;
}

/** Of a proof that nobody has looked at yet. */
function scopeOf(into: AuthorizedScopes<"write"> | null | undefined): Scope | undefined {
  return into?.scopes?.[0];
}

/** A chunk's dense vector of that version, as 32-bit numbers. */
export function denseOf(embeddings: readonly VersionedEmbedding[], version: string): Float32Array | undefined {
  const found = embeddings.findLast(
    ({ version: other, embedding }) => versionKey(other) === version && kindOf(embedding) === "dense",
  );
  return found && new Float32Array(found.embedding as Vector);
}
