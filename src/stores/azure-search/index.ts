/** `ibid/stores/azure-search`. */
export { createAzureSearchEngine, type AzureSearchOptions } from "./azure-search-engine.ts";
