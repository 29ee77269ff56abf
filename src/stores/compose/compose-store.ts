import type {
  ChunkEntry,
  DocumentWrite,
  StoredChunkSpan,
  StoredStructure,
  StructureOptions,
} from "../../contracts/document-store.ts";
import type { Engine } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Leg } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type {
  DeleteTarget,
  DocumentStore,
  DocumentVerbs,
  Proven,
  Store,
  StoreCapabilities,
  StoreParts,
  Trash,
  Upkeep,
  VersionSwitch,
} from "../../contracts/store.ts";
import { parseFilter } from "../../engine/filters/parse-filter.ts";
import { pause, throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import { countFolders, listDocuments } from "./document-order.ts";
import { createSecret } from "../segments/create-secret.ts";
import {
  checkEmbedding,
  checkEntries,
  checkId,
  checkNotOwn,
  checkOrigin,
  checkSourceMap,
  checkTimes,
} from "./check-entries.ts";
import { checkParts, stores } from "./check-store.ts";
import { type ComposeOptions, createGuard, type Guard, scopesOf } from "./guard.ts";
import { copyChunk, copyDocument, copyEmbedding, copyEntry, copyPlain, copyVersioned } from "./copy-data.ts";
import { openSession } from "./open-session.ts";

/**
 * Makes a store of its parts: the only maker of a {@link Store}. Before a part is called, the gate's proof, ids, vectors and options are checked, and the
 * arguments are copied; results are copied too.
 *
 * **Shape** `versions`, `trash`, `upkeep` and `history` are on the store where the parts have them. Methods are asynchronous throughout, so that a wrong call rejects.
 * **Errors** `invalid-argument` for an incomplete part, by the name of the missing method.
 *
 * @experimental
 */
export function composeStore(given: StoreParts, options: ComposeOptions = {}): Store {
  checkGiven("composeStore", "parts", given, "object");
  checkOptions("composeStore", options, { name: true });
  checkParts(given);
  // Each engine gets the writes of the parts around it.
  const parts = given.legs.filter(followsWrites).reduce((each, leg) => leg.follow(each), given);
  let closing: Promise<void> | undefined;
  const secret = parts.secret?.slice() ?? createSecret();
  const capabilities = capabilitiesOf(parts);
  const guard = createGuard(parts, options, () => closing !== undefined);
  const { documents, versions, trash, upkeep, history } = parts;
  const close: Store["close"] = (how) => (closing ??= documents.close(how));
  const store: Store = {
    name: guard.policy.name,
    capabilities,
    get secret() {
      return secret.slice();
    },
    async ready(signal) {
      guard.open();
      await untilReady(documents, signal);
    },
    async session(scopes, sessionOptions) {
      return openSession(parts, guard, scopes, sessionOptions);
    },
    ...guardWrites(parts, guard),
    ...guardReads(parts, guard),
    versions: versions && guardVersions(versions, guard),
    trash: trash && guardTrash(trash, guard),
    upkeep: upkeep && guardUpkeep(upkeep, guard),
    history: history && guardHistory(history, guard, options),
    native(authority, name) {
      guard.maintain(authority);
      return findNative(given, name);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  stores.add(store);
  return store;
}

/** Milliseconds between two questions. They double up to the most. */
const readyPauses = { first: 50, most: 2_000 } as const;

/** Asks until the store can be written: some databases make an index in the background. **Source** Pinecone's `status.ready`. */
async function untilReady(documents: DocumentStore, signal: AbortSignal | undefined): Promise<void> {
  const what = "Waiting for the store";
  for (let ms: number = readyPauses.first; ; ms = Math.min(2 * ms, readyPauses.most)) {
    throwIfAborted(signal, what);
    if ((await untilAborted(Promise.resolve(documents.ready?.(signal)), signal, what)) ?? true) return;
    await pause(ms, signal, what);
  }
}

/** A leg that must see every write. */
interface FollowingLeg extends Leg {
  follow(parts: StoreParts): StoreParts;
}

function followsWrites(leg: Leg): leg is FollowingLeg {
  return typeof (leg as Partial<FollowingLeg>).follow === "function";
}

function findNative({ legs }: StoreParts, name: string): unknown {
  const engines = legs.flatMap((leg) => (leg as { readonly engine?: Engine }).engine ?? []);
  const found = engines.find((engine) => engine.name === name);
  if (found !== undefined) return found.native;
  const names = engines.map((engine) => engine.name);
  throw new IbidError("invalid-argument", `The store has no engine "${name}".`, {
    hint: names.length === 0 ? "Open it with an engine." : `It has ${names.join(", ")}.`,
  });
}

function capabilitiesOf({ documents, legs, versions, trash, upkeep, history }: StoreParts): StoreCapabilities {
  return Object.freeze({
    durability: documents.durability,
    embeddings: Object.freeze([...documents.embeddings]),
    legs: Object.freeze(Object.fromEntries(legs.map((leg) => [leg.name, Object.freeze(copyPlain(leg.capabilities))]))),
    versions: versions !== undefined,
    trash: trash !== undefined,
    upkeep: upkeep !== undefined,
    history: history !== undefined,
  });
}

type Writes = Pick<DocumentVerbs<Proven>, "replace" | "delete" | "touch">;

function guardWrites({ documents }: StoreParts, guard: Guard): Writes {
  return {
    async replace(into, write) {
      const scope = guard.write(into);
      const check = createEntryCheck(write, guard);
      const take = (entries: readonly ChunkEntry[]): readonly ChunkEntry[] => {
        check(entries);
        return entries.map(copyEntry);
      };
      const { chunks, keeps } = write;
      return documents.replace(scope, {
        ...write,
        document: copyDocument(write.document),
        chunks: Symbol.asyncIterator in chunks ? mapBatches(chunks, take) : take(chunks),
        keeps: typeof keeps === "string" ? keeps : keeps && [...keeps],
      });
    },
    async delete(from, target, options = {}) {
      const scope = guard.write(from);
      checkOptions("delete", options, { onMissing: true, purge: true });
      return documents.delete(scope, copyTarget(target), { ...options });
    },
    async touch(into, id, mark) {
      await documents.touch(guard.write(into), id, copyPlain(mark));
    },
  };
}

function copyTarget(target: DeleteTarget): DeleteTarget {
  return "filter" in target ? { filter: parseFilter(target.filter) } : copyPlain(target);
}

/** Checks a document's entries, in however many batches they come. **Errors** `invalid-id`, and those of {@link checkEntries}. */
function createEntryCheck(write: DocumentWrite, guard: Guard): (entries: readonly ChunkEntry[]) => void {
  const { document } = write;
  checkId(document.id, "document");
  checkId(document.uri, "document");
  checkOrigin(document.origin, document.uri);
  checkSourceMap(document);
  checkTimes(write);
  const ids = new Set<string>();
  return (entries) => {
    checkEntries(entries, guard.policy);
    for (const { chunk } of entries) {
      if (chunk.documentId !== document.id || ids.has(chunk.id)) {
        throw new IbidError(
          "invalid-id",
          `Chunk ${chunk.id} ${ids.has(chunk.id) ? "comes twice" : "is of another document"}.`,
          { uri: document.uri, hint: "A document's chunks have its id, and ids of their own." },
        );
      }
      ids.add(chunk.id);
    }
  };
}

async function* mapBatches<From, To>(batches: AsyncIterable<From>, work: (batch: From) => To): AsyncGenerator<To> {
  for await (const batch of batches) yield work(batch);
}

type Reads = Omit<DocumentVerbs<Proven>, keyof Writes>;

function guardReads({ documents, trash }: StoreParts, guard: Guard): Reads {
  return {
    async held(into, documentId, version) {
      return new Map(await documents.held(guard.write(into), documentId, version && { ...version }));
    },
    async find(scopes, uri) {
      return copyPlain(await documents.find(guard.read(scopes), uri));
    },
    async document(scopes, id) {
      return copyPlain(await documents.document(guard.read(scopes), id));
    },
    async structure(scopes, id, options = {}) {
      const readable = guard.read(scopes);
      checkOptions("structure", options, { chunks: true });
      return copyPlain(await readStructure(documents, readable, id, { ...options }));
    },
    async readText(scopes, id, start, end) {
      const readable = guard.read(scopes);
      checkSlice(start, end);
      return readSlice(documents, readable, id, start, end);
    },
    async *documents(scopes, options = {}) {
      const readable = guard.read(scopes);
      const known = { under: true, after: true, limit: true, order: true, mediaType: true, since: true, before: true };
      checkOptions("documents", options, known);
      for await (const summary of listDocuments(documents, readable, { ...options })) {
        guard.open();
        yield copyPlain(summary);
      }
    },
    async folders(scopes, options = {}) {
      const readable = guard.read(scopes);
      checkOptions("folders", options, { mediaType: true, since: true, before: true });
      return copyPlain(await countFolders(documents, readable, { ...options }));
    },
    async *chunks(scopes, options = {}) {
      const readable = guard.read(scopes);
      checkOptions("chunks", options, {
        filter: true,
        documentId: true,
        ids: true,
        includeEmbeddings: true,
        includeDeleted: true,
      });
      const { filter, includeDeleted, ...rest } = options;
      const listed = documents.chunks(readable, {
        ...rest,
        ...(filter !== undefined && { filter: parseFilter(filter) }),
        ...(includeDeleted === true && trash !== undefined && { includeDeleted }),
      });
      for await (const { scope, chunk, embeddings, deletedAt } of listed) {
        guard.open();
        const copy = { scope, chunk: copyChunk(chunk), ...(deletedAt !== undefined && { deletedAt }) };
        yield embeddings === undefined ? copy : { ...copy, embeddings: embeddings.map(copyVersioned) };
      }
    },
    async chunkCounts(scopes, asked) {
      const readable = guard.read(scopes);
      const within = asked.filter(({ scope }) => readable.includes(scope)).map((document) => ({ ...document }));
      const counts = (await documents.chunkCounts(readable, within)).values();
      return asked.map(({ scope }) => (readable.includes(scope) ? counts.next().value! : 0));
    },
    async scopes(authority, atMostMs) {
      guard.maintain(authority);
      return [...(await documents.scopes(atMostMs))];
    },
    async status(scopes) {
      return copyPlain(await documents.status(guard.read(scopes)));
    },
    async moment(scopes, after = [], atMostMs) {
      const { stamps } = await documents.moment(scopesOf(scopes, guard), copyPlain(after), atMostMs);
      return { stamps: new Map(Array.from(stamps, ([scope, stamp]) => [scope, { ...stamp }])) };
    },
  };
}

/** A document without its text, from a store that may not have the verb. **Cost** without it, the whole document, and its chunks where they are asked for. */
async function readStructure(
  store: DocumentStore,
  scopes: readonly Scope[],
  id: string,
  options: StructureOptions,
): Promise<StoredStructure | undefined> {
  if (store.structure !== undefined) return store.structure(scopes, id, options);
  const stored = await store.document(scopes, id);
  if (stored === undefined) return undefined;
  const { summary } = stored;
  const { text: _text, blocks: _blocks, ...document } = stored.document;
  if (options.chunks !== true) return { summary, document };
  const chunks: StoredChunkSpan[] = [];
  for await (const { chunk } of store.chunks([summary.scope], { documentId: id })) {
    const { index, start, end } = chunk;
    chunks.push({ id: chunk.id, index, start, end });
  }
  return { summary, document, chunks: chunks.sort(compareSpans) };
}

/** A slice of a document's text, from a store that may not have the verb. **Cost** without it, the whole document. */
async function readSlice(
  store: DocumentStore,
  scopes: readonly Scope[],
  id: string,
  start: number,
  end: number,
): Promise<string | undefined> {
  if (store.readText !== undefined) return store.readText(scopes, id, start, end);
  return (await store.document(scopes, id))?.document.text.slice(start, end);
}

function compareSpans(a: StoredChunkSpan, b: StoredChunkSpan): number {
  return a.index - b.index || a.start - b.start || compareCodePoints(a.id, b.id);
}

/** **Errors** `invalid-argument`. */
function checkSlice(start: number, end: number): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end) return;
  throw new IbidError("invalid-argument", `There is no slice from ${String(start)} to ${String(end)}.`, {
    hint: "Give whole numbers with 0 <= start <= end.",
  });
}

function guardVersions(part: VersionSwitch, guard: Guard): VersionSwitch<Proven> {
  return {
    async versions(scopes) {
      return copyPlain(await part.versions(scopesOf(scopes, guard)));
    },
    async *lacking(into, version) {
      for await (const chunk of part.lacking(guard.write(into), { ...version })) {
        guard.open();
        yield copyChunk(chunk);
      }
    },
    async addVectors(into, version, vectors) {
      const scope = guard.write(into);
      for (const { chunkId, embedding } of vectors) {
        checkId(chunkId, "chunk");
        checkEmbedding(embedding, version, guard.policy, `chunk ${chunkId}`);
        checkNotOwn(version, chunkId);
      }
      const copies = vectors.map((vector) => ({ ...vector, embedding: copyEmbedding(vector.embedding) }));
      return part.addVectors(scope, { ...version }, copies);
    },
    async changeVersion(into, version, options = {}) {
      const scope = guard.write(into);
      checkOptions("changeVersion", options, { partial: true });
      return part.changeVersion(scope, { ...version }, { ...options });
    },
  };
}

function guardTrash(part: Trash, guard: Guard): Trash<Proven> {
  return {
    async *deleted(scopes) {
      for await (const summary of part.deleted(guard.read(scopes))) {
        guard.open();
        yield copyPlain(summary);
      }
    },
    ...(part.scopes !== undefined && {
      async scopes(authority) {
        guard.maintain(authority);
        return [...(await part.scopes!())];
      },
    }),
    async restore(into, target) {
      return part.restore(guard.write(into), copyPlain(target));
    },
    async vacuum(authority, options) {
      guard.maintain(authority);
      if (!(options.olderThanMs >= 0)) {
        throw new IbidError(
          "invalid-argument",
          `olderThanMs is ${String(options.olderThanMs)}; it must be 0 or more.`,
          {
            hint: "Give a duration in milliseconds.",
          },
        );
      }
      return part.vacuum({ ...options });
    },
  };
}

/** **Errors** `invalid-argument`. */
function checkMilliseconds(time: number): number {
  if (Number.isSafeInteger(time)) return time;
  throw new IbidError("invalid-argument", `The time ${String(time)} is no whole number of milliseconds.`, {
    hint: "Give milliseconds since 1970.",
  });
}

function guardHistory(
  part: NonNullable<StoreParts["history"]>,
  guard: Guard,
  options: ComposeOptions,
): NonNullable<Store["history"]> {
  /** States are kept by the part, so a store is made of each once. */
  const made = new WeakMap<StoreParts, Store>();
  return {
    async keep(authority, wanted) {
      guard.maintain(authority);
      await part.keep(wanted);
    },
    async at(scopes, time, past = {}) {
      const readable = guard.read(scopes);
      checkOptions("at", past, { signal: true });
      const parts = await part.at(readable, checkMilliseconds(time), { ...past });
      const store = made.get(parts) ?? composeStore(parts, options);
      made.set(parts, store);
      return store;
    },
    versions: async (scope, documentId) => structuredClone(await part.versions(guard.read(scope), documentId)),
    async version(scope, documentId, time) {
      return structuredClone(await part.version(guard.read(scope), documentId, checkMilliseconds(time)));
    },
  };
}

/** **Units** characters. Shorter texts stand in any file by chance. */
const shortestProbe = 8;

function guardUpkeep(part: Upkeep, guard: Guard): Upkeep<Proven> {
  return {
    async settle(options = {}) {
      guard.open();
      checkOptions("settle", options, { signal: true, onProgress: true });
      await part.settle({ ...options });
    },
    async scrub(authority) {
      guard.maintain(authority);
      return part.scrub();
    },
    ...(part.idsInFiles && {
      async idsInFiles(...[authority, documentIds]: Parameters<NonNullable<Upkeep<Proven>["idsInFiles"]>>) {
        guard.maintain(authority);
        return part.idsInFiles!(documentIds);
      },
    }),
    async examine(authority, options = {}) {
      guard.maintain(authority);
      checkOptions("examine", options, { fix: true, absent: true });
      if (options.absent?.some((text) => text.length < shortestProbe) === true) {
        throw new IbidError("invalid-argument", `A text to look for has fewer than ${shortestProbe} characters.`, {
          hint: "Shorter texts stand in any file by chance: give more of it.",
        });
      }
      return copyPlain(await part.examine({ ...options }));
    },
  };
}
