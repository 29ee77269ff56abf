/** `ibid/compat` on Node. */
export * from "./index.ts";
export { readFolder } from "../../ingest/read-folder.ts";
export { createTextDataLoader } from "../../ingest/text-data-loader.ts";
export { importOpenApi } from "./openapi/import-open-api.ts";
