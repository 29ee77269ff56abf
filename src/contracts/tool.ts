import type { JsonValue } from "./metadata.ts";

/** A JSON Schema, as plain data. */
export type JsonSchema = { readonly [key: string]: JsonValue };

/** What a schema says about a value: the value as it is meant, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A schema of whatever library: all that is needed to check a value with it.
 *
 * **Source** Standard Schema 1 (standardschema.dev), which Zod, Valibot, ArkType and others speak.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A schema that can also be told to a model. **Source** Standard JSON Schema 1 (standardschema.dev/json-schema). */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly "~standard": StandardSchema<Input, Output>["~standard"] & {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** What a call of a tool can be told besides its arguments. */
export interface ToolCallOptions {
  /** The AI SDK's name for `signal`; either stops the call. */
  readonly abortSignal?: AbortSignal | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a model may call: plain data and one function.
 *
 * **Shape** the AI SDK, LangChain's `tool` and MCP's `registerTool` take `inputSchema` as it is: it speaks Standard Schema and JSON Schema. `execute` checks its
 * arguments by it, whoever calls, and answers with text for the model to read.
 * **Errors** `invalid-argument` for arguments that the schema does not allow, with what is wrong, so that a model can mend its call.
 * **Source** Embabel's LLM tools (E51, E52).
 */
export interface Tool {
  /** Letters, digits, `_` and `-`; 64 at most: what every provider allows. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models: what it finds, and when to call it. */
  readonly description: string;
  readonly inputSchema: StandardJsonSchema;
  /** It changes nothing, however often it is called. */
  readonly readOnly: boolean;
  execute(input: unknown, options?: ToolCallOptions): Promise<string>;
}
