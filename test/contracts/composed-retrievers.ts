import type { RetrieverParts, WrapRetriever } from "../../src/contracts/retriever.ts";
import { compressHits } from "../../src/search/around/compress-hits.ts";
import { diversify } from "../../src/search/around/diversify.ts";
import { dropDuplicates } from "../../src/search/around/drop-duplicates.ts";
import { expandHits } from "../../src/search/around/expand-hits.ts";
import { hyde } from "../../src/search/around/hyde.ts";
import { multiQuery } from "../../src/search/around/multi-query.ts";
import { rewriteQuery } from "../../src/search/around/rewrite-query.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";

/** Says back what it was asked, with some words more: a model whose queries find what the question finds. */
const echo = createScriptedChatModel((messages) => `${messages.at(-1)?.content as string} please`);
/** Two ways of asking the same. */
const echoTwice = createScriptedChatModel((messages) => {
  const question = messages.at(-1)?.content as string;
  return `1. ${question} now\n2. how to ${question}`;
});
/** Chooses the first of the sentences that it is shown. */
const first = createScriptedChatModel(() => "1");
const failing = createScriptedChatModel(() => ({ error: new Error("out of order") }));

const analyzed = ({ documents, analyzer }: RetrieverParts) => ({ documents, analyzer });

/** Every retriever that stands around another one, each by itself. `ownScores` where its scores are not those of the legs. */
export const wrappers: Readonly<Record<string, { readonly wrap: WrapRetriever; readonly ownScores?: boolean }>> = {
  rewriteQuery: { wrap: (base) => rewriteQuery(base, { model: echo }) },
  "rewriteQuery with a model that fails": { wrap: (base) => rewriteQuery(base, { model: failing }) },
  multiQuery: { wrap: (base) => multiQuery(base, { model: echoTwice }), ownScores: true },
  "multiQuery by the best score": {
    wrap: (base) => multiQuery(base, { model: echoTwice, fusion: "best" }),
    ownScores: true,
  },
  hyde: { wrap: (base) => hyde(base, { model: echo }), ownScores: true },
  "hyde with a model that fails": { wrap: (base) => hyde(base, { model: failing }), ownScores: true },
  diversify: { wrap: (base) => diversify(base), ownScores: true },
  "diversify by words": { wrap: (base) => diversify(base, { by: "words", lambda: 0.5 }), ownScores: true },
  dropDuplicates: { wrap: (base) => dropDuplicates(base) },
  "expandHits to neighbours": { wrap: (base, parts) => expandHits(base, { ...analyzed(parts), neighbours: 1 }) },
  "expandHits to sections": { wrap: (base, parts) => expandHits(base, { ...analyzed(parts), zoomOut: 1 }) },
  compressHits: { wrap: (base, parts) => compressHits(base, analyzed(parts)) },
  "compressHits by a model": { wrap: (base, parts) => compressHits(base, { ...analyzed(parts), model: first }) },
};

/** Several around one another, the innermost first: each kind before and after each other kind at least once. */
export const compositions: readonly (readonly (keyof typeof wrappers)[])[] = [
  ["dropDuplicates", "diversify"],
  ["diversify", "dropDuplicates"],
  ["dropDuplicates", "multiQuery", "expandHits to neighbours", "compressHits"],
  ["compressHits", "expandHits to neighbours", "multiQuery", "dropDuplicates"],
  ["rewriteQuery", "hyde", "diversify by words", "expandHits to sections"],
  ["expandHits to sections", "diversify", "hyde", "rewriteQuery"],
];

/** One retriever of several. */
export function compose(names: readonly string[]): { readonly wrap: WrapRetriever; readonly ownScores: boolean } {
  const used = names.map((name) => wrappers[name]!);
  return {
    wrap: (base, parts) => used.reduce((within, { wrap }) => wrap(within, parts), base),
    ownScores: used.some(({ ownScores = false }) => ownScores),
  };
}
