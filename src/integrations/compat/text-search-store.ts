import { IbidError } from "../../contracts/errors.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import type { Embedding } from "../../contracts/embedding.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { MetadataInput } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { sha256 } from "../../runtime/hash.ts";
import { type TextSearchResult, toTextSearchResult } from "./text-search-results.ts";

/**
 * Options of {@link createTextSearchStore}.
 *
 * @experimental
 */
export interface TextSearchStoreOptions {
  /** Default: the caller's own, as for `kb.ingest`. */
  readonly scope?: Scope | undefined;
  /** Namespace of a search or a write that names none. Default: none; a search then covers all. */
  readonly namespace?: string | undefined;
  /**
   * Reads the text of a result from its source. The searched text is then never shown, and `undefined` leaves the result out.
   * **Source** Semantic Kernel's `SourceRetrievalCallback`.
   */
  readonly readSource?:
    | ((source: { readonly name: string; readonly link: string }) => Promise<string | undefined>)
    | undefined;
  /**
   * `false` stores the vector of a text, its name and its link, and no word of it; `readSource` and `embedding` are needed then. Words of the text are then found by
   * meaning alone. Default true. **Source** Semantic Kernel's `PersistSourceText`.
   */
  readonly persistSourceText?: boolean | undefined;
  /** The embedding model of the knowledge base, for `persistSourceText: false`. */
  readonly embedding?: EmbeddingModel | undefined;
}

/**
 * A text to search.
 *
 * @experimental
 */
export interface SourceText {
  readonly text: string;
  /** Default: a hash of the text. */
  readonly sourceId?: string | undefined;
  readonly name?: string | undefined;
  readonly link?: string | undefined;
  /** Searches that name one of them find the text, and searches that name none. */
  readonly namespaces?: readonly string[] | undefined;
  readonly metadata?: MetadataInput | undefined;
}

/**
 * Texts to search by meaning and words.
 *
 * @experimental
 */
export interface TextSearchStore {
  /** Writes texts. The same `sourceId` replaces. **Shape** their ids. */
  upsert(texts: readonly SourceText[]): Promise<readonly string[]>;
  /** **Shape** best first, three by default; nothing for a blank query. */
  search(
    query: string,
    options?: { readonly top?: number; readonly namespace?: string; readonly signal?: AbortSignal },
  ): Promise<readonly TextSearchResult[]>;
  /** **Shape** texts that went. */
  delete(sourceIds: readonly string[]): Promise<number>;
}

const prefix = "text:";
const namespacesKey = "_namespaces";
const linkKey = "_link";

/**
 * Makes a store of texts over a knowledge base, for agents: upsert, search, delete.
 *
 * **Source** Semantic Kernel `TextSearchStore`.
 *
 * @experimental
 */
export function createTextSearchStore(kb: KnowledgeBase, options: TextSearchStoreOptions = {}): TextSearchStore {
  checkOptions("createTextSearchStore", options, {
    scope: true,
    namespace: true,
    readSource: true,
    persistSourceText: true,
    embedding: true,
  });
  const { scope, namespace: ownNamespace, readSource, persistSourceText = true, embedding } = options;
  checkGiven("createTextSearchStore", "persistSourceText", persistSourceText, "flag");
  if (!persistSourceText && (readSource === undefined || embedding === undefined)) {
    throw new IbidError(
      "invalid-argument",
      "createTextSearchStore: persistSourceText is false without a way to read.",
      {
        hint: "Give readSource, and as embedding the model that the knowledge base was opened with.",
      },
    );
  }
  /** The vectors of texts that are not stored. */
  const vectorsOf = async (texts: readonly SourceText[]): Promise<readonly (Embedding | undefined)[]> => {
    if (persistSourceText || texts.length === 0) return [];
    const { embeddings } = await embedding!.embed(
      texts.map(({ text }) => text),
      { purpose: "document" },
    );
    if (embeddings.length === texts.length) return embeddings;
    throw new IbidError("invalid-response", `The model gave ${embeddings.length} vectors for ${texts.length} texts.`);
  };
  const address = scope === undefined ? {} : { scope };
  return {
    async upsert(texts) {
      const ids = texts.map(({ text, sourceId }) => sourceId ?? sha256(text).slice(0, 32));
      const vectors = await vectorsOf(texts);
      const documents = texts.map(({ text, name, link, namespaces, metadata }, i) => {
        const within = namespaces ?? (ownNamespace === undefined ? [] : [ownNamespace]);
        const ours = { [namespacesKey]: within, ...(link !== undefined && { [linkKey]: link }) };
        const title = name ?? ids[i]!;
        const words = persistSourceText ? { text } : { text: title, embedding: vectors[i] };
        return { uri: prefix + ids[i]!, ...words, title, metadata: { ...metadata, ...ours } };
      });
      for await (const { error } of kb.ingest(documents, address)) if (error) throw error;
      return ids;
    },

    async search(query, given = {}) {
      checkOptions("search", given, { top: true, namespace: true, signal: true });
      const { top = 3, namespace = ownNamespace, signal } = given;
      if (!Number.isSafeInteger(top) || top < 1)
        throw new IbidError("invalid-argument", `search: top is ${String(top)}.`, {
          hint: "Give a whole number from 1 up.",
        });
      if (query.trim() === "") return [];
      const hits = await kb.search(query, {
        topK: top,
        snippetLength: 0,
        ...(scope !== undefined && { scopes: [scope] }),
        ...(signal && { signal }),
        filter: { [namespacesKey]: namespace === undefined ? { exists: true } : { hasElement: namespace } },
      });
      const results = hits.map((hit) => {
        const link = hit.metadata[linkKey];
        return { ...toTextSearchResult(hit), ...(typeof link === "string" && { link }) };
      });
      if (readSource === undefined) return results;
      const read = results.map(async ({ name, link }) => ({ name, link, value: await readSource({ name, link }) }));
      return (await Promise.all(read)).flatMap(({ value, ...result }) =>
        value === undefined ? [] : [{ ...result, value }],
      );
    },

    async delete(sourceIds) {
      let count = 0;
      for (const id of sourceIds) count += (await kb.delete(prefix + id, address)).length;
      return count;
    },
  };
}
