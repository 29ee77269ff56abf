import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Config } from "../server/config-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { placeFrom } from "../knowledge-base/open/location.ts";
import { checkValues, type ConfigValues, mergeValues, readVariables } from "./config-values.ts";
import { checkCode, findPlaces, isAddress, runsCode, usualFolder } from "./find-config.ts";

/** Settings of a command, before its flags. */
export interface LoadedConfig {
  /** Folder of the knowledge base. */
  readonly kb: string;
  /** Values of the file, with those of the variables above them. */
  readonly values: Config;
  readonly file?: string | undefined;
  readonly ofFile: ConfigValues;
  readonly ofVariables: ConfigValues;
  readonly passedOver: readonly string[];
}

/** Choices of the caller. */
export interface ConfigChoices {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Folder that a flag names. */
  readonly kb?: string | undefined;
  /** File that a flag names; `none` for no file. */
  readonly config?: string | undefined;
}

/**
 * Finds and reads the configuration of a command: the file, then the `IBID_*` variables.
 *
 * **Shape** paths of a file count from its folder, and those of variables from the working folder. **Errors** `invalid-argument` for wrong names and values, `access-denied` for code
 * that belongs to others, `not-found` for a named file that cannot be read. `unreadable` for code that cannot be run. **Cost** the schema is loaded only where there is a file or a variable.
 */
export async function loadConfig({ cwd, env, kb, config = env["IBID_CONFIG"] }: ConfigChoices): Promise<LoadedConfig> {
  const named = kb ?? (env["IBID_KB"] || undefined);
  const places = findPlaces(cwd, named, config);
  const { file, passedOver } = places;
  if (file === undefined && !Object.keys(env).some((name) => name.startsWith("IBID_")))
    return { kb: shorten(cwd, places.kb), values: {}, ofFile: {}, ofVariables: {}, passedOver };

  const { configOptions } = await import("../server/config-options.ts");
  const ofVariables = readVariables(configOptions, env);
  if (file === undefined)
    return { kb: shorten(cwd, places.kb), values: ofVariables, ofFile: {}, ofVariables, passedOver };
  // A knowledge base that is known beforehand is compared before the code runs; one that the file names, afterwards.
  const known = places.kb === undefined ? undefined : placeFrom(cwd, places.kb);
  checkCode(file, folderFor(file, known));
  const content: unknown = runsCode(file) ? await runFile(file) : await readJsonFile(file);
  checkValues(file, configOptions, content);
  const folder = dirname(file);
  const chosen = known ?? placeFrom(folder, typeof content["kb"] === "string" ? content["kb"] : usualFolder);
  checkCode(file, folderFor(file, chosen));
  const { serve } = content as Config;
  const ofFile =
    serve?.keys === undefined ? content : { ...content, serve: { ...serve, keys: resolve(folder, serve.keys) } };
  const values = mergeValues(configOptions, ofFile, ofVariables);
  return { kb: shorten(cwd, chosen), values, file, ofFile, ofVariables, passedOver };
}

/** The folder that code of a configuration must stand above. A database is in none: code beside it is the caller's own. */
function folderFor(file: string, kb: string | undefined): string {
  return kb === undefined || isAddress(kb) ? join(dirname(file), usualFolder) : kb;
}

/** The usual folder keeps its short name, which messages show. */
function shorten(cwd: string, kb = usualFolder): string {
  return !isAddress(kb) && relative(cwd, resolve(cwd, kb)) === usualFolder ? usualFolder : kb;
}

async function runFile(file: string): Promise<unknown> {
  let module: { readonly default?: unknown; readonly "module.exports"?: object };
  const stop = readModulesBelow(dirname(file));
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new IbidError("unreadable", `The configuration ${file} cannot be run: ${message.replace(/\.$/u, "")}.`, {
      uri: file,
      hint: `Run it alone to see where: node ${file}`,
      cause,
    });
  } finally {
    stop();
  }
  // A file without any import and export is CommonJS, with an empty object as its exports.
  const isEmpty = Object.keys(module["module.exports"] ?? { default: true }).length === 0;
  if (module.default === undefined || isEmpty) throw unusable(file, "has no default export");
  return module.default;
}

/** Formats of Node in a package with `"type": "commonjs"`, as `npm init -y` writes it, and those that files with `import` or `export` get. */
const asModule: Readonly<Record<string, string>> = { commonjs: "module", "commonjs-typescript": "module-typescript" };

/** Files of a folder, and below it, with `import` or `export` at the beginning of a line are modules, whatever the package says. **Shape** the end of that. */
function readModulesBelow(folder: string): () => void {
  const { registerHooks } = process.getBuiltinModule("node:module");
  // Other runtimes read such files as modules.
  if (registerHooks === undefined) return () => {};
  const beginning = `${pathToFileURL(folder).href}/`;
  const hooks = registerHooks({
    load(url, context, next) {
      const format = asModule[context.format ?? ""];
      if (format === undefined || !url.startsWith(beginning) || url.includes("/node_modules/"))
        return next(url, context);
      const source = readFileSync(fileURLToPath(url), "utf8");
      const isModule = /^(?:import\b(?!\s*\()|export\b)/mu.test(source) && !/\bmodule\.exports\b/u.test(source);
      return next(url, isModule ? { ...context, format } : context);
    },
  });
  return () => hooks.deregister();
}

async function readJsonFile(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw new IbidError("not-found", `The configuration ${file} cannot be read.`, {
      uri: file,
      hint: "Check the path.",
      cause,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable(file, "is not JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { $schema: _schema, ...values } = value as Record<string, unknown>;
  return values;
}

function unusable(file: string, problem: string, cause?: unknown): IbidError {
  return new IbidError("invalid-argument", `The configuration ${file} ${problem}.`, {
    uri: file,
    hint: "Write one object of options as the default export, or as JSON.",
    cause,
  });
}
