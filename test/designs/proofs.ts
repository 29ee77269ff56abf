import { documents } from "./ballerina/documents.ts";
import { guarantees as ballerinaGuarantees } from "./ballerina/guarantees.ts";
import { models } from "./ballerina/models.ts";
import { stores } from "./ballerina/stores.ts";
import { architecture as embabelArchitecture } from "./embabel/architecture.ts";
import { entities as embabelEntities } from "./embabel/entities.ts";
import { ingestion as embabelIngestion } from "./embabel/ingestion.ts";
import { model as embabelModel } from "./embabel/model.ts";
import { parts as embabelParts } from "./embabel/parts.ts";
import { repository as embabelRepository } from "./embabel/repository.ts";
import { requests as embabelRequests } from "./embabel/requests.ts";
import { performance as embabelPerformance } from "./embabel/performance.ts";
import { searching as embabelSearching } from "./embabel/searching.ts";
import { options as ballerinaOptions } from "./ballerina/options.ts";
import { options as toolupOptions } from "./toolup/options.ts";
import { options as wesichainOptions } from "./wesichain/options.ts";
import { options as embabelOptions } from "./embabel/options.ts";
import { options as memoryOptions } from "./semantic-kernel/options.ts";
import { waysIn as ballerinaWaysIn } from "./ballerina/ways-in.ts";
import type { Proof } from "./prove.ts";
import { operations as toolupOperations } from "./toolup/operations.ts";
import { huggingFace } from "./semantic-kernel/hugging-face.ts";
import { construction as wesichainConstruction } from "./wesichain/construction.ts";
import { media as ballerinaMedia } from "./ballerina/media.ts";
import { services } from "./embabel/services.ts";
import { waysIn as embabelWaysIn } from "./embabel/ways-in.ts";
import { hybrid } from "./semantic-kernel/hybrid.ts";
import { vectors as wesichainVectors } from "./wesichain/vectors.ts";
import { memory } from "./semantic-kernel/memory.ts";
import { plugins } from "./semantic-kernel/plugins.ts";
import { prompts } from "./semantic-kernel/prompts.ts";
import { guarantees as toolupGuarantees } from "./toolup/guarantees.ts";
import { pipelines } from "./toolup/pipelines.ts";
import { requests } from "./toolup/requests.ts";
import { services as toolupServices } from "./toolup/services.ts";
import { defaults as kernelDefaults } from "./semantic-kernel/defaults.ts";
import { splitting } from "./wesichain/splitting.ts";
import { parts as ballerinaParts } from "./ballerina/parts.ts";
import { toolupStores } from "./toolup/stores.ts";
import { endToEnd as wesichainEndToEnd } from "./wesichain/end-to-end.ts";
import { graph as wesichainGraph } from "./wesichain/graph.ts";
import { engines } from "./engines.ts";
import { models as wesichainModels } from "./wesichain/models.ts";
import { parts as wesichainParts } from "./wesichain/parts.ts";
import { store as wesichainStore } from "./wesichain/store.ts";

/** Every proof, by its file. */
export const proofs: Readonly<Record<string, readonly Proof[]>> = {
  "ballerina/documents": documents,
  "ballerina/guarantees": ballerinaGuarantees,
  "semantic-kernel/options": memoryOptions,
  "embabel/options": embabelOptions,
  "wesichain/options": wesichainOptions,
  "toolup/options": toolupOptions,
  "ballerina/options": ballerinaOptions,
  "ballerina/models": models,
  "ballerina/ways-in": ballerinaWaysIn,
  "toolup/operations": toolupOperations,
  "wesichain/vectors": wesichainVectors,
  "semantic-kernel/hybrid": hybrid,
  "embabel/ways-in": embabelWaysIn,
  "ballerina/media": ballerinaMedia,
  "wesichain/construction": wesichainConstruction,
  "semantic-kernel/hugging-face": huggingFace,
  "ballerina/stores": stores,
  "semantic-kernel/memory": memory,
  "semantic-kernel/plugins": plugins,
  "semantic-kernel/prompts": prompts,
  "toolup/guarantees": toolupGuarantees,
  "toolup/pipelines": pipelines,
  "toolup/requests": requests,
  "toolup/services": toolupServices,
  "toolup/stores": toolupStores,
  "embabel/model": embabelModel,
  "embabel/ingestion": embabelIngestion,
  "embabel/searching": embabelSearching,
  "embabel/entities": embabelEntities,
  "embabel/parts": embabelParts,
  "embabel/repository": embabelRepository,
  "embabel/services": services,
  "embabel/performance": embabelPerformance,
  "embabel/architecture": embabelArchitecture,
  "wesichain/end-to-end": wesichainEndToEnd,
  "wesichain/graph": wesichainGraph,
  "wesichain/models": wesichainModels,
  "wesichain/parts": wesichainParts,
  "wesichain/store": wesichainStore,
  "ballerina/parts": ballerinaParts,
  "embabel/requests": embabelRequests,
  "semantic-kernel/defaults": kernelDefaults,
  "wesichain/splitting": splitting,
  engines,
};
