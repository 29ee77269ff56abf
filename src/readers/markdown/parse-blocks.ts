import MarkdownIt from "markdown-it";
import type { Block } from "../../contracts/document.ts";
import type { Heading } from "../build-sections.ts";
import { readHeadingTitle } from "./heading-title.ts";

/** The blocks of a Markdown text and those of them that are headings of sections. */
export interface MarkdownBlocks {
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];
/** Where the lines of a text begin; one more entry for its end. */
type LineStarts = readonly number[];

/** Deepest nesting; deeper blocks are text of their surroundings, because only the outermost level matters. */
const maxNesting = 32;

/**
 * CommonMark's block rules and GFM tables. Inline rules never run over a document, which keeps hostile input linear.
 * Link reference definitions yield no token in markdown-it, so that rule is off and they are paragraphs: no text may fall between blocks.
 */
const commonMark = new MarkdownIt("commonmark", { maxNesting }).enable("table").disable("reference");
/** MDX knows no indented code: JSX indents as it likes. */
const mdx = new MarkdownIt("commonmark", { maxNesting }).enable("table").disable(["reference", "code"]);

const kinds: Readonly<Record<string, Block["kind"]>> = {
  heading_open: "heading",
  paragraph_open: "paragraph",
  bullet_list_open: "list",
  ordered_list_open: "list",
  table_open: "table",
  blockquote_open: "quote",
  fence: "code",
  code_block: "code",
  html_block: "html",
  hr: "rule",
};

/**
 * The outermost blocks of a Markdown text from `from` on, with exact offsets.
 *
 * **Shape** blocks in order, disjoint, and only white space between them. Headings inside quotes and lists are part of those, not of the outline;
 * those written in HTML (`<h2>`) are.
 * **Cost** linear: block rules only, and inline rules for short headings.
 * **Source** CommonMark 0.31 blocks; GFM tables; MDX ESM and expressions.
 */
export function parseBlocks(text: string, from: number, isMdx: boolean): MarkdownBlocks {
  const parser = isMdx ? mdx : commonMark;
  const source = from === 0 ? text : text.slice(from);
  const body = isMdx ? maskComments(source) : source;
  const lineStarts = findLineStarts(text, from);
  const tokens = readTokens(parser, body);
  const blocks: Block[] = [];
  const headings: Heading[] = [];
  let labels: ReadonlySet<string> | undefined;
  const isDefined = (label: string): boolean => {
    labels ??= findLinkLabels(text);
    return labels.has(label.toLowerCase().replace(/\s+/g, " ").trim());
  };
  let reached = from;
  for (const [index, token] of tokens.entries()) {
    const kind = kinds[token.type];
    if (token.level !== 0 || token.map === null || kind === undefined) continue;
    const block = toBlock(text, token, kind, lineStarts, isMdx);
    if (block === undefined) continue;
    addGap(blocks, text, reached, block.start);
    reached = block.end;
    if (token.type === "html_block") {
      addHtml(text, block, blocks, headings);
      continue;
    }
    blocks.push(block);
    if (kind !== "heading") continue;
    const title = readHeadingTitle(tokens[index + 1]?.content ?? "", isDefined);
    // A heading that says nothing names nothing.
    if (title !== "")
      headings.push({ title, level: Number(token.tag.slice(1)), start: block.start, contentStart: block.end });
  }
  addGap(blocks, text, reached, text.length);
  return { blocks, headings };
}

/**
 * Tokens of the block rules. The rules only write to tokens and call no methods, so plain objects do. The library defines twelve
 * properties one by one, which took as long as all the rules.
 */
function readTokens(parser: typeof commonMark, text: string): readonly Token[] {
  const state = new parser.block.State(text, parser, {}, []);
  const plain = { attrs: null, map: null, children: null, content: "", markup: "", info: "", meta: null };
  state.push = (type, tag, nesting) => {
    if (nesting < 0) state.level--;
    const token = { ...plain, type, tag, nesting, level: state.level, block: true, hidden: false } as Token;
    if (nesting > 0) state.level++;
    state.tokens.push(token);
    return token;
  };
  parser.block.tokenize(state, state.line, state.lineMax);
  return state.tokens;
}

function findLineStarts(text: string, from: number): LineStarts {
  const starts = [from];
  for (let at = text.indexOf("\n", from); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  starts.push(text.length + 1);
  return starts;
}

function toBlock(
  text: string,
  token: Token,
  kind: Block["kind"],
  lines: LineStarts,
  isMdx: boolean,
): Block | undefined {
  const [firstLine, endLine] = token.map ?? [0, 0];
  const lineStart = lines[firstLine] ?? text.length;
  const end = skipSpaceBack(text, lineStart, Math.min((lines[endLine] ?? text.length + 1) - 1, text.length));
  // The indentation of indented code and of list items says something; elsewhere it is space before the block.
  const start = kind === "code" || kind === "list" ? lineStart : skipSpace(text, lineStart, end);
  if (start >= end) return undefined;
  if (kind === "table") return { kind, start, end, bodyStart: Math.min(lines[firstLine + 2] ?? end, end) };
  if (token.type === "fence") {
    const language = /^[\w+#.-]+/.exec(token.info.trim())?.[0];
    return {
      kind,
      start,
      end,
      bodyStart: Math.min(lines[firstLine + 1] ?? end, end),
      ...(language === undefined ? {} : { language }),
    };
  }
  if (isMdx && kind === "paragraph") {
    if (/^(?:import|export)\b/.test(text.slice(start, start + 7))) return { kind: "code", start, end, language: "js" };
    if (text[start] === "{" && text[end - 1] === "}") return { kind: "html", start, end };
  }
  return { kind, start, end };
}

/** A block of HTML, cut at the headings in it. */
function addHtml(text: string, block: Block, blocks: Block[], headings: Heading[]): void {
  let from = block.start;
  const addRest = (to: number): void => {
    const start = skipSpace(text, from, to);
    const end = skipSpaceBack(text, start, to);
    if (start < end) blocks.push({ kind: "html", start, end });
  };
  for (const { title, level, start, end } of findHtmlHeadings(text.slice(block.start, block.end))) {
    addRest(block.start + start);
    from = block.start + end;
    blocks.push({ kind: "heading", start: block.start + start, end: from });
    headings.push({ title, level, start: block.start + start, contentStart: from });
  }
  addRest(block.end);
}

/** MDX's comments may hold what looks like Markdown. Its signs become letters, so that every line stays where it is. */
function maskComments(source: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let start = source.indexOf("{/*"); start !== -1; start = source.indexOf("{/*", from)) {
    const end = source.indexOf("*/}", start + 3);
    if (end === -1) break;
    const comment = source.slice(start, end + 3);
    // One on a single line is read as the expression it is.
    parts.push(source.slice(from, start), comment.includes("\n") ? comment.replace(/[^\s{}]/g, "x") : comment);
    from = end + 3;
  }
  return from === 0 ? source : parts.join("") + source.slice(from);
}

/** Whatever a rule swallowed without a token is still text: no character that is not white space lies outside the blocks. */
function addGap(blocks: Block[], text: string, from: number, to: number): void {
  const start = skipSpace(text, from, to);
  const end = skipSpaceBack(text, start, to);
  if (start < end) blocks.push({ kind: "paragraph", start, end });
}

function skipSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function skipSpaceBack(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

/** The labels that a text defines addresses for, as CommonMark compares them: in lower case, white space collapsed. **Cost** linear. **Source** CommonMark 0.31, 4.7. */
function findLinkLabels(text: string): ReadonlySet<string> {
  const labels = new Set<string>();
  for (const [, label] of text.matchAll(/^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]*\S/gm)) {
    if (label !== undefined) labels.add(label.toLowerCase().replace(/\s+/g, " ").trim());
  }
  return labels;
}

/** A heading written in HTML, by its place in the block that holds it. */
interface HtmlHeading {
  readonly title: string;
  readonly level: number;
  readonly start: number;
  readonly end: number;
}

/** Comments are passed over whole. A longer heading is none. */
const headingsAndComments = /<!--[\s\S]*?(?:-->|$)|<h([1-6])(?:\s[^<>]*)?>([\s\S]{0,1000}?)<\/h\1\s*>/gi;

/**
 * Headings in a block of HTML inside Markdown, as READMEs have them at their head.
 *
 * **Shape** in order and apart; a heading of an image alone is titled by the image's alternative text, one without either is none.
 * **Cost** at most a thousand steps for each opening tag.
 */
function findHtmlHeadings(html: string): HtmlHeading[] {
  // The content of scripts, styles and preformatted text is not read as markup.
  if (/^<(?:pre|script|style|textarea)[\s>]/i.test(html)) return [];
  const headings: HtmlHeading[] = [];
  for (const { 0: whole, 1: level, 2: content, index } of html.matchAll(headingsAndComments)) {
    if (level === undefined || content === undefined) continue;
    const title =
      readHeadingTitle(content.trim()) || readHeadingTitle(/\salt\s*=\s*["']([^"']*)/i.exec(content)?.[1] ?? "");
    if (title !== "") headings.push({ title, level: Number(level), start: index, end: index + whole.length });
  }
  return headings;
}
