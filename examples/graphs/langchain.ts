// A knowledge base where LangChain wants a vector store or a retriever, with LangChain's own documents and runnables.
import { Document } from "@langchain/core/documents";
import { RunnableLambda } from "@langchain/core/runnables";
import { openKnowledgeBase } from "ibid";
import { createLangChainRetriever, createLangChainVectorStore } from "ibid/langchain";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
const store = createLangChainVectorStore(kb);
await store.addDocuments([
  new Document({ id: "keys", pageContent: "Signing keys are rotated every ninety days.", metadata: { area: "ops" } }),
  new Document({ id: "lunch", pageContent: "Lunch is served at noon.", metadata: { area: "house" } }),
]);
const found = await store.similaritySearch("rotate signing keys", 1);
check("as a vector store", found[0]?.pageContent, "Signing keys are rotated every ninety days.");

const chain = createLangChainRetriever(kb, { topK: 1, filter: { area: "house" } }).pipe(
  RunnableLambda.from((documents: Document[]) => documents.map(({ metadata }) => metadata["uri"] as string)),
);
check("as a retriever in a chain", await chain.invoke("When is lunch?"), ["lunch"]);
await kb.close();
