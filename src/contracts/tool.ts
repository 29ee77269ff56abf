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
 * Result of a tool as text for a model, and the same as data for programs.
 *
 * @experimental
 */
export interface ToolResult {
  readonly text: string;
  /** As the tool's `structured.schema` says. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The side of a tool that gives data.
 *
 * @experimental
 */
export interface StructuredTool {
  readonly schema: StandardJsonSchema;
  /** As `execute`, with the data beside the text. */
  call(input: unknown, options?: ToolCallOptions): Promise<ToolResult>;
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
  /** The result as data beside its text. Absent for a tool that gives text alone. */
  readonly structured?: StructuredTool | undefined;
}
