import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import fc from "fast-check";
import type { HttpRequest } from "../../../src/contracts/http.ts";
import { holdDeadlines } from "../../support/deadlines.ts";
import { createOpenApiPlugin, createTemplate, importOpenApi, type OpenApiDocument } from "ibid/compat";
import { readOpenApi } from "../../../src/integrations/compat/openapi/read-open-api.ts";
import { buildRequest } from "../../../src/integrations/compat/openapi/build-request.ts";
import { readOperations } from "../../../src/integrations/compat/openapi/read-operations.ts";

/** Shaped like the retrieval plugin's own: a body that is an object, references, a relative server before others. */
const yaml = `
openapi: 3.0.2
info: { title: Retrieval Plugin API, version: 1.0.0 }
servers:
  - url: /sub
paths:
  /query:
    post:
      summary: Query
      description: Accepts search query objects.
      operationId: query_query_post
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/QueryRequest" }
  /documents/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: read
      parameters:
        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
        - { name: X-Request-ID, in: header, schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer } }
    delete: { operationId: forget }
  /upload:
    post:
      operationId: upload
      requestBody: { required: true, content: { multipart/form-data: {} } }
components:
  schemas:
    Query: { type: object, required: [query], properties: { query: { type: string }, top_k: { type: integer } } }
    QueryRequest:
      type: object
      required: [queries]
      properties: { queries: { type: array, items: { $ref: "#/components/schemas/Query" } } }
`;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}
const seen: Seen[] = [];
let answer: { status?: number; headers?: Record<string, string>; body?: string | Buffer; hang?: boolean };
let server: Server;
let address: string;
const allowAddress = (ip: string): boolean => ip === "127.0.0.1";

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers: headers as Seen["headers"], body });
      if (url === "/openapi.yaml") return response.end(yaml);
      if (answer.hang === true) return undefined;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      return response.end(answer.body ?? '{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  answer = {};
});

const open = (options: Parameters<typeof importOpenApi>[1] = {}) =>
  importOpenApi(yaml, { server: `${address}/sub`, allowAddress, ...options });

describe("a plugin from an OpenAPI document", () => {
  it("is called while a template is rendered, over plain HTTP, with its token [S2 S15]", async () => {
    const plugin = await open({ bearer: "chat-gpt-retrieval-plugin-token" });
    answer = { body: '{"results":[{"text":"90 < 100"}]}' };
    const template = createTemplate("{{ChatGPTRetrievalPlugin.query_query_post queries=$queries}} {{$query}}", {
      plugins: { ChatGPTRetrievalPlugin: plugin.functions },
    });
    const query = "What is my budget for 2024?";
    const queries = JSON.stringify([{ query, top_k: 1 }]);
    expect(await template.render({ query, queries })).toBe(
      `{&quot;results&quot;:[{&quot;text&quot;:&quot;90 &lt; 100&quot;}]} ${query}`,
    );
    expect(seen).toMatchObject([{ method: "POST", url: "/sub/query", body: `{"queries":${queries}}` }]);
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer chat-gpt-retrieval-plugin-token",
      "content-type": "application/json",
    });
    expect(plugin.leftOut).toEqual([{ operation: "upload", why: "its body is neither JSON nor plain text" }]);
  });

  it("puts each argument where it goes [S15]", async () => {
    const { functions } = await open({ headers: (operation) => ({ "x-api-key": `key of ${operation}` }) });
    const args = { tag: ["a b", "c&d"], X_Request_ID: "r-1", limit: "7" };
    expect(await functions["read"]!("ä/../x?y", args, {})).toBe('{"ok":true}');
    expect(seen).toMatchObject([
      { method: "GET", url: "/sub/documents/%C3%A4%2F..%2Fx%3Fy?tag=a%20b&tag=c%26d&limit=7" },
    ]);
    expect(seen[0]?.headers).toMatchObject({ "x-request-id": "r-1", "x-api-key": "key of read" });
  });

  it("asks for a fresh token each time, and says which is none [S15]", async () => {
    let count = 0;
    const { functions } = await open({ bearer: async () => `token-${++count}` });
    await functions["read"]!("a", {}, {});
    await functions["read"]!("a", {}, {});
    expect(seen.map(({ headers }) => headers["authorization"])).toEqual(["Bearer token-1", "Bearer token-2"]);
    const wrong = await open({ bearer: "two words\nx: y" });
    const failing = Promise.resolve(wrong.functions["read"]!("a", {}, {}));
    await expect(failing).rejects.toMatchObject({ code: "configuration-missing" });
    await expect(failing).rejects.not.toThrow("two words");
  });

  it("is read from its address, and its server stands there, too [S15]", async () => {
    const plugin = await importOpenApi(new URL(`${address}/openapi.yaml`), { allowAddress });
    await plugin.functions["read"]!("a", {}, {});
    expect(seen.map(({ url }) => url)).toEqual(["/openapi.yaml", "/sub/documents/a"]);
    const options = { send: () => Promise.reject(new Error("sent")), bearer: "secret" };
    const elsewhere = { openapi: "3.1.0", servers: [{ url: "https://evil.example" }], paths: { "/": { get: {} } } };
    const { functions } = createOpenApiPlugin(elsewhere, { ...options, documentUrl: "https://good.example/api.json" });
    await expect(functions["get"]!(undefined, {}, {})).rejects.toMatchObject({ code: "blocked-address" });
  });

  it("offers a model what only reads, unless the application says more [S7 S15]", async () => {
    const names = async (offer?: string[]) =>
      (await open({ name: "docs", ...(offer && { offer }) })).tools.map(({ name, readOnly }) => [name, readOnly]);
    expect(await names()).toEqual([["docs_read", true]]);
    expect(await names(["query_query_post", "forget"])).toEqual([
      ["docs_query_query_post", false],
      ["docs_forget", false],
    ]);
    const { tools } = await open({ offer: ["query_query_post"] });
    const [tool] = tools;
    expect(tool?.description).toContain("Query. Accepts search query objects.");
    expect(tool?.inputSchema["~standard"].jsonSchema.input({ target: "draft-07" })).toMatchObject({
      required: ["queries"],
      additionalProperties: false,
      properties: { queries: { type: "array", items: { properties: { top_k: { type: "integer" } } } } },
    });
    expect(await tool?.execute({ queries: [{ query: "keys" }] })).toBe('{"ok":true}');
    expect(seen).toMatchObject([{ url: "/sub/query", body: '{"queries":[{"query":"keys"}]}' }]);
    await expect(tool?.execute({ queries: "none" })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(tool?.execute({ queries: [], server: "http://evil" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  it.each([
    [{ status: 401 }, "fetch-failed", "Check the token."],
    [{ status: 422 }, "invalid-argument", "documentation"],
    [{ status: 429 }, "rate-limited", "later"],
    [{ status: 500 }, "fetch-failed", "Check the server"],
    [{ headers: { "content-type": "image/png" } }, "unsupported-media", "operations"],
    [{ status: 302, headers: { location: "http://192.0.2.1/" } }, "fetch-failed", "leads to"],
    [{ status: 307, headers: { location: "http://localhost:1/" } }, "fetch-failed", "leads to"],
    [{ body: Buffer.alloc(3000, 97) }, "too-large", "maxBytes"],
    [{ hang: true }, "timeout", "more time"],
  ] as const)("turns %j into %s [S15]", async (given, code, hint) => {
    answer = given;
    const deadlines = holdDeadlines();
    const { functions } = await open({ maxBytes: 2000, timeoutMs: 500, bearer: "secret-token" });
    const failing = Promise.resolve(functions["read"]!("a", {}, {}));
    failing.catch(() => {});
    await expect.poll(() => seen.length).toBe(1);
    if ("hang" in given) deadlines.passAll();
    await expect(failing).rejects.toMatchObject({ code, hint: expect.stringContaining(hint) as string });
    await expect(failing).rejects.not.toThrow("secret-token");
    expect(seen).toHaveLength(1);
  });

  it("follows where a server sends a reader on within itself, and stops when told to [S15]", async () => {
    answer = { status: 302, headers: { location: "/openapi.yaml" } };
    const { functions } = await open();
    expect(await functions["read"]!("a", {}, {})).toContain("Retrieval Plugin API");
    await expect(functions["query_query_post"]!("[]", {}, {})).rejects.toMatchObject({ code: "fetch-failed" });
    answer = { hang: true };
    seen.length = 0;
    const controller = new AbortController();
    const call = Promise.resolve(functions["read"]!("a", {}, { signal: controller.signal }));
    await expect.poll(() => seen.length).toBe(1);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });

  it("goes to no address that is not public, unless allowed [S15]", async () => {
    const { functions } = await importOpenApi(yaml, { server: address });
    await expect(functions["read"]!("a", {}, {})).rejects.toMatchObject({ code: "blocked-address" });
    expect(seen).toEqual([]);
  });

  it("says what is wrong with a document, an option or an argument [S15]", async () => {
    for (const bad of ["swagger: '2.0'", "just text", "{ no json", "a: [", "[]", "a: *b"])
      await expect(importOpenApi(bad)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(open({ operations: ["upload"] })).rejects.toMatchObject({
      message: 'operations: The operation "upload" cannot be called: its body is neither JSON nor plain text.',
    });
    await expect(open({ offer: ["gone"] })).rejects.toMatchObject({
      hint: "The operations are query_query_post, read, forget.",
    });
    const { functions } = await open({ operations: ["read"] });
    expect(Object.keys(functions)).toEqual(["read"]);
    const call = async (input: string | undefined, args: object): Promise<unknown> =>
      functions["read"]!(input, args as never, {});
    await expect(call(undefined, {})).rejects.toMatchObject({
      message: "read: id is missing.",
      hint: "It takes id, tag (optional), X_Request_ID (optional), limit (optional).",
    });
    await expect(call("a", { limit: "many" })).rejects.toMatchObject({ message: "read: limit must be integer." });
    await expect(call("a", { other: 1 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(call("..", {})).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(call("a", { X_Request_ID: "a\r\nb: c" })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect((await importOpenApi(yaml)).functions["read"]!("a", {}, {})).rejects.toMatchObject({
      code: "configuration-missing",
    });
  });
});

const schema = (paths: object, more: object = {}): OpenApiDocument => ({ openapi: "3.1.0", paths, ...more });
const server1 = new URL("https://api.example/v1/");

describe("an OpenAPI document", () => {
  it("names operations and arguments so that a template can say them", () => {
    const parameters = ["a-b", "a b", "filter[x]"].map((name) => ({ name, in: "query", schema: {} }));
    const body = { content: { "application/json": { schema: { properties: { a_b: {} } } } } };
    const { operations } = readOperations(
      schema({
        "/x/{id}": { get: { parameters: [{ name: "id", in: "path", required: true }] } },
        "/x": { post: { operationId: "get x id", parameters, requestBody: body } },
      }),
    );
    expect(operations.map(({ name }) => name)).toEqual(["get_x_id", "get_x_id_2"]);
    expect(operations[1]?.arguments.map(({ argument }) => argument)).toEqual([
      "a_b",
      "query_a_b",
      "filter_x",
      "body_a_b",
    ]);
  });

  it.each([
    [{}, [1, 2], "?q=1&q=2"],
    [{ explode: false }, [1, 2], "?q=1,2"],
    [{ style: "pipeDelimited", explode: false }, ["a", "b c"], "?q=a%7Cb%20c"],
    [{ style: "spaceDelimited", explode: false }, [1, 2], "?q=1%202"],
    [{ style: "deepObject" }, { a: 1, b: "x y" }, "?q%5Ba%5D=1&q%5Bb%5D=x%20y"],
    [{}, { a: 1 }, "?a=1"],
    [{ explode: false }, { a: 1, b: 2 }, "?q=a,1,b,2"],
    [{ content: { "application/json": {} } }, { a: 1 }, "?q=%7B%22a%22%3A1%7D"],
    [{}, true, "?q=true"],
  ])("writes %j of %j as %s", (style, value, expected) => {
    const { operations } = readOperations(
      schema({ "/x": { get: { parameters: [{ name: "q", in: "query", ...style }] } } }),
    );
    expect(buildRequest(server1, operations[0]!, { q: value }).url).toBe(`https://api.example/v1/x${expected}`);
  });

  it("keeps every request below its server, whatever an argument says [L12]", () => {
    const parameters = [
      { name: "id", in: "path", required: true },
      { name: "q", in: "query" },
    ];
    const { operations } = readOperations(schema({ "/x/{id}/y": { get: { parameters } } }));
    const build = (id: string, q: string): HttpRequest | undefined => {
      try {
        return buildRequest(server1, operations[0]!, { id, q });
      } catch {
        return undefined;
      }
    };
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(".", "..", "%2e%2e", "../..", "//evil", "@evil", "#", "?a=b", "\\..\\", "\ud800"),
    );
    fc.assert(
      fc.property(hostile, hostile, (id, q) => {
        const url = new URL(build(id, q)?.url ?? "https://api.example/v1/x/none/y?q=");
        expect(url.origin).toBe("https://api.example");
        expect(url.pathname).toMatch(/^\/v1\/x\/[^/]+\/y$/u);
        expect([...url.searchParams.keys()]).toEqual(["q"]);
        expect(url.hash).toBe("");
      }),
    );
  });

  it("ends where it refers to itself, and is bounded where it grows without end", async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `S${i}`,
        {
          type: "object",
          properties: Object.fromEntries(
            Array.from({ length: 20 }, (_unused, j) => [`p${j}`, { $ref: `#/components/schemas/S${j}` }]),
          ),
        },
      ]),
    );
    const requestBody = { content: { "application/json": { schema: { $ref: "#/components/schemas/S1" } } } };
    const { operations } = readOperations(schema({ "/x": { post: { requestBody } } }, { components: { schemas } }));
    expect(operations[0]?.arguments).toHaveLength(20);
    expect(JSON.stringify(operations).length).toBeLessThan(200_000);
    const circle = { a: { $ref: "#/components/b" }, b: { $ref: "#/components/a" } };
    for (const $ref of ["#/components/a", "#/components/none", "other.yaml#/x", "#/%", "#/constructor"])
      expect(() =>
        readOperations(schema({ "/x": { get: { parameters: [{ $ref }] } } }, { components: circle })),
      ).toThrow(expect.objectContaining({ code: "invalid-argument" }) as Error);
    const bomb = `a: &a [x, x]\n${Array.from({ length: 9 }, (_, i) => `b${i}: &b${i} [${Array.from({ length: 20 }, () => `*${i === 0 ? "a" : `b${i - 1}`}`).join(", ")}]`).join("\n")}`;
    await expect(readOpenApi(bomb)).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("reads anything, or says why not, and fails in no other way", () => {
    const parts = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(parts, parts, parts, (paths, operation, parameter) => {
        const read = (): unknown => {
          try {
            return readOperations(
              schema({
                ...(paths as object),
                "/x": { get: operation, post: { parameters: [parameter], requestBody: parameter } },
              }),
            );
          } catch (error) {
            return error;
          }
        };
        expect(read()).toSatisfy((got) => !(got instanceof Error) || "code" in got);
      }),
    );
  });
});
