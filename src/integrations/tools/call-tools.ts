import type { ChatFunctionMessage, ChatTool, ToolCall } from "../../contracts/chat.ts";
import type { JsonSchema } from "../../contracts/schema.ts";
import type { Tool } from "../../contracts/tool.ts";
import { describeToolFailure } from "./tool-failure.ts";

/**
 * A tool as a {@link ChatTool}, for models that are called through `ChatModel`.
 *
 * @experimental
 */
export function toChatTool({ name, description, inputSchema }: Tool): ChatTool {
  return {
    name,
    description,
    parameters: inputSchema["~standard"].jsonSchema.input({ target: "draft-07" }) as JsonSchema,
  };
}

/**
 * Runs what a model asked for and answers each call, in their order.
 *
 * **Shape** one message for each call, whatever came of it: an unknown tool and a call that failed are said to the model, who may try another way.
 * **Errors** none but what the signal says.
 *
 * @experimental
 */
export async function callTools(
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly ChatFunctionMessage[]> {
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
  // One after the other: what writes does so in the order in which it was asked for.
  for (const call of calls) answers.push(await answer(call));
  return answers;
}
