import { readdir } from "node:fs/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sent } from "../server/service.ts";
import { runsAll } from "../support/runs.ts";
import { board, type Kind, openOthers, people, type Person, secret } from "./others-things.ts";

type World = Awaited<ReturnType<typeof openOthers>>;

/** A field that names a thing: its kind, and the value for a name. */
interface Naming {
  readonly kind: Kind;
  readonly make?: (name: string) => unknown;
}

const asList = (name: string): unknown => [name];
const inScope = (name: string): unknown => ({ scope: name });
const place = (name: string) => ({ marker: "[1]", uri: name, scope: board, documentId: name, start: 0, end: 5 });
const turns = (name: string): unknown => [
  {
    question: "Where?",
    kind: "written",
    limits: { documents: [{ uri: name, documentId: name }] },
    sources: [],
    sentences: [{ text: "There.", places: [place(name)] }],
  },
];

/** Fields of requests that name something, by path and field, or by field alone. Every other field must stand in `free`. */
const namings: Readonly<Record<string, readonly Naming[]>> = {
  uri: [{ kind: "uri" }, { kind: "pastUri" }],
  document: [{ kind: "uri" }, { kind: "pastUri" }, { kind: "chunkId" }],
  under: [{ kind: "folder" }, { kind: "uri" }, { kind: "pastUri" }],
  uris: [
    { kind: "uri", make: asList },
    { kind: "pastUri", make: asList },
  ],
  prefix: [{ kind: "folder" }, { kind: "uri" }, { kind: "pastUri" }],
  scope: [{ kind: "scope" }],
  scopes: [{ kind: "scope", make: asList }],
  ibid: [{ kind: "scope", make: (name) => ({ scopes: [name] }) }],
  "/v1/vector_stores ibid": [{ kind: "scope", make: inScope }],
  chunkId: [{ kind: "chunkId" }],
  answer: [
    { kind: "uri", make: (name) => `It stands there [1].\n\n[1]: ${name} "stands in the file"` },
    { kind: "documentId", make: (name) => `It stands there [1].\n\n[1]: ${name} "stands in the file"` },
  ],
  collection: [{ kind: "collection" }],
  key: [{ kind: "recordKey" }],
  "/notes key": [{ kind: "noteKey" }],
  "/note key": [{ kind: "noteKey" }],
  "/recall key": [{ kind: "noteKey" }],
  "recall key": [{ kind: "noteKey" }],
  "remember key": [{ kind: "noteKey" }],
  "forget key": [{ kind: "noteKey" }],
  "list_memories key": [{ kind: "noteKey" }],
  "list_memories after": [{ kind: "note" }],
  "list_facets key": [{ kind: "recordKey" }],
  "/entity id": [{ kind: "entity" }],
  "/related id": [{ kind: "entity" }],
  entities: [{ kind: "entity", make: (name) => [{ id: name, name: "Somebody" }] }],
  relationships: [{ kind: "entity", make: (name) => [{ from: name, name: "KNOWS", to: "known" }] }],
  "/stream id": [{ kind: "stream" }],
  "/stream chat": [{ kind: "chat" }],
  "/chat id": [{ kind: "chat" }],
  "/chat/{chat}/stream chat": [{ kind: "chat" }],
  "/job id": [{ kind: "job" }],
  "/upload id": [{ kind: "upload" }],
  "/jobs/events id": [{ kind: "job" }],
  ids: [{ kind: "job", make: asList }],
  batch: [{ kind: "batch" }],
  "/v1/vector_stores/{store}/file_batches/{batch} batch": [{ kind: "fileBatch" }],
  "/v1/vector_stores/{store}/file_batches/{batch}/cancel batch": [{ kind: "fileBatch" }],
  "/v1/vector_stores/{store}/file_batches/{batch}/files batch": [{ kind: "fileBatch" }],
  "/thread id": [{ kind: "thread" }],
  turns: [
    { kind: "uri", make: turns },
    { kind: "documentId", make: turns },
  ],
  added: [
    { kind: "uri", make: turns },
    { kind: "documentId", make: turns },
  ],
  "/note id": [{ kind: "note" }],
  "fetch id": [{ kind: "chunkId" }, { kind: "documentId" }, { kind: "uri" }],
  "forget id": [{ kind: "note" }],
  "confirm id": [{ kind: "note" }],
  supersedes: [{ kind: "note" }],
  response: [{ kind: "response" }],
  store: [{ kind: "store" }, { kind: "scope" }],
  file: [{ kind: "file" }, { kind: "documentId" }],
  file_id: [{ kind: "file" }],
  file_ids: [{ kind: "file", make: asList }],
  files: [{ kind: "file", make: (name) => [{ file_id: name }] }],
  tools: [
    { kind: "store", make: (name) => [{ type: "file_search", vector_store_ids: [name] }] },
    {
      kind: "scope",
      make: (name) => [{ type: "file_search", vector_store_ids: [name] }],
    },
  ],
  questions: [
    { kind: "uri", make: (name) => [{ question: "Where is the door?", uri: name }] },
    { kind: "pastUri", make: (name) => [{ question: "Where is the door?", uris: [name] }] },
  ],
  jobs: [{ kind: "uri", make: (name) => [{ uri: name, text: "New." }] }],
  "/documents after": [{ kind: "uri", make: (name) => JSON.stringify([name, board]) }],
  "/v1/files after": [{ kind: "file" }, { kind: "documentId" }],
  "/v1/vector_stores after": [{ kind: "store" }, { kind: "scope" }],
  "/v1/vector_stores/{store}/files after": [{ kind: "file" }, { kind: "documentId" }],
  "/v1/vector_stores/{store}/file_batches/{batch}/files after": [{ kind: "file" }],
  "/records after": [{ kind: "recordKey" }],
  "/notes after": [{ kind: "note" }],
  "/jobs after": [{ kind: "job" }],
  "last-event-id": [{ kind: "stream", make: (name) => `${name}.1` }],
};

/** Fields that name nothing that somebody else has. */
const free = new Set(
  [
    "query question text title mediaType metadata charset topK mode syntax filter filters minScore minFusedScore pattern regex",
    "ignoreCase origins fusion weights rerank snippetLength copies merge explain strategy asOf groupBy grounding minSupport",
    "minRelevance history citations format messages messageId trigger mode sort total limit since before start end around",
    "purge remove label labels relationship direction model stream stream_options n temperature top_p user instructions",
    "presence_penalty frequency_penalty seed max_tokens max_completion_tokens max_output_tokens parallel_tool_calls service_tier",
    "safety_identifier prompt_cache_key prompt_cache_retention reasoning_effort verbosity tool_choice logprobs modalities truncation background response_format stop reasoning max_tool_calls conversation previous_response_id",
    "include input starting_after purpose expires_after[anchor] expires_after[seconds] name description chunking_strategy",
    "attributes max_num_results rewrite_query ranking_options all only validFrom validTo session markdown tokens url",
    "userId teamId teams operator write requestsPerMinute requestsPerDay bytesPerDay tokensPerDay expiresAt overlapHours expiresInDays",
    "metrics depth threshold chunksToAdd type levels order webhook state fix absent olderThanHours section zoomOut neighbours maxCharacters cursor facets",
  ].flatMap((line) => line.split(" ")),
);
/** Fields that are free at one path though their name is not. */
const freeAt = new Set([
  "/chunks after",
  "/notes file",
  "remember file",
  "/v1/chat/completions store",
  "/v1/responses store",
]);

/** Values of required fields that are not attacked. A thing is one that never was. */
const fillings: Readonly<Record<string, unknown>> = {
  query: "door",
  question: "Where is the door?",
  text: "New.",
  title: "New",
  answer: "The house has a door.",
  input: "Where is the door?",
  model: "ibid",
  regex: "door",
  section: "0",
  relationship: "KNOWS",
  attributes: {},
  stream: "true",
  markdown: "# Notes\n",
  name: "new",
  "/chat messages": [{ role: "user", parts: [{ type: "text", text: "Where is the door?" }] }],
  messages: [{ role: "user", content: "Where is the door?" }],
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
}
interface Api {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly Parameter[];
            readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A way to send one request: by its fields' values. */
interface Target {
  readonly name: string;
  /** Path or name of a tool, beside which a field's name may mean something else. */
  readonly at: string;
  readonly fields: readonly { readonly name: string; readonly required: boolean }[];
  readonly send: (values: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

const namingsOf = (at: string, field: string): readonly Naming[] => {
  if (freeAt.has(`${at} ${field}`)) return [];
  const found = namings[`${at} ${field}`] ?? namings[field];
  if (found !== undefined) return found;
  if (free.has(field)) return [];
  throw new Error(`${at} ${field}: say in this test which things it names, or that it names none.`);
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const tusHeaders = { "tus-resumable": "1.0.0" };

/** Requests of one operation, each with the headers that its protocol needs. */
const headersOf: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  "PATCH /upload": ["0", "5", "9"].map((offset) => ({
    ...tusHeaders,
    "upload-offset": offset,
    "content-type": "application/offset+octet-stream",
  })),
  "DELETE /upload": [tusHeaders],
};

/** Every operation of the OpenAPI document but those of pages, of MCP and of tus' first request, whose facts are a header. */
function targetsOf(api: Api, { as }: World, who: Person | null): readonly Target[] {
  const resolve = (schema: Schema | undefined): Schema =>
    schema?.$ref === undefined ? (schema ?? {}) : api.components.schemas[schema.$ref.split("/").at(-1)!]!;
  const targets: Target[] = [];
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [verb, { parameters = [], requestBody }] of Object.entries(methods)) {
      const method = verb.toUpperCase();
      if (path === "/mcp") continue;
      const content = requestBody?.content ?? {};
      const json = content["application/json"];
      const bodies = [...(json ? ["json"] : []), ...(content["*/*"] || (requestBody && !json) ? ["raw"] : [])];
      const schema = resolve(json?.schema);
      for (const body of bodies.length === 0 ? ["none"] : bodies) {
        for (const headers of headersOf[`${method} ${path}`] ?? [{}]) {
          const isRaw = body === "raw";
          const ofBody = body === "json" ? Object.keys(schema.properties ?? {}) : [];
          // A JSON body of jobs has its facts in itself.
          const inAddress = body === "json" && content["*/*"] ? [] : parameters;
          const fields = [
            ...inAddress.map(({ name, required = false }) => ({ name, required })),
            ...ofBody.map((name) => ({ name, required: schema.required?.includes(name) ?? false })),
            ...(["GET /stream", "GET /jobs/events", "POST /ask", "POST /chat"].includes(`${method} ${path}`)
              ? [{ name: "last-event-id", required: false }]
              : []),
          ];
          targets.push({
            name: `${method} ${path}${isRaw ? " raw" : ""} ${Object.values(headers).join(" ")}`,
            at: path,
            fields,
            async send(values) {
              let address = path;
              const query = new URLSearchParams();
              const given: Record<string, unknown> = {};
              const more: Record<string, string> = {};
              for (const [name, value] of Object.entries(values)) {
                const parameter = inAddress.find((one) => one.name === name);
                if (name === "last-event-id") more[name] = textOf(value);
                else if (parameter?.in === "path")
                  address = address.replace(`{${name}}`, encodeURIComponent(textOf(value)));
                else if (parameter?.in === "query") query.set(name, textOf(value));
                else given[name] = value;
              }
              const search = query.toString();
              const sent: Sent = {
                method,
                ...(body === "json" && { body: given }),
                ...(isRaw && { body: "New." }),
                headers: {
                  "x-request-id": "same",
                  ...(isRaw && { "content-type": "text/plain" }),
                  ...headers,
                  ...more,
                  ...(more["last-event-id"] !== undefined && method === "POST" && { accept: "text/event-stream" }),
                },
              };
              const answer = await as(who, search === "" ? address : `${address}?${search}`, sent);
              const {
                date: _,
                etag,
                "content-length": _length,
                connection: _kept,
                "keep-alive": _time,
                // Counts the caller's own requests of the last minute.
                ratelimit: _left,
                ...others
              } = answer.headers;
              return { status: answer.status, headers: { ...others, etag: etag !== undefined }, text: answer.text };
            },
          });
        }
      }
    }
  }
  return targets;
}

/** An answer without the name, ids, times and the progress of the caller's own job: these differ between any two requests. */
const same = (answer: unknown, name: string): string =>
  JSON.stringify(answer)
    .replaceAll(JSON.stringify(JSON.stringify(name)).slice(3, -3), "NAME")
    .replaceAll(encodeURIComponent(name), "NAME")
    .replaceAll(name, "NAME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, "UUID")
    .replaceAll(/\d{8}T\d{9}Z-[0-9a-f]{8}/gu, "NOTE")
    .replaceAll(/[0-9a-f]{16,}/gu, "HEX")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
    .replaceAll(/(\\*"(?:ms|created_at|created)\\*":)\d+/gu, "$1N")
    .replaceAll(/(\\"state\\":\\")(?:receiving|queued|reading|embedding|indexed|unchanged)/gu, "$1STATE")
    .replaceAll(/(\\"status\\":\\")(?:in_progress|completed)/gu, "$1STATE")
    .replaceAll(/\\"(?:ahead|attempts|in_progress|completed)\\":\d+,?/gu, "")
    .replaceAll(/\\"(?:result|progress)\\":\{[^{}]*\},?/gu, "");

/** Sends every request that names a thing, once for each state of the thing. */
async function attack(
  targets: readonly Target[],
  { things, rest, moment }: World,
  who: Person | null,
  kinds: ReadonlySet<Kind> | undefined,
): Promise<{ readonly compared: number; readonly breaches: readonly object[] }> {
  let compared = 0;
  const breaches: object[] = [];
  const nothing = (at: string, field: string): unknown => {
    const [naming] = namingsOf(at, field);
    if (naming === undefined) return undefined;
    // Not the name that is compared: the caller may have made something under it.
    const name = things[naming.kind].at(-1)![1].replace("never", "other").replace(/0$/u, "1");
    return naming.make?.(name) ?? name;
  };
  for (const target of targets) {
    const { at, fields } = target;
    const filled = Object.fromEntries(
      fields
        .filter(({ required }) => required)
        .map(({ name }) => [name, fillings[`${at} ${name}`] ?? fillings[name] ?? nothing(at, name)]),
    );
    const named = new Set(fields.map(({ name }) => name));
    for (const { name: field } of fields) {
      for (const { kind, make } of namingsOf(at, field)) {
        if (kinds !== undefined && !kinds.has(kind)) continue;
        const states = things[kind];
        const besides: Record<string, unknown>[] = [{}];
        const past = named.has("asOf") ? [{ asOf: moment }] : [];
        besides.push(...past);
        if (named.has("scope") && field !== "scope" && kind !== "pastUri")
          besides.push({ scope: board }, ...past.map((one) => ({ ...one, scope: board })));
        if (named.has("collection") && field !== "collection")
          besides.push({ collection: "plans-public" }, { collection: "people" });
        if (at.includes("{store}") && field !== "store") besides.push({ store: "deployment" }, { store: board });
        if (field === "answer") besides.push({ scopes: [board] });
        // A stream of all jobs has no end.
        if (at === "/jobs/events" && field === "last-event-id") besides[0] = { batch: "batch-never" };
        for (const beside of besides) {
          const answers = [];
          for (const [state, name] of states) {
            const given = { ...filled, ...beside, [field]: make?.(name) ?? name };
            const answer = await target.send(given);
            answers.push({ state, answer: same(answer, name) });
            if (who !== "otto" && JSON.stringify(answer).includes(secret))
              breaches.push({ who, request: target.name, field, kind, beside, state, answer });
          }
          const never = answers.at(-1)!.answer;
          for (const { state, answer } of answers.slice(0, -1)) {
            compared++;
            if (answer !== never)
              breaches.push({ who, request: target.name, field, kind, beside, state, answer, never });
          }
        }
      }
    }
    // The caller's own jobs are over before the next request, so that each answer of a list is of the same state.
    if (who !== null && "write" in people[who]) await rest(who);
  }
  return { compared, breaches };
}

/** Things of Olga's own, which nobody else on the board sees either. */
const ofOlga: ReadonlySet<Kind> = new Set<Kind>([
  "job",
  "upload",
  "batch",
  "file",
  "fileBatch",
  "stream",
  "chat",
  "response",
  "thread",
  "note",
  "noteKey",
]);

describe("a thing of somebody else's answers as one that never was [L3 L8]", () => {
  it("by every field of every request that names one, and is the same afterwards", async () => {
    const world = await openOthers();
    const api = JSON.parse((await world.as(null, "/openapi.json")).text) as Api;
    const before = await world.seenByOlga();
    for (const who of runsAll ? (["ada", "otto", "bob", "anyone", null] as const) : (["ada", "otto"] as const)) {
      const targets = targetsOf(api, world, who);
      const { compared, breaches } = await attack(targets, world, who, who === "otto" ? ofOlga : undefined);
      expect(breaches).toEqual([]);
      expect(compared).toBeGreaterThan(100);
    }
    expect(await world.seenByOlga()).toEqual(before);
  }, 900_000);

  it("by every tool of MCP, its resources and its completions", async () => {
    const world = await openOthers();
    const before = await world.seenByOlga();
    for (const who of runsAll ? (["ada", "otto", "bob", "anyone"] as const) : (["ada", "otto"] as const)) {
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${people[who].key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL("mcp", world.service.url), { requestInit }));
      onTestFinished(() => client.close());
      const { tools } = await client.listTools();
      const targets = tools.map(({ name, inputSchema }): Target => {
        const required = (inputSchema["required"] ?? []) as readonly string[];
        const fields = Object.keys(inputSchema["properties"] ?? {});
        return {
          name,
          at: name,
          fields: fields.map((field) => ({ name: field, required: required.includes(field) })),
          send: (values) => client.callTool({ name, arguments: { ...values } }).catch(String),
        };
      });
      const { resourceTemplates } = await client.listResourceTemplates();
      for (const { uriTemplate } of resourceTemplates) {
        const fields = Array.from(uriTemplate.matchAll(/\{\+?(\w+)\}/gu), ([, name]) => ({
          name: name!,
          required: true,
        }));
        targets.push({
          name: uriTemplate,
          at: "resource",
          fields,
          send: (values) => {
            const uri = uriTemplate.replaceAll(/\{\+?(\w+)\}/gu, (_, name: string) =>
              encodeURIComponent(textOf(values[name])),
            );
            return client.readResource({ uri }).catch(String);
          },
        });
        targets.push({
          name: `complete ${uriTemplate}`,
          at: "completion",
          fields,
          async send(values) {
            const ref = { type: "ref/resource", uri: uriTemplate } as const;
            const found = [];
            for (const [name, value] of Object.entries(values))
              found.push(
                await client.complete({ ref, argument: { name, value: textOf(value).slice(0, -4) } }).catch(String),
              );
            return found;
          },
        });
      }
      const { compared, breaches } = await attack(targets, world, who, who === "otto" ? ofOlga : undefined);
      expect(breaches).toEqual([]);
      expect(compared).toBeGreaterThan(who === "otto" ? 3 : 30);
    }
    expect(await world.seenByOlga()).toEqual(before);
  }, 900_000);
});

describe("a name of an upload", () => {
  it("leads to no file outside of the service's folder, by any way to send one [L8]", async () => {
    const { as, folder, rest } = await openOthers();
    const listed = async (): Promise<readonly string[]> =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`);
    const names = [
      "../../escaped.md",
      "/escaped.md",
      "..\\..\\escaped.md",
      "C:\\escaped.md",
      `file://${folder}/escaped.md`,
      `${folder}/escaped.md`,
      "%2e%2e/%2e%2e/escaped.md",
      "a/../../../escaped.md",
      "files/../../escaped.md",
      "escaped.md\u0000.txt",
    ];
    const form = async (name: string, field: string): Promise<Omit<Sent, "key">> => {
      const data = new FormData();
      if (field === "purpose") data.set("purpose", "user_data");
      data.set("file", new File(["Words."], name));
      const response = new Response(data);
      return {
        body: new Uint8Array(await response.arrayBuffer()),
        headers: { "content-type": response.headers.get("content-type")! },
      };
    };
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    for (const name of names) {
      const uri = encodeURIComponent(name);
      const answers = [
        await as("ada", `/document?uri=${uri}`, { method: "PUT", body: "Words." }),
        await as("ada", "/documents", { body: { uri: name, text: "Words." } }),
        await as("ada", `/jobs?uri=${uri}`, { method: "POST", body: "Words." }),
        await as("ada", "/jobs", { body: { uri: name, text: "Words." } }),
        await as("ada", "/jobs", await form(name, "job")),
        await as("ada", "/v1/files", await form(name, "purpose")),
        await as("ada", "/uploads", {
          method: "POST",
          headers: {
            ...tusHeaders,
            "upload-length": "6",
            "upload-metadata": `filename ${base64(name)}`,
            "content-type": "application/offset+octet-stream",
          },
          body: "Words.",
        }),
      ];
      for (const { status } of answers) expect(status).toBeLessThan(500);
      await rest("ada");
      const original = await as("ada", `/original?uri=${uri}`);
      expect([200, 400, 404]).toContain(original.status);
      expect(["Words.", ""]).toContain(original.status === 200 ? original.text : "");
    }
    const kept = `${folder}/files/`;
    const inKb = `${folder}/kb/`;
    expect((await listed()).filter((path) => !path.startsWith(kept) && !path.startsWith(inKb))).toEqual([]);
    expect((await listed()).filter((path) => path.includes("escaped"))).toEqual([]);
  });
});
