import type { JsonValue } from "./metadata.ts";

/**
 * A JSON Schema, as plain data.
 *
 * @experimental
 */
export type JsonSchema = { readonly [key: string]: JsonValue };

/**
 * Result of validation: the value in its output form, or issues.
 *
 * @experimental
 */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/**
 * One thing that is wrong with a value.
 *
 * @experimental
 */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A schema of whatever library: all that is needed to check a value with it.
 *
 * **Source** Standard Schema 1 (standardschema.dev), which Zod, Valibot, ArkType and others speak.
 *
 * @experimental
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/**
 * A schema with a JSON Schema, for models. **Source** Standard JSON Schema 1 (standardschema.dev/json-schema).
 *
 * @experimental
 */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly "~standard": StandardSchema<Input, Output>["~standard"] & {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/**
 * Output type of a schema.
 *
 * @experimental
 */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/**
 * Input type of a schema: defaults may be missing, and coerced values may have another type.
 *
 * @experimental
 */
export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];
