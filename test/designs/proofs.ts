import { documents } from "./ballerina/documents.ts";
import { architecture as embabelArchitecture } from "./embabel/architecture.ts";
import { entities as embabelEntities } from "./embabel/entities.ts";
import { ingestion as embabelIngestion } from "./embabel/ingestion.ts";
import { model as embabelModel } from "./embabel/model.ts";
import { searching as embabelSearching } from "./embabel/searching.ts";
import type { Proof } from "./prove.ts";
import { endToEnd as wesichainEndToEnd } from "./wesichain/end-to-end.ts";
import { graph as wesichainGraph } from "./wesichain/graph.ts";
import { models as wesichainModels } from "./wesichain/models.ts";
import { store as wesichainStore } from "./wesichain/store.ts";

/** Every proof, by its file. */
export const proofs: Readonly<Record<string, readonly Proof[]>> = {
  "ballerina/documents": documents,
  "embabel/model": embabelModel,
  "embabel/ingestion": embabelIngestion,
  "embabel/searching": embabelSearching,
  "embabel/entities": embabelEntities,
  "embabel/architecture": embabelArchitecture,
  "wesichain/end-to-end": wesichainEndToEnd,
  "wesichain/graph": wesichainGraph,
  "wesichain/models": wesichainModels,
  "wesichain/store": wesichainStore,
};
