import { documents } from "./ballerina/documents.ts";
import type { Proof } from "./prove.ts";
import { endToEnd as wesichainEndToEnd } from "./wesichain/end-to-end.ts";
import { graph as wesichainGraph } from "./wesichain/graph.ts";
import { models as wesichainModels } from "./wesichain/models.ts";
import { store as wesichainStore } from "./wesichain/store.ts";

/** Every proof, by its file. */
export const proofs: Readonly<Record<string, readonly Proof[]>> = {
  "ballerina/documents": documents,
  "wesichain/end-to-end": wesichainEndToEnd,
  "wesichain/graph": wesichainGraph,
  "wesichain/models": wesichainModels,
  "wesichain/store": wesichainStore,
};
