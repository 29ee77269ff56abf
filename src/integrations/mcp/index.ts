/** `ibid/mcp`. */
export { createMcpServer } from "./create-mcp-server.ts";
export { type AuthorizeMcp, createMcpHandler } from "./mcp-handler.ts";
export type { McpMemoryOptions, McpServerOptions } from "./mcp-server-options.ts";
