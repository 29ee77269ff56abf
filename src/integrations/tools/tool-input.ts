import { toJsonSchema } from "../../runtime/describe-options.ts";
import { acceptsOption, describeOption, type OptionRule } from "../../runtime/plan-options.ts";
import type { JsonSchema, SchemaIssue, StandardJsonSchema } from "../../contracts/schema.ts";

/** One argument of a tool. */
export interface Field<Value> {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** The problem of a present value, as the end of a sentence that begins with the argument's name; `undefined` without one. */
  wrong(value: unknown): string | undefined;
  /** A type only; it does not exist at run time. */
  readonly value?: Value;
}

/** The arguments that fields describe. */
export type InputOf<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/**
 * Makes the schema of a tool's arguments, which checks them, and which a model can read.
 *
 * An unknown argument is an error: a model that sends `scope` or `filter` learns that neither exists.
 */
export function toolInput<const Fields extends Readonly<Record<string, Field<unknown>>>>(
  fields: Fields,
): StandardJsonSchema<InputOf<Fields>> {
  const required = Object.keys(fields).filter((name) => fields[name]!.required);
  const schema = {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema])),
    required,
    additionalProperties: false,
  };
  // A copy for each caller, because some of them change it.
  const jsonSchema = (): Record<string, unknown> => structuredClone(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "ibid",
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate(value) {
        const issues = issuesOf(fields, required, value);
        return issues.length > 0 ? { issues } : { value: value as InputOf<Fields> };
      },
    },
  };
}

function issuesOf(
  fields: Readonly<Record<string, Field<unknown>>>,
  required: readonly string[],
  value: unknown,
): readonly SchemaIssue[] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return [{ message: "The arguments must be an object." }];
  }
  const given = new Map(Object.entries(value).filter(([, one]) => one !== undefined));
  const issues: SchemaIssue[] = required
    .filter((name) => !given.has(name))
    .map((name) => ({ message: `${name} is missing.`, path: [name] }));
  for (const [name, one] of given) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const wrong = field ? field.wrong(one) : `is not an argument; there are ${Object.keys(fields).join(", ")}`;
    if (wrong !== undefined) issues.push({ message: `${name} ${wrong}.`, path: [name] });
  }
  return issues;
}

/** A text that is not blank, unless `minLength` is 0. **Units** UTF-16. */
export function textField(description: string, maxLength = 8192, minLength = 1): Field<string> {
  return {
    required: true,
    schema: { type: "string", minLength, maxLength, description },
    wrong(value) {
      if (typeof value !== "string") return "must be a text";
      if (minLength > 0 && value.trim() === "") return "is blank";
      return value.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
    },
  };
}

/** An optional whole number within bounds. */
export function countField(
  description: string,
  bounds: { readonly least: number; readonly most: number; readonly default: number },
): Field<number | undefined> {
  const { least, most } = bounds;
  return {
    required: false,
    schema: { type: "integer", minimum: least, maximum: most, default: bounds.default, description },
    wrong: (value) =>
      Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
        ? undefined
        : `must be a whole number from ${least} to ${most}`,
  };
}

/** An option of a table, in words for a model. **Shape** values and bounds are those of the table for tools. */
export function optionField<Value>(
  { kind, bounds, for: audiences }: OptionRule,
  words: { readonly description: string; readonly default?: unknown },
): Field<Value | undefined> {
  const rule: OptionRule = {
    kind,
    doc: words.description,
    default: words.default,
    for: audiences,
    ...(bounds && { bounds }),
  };
  return {
    required: false,
    schema: toJsonSchema(rule, "tool"),
    wrong: (value) => (acceptsOption(rule, "tool", value) ? undefined : `must be ${describeOption(rule, "tool")}`),
  };
}
