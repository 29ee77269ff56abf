import type { CollectionPlan } from "./records/check-definition.ts";
import type { Embedder, EmbeddingModel } from "../contracts/embedding-model.ts";
import { setApart } from "../contracts/embedding.ts";
import { withFingerprint } from "../models/embedder/with-fingerprint.ts";
import { recordKeys } from "./records/collection-uri.ts";
import type { ApartEmbedder } from "../ingest/stages.ts";

/** The models that a collection brings, each with vectors of a version set apart. */
export interface ApartEmbedders {
  readonly embedders: readonly ApartEmbedder[];
  /** By which a search of one field goes, or of all: `undefined` for the knowledge base's own. */
  of(field: string | undefined): Embedder | undefined;
}

/**
 * **Shape** one embedder for each model, however many fields have it. A search of all fields goes by one model, as scores of different models cannot
 * be compared. That model is the collection's where all fields have it, else the knowledge base's own, of which every chunk has a vector.
 */
export async function createApartEmbedders(
  { models, vectors, text }: CollectionPlan,
  embed: (model: EmbeddingModel) => Promise<Embedder>,
): Promise<ApartEmbedders> {
  const byModel = new Map<EmbeddingModel, Embedder>();
  for (const model of new Set(models.values()))
    byModel.set(model, await embed(withFingerprint(model, setApart(model.fingerprint ?? ""))));
  const parts = [...vectors, ...(vectors.length < text.length ? [""] : [])];
  const embedderOf = (part: string): Embedder | undefined => {
    const model = models.get(part);
    return model && byModel.get(model);
  };
  const [first, ...others] = parts.map(embedderOf);
  const ofAll = others.every((one) => one === first) ? first : undefined;
  return {
    embedders: [...byModel.values()].map((embedder) => ({
      embedder,
      embeds({ metadata }) {
        const field = metadata[recordKeys.field];
        return embedderOf(typeof field === "string" ? field : "") === embedder;
      },
    })),
    of: (field) => (field === undefined ? ofAll : embedderOf(field)),
  };
}
