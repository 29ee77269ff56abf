import { checkGiven } from "../../runtime/check-options.ts";
import type { CallbackManagerForRetrieverRun } from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchOptions } from "../../contracts/retriever.ts";

/**
 * A hit as a LangChain document: the text of the chunk, and its place in the metadata.
 * @experimental
 */
export function toLangChainDocument(hit: Hit): Document {
  checkGiven("toLangChainDocument", "hit", hit, "object", { source: "object" });
  const { chunkId, text, metadata, source, score } = hit;
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
 * Makes a LangChain retriever of a knowledge base. Pass the view of the caller; the options belong to the application.
 *
 * **Shape** LangChain documents, best first. The id is the chunk's; the metadata is the chunk's with `source`, `uri`, `title`, `headings`, `start`, `end`, `score`.
 * @experimental
 */
export function createLangChainRetriever(kb: KnowledgeBase, options: SearchOptions = {}): BaseRetriever {
  return new KnowledgeBaseRetriever(kb, options);
}
