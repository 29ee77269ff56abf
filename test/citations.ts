import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const id = "[BTWESL]\\d+";
/** `[B26 W36]` at the end of a title. */
export const inTitle: RegExp = new RegExp(`\\[(${id}(?: ${id})*)\\]["'\`]`, "gu");
/** `"B26 W36"`, a string of nothing else: the items of a pack's case. */
export const inPack: RegExp = new RegExp(`"(${id}(?: ${id})*)"`, "gu");

/** The items that a source names in that way, each as often as it does. */
export function cited(source: string, pattern: RegExp): readonly string[] {
  return Array.from(source.matchAll(pattern), ([, ids = ""]) => ids.split(" ")).flat();
}

/** What the tests say that they prove: of each item the files that do, those that cite it most first. **Shape** paths from the project's folder. */
export function findCitations(): ReadonlyMap<string, readonly string[]> {
  const counts = new Map<string, Map<string, number>>();
  const count = (folder: string, ending: string, pattern: RegExp): void => {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(ending) || name.includes("fixtures") || name === "requirements.test.ts") continue;
      const path = `${folder}/${name.replaceAll("\\", "/")}`;
      for (const item of cited(readFileSync(join(root, path), "utf8"), pattern)) {
        const files = counts.get(item) ?? new Map<string, number>();
        counts.set(item, files.set(path, (files.get(path) ?? 0) + 1));
      }
    }
  };
  count("test", ".test.ts", inTitle);
  for (const folder of ["src/testing", "test/packs"]) count(folder, ".ts", inPack);
  const ranked = (files: ReadonlyMap<string, number>): readonly string[] =>
    [...files].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([path]) => path);
  return new Map([...counts].map(([item, files]) => [item, ranked(files)]));
}
