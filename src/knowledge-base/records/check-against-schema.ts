import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue } from "../../contracts/metadata.ts";
import type { SchemaIssue, StandardSchema } from "../../contracts/schema.ts";
import type { CollectionPlan } from "./check-definition.ts";

/** A record as it is kept. */
export interface KeptRecord {
  readonly key: string | number;
  /** The output of the schema, as JSON. */
  readonly value: { readonly [field: string]: JsonValue };
  /** The same, written out: what is compared and stored. */
  readonly json: string;
}

/**
 * A record to be written, as the JSON that the schema gives for it. That JSON must pass the schema once more and come out the same, as it will when read.
 *
 * **Errors** `invalid-argument`, naming key and fields.
 */
export async function takeRecord(plan: CollectionPlan, given: unknown, index: number): Promise<KeptRecord> {
  const where = nameOf(plan, given, index);
  const output = await validate(plan.schema, given);
  if ("issues" in output) throw refused(plan, where, output.issues);
  const value = collectJson(output.value, (path, what) => {
    const said = `${plan.name}: ${where}: ${path === "" ? "it" : path} is ${what}, which JSON cannot keep.`;
    return new IbidError("invalid-argument", said, {
      hint: "Let the schema give strings, numbers, booleans, null, lists and plain objects.",
      details: { index, fields: path === "" ? [] : [path] },
    });
  });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused(plan, where, [{ message: "A record is an object" }]);
  const json = JSON.stringify(value);
  const again = await validate(plan.schema, JSON.parse(json));
  if ("issues" in again || JSON.stringify(again.value) !== json) {
    throw new IbidError(
      "invalid-argument",
      `${plan.name}: ${where}: what the schema gives for it does not go through the schema unchanged.`,
      {
        hint: "A stored record is validated again when it is read, so a transform must accept its own result (z.coerce.date(), not z.date()).",
        details: { index, fields: "issues" in again ? fieldsOf(again.issues) : [] },
      },
    );
  }
  const kept = value as KeptRecord["value"];
  const key = kept[plan.key];
  if (typeof key !== "string" && typeof key !== "number")
    throw refused(plan, where, [{ message: "A key is a string or a number", path: [plan.key] }]);
  return { key, value: kept, json };
}

/**
 * A record on its way out. **Errors** `unreadable` when the schema does not allow any more what is kept.
 */
export async function readRecord(plan: CollectionPlan, json: unknown, uri: string): Promise<unknown> {
  const parsed = typeof json === "string" ? parse(json) : undefined;
  const output =
    parsed === undefined
      ? { issues: [{ message: "Nothing is kept of it" }] }
      : await validate(plan.schema, parsed.value);
  if (!("issues" in output)) return output.value;
  throw new IbidError("unreadable", `${plan.name}: ${uri} does not fit the schema any more: ${say(output.issues)}.`, {
    uri,
    hint: "Write the record again, or let the schema allow what it allowed before.",
    details: { fields: fieldsOf(output.issues) },
  });
}

type Validated = { readonly value: unknown } | { readonly issues: readonly SchemaIssue[] };

async function validate(schema: StandardSchema, value: unknown): Promise<Validated> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined ? { value: result.value } : { issues: result.issues };
}

function parse(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** By its key, where it has one to be named by. */
function nameOf({ key }: CollectionPlan, given: unknown, index: number): string {
  const named = typeof given === "object" && given !== null ? (given as Record<string, unknown>)[key] : undefined;
  const said = typeof named === "string" || typeof named === "number";
  return said ? `record ${JSON.stringify(named)}` : `record ${index + 1}, without a key,`;
}

function refused(plan: CollectionPlan, where: string, issues: readonly SchemaIssue[]): IbidError {
  return new IbidError("invalid-argument", `${plan.name}: ${where} does not fit the schema: ${say(issues)}.`, {
    hint: "Nothing was stored; correct the record, or the schema.",
    details: { fields: fieldsOf(issues) },
  });
}

/** Messages that are shown; more of them help nobody. */
const shown = 5;

function say(issues: readonly SchemaIssue[]): string {
  const said = issues.slice(0, shown).map((issue) => {
    const field = pathOf(issue);
    return field === "" ? issue.message : `${field}: ${issue.message}`;
  });
  if (issues.length > shown) said.push(`and ${issues.length - shown} more`);
  return said.join("; ").replace(/\.$/u, "");
}

const fieldsOf = (issues: readonly SchemaIssue[]): readonly string[] => [...new Set(issues.map(pathOf))];

function pathOf({ path = [] }: SchemaIssue): string {
  return path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
}

/**
 * A value as JSON keeps it, or an error: never something else than it was. Dates become ISO 8601, and fields that are `undefined` are left out.
 *
 * **Errors** the error that `refuse` makes of the place (`tags.2`) and of the kind of value there.
 */
function collectJson(value: unknown, refuse: (path: string, what: string) => Error): JsonValue {
  const above = new Set<object>();

  function collect(one: unknown, path: string): JsonValue {
    if (one === null || typeof one === "string" || typeof one === "boolean") return one;
    if (typeof one === "number" && Number.isFinite(one)) return one === 0 ? 0 : one;
    if (typeof one !== "object") throw refuse(path, typeof one === "number" ? String(one) : `of type ${typeof one}`);
    if (one instanceof Date) {
      if (Number.isNaN(one.getTime())) throw refuse(path, "no date");
      return one.toISOString();
    }
    if (above.has(one)) throw refuse(path, "part of itself");
    const prototype: unknown = Object.getPrototypeOf(one);
    if (!Array.isArray(one) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw refuse(path, `a ${(prototype as object).constructor.name}`);
    above.add(one);
    const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
    const collected = Array.isArray(one)
      ? Array.from(one, (item: unknown, i) => collect(item, below(String(i))))
      : Object.fromEntries(
          Object.entries(one)
            .filter(([, item]) => item !== undefined)
            .map(([name, item]) => [name, collect(item, below(name))]),
        );
    above.delete(one);
    return collected;
  }

  return collect(value, "");
}
