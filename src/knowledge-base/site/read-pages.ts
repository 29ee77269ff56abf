import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Parser } from "htmlparser2";
import { IbidError } from "../../contracts/errors.ts";

/** A page of a folder, as it is indexed. */
export interface SitePage {
  /** Relative to the folder: `guides/install/`. The first page has `./`. */
  readonly address: string;
  readonly mediaType: "text/html" | "text/markdown";
  readonly text: string;
  /** The first heading of the first level; absent where there is none. */
  readonly title?: string | undefined;
  /** Ids of headings by their text, so that a link leads to the section. */
  readonly anchors: Readonly<Record<string, string>>;
}

/** Pages that are no content, by their file's name. */
const noContent: ReadonlySet<string> = new Set(["404.html"]);

/**
 * The pages of a folder by address. Where a page is there as HTML and as Markdown, the HTML is read, because readers see that.
 *
 * @param suffix ending of a Markdown page's address, in place of `.md`
 *
 * **Errors** `not-found` for a folder that does not exist; `empty` for one without a page.
 */
export async function readPages(folder: string, suffix: string): Promise<readonly SitePage[]> {
  const names = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new IbidError("not-found", `The folder ${folder} cannot be read.`, {
      uri: folder,
      hint: "Name the folder of the built site, or of its Markdown.",
      cause,
    });
  });
  const paths = names.map((name) => name.replaceAll("\\", "/")).toSorted();
  const html = paths.filter((path) => /\.html?$/iu.test(path) && !noContent.has(path));
  const shown = new Set(html.map((path) => path.replace(/(?:(?:^|\/)index)?\.html?$/iu, "")));
  const markdown = paths.filter((path) => /\.mdx?$/iu.test(path) && !shown.has(stem(path)));
  if (html.length + markdown.length === 0) {
    throw new IbidError("empty", `The folder ${folder} has no page.`, {
      uri: folder,
      hint: "Name a folder with files that end in .html or .md.",
    });
  }
  const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
  return await Promise.all([
    ...html.map(async (path): Promise<SitePage> => {
      const text = await read(path);
      const address = path.replace(/(^|\/)index\.html?$/iu, "$1") || "./";
      return { address, mediaType: "text/html", text, ...findHeadings(text) };
    }),
    ...markdown.map(async (path): Promise<SitePage> => {
      const text = await read(path);
      const name = suffix === "" ? path : `${stem(path)}${suffix}`;
      return { address: name || "./", mediaType: "text/markdown", text, anchors: nameAnchors(text) };
    }),
  ]);
}

/** A Markdown file's path without its ending; `index` and `README` stand for their folder. */
function stem(path: string): string {
  return path.replace(/\.mdx?$/iu, "").replace(/(?:^|\/)(?:index|readme)$/iu, "");
}

/** The first heading of the first level, and the ids of all headings. The first of two that say the same counts. */
function findHeadings(html: string): Pick<SitePage, "title" | "anchors"> {
  const anchors: Record<string, string> = {};
  let title: string | undefined;
  let open: { readonly id: string | undefined; text: string } | undefined;
  const parser = new Parser({
    onopentag(name, { id }) {
      if (/^h[1-6]$/u.test(name)) open = { id, text: "" };
    },
    ontext(text) {
      if (open !== undefined) open.text += text;
    },
    onclosetag(name) {
      if (open === undefined || !/^h[1-6]$/u.test(name)) return;
      const said = open.text.replaceAll(/\s+/gu, " ").trim();
      if (name === "h1") title ??= said || undefined;
      if (open.id !== undefined) anchors[said] ??= open.id;
      open = undefined;
    },
  });
  parser.end(html);
  return { title, anchors };
}

/** Ids that GitHub and most generators give to the headings of Markdown. */
function nameAnchors(markdown: string): Readonly<Record<string, string>> {
  const anchors: Record<string, string> = {};
  for (const [, title = ""] of markdown.matchAll(/^#{1,6} +(.+?) *#*$/gmu)) {
    const said = title.replaceAll(/[*_`]|\[([^\]]*)\]\([^)]*\)/gu, "$1");
    anchors[said] ??= said
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/gu, "-");
  }
  return anchors;
}
