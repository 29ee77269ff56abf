import { type Module, resolveImport } from "../architecture/modules.ts";
import { exportedNames } from "./read-surface.ts";

/** Where a public name is declared. */
export interface Declaration {
  readonly path: string;
  /** Where `export` begins in the source. */
  readonly at: number;
  /** The doc comment right before it, with where it begins; empty where there is none. */
  readonly comment: string;
  readonly commentAt: number;
}

/** Finds the declaration behind a name that a module exports. **Errors** when there is none: the test's reader is then at fault. */
export function findDeclaration(modules: ReadonlyMap<string, Module>, path: string, name: string): Declaration {
  const module = modules.get(path);
  const found = module && (readDeclaration(module, name) ?? follow(modules, module, name));
  if (found === undefined) throw new Error(`${path} exports ${name}, and its declaration was not found.`);
  return found;
}

/** Whether a doc comment marks what follows as experimental. */
export function isMarked({ comment }: Declaration): boolean {
  return /^\s*\*\s*@experimental\s*$/mu.test(comment) || /^\/\*\* @experimental\b/u.test(comment);
}

function readDeclaration(module: Module, name: string): Declaration | undefined {
  const kinds = String.raw`(?:async\s+function\*?|function\*?|(?:abstract\s+)?class|const|interface|type)`;
  const match = new RegExp(String.raw`^export\s+(?:declare\s+)?${kinds}\s+${escape(name)}(?![\w$])`, "mu").exec(
    module.code,
  );
  if (match === null) return undefined;
  const before = module.source.slice(0, match.index);
  const comment = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\n$/u.exec(before)?.[0] ?? "";
  return { path: module.path, at: match.index, comment, commentAt: match.index - comment.length };
}

function follow(modules: ReadonlyMap<string, Module>, module: Module, name: string): Declaration | undefined {
  for (const each of exportedNames(module.code)) {
    if (each.name !== name) continue;
    const from = /\}\s*from\s*["']([^"']+)["']/u.exec(module.source.slice(each.at))?.[1] ?? "";
    const target = resolveImport(module, { from, typeOnly: false });
    if (target !== undefined) return findDeclaration(modules, target, each.inner);
  }
  for (const match of module.source.matchAll(/^export\s*\*\s*from\s*["']([^"']+)["']/gmu)) {
    const target = resolveImport(module, { from: match[1] ?? "", typeOnly: false });
    if (target === undefined) continue;
    try {
      return findDeclaration(modules, target, name);
    } catch {
      // Another list may have it.
    }
  }
  return undefined;
}

const escape = (name: string): string => name.replaceAll("$", String.raw`\$`);
