/** `ibid/stores/opensearch`. */
export { createElasticsearchEngine, createOpenSearchEngine, type OpenSearchOptions } from "./opensearch-engine.ts";
