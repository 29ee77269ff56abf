/**
 * The contract packs, for anyone who writes a store, a reader, a model or anything else behind one of our interfaces; and fakes to test with.
 * Free of any test runner: a case is an id and a function that throws.
 */
export { createChatModelPack } from "./chat-model-pack.ts";
export type { ChatModelSubject } from "./chat-model-pack.ts";
export { createChunkStorePack } from "./chunk-store-pack.ts";
export { createChunkTransformerPack } from "./chunk-transformer-pack.ts";
export { createChunkerPack } from "./chunker-pack.ts";
export type { ChunkerSubject } from "./chunker-fixtures.ts";
export { ContractViolation, defineCases } from "./contract-case.ts";
export type { CaseDefinition, ContractCase } from "./contract-case.ts";
export { edgeTexts, generateText, scripts } from "./corpus.ts";
export { createDocumentStorePack } from "./document-store-pack.ts";
export { createEmbedderPack } from "./embedder-pack.ts";
export type { EmbedderSubject } from "./embedder-pack.ts";
export { createEmbeddingCachePack } from "./embedding-cache-pack.ts";
export type { EmbeddingCacheSubject } from "./embedding-cache-pack.ts";
export { createEmbeddingModelPack } from "./embedding-model-pack.ts";
export type { EmbeddingModelSubject } from "./embedding-model-pack.ts";
export { createFixedEmbeddingModel } from "./fixed-embedding-model.ts";
export type { FixedEmbeddingModel, FixedEmbeddingModelOptions } from "./fixed-embedding-model.ts";
export { createKnowledgeBasePack } from "./knowledge-base-pack.ts";
export type { KnowledgeBaseParts } from "./knowledge-base-case.ts";
export type { KnowledgeBaseSubject } from "./knowledge-base-pack.ts";
export { createKnowledgeStorePack } from "./knowledge-store-pack.ts";
export { createLatentSearchPack } from "./latent-search-pack.ts";
export type { LatentStore } from "./latent-search-pack.ts";
export { createLexicalIndexPack } from "./lexical-index-pack.ts";
export { createListSource } from "./list-source.ts";
export type { ListedItem } from "./list-source.ts";
export { createReaderPack } from "./reader-pack.ts";
export type { ReaderSubject } from "./reader-pack.ts";
export { createRecordingTracer } from "./recording-tracer.ts";
export type { RecordingTracer } from "./recording-tracer.ts";
export { createRegexSearchPack } from "./regex-search-pack.ts";
export { createRerankerPack } from "./reranker-pack.ts";
export { createRetrieverPack } from "./retriever-pack.ts";
export type { RetrieverSubject } from "./retriever-pack.ts";
export type { RetrievableText } from "./retriever-fixtures.ts";
export { createScriptedChatModel } from "./scripted-chat-model.ts";
export type { ScriptedChatModel, ScriptedReply } from "./scripted-chat-model.ts";
export { createSourcePack } from "./source-pack.ts";
export type { SourceSubject } from "./source-pack.ts";
export type { StoreSubject } from "./store-fixtures.ts";
export { createAnalyzerPack, createLengthFunctionPack } from "./text-packs.ts";
export { createTracerPack } from "./tracer-pack.ts";
export type { TracerSubject } from "./tracer-pack.ts";
export { createVectorStorePack } from "./vector-store-pack.ts";
