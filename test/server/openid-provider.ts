import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A real OpenID provider on loopback, with two people and a machine. A test adds the redirects of its service. */
export async function startProvider(): Promise<{
  readonly issuer: string;
  readonly redirects: string[];
  stop(): Promise<void>;
}> {
  const redirects: string[] = [];
  const server = createServer((request, response) => void provider.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: Record<string, object> = {
    ada: { groups: ["acme", "writers"] },
    bob: { groups: ["umbrella"], roles: { ibid: "owner" } },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "ibid",
        client_secret: "a-secret-of-the-client-ibid",
        redirect_uris: ["http://127.0.0.1:9/login/callback"],
        token_endpoint_auth_method: "client_secret_post",
      },
      {
        client_id: "robot",
        client_secret: "a-secret-of-the-client-robot",
        grant_types: ["client_credentials"],
        response_types: [],
        redirect_uris: [],
      },
    ],
    cookies: { keys: ["a-key-of-the-cookies"] },
    claims: { openid: ["sub"], profile: ["groups", "roles"] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_context, _client, oneOf) => oneOf ?? [],
        getResourceServerInfo: (_context, resource) => ({
          scope: "read",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    extraTokenClaims: () => ({ groups: "acme writers" }),
    // A test chooses the port of its service after the provider is there.
    clientBasedCORS: () => false,
  });
  const plain = Object.getPrototypeOf(await provider.Client.find("ibid")) as {
    redirectUriAllowed(uri: string): boolean;
  };
  plain.redirectUriAllowed = (uri) => redirects.includes(uri);
  return {
    issuer,
    redirects,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
