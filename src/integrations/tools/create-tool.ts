import { IbidError } from "../../contracts/errors.ts";
import type { StandardJsonSchema } from "../../contracts/schema.ts";
import type { Tool, ToolCallOptions } from "../../contracts/tool.ts";

/**
 * What a tool is made of.
 *
 * @experimental
 */
export interface ToolParts<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: StandardJsonSchema<Input>;
  /** Default true. */
  readonly readOnly?: boolean;
  /** Called with arguments that the schema allows. */
  readonly run: (input: Input, signal: AbortSignal | undefined) => Promise<string>;
}

/** What every provider takes as a name of a function. **Source** OpenAI's and Anthropic's function calling. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * A tool of your own, checked like ours: its arguments before it runs, its name when it is made.
 *
 * **Errors** `invalid-argument` for a name that no provider takes, here and now.
 *
 * @experimental
 */
export function createTool<Input>(parts: ToolParts<Input>): Tool {
  const { name, title, description, inputSchema, readOnly = true, run } = parts;
  if (!namePattern.test(name)) {
    throw new IbidError("invalid-argument", `A tool cannot be called "${name}".`, {
      hint: "Use letters, digits, _ and -, 64 of them at most.",
    });
  }
  return {
    name,
    title,
    description,
    inputSchema,
    readOnly,
    async execute(input: unknown, options: ToolCallOptions = {}) {
      const signal = options.signal ?? options.abortSignal;
      if (signal?.aborted) throw new IbidError("aborted", `The call of ${name} was stopped.`, { cause: signal.reason });
      const checked = await inputSchema["~standard"].validate(input);
      if (checked.issues === undefined) return run(checked.value, signal);
      throw new IbidError("invalid-argument", `${name}: ${checked.issues.map(({ message }) => message).join(" ")}`, {
        hint: "Call it again with the arguments that its schema names.",
      });
    },
  };
}
