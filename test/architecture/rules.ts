import {
  allowedNames,
  authorityHolders,
  forbiddenWords,
  gateMakers,
  longFiles,
  longFunctions,
  mostArrows,
  mostFunctionLines,
  mostLines,
  mostRooms,
  rooms,
  type Edge,
} from "./rooms.ts";
import { resolveImport } from "./modules.ts";
import type { Module } from "./modules.ts";

/** A rule reads all sources and returns one line for each violation. */
export type Rule = (modules: readonly Module[]) => readonly string[];

/** The room of a file: its first folder, or its name in `src` itself. */
export function roomOf(path: string): string {
  return path.split("/")[0] ?? "";
}

const isEntryFile = (path: string): boolean => /(?:^|\/)index(?:\.node)?\.ts$/u.test(path);
const isPackage = (from: string): boolean => !from.startsWith(".");
const isNode = (from: string): boolean => from.startsWith("node:");

/** `@scope/name` or `name`, without the path behind it. */
function packageOf(from: string): string {
  const [first = "", second = ""] = from.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

/** The edge that the innermost listed folder of a file allows. A file such as `runtime/thread.ts` matches the folder `runtime/thread`. */
function edgeOf(path: string): Edge | undefined {
  const stem = path.replace(/\.ts$/u, "");
  const fits = Object.entries(rooms[roomOf(path)]?.edges ?? {}).filter(
    ([folder]) => stem === folder || stem.startsWith(`${folder}/`) || stem.startsWith(`${folder}-`),
  );
  return fits.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
}

/** Pairs of rooms with an import between them. */
export function arrowsOf(modules: readonly Module[]): ReadonlySet<string> {
  const arrows = new Set<string>();
  for (const module of modules) {
    for (const each of module.imports) {
      const target = resolveImport(module, each);
      if (target === undefined || roomOf(target) === roomOf(module.path)) continue;
      arrows.add(`${roomOf(module.path)} → ${roomOf(target)}`);
    }
  }
  return arrows;
}

export const rules = {
  /** The table of rooms, types included. */
  importsFollowTheTable: (modules) =>
    modules.flatMap((module) =>
      module.imports.flatMap((each) => {
        const target = resolveImport(module, each);
        if (target === undefined) return [];
        const [here, there] = [roomOf(module.path), roomOf(target)];
        return here === there || rooms[here]?.imports.includes(there) === true
          ? []
          : [`${module.path} imports ${target}: ${here} may not import ${there}`];
      }),
    ),

  everyRoomIsInTheTable: (modules) =>
    [...new Set(modules.map(({ path }) => roomOf(path)))]
      .filter((room) => !Object.hasOwn(rooms, room))
      .map((room) => `src/${room} is not in the table of rooms`),

  theWholeIsSmall: (modules) => {
    const count = new Set(modules.map(({ path }) => roomOf(path)).filter((room) => !room.endsWith(".ts"))).size;
    const arrows = arrowsOf(modules).size;
    return [
      ...(count > mostRooms ? [`src has ${count} rooms, at most ${mostRooms} are allowed`] : []),
      ...(arrows > mostArrows ? [`src has ${arrows} arrows between rooms, at most ${mostArrows} are allowed`] : []),
    ];
  },

  importsResolve: (modules) => {
    const paths = new Set(modules.map(({ path }) => path));
    return modules.flatMap((module) =>
      module.imports.flatMap((each) => {
        const target = resolveImport(module, each);
        // Made by scripts/build-page.ts; its type stands beside it.
        const isBuilt = /^(?:server\/page|knowledge-base\/site)\/built\//u.test(target ?? "");
        return target === undefined || isBuilt || paths.has(target)
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
        found.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
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

  /** An entry file for Node repeats its neighbour for any runtime; nothing else may export unnamed. */
  noStarExports: (modules) =>
    modules.flatMap(({ code, source, path }) =>
      [...code.matchAll(/\bexport\b(?:\s+type\b)?\s*\*(?:\s*from\s*["'])?/gu)]
        .filter(({ 0: found, index }) => {
          const from = source.slice(index + found.length).split(/["']/u)[0];
          return !(path.endsWith("index.node.ts") && from === "./index.ts");
        })
        .map(() => `${path} has an export *`),
    ),

  /** Inside, an import names the file that declares. Only the command line enters rooms by their entry files. */
  entryFilesAreForOutside: (modules) =>
    modules
      .filter(({ path }) => !isEntryFile(path) && roomOf(path) !== "cli")
      .flatMap((module) =>
        module.imports.flatMap((each) => {
          const target = resolveImport(module, each);
          return target !== undefined && isEntryFile(target) ? [`${module.path} imports ${target}`] : [];
        }),
      ),

  noDefaultExports: (modules) =>
    modules
      .filter(({ code }) => /\bexport\s+default\b|\bas\s+default\b/u.test(code))
      .map(({ path }) => `${path} has a default export`),

  packagesOnlyAtTheirEdges: (modules) =>
    modules.flatMap(({ path, imports }) => {
      const edge = edgeOf(path);
      return imports
        .filter(({ from }) => isPackage(from))
        .filter(({ from }) =>
          isNode(from) ? edge === undefined || edge.node === false : edge?.packages?.includes(packageOf(from)) !== true,
        )
        .map(({ from }) => `${path} imports ${from}`);
    }),

  machineOnlyAtTheEdges: (modules) =>
    modules
      .filter(({ path }) => edgeOf(path) === undefined)
      .flatMap(({ path, code }) =>
        [...code.matchAll(/(?<![.\w$])(process|Buffer|require|__dirname|__filename|global)(?=\s*[.([])/gu)].map(
          ([, name]) => `${path} uses ${name}`,
        ),
      ),

  /** `import "ibid"` runs in any JavaScript runtime. */
  theRootLoadsNoPackage: (modules) => {
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

  everyEdgeIsUsed: (modules) => {
    const stems = modules.map(({ path }) => path.replace(/\.ts$/u, ""));
    return Object.values(rooms)
      .flatMap(({ edges = {} }) => Object.keys(edges))
      .filter((folder) => stems.some((stem) => roomOf(stem) === roomOf(folder)))
      .filter((folder) => !stems.some((stem) => stem.startsWith(folder)))
      .map((folder) => `${folder} is an edge in the table, and no such folder is there`);
  },

  authorityOnlyForMaintenance: (modules) =>
    modules
      .filter(({ path, code }) => /\bsystemAuthority\b/u.test(code) && !authorityHolders.includes(roomOf(path)))
      .map(({ path }) => `${path} takes the authority of maintenance`),

  gatesAreHandedIn: (modules) =>
    modules
      .filter(
        ({ path, code }) =>
          /\bcreateGate\s*\(/u.test(code) && !gateMakers.some((maker) => path.startsWith(`${maker}/`)),
      )
      .map(({ path }) => `${path} makes its own gate`),

  /** No behaviour is changed behind the back of an interface. */
  noProxies: (modules) =>
    modules.filter(({ code }) => /\bnew\s+Proxy\s*\(/u.test(code)).map(({ path }) => `${path} makes a Proxy`),

  filesAreShort: (modules) =>
    modules
      .map(({ path, code }) => ({ path, lines: code.split("\n").filter((line) => line.trim() !== "").length }))
      .filter(({ path, lines }) => lines > mostLines && !Object.hasOwn(longFiles, path))
      .map(({ path, lines }) => `${path} has ${lines} lines of code`),

  functionsAreShort: (modules) =>
    modules.flatMap(({ path, code }) =>
      functionsOf(code)
        .filter(({ name, lines }) => lines > mostFunctionLines && !Object.hasOwn(longFunctions, `${path}:${name}`))
        .map(({ name, lines }) => `${path}: ${name} has ${lines} lines`),
    ),

  namesAreKebabCase: (modules) =>
    modules
      .filter(({ path }) => !isEntryFile(path) || !/^[a-z0-9/-]*index(?:\.node)?\.ts$/u.test(path))
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

  /** Public is a name that an entry file exports. */
  publicNamesAreDocumented: (modules) => {
    const byPath = new Map(modules.map((module) => [module.path, module]));
    return modules
      .map(({ path }) => path)
      .filter(isEntryFile)
      .flatMap((entry) =>
        publicNames(byPath, entry).flatMap(({ name, path }) => {
          const module = byPath.get(path);
          const found =
            module === undefined ? undefined : exportedNames(module.code).find((each) => each.name === name);
          if (module === undefined || found === undefined)
            return [`${entry} exports ${name}, which ${path} does not declare`];
          return /\*\/\s*$/u.test(module.source.slice(0, found.at)) ? [] : [`${path}: ${name} has no doc comment`];
        }),
      );
  },
} as const satisfies Record<string, Rule>;

interface ExportedName {
  readonly name: string;
  readonly kind: string;
  readonly at: number;
}

/** Declarations that a file exports at its top level. */
function exportedNames(code: string): readonly ExportedName[] {
  const pattern =
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|class|const|let|interface|type)\s+([\w$]+)/gmu;
  return Array.from(code.matchAll(pattern), ({ index, 1: kind = "", 2: name = "" }) => ({ name, kind, at: index }));
}

/** Declared functions with their lines of code. Lines of a function declared inside count for that one alone. */
export function functionsOf(code: string): readonly { readonly name: string; readonly lines: number }[] {
  const found = Array.from(code.matchAll(/\bfunction\b\s*\*?\s*([\w$]+)/gu), ({ index, 1: name = "" }) => ({
    name,
    from: index,
    to: endOfFunction(code, index),
  }));
  const linesIn = (from: number, to: number): number =>
    code
      .slice(from, to)
      .split("\n")
      .filter((line) => line.trim() !== "").length;
  return found.map(({ name, from, to }) => {
    const inside = found.filter((other) => other.from > from && other.to <= to);
    const direct = inside.filter((each) => !inside.some((other) => other.from < each.from && each.to <= other.to));
    return { name, lines: linesIn(from, to) - direct.reduce((sum, each) => sum + linesIn(each.from, each.to), 0) };
  });
}

function endOfFunction(code: string, from: number): number {
  let [depth, parens, opened] = [0, 0, false];
  for (let at = from; at < code.length; at++) {
    const sign = code[at];
    if (sign === "(") parens++;
    else if (sign === ")") parens--;
    else if (sign === "{" && parens === 0) [depth, opened] = [depth + 1, true];
    else if (sign === "}" && parens === 0 && --depth === 0 && opened && !/^\s*[{|[]/u.test(code.slice(at + 1, at + 20)))
      return at + 1;
  }
  return code.length;
}

/** Names that an entry file exports, and the file that declares each. */
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
