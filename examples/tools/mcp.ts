// A knowledge base over MCP, called by the official client. Desktop clients use standard input and output; over HTTP
// each caller has a key. `npx ibid mcp` is the first without a program of your own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { openKnowledgeBase } from "ibid";
import { createMcpHandler, createMcpServer } from "ibid/mcp";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
await kb.ingest({ uri: "hours.md", text: "The library opens at nine." });
await kb.ingest({ uri: "budget.md", text: "Acme's library costs ninety thousand a year." }, { scope: "team:acme" });

/** Addresses that a client finds, best first. */
async function find(transport: Transport, query: string): Promise<readonly string[]> {
  const client = new Client({ name: "example", version: "1" });
  await client.connect(transport);
  const { structuredContent } = await client.callTool({ name: "search", arguments: { query } });
  await client.close();
  return (structuredContent as { results: { url: string }[] }).results.map(({ url }) => url);
}

if (process.argv[2] === "--serve") {
  serveStdio(() => createMcpServer(kb.as({ userId: "ada", teamId: "acme" })));
} else {
  const own = { command: process.execPath, args: ["--no-warnings", fileURLToPath(import.meta.url), "--serve"] };
  check("Ada, by standard input", await find(new StdioClientTransport(own), "what the library costs"), [
    "budget.md",
    "hours.md",
  ]);

  const callers = { "key-of-ada": kb.as({ userId: "ada", teamId: "acme" }), "key-of-bob": kb.as({ userId: "bob" }) };
  const handle = createMcpHandler(
    (request) => callers[request.headers.get("authorization")?.slice(7) as keyof typeof callers],
  );
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", headers } = incoming;
    const init = { method, headers: headers as Record<string, string> };
    const body = method === "POST" ? { body: await text(incoming) } : {};
    const response = await handle(new Request(`http://${headers.host}/mcp`, { ...init, ...body }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const over = (key: string): Transport =>
    new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization: `Bearer ${key}` } } });

  check("Ada, by HTTP", await find(over("key-of-ada"), "what the library costs"), ["budget.md", "hours.md"]);
  check("Bob, by HTTP", await find(over("key-of-bob"), "what the library costs"), ["hours.md"]);
  const refused = await find(over("no-key"), "what the library costs").catch(() => "refused");
  check("who has no key", refused, "refused");

  server.close();
  await kb.close();
}
