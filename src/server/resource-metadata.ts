import { z } from "zod";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

const metadataPath = ".well-known/oauth-protected-resource/mcp";

/**
 * `GET /.well-known/oauth-protected-resource/mcp`: who gives tokens for `/mcp`.
 *
 * **Source** RFC 9728; Model Context Protocol, authorization.
 */
export function createResourceMetadataRoute(authorizationServers: readonly string[]): Route {
  const metadata = z.object({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
  });
  return defineRoute({
    method: "GET",
    path: `/${metadataPath}`,
    name: "mcpResourceMetadata",
    summary: "The servers that give tokens for the route of agents.",
    tag: "agents",
    needs: "nobody",
    isLight: true,
    answers: { 200: { description: "RFC 9728.", content: { "application/json": metadata } } },
    handle: async ({ home }) =>
      jsonResponse({
        resource: `${home}mcp`,
        authorization_servers: authorizationServers,
        bearer_methods_supported: ["header"],
        resource_name: "ibid",
      }),
  });
}

/** The challenge of a 401. For `/mcp` with authorization servers, it names the metadata. **Source** RFC 9728, 5.1. */
export function challengeOf(
  request: Request,
  home: string,
  authorizationServers: readonly string[] | undefined,
): string {
  if (authorizationServers === undefined || new URL(request.url).pathname !== "/mcp") return "Bearer";
  return `Bearer resource_metadata="${home}${metadataPath}"`;
}
