import { checkGiven } from "../../runtime/check-options.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { StandardJsonSchema } from "../../contracts/schema.ts";
import type { Tool, ToolCallOptions, ToolResult } from "../../contracts/tool.ts";

/**
 * Parts of a tool.
 *
 * @experimental
 */
export interface ToolParts<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: StandardJsonSchema<Input>;
  /** Default true. */
  readonly readOnly?: boolean | undefined;
  /** Shape of the result's data. With it, `run` gives text and data; without it, text. */
  readonly outputSchema?: StandardJsonSchema | undefined;
  /** Called with arguments that the schema accepts. */
  readonly run: (input: Input, signal: AbortSignal | undefined) => Promise<string | ToolResult>;
}

/** Function names that every provider accepts. **Source** OpenAI's and Anthropic's function calling. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * Makes a tool that checks its arguments before it runs.
 *
 * **Errors** `invalid-argument` at once for a name that a provider does not accept.
 *
 * @experimental
 */
export function createTool<Input>(parts: ToolParts<Input>): Tool {
  checkGiven("createTool", "parts", parts, "object");
  const { name, title, description, inputSchema, outputSchema, readOnly = true, run } = parts;
  if (!namePattern.test(name)) {
    throw new IbidError("invalid-argument", `The name of a tool is "${name}", which model providers refuse.`, {
      hint: "Use at most 64 letters, digits, _ and -.",
    });
  }
  const call = async (input: unknown, options: ToolCallOptions = {}): Promise<string | ToolResult> => {
    const signal = options.signal ?? options.abortSignal;
    if (signal?.aborted) throw new IbidError("aborted", `The call of ${name} was stopped.`, { cause: signal.reason });
    const checked = await inputSchema["~standard"].validate(input);
    if (checked.issues === undefined) return run(checked.value, signal);
    throw new IbidError("invalid-argument", `${name}: ${checked.issues.map(({ message }) => message).join(" ")}`, {
      hint: "Call it again with the arguments of its schema.",
    });
  };
  return {
    name,
    title,
    description,
    inputSchema,
    readOnly,
    async execute(input, options) {
      const result = await call(input, options);
      return typeof result === "string" ? result : result.text;
    },
    ...(outputSchema !== undefined && {
      structured: {
        schema: outputSchema,
        async call(input: unknown, options?: ToolCallOptions) {
          const result = await call(input, options);
          if (typeof result !== "string") return result;
          throw new IbidError("invalid-response", `The tool ${name} has an outputSchema and gave text alone.`, {
            hint: "Return { text, data } from run.",
          });
        },
      },
    }),
  };
}
