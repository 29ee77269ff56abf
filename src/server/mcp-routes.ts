import type { McpServerOptions } from "../integrations/mcp/mcp-server-options.ts";
import * as z from "zod";
import { defineRoute, type Route } from "./route.ts";

/**
 * MCP over streamable HTTP, as one route: each message is answered by a server of its own, over the view of whoever sent it. There are no sessions, so there is
 * nothing to get or to end.
 *
 * **Source** Model Context Protocol, streamable HTTP.
 */
export function createMcpRoute(options: McpServerOptions): Route {
  return defineRoute({
    method: "POST",
    path: "/mcp",
    name: "mcp",
    summary: "The documents for agents: a message of the Model Context Protocol, over streamable HTTP.",
    needs: "reader",
    body: "message",
    answers: {
      200: {
        description: "The answer.",
        content: { "application/json": z.looseObject({}), "text/event-stream": undefined },
      },
      202: { description: "A notice was taken.", content: {} },
    },
    asked: ({ body }) => argumentsOf(body as Uint8Array),
    async handle({ kb, request, body, signal, fail }) {
      const { createMcpHandler } = await import("../integrations/mcp/mcp-handler.ts");
      const handler = createMcpHandler(() => kb, {
        ...options,
        onError(error) {
          fail(error);
          options.onError?.(error);
        },
      });
      const { url, headers } = request;
      return handler(new Request(url, { method: "POST", headers, body: body as Uint8Array<ArrayBuffer>, signal }));
    },
  });
}

/** What tools are called with is what somebody asked (law 10). */
function argumentsOf(body: Uint8Array): readonly string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (value !== null && typeof value === "object") for (const each of Object.values(value)) collect(each);
  };
  try {
    const message = JSON.parse(new TextDecoder().decode(body)) as { params?: { arguments?: unknown; uri?: unknown } };
    collect(message.params?.arguments);
    collect(message.params?.uri);
  } catch {
    // What is no message is refused, and nothing was asked.
  }
  return texts;
}
