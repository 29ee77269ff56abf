import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One entry of the package, such as `ibid/stores`, and the files behind it, relative to the project's folder. */
export interface Subpath {
  readonly specifier: string;
  /** The source for any runtime. */
  readonly source: string;
  /** The source for Node. The same as `source` where Node adds nothing. */
  readonly nodeSource: string;
  /** The emitted file that Node loads: `dist/node/…`. */
  readonly nodeFile: string;
  /** The emitted file that other runtimes load. */
  readonly file: string;
}

interface Target {
  readonly types: string;
  readonly default: string;
}

/** The project's folder. */
export const root: string = join(import.meta.dirname, "..");

/** Every entry that package.json declares, `ibid` itself first. */
export const subpaths: readonly Subpath[] = readSubpaths();

function readSubpaths(): readonly Subpath[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | (Target & { node: Target; browser?: Target })>;
  };
  return Object.entries(exports).flatMap(([name, target]) =>
    typeof target === "string"
      ? []
      : {
          specifier: name === "." ? "ibid" : `ibid${name.slice(1)}`,
          source: sourceOf(target.browser?.types ?? target.types),
          nodeSource: sourceOf(target.node.types),
          nodeFile: target.node.default.slice("./".length),
          file: target.default.slice("./".length),
        },
  );
}

/** `./dist/stores/index.d.ts` is emitted from `src/stores/index.ts`. */
function sourceOf(types: string): string {
  return types.replace("./dist/", "src/").replace(/\.d\.ts$/u, ".ts");
}
