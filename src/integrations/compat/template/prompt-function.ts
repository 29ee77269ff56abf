import type { JsonValue } from "../../../contracts/metadata.ts";

/**
 * Values by name.
 *
 * @experimental
 */
export type PromptArguments = Readonly<Record<string, JsonValue | undefined>>;

/**
 * Context of a call beside its arguments.
 *
 * @experimental
 */
export interface PromptCall {
  readonly signal?: AbortSignal | undefined;
}

/**
 * A function that a template can call: the argument without a name, then those with one.
 *
 * **Shape** gives text, or a value that is inserted as JSON; `undefined` is `""`.
 *
 * @experimental
 */
export type PromptFunction = (
  input: JsonValue | undefined,
  named: PromptArguments,
  call: PromptCall,
) => JsonValue | undefined | Promise<JsonValue | undefined>;

/**
 * Functions under one name. `{ search: (query) => … }` needs no schema and no interface.
 *
 * @experimental
 */
export type PromptPlugin = Readonly<Record<string, PromptFunction>>;

/** Renders a value: text as it is, nothing as `""`, other values as JSON. */
export function showValue(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
