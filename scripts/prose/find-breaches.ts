import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { checkSentence, type ProseRule } from "./check-sentence.ts";
import { readMarkdown } from "./read-sentences.ts";
import { type ParsedSource, parseSource, readSource, reexportsOf, type SourceKind } from "./read-source.ts";

/** A sentence that breaks rules, and where it stands. */
export interface Breach {
  /** A room of `src`, a folder, or a page at the top of the repository. */
  readonly room: string;
  readonly kind: SourceKind | "markdown";
  readonly path: string;
  readonly line: number;
  readonly sentence: string;
  readonly rules: readonly ProseRule[];
}

const sources = ["src/**/*.ts", "examples/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts"];
// The page of seeds cites their items: that is what it is for.
const pages = ["*.md", "docs/**/*.md", "bench/*.md", "examples/**/*.md"];
const isLeftOut = (path: string): boolean => /(?:^|\/)node_modules(?:\/|$)|^docs\/seeds\.md$/u.test(path);

/** Every sentence under `root` that breaks a rule, by path and line. */
export function findBreaches(root: string): readonly Breach[] {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const list = (patterns: readonly string[]): readonly string[] =>
    globSync([...patterns], { cwd: root, exclude: (path) => path.endsWith("node_modules") })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => !isLeftOut(path))
      .toSorted();
  const parsed = new Map(list(sources).map((path) => [path, parseSource(path, read(path))]));
  const open = publicNames(parsed);
  const inSources = Array.from(parsed, ([path, source]) =>
    readSource(source, (name) => open.has(`${path} ${name}`)).flatMap(({ kind, at, sentences }) =>
      breachesOf(path, kind, source.text.slice(0, at).split("\n").length, sentences),
    ),
  );
  const inPages = list(pages).map((path) => readPage(path, read(path)));
  return [...inSources, ...inPages].flat();
}

/** Names that a subpath or the root exports, as `path name` of their declaration. */
function publicNames(parsed: ReadonlyMap<string, ParsedSource>): ReadonlySet<string> {
  const names = new Set<string>();
  const follow = (path: string, name: string): void => {
    if (names.has(`${path} ${name}`)) return;
    names.add(`${path} ${name}`);
    const source = parsed.get(path);
    if (!source) return;
    for (const each of reexportsOf(source)) {
      if (name !== "*" && each.name !== "*" && each.name !== name) continue;
      follow(relative(".", join(dirname(path), each.from)), each.name === "*" ? name : each.name);
    }
  };
  for (const path of parsed.keys()) if (/^src\/(?:.+\/)?index(?:\.node)?\.ts$/u.test(path)) follow(path, "*");
  return names;
}

/** Breaches of a page, paragraph by paragraph, so that each has its line. */
function readPage(path: string, text: string): readonly Breach[] {
  const found: Breach[] = [];
  let fence = false;
  let block: string[] = [];
  let from = 1;
  const finish = (): void => {
    found.push(...breachesOf(path, "markdown", from, readMarkdown(block.join("\n"))));
    block = [];
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(?:```|~~~)/u.test(line)) fence = !fence;
    if (!fence && /^\s*(?:$|\||#|[-*+] |\d+\. )/u.test(line)) finish();
    if (block.length === 0) from = index + 1;
    block.push(line);
  }
  finish();
  return found;
}

function breachesOf(path: string, kind: Breach["kind"], line: number, sentences: readonly string[]): readonly Breach[] {
  return sentences
    .map((sentence) => ({ room: roomOf(path), kind, path, line, sentence, rules: checkSentence(sentence) }))
    .filter(({ rules }) => rules.length > 0);
}

/** `src/readers/pdf/a.ts` is of `src/readers`, `docs/decisions/a.md` of `docs/decisions`, `bench/a.ts` of `bench`. */
function roomOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  if (folders.length === 0) return path;
  return folders.slice(0, /^(?:src|docs)$/u.test(folders[0]!) ? 2 : 1).join("/");
}
