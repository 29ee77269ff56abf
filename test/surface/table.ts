import { readFileSync } from "node:fs";
import type { PublicName } from "./read-surface.ts";

/** A public name with what it promises. Stable names stay; all others may change in any version. */
export interface Row extends PublicName {
  readonly stability: "stable" | "experimental";
}

export const tableFile: URL = new URL("names.tsv", import.meta.url);
const columns = ["name", "kind", "subpath", "stability", "runtime"] as const;

/** The table of public names, `names.tsv`. */
export function readTable(text: string = readFileSync(tableFile, "utf8")): readonly Row[] {
  const [head, ...lines] = text.trimEnd().split("\n");
  if (head !== columns.join("\t")) throw new Error(`names.tsv begins with ${head}.`);
  return lines.map((line) => {
    const [name, kind, subpath, stability, runtime] = line.split("\t");
    return { name, kind, subpath, stability, runtime } as Row;
  });
}

/** The text of a table, sorted by subpath and name. */
export function writeTable(rows: readonly Row[]): string {
  const sorted = rows.toSorted((a, b) => compare(a.subpath, b.subpath) || compare(a.name, b.name));
  return `${[columns.join("\t"), ...sorted.map((row) => columns.map((column) => row[column]).join("\t"))].join("\n")}\n`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
