import { IbidError } from "../../../contracts/errors.ts";
import type { HttpRequest } from "../../../contracts/http.ts";
import type { JsonValue } from "../../../contracts/metadata.ts";
import type { JsonSchema } from "../../../contracts/schema.ts";
import type { Operation, OperationArgument } from "./read-operations.ts";

type Values = Readonly<Record<string, JsonValue | undefined>>;

/**
 * Builds the request of an operation from its arguments.
 *
 * **Shape** below the server's address, whatever the arguments are: a path argument fills one part of the path. Absent arguments are left out.
 * **Errors** `invalid-argument` for an argument that is missing, of the wrong kind, or impossible in its place.
 * **Source** OpenAPI 3, "Style Values"; RFC 3986.
 */
export function buildRequest(server: URL, operation: Operation, values: Values): HttpRequest {
  const given = new Map<OperationArgument, JsonValue>();
  for (const argument of operation.arguments) {
    const value = values[argument.argument];
    if (value !== undefined) given.set(argument, value);
    else if (argument.required) throw wrong(operation, `${argument.argument} is missing`);
  }
  const at = (place: OperationArgument["in"]) => [...given].filter(([argument]) => argument.in === place);

  const filled = new Map(at("path").map(([argument, value]) => [argument.name, pathPart(operation, argument, value)]));
  const path = operation.path.replaceAll(/\{([^{}]*)\}/gu, (_, name: string) => filled.get(name) ?? "");
  const query = at("query").flatMap(([argument, value]) => queryParts(argument, value));
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/+$/u, "")}/${path.replace(/^\/+/u, "")}`;
  url.search = [server.search.slice(1), ...query].filter((part) => part !== "").join("&");

  const headers: Record<string, string> = { accept: "application/json, text/*;q=0.8" };
  for (const [argument, value] of at("header"))
    headers[argument.name.toLowerCase()] = headerText(operation, argument, value);
  const body = bodyOf(operation, at("body"), at("body-field"));
  if (body !== undefined && operation.bodyType !== undefined) headers["content-type"] = operation.bodyType;
  return { method: operation.method, url: url.href, headers, ...(body !== undefined && { body }) };
}

function bodyOf(
  { bodyType }: Operation,
  [whole]: readonly (readonly [OperationArgument, JsonValue])[],
  fields: readonly (readonly [OperationArgument, JsonValue])[],
): string | undefined {
  if (whole !== undefined) {
    const [{ json }, value] = whole;
    return json ? JSON.stringify(value) : textOf(value);
  }
  if (bodyType === undefined || (fields.length === 0 && !/json/iu.test(bodyType))) return undefined;
  return JSON.stringify(Object.fromEntries(fields.map(([{ name }, value]) => [name, value])));
}

function pathPart(operation: Operation, argument: OperationArgument, value: JsonValue): string {
  const text = argument.json ? JSON.stringify(value) : listed(value, ",", encodeText);
  // A step up or on the spot would be another path.
  if (text === "" || /^(?:\.|%2e){1,2}$/iu.test(text))
    throw wrong(operation, `${argument.argument} cannot be ${JSON.stringify(value)}: it is a part of a path`);
  return argument.json ? encodeText(text) : text;
}

function queryParts({ name, style, explode, json }: OperationArgument, value: JsonValue): readonly string[] {
  const called = encodeText(name);
  if (json) return [`${called}=${encodeText(JSON.stringify(value))}`];
  if (Array.isArray(value) && explode) return value.map((one) => `${called}=${encodeText(textOf(one as JsonValue))}`);
  if (isFields(value) && style === "deepObject")
    return Object.entries(value).map(([key, one]) => `${called}${encodeText(`[${key}]`)}=${encodeText(textOf(one))}`);
  if (isFields(value) && explode)
    return Object.entries(value).map(([key, one]) => `${encodeText(key)}=${encodeText(textOf(one))}`);
  const between = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
  return [`${called}=${listed(value, between, encodeText)}`];
}

function headerText(operation: Operation, argument: OperationArgument, value: JsonValue): string {
  const text = argument.json ? JSON.stringify(value) : listed(value, ",", (one) => one);
  // Visible ASCII, spaces and tabs: what every server reads in one way. Source: RFC 9110, 5.5.
  if (/^[\t\x20-\x7e]*$/u.test(text)) return text;
  throw wrong(operation, `${argument.argument} cannot stand in a header: it holds more than plain characters`);
}

function listed(value: JsonValue, between: string, encode: (text: string) => string): string {
  if (Array.isArray(value)) return value.map((one) => encode(textOf(one as JsonValue))).join(between);
  if (!isFields(value)) return encode(textOf(value));
  return Object.entries(value)
    .map(([key, one]) => `${encode(key)}${between}${encode(textOf(one))}`)
    .join(between);
}

const isFields = (value: JsonValue): value is { readonly [key: string]: JsonValue } =>
  value !== null && typeof value === "object" && !Array.isArray(value);
const textOf = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));
const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

/**
 * Converts a value to the type of its schema: templates write numbers, lists and objects as text.
 *
 * **Shape** `{ value }`, or `{ problem }`, the end of a sentence that begins with the argument's name. Nested values and bounds are left to the server.
 */
export function readArgument(
  schema: JsonSchema,
  given: JsonValue,
): { readonly value: JsonValue } | { readonly problem: string } {
  const kinds = kindsOf(schema);
  if (kinds.size === 0 || isOf(kinds, given)) return { value: given };
  if (typeof given === "string") {
    const read = parse(given);
    if (read !== undefined && isOf(kinds, read)) return { value: read };
  } else if (kinds.has("string")) return { value: JSON.stringify(given) };
  return { problem: `must be ${[...kinds].join(" or ")}` };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function kindsOf(schema: JsonSchema): ReadonlySet<string> {
  const kinds = new Set([schema["type"] ?? []].flat().filter((kind) => typeof kind === "string"));
  for (const choice of [schema["anyOf"] ?? [], schema["oneOf"] ?? []].flat())
    for (const kind of kindsOf(isFields(choice) ? choice : {})) kinds.add(kind);
  return kinds;
}

function isOf(kinds: ReadonlySet<string>, value: JsonValue): boolean {
  if (value === null) return kinds.has("null");
  if (Array.isArray(value)) return kinds.has("array");
  if (typeof value === "number") return kinds.has("number") || (kinds.has("integer") && Number.isInteger(value));
  return kinds.has(typeof value);
}

/** **Errors** as a value to throw, with the operation's name. */
export function wrong(operation: Operation, what: string): IbidError {
  const names = operation.arguments.map(({ argument, required }) => (required ? argument : `${argument} (optional)`));
  return new IbidError("invalid-argument", `${operation.name}: ${what}.`, {
    hint: names.length === 0 ? "It takes no arguments." : `It takes ${names.join(", ")}.`,
  });
}
