import type { CorpusModel } from "../../contracts/corpus-model.ts";
import { embedTerms, formDimensions } from "./embed-terms.ts";
import { latentSemanticVersion } from "./latent-basis.ts";
import { sampleForFit } from "./sample-for-fit.ts";

/**
 * The default dense leg: the meaning of terms in this corpus, from their contexts, and their spelling.
 *
 * **Shape** below 256 chunks there is too little context for a fit: spelling alone compares texts.
 * **Source** see `fitLatentSemantic` and `embedTerms`.
 */
export const latentSemanticModel: CorpusModel = Object.freeze({
  leastChunks: 256,
  unfitted: { fingerprint: `forms/${latentSemanticVersion}`, dimensions: 0, find: () => undefined },
  vectorLength: (dimensions) => dimensions + formDimensions,
  sample: (chunks) => sampleForFit(chunks),
  // The code of a fit is large; it is loaded when there are enough chunks.
  async *fit(chunks) {
    const { latentSemanticSteps } = await import("./fit-latent-semantic.ts");
    return yield* latentSemanticSteps(chunks);
  },
  project: (terms, space, purpose) => embedTerms(terms, space.dimensions, (term) => space.find(term), purpose),
} satisfies CorpusModel);
