import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import type { Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { keys, startWorld, type TestService } from "../server/service.ts";
import { sample } from "../support/runs.ts";

const documentOf = (scope: Scope, uri: string, words: string, kind: string) => ({
  scope,
  input: {
    uri,
    text: `# ${words}\n\nThe ${words} stand by the quarry.\n\n## Part\n\nA lantern of ${uri}.`,
    metadata: { kind },
  },
});
const seen = [
  documentOf("deployment", "a.md", "lantern and key", "odd"),
  documentOf("team:umbrella", "docs/b.txt", "harbour and ledger", "even"),
  documentOf("user:bob", "docs/deep/c.html", "warden of the key", "odd"),
  documentOf("deployment", "board/d.md", "meadow and lantern", "even"),
];
const hidden = [
  documentOf("team:acme", "docs/zanzibar.json", "zanzibar and lanterns", "hush"),
  documentOf("user:ada", "a.md", "harbours of zanzibar", "odd"),
  documentOf("team:acme", "board/secret.csv", "zanzibra wardens", "hush"),
  documentOf("user:ada", "gone.md", "quagga ledger", "even"),
];

/** A service with what bob may read; a whole one has what others do too. */
async function openService(isWhole: boolean): Promise<TestService> {
  const kb = await openKnowledgeBase({ operations: { events: true }, history: true, reading: { worker: false } });
  onTestFinished(() => kb.close());
  const world = await startWorld({ files: createMemoryBlobStore(), mcp: { memory: {} } }, kb);
  for (const [at, { scope, input }] of seen.entries()) {
    const other = hidden[at]!;
    if (isWhole) await kb.ingest(other.input, { scope: other.scope });
    await kb.ingest(input, { scope });
    // No two documents have one time: their order is the same in both worlds.
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  const statuses: number[] = [];
  if (isWhole) {
    await openEntities(kb, "people").upsert({ id: "zanz", name: "Zanzibar" }, { scope: "team:acme" });
    await kb.delete("gone.md", { scope: "user:ada" });
    await kb.delete("board/secret.csv", { purge: true });
    for (const [path, body] of [
      ["/notes", { text: "The code is zanzibar.", key: "code" }],
      ["/jobs", { jobs: [{ uri: "job.txt", text: "A zanzibar job." }] }],
      ["/v1/vector_stores", { name: "zanzibar" }],
      ["/search", { query: "zanzibar" }],
      ["/ask", { question: "Where is zanzibar?" }],
    ] as const)
      statuses.push((await world.as("ada", path, { body })).status);
  }
  // The others succeed.
  expect(statuses.filter((status) => status >= 300)).toEqual([]);
  await kb.ingest([], { settle: true });
  return world;
}

/** Values of fields, those of others among them. A field that is not here has none. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  uri: ["a.md", "docs/zanzibar.json", "gone.md", "never.md"],
  under: ["", "docs/", "board/", "z"],
  uris: [["a.md"], ["docs/zanzibar.json"]],
  prefix: ["docs/", "z"],
  scope: ["deployment", "team:acme", "user:bob"],
  scopes: [["team:acme"], ["deployment"]],
  query: ["lantern", "zanzibar", "zanzibra wardens", "quagg"],
  question: ["Where is the lantern?", "Where is zanzibar?"],
  mode: ["lexical", "dense", "regex", "hybrid"],
  topK: [1, 50],
  sort: ["newest", "oldest", "title", "largest"],
  total: ["true"],
  limit: [1, 3],
  explain: [true],
  facets: [true],
  filter: [{ kind: "odd" }, { kind: "hush" }],
  mediaType: ["text/html", "text/"],
  since: ["2020-01-01"],
  regex: ["zan.*"],
  collection: ["people"],
  key: ["code"],
  id: ["zanz", "known"],
  label: ["Secret"],
  answer: ["The lantern stands by the quarry."],
  messages: [[{ role: "user", content: "Where is zanzibar?" }]],
  input: ["zanzibar"],
  model: ["ibid"],
  section: ["0"],
  start: [0],
  end: [20],
};

interface Field {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } } | undefined>>;
  };
}
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, unknown>>; readonly required?: readonly string[] }>
    >;
  };
}

/** Requests that only read. */
const reads = (method: string, path: string): boolean =>
  method === "GET" || /\/(?:search|ask|chat|recall|verify|find|expand)\b/u.test(path);

/** Every case of a route: with what it requires alone, and with each value of each field. */
function* casesOf(
  api: Api,
): Generator<{ readonly method: string; readonly path: string; readonly given: readonly [Field, unknown][] }> {
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [verb, { parameters = [], requestBody }] of Object.entries(methods)) {
      const method = verb.toUpperCase();
      const schema = requestBody?.content["application/json"]?.schema?.$ref?.split("/").at(-1) ?? "";
      const { properties = {}, required = [] } = api.components.schemas[schema] ?? {};
      if (path === "/mcp" || !reads(method, path) || (method === "POST" && schema === "")) continue;
      const fields: Field[] = [
        ...parameters.map((one) => ({ name: one.name, place: one.in, isRequired: one.required === true })),
        ...Object.keys(properties).map((name) => ({ name, place: "body", isRequired: required.includes(name) })),
      ];
      const base = fields
        .filter((field) => field.isRequired)
        .map((field): [Field, unknown] => [field, values[field.name]?.[0] ?? "x"]);
      yield { method, path, given: base };
      for (const field of fields)
        for (const value of values[field.name] ?? [])
          yield { method, path, given: [...base.filter(([one]) => one.name !== field.name), [field, value]] };
    }
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Without ids, times and hashes of times. */
const same = (answer: unknown): string =>
  JSON.stringify(answer)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\bid: [0-9a-f]{8}-\d/gu, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
    .replaceAll(/(\\*"(?:ms|created_at|created|windowMs|last_active_at)\\*":)[\d.]+/gu, "$1N")
    .replaceAll(/127\.0\.0\.1:\d+/gu, "HOST")
    .replaceAll(/(?:chatcmpl|resp|msg|fs)[-_][0-9a-f]{32,}/gu, "ID");

it("every route that reads, and every tool and resource of MCP, answers as if others had nothing [L3 T26]", async () => {
  const worlds = [await openService(true), await openService(false)];
  const api = (await worlds[1]!.as("bob", "/openapi.json")).json as Api;
  const cases = [...casesOf(api)];
  expect(cases.length).toBeGreaterThan(250);
  for (const { method, path, given } of sample(cases, 3)) {
    const answers = [];
    for (const { as } of worlds) {
      let address = path;
      const query = new URLSearchParams();
      const body: Record<string, unknown> = {};
      for (const [{ name, place }, value] of given) {
        if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(textOf(value)));
        else if (place === "query") query.set(name, textOf(value));
        else if (place === "body") body[name] = value;
      }
      const { status, headers, text } = await as("bob", query.size === 0 ? address : `${address}?${query.toString()}`, {
        method,
        headers: { "x-request-id": "same" },
        leavesStreams: true,
        ...(method === "POST" && { body }),
      });
      const {
        date: _date,
        etag,
        "content-length": _length,
        connection: _kept,
        "keep-alive": _time,
        // Counts the caller's own requests of the last minute.
        ratelimit: _left,
        ...others
      } = headers;
      answers.push(same({ status, headers: { ...others, etag: etag !== undefined }, text }));
    }
    expect([method, path, given.map(([{ name }, value]) => [name, value]), answers[0]]).toEqual([
      method,
      path,
      given.map(([{ name }, value]) => [name, value]),
      answers[1],
    ]);
  }

  const clients = await Promise.all(
    worlds.map(async ({ service }) => {
      const client = new Client({ name: "reader", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${keys.bob.key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL("mcp", service.url), { requestInit }));
      onTestFinished(() => client.close());
      return client;
    }),
  );
  const both = async (name: string, call: (client: Client) => Promise<unknown>): Promise<unknown> => {
    const [whole, alone] = await Promise.all(
      clients.map((client) => call(client).catch((error: unknown) => ({ error: String(error) }))),
    );
    expect([name, same(whole)]).toEqual([name, same(alone)]);
    return alone;
  };
  const { tools } = (await both("tools", (client) => client.listTools())) as Awaited<ReturnType<Client["listTools"]>>;
  await both("resources", (client) => client.listResources());
  for (const uri of ["a.md", "docs/zanzibar.json", "gone.md", "never.md"])
    for (const scope of ["deployment", "team:acme", "user:ada"])
      await both(uri, (client) =>
        client.readResource({ uri: `ibid://documents/${encodeURIComponent(scope)}/${encodeURIComponent(uri)}` }),
      );
  const { resourceTemplates } = (await both("templates", (client) => client.listResourceTemplates())) as Awaited<
    ReturnType<Client["listResourceTemplates"]>
  >;
  for (const { uriTemplate: uri } of resourceTemplates)
    for (const [, name = ""] of uri.matchAll(/\{[+?]?(\w+)/gu))
      for (const value of ["", "z", "docs/", "board/", "team:"])
        await both(`${name} ${value}`, (client) =>
          client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } }),
        );
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: readonly string[] };
    const base = Object.fromEntries(required.map((field) => [field, values[field]?.[0] ?? "lantern"]));
    const more = Object.keys(properties).flatMap((field) =>
      (values[field] ?? []).map((value) => ({ ...base, [field]: value })),
    );
    for (const given of [base, ...sample(more, 2)])
      await both(`${name} ${JSON.stringify(given)}`, (client) => client.callTool({ name, arguments: given }));
  }
});
