import { assertAuthorized, assertSystem } from "../access/gate.ts";
import type { DocumentStore } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeStore } from "../contracts/knowledge-store.ts";
import type { LatentSearch } from "../contracts/latent-search.ts";
import type { LexicalIndex, LexicalQuery } from "../contracts/lexical-index.ts";
import type { RegexSearch } from "../contracts/regex-search.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { ChunkStore, DeleteTarget, Metric } from "../contracts/store.ts";
import type { VectorQuery, VectorStore } from "../contracts/vector-store.ts";
import { parseFilter } from "../filters/parse-filter.ts";
import { checkOptions } from "../text/check-options.ts";
import {
  checkEmbedding,
  checkEntries,
  checkId,
  checkScore,
  decideTopK,
  type EmbeddingPolicy,
} from "./check-entries.ts";
import { copyChunk, copyDocument, copyEmbedding, copyEntry, copyPlain, copyVersioned } from "./copy-data.ts";
import type {
  RawChunkStore,
  RawDocumentStore,
  RawKnowledgeStore,
  RawLatentSearch,
  RawLexicalIndex,
  RawRegexSearch,
  RawVectorStore,
} from "./raw-store.ts";

export interface GuardOptions {
  /** How many matches a search gives that does not say. Default 5. */
  readonly topK?: number | "all";
  /** What the store is called in messages. Default "This store". */
  readonly name?: string;
}

interface Guard {
  readonly policy: EmbeddingPolicy;
  readonly topK: number;
  /** Scopes that may be read. **Errors** `access-denied`, `store-closed`. */
  read(proof: AuthorizedScopes): readonly Scope[];
  /** The one scope that may be written. **Errors** `access-denied`, `store-closed`, `invalid-argument` for a proof of several. */
  write(proof: AuthorizedScopes<"write">): Scope;
  open(): void;
}

function createGuard(raw: RawChunkStore, options: GuardOptions, isClosed: () => boolean): Guard {
  checkOptions("guard", options, ["topK", "name"]);
  const open = (): void => {
    if (isClosed()) throw new IbidError("store-closed", "The store is closed.", { mend: "Open it again." });
  };
  return {
    policy: { embeddings: raw.capabilities.embeddings, name: options.name ?? "This store" },
    topK: decideTopK(options.topK, 5),
    open,
    read(proof) {
      assertAuthorized(proof, "read");
      open();
      return proof.scopes;
    },
    write(proof) {
      assertAuthorized(proof, "write");
      open();
      const [scope, ...others] = proof.scopes;
      if (scope !== undefined && others.length === 0) return scope;
      throw new IbidError("invalid-argument", `A write goes to one scope, not to ${proof.scopes.length}.`);
    },
  };
}

/** Methods are async throughout, so that what is wrong with a call is a rejection, never a throw. */
function guardChunks(raw: RawChunkStore, guard: Guard): ChunkStore {
  return {
    capabilities: Object.freeze(copyPlain(raw.capabilities)),
    async ready(signal) {
      guard.open();
      await raw.doReady(signal);
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
          mend: "It is a number from 0.",
        });
      }
      return raw.doVacuum({ ...options });
    },
    async *chunks(scopes, options = {}) {
      const readable = guard.read(scopes);
      checkOptions("chunks", options, ["filter", "documentId", "includeEmbeddings"]);
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

const metrics: readonly Metric[] = ["cosine", "dot", "euclidean"];
const restrictions = ["filter", "origins", "chunkIds", "topK", "minScore"];

/** A filter in its checked form, and lists that nobody else holds. */
function decideQuery<Query extends Pick<VectorQuery, "filter" | "origins" | "chunkIds" | "topK">>(
  query: Query,
  topK: number,
): Query & { readonly topK: number } {
  return {
    ...query,
    topK: decideTopK(query.topK, topK),
    ...(query.filter === undefined ? {} : { filter: parseFilter(query.filter) }),
    ...(query.origins === undefined ? {} : { origins: [...query.origins] }),
    ...(query.chunkIds === undefined ? {} : { chunkIds: [...new Set(query.chunkIds)] }),
  };
}

function guardVectors(raw: RawVectorStore, guard: Guard): Pick<VectorStore, "search"> {
  return {
    async search(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("search", query, [...restrictions, "embedding", "version", "metric", "includeEmbeddings"]);
      checkScore(query.minScore);
      const { metric, embedding, version } = query;
      if (metric !== undefined && (!metrics.includes(metric) || !raw.capabilities.metrics.includes(metric))) {
        throw new IbidError(
          metrics.includes(metric) ? "unsupported" : "invalid-argument",
          `${guard.policy.name} has no metric "${metric}".`,
          {
            mend: `It has ${raw.capabilities.metrics.join(", ")}.`,
          },
        );
      }
      if (embedding !== undefined) {
        if (version === undefined) {
          throw new IbidError("invalid-argument", "A vector to search with has no version.", {
            mend: "Say which version it is of: only vectors of one version can be compared.",
          });
        }
        checkEmbedding(embedding, version, guard.policy, "the query");
      }
      const decided = decideQuery(query, guard.topK);
      const matches = await raw.doSearch(
        readable,
        embedding === undefined ? decided : { ...decided, embedding: copyEmbedding(embedding) },
      );
      return matches.map((match) => ({
        ...match,
        chunk: copyChunk(match.chunk),
        ...(match.embedding === undefined ? {} : { embedding: copyEmbedding(match.embedding) }),
      }));
    },
  };
}

function guardLexical(raw: RawLexicalIndex, guard: Guard): Pick<LexicalIndex, "lexicalSearch"> {
  return {
    async lexicalSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("lexicalSearch", query, [...restrictions, "text", "syntax"]);
      checkText(query.text, "text");
      checkSyntax(query.syntax);
      checkScore(query.minScore);
      const { matches, terms } = await raw.doLexicalSearch(readable, decideQuery(query, guard.topK));
      return {
        matches: matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk), terms: copyPlain(match.terms) })),
        terms: copyPlain(terms),
      };
    },
  };
}

function checkSyntax(syntax: LexicalQuery["syntax"]): void {
  if (syntax === undefined || ["literal", "lucene"].includes(syntax)) return;
  throw new IbidError("invalid-argument", `There is no syntax "${syntax}" for queries.`, {
    mend: "Choose literal (the default) or lucene.",
  });
}

function guardRegex(raw: RawRegexSearch, guard: Guard): Pick<RegexSearch, "regexSearch"> {
  return {
    async regexSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("regexSearch", query, ["pattern", "ignoreCase", "filter", "origins", "topK"]);
      checkText(query.pattern, "pattern");
      const matches = await raw.doRegexSearch(readable, decideQuery(query, guard.topK));
      return matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk), matches: copyPlain(match.matches) }));
    },
  };
}

function guardLatent(raw: Partial<RawLatentSearch>, guard: Guard): Partial<Pick<LatentSearch, "latentSearch">> {
  const search = raw.doLatentSearch?.bind(raw);
  if (search === undefined) return {};
  return {
    async latentSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("latentSearch", query, [...restrictions, "text"]);
      checkText(query.text, "text");
      checkScore(query.minScore);
      const { matches, version, fitted, energy } = await search(readable, decideQuery(query, guard.topK));
      return {
        matches: matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk) })),
        version: { ...version },
        fitted,
        energy,
      };
    },
  };
}

function checkText(text: string, what: string): void {
  if (typeof text !== "string") throw new IbidError("invalid-argument", `The query has no ${what}.`);
}

function guardDocuments(raw: RawDocumentStore, guard: Guard): Omit<DocumentStore, keyof ChunkStore> {
  return {
    async replace(into, entry) {
      const scope = guard.write(into);
      const { document, entries } = entry;
      checkId(document.id, "document");
      checkId(document.uri, "document");
      checkEntries(entries, guard.policy);
      const ids = new Set<string>();
      for (const { chunk } of entries) {
        if (chunk.documentId !== document.id || ids.has(chunk.id)) {
          throw new IbidError(
            "invalid-id",
            `Chunk ${chunk.id} ${ids.has(chunk.id) ? "comes twice" : "is of another document"}.`,
            {
              uri: document.uri,
              mend: "A document's chunks have its id, and ids of their own.",
            },
          );
        }
        ids.add(chunk.id);
      }
      return raw.doReplace(scope, {
        ...entry,
        document: copyDocument(document),
        entries: entries.map(copyEntry),
        ...(entry.keeps === undefined ? {} : { keeps: [...entry.keeps] }),
      });
    },
    async held(into, documentId, version) {
      return new Map(await raw.doHeld(guard.write(into), documentId, version && { ...version }));
    },
    async find(scopes, uri) {
      return copyPlain(await raw.doFind(guard.read(scopes), uri));
    },
    async document(scopes, id) {
      return copyPlain(await raw.doDocument(guard.read(scopes), id));
    },
    async *documents(scopes) {
      for await (const summary of raw.doDocuments(guard.read(scopes))) {
        guard.open();
        yield { ...summary };
      }
    },
    async touch(into, id, mark) {
      await raw.doTouch(guard.write(into), id, { folder: mark.folder });
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

/** The same for a store that does everything. After `close`, which may be called again, every other call is `store-closed`. */
export function guardStore(raw: RawKnowledgeStore, options: GuardOptions = {}): KnowledgeStore {
  let closing: Promise<void> | undefined;
  const guard = createGuard(raw, options, () => closing !== undefined);
  return {
    ...guardChunks(raw, guard),
    ...guardVectors(raw, guard),
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
    async settle(settling = {}) {
      guard.open();
      checkOptions("settle", settling, ["signal", "onProgress"]);
      await raw.doSettle({ ...settling });
    },
    close: () => (closing ??= raw.doClose()),
  };
}
