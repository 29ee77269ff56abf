/**
 * The same door as `index.ts`, on Node: with files and addresses, durable by default. `openKnowledgeBase` here takes the place of the one there.
 */
export * from "./index.ts";

// What is chosen here.
export { openKnowledgeBase, type OpenOptions } from "./node/open-knowledge-base.ts";
export { openIngestionQueue } from "./node/open-ingestion-queue.ts";
export { openSqliteStore } from "./node/open-sqlite-store.ts";
export { openFileBlobStore } from "./node/open-file-blob-store.ts";
export { languageAnalyzer } from "./node/language-analyzer.ts";
export { createTextDataLoader } from "./node/text-data-loader.ts";
export { readFolder } from "./node/read-folder.ts";
export { importOpenApi, type ImportOpenApiOptions } from "./node/import-open-api.ts";
export { createReaders } from "./node/create-readers.ts";
export { createTransformersEmbeddingModel, resolveEmbeddingModel, resolveReranker } from "./node/choose-models.ts";

// What there is to choose from.
export { resolveChatModel } from "./adapters/ai-sdk/resolve-model.ts";
export type { TransformersEmbeddingOptions } from "./adapters/transformers/transformers-embedding-model.ts";
export {
  createTransformersReranker,
  type TransformersRerankerOptions,
} from "./adapters/transformers/transformers-reranker.ts";
export type { TransformersOptions } from "./adapters/transformers/load-transformers.ts";
export { type FileSourceOptions, openFileSource } from "./adapters/files/file-source.ts";
export type { FileBlobStoreOptions } from "./adapters/file-blobs/file-blob-store.ts";
export { openSqliteJobStore, type SqliteJobStoreOptions } from "./adapters/sqlite/sqlite-job-store.ts";
export { createCodeReader } from "./adapters/code/code-reader.ts";
export { createFeedReader } from "./adapters/feed/feed-reader.ts";
export { createHtmlReader } from "./adapters/html/html-reader.ts";
export { createMcpServer } from "./adapters/mcp/create-mcp-server.ts";
export type { McpServerOptions } from "./adapters/mcp/mcp-server-options.ts";
export { type AuthorizeMcp, createMcpHandler } from "./adapters/mcp/mcp-handler.ts";
export { createMailReader } from "./adapters/mail/mail-reader.ts";
export { createMboxReader } from "./adapters/mail/mbox-reader.ts";
export { createMarkdownReader } from "./adapters/markdown/markdown-reader.ts";
export { createPdfReader, type PdfReaderOptions } from "./adapters/pdf/pdf-reader.ts";
export { createXlsReader } from "./adapters/sheetjs/xls-reader.ts";
export { createXlsxReader } from "./adapters/office/xlsx-reader.ts";
export { openS3BlobStore, type S3Credentials, type S3Options } from "./adapters/s3/s3-blob-store.ts";
export { snowballLanguages } from "./adapters/snowball/snowball-languages.ts";
export { createOpenTelemetry, type OpenTelemetryOptions } from "./adapters/opentelemetry/open-telemetry.ts";
export type { OpenTelemetryApi } from "./adapters/opentelemetry/load-api.ts";
export { openSqliteEventStore, type SqliteEventStoreOptions } from "./adapters/sqlite/sqlite-event-store.ts";
export { type HnswOptions, withHnsw } from "./adapters/usearch/hnsw-store.ts";
export { openSitemapSource, type SitemapSourceOptions } from "./adapters/web/sitemap-source.ts";
export { parseUrlList } from "./adapters/web/url-list.ts";
export { openUrlSource } from "./adapters/web/url-source.ts";
export type { UrlSourceOptions } from "./adapters/web/fetch-page.ts";
