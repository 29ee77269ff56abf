/** `ibid/tools`. */
export type { StructuredTool, Tool, ToolCallOptions, ToolResult } from "../../contracts/tool.ts";
export { callTools, toChatTool } from "./call-tools.ts";
export { createCollectionTools } from "./create-collection-tools.ts";
export { createEntityTools, type EntityToolOptions } from "./create-entity-tools.ts";
export { createFetchTools, type FetchToolOptions } from "./create-fetch-tools.ts";
export {
  createSearchTools,
  type SearchToolName,
  type SearchToolOptions,
  type ToolCallEvent,
} from "./create-search-tools.ts";
export { createTool, type ToolParts } from "./create-tool.ts";
export { describeForModel, type Retrievable } from "./describe-for-model.ts";
export type { FixedLimits } from "./fixed-view.ts";
