import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { plainFences, sourceOf } from "../scripts/pack-docs.ts";
import { addressOf, sections } from "./map.ts";

/** A page of the site and its text in the repository, or generated text. */
export interface SitePage {
  /** Path in the repository: `docs/library.md`. A generated page has the path that it would have. */
  readonly path: string;
  /** Address below the base, with a slash at the end; the first page has the empty one. */
  readonly address: string;
  readonly title: string;
  /** First sentences of the first paragraph, without marks. */
  readonly description: string;
  /** Markdown below the title, with links as in the repository. */
  readonly body: string;
}

/** A group of the sidebar with its pages in order. */
export interface SiteSection {
  readonly label: string;
  readonly collapsed: boolean;
  readonly pages: readonly SitePage[];
}

/** All pages, and the sidebar. */
export interface Site {
  readonly sections: readonly SiteSection[];
  readonly pages: readonly SitePage[];
  /** Files that pages link to and that are no pages, such as tests. */
  readonly files: readonly string[];
}

/** Generated pages, by the path that they would have. */
export type Generated = ReadonlyMap<string, { readonly section: string; readonly text: string }>;

/** Code, which is left as it is, or the address of a link to a file of the repository. */
const codeOrLink = /^(`{3,}|~{3,}).*?^\1|`[^`\n]*`|(\]\()([^)\s#:]+)(#[^)\s]*)?( "[^"\n]*")?\)/gmsu;

/** Longest description of a page in a list, in characters. */
const longestDescription = 200;

/**
 * Gathers the pages of the map, and every page and file that one of them links to.
 *
 * **Errors** a link to a file that is not there, a page without a title.
 */
export function readSite(root: string, generated: Generated): Site {
  const pages = new Map<string, SitePage>();
  const files = new Set<string>();
  const add = (path: string): SitePage => {
    const known = pages.get(path);
    if (known) return known;
    const text = generated.get(path)?.text ?? readFileSync(join(root, path), "utf8");
    const page = parsePage(path, withOwnPages(path, text));
    pages.set(path, page);
    for (const target of targetsOf(page)) {
      if (target.endsWith(".md")) add(target);
      else files.add(target);
    }
    return page;
  };
  const listed = sections.map(({ label, collapsed = false, pages: patterns }) => {
    const named = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());
    const made = [...generated].filter(([, { section }]) => section === label).map(([path]) => path);
    return { label, collapsed, pages: [...new Set([...named, ...made])].map((path) => add(path)) };
  });
  return {
    sections: listed.filter((section) => section.pages.length > 0),
    pages: [...pages.values()],
    files: [...files],
  };
}

/**
 * Writes what the generator reads: each page with its front matter, the same as plain Markdown, linked files, and `llms.txt`.
 *
 * @param folder the site's folder
 * @param base path under which the site is served, such as `/` or `/ibid/`
 */
export function writeSite(root: string, folder: string, site: Site, base: string): void {
  const content = join(folder, "src/content/docs");
  const open = join(folder, "public");
  rmSync(content, { recursive: true, force: true });
  rmSync(open, { recursive: true, force: true });
  for (const page of site.pages) {
    const name = page.address === "" ? "index" : page.address.slice(0, -1);
    const matter = [
      "---",
      `title: ${JSON.stringify(page.title)}`,
      `description: ${JSON.stringify(page.description)}`,
      "head:",
      `  - { tag: link, attrs: { rel: alternate, type: text/markdown, href: ${JSON.stringify(`${base}${name}.md`)} } }`,
      "---",
      "",
    ].join("\n");
    const linked = relink(page, (target, hash) => `${base}${linkTo(target)}${hash}`);
    // The generator shows the name of a sample's file above it.
    write(join(content, `${name}.md`), matter + linked.replaceAll(/^(`{3,}\w+.*?) file=(\S+)/gmu, '$1 title="$2"'));
    write(join(open, `${name}.md`), `# ${page.title}\n\n${plainBody(page, base)}`);
  }
  write(join(content, "404.md"), missingPage(base));
  for (const path of site.files) write(join(open, linkTo(path)), readPlain(join(root, path)));
  write(join(open, "favicon.svg"), readFileSync(join(folder, "favicon.svg"), "utf8"));
  write(join(open, "llms.txt"), listForModels(site, base));
  write(
    join(open, "llms-full.txt"),
    site.sections
      .flatMap((section) => section.pages)
      .map((page) => `# ${page.title}\n\nAddress: ${base}${page.address}\n\n${plainBody(page, base).trim()}\n`)
      .join("\n\n"),
  );
  const sidebar = site.sections.map(({ label, collapsed, pages }) => ({
    label,
    collapsed,
    items: pages.map(({ title, address }) => ({ label: title, link: `/${address}` })),
  }));
  write(join(folder, "src/sidebar.json"), `${JSON.stringify(sidebar, null, 2)}\n`);
}

/** The page of an address that has none: a search, and the pages to begin with. Hosts of static files show `404.html` there. */
function missingPage(base: string): string {
  return [
    "---",
    'title: "No page is at this address"',
    "template: splash",
    "editUrl: false",
    "---",
    "",
    "Ask for it in your own words:",
    "",
    '<ibid-search hotkey=""></ibid-search>',
    "",
    `Or begin with the [first page](${base}), a [first answer](${base}tutorials/first-answer/), [the library](${base}library/), [the command line](${base}command-line/), or the features that are [not there yet](${base}not-there-yet/). Each error has [a page](${base}errors/internal/) at \`errors/<code>/\`.`,
    "",
  ].join("\n");
}

/** Address of a page or file of the repository below the base. Files that are no pages are shown as text. */
function linkTo(path: string): string {
  return path.endsWith(".md") ? addressOf(path) : `source/${path}.txt`;
}

/** Paths in the repository that a page links to. */
function targetsOf(page: SitePage): readonly string[] {
  return Array.from(page.body.matchAll(codeOrLink), ([, , , target]) => target)
    .filter((target) => target !== undefined)
    .map((target) => resolve(page.path, target));
}

/** The page's text with links to pages of the package as links to the pages of this site. */
function withOwnPages(path: string, text: string): string {
  return text.replaceAll(/(?<=\]\()https:[^)\s#]+/gu, (address) => {
    const source = sourceOf(address);
    return source === undefined ? address : posix.relative(posix.dirname(path), source);
  });
}

function resolve(from: string, target: string): string {
  return posix.join(posix.dirname(from), target).replace(/\/$/u, "");
}

/** A page's text with other addresses in its links; code keeps what looks like one. */
function relink(page: SitePage, address: (target: string, hash: string) => string): string {
  return page.body.replaceAll(codeOrLink, (whole, _fence, open?: string, target = "", hash = "", title = "") =>
    open === undefined ? whole : `${open}${address(resolve(page.path, target), hash)}${title})`,
  );
}

/** A page's text as plain Markdown: its readers follow links to plain Markdown. */
function plainBody(page: SitePage, base: string): string {
  const toPlain = (target: string, hash: string): string =>
    `${base}${linkTo(target).replace(/\/$/u, ".md") || "index.md"}${hash}`;
  return plainFences(relink(page, toPlain));
}

function parsePage(path: string, text: string): SitePage {
  const [, title] = /^# (.+)$/mu.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path} has no title.`);
  const body = text.slice(text.indexOf(`# ${title}`) + title.length + 2).trimStart();
  const paragraph = /^(?![#`|<>-])[^\n]+(?:\n[^\n]+)*/mu.exec(body)?.[0] ?? title;
  return {
    path,
    address: addressOf(path),
    title: plainWords(title),
    description: firstWords(plainWords(paragraph)),
    body,
  };
}

/** Sentences of a text up to 200 characters; of a longer first sentence, its beginning. */
function firstWords(text: string): string {
  if (text.length <= longestDescription) return text;
  const start = text.slice(0, longestDescription);
  return /^.*[.?!:](?= )/u.exec(start)?.[0] ?? `${start.replace(/\s+\S*$/u, "")} …`;
}

function plainWords(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/[*`]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function listForModels({ sections: groups }: Site, base: string): string {
  const lists = groups.map(
    ({ label, pages }) =>
      `## ${label}\n\n${pages.map(({ title, address, description }) => `- [${title}](${base}${address.replace(/\/$/u, "") || "index"}.md): ${description}`).join("\n")}`,
  );
  const [first] = groups[0]?.pages ?? [];
  return `# ibid\n\n> ${first?.description ?? ""}\n\n${lists.join("\n\n")}\n`;
}

/** A file's text, or the names in a folder. */
function readPlain(path: string): string {
  return statSync(path).isDirectory() ? `${readdirSync(path).toSorted().join("\n")}\n` : readFileSync(path, "utf8");
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
