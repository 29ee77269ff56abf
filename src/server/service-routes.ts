import { z } from "zod";
import type { Entities } from "../contracts/entity.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { McpMemoryOptions, McpServerOptions } from "../integrations/mcp/mcp-server-options.ts";
import { ownScope } from "../knowledge-base/own-scope.ts";
import type { EntitiesOptions } from "../knowledge-base/entities/open-entities.ts";
import { describeHealth } from "../knowledge-base/operations/health-body.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { given } from "./given.ts";
import type { HandlerOptions } from "./handler-options.ts";
import * as responses from "./response-schemas.ts";
import { type Activity, activityResponse } from "./activity.ts";
import { type Caller, defineRoute, jsonResponse, type Route } from "./route.ts";

/** `GET /health/rag`. It counts the requests of all callers, so only operators may read it. **Source** ToolUp. */
export const healthRoute: Route = defineRoute({
  method: "GET",
  path: "/health/rag",
  name: "health",
  summary: "Counts and latencies of the last minute, from every process that has the knowledge base open.",
  tag: "service",
  needs: "operator",
  isLight: true,
  answers: { 200: { description: "The last minute.", content: { "application/json": responses.healthResponse } } },
  handle: async ({ kb }) => jsonResponse(describeHealth(await kb.health({ everywhere: true }))),
});

/** `GET /activity`. It counts the requests of all callers, so only operators may read it. */
export function createActivityRoute(activity: Activity): Route {
  return defineRoute({
    method: "GET",
    path: "/activity",
    name: "activity",
    summary: "Requests of the last hour with their latencies, and usage of models since the start, of this process.",
    tag: "operation",
    needs: "operator",
    isLight: true,
    answers: { 200: { description: "The figures.", content: { "application/json": activityResponse } } },
    handle: async () => jsonResponse(activity.show()),
  });
}

const diskResponse = z
  .strictObject({
    parts: z
      .array(z.strictObject({ part: z.string(), bytes: z.int().min(0) }))
      .meta({ description: "`database`, `events`, `originals`, `threads`, `jobs` and `others`, largest first." }),
    bytes: z.int().min(0).meta({ description: "Sum of the parts." }),
  })
  .meta({ id: "Disk" });

/** Part of a file that the service keeps, by the beginning of its key. */
const partOf: Readonly<Record<string, string>> = {
  originals: "originals",
  uploads: "originals",
  places: "originals",
  threads: "threads",
  jobs: "jobs",
};

/** `GET /disk`: sizes of the files of the base, and of those that the service keeps beside it. **Cost** a listing of these. */
export function createDiskRoute({ files, partSizes }: Pick<HandlerOptions, "files" | "partSizes">): Route {
  return defineRoute({
    method: "GET",
    path: "/disk",
    name: "disk",
    summary: "Bytes on the disk, by the parts of the knowledge base and of the files that the service keeps.",
    tag: "operation",
    needs: "operator",
    answers: { 200: { description: "The sizes.", content: { "application/json": diskResponse } } },
    async handle({ signal }) {
      const sizes = new Map(Object.entries((await partSizes?.()) ?? {}));
      for await (const { key, size } of files?.list({ signal }) ?? []) {
        const part = partOf[key.split("/")[0]!] ?? "others";
        sizes.set(part, (sizes.get(part) ?? 0) + size);
      }
      const parts = Array.from(sizes, ([part, bytes]) => ({ part, bytes }));
      parts.sort((one, other) => other.bytes - one.bytes || compareCodePoints(one.part, other.part));
      return jsonResponse({ parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) });
    },
  });
}

/** `GET /metrics`: figures for Prometheus. They count the requests of all callers, so only operators may read them. */
export function createMetricsRoute(metrics: NonNullable<HandlerOptions["metrics"]>): Route {
  return defineRoute({
    method: "GET",
    path: "/metrics",
    name: "metrics",
    summary: "Figures of requests, searches, writes and the process, in the text format of Prometheus.",
    tag: "service",
    needs: "operator",
    isLight: true,
    answers: { 200: { description: "The figures.", content: { "text/plain": undefined } } },
    handle: async ({ kb }) =>
      new Response(await metrics.text(kb), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
  });
}

/** `GET /status`: the size of the knowledge base as far as the caller may read it, and the state of the store's own model. */
export const statusRoute: Route = defineRoute({
  method: "GET",
  path: "/status",
  name: "status",
  summary: "Counts of documents and chunks by scope, and the fit of the store's own model.",
  tag: "service",
  needs: "reader",
  isLight: true,
  answers: { 200: { description: "The counts.", content: { "application/json": responses.statusResponse } } },
  async handle({ kb }) {
    const { documents, chunks, bytes, scopes, embeddingVersions, fit } = await kb.status();
    return jsonResponse({ documents, chunks, bytes, scopes, embeddingVersions, ...given({ fit }) });
  },
});

/** Refusals of a message, by the service or by the protocol, which writes them as JSON-RPC. */
const messageRefusals: Readonly<Record<number, string>> = {
  400: "The message is not as described.",
  404: "The session or the document is unknown.",
  406: "The client accepts no content that the protocol has.",
  415: "The service does not take this kind of content.",
};
const rpcMessage = z.looseObject({ jsonrpc: z.literal("2.0") }).meta({ id: "RpcMessage" });
const refused = (description: string) => ({ description, content: { "application/json": z.looseObject({}) } });

/**
 * `POST /mcp`: MCP over streamable HTTP.
 *
 * A new server answers each message, over the view of its sender. The route keeps no session, so it has no `GET` and no `DELETE`.
 *
 * **Source** Model Context Protocol, streamable HTTP.
 */
export function createMcpRoute(
  options: McpServerOptions,
  hasPage: boolean,
  entities: Readonly<Record<string, EntitiesOptions>> = {},
): Route {
  return defineRoute({
    method: "POST",
    path: "/mcp",
    name: "mcp",
    summary: "The documents for agents: a message of the Model Context Protocol, over streamable HTTP.",
    tag: "agents",
    needs: "reader",
    body: "message",
    answers: {
      200: {
        description: "The answer.",
        content: { "application/json": rpcMessage },
        events: { message: rpcMessage },
      },
      202: { description: "The service took a notification.", content: {} },
      ...Object.fromEntries(
        Object.entries(messageRefusals).map(([status, description]) => [status, refused(description)]),
      ),
    },
    asked: ({ body }) => argumentsOf(body as Uint8Array),
    async handle({ kb, caller, request, home, body, signal, fail }) {
      const { createMcpHandler } = await import("../integrations/mcp/mcp-handler.ts");
      const handler = createMcpHandler(() => kb, {
        ...(hasPage && { pageAddress: home }),
        ...options,
        ...(Object.keys(entities).length > 0 && { entities: await openAll(kb, entities) }),
        ...(options.memory !== undefined && { memory: memoryOf(options.memory, caller) }),
        // Keys that only read see no tool that writes.
        ...(caller?.mayWrite !== true && { changes: false }),
        onError(error) {
          fail(error);
          options.onError?.(error);
        },
      });
      const { url, headers } = request;
      return handler(new Request(url, { method: "POST", headers, body: body as Uint8Array<ArrayBuffer>, signal }));
    },
  });
}

/**
 * Makes a server for agents once. A wrong tool or entity then ends the start of a service, and not the first message to it.
 *
 * **Errors** as `createMcpServer` and `openEntities`.
 */
export async function checkAgents(
  kb: KnowledgeBase,
  { mcp, entities = {} }: Pick<HandlerOptions, "mcp" | "entities">,
): Promise<void> {
  const opened = await openAll(kb, entities);
  if (typeof mcp !== "object") return;
  const { createMcpServer } = await import("../integrations/mcp/create-mcp-server.ts");
  const server = await createMcpServer(kb, {
    ...mcp,
    entities: [...(mcp.entities ?? []), ...opened],
    ...(mcp.memory !== undefined && { memory: memoryOf(mcp.memory, undefined) }),
  });
  await server.close();
}

/** Entities over a caller's view. */
async function openAll(
  kb: KnowledgeBase,
  entities: Readonly<Record<string, EntitiesOptions>>,
): Promise<readonly Entities[]> {
  if (Object.keys(entities).length === 0) return [];
  const { openEntities } = await import("../knowledge-base/entities/open-entities.ts");
  return Object.entries(entities).map(([name, options]) => openEntities(kb, name, options));
}

/** The memory of a caller: their own notes where the service names no scope. A caller who only reads does not write notes. */
function memoryOf(memory: McpMemoryOptions, caller: Caller | undefined): McpMemoryOptions {
  const access = caller?.access;
  const own = access === undefined ? undefined : ownScope(access === "operator" ? undefined : access);
  const { writes = true, scope = own, by = caller?.name } = memory;
  return { ...memory, writes: writes && caller?.mayWrite === true, ...(scope && { scope }), ...(by && { by }) };
}

/** The arguments of a tool call are private, like a question. */
function argumentsOf(body: Uint8Array): readonly string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (value !== null && typeof value === "object") for (const each of Object.values(value)) collect(each);
  };
  try {
    const message = JSON.parse(new TextDecoder().decode(body)) as { params?: { arguments?: unknown; uri?: unknown } };
    collect(message.params?.arguments);
    collect(message.params?.uri);
  } catch {
    // The handler refuses an invalid message; nothing in it is a question.
  }
  return texts;
}
