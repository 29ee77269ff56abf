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
    return someOf(members, schema.required ?? []);
  };
  return fc.oneof({ weight: depth === 0 ? 20 : 9, arbitrary: fitting() }, { weight: 1, arbitrary: anything });
}

/** Records with all required members and two others at most: with many, one is nearly always wrong, and nothing is ever served. */
function someOf<Value>(
  members: Readonly<Record<string, fc.Arbitrary<Value>>>,
  required: readonly string[],
): fc.Arbitrary<Record<string, Value>> {
  const others = Object.keys(members).filter((name) => !required.includes(name));
  return fc
    .shuffledSubarray(others, { maxLength: Math.min(2, others.length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries([...required, ...chosen].map((name) => [name, members[name]!] as const))),
    );
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
        const required = parameters.filter((one) => one.required);
        const requestWith = (
          role: fc.Arbitrary<Who | "stranger">,
          query: fc.Arbitrary<Readonly<Record<string, string>>>,
        ) =>
          fc.record({
            role,
            query,
            part: words.map((word) => encodeURIComponent(word.toWellFormed()) || "deployment"),
            // Each type that it takes.
            sent:
              bodies.length === 0
                ? fc.constant([undefined, undefined] as const)
                : fc.oneof(...bodies.map(([type, { schema }]) => fc.tuple(fc.constant(type), valuesOf(schema, api)))),
          });
        const queryOf = (some: typeof parameters): Record<string, fc.Arbitrary<string>> =>
          Object.fromEntries(some.map(({ name, schema }) => [name, valuesOf(schema, api).map(textOf)]));
        const anyQuery = someOf(
          queryOf(parameters),
          required.map(({ name }) => name),
        );
        const attempt = (request: ReturnType<typeof requestWith>) =>
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
          });
        await fc.assert(attempt(requestWith(fc.constantFrom(...roles), anyQuery)), { numRuns: fewer(6, 60) });
        // Each parameter once by itself, by a caller whom nothing is refused.
        for (const one of parameters) {
          const alone = fc.record(queryOf([...required, one]));
          await fc.assert(attempt(requestWith(fc.constant("operator"), alone)), { numRuns: fewer(2, 10) });
        }
      }
    }
    // Some requests are served, and some are refused for each reason.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403]));
  });
});
