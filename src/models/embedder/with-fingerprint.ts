import type { EmbeddingModel } from "../../contracts/embedding-model.ts";

/** The same model under another fingerprint. A model may be an object of a class: it goes on answering itself. */
export function withFingerprint(model: EmbeddingModel, fingerprint: string): EmbeddingModel {
  const { provider, kind, maxBatchSize, similarity } = model;
  return {
    provider,
    model: model.model,
    kind,
    get dimensions() {
      return model.dimensions;
    },
    fingerprint,
    ...(maxBatchSize !== undefined && { maxBatchSize }),
    ...(similarity !== undefined && { similarity }),
    embed: (inputs, options) => model.embed(inputs, options),
  };
}
