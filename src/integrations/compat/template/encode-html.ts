import { checkGiven } from "../../../runtime/check-options.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Encodes `&`, `<`, `>` and both quotes as entities, so that the text closes no tag and no attribute.
 *
 * **Source** Semantic Kernel encodes values in a prompt.
 *
 * @experimental
 */
export function encodeHtml(text: string): string {
  checkGiven("encodeHtml", "text", text, "text");
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character]!);
}

/** Encodes all but quotes, so that the text closes no tag, and a model reads it easily. */
export function encodeTags(text: string): string {
  return text.replaceAll(/[&<>]/gu, (character) => entities[character]!);
}
