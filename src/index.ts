/**
 * The public door, for any JavaScript runtime: `import "ibid"` loads no third-party module. On Node, `node.ts` is the same door with files and durability.
 */

// Open
export { openInMemory as openKnowledgeBase } from "./knowledge-base/open-in-memory.ts";
export type { AssembleOptions } from "./knowledge-base/assemble.ts";
export { createKnowledgeBase, type KnowledgeBaseParts } from "./knowledge-base/create-knowledge-base.ts";
export type { OpenSource } from "./knowledge-base/ingest-items.ts";
export { type ReadRun, readSource, type ReadSourceOptions, type SourceReading } from "./knowledge-base/read-source.ts";
export {
  alwaysRefresh,
  neverRefreshExisting,
  refreshAfter,
  refreshModified,
  refreshMatching,
} from "./pipeline/refresh-policy.ts";

export {
  type BlobIngestion,
  type BlobIngestionOptions,
  type BlobUpload,
  type IngestingBlobStore,
  withIngestion,
} from "./services/with-ingestion.ts";
export {
  addNote,
  type EnqueueUpload,
  ingestNarrative,
  type Upload,
  uploadDocument,
  type UploadOptions,
  type UploadResult,
  type WrittenOptions,
} from "./services/upload-document.ts";
export { scheduleVacuum, type VacuumSchedule, type VacuumScheduleOptions } from "./services/vacuum-schedule.ts";

// Access
export { type Caller, createGate, type Gate, operator } from "./access/gate.ts";
export { parseScope } from "./access/scopes.ts";

// Text
export { type AnalyzerOptions, createAnalyzer, defaultAnalyzer } from "./text/analyzer.ts";
export type { LanguageRules } from "./text/language-rules.ts";
export { createLuceneAnalyzer } from "./text/lucene-analyzer.ts";
export { hashParts, hmacSha256, sha256 } from "./text/hash.ts";
export { countInPieces, type CountInPiecesOptions } from "./text/count-in-pieces.ts";
export { formatRow } from "./text/format-row.ts";
export { findSuspicious } from "./text/find-suspicious.ts";
export { neutraliseSource } from "./text/neutralise-source.ts";
export { characters, codePoints, heuristicTokens } from "./text/length.ts";
export { compileLinearRegex, type LinearRegex } from "./text/linear-regex.ts";
export { createLocator, type DocumentLink, linksIn, locate } from "./text/locate.ts";
export { segmentSentences } from "./text/sentences.ts";

// Filters
export { allOf, anyOf, not, where } from "./filters/build-filter.ts";
export { compileFilter } from "./filters/compile-filter.ts";
export { parseFilter } from "./filters/parse-filter.ts";

// Read
export { buildSections } from "./documents/build-sections.ts";
export { type Composition, composeDocument } from "./documents/compose-document.ts";
export { describeElement, type TreeElement } from "./documents/describe-element.ts";
export { detectMediaType } from "./documents/media-type.ts";
export { csvReader } from "./documents/csv-reader.ts";
export { dataReader } from "./documents/data/data-reader.ts";
export { createAudioDocument, createImageDocument, type MediaOptions } from "./documents/media-document.ts";
export { createNotebookReader } from "./documents/notebook/notebook-reader.ts";
export { plainTextReader } from "./documents/plain-text-reader.ts";
export { defaultReadLimits } from "./documents/read-limits.ts";
export { findSectionPath, listDescendants, listLeaves } from "./text/walk-sections.ts";
export { withMetadata } from "./documents/with-metadata.ts";

// Cut
export { type AutoChunkerOptions, createAutoChunker, type DocumentKind } from "./chunks/auto-chunker.ts";
export { chainTransformers } from "./chunks/chain-transformers.ts";
export {
  type ContextCache,
  type ContextTransformerOptions,
  createContextTransformer,
  withContextualHeader,
} from "./chunks/context-transformer.ts";
export { chunkSpreadsheet } from "./chunks/chunk-spreadsheet.ts";
export { createChunkFactory } from "./chunks/create-chunk.ts";
export { createTransformer } from "./chunks/create-transformer.ts";
export type { ChunkDescriber } from "./chunks/describe-chunks.ts";
export { createHtmlChunker, type HtmlChunkerOptions, type HtmlStrategy } from "./chunks/html-chunker.ts";
export { createLineChunker, type LineChunkerOptions } from "./chunks/line-chunker.ts";
export {
  createMarkdownChunker,
  type MarkdownChunkerOptions,
  type MarkdownStrategy,
} from "./chunks/markdown-chunker.ts";
export { type ChunkMetadata, createMetadataTransformer } from "./chunks/metadata-transformer.ts";
export { pathFromRoot } from "./chunks/path-from-root.ts";
export { chunkDocumentRecursively, createRecursiveChunker } from "./chunks/recursive-chunker.ts";
export { createSectionChunker } from "./chunks/section-chunker.ts";
export { createSemanticChunker, type SemanticChunkerOptions } from "./chunks/semantic-chunker.ts";
export { createSentenceChunker, type SentenceChunkerOptions, splitBySentence } from "./chunks/sentence-chunker.ts";
export {
  createSeparatorChunker,
  type SeparatorChunkerOptions,
  splitTextRecursively,
} from "./chunks/separator-chunker.ts";
export {
  splitMarkdownLines,
  splitMarkdownParagraphs,
  splitPlainTextLines,
  splitPlainTextParagraphs,
  type TokenCounter,
} from "./chunks/split-lines-and-paragraphs.ts";
export { createSpreadsheetChunker, type SpreadsheetChunkerOptions } from "./chunks/spreadsheet-chunker.ts";
export { createStructureTransformer, structureKeys } from "./chunks/structure-transformer.ts";
export { createTitleTransformer } from "./chunks/title-transformer.ts";
export {
  type ChunkingConfig,
  createTokenChunker,
  splitByTokens,
  type TokenChunkerOptions,
} from "./chunks/token-chunker.ts";
export { createWholeChunker } from "./chunks/whole-chunker.ts";
export { createWindowChunker, splitText, type WindowChunkerOptions } from "./chunks/window-chunker.ts";

// Embed
export { createEmbedder, type EmbedderOptions } from "./embeddings/create-embedder.ts";
export { createEmbeddingCache } from "./embeddings/embedding-cache.ts";
export { createSharedEmbeddingCache } from "./embeddings/shared-embedding-cache.ts";
export { createHashingModel } from "./embeddings/hashing-model.ts";
export { latentSemanticModel } from "./embeddings/latent-semantic/latent-semantic-model.ts";
export {
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkRerankingModel,
  isAiSdkEmbeddingModel,
  isAiSdkLanguageModel,
  isAiSdkRerankingModel,
} from "./adapters/ai-sdk/ai-sdk-model.ts";
export { type AiSdkEmbeddingOptions, fromAiSdkEmbeddingModel } from "./adapters/ai-sdk/embedding-model.ts";
export {
  createHostedChatModel,
  createHostedEmbeddingModel,
  type HostedEmbeddingOptions,
  type HostedOptions,
} from "./adapters/ai-sdk/hosted-models.ts";

// Keep
export { guardStore, guardVectorStore } from "./stores/guard-store.ts";
export type {
  RawChunkStore,
  RawDocumentStore,
  RawKnowledgeStore,
  RawLatentSearch,
  RawLexicalIndex,
  RawRegexSearch,
  RawVectorStore,
} from "./stores/raw-store.ts";
export type { Bm25Options } from "./indexes/bm25-settings.ts";
export type { Bm25Variant } from "./indexes/bm25-variants.ts";
export { type BlobCache, createBlobCache } from "./stores/blob-cache.ts";
export { createMemoryBlobStore } from "./stores/memory-blob-store.ts";
export { createIngestionQueue } from "./services/ingestion-queue.ts";
export type { IngestionQueueOptions } from "./services/queue-options.ts";
export { createMemoryJobStore } from "./services/memory-job-store.ts";
export { defaultRetryPolicy, type RetryPolicy } from "./services/retry-policy.ts";
export { createInMemoryVectorStore, createMemoryStore } from "./stores/memory-store.ts";
export type { SnapshotOptions } from "./stores/snapshot-options.ts";
export { openSnapshotStore, type SnapshotStoreOptions } from "./stores/snapshot-store.ts";

// Find
export { compressHits, type CompressHitsOptions } from "./retrieval/composed/compress-hits.ts";
export { diversify, type DiversifyOptions } from "./retrieval/composed/diversify.ts";
export { dropDuplicates, type DropDuplicatesOptions } from "./retrieval/composed/drop-duplicates.ts";
export { expandHits, type ExpandHitsOptions } from "./retrieval/composed/expand-hits.ts";
export type { SearchFusion } from "./retrieval/composed/fuse-searches.ts";
export { hyde, type HydeOptions } from "./retrieval/composed/hyde.ts";
export { mergeAdjacent, type MergeAdjacentOptions } from "./retrieval/composed/merge-adjacent.ts";
export { multiQuery, type MultiQueryOptions } from "./retrieval/composed/multi-query.ts";
export { rewriteQuery } from "./retrieval/composed/rewrite-query.ts";
export type { QueryWriterOptions } from "./retrieval/composed/write-queries.ts";
export { createModelReranker, type ModelRerankerOptions } from "./retrieval/model-reranker.ts";
export { createRetriever, type RetrieverOptions } from "./retrieval/create-retriever.ts";
export { type AiSdkRerankingOptions, fromAiSdkRerankingModel } from "./adapters/ai-sdk/reranking-model.ts";

// Answer
export { answerQuestion } from "./answers/answer-question.ts";
export { checkAnswer, type CheckAnswerOptions } from "./answers/check-answer.ts";
export type { SupportDecision } from "./answers/decide-support.ts";
export { readUIMessages, type UIQuestion } from "./answers/read-ui-messages.ts";
export type {
  UIAnswerData,
  UIAnswerMetadata,
  UICitation,
  UIGrounded,
  UIHit,
  UIMessageChunk,
} from "./answers/ui-message-chunk.ts";
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
  type UIMessageStreamResponseOptions,
} from "./answers/ui-message-stream.ts";
export { augmentUserQuery } from "./answers/augment-user-query.ts";
export { addUsage, withPrice } from "./answers/price-usage.ts";
export { buildPrompt, type BuildPromptOptions, type BuiltPrompt } from "./answers/build-prompt.ts";
export { createPromptBuilder, type PromptBuilder, type PromptBuilderOptions } from "./answers/create-prompt-builder.ts";
export { prompt } from "./answers/prompt.ts";
export { type ContentPart, type PromptPart, renderParts, splitPrompt } from "./answers/render-parts.ts";
export { renderPrompt } from "./answers/render-prompt.ts";
export { fromAiSdkLanguageModel } from "./adapters/ai-sdk/language-model.ts";

// Evaluate
export {
  type Collection,
  type CollectionDocument,
  type CollectionFile,
  parseCollection,
} from "./evaluation/collection.ts";
export {
  type CollectOptions,
  collectRun,
  type LatencyQuantiles,
  type RankDocuments,
} from "./evaluation/collect-run.ts";
export { type CompareOptions, type Comparison, compareRuns } from "./evaluation/compare-runs.ts";
export type { Estimate } from "./evaluation/estimate-mean.ts";
export { evaluateQuestions, type QuestionEvaluation, type QuestionOptions } from "./evaluation/evaluate-questions.ts";
export { parseQrels, type Qrels } from "./evaluation/qrels.ts";
export { parseQuestions, type Question } from "./evaluation/questions.ts";
export { formatRun, parseRun, type RankedDocument, type Run } from "./evaluation/run.ts";
export { type Evaluation, type QueryScores, type ScoreOptions, scoreRun } from "./evaluation/score-run.ts";

// Memory in a prompt
export {
  type ConfirmWrite,
  createMemoryPlugin,
  type MemoryFunctions,
  type MemoryPlugin,
  type MemoryPluginOptions,
  type MemoryWrite,
} from "./memory/create-memory-plugin.ts";
export {
  createTextMemory,
  type MemoryCallOptions,
  type MemoryReference,
  type MemorySearchOptions,
  type RememberedText,
  type SaveOptions,
  type TextMemory,
  type TextMemoryOptions,
} from "./memory/create-text-memory.ts";
export {
  createTextSearchPlugin,
  type TextSearchPlugin,
  type TextSearchPluginOptions,
} from "./memory/create-text-search-plugin.ts";
export {
  createTextSearchProvider,
  type TextSearchContext,
  type TextSearchProvider,
  type TextSearchProviderOptions,
} from "./memory/create-text-search-provider.ts";
export {
  createOpenApiPlugin,
  type OpenApiPlugin,
  type OpenApiPluginOptions,
} from "./memory/openapi/create-open-api-plugin.ts";
export type { OpenApiDocument } from "./memory/openapi/open-api-document.ts";
export { promptWithData, type PromptWithDataOptions } from "./memory/prompt-with-data.ts";
export { createTemplate, type PromptTemplate, type TemplateOptions } from "./memory/template/create-template.ts";
export { encodeHtml } from "./memory/template/encode-html.ts";
export type { PromptArguments, PromptCall, PromptFunction, PromptPlugin } from "./memory/template/prompt-function.ts";
export type { RenderContext, RenderFilter } from "./memory/template/render-filter.ts";
export type { TextSearchLimits, TextSearchResult } from "./memory/text-search-results.ts";
export { type MemoryChatModel, type MemoryChatOptions, type RequestMemory, withMemory } from "./memory/with-memory.ts";
export type { HttpAnswer, HttpLimits, HttpRequest, SendRequest } from "./contracts/http.ts";

// Promises
export type { Analyzer } from "./contracts/analyzer.ts";
export type {
  Answer,
  AnswerContext,
  AnswerEvent,
  AskOptions,
  Citation,
  ContextOptions,
  Grounding,
  Support,
} from "./contracts/answer.ts";
export type { DocumentSuspicion, Suspicion, SuspicionKind } from "./contracts/suspicion.ts";
export type { Clock } from "./contracts/clock.ts";
export type {
  ChatAssistantMessage,
  ChatFunctionMessage,
  ChatMessage,
  ChatModel,
  ChatOptions,
  ChatResult,
  ChatStreamPart,
  ChatSystemMessage,
  ChatTool,
  ChatUserMessage,
  Insertion,
  Price,
  Prices,
  Prompt,
  ToolCall,
  OnUsage,
  Usage,
} from "./contracts/chat.ts";
export type {
  BlobFacts,
  BlobListing,
  BlobStore,
  ListBlobsOptions,
  PutBlobOptions,
  PutBlobResult,
  StoredBlob,
} from "./contracts/blob-store.ts";
export type { Chunk, ChunkStructure } from "./contracts/chunk.ts";
export { chunkStructure } from "./text/chunk-structure.ts";
export type {
  AsyncChunker,
  ChunkOptions,
  ChunkTransformer,
  Chunker,
  LengthFunction,
  TransformContext,
} from "./contracts/chunker.ts";
export type {
  DocumentEntry,
  LargeDocumentEntry,
  DocumentStore,
  DocumentSummary,
  FreshnessMark,
  Provenance,
  ReplaceResult,
  StoredDocument,
} from "./contracts/document-store.ts";
export type {
  Block,
  Document,
  MediaDocument,
  Origin,
  PartSpan,
  Place,
  PlaceLabels,
  Section,
  SheetSpan,
  SourceMap,
  TextDocument,
} from "./contracts/document.ts";
export type {
  EmbedOptions,
  EmbedResult,
  EmbeddedTexts,
  Embedder,
  EmbeddingCache,
  EmbeddingInput,
  EmbeddingModel,
} from "./contracts/embedding-model.ts";
export {
  kindOf,
  versionKey,
  type Embedding,
  type EmbeddingKind,
  type EmbeddingVersion,
  type HybridVector,
  type SparseVector,
  type Vector,
  type VersionedEmbedding,
} from "./contracts/embedding.ts";
export type {
  ChunkAddress,
  Excerpt,
  ExcerptChunk,
  ExpandOptions,
  Outline,
  OutlineSection,
  SectionKind,
  SectionOptions,
} from "./contracts/expansion.ts";
export { IbidError, type IbidErrorCode, type IbidErrorOptions } from "./contracts/errors.ts";
export type { FieldConditions, Filter, FilterInput, FilterValue, PlainFilter } from "./contracts/filter.ts";
export type {
  AskRun,
  ByteContent,
  BytesInput,
  ByteStream,
  ChunkListOptions,
  DeletedDocument,
  DocumentAddress,
  DocumentView,
  FolderRules,
  SkippedKind,
  IngestInput,
  IngestOptions,
  IngestProgress,
  IngestResult,
  IngestRun,
  IngestSummary,
  KnowledgeBase,
  Status,
  TextInput,
  ViewOptions,
  VacuumOptions,
  VacuumResult,
} from "./contracts/knowledge-base.ts";
export type { Diagnosis, ExamineOptions, Finding, FindingKind } from "./contracts/diagnosis.ts";
export type {
  DeletedSummary,
  KnowledgeStore,
  ScopeRevision,
  SettleOptions,
  StoreStatus,
} from "./contracts/knowledge-store.ts";
export type {
  AddedVector,
  ReembeddedScope,
  ReembedEvent,
  ReembedOptions,
  ReembedProgress,
  ReembedRun,
  ReembedSummary,
  ScopeVersions,
  VersionChange,
  VersionedStore,
} from "./contracts/reembedding.ts";
export type {
  CorpusFit,
  CorpusModel,
  FitChunk,
  FittedTerm,
  TermCounts,
  TermRow,
  TermSpace,
  TermVector,
} from "./contracts/corpus-model.ts";
export type { LatentQuery, LatentResult, LatentSearch } from "./contracts/latent-search.ts";
export type {
  LexicalIndex,
  LexicalMatch,
  LexicalQuery,
  LexicalResult,
  QuerySyntax,
  QueryTerm,
  TermScore,
} from "./contracts/lexical-index.ts";
export type { HandledData, MediaTypeHandler } from "./contracts/media-type-handler.ts";
export type { JsonValue, Metadata } from "./contracts/metadata.ts";
export type {
  AskKept,
  KeptVersion,
  ReadInput,
  ReadLimits,
  ReadPart,
  ReadResult,
  Reader,
  Source,
  SourceItem,
  SourceRefusal,
  SaidOfIt,
  SourceUnchanged,
  TextReadInput,
  Validators,
} from "./contracts/reader.ts";
export type {
  ExtractedTable,
  ExtractionInput,
  ImageEmbedder,
  OcrProvider,
  PageText,
  TableExtractor,
} from "./contracts/extraction.ts";
export { noTableExtractor } from "./documents/no-table-extractor.ts";
export type { RefreshPolicy } from "./contracts/refresh-policy.ts";
export type { RegexMatch, RegexQuery, RegexSearch } from "./contracts/regex-search.ts";
export type {
  FusionName,
  Hit,
  HitExplanation,
  LatentExplanation,
  HitSource,
  LegScore,
  Reranker,
  RetrieveOptions,
  Retriever,
  RetrieverParts,
  RetrieverStep,
  SearchMode,
  SearchOptions,
  WrapRetriever,
} from "./contracts/retriever.ts";
export type { SharedCache } from "./contracts/shared-cache.ts";
export type { SheetData, SheetRow } from "./contracts/sheet-data.ts";
export type {
  AccessContext,
  AccessPolicy,
  AuthorizedScopes,
  Scope,
  ScopeStrategy,
  ScopeStrategyName,
  SystemAuthority,
} from "./contracts/scope.ts";
export type {
  ChunkEntry,
  ChunkStore,
  DeleteOptions,
  DeleteTarget,
  Durability,
  ListChunksOptions,
  Metric,
  StoreCapabilities,
  StoredChunk,
} from "./contracts/store.ts";
export type { RetrievalTrace, Tracer } from "./contracts/tracer.ts";
export type {
  EventData,
  EventFilter,
  EventName,
  EventRetention,
  EventStore,
  KnowledgeEvent,
} from "./contracts/event-store.ts";
export type { Health, HealthOptions, LatencySummary } from "./contracts/health.ts";
export type { OpenSpan, SpanEnd, SpanStart, Telemetry } from "./contracts/telemetry.ts";
export { createEventStoreTracer, noTracer } from "./services/event-tracer.ts";
export { describeHealth, type HealthBody, type LatencyBody } from "./services/health-body.ts";
export { createMemoryEventStore, type EventStoreOptions } from "./stores/memory-event-store.ts";
export type { VectorMatch, VectorQuery, VectorStore } from "./contracts/vector-store.ts";
export type {
  EnqueueInput,
  EnqueueOptions,
  ForgottenJobs,
  IngestionDepth,
  IngestionEvent,
  IngestionQueue,
  IngestionStatus,
  ListIngestionOptions,
} from "./contracts/ingestion-queue.ts";
export type {
  IngestionState,
  JobCounts,
  JobFailure,
  JobLease,
  JobOutcome,
  JobResult,
  JobRoom,
  JobState,
  JobStore,
  ListJobsOptions,
  NewJob,
  StoredJob,
  TakenJob,
} from "./contracts/job-store.ts";
export { callTools, toChatTool } from "./tools/call-tools.ts";
export { createFetchTools, type FetchToolOptions } from "./tools/create-fetch-tools.ts";
export {
  createSearchTools,
  type SearchToolName,
  type SearchToolOptions,
  type ToolCallEvent,
} from "./tools/create-search-tools.ts";
export { createTool, type ToolParts } from "./tools/create-tool.ts";
export type { FixedLimits } from "./tools/fixed-view.ts";
export type {
  JsonSchema,
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
  StandardJsonSchema,
  StandardSchema,
} from "./contracts/schema.ts";
export type { Tool, ToolCallOptions } from "./contracts/tool.ts";
export type {
  CollectionAddress,
  CollectionDefinition,
  CollectionDeleteOptions,
  CollectionFilter,
  CollectionHit,
  CollectionListOptions,
  CollectionSearchOptions,
  Collections,
  CollectionSummary,
  CollectionWriteOptions,
  CollectionWriteResult,
  FieldFilter,
  FilterableField,
  KeyField,
  ReadyOptions,
  RecordCollection,
  TextField,
  VectorSettings,
} from "./contracts/collection.ts";
export {
  createRetrieverNode,
  type HasMetadataFilter,
  type HasQuery,
  type HasRetrievedDocs,
  type RetrievedDoc,
  type RetrieverNode,
  type RetrieverNodeOptions,
  toRetrievedDoc,
} from "./memory/retriever-node.ts";
