/** `ibid/ingest` on Node. */
export * from "./index.ts";
export { openIngestionQueue } from "./queue/open-ingestion-queue.ts";
export { openFileSource } from "./sources/files/file-source.ts";
export { openSitemapSource } from "./sources/web/sitemap-source.ts";
export { parseUrlList } from "./sources/web/url-list.ts";
export { openUrlSource } from "./sources/web/url-source.ts";
