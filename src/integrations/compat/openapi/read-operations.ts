import { IbidError } from "../../../contracts/errors.ts";
import type { JsonSchema } from "../../../contracts/schema.ts";
import { field, fieldsOf, inlineSchema, type OpenApiDocument, resolve } from "./open-api-document.ts";

/** One argument of an operation, with its place in the request. */
export interface OperationArgument {
  /** Name in templates: the server's name, with `_` for other characters. */
  readonly argument: string;
  /** The server's name. */
  readonly name: string;
  /** `body-field` is a field of a JSON body, `body` all of it. */
  readonly in: "path" | "query" | "header" | "body-field" | "body";
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly description: string;
  readonly style: string;
  readonly explode: boolean;
  /** Whether the value is written as JSON. */
  readonly json: boolean;
}

/** One operation of a server. */
export interface Operation {
  /** Letters, digits and `_`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  /** Servers of this operation or path alone. */
  readonly server: string | undefined;
  readonly arguments: readonly OperationArgument[];
  /** Media type of the body; absent without one. */
  readonly bodyType: string | undefined;
}

/** Operations that can be called, and those that cannot, with the reason. */
export interface Operations {
  readonly server: string | undefined;
  readonly operations: readonly Operation[];
  readonly leftOut: readonly { readonly operation: string; readonly why: string }[];
}

const methods = ["get", "head", "post", "put", "patch", "delete"] as const;
/** Headers that ibid sends itself, or that have no meaning for a caller. **Source** OpenAPI 3, Parameter Object; RFC 9110, 7. */
const ownHeaders =
  /^(?:accept|content-type|authorization|host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|cookie|proxy-.*)$/iu;

/**
 * Reads the operations of an OpenAPI document.
 *
 * **Shape** in the document's order. The name is the `operationId`, else method and path. Fields of a JSON body that is an object are arguments like the others.
 * An argument with the name of another gets its place as a prefix: `body_id`.
 * **Errors** `invalid-argument` for a text that is not an OpenAPI 3 document, and for references that lead nowhere. **Source** OpenAPI 3.0 and 3.1.
 */
export function readOperations(document: OpenApiDocument): Operations {
  const version = field(document, "openapi");
  if (typeof version !== "string" || !version.startsWith("3.")) {
    const swagger = field(document, "swagger") === undefined ? "" : " (Swagger 2 is another format)";
    throw new IbidError("invalid-argument", `The text is not an OpenAPI 3 document${swagger}.`, {
      hint: 'Hand in a document that begins with "openapi": "3.…".',
    });
  }
  const operations: Operation[] = [];
  const leftOut: { operation: string; why: string }[] = [];
  const names = new Set<string>();
  for (const [path, given] of Object.entries(fieldsOf(field(document, "paths")))) {
    const item = resolve(document, given);
    for (const method of methods) {
      const operation = field(item, method);
      if (operation === undefined) continue;
      const id = field(operation, "operationId");
      const name = unused(typeof id === "string" && id !== "" ? id : `${method}${path}`, names);
      const read = readOperation(document, { name, method, path, item, operation });
      if (typeof read === "string") leftOut.push({ operation: name, why: read });
      else operations.push(read);
    }
  }
  return { server: serverOf(document), operations, leftOut };
}

interface Place {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly item: unknown;
  readonly operation: unknown;
}

/** An operation, or the reason why it cannot be called. */
function readOperation(document: OpenApiDocument, { name, method, path, item, operation }: Place): Operation | string {
  const found = new Map<string, unknown>();
  for (const given of [...listOf(field(item, "parameters")), ...listOf(field(operation, "parameters"))]) {
    const parameter = resolve(document, given);
    // Parameters of an operation replace those of its path.
    found.set(`${String(field(parameter, "in"))} ${String(field(parameter, "name"))}`, parameter);
  }
  const names = new Set<string>();
  const args: OperationArgument[] = [];
  for (const parameter of found.values()) {
    const read = readParameter(document, parameter, names);
    if (typeof read === "string") return read;
    if (read !== undefined) args.push(read);
  }
  const unnamed = Array.from(path.matchAll(/\{([^{}]*)\}/gu), ([, one]) => one).find(
    (one) => !args.some((argument) => argument.in === "path" && argument.name === one),
  );
  if (unnamed !== undefined) return `nothing says what {${unnamed}} in its path is`;
  const body = readBody(document, operation, names);
  if (typeof body === "string") return body;
  const said = [field(operation, "summary"), field(operation, "description")].filter((one) => typeof one === "string");
  return {
    name,
    method: method.toUpperCase(),
    path,
    description: said.join(". ") || `${method.toUpperCase()} ${path}`,
    server: serverOf(operation) ?? serverOf(item),
    arguments: [...args, ...body.arguments],
    bodyType: body.type,
  };
}

function readParameter(
  document: OpenApiDocument,
  parameter: unknown,
  names: Set<string>,
): OperationArgument | string | undefined {
  const [name, place, required] = [
    field(parameter, "name"),
    field(parameter, "in"),
    field(parameter, "required") === true,
  ];
  if (typeof name !== "string") return "one of its parameters has no name";
  if (place !== "path" && place !== "query" && place !== "header")
    return required ? `it needs a parameter in ${JSON.stringify(place)}` : undefined;
  if (place === "header" && ownHeaders.test(name)) return undefined;
  const [content] = Object.values(fieldsOf(field(parameter, "content")));
  const style = field(parameter, "style") ?? (place === "query" ? "form" : "simple");
  return {
    argument: unused(name, names, place),
    name,
    in: place,
    required: required || place === "path",
    schema: inlineSchema(document, field(content ?? parameter, "schema")),
    description: textOf(parameter),
    style: typeof style === "string" ? style : "",
    explode: (field(parameter, "explode") ?? style === "form") === true,
    json: content !== undefined,
  };
}

function readBody(
  document: OpenApiDocument,
  operation: unknown,
  names: Set<string>,
): { readonly type: string | undefined; readonly arguments: readonly OperationArgument[] } | string {
  const body = resolve(document, field(operation, "requestBody"));
  if (body === undefined) return { type: undefined, arguments: [] };
  const content = Object.entries(fieldsOf(field(body, "content")));
  const [type, media] =
    content.find(([one]) => /^application\/(?:[\w.+-]+\+)?json\b/iu.test(one)) ??
    content.find(([one]) => /^text\/plain\b/iu.test(one)) ??
    [];
  const required = field(body, "required") === true;
  if (type === undefined)
    return required ? "its body is neither JSON nor plain text" : { type: undefined, arguments: [] };
  const schema = inlineSchema(document, field(media, "schema"));
  const json = /json/iu.test(type);
  const shared = { style: "", explode: false, json };
  const properties = Object.entries(fieldsOf(schema["properties"]));
  if (!json || properties.length === 0) {
    const argument = unused("body", names);
    const description = textOf(body);
    return { type, arguments: [{ ...shared, argument, name: "", in: "body", required, schema, description }] };
  }
  const needed = listOf(schema["required"]);
  return {
    type,
    arguments: properties.map(([name, one]) => ({
      ...shared,
      argument: unused(name, names, "body"),
      name,
      in: "body-field",
      required: required && needed.includes(name),
      schema: fieldsOf(one) as JsonSchema,
      description: textOf(one),
    })),
  };
}

/** The first server in the document, with its variables at their defaults. */
function serverOf(owner: unknown): string | undefined {
  const [server] = listOf(field(owner, "servers"));
  const url = field(server, "url");
  if (typeof url !== "string") return undefined;
  const variables = field(server, "variables");
  return url.replaceAll(/\{([^{}]*)\}/gu, (_, name: string) => {
    const usual = field(field(variables, name), "default");
    return typeof usual === "string" ? usual : "";
  });
}

/** A unique name that templates and models can use. */
function unused(name: string, taken: Set<string>, place?: string): string {
  const said = name.replaceAll(/\W+/gu, "_").replaceAll(/^_+|_+$/gu, "") || "_";
  let free = taken.has(said) && place !== undefined ? `${place}_${said}` : said;
  for (let count = 2; taken.has(free); count++) free = `${said}_${count}`;
  taken.add(free);
  return free;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (owner: unknown): string => {
  const description = field(owner, "description");
  return typeof description === "string" ? description : "";
};
