/** `ibid/langchain`. */
export { createLangChainRetriever, toLangChainDocument } from "./langchain-retriever.ts";
export { createLangChainVectorStore, type LangChainVectorStoreOptions } from "./langchain-vector-store.ts";
