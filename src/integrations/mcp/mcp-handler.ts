import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

/**
 * Whose knowledge base a request may see: a view of it, or a response that says why none. `undefined` for a request without a right: it is answered with 401.
 *
 * @experimental
 */
export type AuthorizeMcp = (
  request: Request,
) => KnowledgeBase | Response | undefined | Promise<KnowledgeBase | Response | undefined>;

/**
 * MCP over streamable HTTP as a web-standard handler, for any host: a fresh server for every request, over the view of whoever sent it, so that no state is
 * shared between callers.
 *
 * The handler trusts `authorize` alone. What stands before it checks hosts and origins, as the `/mcp` of `ibid serve` does (`createHandler`).
 */
export function createMcpHandler(
  authorize: AuthorizeMcp,
  options: McpServerOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const view = await authorize(request);
    if (view instanceof Response) return view;
    if (view === undefined) {
      return new Response("A key is needed.", { status: 401, headers: { "www-authenticate": "Bearer" } });
    }
    const mcp = await import("@modelcontextprotocol/server");
    const handler = mcp.createMcpHandler(() => createMcpServer(view, options), { onerror: () => {} });
    return handler.fetch(request);
  };
}
