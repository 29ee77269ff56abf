import MarkdownIt from "markdown-it";
import { readFrontMatter } from "./front-matter.ts";
import { parseBlocks } from "./parse-blocks.ts";

/** Deepest nesting; deeper blocks are text of their surroundings. */
const maxNesting = 32;

const renderer = new MarkdownIt("commonmark", { maxNesting }).enable(["table", "strikethrough"]);

/** An id that a heading states for itself: `## Keys {#keys}`. */
const statedId = /[ \t]*\{:?[ \t]*#([^\s{}]+)[^{}]*\}\s*$/u;

/** Markdown as the page that its readers see. */
export interface RenderedMarkdown {
  readonly html: string;
  /** Title that the front matter states; absent where it states none. */
  readonly title?: string | undefined;
}

/**
 * Renders Markdown or MDX as HTML. Headings have the ids that they state, or those of GitHub.
 *
 * **Shape** front matter, `import`, `export` and expressions of MDX are left out; HTML stays as it is.
 * **Cost** linear for pages of usual prose: inline rules run over all of it.
 * **Source** CommonMark 0.31, GFM tables and strikethrough.
 */
export function renderMarkdown(text: string, isMdx: boolean): RenderedMarkdown {
  const front = readFrontMatter(text);
  const from = front?.end ?? 0;
  const title = front?.metadata["title"];
  const tokens = renderer.parse(isMdx ? withoutCode(text, from) : text.slice(from), {});
  const times = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type !== "heading_open" || inline?.children == null) continue;
    const last = inline.children.at(-1);
    const stated = last?.type === "text" ? statedId.exec(last.content) : null;
    if (last !== undefined && stated !== null) last.content = last.content.slice(0, stated.index);
    const slug = inline.children
      .map(({ content }) => content)
      .join("")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/gu, "-");
    const before = times.get(slug) ?? 0;
    times.set(slug, before + 1);
    token.attrSet("id", stated?.[1] ?? (before === 0 ? slug : `${slug}-${before}`));
  }
  return { html: renderer.renderer.render(tokens, renderer.options, {}), ...(typeof title === "string" && { title }) };
}

/** The text from `from` on, without code of MDX: modules and expressions that stand by themselves. */
function withoutCode(text: string, from: number): string {
  let shown = "";
  let at = from;
  for (const { kind, start, end } of parseBlocks(text, from, true).blocks) {
    const isModule = kind === "code" && /^(?:import|export)\b/u.test(text.slice(start, start + 7));
    if (!isModule && !(kind === "html" && text[start] === "{")) continue;
    shown += text.slice(at, start);
    at = end;
  }
  return shown + text.slice(at);
}
