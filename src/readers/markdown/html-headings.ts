import { readHeadingTitle } from "./heading-title.ts";

/** A heading written in HTML, by its place in the block that holds it. */
export interface HtmlHeading {
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
export function findHtmlHeadings(html: string): HtmlHeading[] {
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
