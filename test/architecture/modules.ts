import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One `import`, `export … from` or `import(…)`, types included. */
export interface ModuleImport {
  readonly from: string;
  readonly typeOnly: boolean;
}

/** A source file, read as far as the house's rules need it. */
export interface Module {
  /** Relative to `src`, `/`-separated: `stores/memory-store.ts`. */
  readonly path: string;
  readonly source: string;
  /** The source with comments, and what is inside strings and regular expressions, blanked out; same length. */
  readonly code: string;
  readonly imports: readonly ModuleImport[];
}

/** Every TypeScript file under a folder. */
export function readModules(folder: string): Module[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => parseModule(path, readFileSync(join(folder, path), "utf8")));
}

/** TypeScript 7 has no parser to call; what the rules ask can be told by the tokens. */
export function parseModule(path: string, source: string): Module {
  const { code, strings } = blank(source);
  const imports: ModuleImport[] = [];
  const add = (at: number, typeOnly: boolean): void => {
    const from = strings.get(at);
    if (from !== undefined) imports.push({ from, typeOnly });
  };
  // `import … from "x"` and `export … from "x"`: clauses hold names, braces, commas and `*` alone.
  for (const match of code.matchAll(/\b(?:import|export)(\s+type)?\b[\w\s{},*$]*?\bfrom\s*(?=["'])/gu)) {
    add(match.index + match[0].length, match[1] !== undefined);
  }
  for (const match of code.matchAll(/\bimport\s*(?=["'])/gu)) add(match.index + match[0].length, false);
  for (const match of code.matchAll(/(\btypeof\s+)?\bimport\s*\(\s*(?=["'`])/gu)) {
    add(match.index + match[0].length, match[1] !== undefined);
  }
  for (const match of code.matchAll(/\bnew\s+URL\s*\(\s*(?=["'])/gu)) {
    const at = match.index + match[0].length;
    if (/^\.{1,2}\/.*\.ts$/u.test(strings.get(at) ?? "")) add(at, false);
  }
  return { path, source, code, imports };
}

/** The file that an import names, relative to `src`; `undefined` for a package or a builtin. */
export function resolveImport(module: Module, { from }: ModuleImport): string | undefined {
  if (!from.startsWith(".")) return undefined;
  const parts = module.path.split("/").slice(0, -1);
  for (const part of from.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** After these, a slash begins a regular expression and not a division. */
const beforeExpression =
  /(?:^|[([{,;=:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|new|delete|void|throw|await|yield|else|do))\s*$/u;

function blank(source: string): { code: string; strings: Map<number, string> } {
  const code = source.split("");
  const strings = new Map<number, string>();
  const wipe = (from: number, to: number): void => {
    for (let i = from; i < to; i++) if (code[i] !== "\n") code[i] = " ";
  };
  /** Braces that a template's `${` opened, innermost last. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;

  const skipTemplate = (from: number): number => {
    for (let i = from; i < source.length; i++) {
      if (source[i] === "\\") i++;
      else if (source[i] === "`") return (wipe(from, i), i + 1);
      else if (source[i] === "$" && source[i + 1] === "{") {
        wipe(from, i + 2);
        templates.push(depth++);
        return i + 2;
      }
    }
    return source.length;
  };
  const skipTo = (from: number, end: string): number => {
    let inClass = false;
    for (let i = from; i < source.length; i++) {
      if (source[i] === "\\") i++;
      else if (end === "/" && source[i] === "[") inClass = true;
      else if (end === "/" && source[i] === "]") inClass = false;
      else if (source[i] === "\n" || (source[i] === end && !inClass)) return i;
    }
    return source.length;
  };

  while (at < source.length) {
    const letter = source[at];
    const pair = source.slice(at, at + 2);
    if (pair === "//") {
      const end = source.indexOf("\n", at);
      wipe(at, end < 0 ? source.length : end);
      at = end < 0 ? source.length : end;
    } else if (pair === "/*") {
      const end = source.indexOf("*/", at + 2) + 2;
      wipe(at, end);
      at = end;
    } else if (letter === '"' || letter === "'") {
      const end = skipTo(at + 1, letter);
      strings.set(at, source.slice(at + 1, end));
      wipe(at + 1, end);
      at = end + 1;
    } else if (letter === "`") {
      const end = source.indexOf("`", at + 1);
      strings.set(at, source.slice(at + 1, end));
      at = skipTemplate(at + 1);
    } else if (letter === "/" && beforeExpression.test(code.slice(Math.max(0, at - 80), at).join(""))) {
      const end = skipTo(at + 1, "/");
      wipe(at + 1, end);
      at = end + 1;
    } else {
      if (letter === "{") depth++;
      if (letter === "}") {
        depth--;
        if (templates.at(-1) === depth) {
          templates.pop();
          at = skipTemplate(at + 1);
          continue;
        }
      }
      at++;
    }
  }
  return { code: code.join(""), strings };
}
