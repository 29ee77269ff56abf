import type { TableExtractor } from "../contracts/extraction.ts";

/**
 * Finds no tables. An honest default: a file whose tables nobody looks for is read all the same. **Source** ToolUp.
 *
 * @experimental
 */
export const noTableExtractor: TableExtractor = Object.freeze({
  name: "none",
  extractTables: async () => [],
});
