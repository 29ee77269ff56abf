import { type EmbeddingVersion, versionKey } from "../../contracts/embedding.ts";
import type { Engine, EngineEntry, EngineIndex, EngineMetric } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkRef, Moment, Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DocumentStore, ListChunksOptions } from "../../contracts/store.ts";
import { pause, throwIfAborted } from "../../runtime/abort.ts";
import { isOwnVersion } from "../segments/own-version.ts";
import { createEngineTags, type EngineTags, toEntry } from "./engine-tags.ts";
import { toEngineVector } from "./engine-vector.ts";

/**
 * Knowledge about an engine's copy of a scope, in one version. `"compared"`: each entry was compared with the chunks. `"counted"`: there are as many entries as
 * chunks. `"unknown"`: neither.
 */
export type Trust = "compared" | "counted" | "unknown";

/** Brings an engine up to date with the document store, and knows how far it is. */
export interface EngineKeeper {
  readonly tags: EngineTags;
  index(version: EmbeddingVersion): Promise<EngineIndex>;
  /** How far the engine's copy of a scope can be trusted as of the moment. */
  trust(version: EmbeddingVersion, scope: Scope, moment: Moment, signal?: AbortSignal): Promise<Trust>;
  /** Chunks of documents that the engine may not know as they are; `undefined` where there are too many to score one by one. */
  fresh(scopes: readonly Scope[]): Promise<readonly ChunkRef[] | undefined>;
  /** Runs a write, with its documents fresh until the engine has shown them. */
  following<Result>(scope: Scope, documents: readonly string[], write: () => Promise<Result>): Promise<Result>;
  /** A commit of this process, whose documents are fresh. */
  committed(receipt: Receipt): void;
  /** Waits until the engine has shown every document. **Errors** the engine's last, `store-busy` when it still lags. */
  drained(signal?: AbortSignal): Promise<void>;
  /** Compares every entry of some scopes with the chunks, writes those that are missing and removes the others. */
  compare(scopes: readonly Scope[] | "all", signal?: AbortSignal): Promise<void>;
  /** Sum of the differences between entries and vectors, over scopes and versions. **Cost** two counts for each. */
  differing(): Promise<number>;
  /** Removes indexes of versions that no chunk has any more. */
  dropFormer(signal?: AbortSignal): Promise<void>;
  /** Entries that the engine has of a document, or of a scope, in all versions. */
  left(scope: Scope, documentId?: string): Promise<number>;
  /** Removes every entry of a scope. */
  clear(scope: Scope): Promise<void>;
  /**
   * Whether an index has lost entries of some scopes, where it proposed fewer than it was asked for.
   *
   * **Cost** nothing where it proposed all that should be there; else a count, or one page of a scope that has more than `limit`.
   */
  lacks(
    version: EmbeddingVersion,
    scopes: readonly Scope[],
    proposed: Proposed,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Opens every index anew and counts again: one may be gone, or made anew, behind this process. */
  forget(): void;
}

/** An answer of an engine, by numbers. */
export interface Proposed {
  readonly found: number;
  readonly limit: number;
}

interface FreshDocument {
  readonly scope: Scope;
  readonly id: string;
  /** Writes that have not ended. */
  writing: number;
  /** Grows with each write, so that a write during a comparison is seen. */
  changes: number;
  chunks?: Promise<readonly ChunkRef[]> | undefined;
}

interface ScopeState {
  readonly life: string;
  stamp: number;
  readonly trust: Exclude<Trust, "unknown">;
}

/** Chunks of fresh documents that one search scores one by one; beyond, the scope is scanned. */
const mostFresh = 2_000;

/** Documents that are brought up to date together. */
const together = 64;

/** Requests that one engine gets at a time. */
const sideBySide = 4;

/** Looks at a document until its entries must be there. */
const mostLooks = 10;

export function createEngineKeeper(
  engine: Engine,
  documents: DocumentStore,
  secret: Uint8Array,
  metric: EngineMetric,
): EngineKeeper {
  const tags = createEngineTags(secret);
  const base = `b${tags.digest(["base"]).slice(0, 10)}_`;
  const { batch, visibleAfterMs } = engine.capabilities;
  const versions = new Map<string, EmbeddingVersion>();
  const opened = new Map<string, Promise<EngineIndex>>();
  const fresh = new Map<string, FreshDocument>();
  const states = new Map<string, ScopeState>();
  const own = new Map<Scope, { life: string; stamps: Set<number> }>();
  let turn: Promise<unknown> = Promise.resolve();
  let draining: Promise<void> | undefined;
  let failure: Error | undefined;
  let known: Promise<void> | undefined;

  const nameOf = (version: EmbeddingVersion): string =>
    `${base}v${tags.digest(["version", versionKey(version), metric]).slice(0, 12)}`;

  async function index(version: EmbeddingVersion): Promise<EngineIndex> {
    const name = nameOf(version);
    versions.set(name, version);
    const found = opened.get(name);
    if (found !== undefined) return found;
    const opening = engine.open({ name, version, dimensions: version.dimensions, metric });
    opened.set(name, opening);
    opening.catch(() => opened.delete(name));
    return opening;
  }

  /** Learns once which versions the chunks have, so that entries of each are found. */
  function learnVersions(): Promise<void> {
    known ??= (async () => {
      const scopes = await documents.scopes();
      for (const version of (await documents.status(scopes)).embeddingVersions) learn(version);
    })();
    known.catch(() => (known = undefined));
    return known;
  }

  function learn({ provider, model, dimensions, fingerprint }: EmbeddingVersion): void {
    const version = { provider, model, dimensions, fingerprint };
    if (!isOwnVersion(versionKey(version))) versions.set(nameOf(version), version);
  }

  /** Entries that some chunks should have, by the name of their index and by key. */
  async function* wanted(
    scopes: readonly Scope[],
    which: ListChunksOptions,
  ): AsyncGenerator<readonly [name: string, entry: EngineEntry]> {
    for await (const { scope, chunk, embeddings = [] } of documents.chunks(scopes, {
      ...which,
      includeEmbeddings: true,
    })) {
      for (const { version, embedding } of embeddings) {
        const vector = toEngineVector(embedding, version.dimensions);
        if (vector === undefined || isOwnVersion(versionKey(version))) continue;
        learn(version);
        yield [nameOf(version), toEntry(tags, scope, chunk, vector)];
      }
    }
  }

  async function* keys(at: EngineIndex, tag: string, signal?: AbortSignal): AsyncGenerator<string> {
    const seen = new Set<string>();
    for (let from: string | undefined; ;) {
      throwIfAborted(signal, "The comparison");
      const page = await at.list(tag, from, signal);
      for (const key of page.keys) if (!seen.has(key) && seen.add(key)) yield key;
      // A page that names itself again would never end.
      if (page.next === undefined || page.next === from) return;
      from = page.next;
    }
  }

  async function listed(at: EngineIndex, tag: string, signal?: AbortSignal): Promise<Set<string>> {
    const all = new Set<string>();
    for await (const key of keys(at, tag, signal)) all.add(key);
    return all;
  }

  async function inBatches<Item>(
    items: readonly Item[],
    work: (some: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < items.length; from += batch) await work(items.slice(from, from + batch));
  }

  /** Puts what is missing and removes what is left over. **Shape** whether there was nothing to do. */
  async function mend(
    name: string,
    have: ReadonlySet<string>,
    want: ReadonlyMap<string, EngineEntry>,
    signal?: AbortSignal,
  ) {
    const missing = [...want.values()].filter(({ key }) => !have.has(key));
    const surplus = [...have].filter((key) => !want.has(key));
    const at = await index(versions.get(name)!);
    await inBatches(missing, (some) => at.put(some, signal));
    await inBatches(surplus, (some) => at.delete(some, signal));
    return missing.length + surplus.length === 0;
  }

  /** One look at some documents. **Shape** those that the engine showed just as they are. */
  async function look(some: readonly FreshDocument[]): Promise<readonly FreshDocument[]> {
    await learnVersions();
    const want = await Promise.all(
      some.map(async ({ scope, id }) => {
        const byIndex = new Map<string, Map<string, EngineEntry>>();
        for await (const [name, entry] of wanted([scope], { documentId: id }))
          (byIndex.get(name) ?? byIndex.set(name, new Map()).get(name)!).set(entry.key, entry);
        return byIndex;
      }),
    );
    const right = new Set(some);
    for (const [name, version] of versions) {
      const at = await index(version);
      const have = await mapSome(some, ({ scope, id }) => listed(at, tags.document(scope, id)));
      const allWant = new Map<string, EngineEntry>();
      const allHave = new Set<string>();
      some.forEach((document, i) => {
        const wanting = want[i]!.get(name) ?? new Map<string, EngineEntry>();
        if (wanting.size !== have[i]!.size || [...wanting.keys()].some((key) => !have[i]!.has(key)))
          right.delete(document);
        for (const [key, entry] of wanting) allWant.set(key, entry);
        for (const key of have[i]!) allHave.add(key);
      });
      await mend(name, allHave, allWant);
    }
    return [...right];
  }

  async function drain(): Promise<void> {
    for (let looks = 0; looks < mostLooks; looks++) {
      let isAll = true;
      const due = [...fresh.values()].filter(({ writing }) => writing === 0);
      for (let from = 0; from < due.length; from += together) {
        const some = due.slice(from, from + together);
        const before = some.map(({ changes }) => changes);
        const shown = new Set(await inTurn(() => look(some)));
        some.forEach((document, i) => {
          if (!shown.has(document)) isAll = false;
          else if (document.changes === before[i]) fresh.delete(keyOf(document.scope, document.id));
        });
      }
      if (isAll && ![...fresh.values()].some(({ writing }) => writing === 0)) return;
      // The first look at a write that shows at once is followed by the one that finds it.
      if (looks > 0 || visibleAfterMs > 0)
        await pause(Math.max(visibleAfterMs / 2, 5 * 2 ** looks), undefined, "The engine");
    }
    throw new IbidError("store-busy", `${engine.name} has not shown ${fresh.size} documents yet.`, {
      hint: "Searches find them without it. Settle again later, and look at the engine if this stays so.",
      details: { store: engine.name, operation: "write", pending: fresh.size },
    });
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  }

  async function freshChunks(scopes: readonly Scope[]): Promise<readonly ChunkRef[] | undefined> {
    const refs: ChunkRef[] = [];
    for (const document of fresh.values()) {
      if (!scopes.includes(document.scope)) continue;
      document.chunks ??= chunkRefs(documents, document);
      refs.push(...(await document.chunks));
      if (refs.length > mostFresh) return undefined;
    }
    return refs;
  }

  function forget(): void {
    opened.clear();
    states.clear();
  }

  function startDraining(): Promise<void> {
    draining ??= drain()
      .then(() => void (failure = undefined))
      .catch((error: Error) => {
        failure = error;
        forget();
      })
      .finally(() => (draining = undefined));
    return draining;
  }

  async function status(version: EmbeddingVersion, scope: Scope): Promise<number> {
    const name = nameOf(version);
    const found = (await documents.status([scope])).embeddingVersions.find((each) => nameOf(each) === name);
    return found?.chunks ?? 0;
  }

  return {
    tags,
    index,
    forget,
    async lacks(version, scopes, { found, limit }, signal) {
      const pending = await freshChunks(scopes);
      if (pending === undefined) return false;
      const wants = await Promise.all(scopes.map((scope) => status(version, scope)));
      const least = wants.reduce((sum, each) => sum + each, 0) - pending.length;
      if (found >= Math.min(limit, least)) return false;
      const at = await index(version);
      let held = 0;
      for (const [i, scope] of scopes.entries()) {
        const tag = tags.scope(scope);
        if (wants[i]! <= limit) held += await at.count(tag, signal);
        else if ((await at.list(tag, undefined, signal)).keys.length > 0) held += wants[i]!;
      }
      return held < least;
    },
    async trust(version, scope, moment, signal) {
      const at = moment.stamps.get(scope);
      // A scope that holds nothing has nothing to miss.
      if (at === undefined) return "compared";
      const key = `${nameOf(version)} ${scope}`;
      const state = states.get(key);
      if (state !== undefined && state.life === at.life) {
        const mine = own.get(scope);
        while (state.stamp < at.stamp && mine?.life === at.life && mine.stamps.has(state.stamp + 1)) state.stamp++;
        if (state.stamp >= at.stamp) return state.trust;
      }
      if ([...fresh.values()].some((document) => document.scope === scope)) return "unknown";
      const [held, wants] = [
        await (await index(version)).count(tags.scope(scope), signal),
        await status(version, scope),
      ];
      if (held !== wants) return "unknown";
      states.set(key, { life: at.life, stamp: at.stamp, trust: "counted" });
      return "counted";
    },
    fresh: freshChunks,
    async following(scope, ids, write) {
      const marked = ids.map((id) => {
        const key = keyOf(scope, id);
        const document = fresh.get(key) ?? { scope, id, writing: 0, changes: 0 };
        fresh.set(key, document);
        document.writing++;
        return document;
      });
      try {
        return await write();
      } finally {
        for (const document of marked) {
          document.writing--;
          document.changes++;
          document.chunks = undefined;
        }
        void startDraining();
      }
    },
    committed({ scope, life, stamp }) {
      const mine = own.get(scope);
      if (mine?.life === life) mine.stamps.add(stamp);
      else own.set(scope, { life, stamps: new Set([stamp]) });
    },
    async drained(signal) {
      throwIfAborted(signal, "Waiting for the engine");
      await draining;
      if (fresh.size > 0) await startDraining();
      if (failure !== undefined) throw failure;
    },
    compare: (which, signal) =>
      inTurn(async () => {
        await learnVersions();
        for (const scope of which === "all" ? await documents.scopes() : which) {
          const before = await documents.moment([scope]);
          let isSame = false;
          // The second look finds what the first one wrote; an engine that shows it later is counted again by and by.
          for (let looks = 0; looks < 2 && !isSame; looks++) {
            isSame = true;
            const have = new Map<string, Set<string>>();
            for (const [name, version] of versions)
              have.set(name, await listed(await index(version), tags.scope(scope), signal));
            const want = new Map<string, Map<string, EngineEntry>>();
            for await (const [name, entry] of wanted([scope], {}))
              (want.get(name) ?? want.set(name, new Map()).get(name)!).set(entry.key, entry);
            for (const name of versions.keys())
              if (!(await mend(name, have.get(name) ?? new Set(), want.get(name) ?? new Map(), signal))) isSame = false;
            if (visibleAfterMs > 0 && !isSame) await pause(visibleAfterMs, signal, "The engine");
          }
          const at = before.stamps.get(scope);
          for (const name of versions.keys()) {
            const key = `${name} ${scope}`;
            if (isSame && at !== undefined) states.set(key, { ...at, trust: "compared" });
            else states.delete(key);
          }
        }
        if (which !== "all") return;
        // Entries of scopes that are gone.
        const scopes = new Set((await documents.scopes()).map(tags.scope));
        for (const version of versions.values()) {
          const at = await index(version);
          const living = new Set<string>();
          for (const tag of scopes) for await (const key of keys(at, tag, signal)) living.add(key);
          const surplus = [...(await listed(at, tags.base, signal))].filter((key) => !living.has(key));
          await inBatches(surplus, (some) => at.delete(some, signal));
        }
      }),
    async differing() {
      await draining;
      await learnVersions();
      let sum = 0;
      for (const scope of await documents.scopes()) {
        for (const version of versions.values()) {
          const held = await (await index(version)).count(tags.scope(scope));
          sum += Math.abs(held - (await status(version, scope)));
        }
      }
      return sum;
    },
    async dropFormer(signal) {
      const scopes = await documents.scopes();
      const used = new Set((await documents.status(scopes)).embeddingVersions.map(nameOf));
      for (const name of await engine.indexes(base, signal)) {
        if (used.has(name) || !name.startsWith(base)) continue;
        if (versions.has(name) && fresh.size > 0) continue;
        await engine.drop(name, signal);
        opened.delete(name);
        versions.delete(name);
      }
    },
    async left(scope, documentId) {
      const tag = documentId === undefined ? tags.scope(scope) : tags.document(scope, documentId);
      let count = 0;
      for (const version of versions.values()) count += await (await index(version)).count(tag);
      return count;
    },
    clear: (scope) =>
      inTurn(async () => {
        await learnVersions();
        for (const version of versions.values()) {
          const at = await index(version);
          await inBatches([...(await listed(at, tags.scope(scope)))], (some) => at.delete(some));
        }
      }),
  };
}

const keyOf = (scope: Scope, documentId: string): string => `${scope} ${documentId}`;

async function chunkRefs(documents: DocumentStore, { scope, id }: FreshDocument): Promise<readonly ChunkRef[]> {
  const refs: ChunkRef[] = [];
  for await (const { chunk } of documents.chunks([scope], { documentId: id })) refs.push({ scope, id: chunk.id });
  return refs;
}

/** Maps in order, a few at a time. */
async function mapSome<From, To>(items: readonly From[], work: (item: From) => Promise<To>): Promise<readonly To[]> {
  const results: To[] = [];
  for (let from = 0; from < items.length; from += sideBySide)
    results.push(...(await Promise.all(items.slice(from, from + sideBySide).map(work))));
  return results;
}
