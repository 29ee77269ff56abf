import {
  adapterImports,
  adapters,
  adaptersOfIndex,
  allowedNames,
  edges,
  forbiddenWords,
  longFiles,
  mayImport,
  networkNames,
  starExports,
  systemCallers,
  typeCycles,
} from "./house.ts";
import { resolveImport } from "./modules.ts";
import type { Module } from "./modules.ts";

/** A rule looks at all of the source and says, one line each, what breaks it. */
export type Rule = (modules: readonly Module[]) => readonly string[];

/** `stores`, `adapters/pdf`, or the name of a file that stands in `src` itself. */
export function folderOf(path: string): string {
  const [first = "", second = "", third] = path.split("/");
  return first === "adapters" && third !== undefined ? `adapters/${second}` : first;
}

/** The folder without the name of the adapter. */
function roomOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** Where the public comes in. */
const doors = ["index.ts", "node.ts", "testing/index.ts", "server/index.ts"] as const;

const isPackage = (from: string): boolean => !from.startsWith(".");

export const rules = {
  /** The table of the house, types included. */
  importsFollowTheTable: (modules) =>
    modules.flatMap((module) =>
      module.imports.flatMap((each) => {
        const target = resolveImport(module, each);
        if (target === undefined) return [];
        const [here, there] = [folderOf(module.path), folderOf(target)];
        if (here === there) return [];
        return allows(here, there) ? [] : [`${module.path} imports ${target}: ${here} may not import ${there}`];
      }),
    ),

  everyFolderIsInTheTable: (modules) =>
    [...new Set(modules.map(({ path }) => roomOf(path)))]
      .filter((room) => room !== "adapters" && !Object.hasOwn(mayImport, room))
      .map((room) => `src/${room} is not in the table of the house`),

  importsResolve: (modules) => {
    const paths = new Set(modules.map(({ path }) => path));
    return modules.flatMap((module) =>
      module.imports.flatMap((each) => {
        const target = resolveImport(module, each);
        return target === undefined || paths.has(target)
          ? []
          : [`${module.path} imports ${target}, which is not there`];
      }),
    );
  },

  noCycles: (modules) => {
    const edgesOf = new Map(
      modules.map(
        (module) => [module.path, module.imports.flatMap((each) => resolveImport(module, each) ?? [])] as const,
      ),
    );
    const found: string[] = [];
    const done = new Set<string>();
    const walk = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        const cycle = trail.slice(trail.indexOf(path));
        if (!Object.hasOwn(typeCycles, cycle.toSorted().join(" "))) found.push([...cycle, path].join(" → "));
        return;
      }
      if (done.has(path)) return;
      for (const next of edgesOf.get(path) ?? []) walk(next, [...trail, path]);
      done.add(path);
    };
    for (const path of edgesOf.keys()) walk(path, []);
    return found;
  },

  threeFoldersDeep: (modules) =>
    modules
      .filter(({ path }) => path.split("/").length > 4)
      .map(({ path }) => `${path} is more than three folders deep`),

  noStarExports: (modules) =>
    modules
      .filter(({ code, path }) => /\bexport\b(?:\s+type\b)?\s*\*/u.test(code) && !Object.hasOwn(starExports, path))
      .map(({ path }) => `${path} has an export *`),

  /** Inside, whoever needs a thing names the file that has it. */
  onlyDoorsReadWhatIsPublic: (modules) =>
    modules.flatMap((module) =>
      module.imports.flatMap((each) => {
        const target = resolveImport(module, each);
        return target?.endsWith("/public.ts") === true && !(doors as readonly string[]).includes(module.path)
          ? [`${module.path} imports ${target}`]
          : [];
      }),
    ),

  noDefaultExports: (modules) =>
    modules
      .filter(({ code }) => /\bexport\s+default\b|\bas\s+default\b/u.test(code))
      .map(({ path }) => `${path} has a default export`),

  packagesOnlyAtTheEdges: (modules) =>
    modules
      .filter(({ path }) => !edges.includes(roomOf(path)))
      .flatMap(({ path, imports }) =>
        imports.filter(({ from }) => isPackage(from)).map(({ from }) => `${path} imports ${from}`),
      ),

  machineOnlyAtTheEdges: (modules) =>
    modules
      .filter(({ path }) => !edges.includes(roomOf(path)))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/(?<![.\w$])(process|Buffer|require|__dirname|__filename|global)(?=\s*[.([])/gu)].map(
          ([, name]) => `${path} uses ${name}`,
        ),
      ),

  /** Whatever `import "ibid"` loads runs in any JavaScript runtime. */
  theDoorLoadsNoPackage: (modules) => {
    const byPath = new Map(modules.map((module) => [module.path, module]));
    const reached = new Set<string>();
    const found: string[] = [];
    const pending = ["index.ts"];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const module = byPath.get(path);
      if (module === undefined || reached.has(path)) continue;
      reached.add(path);
      if (/(?<![.\w$])(?:process|Buffer)(?=\s*[.([])/u.test(module.code))
        found.push(`${path} uses the machine, and index.ts reaches it`);
      for (const each of module.imports) {
        const target = resolveImport(module, each);
        if (each.typeOnly) continue;
        if (target === undefined) found.push(`${path} imports ${each.from}, and index.ts reaches it`);
        else pending.push(target);
      }
    }
    return found;
  },

  everyAdapterEarnsItsFolder: (modules) => {
    const folders = Map.groupBy(
      modules.filter(({ path }) => roomOf(path) === "adapters"),
      ({ path }) => folderOf(path),
    );
    return [...folders]
      .filter(([, files]) => !files.some(needsMore))
      .map(([folder]) => `${folder} needs no package, no builtin and no network: it belongs to a stage`);
  },

  everyAdapterIsDeclared: (modules) =>
    [...new Set(modules.map(({ path }) => folderOf(path)).filter((folder) => folder.startsWith("adapters/")))]
      .filter((folder) => !Object.hasOwn(adapters, folder.slice("adapters/".length)))
      .map((folder) => `${folder} is not in the table: name its host and its contract packs`),

  authorityOnlyForMaintenance: (modules) =>
    modules
      .filter(({ path, code }) => /\bsystemAuthority\b/u.test(code) && !systemCallers.includes(roomOf(path)))
      .map(({ path }) => `${path} takes the system's authority`),

  filesAreShort: (modules) =>
    modules
      .map(({ path, code }) => ({ path, lines: code.split("\n").filter((line) => line.trim() !== "").length }))
      .filter(({ path, lines }) => lines > 300 && !Object.hasOwn(longFiles, path))
      .map(({ path, lines }) => `${path} has ${lines} lines of code`),

  namesAreKebabCase: (modules) =>
    modules
      .filter(({ path }) => !path.split("/").every((part) => /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.ts)?$/u.test(part)))
      .map(({ path }) => `${path} is not kebab-case`),

  namesSayWhatTheyMean: (modules) =>
    modules.flatMap(({ path, code }) => [
      ...(/(?:^|[/-])(?:utils?|helpers?|misc|common|manager)(?:[-/.]|$)/u.test(path)
        ? [`${path}: a name that says nothing`]
        : []),
      ...exportedNames(code).flatMap(({ name }) =>
        Object.entries(forbiddenWords)
          .filter(([, word]) => word.test(name) && !Object.hasOwn(allowedNames, name))
          .map(([why]) => `${path} exports ${name}: ${why}`),
      ),
    ]),

  /** Public is what the doors let out: `index.ts`, `node.ts`, `testing/index.ts`, `server/index.ts`. */
  publicNamesAreDocumented: (modules) => {
    const byPath = new Map(modules.map((module) => [module.path, module]));
    return doors.flatMap((door) =>
      publicNames(byPath, door).flatMap(({ name, path }) => {
        const module = byPath.get(path);
        const found = module === undefined ? undefined : exportedNames(module.code).find((each) => each.name === name);
        if (module === undefined || found === undefined)
          return [`${door} lets out ${name}, which ${path} does not declare`];
        return /\*\/\s*$/u.test(module.source.slice(0, found.at)) ? [] : [`${path}: ${name} has no doc comment`];
      }),
    );
  },
} as const satisfies Record<string, Rule>;

function allows(here: string, there: string): boolean {
  const [room] = here.split("/");
  if (room === "adapters") {
    const { host } = adapters[here.slice("adapters/".length)] ?? {};
    return there === host || adapterImports.includes(there);
  }
  const allowed = mayImport[here] ?? [];
  if (!there.startsWith("adapters/")) return allowed.includes(there);
  if (here === "index.ts") return Object.hasOwn(adaptersOfIndex, there.slice("adapters/".length));
  return allowed.includes("adapters");
}

function needsMore({ imports, code }: Module): boolean {
  if (imports.some(({ from }) => isPackage(from))) return true;
  return networkNames.some((name) => new RegExp(`(?<![.\\w$])${name}\\s*[(.]`, "u").test(code));
}

interface ExportedName {
  readonly name: string;
  readonly kind: string;
  readonly at: number;
}

/** What a file declares and exports at its top level. */
function exportedNames(code: string): readonly ExportedName[] {
  const pattern =
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|class|const|let|interface|type)\s+([\w$]+)/gmu;
  return Array.from(code.matchAll(pattern), ({ index, 1: kind = "", 2: name = "" }) => ({ name, kind, at: index }));
}

/** What a door lets out, and the file that declares it. */
export function publicNames(
  modules: ReadonlyMap<string, Module>,
  path: string,
  only?: string,
): readonly { name: string; path: string }[] {
  const module = modules.get(path);
  if (module === undefined) return [];
  const own = exportedNames(module.code).map(({ name }) => ({ name, path }));
  const passedOn = Array.from(module.code.matchAll(/\bexport\s+(?:type\s+)?\{([^}]*)\}\s*from\s*["']/gu)).flatMap(
    (match) => {
      const from = module.source.slice(match.index + match[0].length).split(/["']/u)[0] ?? "";
      const target = resolveImport(module, { from, typeOnly: false }) ?? from;
      return (match[1] ?? "").split(",").flatMap((part) => {
        const [inner = "", outer = inner] = part
          .trim()
          .replace(/^type\s+/u, "")
          .split(/\s+as\s+/u);
        if (inner === "" || (only !== undefined && outer !== only)) return [];
        const [declared] = publicNames(modules, target, inner).filter(({ name }) => name === inner);
        return [{ name: declared?.name ?? inner, path: declared?.path ?? target, as: outer }];
      });
    },
  );
  const stars = Array.from(module.code.matchAll(/\bexport\s+(?:type\s+)?\*\s*from\s*["']/gu)).flatMap((match) => {
    const from = module.source.slice(match.index + match[0].length).split(/["']/u)[0] ?? "";
    return publicNames(modules, resolveImport(module, { from, typeOnly: false }) ?? from, only);
  });
  const all = [...own, ...passedOn, ...stars];
  return only === undefined ? all : all.filter((each) => ("as" in each ? each.as : each.name) === only);
}
