import type { ChatMessage, ChatModel, ChatOptions, ChatResult, ChatUserMessage, ToolCall } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import { throwIfAborted } from "./fixed-embedding-model.ts";

/**
 * One reply of a scripted model.
 *
 * @experimental
 */
export interface ScriptedReply {
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Thrown instead of an answer. */
  readonly error?: Error;
  /** Where the stream is cut, in UTF-16 units of the text. Default: after every eighth. */
  readonly cuts?: readonly number[];
}

/**
 * A model that follows a script, and what it was asked.
 *
 * @experimental
 */
export interface ScriptedChatModel extends ChatModel {
  readonly calls: readonly { readonly messages: readonly ChatMessage[]; readonly options: ChatOptions }[];
}

/**
 * A language model for tests: answers by a script, or by a function of what it was asked.
 *
 * **Errors** `internal` when it is asked more often than the script has replies; the script's own errors; `aborted`.
 *
 * @experimental
 */
export function createScriptedChatModel(
  script: readonly (string | ScriptedReply)[] | ((messages: readonly ChatMessage[]) => string | ScriptedReply),
): ScriptedChatModel {
  const calls: ScriptedChatModel["calls"][number][] = [];
  const turn = (given: readonly ChatMessage[] | ChatUserMessage, options: ChatOptions = {}): ScriptedReply => {
    throwIfAborted(options.signal);
    const messages = "role" in given ? [given] : [...given];
    calls.push({ messages, options });
    const reply = typeof script === "function" ? script(messages) : script[calls.length - 1];
    if (reply === undefined) throw new IbidError("internal", `The script has no reply number ${calls.length}.`);
    const full = typeof reply === "string" ? { text: reply } : reply;
    if (full.error !== undefined) throw full.error;
    return full;
  };
  const finish = ({ text, toolCalls }: ScriptedReply): ChatResult => ({
    message: { role: "assistant", content: text ?? null, ...(toolCalls === undefined ? {} : { toolCalls }) },
    usage: { inputTokens: 0, outputTokens: Math.ceil((text ?? "").length / 4) },
    finishReason: toolCalls === undefined ? "stop" : "tool-calls",
  });
  return {
    provider: "testing",
    model: "scripted",
    calls,
    async chat(messages, options) {
      return finish(turn(messages, options));
    },
    async *stream(messages, options) {
      const reply = turn(messages, options);
      const text = reply.text ?? "";
      const cuts = reply.cuts ?? Array.from({ length: Math.ceil(text.length / 8) }, (_, i) => (i + 1) * 8);
      let from = 0;
      for (const to of [...cuts, text.length]) {
        throwIfAborted(options?.signal);
        if (to > from) yield { type: "text", delta: text.slice(from, to) };
        from = Math.max(from, to);
      }
      yield { type: "finish", result: finish(reply) };
    },
  };
}
