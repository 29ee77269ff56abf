import { join } from "node:path";
import { root, subpaths } from "../../scripts/subpaths.ts";
import { type Module, parseModule, readModules, resolveImport } from "../architecture/modules.ts";

export { parseModule };

/** One name that a subpath exports. */
export interface PublicName {
  readonly name: string;
  readonly kind: "type" | "value";
  /** `ibid`, or one of its subpaths. */
  readonly subpath: string;
  /** Where the name can be imported: everywhere, or by the condition `node` alone. */
  readonly runtime: "any" | "node";
}

/** The modules of `src`, by their path in it. */
export const modules: ReadonlyMap<string, Module> = new Map(
  readModules(join(root, "src")).map((module) => [module.path, module]),
);

/** Every name that the package exports, by subpath and name. */
export function readSurface(): readonly PublicName[] {
  return subpaths.flatMap(({ specifier, source, nodeSource }) => {
    const any = exportsOf(modules, source.replace("src/", ""));
    const onNode = exportsOf(modules, nodeSource.replace("src/", ""));
    return [...new Map([...any, ...onNode])].toSorted(byName).map(([name, kind]): PublicName => ({
      name,
      kind,
      subpath: specifier,
      runtime: any.has(name) ? "any" : "node",
    }));
  });
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** The names that a module exports, and whether each is a type. Follows `export *`. */
export function exportsOf(modules: ReadonlyMap<string, Module>, path: string): ReadonlyMap<string, PublicName["kind"]> {
  const names = new Map<string, PublicName["kind"]>();
  const module = modules.get(path);
  if (module === undefined) return names;
  for (const match of module.code.matchAll(/\bexport\b(\s+type\b)?\s*\*\s*from\s*["']/gu)) {
    const from = module.source.slice(match.index + match[0].length).split(/["']/u)[0] ?? "";
    const target = resolveImport(module, { from, typeOnly: false });
    for (const [name, kind] of exportsOf(modules, target ?? ""))
      names.set(name, match[1] === undefined ? kind : "type");
  }
  for (const [, kind, name = ""] of module.code.matchAll(
    /^export\s+(?:async\s+)?(function\*?|class|const|interface|type)\s+([\w$]+)/gmu,
  ))
    names.set(name, kind === "interface" || kind === "type" ? "type" : "value");
  for (const { name, isType } of exportedNames(module.code)) names.set(name, isType ? "type" : "value");
  return names;
}

/** The names in the lists `export { … }` of a source. `inner` is the name in the module that the list is of. */
export function exportedNames(
  code: string,
): readonly { readonly name: string; readonly inner: string; readonly isType: boolean; readonly at: number }[] {
  return [...code.matchAll(/\bexport\s+(type\s+)?\{([^}]*)\}/gu)].flatMap(({ index, 1: allTypes, 2: list = "" }) =>
    list.split(",").flatMap((part) => {
      const [, oneType, inner, outer] = /^\s*(type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/u.exec(part) ?? [];
      if (inner === undefined) return [];
      return { name: outer ?? inner, inner, isType: allTypes !== undefined || oneType !== undefined, at: index };
    }),
  );
}
