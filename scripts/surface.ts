/**
 * Updates the table of public names from the sources. It adds new names as experimental and drops names that are gone.
 * It also writes the `@experimental` marks into doc comments and the list in docs/stability.md. To make a name stable,
 * edit `test/surface/names.tsv` and run this again.
 *
 *     npm run surface
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDeclaration, isMarked } from "../test/surface/declarations.ts";
import { modules, readSurface } from "../test/surface/read-surface.ts";
import { readTable, type Row, tableFile, writeTable } from "../test/surface/table.ts";
import { root, subpaths } from "./subpaths.ts";

/** docs/stability.md with the list of stable names between its two marks. */
export function listStable(page: string, rows: readonly Row[] = readTable()): string {
  const stable = rows.filter(({ stability }) => stability === "stable");
  const lines = subpaths.flatMap(({ specifier }) => {
    const names = stable.filter(({ subpath }) => subpath === specifier).map(({ name }) => `\`${name}\``);
    return names.length === 0 ? [] : `| \`${specifier}\` | ${names.join(" ")} |`;
  });
  const list = ["| import from | stable names |", "|---|---|", ...lines].join("\n");
  return page.replace(/(<!-- stable names -->\n).*?(<!-- end -->)/su, (_, begin: string, end: string) =>
    [begin, list, "\n", end].join(""),
  );
}

/** The sources, by path, in which a mark has to be added or taken away. */
function markSources(rows: readonly Row[]): ReadonlyMap<string, string> {
  const edits = new Map<string, { at: number; old: string; new: string }[]>();
  for (const { name, subpath, stability } of rows) {
    const { nodeSource } = subpaths.find(({ specifier }) => specifier === subpath)!;
    const found = findDeclaration(modules, nodeSource.replace("src/", ""), name);
    if (isMarked(found) === (stability === "experimental")) continue;
    const changed = stability === "experimental" ? addMark(found.comment) : dropMark(found.comment);
    const list = edits.get(found.path) ?? [];
    if (!list.some(({ at }) => at === found.commentAt))
      list.push({ at: found.commentAt, old: found.comment, new: changed });
    edits.set(found.path, list);
  }
  return new Map(
    [...edits].map(([path, list]) => {
      let source = modules.get(path)!.source;
      for (const edit of list.toSorted((a, b) => b.at - a.at))
        source = source.slice(0, edit.at) + edit.new + source.slice(edit.at + edit.old.length);
      return [path, source];
    }),
  );
}

/** An `@example` comes last, with the lines of its program. */
function addMark(comment: string): string {
  if (comment === "") return "/** @experimental */\n";
  const short = /^\/\*\* (.*) \*\/\n$/u.exec(comment)?.[1];
  if (short !== undefined) return `/**\n * ${short}\n *\n * @experimental\n */\n`;
  const example = comment.search(/\n \* @example\b/u);
  if (example >= 0) return `${comment.slice(0, example)}\n * @experimental${comment.slice(example)}`;
  return comment.replace(/\n \*\/\n$/u, "\n *\n * @experimental\n */\n");
}

function dropMark(comment: string): string {
  return comment.replace(/\n \*\n \* @experimental(?=\n)/u, "").replace(/\n \* @experimental(?=\n)/u, "");
}

if (import.meta.main) {
  const known = new Map(readTable().map((row) => [`${row.subpath} ${row.name}`, row]));
  const rows = readSurface().map((each): Row => {
    const row = known.get(`${each.subpath} ${each.name}`);
    if (row === undefined) console.log(`new: ${each.name} from ${each.subpath}, experimental`);
    return { ...each, stability: row?.stability ?? "experimental" };
  });
  const left = new Set(rows.map((row) => `${row.subpath} ${row.name}`));
  for (const [key, { name, subpath }] of known) if (!left.has(key)) console.log(`gone: ${name} from ${subpath}`);
  writeFileSync(tableFile, writeTable(rows));
  const marked = markSources(rows);
  for (const [path, source] of marked) writeFileSync(join(root, "src", path), source);
  if (marked.size > 0) console.log(`marks: ${marked.size} files`);
  const page = join(root, "docs", "stability.md");
  writeFileSync(page, listStable(readFileSync(page, "utf8"), rows));
}
