import { renderPrompt } from "../../answers/render-prompt.ts";
import type {
  ChatAssistantMessage,
  ChatFunctionMessage,
  ChatMessage,
  ChatTool,
  ChatUserMessage,
  Prompt,
} from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue } from "../../contracts/metadata.ts";

interface TextPart {
  readonly type: "text";
  readonly text: string;
}

interface ToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
}

interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: { readonly type: "text"; readonly value: string };
}

/** The part of the AI SDK's prompt that v2, v3 and v4 have in common. */
export type AiSdkMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: readonly TextPart[] }
  | { readonly role: "assistant"; readonly content: readonly (TextPart | ToolCallPart)[] }
  | { readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/**
 * Our messages as the AI SDK's.
 *
 * **Shape** in order. A name is written before its message's text, because the specification has no field for it (B38). An assistant message that says
 * nothing is left out; answers of tools that follow one another share a message, as providers demand. An answer without an id belongs to the
 * oldest open call of its name.
 * **Errors** `invalid-argument` for no messages, or an answer to a call that nobody made; `unsupported-input` for a document that is not text.
 * **Source** Ballerina `ChatMessage` (B38, B40, B42), text rendering of prompts (B43); AI SDK `LanguageModelV2Prompt` and its successors.
 */
export function toPrompt(messages: readonly ChatMessage[] | ChatUserMessage): readonly AiSdkMessage[] {
  const list = "role" in messages ? [messages] : messages;
  const prompt: AiSdkMessage[] = [];
  const open: { id: string; name: string }[] = [];
  for (const [index, message] of list.entries()) {
    switch (message.role) {
      case "system":
        prompt.push({ role: "system", content: renderContent(message.content) });
        break;
      case "user":
        prompt.push({ role: "user", content: [toText(withName(message.name, renderContent(message.content)))] });
        break;
      case "assistant": {
        const content = toAssistantParts(message);
        if (content.length > 0) prompt.push({ role: "assistant", content });
        for (const { id, name } of message.toolCalls ?? []) open.push({ id, name });
        break;
      }
      case "function": {
        const part = toToolResult(message, index, open);
        const last = prompt.at(-1);
        if (last?.role === "tool") prompt[prompt.length - 1] = { role: "tool", content: [...last.content, part] };
        else prompt.push({ role: "tool", content: [part] });
        break;
      }
      default:
        throw new IbidError("invalid-argument", `Message ${index} has no known role.`, {
          mend: 'Roles are "system", "user", "assistant" and "function".',
        });
    }
  }
  if (prompt.length === 0) {
    throw new IbidError("invalid-argument", "There is no message to send.", { mend: "Pass at least one message." });
  }
  return prompt;
}

/** Our tools as the AI SDK's function tools; the same in v2, v3 and v4. */
export function toAiSdkTools(tools: readonly ChatTool[]): readonly object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters,
  }));
}

/** Every text of a prompt, so that errors can be kept from repeating one. */
export function textsOf(prompt: readonly AiSdkMessage[]): string[] {
  const texts: string[] = [];
  for (const message of prompt) {
    if (message.role === "system") {
      texts.push(message.content);
      continue;
    }
    for (const part of message.content) {
      if (part.type === "text") texts.push(part.text);
      else if (part.type === "tool-call") texts.push(JSON.stringify(part.input));
      else texts.push(part.output.value);
    }
  }
  return texts;
}

function renderContent(content: string | Prompt): string {
  return typeof content === "string" ? content : renderPrompt(content);
}

function withName(name: string | undefined, text: string): string {
  const said = name?.replace(/\s+/gu, " ").trim() ?? "";
  return said === "" ? text : `${said}: ${text}`;
}

function toText(text: string): TextPart {
  return { type: "text", text };
}

function toAssistantParts(message: ChatAssistantMessage): (TextPart | ToolCallPart)[] {
  const parts: (TextPart | ToolCallPart)[] = [];
  if (message.content !== null && message.content !== "") parts.push(toText(withName(message.name, message.content)));
  for (const call of message.toolCalls ?? []) {
    parts.push({ type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments });
  }
  return parts;
}

function toToolResult(
  message: ChatFunctionMessage,
  index: number,
  open: { readonly id: string; readonly name: string }[],
): ToolResultPart {
  const at = open.findIndex((call) => (message.id === undefined ? call.name === message.name : call.id === message.id));
  const call = open[at];
  if (call === undefined) {
    throw new IbidError("invalid-argument", `Message ${index} answers a call that no message before it makes.`, {
      mend: "Keep the assistant message with its tool calls before the answers, and answer each call once.",
    });
  }
  open.splice(at, 1);
  return {
    type: "tool-result",
    toolCallId: call.id,
    toolName: message.name,
    output: { type: "text", value: message.content ?? "" },
  };
}
