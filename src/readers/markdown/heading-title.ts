import MarkdownIt from "markdown-it";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parseInline"]>[number];

const inline = new MarkdownIt("commonmark", { maxNesting: 20 }).enable("strikethrough");

/** Longer "headings" are taken as they stand: nobody writes them, and inline rules may take long over them. */
const maxInlineLength = 1000;

/**
 * Visible text of a heading: emphasis, code marks, links, HTML and entities resolved, white space collapsed.
 * The `{#custom-id}`, attributes and comments of documentation tools are left out, and so are marks of footnotes.
 *
 * **Shape** `isDefined` returns whether the document defines a link of that label: then `[label]` is one.
 * **Cost** bounded: inline rules run on at most 1,000 characters.
 */
export function readHeadingTitle(source: string, isDefined: (label: string) => boolean = () => false): string {
  if (source.length > maxInlineLength) return collapse(source);
  const content = source
    .replace(/\{\/\*.*?\*\/\}/gs, "")
    .replace(/(?:[ \t]*\{:?[ \t]*[#.][^{}\n]*\})+[ \t]*$/, "")
    .replace(/\[\^[^[\]\s]+\]/g, "");
  // Most headings hold nothing that markup could start with.
  if (!/[\\`*_[\]<>&~!]/.test(content)) return collapse(content);
  // Definitions of reference links are elsewhere in the document, so `[text][label]` is resolved by its form.
  const resolved = content
    .replace(/\[([^[\]]*)\]\[[^[\]]*\]/g, "$1")
    .replace(/(?<!\\)\[([^[\]]+)\](?!\()/g, (whole, label: string) => (isDefined(label) ? label : whole));
  const parts: string[] = [];
  for (const token of inline.parseInline(resolved, {})) collectText(token, parts);
  return collapse(parts.join(""));
}

function collectText(token: Token, parts: string[]): void {
  if (token.type === "softbreak" || token.type === "hardbreak") parts.push(" ");
  else if (token.type === "text" || token.type === "text_special" || token.type === "code_inline")
    parts.push(token.content);
  // An image's children are its alternative text. Nesting is bounded by the parser.
  for (const child of token.children ?? []) collectText(child, parts);
}

/** Zero-width characters are hooks for anchor links in headings, not part of what is read. */
function collapse(text: string): string {
  return text
    .replace(/[\u200B\uFEFF]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
