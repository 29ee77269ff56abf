import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { threadId } from "../../src/server/threads.ts";
import { makePdf } from "../readers/make-pdf.ts";
import type { AccessKey, ServiceOptions } from "../../src/server/index.node.ts";
import { type Answered, keys, openWorld, startWorld } from "./service.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
  };
  readonly responses: Readonly<Record<string, { readonly $ref?: string } & Partial<Said>>>;
  readonly security: readonly object[];
  readonly tags: readonly string[];
}

interface Said {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

/** One event of a stream. */
interface EventSchema {
  readonly properties: {
    readonly event: { readonly const: string };
    readonly data: { readonly contentSchema: object };
  };
}

/** A schema that stands by itself, with the components that it refers to. */
function validatorOf(schema: object, { components }: OpenApi) {
  const whole = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  return z.fromJSONSchema(JSON.parse(whole) as Parameters<typeof z.fromJSONSchema>[0]);
}

/** The server-sent events in a text. */
function eventsOf(text: string): readonly { readonly event: string; readonly data: string }[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data:"))
    .map((block) => ({
      event: /^event: ?(.*)$/mu.exec(block)?.[1] ?? "message",
      data: /^data: ?(.*)$/mu.exec(block)?.[1] ?? "",
    }));
}

interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
    readonly responses: Readonly<Record<string, Said>>;
    readonly securitySchemes?: object;
  };
}

/** Keys that are changed in memory. */
function changingKeys(): Pick<ServiceOptions, "keys" | "changeKeys"> {
  let list: readonly AccessKey[] = Object.values(keys);
  return { keys: () => list, changeKeys: async (change) => void (list = change(list)) };
}

const place = { marker: "[1]", uri: "deployment.md", documentId: "x", start: 0, end: 4 };
const operator = { name: "operator", access: "operator" } as const;
const thread = {
  title: "Keys",
  turns: [
    {
      question: "How long?",
      kind: "written",
      sentences: [{ text: "Ninety days.", verdict: "supported", places: [place] }],
    },
  ],
};

const pageCalls = [
  ["page", "/"],
  ["pageThread", "/t"],
  ["pageSearch", "/search", { headers: { accept: "text/html" } }],
  ["pageLibrary", "/library"],
  ["pageDocument", "/d"],
  ["pageHistory", "/history"],
  ["pageMemory", "/memory"],
  ["pageAdd", "/add"],
  ["pageOperator", "/ops"],
  ["pageStyle", "/page.css"],
  ["pageScript", "/page.js"],
  ["pageShared", "/page-shared.js"],
  ["pageUpload", "/page-upload.js"],
  ["pageNotes", "/page-notes.js"],
  ["pageAbout", "/page-about.js"],
  ["pageSignIn", "/page-sign-in.js"],
  ["pageCare", "/page-care.js"],
  ["pageView", "/page-view.js"],
  ["pageMarkdown", "/page-markdown.js"],
  ["pageDe", "/page-de.js"],
  ["pageAr", "/page-ar.js"],
  ["pageFrame", "/page-frame.js"],
  ["pagePicture", "/page-picture.js"],
  ["pagePdf", "/page-pdf.js"],
  ["pagePdfWorker", "/page-pdf-worker.js"],
] as const;

/** Routes that answer whatever is asked of them. */
const probes = ["/livez", "/readyz"];

const tus = { "tus-resumable": "1.0.0" };

/** Statuses of good requests that are not 200. */
const statuses: Readonly<Record<string, number>> = {
  addText: 201,
  remember: 201,
  uploadDocument: 201,
  resumeStream: 204,
  resumeChat: 204,
  createJobs: 202,
  createUpload: 201,
  getUpload: 204,
  continueUpload: 204,
  removeUpload: 204,
};

/** A form with one file, as a browser sends it. */
const form = [
  "--edge",
  'content-disposition: form-data; name="purpose"',
  "",
  "assistants",
  "--edge",
  'content-disposition: form-data; name="file"; filename="note.md"',
  "content-type: text/markdown",
  "",
  "# Note",
  "--edge--",
  "",
].join("\r\n");

/** A file that the test puts into the scope `deployment`. */
const fileOfDeployment = "/v1/vector_stores/deployment/files/{inDeployment}";

/** One good request for each operation, in the order in which they can be made. `{id}` is the job or the upload that was made last. */
const calls: readonly (readonly [id: string, path: string, sent?: object])[] = [
  ["query", "/rag/query", { body: { query: "How long is a key valid?" } }],
  [
    "search",
    "/search",
    { body: { query: "rotate key", explain: true, pattern: "key", filter: { year: { exists: false } } } },
  ],
  ["ask", "/ask", { body: { question: "How long is a key valid?", grounding: "strict", strategy: "all" } }],
  [
    "verify",
    "/verify",
    { body: { answer: 'A key is valid for a year [1].\n\n[1]: deployment.md "A key"', minSupport: 0.5 } },
  ],
  [
    "chat",
    "/chat",
    { body: { messages: [{ role: "user", parts: [{ type: "text", text: "How long is a key valid?" }] }] } },
  ],
  ["resumeStream", "/stream?chat=none"],
  ["resumeChat", "/chat/none/stream"],
  ["stopStream", "/stream?chat=none", { method: "DELETE" }],
  ["listDocuments", "/documents?limit=2"],
  ["addText", "/documents", { body: { uri: "a.txt", text: "A text.", metadata: { a: [1, null] }, scope: "user:ada" } }],
  ["uploadDocument", "/document?uri=b.txt&charset=utf-8", { method: "PUT", body: "B text." }],
  ["getDocument", "/document?uri=b.txt&start=0&end=3"],
  ["listFolders", "/folders"],
  ["getOutline", "/outline?uri=deployment.md&scope=deployment"],
  ["listChunks", "/chunks?uri=deployment.md&scope=deployment&limit=1"],
  ["deleteDocument", "/document?uri=b.txt&purge=false", { method: "DELETE" }],
  [
    "mcp",
    "/mcp",
    {
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      headers: { accept: "application/json, text/event-stream" },
    },
  ],
  ["listModels", "/v1/models"],
  ["getModel", "/v1/models/ibid"],
  [
    "createChatCompletion",
    "/v1/chat/completions",
    { body: { model: "ibid", messages: [{ role: "user", content: "How long is a key valid?" }] } },
  ],
  ["listFiles", "/v1/files?limit=2&after={inDeployment}"],
  ["getFile", "/v1/files/{id}"],
  ["getFileContent", "/v1/files/{id}/content"],
  ["deleteFile", "/v1/files/{id}", { method: "DELETE" }],
  ["listVectorStores", "/v1/vector_stores"],
  ["getVectorStore", "/v1/vector_stores/deployment"],
  ["listVectorStoreFiles", "/v1/vector_stores/deployment/files"],
  ["searchVectorStore", "/v1/vector_stores/deployment/search", { body: { query: "key" } }],
  ["createResponse", "/v1/responses", { body: { model: "ibid", input: "How long is a key valid?" } }],
  ["createFile", "/v1/files", { body: form, headers: { "content-type": "multipart/form-data; boundary=edge" } }],
  ["createVectorStore", "/v1/vector_stores", { body: { name: "handbook", ibid: { scope: "deployment" } } }],
  ["changeVectorStore", "/v1/vector_stores/{createVectorStore}", { body: { name: "book" } }],
  [
    "createVectorStoreFile",
    "/v1/vector_stores/{createVectorStore}/files",
    { body: { file_id: "{createFile}", attributes: { year: 2026 } } },
  ],
  ["getVectorStoreFile", "/v1/vector_stores/{createVectorStore}/files/{createFile}"],
  ["changeVectorStoreFile", fileOfDeployment, { body: { attributes: { year: 2027 } } }],
  ["getVectorStoreFileContent", `${fileOfDeployment}/content`],
  ["createFileBatch", "/v1/vector_stores/{createVectorStore}/file_batches", { body: { file_ids: ["{createFile}"] } }],
  ["getFileBatch", "/v1/vector_stores/{createVectorStore}/file_batches/{createFileBatch}"],
  ["listFileBatchFiles", "/v1/vector_stores/{createVectorStore}/file_batches/{createFileBatch}/files"],
  [
    "cancelFileBatch",
    "/v1/vector_stores/{createVectorStore}/file_batches/{createFileBatch}/cancel",
    { body: undefined, method: "POST" },
  ],
  ["deleteVectorStoreFile", fileOfDeployment, { method: "DELETE" }],
  ["deleteVectorStore", "/v1/vector_stores/{createVectorStore}", { method: "DELETE" }],
  ["resumeResponse", "/v1/responses/{streamed}?stream=true&starting_after=2"],
  ["examine", "/doctor", { body: { fix: true, absent: ["nobody wrote this"] } }],
  ["activity", "/activity"],
  ["disk", "/disk"],
  ["listKeys", "/keys"],
  ["addKey", "/keys", { body: { name: "eve", userId: "eve" } }],
  ["rotateKey", "/keys/rotate", { body: { name: "eve" } }],
  ["revokeKey", "/key?name=eve", { method: "DELETE" }],
  ["addManual", "/manual", { method: "POST" }],
  ["listEvents", "/events?limit=3&name=KnowledgeRetrieved&scope=deployment"],
  ["vacuum", "/vacuum", { body: { olderThanHours: 1000 } }],
  [
    "evaluate",
    "/evaluate",
    {
      body: {
        questions: [{ question: "How long is a key valid?", uri: "deployment.md", quote: "ninety days", kind: "fact" }],
      },
    },
  ],
  ["viewDocument", "/view?uri=deployment.md"],
  ["getGeometry", "/geometry?uri=paper.pdf&start=0&end=5"],
  ["getOriginal", "/original?uri=paper.pdf"],
  ["session", "/session"],
  ["listTrash", "/trash"],
  ["remember", "/notes", { body: { text: "The deploy day is Tuesday.", key: "deploy-day" } }],
  ["listNotes", "/notes?all=true&limit=1"],
  ["getNote", "/note?id={note}"],
  ["exportNotes", "/notes/export?all=true"],
  ["importNotes", "/notes/import", { body: { markdown: "<!-- ibid notes, version 1 -->\n\n## a\n\n> A note.\n" } }],
  ["recall", "/recall", { body: { query: "When do we deploy?", asOf: "2099-01-01" } }],
  ["forgetNote", "/note?key=deploy-day", { method: "DELETE" }],
  ["listVersions", "/versions?uri=deployment.md&scope=deployment"],
  ["restoreDocument", "/restore", { body: { uri: "gone.md" } }],
  [
    "addEntities",
    "/entities",
    { body: { collection: "people", entities: [{ id: "ada", name: "Ada", labels: ["Author"] }] } },
  ],
  ["listEntities", "/entities?collection=people&label=Author"],
  ["getEntity", "/entity?collection=people&id=ada"],
  ["searchEntities", "/entities/search", { body: { collection: "people", query: "Ada", mode: "lexical" } }],
  [
    "relateEntities",
    "/relationships",
    { body: { collection: "people", relationships: [{ from: "ada", name: "KNOWS", to: "ada" }] } },
  ],
  ["relatedEntities", "/related?collection=people&id=ada&relationship=KNOWS"],
  ["listCollections", "/collections"],
  ["listRecords", "/records?collection=people"],
  ["getRecord", "/record?collection=people&key=ada"],
  ["searchRecords", "/records/search", { body: { collection: "people", query: "Ada", mode: "lexical" } }],
  ["deleteEntity", "/entity?collection=people&id=ada", { method: "DELETE" }],
  ["addThread", "/threads", { body: thread }],
  ["listThreads", "/threads"],
  ["putThread", `/thread?id=${threadId(operator, "12345678")}`, { method: "PUT", body: thread }],
  ["getThread", `/thread?id=${threadId(operator, "12345678")}`],
  ["deleteThread", `/thread?id=${threadId(operator, "12345678")}`, { method: "DELETE" }],
  ["createJobs", "/jobs?uri=job.txt", { body: "A job." }],
  ["listJobs", "/jobs?limit=1"],
  ["getJob", "/job?id={id}"],
  ["watchJobs", "/jobs/events?id={id}"],
  ["cancelJobs", "/jobs/cancel", { body: { ids: ["{id}"] } }],
  ["retryJobs", "/jobs/retry", { body: { ids: ["{id}"] } }],
  ["removeJob", "/job?id={id}", { method: "DELETE" }],
  [
    "createUpload",
    "/uploads",
    { method: "POST", headers: { ...tus, "upload-length": "3", "upload-metadata": `filename ${btoa("a")}` } },
  ],
  ["getUpload", "/upload?id={id}", { headers: tus }],
  [
    "continueUpload",
    "/upload?id={id}",
    {
      method: "PATCH",
      body: "a",
      headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" },
    },
  ],
  ["removeUpload", "/upload?id={id}", { method: "DELETE", headers: tus }],
  ["status", "/status"],
  ["health", "/health/rag"],
  ...pageCalls,
  ["openapi", "/openapi.json"],
  ["livez", "/livez"],
  ["readyz", "/readyz"],
];

describe("the OpenAPI document", () => {
  it("describes every route, with schemas that its answers pass, and every route of it works", async () => {
    const paper = makePdf([[{ text: "Keys are rotated.", x: 50, y: 700 }]]);
    const { as, kb } = await startWorld({
      files: createMemoryBlobStore(),
      limits: { resumeMs: 600_000 },
      manual: async () => [{ name: "keys", text: "# Keys" }],
      ...changingKeys(),
    });
    await as("operator", "/document?uri=paper.pdf", { method: "PUT", body: paper });
    await kb.ingest({ uri: "gone.md", text: "Gone." });
    await kb.delete("gone.md");
    const document = (await as(null, "/openapi.json")).json as OpenApi;
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(calls.map(([id]) => id).toSorted());
    await kb.ingest({ uri: "a file.md", text: "A file." });
    let made = "";
    // A stream to come back to, and a file in a scope.
    const streamed = await as("operator", "/v1/responses", {
      body: { model: "ibid", input: "How long is a key valid?", stream: true },
    });
    const uploaded = await as("operator", "/v1/files", {
      body: form,
      headers: { "content-type": "multipart/form-data; boundary=edge" },
    });
    await as("operator", "/v1/vector_stores/deployment/files", { body: { file_id: uploaded.json.id } });
    await vi.waitFor(
      async () =>
        expect((await as("operator", `/v1/vector_stores/deployment/files/${uploaded.json.id}`)).json.status).toBe(
          "completed",
        ),
      { timeout: 20_000 },
    );
    const noted = await as("operator", "/notes", { body: { text: "The deploy day is Monday.", key: "deploy-day" } });
    const ids: Record<string, string> = {
      note: noted.json.note.id as string,
      streamed: /"id":"(resp_[^"]+)"/u.exec(streamed.text)![1]!,
      inDeployment: uploaded.json.id as string,
    };
    const fill = (text: string): string =>
      text.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => (name === "id" ? made : (ids[name] ?? whole)));
    for (const [id, template, given = {}] of calls) {
      const path = fill(template);
      const sent = JSON.parse(fill(JSON.stringify(given))) as object;
      const operation = operations.find(({ operationId }) => operationId === id)!;
      const answered: Answered = await as(id === "uploadDocument" || id === "addText" ? "ada" : "operator", path, sent);
      expect({ id, status: answered.status }).toEqual({ id, status: statuses[id] ?? 200 });
      made =
        answered.json?.jobs?.[0].id ?? answered.json?.data?.[0]?.id ?? answered.headers.location?.split("=")[1] ?? made;
      if (typeof answered.json?.id === "string") ids[id] = answered.json.id as string;
      expect(path.split("?")[0]).toMatch(new RegExp(`^${operation.path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"));
      const isEmpty = answered.text === "";
      const [type = ""] = (answered.headers["content-type"] ?? "").split(";");
      const described = operation.responses[answered.status]?.content?.[type]?.schema;
      expect({ id, described: described !== undefined }).toEqual({ id, described: !isEmpty });
      const bodies: readonly unknown[] = isEmpty
        ? []
        : type === "application/json"
          ? [answered.json]
          : type === "text/event-stream"
            ? eventsOf(answered.text)
            : [answered.text];
      expect(bodies.length > 0).toBe(!isEmpty);
      for (const body of bodies)
        expect({ id, fits: validatorOf(described!, document).safeParse(body).error?.issues }).toEqual({
          id,
          fits: undefined,
        });
    }
  });

  it("is whole: 3.1, references that lead somewhere, parameters that are named once, a key where one is needed", async () => {
    const { as } = await startWorld();
    const document = (await as(null, "/openapi.json")).json as OpenApi;
    expect(document.openapi).toBe("3.1.0");
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/gu)].map(([, to = ""]) => to);
    const { schemas, responses: shared } = document.components;
    const named = [
      ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(shared).map((name) => `#/components/responses/${name}`),
    ];
    // Each reference leads to a component, and each component is referred to.
    expect(new Set(references)).toEqual(new Set(named));
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(["Hit", "Answer", "Citation", "Document", "Sentence", "View", "AskRequest"]),
    );
    expect(text).not.toMatch(/"\$schema"|"\$defs"|"id":"[A-Z]/u);
    // A schema without a name of ours is one that leads to itself, which generated types refuse.
    expect(Object.keys(schemas).filter((name) => name.startsWith("__"))).toEqual([]);
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    // Rules of redocly's that a client needs; `npm run check:openapi` asks redocly itself.
    expect(document.info.license).toEqual({ name: "Apache-2.0", identifier: "Apache-2.0" });
    expect(document.servers).toEqual([expect.objectContaining({ url: "." })]);
    expect(operations.map(({ operationId }) => operationId)).toHaveLength(
      new Set(operations.map(({ operationId }) => operationId)).size,
    );
    for (const [path, methods] of Object.entries(document.paths)) {
      const wanted = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => name);
      for (const { parameters = [], responses } of Object.values(methods)) {
        const given = parameters.filter((parameter) => parameter.in === "path");
        expect({ path, names: given.map(({ name }) => name) }).toEqual({ path, names: wanted });
        expect(given.every(({ required }) => required)).toBe(true);
        const statuses = Object.keys(responses);
        expect(
          statuses.some((status) => /^[23]/u.test(status)) && statuses.some((status) => status.startsWith("4")),
        ).toBe(true);
      }
    }
    const tags = document.tags.map(({ name }) => name);
    expect(new Set(operations.flatMap(({ tags: own }) => own))).toEqual(new Set(tags));
    for (const { parameters = [], responses, operationId, tags: own } of operations) {
      expect({ operationId, tags: own.length }).toEqual({ operationId, tags: 1 });
      expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length);
      expect(parameters.every(({ schema }) => Object.keys(schema).length > 0)).toBe(true);
      for (const { description, $ref } of Object.values(responses))
        expect({ operationId, isDescribed: (description ?? $ref ?? "") !== "" }).toEqual({
          operationId,
          isDescribed: true,
        });
    }
    const open = operations.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId);
    expect(open.toSorted()).toEqual(["livez", "openapi", "readyz", ...pageCalls.map(([id]) => id)].toSorted());
    const keyless = await startWorld({ keyless: true });
    const local = (await keyless.as(null, "/openapi.json")).json as OpenApi;
    expect(local.components.securitySchemes).toBeUndefined();
  });

  it("names the events of a stream, each with a schema that its data pass", async () => {
    const { as } = await startWorld();
    const document = (await as(null, "/openapi.json")).json as OpenApi;
    const { schema } = document.paths["/ask"]!["post"]!.responses["200"]!.content!["text/event-stream"]!;
    const items = (schema as { readonly anyOf: readonly EventSchema[] }).anyOf;
    const named = Object.fromEntries(
      items.map(({ properties: { event, data } }) => [event.const, data.contentSchema] as const),
    );
    expect(Object.keys(named)).toEqual(["hits", "text", "citation", "answer", "error"]);
    const headers = { accept: "text/event-stream" };
    const { text } = await as("ada", "/ask", { body: { question: "How long is a key valid?" }, headers });
    const events = eventsOf(text);
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["hits", "text", "citation", "answer"]));
    for (const { event, data } of events)
      expect({ event, fits: validatorOf(named[event]!, document).safeParse(JSON.parse(data)).error?.issues }).toEqual({
        event,
        fits: undefined,
      });
    expect(validatorOf(named["citation"]!, document).safeParse(JSON.parse(events[0]!.data)).success).toBe(false);
  });

  it("gives examples that fit their schemas, and requests that are answered", async () => {
    const { as } = await startWorld(changingKeys());
    const document = (await as(null, "/openapi.json")).json as OpenApi;
    const examples = Object.entries(document.components.schemas).flatMap(([name, { examples: given = [] }]) =>
      given.map((example) => ({ name, example })),
    );
    expect(examples.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Hit", "Citation", "Error", "SearchRequest", "AskRequest", "VerifyRequest", "NewText"]),
    );
    for (const { name, example } of examples) {
      const schema = document.components.schemas[name]!;
      expect({ name, fits: validatorOf(schema, document).safeParse(example).error?.issues }).toEqual({
        name,
        fits: undefined,
      });
    }
    for (const [path, methods] of Object.entries(document.paths)) {
      const schema = methods["post"]?.requestBody?.content["application/json"]?.schema;
      const name = schema?.$ref?.split("/").at(-1);
      for (const { example } of examples.filter((each) => each.name === name)) {
        const who = methods["post"]!.tags.includes("operation") ? "operator" : "ada";
        const { status, text } = await as(who, path.replace("{store}", "deployment"), { body: example });
        expect({ path, status, text: status < 300 ? "" : text }).toEqual({ path, status, text: "" });
        expect(status).toBeLessThan(300);
      }
    }
  });

  it("names every field in camelCase, but for the shapes of others", async () => {
    const { as } = await startWorld();
    const names: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        if (key === "properties") names.push(...Object.keys(inner as object));
        if (key === "parameters") names.push(...(inner as readonly { name: string }[]).map(({ name }) => name));
        walk(inner);
      }
    };
    const { paths, components } = (await as(null, "/openapi.json")).json as OpenApi;
    walk(Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith("/v1/"))));
    walk(Object.fromEntries(Object.entries(components.schemas).filter(([name]) => !name.startsWith("OpenAI"))));
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !/^[a-z][a-zA-Z0-9]*$/u.test(name))).toEqual([]);
  });

  it("refuses, by name, a parameter and a field that it does not name, and a body where it names none [20]", async () => {
    const { as } = await startWorld({
      files: createMemoryBlobStore(),
      manual: async () => [{ name: "keys", text: "# Keys" }],
      ...changingKeys(),
    });
    const document = (await as(null, "/openapi.json")).json as OpenApi;
    const taken: object[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const id = operation.operationId;
        // A probe and the page answer whoever comes, by whatever address.
        if (probes.includes(path) || operation.tags.includes("page")) continue;
        const [, template = path, given = {}] = calls.find(([name]) => name === id) ?? [];
        const good = given as { readonly body?: unknown; readonly headers?: object };
        const send = async (kind: string, address: string, sent: object) => {
          const { status, text } = await as("operator", address.replaceAll(/\{\w+\}/gu, "x"), {
            method: method.toUpperCase(),
            ...sent,
          });
          // JSON-RPC does not name it.
          const reason = kind === "body" ? "none" : path === "/mcp" && kind === "field" ? "not a valid" : "strange";
          if (status !== 400 || !text.includes(reason)) taken.push({ id, kind, status, text: text.slice(0, 200) });
        };
        const body = good.body === undefined ? {} : { body: good.body };
        const headers = good.headers === undefined ? {} : { headers: good.headers };
        const isNamed = template.includes("?") ? "&" : "?";
        await send("parameter", `${template}${isNamed}strange=1`, { ...body, ...headers });
        const json = operation.requestBody?.content["application/json"]?.schema;
        if (operation.requestBody === undefined) {
          const strange = JSON.stringify({ strange: 1 });
          const type = { "content-type": "application/json", "content-length": String(strange.length) };
          await send("body", template, { headers: { ...headers.headers, ...type }, body: strange });
        } else if (json !== undefined) {
          const isJson = typeof good.body === "object";
          const sent = { body: { ...(isJson && good.body), strange: 1 }, ...headers };
          await send("field", isJson ? template : path, sent);
        }
      }
    }
    expect(taken).toEqual([]);
  });

  it("requests are described by what checks them: a field that it does not name is refused, one that it names is taken", async () => {
    const { as } = await startWorld(
      {},
      await openWorld(createScriptedChatModel(() => "A key is valid for ninety days [1].")),
    );
    const document = (await as(null, "/openapi.json")).json as OpenApi;
    expect(document.paths["/ask"]?.["post"]?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/AskRequest",
    });
    const schema = document.components.schemas["AskRequest"] as {
      readonly properties: Readonly<Record<string, unknown>>;
      readonly additionalProperties: boolean;
    };
    expect(schema.additionalProperties).toBe(false);
    const body = { question: "How long is a key valid?" };
    const samples: Readonly<Record<string, unknown>> = {
      question: body.question,
      topK: 3,
      mode: "lexical",
      syntax: "literal",
      grounding: "strict",
      minSupport: 0.5,
      minRelevance: 0.5,
      history: [{ role: "user", content: "Tell me of keys." }],
      filter: {},
      minScore: 0,
      minFusedScore: 0,
      pattern: "key",
      ignoreCase: true,
      copies: "first",
      merge: true,
      groupBy: "document",
      origins: ["user-content"],
      fusion: "rrf",
      weights: { lexical: 2 },
      rerank: false,
      snippetLength: 40,
      explain: true,
      scopes: ["deployment"],
      strategy: "all",
      asOf: "2999-01-01",
      under: "deployment",
      uris: ["keys.md"],
    };
    expect(Object.keys(schema.properties).toSorted()).toEqual(Object.keys(samples).toSorted());
    const said = (name: string) =>
      name === "ignoreCase"
        ? { pattern: "key", ignoreCase: true }
        : name === "pattern"
          ? { pattern: "key" }
          : name === "minFusedScore"
            ? { fusion: "halves", minFusedScore: samples[name] }
            : { [name]: samples[name] };
    for (const name of Object.keys(samples)) {
      const { status, text } = await as("ada", "/ask", { body: { ...body, ...said(name) } });
      expect({ name, status, text: status === 200 ? "" : text }).toEqual({ name, status: 200, text: "" });
    }
    expect((await as("ada", "/ask", { body: { ...body, model: "other" } })).status).toBe(400);
  });
});
