import type { DocumentInterface } from "@langchain/core/documents";
import { Embeddings } from "@langchain/core/embeddings";
import { VectorStore } from "@langchain/core/vectorstores";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { IngestOptions, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { SearchOptions } from "../../contracts/retriever.ts";
import { hashParts } from "../../runtime/hash.ts";
import { toLangChainDocument } from "./langchain-retriever.ts";

/**
 * Options for writing and searching. All have defaults.
 * @experimental
 */
export interface LangChainVectorStoreOptions {
  /** Filter of every search; a filter of a call narrows it. */
  readonly search?: Omit<SearchOptions, "topK"> | undefined;
  /** Options of every ingestion. */
  readonly ingest?: Pick<IngestOptions, "scope" | "metadata" | "origin"> | undefined;
}

/** LangChain requires an embedder; a knowledge base embeds by itself. */
class NoEmbeddings extends Embeddings {
  constructor() {
    super({});
  }
  override embedQuery = (): Promise<number[]> => Promise.reject(noVectors());
  override embedDocuments = (): Promise<number[][]> => Promise.reject(noVectors());
}

class KnowledgeBaseVectorStore extends VectorStore {
  declare FilterType: FilterInput;
  override lc_namespace = ["ibid", "vectorstores"];
  readonly #kb: KnowledgeBase;
  readonly #options: LangChainVectorStoreOptions;

  constructor(kb: KnowledgeBase, options: LangChainVectorStoreOptions) {
    super(new NoEmbeddings(), {});
    this.#kb = kb;
    this.#options = options;
  }

  override _vectorstoreType(): string {
    return "ibid";
  }

  override async addDocuments(
    documents: DocumentInterface[],
    options?: { readonly ids?: string[] },
  ): Promise<string[]> {
    const ids = documents.map(({ id, pageContent, metadata }, at) => {
      return options?.ids?.[at] ?? id ?? hashParts("langchain", pageContent, JSON.stringify(metadata));
    });
    const inputs = documents.map(({ pageContent, metadata }, at) => ({
      uri: ids[at]!,
      text: pageContent,
      metadata: toMetadata(metadata),
    }));
    for await (const { status, error } of this.#kb.ingest(inputs, this.#options.ingest)) {
      if (status === "failed") throw error ?? new IbidError("internal", "A document was not ingested.");
    }
    return ids;
  }

  override async addVectors(): Promise<never> {
    throw noVectors();
  }

  override async delete({ ids = [] }: { readonly ids?: readonly string[] } = {}): Promise<void> {
    const { scope } = this.#options.ingest ?? {};
    for (const id of ids) await this.#kb.delete(id, scope === undefined ? {} : { scope });
  }

  override async similaritySearch(query: string, k = 4, filter?: FilterInput): Promise<DocumentInterface[]> {
    return (await this.similaritySearchWithScore(query, k, filter)).map(([document]) => document);
  }

  override async similaritySearchWithScore(
    query: string,
    k = 4,
    filter?: FilterInput,
  ): Promise<[DocumentInterface, number][]> {
    const { search = {} } = this.#options;
    const filters = [search.filter, filter].filter((one) => one !== undefined);
    const hits = await this.#kb.search(query, {
      ...search,
      topK: k,
      ...(filters.length > 0 && { filter: { and: filters } }),
    });
    return hits.map((hit) => [toLangChainDocument(hit), hit.score]);
  }

  override async similaritySearchVectorWithScore(): Promise<never> {
    throw noVectors();
  }
}

/**
 * Makes a LangChain vector store of a knowledge base: it takes documents with ids, and searches by text. `k` is 4 by default, as in LangChain.
 *
 * **Errors** `unsupported` for vectors from outside: vectors are compared only within one model, and these have no known model. Give the model to
 * `openKnowledgeBase` instead.
 * @experimental
 */
export function createLangChainVectorStore(kb: KnowledgeBase, options: LangChainVectorStoreOptions = {}): VectorStore {
  return new KnowledgeBaseVectorStore(kb, options);
}

/** The part of a value that JSON can hold. */
function toMetadata(metadata: Record<string, unknown>): Metadata {
  return JSON.parse(JSON.stringify(metadata)) as Metadata;
}

function noVectors(): IbidError {
  return new IbidError("unsupported", "A knowledge base makes its own vectors and accepts none from outside.", {
    hint: "Add documents and search by text; give the embedding model to openKnowledgeBase.",
  });
}
