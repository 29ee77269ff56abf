import type { OpenOptions } from "../knowledge-base/open/open-knowledge-base.ts";

/** Ways to open the measured knowledge base, by the name that `--variant` takes. */
export const variants: Readonly<Record<string, () => Promise<OpenOptions>>> = {
  default: () => Promise.resolve({}),
  lucene: async () => {
    const { createLuceneAnalyzer } = await import("../text/lucene-analyzer.ts");
    return {
      search: { analyzer: createLuceneAnalyzer(), bm25: { variant: "lucene", k1: 0.9, b: 0.4 } },
      models: { embedding: null },
    };
  },
  ...Object.fromEntries(
    (["robertson", "atire", "bm25l", "bm25+"] as const).map((variant) => [
      variant,
      async () => ({ search: { bm25: { variant } } }),
    ]),
  ),
};
