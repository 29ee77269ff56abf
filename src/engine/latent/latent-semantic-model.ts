import type { CorpusModel } from "../../contracts/corpus-model.ts";
import { embedTerms, formDimensions } from "./embed-terms.ts";
import { latentSemanticVersion } from "./latent-basis.ts";
import { sampleForFit } from "./sample-for-fit.ts";

/**
 * The default dense leg: what terms mean in this corpus, by the company that they keep, and beside it how they are written.
 *
 * **Shape** below 256 chunks nothing is fitted, for there is too little company to tell anything by (DESIGN 7): texts are compared by their forms alone.
 * **Source** see `fitLatentSemantic` and `embedTerms`.
 */
export const latentSemanticModel: CorpusModel = Object.freeze({
  leastChunks: 256,
  unfitted: { fingerprint: `forms/${latentSemanticVersion}`, dimensions: 0, find: () => undefined },
  vectorLength: (dimensions) => dimensions + formDimensions,
  sample: (chunks) => sampleForFit(chunks),
  // What fits is large, and loaded when there is enough to fit on.
  async *fit(chunks) {
    const { latentSemanticSteps } = await import("./fit-latent-semantic.ts");
    return yield* latentSemanticSteps(chunks);
  },
  project: (terms, space, purpose) => embedTerms(terms, space.dimensions, (term) => space.find(term), purpose),
} satisfies CorpusModel);
