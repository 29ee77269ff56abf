/**
 * Public functions that still meet a value of a wrong kind with an error of the engine's. The list only shrinks.
 *
 * Lengths are measured many times for each text. The room of contract packs imports neither options nor their checks.
 */
export const unchecked: ReadonlySet<string> = new Set([
  "ibid/chunkers characters",
  "ibid/chunkers codePoints",
  "ibid/chunkers heuristicTokens",
  "ibid/readers linksIn",
  "ibid/testing createChatModelPack",
  "ibid/testing createEmbeddingModelPack",
  "ibid/testing createFixedEmbeddingModel",
  "ibid/testing createLegPack",
  "ibid/testing createListSource",
  "ibid/testing createRetrieverPack",
  "ibid/testing createSourcePack",
  "ibid/testing createStorePack",
  "ibid/testing defineCases",
]);
