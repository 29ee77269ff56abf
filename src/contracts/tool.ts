import type { StandardJsonSchema } from "./schema.ts";

/**
 * Options of one tool call besides its arguments.
 *
 * @experimental
 */
export interface ToolCallOptions {
  /** The AI SDK's name for `signal`; either stops the call. */
  readonly abortSignal?: AbortSignal | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A tool for a model: plain data and one function.
 *
 * **Shape** the AI SDK, LangChain's `tool` and MCP's `registerTool` take `inputSchema` as it is: it is a Standard Schema and a JSON Schema.
 * `execute` always checks its arguments by it, and answers with text for the model.
 * **Errors** `invalid-argument` for arguments that the schema refuses, with the reason, so that a model can correct its call.
 * **Source** Embabel's LLM tools.
 *
 * @experimental
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
