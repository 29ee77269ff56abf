import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fewer } from "../support/runs.ts";
import { send, keys, openWorld, startWorld, type Who } from "./service.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: object }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  };
}

const anything = fc.jsonValue({ maxDepth: 2 });
const words = fc.oneof(
  fc.constantFrom(
    "",
    "rotate key",
    "deployment.md",
    "team:acme",
    "user:ada",
    "deployment",
    "a.md",
    "../x",
    "\u0000",
    "%00",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);

/** Values of a schema, and now and then any other value. */
function valuesOf(schema: Schema, { components }: OpenApi, depth = 0): fc.Arbitrary<unknown> {
  const inside = (one: Schema): fc.Arbitrary<unknown> => valuesOf(one, { components } as OpenApi, depth + 1);
  const fitting = (): fc.Arbitrary<unknown> => {
    if (depth > 6) return anything;
    if (schema.$ref !== undefined) return inside(components.schemas[schema.$ref.split("/").at(-1)!]!);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.const !== undefined) return fc.constant(schema.const);
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (choices !== undefined) return fc.oneof(...choices.map(inside));
    const [type] = [schema.type].flat();
    if (type === "string") return words;
    if (type === "integer" || type === "number") return fc.oneof(fc.integer({ min: -2, max: 9 }), fc.double());
    if (type === "boolean") return fc.boolean();
    if (type === "array")
      return fc.array(schema.items === undefined ? anything : inside(schema.items), { maxLength: 3 });
    if (schema.properties === undefined) return anything;
    const members = Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, inside(one)]));
    return fc.record(members, { requiredKeys: [...(schema.required ?? [])] });
  };
  return fc.oneof({ weight: depth === 0 ? 20 : 9, arbitrary: fitting() }, { weight: 1, arbitrary: anything });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

describe("requests that the OpenAPI document generates", () => {
  it("get no 5xx, and only statuses and content types that it names, from every role", async () => {
    const { service } = await startWorld({ limits: { requestsPerMinute: 1_000_000 } }, await openWorld());
    const api = JSON.parse((await send(service.url, "/openapi.json")).text) as OpenApi;
    const roles: readonly (Who | "stranger")[] = ["stranger", "anyone", "bob", "ada", "operator"];
    const statuses = new Set<number>();
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const parameters = (operation.parameters ?? []).filter((one) => one.in === "query");
        const parts = (operation.parameters ?? []).filter((one) => one.in === "path");
        const bodies = Object.entries(operation.requestBody?.content ?? {});
        const request = fc.record({
          role: fc.constantFrom(...roles),
          part: words.map((word) => encodeURIComponent(word.toWellFormed()) || "deployment"),
          query: fc.record(
            Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, api).map(textOf)])),
            { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) },
          ),
          // Each type that it takes.
          sent:
            bodies.length === 0
              ? fc.constant([undefined, undefined] as const)
              : fc.oneof(...bodies.map(([type, { schema }]) => fc.tuple(fc.constant(type), valuesOf(schema, api)))),
        });
        await fc.assert(
          fc.asyncProperty(request, async ({ role, part, query, sent: [type, body] }) => {
            const address = parts.reduce((text, { name }) => text.replace(`{${name}}`, part), path);
            const search = new URLSearchParams(query).toString();
            const answered = await send(service.url, search === "" ? address : `${address}?${search}`, {
              method: method.toUpperCase(),
              leavesStreams: path === "/jobs/events",
              key: role === "stranger" ? undefined : keys[role].key,
              ...(type !== undefined && {
                body: type === "application/json" ? JSON.stringify(body) : textOf(body),
                headers: { "content-type": type, accept: "application/json, text/event-stream" },
              }),
            });
            const said = operation.responses[answered.status];
            const named = said?.$ref === undefined ? said : api.components.responses[said.$ref.split("/").at(-1)!];
            statuses.add(answered.status);
            expect(answered.status).toBeLessThan(500);
            expect({ status: answered.status, isNamed: named !== undefined }).toMatchObject({ isNamed: true });
            const [given = ""] = (answered.headers["content-type"] ?? "").split(";");
            // A response without a body has no type.
            const types = Object.keys(named?.content ?? { [given]: {} });
            expect(types.length === 0 ? [""] : types).toContain(given);
          }),
          { numRuns: fewer(6, 60) },
        );
      }
    }
    // Some requests are served, and some are refused for each reason.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403]));
  });
});
