import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";
import { root, subpaths } from "../subpaths.ts";

/** The files of a program that a page loads. */
export interface Bundle {
  /** The entry first. File names are relative. */
  readonly files: readonly { readonly name: string; readonly code: string }[];
  /** Names of the files that are loaded before the program runs. The others are loaded when they are needed. */
  readonly first: readonly string[];
}

const sources = new Map(subpaths.map(({ specifier, source }) => [specifier, join(root, source)]));
const entry = "\0entry";
/** Packages that code for every runtime loads on Node alone. */
const onNodeAlone: ReadonlySet<string> = new Set([
  "@secretlint/core",
  "@secretlint/profiler",
  "@secretlint/secretlint-rule-preset-recommend",
]);

/**
 * Bundles a program that imports `ibid` and its subpaths, as an application for a browser would be.
 *
 * **Errors** an import of a package or of a `node:` module.
 */
export async function bundleForBrowser(program: string): Promise<Bundle> {
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: "ibid",
        resolveId(id, importer) {
          if (id === entry) return id;
          const source = sources.get(id);
          if (source !== undefined) return source;
          if (id.startsWith("./") || id.startsWith("../") || isAbsolute(id)) return undefined;
          if (onNodeAlone.has(id)) return { id, external: true };
          throw new Error(`${importer ?? "The program"} imports "${id}", which no browser has.`);
        },
        load: (id) => (id === entry ? program : undefined),
      },
    ],
  });
  try {
    const { output } = await bundle.generate({
      format: "esm",
      minify: true,
      entryFileNames: "entry.js",
      // Code that is loaded at once comes in one file, and is compressed as one.
      codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] },
    });
    const chunks = output.filter((file) => file.type === "chunk");
    const first = new Set<string>();
    const follow = (name: string): void => {
      if (first.has(name)) return;
      first.add(name);
      chunks.find(({ fileName }) => fileName === name)?.imports.forEach(follow);
    };
    follow("entry.js");
    return { files: chunks.map(({ fileName, code }) => ({ name: fileName, code })), first: [...first] };
  } finally {
    await bundle.close();
  }
}
