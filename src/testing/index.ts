/** `ibid/testing`. */
export { type BlobStoreSubject, createBlobStorePack } from "./blob-store-pack.ts";
export { type ChatModelSubject, createChatModelPack } from "./chat-model-pack.ts";
export { createChunkTransformerPack } from "./chunk-transformer-pack.ts";
export type { ChunkerSubject } from "./chunker-fixtures.ts";
export { createChunkerPack } from "./chunker-pack.ts";
export { type CaseDefinition, type ContractCase, ContractViolation, defineCases } from "./contract-case.ts";
export { edgeTexts, generateText, scripts } from "./corpus.ts";
export { createEmbeddingModelPack, type EmbeddingModelSubject } from "./embedding-model-pack.ts";
export { createEnginePack, type EngineSubject } from "./engine-pack.ts";
export { createFaultProxy, type EngineFaults, type FaultProxy } from "./fault-proxy.ts";
export {
  createFixedEmbeddingModel,
  type FixedEmbeddingModel,
  type FixedEmbeddingModelOptions,
} from "./fixed-embedding-model.ts";
export type { JobStoreSubject } from "./job-store-case.ts";
export { createIsolationPack, type IsolationSubject } from "./isolation-pack.ts";
export { createJobStorePack } from "./job-store-pack.ts";
export { createStorePack } from "./knowledge-store-pack.ts";
export { createLegPack } from "./leg-pack.ts";
export type { LegSubject } from "./leg-world.ts";
export { createListSource, type ListedItem } from "./list-source.ts";
export { createReaderPack, type ReaderSubject } from "./reader-pack.ts";
export { createReferenceEngine } from "./reference-engine.ts";
export { createRerankerPack } from "./reranker-pack.ts";
export type { RetrievableText } from "./retriever-fixtures.ts";
export { createRetrieverPack, type RetrieverSubject } from "./retriever-pack.ts";
export { createScriptedChatModel, type ScriptedChatModel, type ScriptedReply } from "./scripted-chat-model.ts";
export { createSourcePack, type SourceSubject } from "./source-pack.ts";
export type { StoreSubject } from "./store-fixtures.ts";
