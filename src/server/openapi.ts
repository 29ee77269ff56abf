import * as z from "zod";
import { errorResponse } from "./response-schemas.ts";
import { jsonResponse, defineRoute, type DescribedResponse, type Route } from "./route.ts";

/** The version of the HTTP interface, which is not that of the package: it changes when a client would have to. */
const interfaceVersion = "1";

/** What a client may meet besides what a route says: statuses, and when. */
const refusals: Readonly<Record<number, string>> = {
  400: "The request is not as described.",
  401: "No key, or one that nobody has.",
  403: "This key may not do that, or that origin may not ask.",
  404: "It is not there, or may not be read.",
  408: "The body came too slowly.",
  409: "Several scopes hold that uri; the message lists them.",
  413: "The body is too large.",
  415: "That kind of content is not taken.",
  421: "The service does not answer to that name.",
  422: "The document cannot be read.",
  429: "Too many requests; Retry-After says how many seconds to wait.",
  500: "Something failed in here.",
  503: "Too much at once, or ending; Retry-After says how many seconds to wait.",
  504: "It took longer than is allowed.",
};

/**
 * The service's OpenAPI document: made of the very schemas that requests are checked by.
 *
 * **Source** OpenAPI 3.1, whose schemas are JSON Schema 2020-12.
 */
function describeRoutes(routes: readonly Route[], { hasKeys }: { readonly hasKeys: boolean }): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = describeRoute(route, hasKeys);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "ibid",
      version: interfaceVersion,
      description: "Search documents and get answers that cite the exact place. Positions are UTF-16 code units.",
    },
    paths,
    components: {
      schemas: { Error: toSchema(errorResponse, "output") },
      ...(hasKeys && { securitySchemes: { key: { type: "http", scheme: "bearer" } } }),
    },
  };
}

/** `GET /openapi.json`: describes the routes that it stands beside, itself included. */
export function createOpenApiRoute(routes: () => readonly Route[], hasKeys: boolean): Route {
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    name: "openapi",
    summary: "This document.",
    needs: "nobody",
    answers: { 200: { description: "OpenAPI 3.1.", content: { "application/json": z.looseObject({}) } } },
    handle: async () => jsonResponse(describeRoutes(routes(), { hasKeys })),
  });
}

function describeRoute(route: Route, hasKeys: boolean): object {
  const { name, summary, needs, query, body, answers } = route;
  const said = Object.entries(answers).map(([status, answer]) => [status, describeResponse(answer)] as const);
  const others = Object.entries(refusals)
    .filter(([status]) => !Object.hasOwn(answers, status))
    .map(([status, description]) => [status, describeRefusal(description)] as const);
  return {
    operationId: name,
    summary,
    ...(hasKeys && needs !== "nobody" && { security: [{ key: [] }] }),
    ...(query && { parameters: describeParameters(query) }),
    ...(body && { requestBody: { required: true, content: describeBody(body) } }),
    responses: Object.fromEntries([...said, ...others]),
  };
}

function describeBody(body: z.ZodType | "bytes" | "message"): object {
  if (body === "message") return { "application/json": { schema: { type: "object" } } };
  if (body === "bytes") return { "*/*": { schema: { type: "string", contentMediaType: "application/octet-stream" } } };
  return { "application/json": { schema: toSchema(body, "input") } };
}

function describeParameters(query: z.ZodType): readonly object[] {
  const { properties = {}, required = [] } = toSchema(query, "input") as {
    readonly properties?: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function describeResponse({ description, content }: DescribedResponse): object {
  const described = Object.entries(content).map(([type, schema]) => [
    type,
    { schema: schema === undefined ? { type: "string" } : toSchema(schema, "output") },
  ]);
  return { description, content: Object.fromEntries(described) as object };
}

function describeRefusal(description: string): object {
  return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
}

function toSchema(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
