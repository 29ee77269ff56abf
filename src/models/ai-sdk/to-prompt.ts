import { type PromptPart, splitPrompt } from "../render-parts.ts";
import { renderPrompt } from "../render-prompt.ts";
import type {
  ChatAssistantMessage,
  ChatFunctionMessage,
  ChatMessage,
  ChatTool,
  ChatUserMessage,
  Prompt,
} from "../../contracts/chat.ts";
import type { MediaDocument } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue } from "../../contracts/metadata.ts";

interface TextPart {
  readonly type: "text";
  readonly text: string;
}

interface FilePart {
  readonly type: "file";
  readonly mediaType: string;
  /** As it is in v2 and v3; tagged in v4. */
  readonly data: Uint8Array | URL | string | object;
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
  | { readonly role: "user"; readonly content: readonly (TextPart | FilePart)[] }
  | { readonly role: "assistant"; readonly content: readonly (TextPart | ToolCallPart)[] }
  | { readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/**
 * Converts ibid's messages to the AI SDK's.
 *
 * **Shape** in order. A name is written before its message's text, because the specification has no field for it. An assistant message without
 * content is left out. Consecutive tool results share a message, as providers demand. A result without an id belongs to the
 * oldest open call of its name.
 * A user message with a picture, a recording or a file is made of parts, which travel whole; any other is one text.
 * **Errors** `invalid-argument` for no messages, or a result without a call; `unsupported-input` for a binary document, and in a
 * system message for any document that is not text. The provider refuses all else that it does not accept.
 * **Source** Ballerina `ChatMessage`, prompts in parts; AI SDK `LanguageModelV2Prompt` and its successors.
 */
export function toPrompt(
  messages: readonly ChatMessage[] | ChatUserMessage,
  { specificationVersion, provider }: { readonly specificationVersion: "v2" | "v3" | "v4"; readonly provider: string },
  takesBinary = false,
): readonly AiSdkMessage[] {
  const list = "role" in messages ? [messages] : messages;
  const prompt: AiSdkMessage[] = [];
  const open: { id: string; name: string }[] = [];
  for (const [index, message] of list.entries()) {
    switch (message.role) {
      case "system":
        prompt.push({ role: "system", content: renderContent(message.content) });
        break;
      case "user":
        prompt.push({
          role: "user",
          content: toUserParts(message, specificationVersion === "v4" ? provider : undefined, takesBinary),
        });
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
          hint: 'Roles are "system", "user", "assistant" and "function".',
        });
    }
  }
  if (prompt.length === 0) {
    throw new IbidError("invalid-argument", "There is no message to send.", { hint: "Pass at least one message." });
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
      else if (part.type === "file") continue;
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

function toUserParts(
  { name, content }: ChatUserMessage,
  provider: string | undefined,
  takesBinary: boolean,
): (TextPart | FilePart)[] {
  const parts = typeof content === "string" ? [] : splitPrompt(content);
  if (!parts.some(isMedia)) return [toText(withName(name, renderContent(content)))];
  const [first, ...rest] = parts;
  const named =
    first?.type === "text"
      ? [toText(withName(name, first.text)), ...rest]
      : withName(name, "") === ""
        ? parts
        : [toText(withName(name, "").trim()), ...parts];
  return named.map((part) => (isMedia(part) ? toFilePart(part, provider, takesBinary) : part));
}

function isMedia(part: PromptPart): part is MediaDocument {
  return part.type !== "text";
}

/** Default media type of each kind of document: providers look at the first bytes. */
const usualTypes = {
  image: "image/*",
  audio: "audio/*",
  file: "application/octet-stream",
  binary: "application/octet-stream",
} as const;

/** `provider` is given where the specification tags its data (v4). */
function toFilePart(
  { type, content, mediaType }: MediaDocument,
  provider: string | undefined,
  takesBinary: boolean,
): FilePart {
  if (type === "binary" && !takesBinary) {
    throw new IbidError(
      "unsupported-input",
      "Only text, image, audio and file documents are supported; this one is binary.",
      {
        hint: "Set its type and media type, leave it out, or declare that the model accepts binary documents.",
        details: { type },
      },
    );
  }
  const isFile = content instanceof Uint8Array || content instanceof URL;
  const plain = isFile ? content : content.fileId;
  const tagged =
    content instanceof Uint8Array
      ? { type: "data", data: content }
      : content instanceof URL
        ? { type: "url", url: content }
        : { type: "reference", reference: { [provider?.split(".")[0] ?? ""]: content.fileId } };
  return { type: "file", mediaType: mediaType ?? usualTypes[type], data: provider === undefined ? plain : tagged };
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
      hint: "Keep the assistant message with its tool calls before the answers, and answer each call once.",
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
