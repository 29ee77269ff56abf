/**
 * The same door as `index.ts`, on Node: with files and addresses, durable by default. `openKnowledgeBase` here takes the place of the one there.
 */
export * from "./index.ts";

// What is chosen here.
export { openKnowledgeBase, type OpenOptions } from "./knowledge-base/open/open-knowledge-base.ts";
export { openIngestionQueue } from "./ingest/queue/open-ingestion-queue.ts";
export { openSqliteStore } from "./stores/open-sqlite-store.ts";
export { openFileBlobStore } from "./stores/open-file-blob-store.ts";
export { languageAnalyzer } from "./text/languages/snowball/language-analyzer.ts";
export { createTextDataLoader } from "./ingest/text-data-loader.ts";
export { readFolder } from "./ingest/read-folder.ts";
export { importOpenApi, type ImportOpenApiOptions } from "./integrations/compat/openapi/import-open-api.ts";
export { createReaders } from "./readers/create-readers.ts";
export { createTransformersEmbeddingModel, resolveEmbeddingModel, resolveReranker } from "./models/choose-models.ts";

// What there is to choose from.
export { resolveChatModel } from "./models/hosted/resolve-model.ts";
export type { TransformersEmbeddingOptions } from "./models/transformers/transformers-embedding-model.ts";
export {
  createTransformersReranker,
  type TransformersRerankerOptions,
} from "./models/transformers/transformers-reranker.ts";
export type { TransformersOptions } from "./models/transformers/load-transformers.ts";
export { type FileSourceOptions, openFileSource } from "./ingest/sources/files/file-source.ts";
export type { FileBlobStoreOptions } from "./stores/blobs/file-blob-store.ts";
export { openSqliteJobStore, type SqliteJobStoreOptions } from "./stores/sqlite/sqlite-job-store.ts";
export { createCodeReader } from "./readers/code/code-reader.ts";
export { createFeedReader } from "./readers/feed/feed-reader.ts";
export { createHtmlReader } from "./readers/html/html-reader.ts";
export { createMcpServer } from "./integrations/mcp/create-mcp-server.ts";
export type { McpServerOptions } from "./integrations/mcp/mcp-server-options.ts";
export { type AuthorizeMcp, createMcpHandler } from "./integrations/mcp/mcp-handler.ts";
export { createMailReader } from "./readers/mail/mail-reader.ts";
export { createMboxReader } from "./readers/mail/mbox-reader.ts";
export { createMarkdownReader } from "./readers/markdown/markdown-reader.ts";
export { createPdfReader, type PdfReaderOptions } from "./readers/pdf/pdf-reader.ts";
export { createXlsReader } from "./readers/sheets/xls-reader.ts";
export { createXlsxReader } from "./readers/office/xlsx-reader.ts";
export { openS3BlobStore, type S3Credentials, type S3Options } from "./stores/blobs/s3-blob-store.ts";
export { snowballLanguages } from "./text/languages/snowball/snowball-languages.ts";
export { createOpenTelemetry, type OpenTelemetryOptions } from "./integrations/opentelemetry/open-telemetry.ts";
export type { OpenTelemetryApi } from "./integrations/opentelemetry/load-api.ts";
export { openSqliteEventStore, type SqliteEventStoreOptions } from "./stores/sqlite/sqlite-event-store.ts";
export { type HnswOptions, withHnsw } from "./stores/candidates/usearch/hnsw-store.ts";
export { openSitemapSource, type SitemapSourceOptions } from "./ingest/sources/web/sitemap-source.ts";
export { parseUrlList } from "./ingest/sources/web/url-list.ts";
export { openUrlSource } from "./ingest/sources/web/url-source.ts";
export type { UrlSourceOptions } from "./ingest/sources/web/fetch-page.ts";
