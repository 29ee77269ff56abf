import { IbidError } from "../contracts/errors.ts";

/** The part of Node's class `Module` that finds and loads a package from a place. */
interface NodeModule {
  filename: string;
  paths: string[];
  require(id: string): unknown;
}

interface NodeModules {
  readonly Module: {
    new (id: string): NodeModule;
    _resolveFilename(request: string, from: NodeModule): string;
  };
}

/**
 * Finds an optional package as Node finds it from each place in turn.
 *
 * A bundler follows neither this nor {@link loadModule}: an application is built without the package, and finds it when it runs.
 *
 * **Shape** the path of the file that `require(specifier)` loads. A place is the address or path of a file; `undefined` places are passed over.
 */
export function findPackage(specifier: string, places: readonly (string | undefined)[]): string | undefined {
  const { Module } = nodeModules();
  for (const place of places) {
    if (place === undefined) continue;
    try {
      return Module._resolveFilename(specifier, moduleAt(place));
    } catch {
      // The next place may have it.
    }
  }
  return undefined;
}

/** Loads the file that {@link findPackage} found, whether it is CommonJS or an ES module. **Errors** the module's own. */
export function loadModule(path: string): unknown {
  return moduleAt(path).require(path);
}

/**
 * Loads an optional package, from beside ibid or from the folder of the process.
 *
 * **Errors** `dependency-missing`, with what the package does, and how to do without it.
 */
export function loadPackage<Library>(
  name: string,
  does: string,
  has: (library: Partial<Library>) => boolean,
  instead = "",
): Library {
  const path = findPackage(name, [import.meta.url, `${process.cwd()}/package.json`]);
  if (path !== undefined) {
    const loaded = loadModule(path) as Partial<Library> & { readonly default?: Partial<Library> };
    const library = loaded.default ?? loaded;
    if (has(library)) return library as Library;
  }
  throw new IbidError("dependency-missing", `The package ${name}, which ${does}, is not installed.`, {
    hint: `npm install ${name}${instead && `, or ${instead}`}`,
    details: { package: name },
  });
}

function moduleAt(place: string): NodeModule {
  const path = process.getBuiltinModule("node:path");
  const file = place.startsWith("file:") ? process.getBuiltinModule("node:url").fileURLToPath(place) : place;
  const made = new (nodeModules().Module)(file);
  made.filename = file;
  made.paths = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    made.paths.push(path.join(folder, "node_modules"));
    if (folder === path.dirname(folder)) break;
  }
  return made;
}

function nodeModules(): NodeModules {
  return process.getBuiltinModule("node:module") as unknown as NodeModules;
}
