import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddingModel } from "../src/contracts/embedding-model.ts";
import { openLocalEmbeddingModel } from "../src/models/index.node.ts";
import { cacheVectors } from "./cached-vectors.ts";

/**
 * The local embedding model of a folder, with its vectors kept in another. The runtime is `@huggingface/transformers`, as `npm run test:onnx` installs it;
 * `IBID_TRANSFORMERS` names another folder.
 *
 * **Shape** `undefined` where the model or the runtime is missing.
 */
export async function openLocalModel(folder: string, cache: string): Promise<EmbeddingModel | undefined> {
  const runtime = process.env["IBID_TRANSFORMERS"] ?? join(import.meta.dirname, "..", "compat", "transformers");
  if (!existsSync(join(runtime, "node_modules")) || !existsSync(folder)) return undefined;
  return cacheVectors(await openLocalEmbeddingModel(`local:${folder}`, { packageFolder: runtime }), cache, 384);
}
