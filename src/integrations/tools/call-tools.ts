import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import type { ChatFunctionMessage, ChatTool, ToolCall } from "../../contracts/chat.ts";
import type { JsonSchema } from "../../contracts/schema.ts";
import type { Tool } from "../../contracts/tool.ts";
import { describeToolFailure } from "./tool-failure.ts";

/**
 * A tool as a {@link ChatTool}, for models that are called through `ChatModel`.
 *
 * @experimental
 */
export function toChatTool(tool: Tool): ChatTool {
  checkGiven("toChatTool", "tool", tool, "object", { inputSchema: "object" });
  const { name, description, inputSchema } = tool;
  return {
    name,
    description,
    parameters: inputSchema["~standard"].jsonSchema.input({ target: "draft-07" }) as JsonSchema,
  };
}

/**
 * Runs the tool calls of a model, and answers each of them in order.
 *
 * **Shape** one message for each call. An unknown tool or a failed call gives a message that tells the model so.
 * **Errors** only those of the signal.
 *
 * @experimental
 */
export async function callTools(
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly ChatFunctionMessage[]> {
  checkGiven("callTools", "tools", tools, "list", { name: "text", execute: "function" });
  checkGiven("callTools", "calls", calls, "list", { name: "text" });
  checkOptions("callTools", options, { signal: true });
  const answer = async ({ id, name, arguments: input }: ToolCall): Promise<ChatFunctionMessage> => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return { role: "function", id, name, content: `There is no tool "${name}".` };
    try {
      return { role: "function", id, name, content: await tool.execute(input, options) };
    } catch (error) {
      options.signal?.throwIfAborted();
      return { role: "function", id, name, content: describeToolFailure(error) };
    }
  };
  const answers: ChatFunctionMessage[] = [];
  // Calls run one after the other, so that writes happen in the order of the calls.
  for (const call of calls) answers.push(await answer(call));
  return answers;
}
