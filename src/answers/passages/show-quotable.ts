import { findSentences } from "../../text/find-sentences.ts";
import { fencePattern } from "../../text/find-sentences.ts";
import { toPlainMarkdown } from "../../text/untrusted/plain-markdown.ts";
import { createMarkerScanner } from "../../text/untrusted/scan-markers.ts";
import type { FoundQuotable } from "./read-passages.ts";

/** A passage as far as it is shown. */
export type ShownQuotable = Pick<FoundQuotable, "hit" | "start" | "end" | "text" | "lead" | "fence" | "row">;

/** A passage as a text of an answer. */
export interface QuotableText {
  /** Lead, header row or sentence before code; `""` without one. */
  readonly lead: string;
  /** White space between lead and body. */
  readonly gap: string;
  /** The passage, with what parts it from its marker. */
  readonly body: string;
}

/**
 * Shows a passage as Markdown: code that is cut gets its fences, and a marker stands behind prose, and below code and tables.
 *
 * **Shape** brackets that would look like markers are left out, except in code.
 */
export function showQuotable({ text, lead, fence, row }: ShownQuotable): QuotableText {
  const body =
    fence === undefined
      ? row === undefined && isBareCode(text)
        ? `\`\`\`\n${text}\n\`\`\``
        : closeFence(withoutMarkers(text))
      : showCode(text, fence);
  if (body === "") return { lead: "", gap: "", body };
  const shown = withoutMarkers(toPlainMarkdown(body));
  const lastLine = shown.slice(shown.lastIndexOf("\n") + 1);
  const before = lastLine.trimStart().startsWith("|") ? "\n\n" : fencePattern.test(lastLine) ? "\n" : " ";
  const isRow = text.startsWith("|");
  return { lead: withoutMarkers(toPlainMarkdown(closeFence(lead))), gap: isRow ? "\n" : "\n\n", body: shown + before };
}

/** A passage that begins within code; prose may follow. */
function showCode(text: string, fence: string): string {
  if (!text.includes("\n") && !text.includes("`") && fence === "```") return `\`${text}\``;
  return closeFence(withoutMarkers(`${fence}\n${text}`));
}

/** Code that nothing marks as such, as in a page's plain text. */
function isBareCode(text: string): boolean {
  const sentences = findSentences(text);
  return sentences.length > 0 && !text.includes("```") && sentences.every(({ kind }) => kind === "code");
}

/** Closes the code in which a text ends. */
function closeFence(text: string): string {
  let fence = "";
  for (const line of text.split("\n")) {
    const opening = fencePattern.exec(line)?.[1] ?? "";
    if (fence === "") fence = opening;
    else if (opening.startsWith(fence)) fence = "";
  }
  return fence === "" ? text : `${text}\n${fence}`;
}

/** Without numbers in brackets, which would pass for citations. */
function withoutMarkers(quote: string): string {
  const scanner = createMarkerScanner();
  const pieces = [...scanner.push(quote), ...scanner.finish()];
  let words = "";
  for (const [index, piece] of pieces.entries()) {
    if (piece.type !== "text") continue;
    const afterMarker = pieces[index - 1]?.type === "marker" && /^[\s\p{P}]/u.test(piece.text);
    words = (afterMarker ? words.trimEnd() : words) + piece.text;
  }
  return words.trim();
}
