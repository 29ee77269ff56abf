import { assertSystem } from "../../access/gate.ts";
import type { DocumentStore, LargeDocumentEntry } from "../../contracts/document-store.ts";
import type { TextDocument } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeStore } from "../../contracts/knowledge-store.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import type { ChunkEntry, ChunkStore, DeleteTarget } from "../../contracts/store.ts";
import type { VectorStore } from "../../contracts/vector-store.ts";
import { parseFilter } from "../../engine/filters/parse-filter.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkEntries, checkId } from "./check-entries.ts";
import { copyChunk, copyDocument, copyEntry, copyPlain, copyVersioned } from "./copy-data.ts";
import { guardKeeping } from "./guard-keeping.ts";
import { createGuard, type Guard, type GuardOptions } from "./guard.ts";
import { guardLatent, guardLexical, guardRegex, guardVectors } from "./guard-searches.ts";
import { guardVersions } from "./guard-versions.ts";
import { untilReady } from "./until-ready.ts";
import type { RawChunkStore, RawDocumentStore, RawKnowledgeStore, RawVectorStore } from "../segments/raw-store.ts";

/** Methods are async throughout, so that what is wrong with a call is a rejection, never a throw. */
function guardChunks(raw: RawChunkStore, guard: Guard): ChunkStore {
  return {
    capabilities: Object.freeze(copyPlain(raw.capabilities)),
    async ready(signal) {
      guard.open();
      await untilReady(async () => (await raw.doReady(signal)) !== false, signal);
    },
    async upsert(into, entries) {
      const scope = guard.write(into);
      checkEntries(entries, guard.policy);
      await raw.doUpsert(scope, entries.map(copyEntry));
    },
    async delete(from, target, options = {}) {
      const scope = guard.write(from);
      checkOptions("delete", options, ["onMissing", "purge"]);
      return raw.doDelete(scope, copyTarget(target), { ...options });
    },
    async restore(into, target) {
      const scope = guard.write(into);
      if (!raw.capabilities.restore) {
        throw new IbidError("unsupported", `${guard.policy.name} cannot restore what was deleted.`);
      }
      return raw.doRestore(scope, copyPlain(target));
    },
    async vacuum(authority, options) {
      assertSystem(authority);
      guard.open();
      if (!(options.olderThanMs >= 0)) {
        throw new IbidError("invalid-argument", `olderThanMs is ${String(options.olderThanMs)}.`, {
          hint: "It is a number from 0.",
        });
      }
      return raw.doVacuum({ ...options });
    },
    async *chunks(scopes, options = {}) {
      const readable = guard.read(scopes);
      checkOptions("chunks", options, ["filter", "documentId", "ids", "includeEmbeddings"]);
      const listed = raw.doChunks(
        readable,
        options.filter === undefined ? options : { ...options, filter: parseFilter(options.filter) },
      );
      for await (const { scope, chunk, embeddings } of listed) {
        guard.open();
        const copy = { scope, chunk: copyChunk(chunk) };
        yield embeddings === undefined ? copy : { ...copy, embeddings: embeddings.map(copyVersioned) };
      }
    },
    async scopes(authority) {
      assertSystem(authority);
      guard.open();
      return [...(await raw.doScopes())];
    },
  };
}

function copyTarget(target: DeleteTarget): DeleteTarget {
  return "filter" in target ? { filter: parseFilter(target.filter) } : copyPlain(target);
}

/** What is wrong with a document's entries, however many times they come. **Errors** `invalid-id`, and those of {@link checkEntries}. */
function createEntryCheck(document: TextDocument, guard: Guard): (entries: readonly ChunkEntry[]) => void {
  checkId(document.id, "document");
  checkId(document.uri, "document");
  const ids = new Set<string>();
  return (entries) => {
    checkEntries(entries, guard.policy);
    for (const { chunk } of entries) {
      if (chunk.documentId !== document.id || ids.has(chunk.id)) {
        throw new IbidError(
          "invalid-id",
          `Chunk ${chunk.id} ${ids.has(chunk.id) ? "comes twice" : "is of another document"}.`,
          {
            uri: document.uri,
            hint: "A document's chunks have its id, and ids of their own.",
          },
        );
      }
      ids.add(chunk.id);
    }
  };
}

async function* mapBatches<From, To>(batches: AsyncIterable<From>, work: (batch: From) => To): AsyncGenerator<To> {
  for await (const batch of batches) yield work(batch);
}

function guardDocuments(raw: RawDocumentStore, guard: Guard): Omit<DocumentStore, keyof ChunkStore> {
  const chunkCounts = raw.doChunkCounts?.bind(raw);
  const replaceInBatches = raw.doReplaceInBatches?.bind(raw);
  return {
    ...(chunkCounts &&
      ({
        async chunkCounts(scopes, documents) {
          const readable = guard.read(scopes);
          const asked = documents.filter(({ scope }) => readable.includes(scope)).map((document) => ({ ...document }));
          const counts = (await chunkCounts(asked)).values();
          return documents.map(({ scope }) => (readable.includes(scope) ? counts.next().value! : 0));
        },
      } satisfies Pick<DocumentStore, "chunkCounts">)),
    async replace(into, entry) {
      const scope = guard.write(into);
      const { document, entries } = entry;
      const check = createEntryCheck(document, guard);
      check(entries);
      return raw.doReplace(scope, {
        ...entry,
        document: copyDocument(document),
        entries: entries.map(copyEntry),
        ...(entry.keeps === undefined ? {} : { keeps: [...entry.keeps] }),
      });
    },
    ...(replaceInBatches && {
      async replaceInBatches(into: AuthorizedScopes<"write">, entry: LargeDocumentEntry) {
        const scope = guard.write(into);
        const check = createEntryCheck(entry.document, guard);
        return replaceInBatches(scope, {
          ...entry,
          document: copyDocument(entry.document),
          batches: mapBatches(entry.batches, (batch) => {
            check(batch);
            return batch.map(copyEntry);
          }),
        });
      },
    }),
    async held(into, documentId, version) {
      return new Map(await raw.doHeld(guard.write(into), documentId, version && { ...version }));
    },
    async find(scopes, uri) {
      return copyPlain(await raw.doFind(guard.read(scopes), uri));
    },
    async document(scopes, id) {
      return copyPlain(await raw.doDocument(guard.read(scopes), id));
    },
    async *documents(scopes, options = {}) {
      const readable = guard.read(scopes);
      checkOptions("documents", options, ["under"]);
      for await (const summary of raw.doDocuments(readable, { ...options })) {
        guard.open();
        yield { ...summary };
      }
    },
    async touch(into, id, mark) {
      await raw.doTouch(guard.write(into), id, copyPlain(mark));
    },
  };
}

/**
 * Makes a store of vectors out of raw operations: the gate's proof is looked up, and ids, vectors and `topK` are checked, before every one.
 *
 * **Errors** of what it guards: `access-denied`, `invalid-id`, `invalid-argument`, `dimension-mismatch`, `unsupported`; see {@link ChunkStore}.
 */
export function guardVectorStore(raw: RawVectorStore, options: GuardOptions = {}): VectorStore {
  const guard = createGuard(raw, options, () => false);
  return { ...guardChunks(raw, guard), ...guardVectors(raw, guard) };
}

/** Every store that is guarded; looked up, never trusted by shape. */
const guarded = new WeakSet<object>();

/** Whether the value is a store whose every call checks the gate's proof. A copy of one is none. */
export function isStore(value: unknown): value is KnowledgeStore {
  return typeof value === "object" && value !== null && guarded.has(value);
}

/** The same for a store that does everything. After `close`, which may be called again, every other call is `store-closed`. */
export function guardStore(raw: RawKnowledgeStore, options: GuardOptions = {}): KnowledgeStore {
  let closing: Promise<void> | undefined;
  const guard = createGuard(raw, options, () => closing !== undefined);
  const revisions = raw.doRevisions?.bind(raw);
  const scopesOf = (proof: AuthorizedScopes<"read" | "write">): readonly Scope[] =>
    isWrite(proof) ? [guard.write(proof)] : guard.read(proof as AuthorizedScopes);
  const store: KnowledgeStore = {
    ...guardChunks(raw, guard),
    ...guardVectors(raw, guard),
    ...guardVersions(raw, guard, scopesOf),
    ...guardLexical(raw, guard),
    ...guardRegex(raw, guard),
    ...guardLatent(raw, guard),
    ...guardDocuments(raw, guard),
    get secret() {
      return raw.secret.slice();
    },
    async status(scopes) {
      return copyPlain(await raw.doStatus(guard.read(scopes)));
    },
    ...(revisions && {
      async revisions(proof: AuthorizedScopes<"read" | "write">) {
        return copyPlain(await revisions(scopesOf(proof)));
      },
    }),
    async settle(settling = {}) {
      guard.open();
      checkOptions("settle", settling, ["signal", "onProgress"]);
      await raw.doSettle({ ...settling });
    },
    ...guardKeeping(raw, guard),
    close: () => (closing ??= raw.doClose()),
  };
  guarded.add(store);
  return store;
}

/** What it says of itself; whether that is true is for the guard. */
function isWrite(proof: AuthorizedScopes<"read" | "write"> | null | undefined): proof is AuthorizedScopes<"write"> {
  return proof?.right === "write";
}
