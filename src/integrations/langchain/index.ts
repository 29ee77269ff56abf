/**
 * The door for LangChain and LangGraph: `ibid/langchain`. It loads `@langchain/core`, which the project that opens it has.
 */
export { createLangChainRetriever, toLangChainDocument } from "./langchain-retriever.ts";
export { createLangChainVectorStore, type LangChainVectorStoreOptions } from "./langchain-vector-store.ts";
