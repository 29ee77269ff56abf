import type { ChatMessage } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import { renderPrompt } from "../models/render-prompt.ts";
import { neutraliseSource } from "../text/untrusted/neutralise-source.ts";
import { createMarkerScanner } from "../text/untrusted/scan-markers.ts";

/** A message before the question. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** Tells participants of one role apart. */
  readonly name?: string;
}

/** Budget of history for a model. **Units** UTF-16; some 2,000 tokens of English. **Source** ibid's own choice. */
export const historyBudget = 8000;
/** Longest part of one message. */
const longestTurn = historyBudget / 2;

/**
 * Reads the turns of a conversation that help to understand the next question.
 *
 * The history often comes from a browser. So a system message in it is refused, because it would carry the application's authority. Tool calls and results
 * are left out. Markers are removed from earlier answers: their numbers mean other sources. The rest of an answer may quote a document, so it is neutralised like one.
 *
 * **Shape** oldest first; the last ones that fit {@link historyBudget}, a long message cut and ended with `…`. **Errors** `invalid-argument` for a system message or an invalid one.
 */
export function readHistory(history: readonly ChatMessage[]): readonly Turn[] {
  if (!Array.isArray(history)) throw notHistory("history is not a list of messages.");
  const turns: Turn[] = [];
  for (const [index, message] of (history as readonly ChatMessage[]).entries()) {
    const role: unknown = typeof message === "object" && message !== null ? message.role : undefined;
    if (role === "function") continue;
    if (role !== "user" && role !== "assistant") {
      throw notHistory(
        role === "system" ? "history has a system message." : `Message ${index + 1} of history has an unknown role.`,
      );
    }
    const { content, name } = message as { content: Parameters<typeof renderPrompt>[0] | null; name?: string };
    const isPrompt = typeof content === "object" && content !== null && "strings" in content && "insertions" in content;
    if (content !== null && content !== undefined && typeof content !== "string" && !isPrompt)
      throw notHistory(`Message ${index + 1} of history has no text.`);
    const text = content === null || content === undefined ? "" : renderPrompt(content);
    const said = role === "assistant" ? neutraliseSource(withoutMarkers(text)) : text;
    if (said.trim() !== "") turns.push({ role, content: shorten(said.trim()), ...(name !== undefined && { name }) });
  }
  let budget = historyBudget;
  const from = turns.findLastIndex(({ content }) => (budget -= content.length) < 0) + 1;
  return turns.slice(from);
}

function notHistory(message: string): IbidError {
  return new IbidError("invalid-argument", message, {
    hint: "Give the messages of user and assistant, oldest first; pass a system message as instructions.",
  });
}

function shorten(text: string): string {
  if (text.length <= longestTurn) return text;
  // Not in the midst of a character.
  return `${text.slice(0, longestTurn - 2).replace(/[\uD800-\uDBFF]$/u, "")} …`;
}

function withoutMarkers(text: string): string {
  const scanner = createMarkerScanner();
  let words = "";
  let afterMarker = false;
  for (const piece of [...scanner.push(text), ...scanner.finish()]) {
    if (piece.type === "text")
      words = (afterMarker && /^[\s\p{P}]/u.test(piece.text) ? words.trimEnd() : words) + piece.text;
    afterMarker = piece.type === "marker";
  }
  return words;
}
