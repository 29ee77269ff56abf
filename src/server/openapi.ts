import * as z from "zod";
import { errorResponse } from "./response-schemas.ts";
import { jsonResponse, defineRoute, type DescribedResponse, type Route } from "./route.ts";

/** Version of the HTTP interface. It changes when clients must change, apart from the package's version. */
const interfaceVersion = "1";

/** Refusals that every route may answer, by status. */
const refusals: Readonly<Record<number, string>> = {
  400: "The request is not as described.",
  401: "The key is missing or unknown.",
  403: "The key lacks the right, or the origin is not allowed.",
  404: "No document that the caller may read has this uri.",
  405: "The address does not take this method.",
  408: "The body came too slowly.",
  409: "Several scopes hold this uri; the message lists them.",
  413: "The body is too large.",
  415: "The service does not take this kind of content.",
  421: "The Host is not a name of this service.",
  422: "The document cannot be read.",
  431: "The address or the headers are too long.",
  429: "Too many requests; Retry-After says how many seconds to wait.",
  500: "The service failed.",
  502: "A model failed; the code says how.",
  503: "The service is busy or stopping; Retry-After says how many seconds to wait.",
  504: "The request took longer than allowed.",
};

/**
 * Makes the OpenAPI document from the schemas that check the requests.
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

/** `GET /openapi.json` describes all routes, itself included. */
export function createOpenApiRoute(routes: () => readonly Route[], hasKeys: boolean): Route {
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    name: "openapi",
    summary: "This document.",
    needs: "nobody",
    isLight: true,
    answers: { 200: { description: "OpenAPI 3.1.", content: { "application/json": z.looseObject({}) } } },
    handle: async () => jsonResponse(describeRoutes(routes(), { hasKeys })),
  });
}

function describeRoute(route: Route, hasKeys: boolean): object {
  const { name, summary, needs, query, body, accepts, answers } = route;
  const said = Object.entries(answers).map(([status, answer]) => [status, describeResponse(answer)] as const);
  const others = Object.entries(refusals)
    .filter(([status]) => !Object.hasOwn(answers, status))
    .map(([status, description]) => [status, describeRefusal(status, description)] as const);
  return {
    operationId: name,
    summary,
    ...(hasKeys && needs !== "nobody" && { security: [{ key: [] }] }),
    ...(query && { parameters: describeParameters(query) }),
    ...(body && { requestBody: { required: true, content: describeBody(body, accepts) } }),
    responses: Object.fromEntries([...said, ...others]),
  };
}

const file = { type: "string", contentMediaType: "application/octet-stream" } as const;

function describeBody(body: NonNullable<Route["body"]>, accepts: Route["accepts"]): object {
  if (body === "message") return { "application/json": { schema: { type: "object" } } };
  if (body === "bytes" || body === "stream") {
    const kinds = Object.entries(accepts ?? { "*/*": undefined });
    return Object.fromEntries(
      kinds.map(([type, schema]) => [type, { schema: schema ? toSchema(schema, "input") : file }]),
    );
  }
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

function describeRefusal(status: string, description: string): object {
  // Node refuses such a request before the service sees it, and writes no body.
  if (status === "431") return { description };
  return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
}

function toSchema(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
