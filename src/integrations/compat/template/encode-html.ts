const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text that closes no tag and no attribute around it: `&`, `<`, `>` and both quotes as entities.
 *
 * **Source** Semantic Kernel encodes what it inserts into a prompt (S28).
 *
 * @experimental
 */
export function encodeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character]!);
}

/** Text that closes no tag around it; quotes stay, for a model to read. */
export function encodeTags(text: string): string {
  return text.replaceAll(/[&<>]/gu, (character) => entities[character]!);
}
