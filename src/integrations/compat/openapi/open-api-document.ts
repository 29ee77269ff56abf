import { IbidError } from "../../../contracts/errors.ts";
import type { JsonValue } from "../../../contracts/metadata.ts";
import type { JsonSchema } from "../../../contracts/schema.ts";

/**
 * An OpenAPI document as JSON. **Source** OpenAPI 3.0 and 3.1 (spec.openapis.org/oas).
 *
 * @experimental
 */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, unknown>>;

const mostSteps = 32;
const deepest = 12;
const mostValues = 2000;

/** The value if it is an object, else an empty object. */
export function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};
}

/** An own field of an object, never an inherited one. */
export function field(value: unknown, name: string): unknown {
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/**
 * The target of a reference within its document, or the value itself.
 *
 * **Errors** `invalid-argument` for a reference that leads out of the document, nowhere, or in a circle.
 */
export function resolve(document: OpenApiDocument, value: unknown): unknown {
  let found = value;
  for (let steps = 0; steps < mostSteps; steps++) {
    const reference = field(found, "$ref");
    if (typeof reference !== "string") return found;
    found = pointedAt(document, reference);
  }
  throw badReference(String(field(value, "$ref")), "leads in a circle");
}

/** **Source** RFC 6901, JSON Pointer. */
function pointedAt(document: OpenApiDocument, reference: string): unknown {
  if (!reference.startsWith("#/")) throw badReference(reference, "leads out of the document");
  let found: unknown = document;
  for (const part of reference.slice(2).split("/")) {
    found = field(found, decodePart(part, reference).replaceAll("~1", "/").replaceAll("~0", "~"));
    if (found === undefined) throw badReference(reference, "leads nowhere");
  }
  return found;
}

function decodePart(part: string, reference: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badReference(reference, "is no pointer");
  }
}

function badReference(reference: string, what: string): IbidError {
  return new IbidError("invalid-argument", `The OpenAPI document's reference "${reference.slice(0, 200)}" ${what}.`, {
    hint: "Bundle the document into one file whose references begin with #/.",
  });
}

/**
 * Replaces the references in a schema by their targets, for a model that sees only the schema.
 *
 * **Shape** a schema that is recursive, or too large to read, ends in one that allows anything; the server then decides.
 */
export function inlineSchema(document: OpenApiDocument, schema: unknown): JsonSchema {
  let left = mostValues;
  const inline = (value: unknown, depth: number): JsonValue => {
    if (Array.isArray(value)) return value.map((one) => inline(one, depth + 1));
    if (value === null || typeof value !== "object") return (value ?? null) as JsonValue;
    if (depth > deepest || (left -= 1) < 0) return {};
    const { $ref: _, ...fields } = fieldsOf(resolve(document, value));
    return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, inline(one, depth + 1)]));
  };
  return inline(fieldsOf(schema), 0) as JsonSchema;
}
