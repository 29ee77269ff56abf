import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

/**
 * Chooses the knowledge base of a request: a view of it, or a response that refuses. `undefined` gives 401.
 *
 * @experimental
 */
export type AuthorizeMcp = (
  request: Request,
) => KnowledgeBase | Response | undefined | Promise<KnowledgeBase | Response | undefined>;

/**
 * Makes a web-standard handler for MCP over streamable HTTP.
 *
 * Each request gets a new server over the view of its sender, so callers share no state. The handler trusts `authorize` alone: the host must check host names and
 * origins before, as `createHandler` does for its `/mcp`.
 */
export function createMcpHandler(
  authorize: AuthorizeMcp,
  options: McpServerOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const view = await authorize(request);
    if (view instanceof Response) return view;
    if (view === undefined) {
      const error = {
        code: "unauthenticated",
        message: "A key is needed.",
        hint: "Send a key that this service knows.",
      };
      return Response.json({ error }, { status: 401, headers: { "www-authenticate": "Bearer" } });
    }
    const mcp = await import("@modelcontextprotocol/server");
    const handler = mcp.createMcpHandler(() => createMcpServer(view, options), { onerror: () => {} });
    return handler.fetch(request);
  };
}
