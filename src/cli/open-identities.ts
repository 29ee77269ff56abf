import type { HandlerOptions, ServeSettings } from "../server/index.node.ts";

/** The ways to name callers that the configuration has, beside keys. */
export async function openIdentities({
  tokens,
  login: loginOptions,
  trustedHeaders,
}: ServeSettings): Promise<Pick<HandlerOptions, "authenticate" | "authorizationServers" | "login">> {
  const { firstOf, openLogin, trustHeaders, verifyTokens } = await import("../server/index.node.ts");
  const login = loginOptions && (await openLogin(loginOptions));
  const ways = [
    ...(tokens === undefined ? [] : [await verifyTokens(tokens)]),
    ...(login === undefined ? [] : [login.authenticate]),
    ...(trustedHeaders === undefined ? [] : [await trustHeaders(trustedHeaders)]),
  ];
  if (ways.length === 0) return {};
  return {
    authenticate: firstOf(ways),
    ...(login !== undefined && { login }),
    // Clients of /mcp find the issuer by it.
    ...(tokens !== undefined && { authorizationServers: [tokens.issuer] }),
  };
}
