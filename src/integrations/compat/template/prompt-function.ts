import type { JsonValue } from "../../../contracts/metadata.ts";

/**
 * Values by name.
 *
 * @experimental
 */
export type PromptArguments = Readonly<Record<string, JsonValue | undefined>>;

/**
 * What a function is told besides its arguments.
 *
 * @experimental
 */
export interface PromptCall {
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a template can call: the argument that goes without a name, then those with one.
 *
 * **Shape** gives text, or a value that is inserted as JSON; nothing at all is `""`.
 *
 * @experimental
 */
export type PromptFunction = (
  input: JsonValue | undefined,
  named: PromptArguments,
  call: PromptCall,
) => JsonValue | undefined | Promise<JsonValue | undefined>;

/**
 * Functions under one name: `{ search: (query) => … }` is one of your own, without a schema or an interface (S16).
 *
 * @experimental
 */
export type PromptPlugin = Readonly<Record<string, PromptFunction>>;

/** A value as a prompt shows it: text as it is, nothing as nothing, else JSON. */
export function showValue(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
