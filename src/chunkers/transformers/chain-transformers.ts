import type { ChunkTransformer } from "../../contracts/chunker.ts";
import { checkGiven } from "../../runtime/check-options.ts";
import { checkTransformerName, markChanged } from "./create-transformer.ts";

/**
 * Chains transformers into one: each gets the result of the one before.
 *
 * **Shape** the chunk carries the mark of each that changed it, and then of the chain. **Errors** `invalid-argument` for a blank name. **Source** Embabel `ChainedChunkTransformer`, with a real chain.
 *
 * @experimental
 */
export function chainTransformers(transformers: readonly ChunkTransformer[], given?: string): ChunkTransformer {
  checkGiven("chainTransformers", "transformers", transformers, "list");
  for (const transformer of transformers) checkTransformerName(transformer?.name);
  const name = given ?? (transformers.map((transformer) => transformer.name).join("+") || "chain");
  checkTransformerName(name);
  return {
    name,
    async transform(chunk, context) {
      let made = chunk;
      for (const transformer of transformers) {
        made = markChanged(made, await transformer.transform(made, context), transformer.name);
      }
      return made;
    },
  };
}
