import { BM25Retriever } from "@langchain/community/retrievers/bm25";
import { Document } from "@langchain/core/documents";
import type { Contestant, CreateContestant } from "../contestant.ts";

export const create: CreateContestant = ({ topK }): Contestant<Document[], string> => {
  const documents: Document[] = [];
  let retriever: BM25Retriever;
  return {
    shape: ({ passages }) =>
      passages.map(({ id, text, slot }) => new Document({ id, pageContent: text, metadata: { slot } })),
    add: (batch) => void documents.push(...batch),
    finish: () => void (retriever = BM25Retriever.fromDocuments(documents, { k: topK })),
    shapeQuery: ({ text }) => text,
    query: async (text) => (await retriever.invoke(text)).map(({ id }) => id!),
  };
};
