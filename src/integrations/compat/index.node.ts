/** `ibid/compat` on Node. */
export * from "./index.ts";
export { readFolder } from "../../ingest/sources/files/read-folder.ts";
export { createTextDataLoader } from "../../ingest/sources/files/text-data-loader.ts";
export { importOpenApi } from "./openapi/import-open-api.ts";
