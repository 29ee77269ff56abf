import type { CallbackManagerForRetrieverRun } from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchOptions } from "../../contracts/retriever.ts";

/**
 * A hit as LangChain has documents: the passage, and in its metadata where it stands.
 *
 * @experimental
 */
export function toLangChainDocument({ chunkId, text, metadata, source, score }: Hit): Document {
  const { uri, title, headings, start, end, page, line } = source;
  const place = {
    uri,
    title,
    headings,
    start,
    end,
    ...(page !== undefined && { page }),
    ...(line !== undefined && { line }),
  };
  return new Document({ id: chunkId, pageContent: text, metadata: { ...metadata, source: uri, ...place, score } });
}

class KnowledgeBaseRetriever extends BaseRetriever {
  readonly lc_namespace = ["ibid", "retrievers"];
  readonly #kb: KnowledgeBase;
  readonly #options: SearchOptions;

  static override lc_name(): string {
    return "KnowledgeBaseRetriever";
  }

  constructor(kb: KnowledgeBase, options: SearchOptions) {
    super();
    this.#kb = kb;
    this.#options = options;
  }

  override async _getRelevantDocuments(query: string, run?: CallbackManagerForRetrieverRun): Promise<Document[]> {
    void run;
    return (await this.#kb.search(query, this.#options)).map(toLangChainDocument);
  }
}

/**
 * A knowledge base as a LangChain retriever. Hand in the view of whoever asks; options are the application's, as everywhere (law 12).
 *
 * **Shape** LangChain documents, best first: id the chunk's, metadata the chunk's with `source`, `uri`, `title`, `headings`, `start`, `end`, `score`.
 * @experimental
 */
export function createLangChainRetriever(kb: KnowledgeBase, options: SearchOptions = {}): BaseRetriever {
  return new KnowledgeBaseRetriever(kb, options);
}
