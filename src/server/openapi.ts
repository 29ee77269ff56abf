import { z } from "zod";
import { errorResponse } from "./response-schemas.ts";
import { jsonResponse, defineRoute, type DescribedResponse, type Route, type RouteTag } from "./route.ts";

/** Version of the HTTP interface. It changes when clients must change, apart from the package's version. */
const interfaceVersion = "1";

/** Groups of routes, in the order in which a reader meets them. */
const tags: Readonly<Record<RouteTag, string>> = {
  questions: "Searches, answers and verdicts.",
  documents: "Documents: the list, one of them, uploads, deletions, and how each is shown.",
  jobs: "Documents that are ingested in the background, and resumable uploads.",
  threads: "Questions and answers that a caller keeps.",
  notes: "Statements that a caller or an agent remembers.",
  records: "Collections of records, and entities with their relationships.",
  openai: "The shapes of OpenAI's API, for clients that speak it.",
  agents: "The Model Context Protocol.",
  service: "The service itself: the caller, counts, figures, probes and this document.",
  operation: "Care for the knowledge base, by its operator: checks, erasure, events.",
  page: "The page and its files.",
};

/** Refusals that every route may answer, by status: the name of the response, and its description. */
const refusals: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ["Invalid", "The request is not as described."],
  401: ["Unauthenticated", "The key is missing or unknown."],
  403: ["Forbidden", "The key lacks the right, or the origin is not allowed."],
  404: ["NotFound", "No document that the caller may read has this uri."],
  405: ["MethodNotAllowed", "The address does not take this method."],
  408: ["BodyTooSlow", "The body came too slowly."],
  409: [
    "Ambiguous",
    "Several scopes hold this uri, and the message lists them; or the service is not set up for the request.",
  ],
  413: ["TooLarge", "The body is too large."],
  415: ["UnsupportedMedia", "The service does not take this kind of content."],
  421: ["WrongHost", "The Host is not a name of this service."],
  422: ["Unreadable", "The document cannot be read."],
  431: ["HeadersTooLong", "The address or the headers are too long."],
  429: ["TooManyRequests", "Too many requests; Retry-After says how many seconds to wait."],
  500: ["Failed", "The service failed."],
  502: ["ModelFailed", "A model failed; the code says how."],
  503: ["Busy", "The service is busy or stopping; Retry-After says how many seconds to wait."],
  504: ["TooLong", "The request took longer than allowed."],
  507: ["DiskFull", "The disk of the service is full."],
};

/** Ways in which callers are known. */
interface ServiceSecurity {
  readonly hasKeys: boolean;
  /** Name of the cookie of a login. */
  readonly cookie?: string | undefined;
}

/**
 * Makes the OpenAPI document from the schemas that check the requests. A schema with an `id` becomes a component of that name.
 *
 * **Source** OpenAPI 3.1, whose schemas are JSON Schema 2020-12.
 */
function describeRoutes(routes: readonly Route[], { hasKeys, cookie }: ServiceSecurity): object {
  const components = createComponents();
  const paths: Record<string, Record<string, object>> = {};
  const security = [...(hasKeys ? [{ key: [] }] : []), ...(cookie === undefined ? [] : [{ session: [] }])];
  for (const route of routes) {
    const operation = describeRoute(route, route.needs === "nobody" ? [] : security, components);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation;
  }
  const error = components.schemaOf(errorResponse, "output");
  const used = new Set(routes.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    info: {
      title: "ibid",
      version: interfaceVersion,
      description: "Search documents and get answers that cite the exact place. Positions are UTF-16 code units.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: ".", description: "The service that this document came from." }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as RouteTag))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, [name, description]]) => [
          name,
          // Node refuses such a request before the service sees it, and writes no body.
          status === "431" ? { description } : { description, content: { "application/json": { schema: error } } },
        ]),
      ),
      ...(security.length > 0 && {
        securitySchemes: {
          ...(hasKeys && { key: { type: "http", scheme: "bearer", description: "A key, or a token of the issuer." } }),
          ...(cookie !== undefined && {
            session: { type: "apiKey", in: "cookie", name: cookie, description: "Who signed in on the page." },
          }),
        },
      }),
    },
  };
}

/** `GET /openapi.json` describes all routes, itself included. */
export function createOpenApiRoute(routes: () => readonly Route[], security: ServiceSecurity): Route {
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    name: "openapi",
    summary: "This document.",
    tag: "service",
    needs: "nobody",
    isLight: true,
    answers: { 200: { description: "OpenAPI 3.1.", content: { "application/json": z.looseObject({}) } } },
    handle: async () => jsonResponse(describeRoutes(routes(), security)),
  });
}

function describeRoute(route: Route, security: readonly object[], components: Components): object {
  const { name, summary, tag, params, query, body, accepts, answers } = route;
  const said = Object.entries(answers).map(
    ([status, answer]) => [status, describeResponse(answer, components)] as const,
  );
  const others = Object.entries(refusals)
    .filter(([status]) => !Object.hasOwn(answers, status))
    .map(([status, [refusal]]) => [status, { $ref: `#/components/responses/${refusal}` }] as const);
  const parameters = [
    ...(params === undefined ? [] : describeParameters(params, "path", components)),
    ...(query === undefined ? [] : describeParameters(query, "query", components)),
  ];
  return {
    operationId: name,
    summary,
    tags: [tag],
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: describeBody(body, accepts, components) } }),
    responses: Object.fromEntries([...said, ...others]),
  };
}

const file = { type: "string", contentMediaType: "application/octet-stream" } as const;

function describeBody(body: NonNullable<Route["body"]>, accepts: Route["accepts"], components: Components): object {
  if (body === "message") return { "application/json": { schema: { type: "object" } } };
  if (body === "bytes" || body === "stream") {
    const kinds = Object.entries(accepts ?? { "*/*": undefined });
    return Object.fromEntries(
      kinds.map(([type, schema]) => [type, { schema: schema ? components.schemaOf(schema, "input") : file }]),
    );
  }
  return { "application/json": { schema: components.schemaOf(body, "input") } };
}

function describeParameters(schema: z.ZodType, place: "path" | "query", components: Components): readonly object[] {
  const { properties = {}, required = [] } = components.inlineOf(schema, "input") as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function describeResponse({ description, content, events, end }: DescribedResponse, components: Components): object {
  const described = Object.entries(content).map(([type, schema]): [string, object] => [
    type,
    { schema: schema === undefined ? { type: "string" } : components.schemaOf(schema, "output") },
  ]);
  if (events !== undefined) {
    const items = Object.entries(events).map(([name, data]) => describeEvent(name, data, end, components));
    described.push(["text/event-stream", { schema: items.length === 1 ? items[0]! : { anyOf: items } }]);
  }
  return { description, content: Object.fromEntries(described) };
}

/** One server-sent event; its data is JSON of the schema. **Source** OpenAPI 3.2, sequential media types, whose item this is. */
function describeEvent(name: string, data: z.ZodType, end: string | undefined, components: Components): object {
  const json = {
    type: "string",
    contentMediaType: "application/json",
    contentSchema: components.schemaOf(data, "output"),
  };
  return {
    type: "object",
    required: ["data"],
    properties: {
      event: { const: name },
      data: end === undefined ? json : { anyOf: [{ const: end }, json] },
      id: { type: "string" },
    },
  };
}

/** Tells the default of a request's field in words: generators of clients make a field with `default` one that must be given. */
function tellDefault(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("default" in value)) return value;
  const { default: preset, ...schema } = value as { readonly default: unknown; readonly description?: string };
  if (typeof schema.description !== "string" && !("type" in schema)) return value;
  return { ...schema, description: `${schema.description ?? ""} Default: ${JSON.stringify(preset)}.`.trim() };
}

/** Schemas that have a name, as the document's components. */
interface Components {
  readonly schemas: Readonly<Record<string, object>>;
  /** The JSON Schema of a schema: a reference if it has a name. */
  schemaOf(schema: z.ZodType, io: "input" | "output"): object;
  /** The same, never a reference. */
  inlineOf(schema: z.ZodType, io: "input" | "output"): object;
}

interface Converted {
  readonly properties: { readonly it: object };
  readonly $defs?: Readonly<Record<string, object>>;
}

function createComponents(): Components {
  const schemas: Record<string, object> = {};

  function schemaOf(schema: z.ZodType, io: "input" | "output"): object {
    // A schema inside another one becomes a definition if it has an id; the outermost one would not.
    const converted = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: "any" });
    const text = JSON.stringify(converted).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
    const { properties, $defs = {} } = JSON.parse(text, io === "input" ? tellDefault : undefined) as Converted;
    for (const [name, { id: _, ...definition }] of Object.entries($defs as Record<string, { readonly id?: string }>)) {
      const known = schemas[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition))
        throw new Error(`Two schemas have the name ${name}.`);
      schemas[name] = definition;
    }
    return properties.it;
  }

  return {
    schemas,
    schemaOf,
    inlineOf(schema, io) {
      const described = schemaOf(schema, io) as { readonly $ref?: string };
      return described.$ref === undefined ? described : schemas[described.$ref.split("/").at(-1)!]!;
    },
  };
}
