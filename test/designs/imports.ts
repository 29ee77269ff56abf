import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.resolve("ibid/package.json")));

type Target = { readonly default: string; readonly node?: { readonly default: string } };
const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, Target | string>>;
};

/** What loading an entry of the package loads besides, by imports that are not put off. */
export interface Loaded {
  /** Files, from the package's `dist`. */
  readonly files: ReadonlySet<string>;
  /** Other packages and modules of Node. */
  readonly others: ReadonlySet<string>;
}

/** Follows the imports of a public entry, such as `"./models"`: in the files for any runtime, or in those for Node. */
export function loadedBy(entry: string, runtime: "any" | "node" = "any"): Loaded {
  const target = exports[entry];
  if (target === undefined || typeof target === "string") throw new Error(`The package has no entry ${entry}.`);
  return follow((runtime === "node" ? target.node : target)!.default.slice("./dist/".length));
}

/** The same of one file of `dist`. */
export function follow(first: string): Loaded {
  const files = new Set<string>();
  const others = new Set<string>();
  const pending = [first];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const specifier of importsOf(file))
      if (specifier.startsWith(".")) pending.push(join(dirname(file), specifier));
      else others.add(specifier);
  }
  return { files, others };
}

/** What a file imports outright. */
export function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(folder, "dist", file), "utf8");
  return [...text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"/gmu)].map(([, specifier]) => specifier!);
}

/** The room of a file: its first folder, of `integrations` the second, too. */
export const roomOf = (file: string): string => /^(?:integrations\/)?[^/]+(?=\/)/u.exec(file)?.[0] ?? "";

/** The rooms of some files, sorted. */
export const roomsOf = (files: Iterable<string>): readonly string[] => [...new Set([...files].map(roomOf))].toSorted();

/** The declarations of a room. */
export const declarationsOf = (room: string): readonly string[] =>
  readdirSync(join(folder, "dist", room)).flatMap((name) => (name.endsWith(".d.ts") ? [`${room}/${name}`] : []));

/** What stands before the declaration of a public name, as an editor shows it. */
export function documentationOf(entry: string, name: string): string {
  const target = exports[entry] as unknown as { readonly node: { readonly types: string } };
  const pending = [target.node.types.slice("./dist/".length)];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    const text = readFileSync(join(folder, "dist", file), "utf8");
    const at = text.search(new RegExp(`^export declare (?:async )?(?:function|const) ${name}\\b`, "mu"));
    if (at >= 0) return text.slice(text.lastIndexOf("/**", at), at).replaceAll(/\s*\n \* ?/gu, " ");
    for (const specifier of importsOf(file))
      if (specifier.startsWith(".")) pending.push(join(dirname(file), specifier.replace(/\.ts$/u, ".d.ts")));
  }
  throw new Error(`${entry} declares no ${name}.`);
}
