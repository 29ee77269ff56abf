import { createAutoChunker } from "../../src/chunkers/auto-chunker.ts";
import { withHandlers } from "../../src/chunkers/handler-chunker.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Engine } from "../../src/contracts/engine.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { MediaTypeHandler } from "../../src/contracts/media-type-handler.ts";
import { createHandlerReader } from "../../src/readers/handler-reader.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { createCachedEmbedders } from "../../src/models/embedder/cached-embedders.ts";
import { createKnowledgeBase } from "../../src/knowledge-base/open/create-knowledge-base.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";

/** A knowledge base over a store of the test's own, as the doors put it together, at once. */
export function knowledgeBaseOver(
  store: Store,
  embeddingModel: EmbeddingModel,
  formerEmbeddingModels: readonly EmbeddingModel[] = [],
  handlers: readonly MediaTypeHandler[] = [],
  engine?: Engine,
): KnowledgeBase {
  const embed = createCachedEmbedders({ secret: store.secret });
  return createKnowledgeBase({
    store,
    engine,
    embed,
    embedder: embed(embeddingModel),
    formerEmbedders: formerEmbeddingModels.map(embed),
    readers: [...handlers.map(createHandlerReader), plainTextReader],
    chunker: withHandlers(createAutoChunker(), handlers),
    transformers: [],
    analyzer: defaultAnalyzer,
  });
}
