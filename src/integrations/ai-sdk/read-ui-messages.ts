import { checkNotRevoked } from "../../runtime/check-options.ts";
import type { ChatMessage } from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";

/**
 * The question of a chat client, and the messages before it.
 *
 * @experimental
 */
export interface UIQuestion {
  readonly question: string;
  /** For `AskOptions.history`. */
  readonly history: readonly ChatMessage[];
}

/** Longer histories come from an attack, or from a page that stayed open for weeks; the older messages are dropped. */
const mostMessages = 200;

/**
 * Reads the `messages` that an AI SDK client (`useChat`) posts.
 *
 * The messages come from a browser, so only their words count: text parts are read; files, tools and data are ignored. A system message is an error.
 *
 * **Shape** the last message is the question; `""` where it has no text.
 * **Errors** `invalid-argument` for a value that is not a list of UI messages, and for a system message. Also for a last message that is not the user's.
 * **Source** AI SDK `UIMessage` of `ai` 5 to 7.
 *
 * @experimental
 */
export function readUIMessages(messages: unknown): UIQuestion {
  checkNotRevoked("readUIMessages", "messages", messages);
  if (!Array.isArray(messages)) throw notMessages("There is no list of messages.");
  const read = messages.slice(-mostMessages).map(readMessage);
  const last = read.at(-1);
  if (last?.role !== "user") throw notMessages("The last message is not the user's.");
  return { question: last.content, history: read.slice(0, -1).filter(({ content }) => content.trim() !== "") };
}

function readMessage(message: unknown): { readonly role: "user" | "assistant"; readonly content: string } {
  const { role, parts } = (typeof message === "object" && message !== null ? message : {}) as {
    role?: unknown;
    parts?: unknown;
  };
  if (role === "system") throw notMessages("A system message is among the messages.");
  if ((role !== "user" && role !== "assistant") || !Array.isArray(parts)) throw notMessages("A message is none.");
  const texts = (parts as unknown[]).flatMap((part) => {
    const { type, text } = (typeof part === "object" && part !== null ? part : {}) as {
      type?: unknown;
      text?: unknown;
    };
    return type === "text" && typeof text === "string" ? [text] : [];
  });
  return { role, content: texts.join("\n") };
}

function notMessages(message: string): IbidError {
  return new IbidError("invalid-argument", message, {
    hint: "Send the messages of an AI SDK client: user and assistant messages with parts; the last one is the user's.",
  });
}
