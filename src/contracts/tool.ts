import type { StandardJsonSchema } from "./schema.ts";

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
 * **Errors** `invalid-argument` for arguments that the schema does not allow, with what is wrong, so that a model can correct its call.
 * **Source** Embabel's LLM tools.
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
