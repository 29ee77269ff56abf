// Writes the documentation of the package into dist/docs: node scripts/pack-docs.ts, as a part of the build.
//
// Pages link to tests, sources and decisions, which the package leaves out. There, such a link becomes its words and the path in the repository.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { root } from "./subpaths.ts";

/** Where a package of npm shows its files. The README's links lead there, because npm shows the README alone. */
export const shownPackage = "https://unpkg.com/ibid/";
/** Folder of the packed pages, in the package. */
const folder = "dist/docs";

/** Path in the package of a page of the repository; `undefined` for what the package leaves out. */
export function packedPath(path: string): string | undefined {
  if (path === "README.md") return path;
  if (path === "GLOSSARY.md" || path === "CHANGELOG.md") return `${folder}/${path.toLowerCase()}`;
  return /^docs\/(?:(?:errors|explanation|guides|library|migrate|tutorials)\/)?[^/]+\.md$/u.test(path)
    ? `${folder}/${path.slice("docs/".length)}`
    : undefined;
}

/** The page of the repository that an address of {@link shownPackage} shows. */
export function sourceOf(address: string): string | undefined {
  const path = address.startsWith(shownPackage) ? address.slice(shownPackage.length) : undefined;
  return pages().find((page) => packedPath(page) === path);
}

/** Pages that the package has, by their paths in the repository. */
export function pages(): readonly string[] {
  return globSync(
    [
      "README.md",
      "GLOSSARY.md",
      "CHANGELOG.md",
      "docs/*.md",
      "docs/{errors,explanation,guides,library,migrate,tutorials}/*.md",
    ],
    {
      cwd: root,
    },
  )
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
}

/** Code, which is left as it is, or a link: its words, its target and the heading. */
const codeOrLink =
  /^(?:`{3,}|~{3,})[^\n]*\n.*?^(?:`{3,}|~{3,})$|`[^`\n]*`|\[((?:`[^`\n]*`|[^[\]`])+)\]\(([^)\s#]*)(#[^)\s]*)?(?: "[^"\n]*")?\)/gmsu;

/** A link of a page. */
export interface PageLink {
  readonly words: string;
  /** As it stands: a path from the page, or an address. Empty for a heading of the page itself. */
  readonly target: string;
  /** With its `#`; empty where there is none. */
  readonly heading: string;
}

/** The page's text with each link as `change` says. */
export function changeLinks(text: string, change: (link: PageLink, whole: string) => string): string {
  return text.replaceAll(codeOrLink, (whole: string, words?: string, target = "", heading = "") =>
    words === undefined ? whole : change({ words, target, heading }, whole),
  );
}

/** A page without the marks by which its samples are run. The name of a sample's file stays. */
export function plainFences(text: string): string {
  return text.replaceAll(/^(`{3,}\w+)(?: (?:run|fails|install|output|no-run))+$/gmu, "$1");
}

/** A page as the package has it. @param path in the repository */
export function packPage(path: string, text: string): string {
  const from = packedPath(path)!;
  return changeLinks(plainFences(text), ({ words, target, heading }, whole) => {
    if (target === "" || /^[a-z]+:/u.test(target)) return whole;
    const wanted = posix.join(posix.dirname(path), target);
    const to = packedPath(wanted);
    if (to !== undefined) return `[${words}](${posix.relative(posix.dirname(from), to)}${heading})`;
    const said = words.replaceAll("`", "");
    const isNamed = wanted.endsWith(said) || posix.basename(wanted).startsWith(`${said}.`);
    return isNamed ? `\`${wanted}\`` : `${words} (\`${wanted}\`)`;
  });
}

/** Writes all pages but the README, which npm packs by itself. */
export function packDocs(target: string): void {
  rmSync(join(target, folder), { recursive: true, force: true });
  for (const path of pages()) {
    if (path === "README.md") continue;
    const file = join(target, packedPath(path)!);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, packPage(path, readFileSync(join(root, path), "utf8")));
  }
}

/** Links of a package's pages that lead nowhere: "page: target". **Shape** `files` are all of the package's, by their paths. */
export function deadLinks(files: ReadonlySet<string>, read: (path: string) => string): readonly string[] {
  const dead: string[] = [];
  for (const page of files) {
    if (!page.endsWith(".md")) continue;
    changeLinks(read(page), ({ target }, whole) => {
      const isShown = target.startsWith(shownPackage);
      // npm shows no file beside the README.
      if (page === "README.md" && !isShown && !target.startsWith("https:")) dead.push(`${page}: ${target}`);
      else if (isShown && !files.has(target.slice(shownPackage.length))) dead.push(`${page}: ${target}`);
      else if (!/^(?:[a-z]+:|$)/u.test(target) && !files.has(posix.join(posix.dirname(page), target)))
        dead.push(`${page}: ${target}`);
      return whole;
    });
  }
  return dead;
}

if (process.argv[1] === import.meta.filename) packDocs(root);
