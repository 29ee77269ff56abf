import type { Reranker } from "../../src/contracts/retriever.ts";

/** A reranker of three lines: the share of the query's words that a text has. */
export const countWords: Reranker = {
  name: "count-words",
  async rerank(query, texts) {
    const words = new Set(query.toLowerCase().split(/\P{L}+/u));
    return texts.map(
      (text) =>
        text
          .toLowerCase()
          .split(/\P{L}+/u)
          .filter((word) => words.has(word)).length / words.size,
    );
  },
};
