import type { EntityType, NamedEntityData, NewEntity } from "../../contracts/entity.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import type { SchemaIssue, StandardSchema } from "../../contracts/schema.ts";
import { entityLabel } from "./has-any-label.ts";

/** An entity as its collection keeps it: with the text that is searched, and beside the properties once more those that filters can name. */
export interface KeptEntity extends NamedEntityData {
  readonly about: string;
}

/** The text of an entity that is embedded. **Source** Embabel's `embeddableValue`. */
function aboutEntity({ name, description }: { readonly name: string; readonly description: string }): string {
  return description === "" ? name : `${name}: ${description}`;
}

/** Checks the shape of an entity, and its properties by the schema of each type among its labels. It runs when an entity is written and when it is read. */
export function createEntitySchema(
  types: readonly EntityType[],
  filterable: readonly string[],
): StandardSchema<NewEntity, KeptEntity> {
  const validate = async (given: unknown) => {
    const issues = isObject(given) ? issuesOf(given) : [{ message: "An entity is an object" }];
    if (issues.length > 0) return { issues };
    const { id, name, description = "", uri, metadata = {}, labels = [], properties = {} } = given as NewEntity;
    for (const { label, schema } of types) {
      if (!labels.includes(label)) continue;
      const result = await schema["~standard"].validate(properties);
      for (const { message, path = [] } of result.issues ?? [])
        issues.push({ message: `${label}: ${message}`, path: ["properties", ...path] });
    }
    if (issues.length > 0) return { issues };
    const entity = {
      id,
      name,
      description,
      ...(uri !== undefined && { uri }),
      metadata,
      labels: [...new Set([...labels, entityLabel])],
      properties: properties as NamedEntityData["properties"],
      about: aboutEntity({ name, description }),
    };
    return { value: { ...liftFields(entity, filterable), ...entity } };
  };
  return { "~standard": { version: 1, vendor: "ibid", validate } };
}

/** An entity as it is handed out. */
export function toEntityData({
  id,
  name,
  description,
  uri,
  metadata,
  labels,
  properties,
}: KeptEntity): NamedEntityData {
  return { id, name, description, ...(uri !== undefined && { uri }), metadata, labels, properties };
}

/** The properties that filters can name, or else the metadata of that name. */
function liftFields(
  { properties, metadata }: { readonly properties: NamedEntityData["properties"]; readonly metadata: Metadata },
  filterable: readonly string[],
): Record<string, JsonValue> {
  const fields = filterable.map((name) => [name, own(properties, name) ?? own(metadata, name)] as const);
  return Object.fromEntries(fields.filter((field): field is [string, JsonValue] => field[1] !== undefined));
}

const isText = (value: unknown): boolean => typeof value === "string";
const saysSomething = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const fields: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, message: string]>> = {
  id: [saysSomething, "An id is a text that is not blank"],
  name: [saysSomething, "A name is a text that is not blank"],
  description: [isText, "A description is a text"],
  uri: [isText, "A uri is a text"],
  metadata: [isObject, "Metadata are an object"],
  labels: [
    (value) => Array.isArray(value) && value.every(saysSomething),
    "Labels are a list of texts that are not blank",
  ],
  properties: [isObject, "Properties are an object"],
};

function issuesOf(given: Readonly<Record<string, unknown>>): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (const [name, [fits, message]] of Object.entries(fields)) {
    const mayBeAbsent = name !== "id" && name !== "name";
    if (!(mayBeAbsent && given[name] === undefined) && !fits(given[name])) issues.push({ message, path: [name] });
  }
  if (issues.length > 0) return issues;
  // Any other field must be a copy of a property or of metadata, made when the entity was written, whatever is filterable now.
  const { metadata = {}, properties = {}, name, description = "" } = given as unknown as NewEntity;
  for (const [field, value] of Object.entries(given)) {
    if (Object.hasOwn(fields, field) || value === undefined) continue;
    const lifted = field === "about" ? aboutEntity({ name, description }) : (properties[field] ?? metadata[field]);
    if (JSON.stringify(lifted) !== JSON.stringify(value))
      issues.push({ message: "An entity has no such field; put it among its properties", path: [field] });
  }
  return issues;
}

function own(object: Readonly<Record<string, unknown>>, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? (object[name] as JsonValue | undefined) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
