import type { ChatMessage } from "../../contracts/chat.ts";
import { checkGiven } from "../../runtime/check-options.ts";

/** The longest query. */
const mostCharacters = 8192;

/**
 * The query in a message: its text, and texts inserted into it, without documents.
 *
 * **Shape** trimmed. A longer text is cut to its end, where the question usually stands. **Units** at most 8,192 UTF-16 units. **Errors** `invalid-argument` for what is no message.
 */
export function messageText(message: ChatMessage): string {
  checkGiven("messages", "message", message, "object");
  const { content } = message;
  if (content === null) return "";
  if (typeof content === "string") return content.trim().slice(-mostCharacters);
  checkGiven("messages", "content", content, "object", { strings: "list", insertions: "list" });
  const { strings, insertions } = content;
  const inserted = (index: number): string => {
    const value = insertions[index];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  return strings
    .map((text, index) => text + inserted(index))
    .join("")
    .trim()
    .slice(-mostCharacters);
}
