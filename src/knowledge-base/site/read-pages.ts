import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { Parser } from "htmlparser2";
import { IbidError } from "../../contracts/errors.ts";
import { readFileBytes } from "../../ingest/sources/files/read-file.ts";
import { renderMarkdown } from "../../readers/markdown/render-markdown.ts";
import { decodeSource } from "../../readers/text/decode-source.ts";
import { findCharset } from "../../readers/text/find-charset.ts";

/** A page of a folder, as it is indexed. */
export interface SitePage {
  /** Relative to the folder: `guides/install/`. The first page has `./`. */
  readonly address: string;
  /** HTML, also of a page in Markdown: its readers see no marks. */
  readonly html: string;
  /** The one that front matter states, or the first heading of the first level; absent where there is none. */
  readonly title?: string | undefined;
  /** Ids of headings by their text, so that a link leads to the section. Where a text occurs again, its key begins with the heading above it and a line break. */
  readonly anchors: Readonly<Record<string, string>>;
}

/** Pages that are no content, by their file's name. */
const noContent: ReadonlySet<string> = new Set(["404.html"]);
/** Hidden files and folders, and packages: a host of sites shows neither. */
const notShown = /(?:^|\/)(?:\.|node_modules\/)/u;
const htmlEnding = /\.x?html?$/iu;
const markdownEnding = /\.(?:mdx?|markdown)$/iu;
/** **Units** bytes. */
const maxPageBytes = 64 * 1024 * 1024;

/**
 * The pages of a folder by address. Where a page is there as HTML and as Markdown, the HTML is read, because readers see that.
 *
 * @param suffix ending of a Markdown page's address, in place of `.md`
 *
 * **Errors** `not-found` for a folder that does not exist; `empty` for one without a page; `unreadable`, `too-large` and `binary` for a page.
 */
export async function readPages(folder: string, suffix: string): Promise<readonly SitePage[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new IbidError("not-found", `The folder ${folder} cannot be read.`, {
      uri: folder,
      hint: "Name the folder of the built site, or of its Markdown.",
      cause,
    });
  });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"))
    .filter((path) => !notShown.test(path))
    .toSorted();
  const html = paths.filter((path) => htmlEnding.test(path) && !noContent.has(path));
  const shown = new Set(html.map((path) => path.replace(/(?:(?:^|\/)index)?\.x?html?$/iu, "")));
  const markdown = paths.filter((path) => markdownEnding.test(path) && !shown.has(stem(path)));
  if (html.length + markdown.length === 0) throw noPage(folder);
  const read = async (path: string): Promise<string> => {
    const bytes = await readFileBytes(join(folder, path), { uri: path, maxBytes: maxPageBytes, followLink: true });
    return decodeSource(bytes, path, (await findCharset(bytes))?.charset);
  };
  return await Promise.all([
    ...html.map(async (path): Promise<SitePage> => {
      const html = await read(path);
      const address = path.replace(/(^|\/)index\.x?html?$/iu, "$1") || "./";
      return { address, html, ...findHeadings(html) };
    }),
    ...markdown.map(async (path): Promise<SitePage> => {
      const { html, title } = renderMarkdown(await read(path), /\.mdx$/iu.test(path));
      const headings = findHeadings(html);
      return {
        address: markdownAddress(path, suffix),
        html: `<main>${html}</main>`,
        ...headings,
        title: title ?? headings.title,
      };
    }),
  ]);
}

/** The refusal of a folder in which nothing can be found. */
export function noPage(folder: string): IbidError {
  return new IbidError("empty", `The folder ${folder} has no page with a text.`, {
    uri: folder,
    hint: "Name a folder with files that end in .html or .md: also .htm, .xhtml, .markdown and .mdx.",
  });
}

/** With a suffix, `index` and `README` are the page of their folder, as generators make them. */
function markdownAddress(path: string, suffix: string): string {
  if (suffix === "") return path;
  const folder = stem(path);
  if (/(?:^|\/)(?:index|readme)\.(?:mdx?|markdown)$/iu.test(path)) return folder === "" ? "./" : `${folder}/`;
  return `${folder}${suffix}`;
}

/** A Markdown file's path without its ending; `index` and `README` stand for their folder. */
function stem(path: string): string {
  return path.replace(markdownEnding, "").replace(/(?:^|\/)(?:index|readme)$/iu, "");
}

/** The first heading of the first level, and the ids of all headings: their own, inside them, or directly before them. */
function findHeadings(html: string): Pick<SitePage, "title" | "anchors"> {
  const anchors = collectAnchors();
  let title: string | undefined;
  let open: { id: string | undefined; text: string } | undefined;
  /** The last id since the last words. */
  let before: string | undefined;
  const parser = new Parser({
    onopentag(tag, { id, name }) {
      const own = id || (tag === "a" && name) || undefined;
      if (/^h[1-6]$/u.test(tag)) open = { id: own ?? before, text: "" };
      else if (open !== undefined) open.id ??= own;
      else before = own ?? before;
    },
    ontext(text) {
      if (open !== undefined) open.text += text;
      else if (text.trim() !== "") before = undefined;
    },
    onclosetag(tag) {
      if (open === undefined || !/^h[1-6]$/u.test(tag)) return;
      const said = open.text.replaceAll(/\s+/gu, " ").trim();
      if (tag === "h1") title ??= said || undefined;
      anchors.add(Number(tag.slice(1)), said, open.id);
      open = before = undefined;
    },
  });
  parser.end(html);
  return { title, anchors: anchors.found };
}

/** Ids by heading; the first of two that say the same has the shorter key. */
function collectAnchors() {
  const found: Record<string, string> = {};
  const above: string[] = [];
  return {
    found,
    add(level: number, said: string, id: string | undefined): void {
      const parent = above.slice(0, level).findLast((each) => each !== undefined);
      above.length = level;
      above[level] = said;
      if (id === undefined || said === "") return;
      if (!Object.hasOwn(found, said)) found[said] = id;
      else if (parent !== undefined) found[`${parent}\n${said}`] ??= id;
    },
  };
}
