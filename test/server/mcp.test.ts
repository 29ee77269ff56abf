import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSearchTools } from "../../src/integrations/tools/create-search-tools.ts";
import type { ServiceOptions, RequestLogEntry } from "../../src/server/index.node.ts";
import { startService } from "../../src/server/index.node.ts";
import { keys, openWorld, send, type Who } from "./service.ts";

async function serve(options: ServiceOptions = {}) {
  const log: RequestLogEntry[] = [];
  const kb = await openWorld();
  const service = await startService(kb, {
    keys: Object.values(keys),
    port: 0,
    log: (entry) => log.push(entry),
    ...options,
  });
  onTestFinished(() => service.stop());
  return { kb, url: service.url, log };
}

/** The official client, as whoever has that key. */
async function connect(url: string, key?: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("mcp", url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function searchUrls(client: Client, query: string): Promise<readonly string[]> {
  const { structuredContent } = await client.callTool({ name: "search", arguments: { query } });
  return (structuredContent as { results: { uri: string }[] }).results.map(({ uri }) => uri).toSorted();
}

const initialize = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const accept = { accept: "application/json, text/event-stream" };

describe("/mcp of a service", () => {
  it.each<[Who, readonly string[]]>([
    ["ada", ["deployment.md", "team-acme.md", "user-ada.md"]],
    ["bob", ["deployment.md", "team-umbrella.md"]],
    ["anyone", ["deployment.md"]],
  ])("shows %s what is theirs, by the key they send, and nothing else [L3]", async (who, own) => {
    const { url, kb } = await serve();
    const client = await connect(url, keys[who].key);
    expect(await searchUrls(client, "Who rotates a key?")).toEqual(own);
    const { resources } = await client.listResources();
    expect(resources.map(({ description }) => description ?? "").toSorted()).toEqual(own);
    const { tools } = await client.listTools();
    // `fetch`, `ask`, `verify`, `list_documents`, `list_versions` and `list_facets` beside them.
    expect(tools.length).toBe(createSearchTools(kb).length + 6);
    // By its id too: an id is no right.
    const [hidden] = await kb.search("cellar", { scopes: ["team:umbrella"] });
    const { content } = await client.callTool({
      name: "documents_find_by_id",
      arguments: { chunkId: hidden!.chunkId },
    });
    expect(JSON.stringify(content).includes("cellar")).toBe(own.includes("team-umbrella.md"));
  });

  it("wants a key, a name that is its own and no page of somebody else's", async () => {
    const { url } = await serve();
    await expect(connect(url)).rejects.toThrow("Send a key");
    await expect(connect(url, "nobody-nobody-nobody")).rejects.toThrow("Send a key");
    const key = keys.ada.key;
    const asked = (headers: Record<string, string>, path = "/mcp") =>
      send(url, path, { key, body: initialize, headers: { ...accept, ...headers } });
    expect((await asked({ origin: "https://evil.example" })).status).toBe(403);
    expect((await asked({}, "/mcp?query=keys")).status).toBe(400);
    expect((await send(url, "/mcp", { key })).status).toBe(405);
    expect((await send(url, "/mcp", { key, method: "DELETE" })).status).toBe(405);
    expect((await send(url, "/mcp", { key, body: "x".repeat(2 ** 20 + 1), headers: accept })).status).toBe(413);

    const { url: local } = await serve({ keys: undefined as never, hosts: ["localhost"] });
    expect((await send(local, "/mcp", { body: initialize, headers: { host: "rebound.example" } })).status).toBe(421);
  });

  it("tells the log what went wrong in here, without what was asked, and the client nothing [L10]", async () => {
    const { url, kb, log } = await serve();
    const client = await connect(url, keys.operator.key);
    await kb.close();
    const { content, isError } = await client.callTool({ name: "search", arguments: { query: "purple-elephants" } });
    expect([isError, content]).toEqual([true, [{ type: "text", text: "The tool failed. Trying again may help." }]]);
    const failed = log.filter(({ failure }) => failure !== undefined);
    expect(failed).toMatchObject([{ path: "/mcp", caller: "operator", failure: { code: "store-closed" } }]);
    expect(JSON.stringify(log)).not.toContain("purple");
  });

  it("can be all there is, or not there, and is fixed by the application", async () => {
    const { url } = await serve({ only: "mcp", mcp: { scopes: ["team:acme"] } });
    expect(await searchUrls(await connect(url, keys.ada.key), "Who rotates a key?")).toEqual(["team-acme.md"]);
    const key = keys.ada.key;
    expect((await send(url, "/search", { key, body: { query: "key" } })).status).toBe(404);
    expect((await send(url, "/")).status).toBe(404);
    const { paths } = (await send(url, "/openapi.json")).json as { paths: object };
    expect(Object.keys(paths)).toEqual(["/livez", "/readyz", "/mcp", "/openapi.json"]);
    const without = await serve({ mcp: false });
    expect((await send(without.url, "/mcp", { key, body: initialize })).status).toBe(404);
    await expect(serve({ only: "mcp", mcp: false })).rejects.toThrow('createHandler: only is "mcp"; it must be');
  });

  it("names who gives tokens for it, in a 401 and in a document", async () => {
    const { url } = await serve({ authorizationServers: ["https://login.acme.com"] });
    const refused = await send(url, "/mcp", { body: initialize, headers: accept });
    const named = /resource_metadata="([^"]+)"/u.exec(String(refused.headers["www-authenticate"]))?.[1];
    expect([refused.status, named]).toEqual([401, new URL("/.well-known/oauth-protected-resource/mcp", url).href]);
    expect(await (await fetch(named!)).json()).toEqual({
      resource: new URL("/mcp", url).href,
      authorization_servers: ["https://login.acme.com"],
      bearer_methods_supported: ["header"],
      resource_name: "ibid",
    });
    await expect(serve({ authorizationServers: ["login"] })).rejects.toThrow('the authorization server "login"');
  });
});
