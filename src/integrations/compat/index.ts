/** What of this room is public. Only the doors read it. */
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
export {
  createOpenApiPlugin,
  type OpenApiPlugin,
  type OpenApiPluginOptions,
} from "./openapi/create-open-api-plugin.ts";
export type { OpenApiDocument } from "./openapi/open-api-document.ts";
export { promptWithData, type PromptWithDataOptions } from "./prompt-with-data.ts";
export {
  createRetrieverNode,
  type HasMetadataFilter,
  type HasQuery,
  type HasRetrievedDocs,
  type RetrievedDoc,
  type RetrieverNode,
  type RetrieverNodeOptions,
  toRetrievedDoc,
} from "./retriever-node.ts";
export { createTemplate, type PromptTemplate, type TemplateOptions } from "./template/create-template.ts";
export { encodeHtml } from "./template/encode-html.ts";
export type { PromptArguments, PromptCall, PromptFunction, PromptPlugin } from "./template/prompt-function.ts";
export type { RenderContext, RenderFilter } from "./template/render-filter.ts";
export type { TextSearchLimits, TextSearchResult } from "./text-search-results.ts";
export { type MemoryChatModel, type MemoryChatOptions, type RequestMemory, withMemory } from "./with-memory.ts";
