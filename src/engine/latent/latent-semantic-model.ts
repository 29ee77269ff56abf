import type { CorpusModel } from "../../contracts/corpus-model.ts";
import { createProjector } from "./create-projector.ts";
import { embedTerms, formDimensions } from "./embed-terms.ts";
import { latentSemanticVersion } from "./latent-basis.ts";
import { sampleForFit, sampleSize } from "./sample-for-fit.ts";

/** Growth that calls for a new fit of a corpus that is sampled. **Source** docs/decisions/0125-the-life-of-a-fit.md. */
const growth = 1.1;

/**
 * Chunks that a fit is made of: all, or above the size of a sample the last step of a tenth. So the fits of a corpus that grows from there on cost
 * eleven times the last one at most.
 */
export function corpusOf(live: number): number {
  if (live <= sampleSize) return live;
  let corpus = sampleSize;
  for (let next = corpus; next <= live; next = Math.floor(next * growth)) corpus = next;
  return corpus;
}

/**
 * The default dense leg: the meaning of terms in this corpus, from their contexts, and their spelling.
 *
 * **Shape** below 256 chunks there is too little context for a fit: spelling alone compares texts.
 * **Source** see `fitLatentSemantic` and `embedTerms`.
 */
export const latentSemanticModel: CorpusModel = Object.freeze({
  leastChunks: 256,
  corpusOf,
  unfitted: { fingerprint: `forms/${latentSemanticVersion}`, dimensions: 0, find: () => undefined },
  vectorLength: (dimensions) => dimensions + formDimensions,
  sample: (chunks) => sampleForFit(chunks),
  // The code of a fit is large; it is loaded when there are enough chunks.
  async *fit(chunks) {
    const { latentSemanticSteps } = await import("./fit-latent-semantic.ts");
    return yield* latentSemanticSteps(chunks);
  },
  projector: createProjector,
  project: (terms, space, purpose) => embedTerms(terms, space.dimensions, (term) => space.find(term), purpose),
} satisfies CorpusModel);
