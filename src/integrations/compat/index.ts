/** `ibid/compat`, in any runtime. */
export { augmentUserQuery } from "../../answers/prompts/augment-user-query.ts";
export { prompt } from "../../answers/prompts/prompt.ts";
export { chunkSpreadsheet } from "../../chunkers/chunk-spreadsheet.ts";
export { pathFromRoot } from "../../chunkers/path-from-root.ts";
export { chunkDocumentRecursively, type RecursiveChunkingOptions } from "../../chunkers/recursive-chunker.ts";
export { splitBySentence } from "../../chunkers/sentence-chunker.ts";
export { splitTextRecursively } from "../../chunkers/separator-chunker.ts";
export {
  splitMarkdownLines,
  splitMarkdownParagraphs,
  splitPlainTextLines,
  splitPlainTextParagraphs,
  type TokenCounter,
} from "../../chunkers/split-lines-and-paragraphs.ts";
export { splitByTokens } from "../../chunkers/token-chunker.ts";
export { withContextualHeader } from "../../chunkers/transformers/context-transformer.ts";
export { createStructureTransformer, structureKeys } from "../../chunkers/transformers/structure-transformer.ts";
export { splitText } from "../../chunkers/window-chunker.ts";
export { formatRow } from "../../text/format-row.ts";
export type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
export { addNote, ingestNarrative, type WrittenOptions } from "../../ingest/uploads/upload-document.ts";
export {
  type ConfirmWrite,
  createMemoryPlugin,
  type MemoryFunctions,
  type MemoryPlugin,
  type MemoryPluginOptions,
  type MemoryWrite,
} from "./create-memory-plugin.ts";
export {
  createTextMemory,
  type MemoryCallOptions,
  type MemoryReference,
  type MemorySearchOptions,
  type RememberedText,
  type SaveOptions,
  type TextMemory,
  type TextMemoryOptions,
} from "./create-text-memory.ts";
export {
  createTextSearchPlugin,
  type TextSearchPlugin,
  type TextSearchPluginOptions,
} from "./create-text-search-plugin.ts";
export {
  createTextSearchProvider,
  type TextSearchContext,
  type TextSearchProvider,
  type TextSearchProviderOptions,
} from "./create-text-search-provider.ts";
export { type ChunkCluster, type ClusterOptions, findClusters } from "./find-clusters.ts";
export {
  createOpenApiPlugin,
  type OpenApiPlugin,
  type OpenApiPluginOptions,
} from "./openapi/create-open-api-plugin.ts";
export type { ImportOpenApiOptions } from "./openapi/import-open-api.ts";
export type { OpenApiDocument } from "./openapi/open-api-document.ts";
export { promptWithData, type PromptWithDataOptions } from "./prompt-with-data.ts";
export {
  createRagService,
  mergeAdjacentResults,
  type RagEnhancer,
  type RagRequest,
  type RagResponse,
  type RagResult,
  ragasScore,
  type RagService,
  type RagServiceOptions,
} from "./rag-service.ts";
export {
  createRetrievalPipeline,
  type MergeStrategy,
  type RetrievalMatch,
  type RetrievalPipeline,
  type RetrievalPipelineOptions,
  type RetrievalRequest,
} from "./retrieval-pipeline.ts";
export {
  createRetrieverNode,
  type HasMetadataFilter,
  type HasQuery,
  type HasRetrievedDocs,
  type RetrievedDoc,
  type RetrieverNode,
  type RetrieverNodeOptions,
  type RetrieverNodeParts,
  toRetrievedDoc,
} from "./retriever-node.ts";
export { createTemplate, type PromptTemplate, type TemplateOptions } from "./template/create-template.ts";
export { encodeHtml } from "./template/encode-html.ts";
export type { PromptArguments, PromptCall, PromptFunction, PromptPlugin } from "./template/prompt-function.ts";
export type { RenderContext, RenderFilter } from "./template/render-filter.ts";
export {
  createTextSearchStore,
  type SourceText,
  type TextSearchStore,
  type TextSearchStoreOptions,
} from "./text-search-store.ts";
export type { FunctionContext, FunctionFilter } from "./template/function-filter.ts";
export type { TextSearchLimits, TextSearchResult } from "./text-search-results.ts";
export { createInMemoryVectorStore } from "./vector-store.ts";
export { type MemoryChatModel, type MemoryChatOptions, type RequestMemory, withMemory } from "./with-memory.ts";
export { type ContentPart, type PromptPart, renderParts, splitPrompt } from "../../models/render-parts.ts";
export { renderPrompt } from "../../models/render-prompt.ts";
