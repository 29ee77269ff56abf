import type { ChatMessage } from "../../contracts/chat.ts";

/** As long as a query may be. */
const mostCharacters = 8192;

/**
 * What a message asks, as a query: its text, and the texts inserted into it; documents are left out.
 *
 * **Shape** trimmed; of a longer one the end, where the question tends to stand. **Units** at most 8,192 UTF-16 units.
 */
export function messageText({ content }: ChatMessage): string {
  if (content === null) return "";
  if (typeof content === "string") return content.trim().slice(-mostCharacters);
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
