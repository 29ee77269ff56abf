import { createServer, type Server } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createTool } from "ibid/tools";
import { createMcpHandler } from "../../src/integrations/mcp/mcp-handler.ts";
import { createMcpServer } from "../../src/integrations/mcp/create-mcp-server.ts";
import type { Verification } from "../../src/contracts/verification.ts";
import type { Answer } from "../../src/contracts/answer.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { countField, toolInput } from "../../src/integrations/tools/tool-input.ts";

const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));
const scopes: readonly Scope[] = ["platform", "deployment", "team:acme", "team:zenith", "user:ada", "user:bob"];
/** A word of its own for each scope, which nothing else holds. */
const wordOf = (scope: Scope): string => `quartz${scope.replaceAll(/\W/gu, "")}`;

const folder = mkdtempSync(join(tmpdir(), "ibid-mcp-"));
let kb: KnowledgeBase;
let http: Server;
let address: URL;
const clients: Client[] = [];

beforeAll(async () => {
  kb = await openKnowledgeBase(join(folder, "kb"), { access: { platform: true }, history: true });
  for (const scope of scopes) {
    const text = `# Minerals of ${scope}\n\nThe ${wordOf(scope)} lies in the north drawer.\n`;
    await kb.ingest({ uri: `${wordOf(scope)}.md`, mediaType: "text/markdown", text }, { scope });
  }
  const byKey: Readonly<Record<string, KnowledgeBase>> = {
    ada: kb.as({ userId: "ada", teamId: "acme" }),
    bob: kb.as({ userId: "bob", teamId: "zenith" }),
    nobody: kb.as({}),
  };
  const double = createTool({
    name: "double",
    title: "Double",
    description: "Doubles a number, or fails.",
    inputSchema: toolInput({ number: countField("Which.", { least: 0, most: 9, default: 1 }) }),
    async run({ number = 1 }) {
      if (number === 0) throw new Error("the database password is hunter2");
      if (number === 9) throw new IbidError("not-found", "There is no such number.", { hint: "Take a smaller one." });
      return String(number * 2);
    },
  });
  const handler = createMcpHandler(
    (request) => byKey[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""],
    { more: [double] },
  );
  http = createServer((incoming, outgoing) => {
    void (async () => {
      const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      const body = incoming.method === "POST" ? { body: Readable.toWeb(incoming), duplex: "half" } : {};
      const request = new Request(new URL(incoming.url ?? "/", address), {
        method: incoming.method ?? "GET",
        headers,
        ...(body as RequestInit),
      });
      const response = await handler(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  address = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await new Promise((resolve) => http.close(resolve));
  await kb.close();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(
  transport: ConstructorParameters<typeof StreamableHTTPClientTransport>[0] | StdioClientTransport,
  key = "",
) {
  const client = new Client({ name: "test", version: "1" });
  clients.push(client);
  await client.connect(
    transport instanceof StdioClientTransport
      ? transport
      : new StreamableHTTPClientTransport(transport, { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  );
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, isError: isError === true, structuredContent };
}

const readable: Readonly<Record<string, readonly Scope[]>> = {
  ada: ["platform", "deployment", "team:acme", "user:ada"],
  bob: ["platform", "deployment", "team:zenith", "user:bob"],
  nobody: ["deployment"],
};

describe("MCP over HTTP, by the official client", () => {
  it("offers search, fetch, ask and verify, the other tools and the documents", async () => {
    const client = await connect(address, "ada");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      [
        "search",
        "fetch",
        "ask",
        "verify",
        "list_documents",
        "list_facets",
        "list_versions",
        "double",
        ...["vector_search", "text_search", "regex_search", "find_by_id"].map((name) => `documents_${name}`),
        ...["broaden_chunk", "zoom_out", "list_sections", "read_section"].map((name) => `documents_${name}`),
      ].toSorted(),
    );
    const search = tools.find(({ name }) => name === "search");
    expect(search?.inputSchema).toMatchObject({ required: ["query"], additionalProperties: false });
    expect(search?.annotations).toMatchObject({ readOnlyHint: true });
  });

  it("answers with the fields of the library, places and headings among them [T48]", async () => {
    const client = await connect(address, "ada");
    const answered = async (question: string) =>
      (await client.callTool({ name: "ask", arguments: { question } })).structuredContent as Answer;
    const answer = await answered(`Where does the ${wordOf("team:acme")} lie?`);
    expect(answer).toMatchObject({
      kind: "quotes",
      text: `The ${wordOf("team:acme")} lies in the north drawer. [1]`,
      verbatim: true,
      sentences: [{ claims: true, verdict: "supported", support: 1, by: "verbatim", quotes: ["[1]"] }],
      citations: [{ marker: "[1]", uri: `${wordOf("team:acme")}.md`, line: 3, headings: ["Minerals of team:acme"] }],
      relevance: { by: "words" },
      nearest: [],
      withheld: [],
    });
    const [sentence] = answer.sentences;
    expect(answer.text.slice(sentence?.start, sentence?.end)).toBe(sentence?.text);
    for (const question of ["", "thanks!", "?"])
      expect(await answered(question)).toMatchObject({ kind: "refused", refusal: "no-question", nearest: [] });
  });

  it("verifies with the fields of the library, and not where a filter hides documents [T48 L12]", async () => {
    const client = await connect(address, "ada");
    const uri = `${wordOf("team:acme")}.md`;
    const answer = `The ${wordOf("team:acme")} lies in the north drawer [1]. It is “made of old cheese” [1].`;
    const verified = async (args: Record<string, unknown>) =>
      (await client.callTool({ name: "verify", arguments: args })).structuredContent as Verification;
    const citations = [{ marker: "[1]", uri }];
    const result = await verified({ answer, citations });
    const { ms: _, ...fields } = await kb.as({ userId: "ada", teamId: "acme" }).verify(answer, { citations });
    expect(result).toMatchObject(JSON.parse(JSON.stringify(fields)) as object);
    expect(result).toMatchObject({
      verified: false,
      sentences: [{ verdict: "supported", quotes: [{ uri, line: 3 }] }, { verdict: "unsupported" }],
      quotations: [{ status: "not-found", quote: "made of old cheese" }],
    });
    expect(await verified({ answer: answer.slice(0, 60), format: "other" })).toBeUndefined();
    const narrow = new Client({ name: "test", version: "1" });
    clients.push(narrow);
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    await (await createMcpServer(kb, { filter: { uri: "none" } })).connect(theirs);
    await narrow.connect(mine);
    const { tools } = await narrow.listTools();
    expect(tools.map(({ name }) => name)).toContain("ask");
    expect(tools.map(({ name }) => name)).not.toContain("verify");
  });

  it("searches, fetches, reads around and opens resources", async () => {
    const client = await connect(address, "ada");
    const found = await call(client, "search", { query: wordOf("team:acme") });
    const { results } = JSON.parse(found.text) as { results: { id: string; url: string }[] };
    expect(found.structuredContent).toEqual({ results });
    expect(results[0]?.url).toBe(`${wordOf("team:acme")}.md`);
    const fetched = await call(client, "fetch", { id: results[0]!.id });
    expect(fetched.structuredContent).toMatchObject({ text: expect.stringContaining("north drawer") as string });
    for (const tool of (await client.listTools()).tools.filter(({ name }) => name !== "double"))
      expect([tool.name, tool.outputSchema?.["type"]]).toEqual([tool.name, "object"]);
    const outline = await call(client, "documents_list_sections", { document: results[0]!.url });
    expect(outline.text).toContain("Minerals of team:acme");
    const { resources } = await client.listResources();
    const one = resources.find(({ description }) => description === results[0]!.url);
    const { contents } = await client.readResource({ uri: one!.uri });
    expect(contents).toEqual([
      { uri: one!.uri, mimeType: "text/plain", text: expect.stringContaining("north drawer") as string },
    ]);
  });

  it("says what a caller can hint, and nothing of the inside", async () => {
    const client = await connect(address, "ada");
    expect(await call(client, "double", { number: 0 })).toMatchObject({
      isError: true,
      text: "The tool failed. Trying again may help.",
    });
    expect(await call(client, "double", { number: 9 })).toMatchObject({
      isError: true,
      text: "There is no such number. Take a smaller one.",
    });
    expect(await call(client, "double", { number: 4 })).toMatchObject({ isError: false, text: "8" });
    expect(await call(client, "search", { query: "quartz", scopes: ["team:zenith"] })).toMatchObject({ isError: true });
    // A scope that may not be read is one that holds nothing.
    for (const scope of ["team:zenith", "team:nowhere"])
      expect(await call(client, "search", { query: "quartz", scope })).toMatchObject({ text: '{"results":[]}' });
    expect(await call(client, "fetch", { id: "never" })).toMatchObject({
      isError: true,
      text: "No result has this id. Use an id from a result of search.",
    });
  });

  it("turns away who has no key", async () => {
    await expect(connect(address, "wrong")).rejects.toThrow("A key is needed.");
    const response = await fetch(address, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it.each(Object.entries(readable))(
    "shows %s what is theirs by every tool and every method, and nothing else [L3]",
    async (key, own) => {
      const client = await connect(address, key);
      const { resources } = await client.listResources();
      expect(new Set(resources.map(({ description }) => description))).toEqual(
        new Set(own.map((scope) => `${wordOf(scope)}.md`)),
      );
      const { tools } = await client.listTools();
      for (const scope of scopes) {
        const theirs = own.includes(scope);
        const [hit] = await kb.search(wordOf(scope), { mode: "lexical", scopes: [scope] });
        const uri = `${wordOf(scope)}.md`;
        const args: Readonly<Record<string, unknown>> = {
          query: wordOf(scope),
          question: `Where does the ${wordOf(scope)} lie?`,
          answer: `Minerals lie here: ${wordOf(scope)}. [1]\n\n[1]: ${uri}`,
          regex: wordOf(scope),
          chunkId: hit!.chunkId,
          id: hit!.chunkId,
          document: uri,
          section: "0",
        };
        const shown: string[] = [];
        for (const { name, inputSchema } of tools.filter((tool) => tool.name !== "double")) {
          const needed = Object.fromEntries((inputSchema.required ?? []).map((argument) => [argument, args[argument]]));
          const { text } = await call(client, name, needed);
          // The address and the id are the asker's own words.
          if (text.includes(`The ${wordOf(scope)} lies`) || text.includes(`Minerals of ${scope}`)) shown.push(name);
        }
        // Meaning alone need not find a word that no other text explains.
        // A list of documents shows the title of a document; a list of facets shows neither.
        const expected = tools.map(({ name }) => name).filter((name) => !/^double$|^list_facets$|vector/u.test(name));
        expect(shown.filter((name) => !name.includes("vector"))).toEqual(theirs ? expected : []);
        const resource = `ibid://documents/${encodeURIComponent(scope)}/${encodeURIComponent(uri)}`;
        const read = client.readResource({ uri: resource }).then(
          ({ contents }) => JSON.stringify(contents).includes("north drawer"),
          () => false,
        );
        expect(await read).toBe(theirs);
      }
    },
  );
});

describe("ibid mcp, over standard input and output", () => {
  it("serves the view that its options name, until the client hangs up [L3]", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [executable, "mcp", "--kb", join(folder, "kb"), "--as-user", "ada", "--as-team", "acme"],
      stderr: "pipe",
    });
    const client = await connect(transport);
    const theirs = await call(client, "search", { query: wordOf("team:acme") });
    expect(theirs.text).toContain(`${wordOf("team:acme")}.md`);
    const others = await call(client, "documents_text_search", { query: wordOf("team:zenith") });
    expect(others.text).toBe("0 results");
    await client.close();
  });

  it("narrows by filter and scope, and says so to nobody [L12]", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [executable, "mcp", "--kb", join(folder, "kb"), "--scope", "user:bob"],
      stderr: "pipe",
    });
    const client = await connect(transport);
    expect((await client.listResources()).resources.map(({ description }) => description)).toEqual([
      `${wordOf("user:bob")}.md`,
    ]);
    expect((await call(client, "documents_text_search", { query: wordOf("deployment") })).text).toBe("0 results");
  });
});
