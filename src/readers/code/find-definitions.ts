import type { Node } from "web-tree-sitter";

import type { Heading } from "../build-sections.ts";

import type { DefinitionRule } from "./definition-rules.ts";
import type { GrammarName } from "./grammars.ts";
import { type LanguageRules, rulesOf } from "./language-rules.ts";

/** A definition in code, as a heading with an end. */
export type Definition = Pick<Heading, "title" | "level" | "start"> & { readonly end: number };

/** Sections are of level 1 to 6. */
const maxLevel = 6;
/** Conditions within conditions around a definition. */
const maxNesting = 32;
/** Largest number of members; a node with more is a table of data. */
const maxMembers = 100_000;
/** A head with its body, a property with its accessors. */
const maxTails = 2;
const maxTitleLength = 120;
const maxIndentation = 1000;

/**
 * Finds the definitions of a file; nested ones follow their parent.
 *
 * **Shape** a definition is whole lines, its comment and decorators included. A definition that shares its first line
 * with other code belongs to that code.
 * **Cost** linear in the nodes down to the members; bodies of functions are not read.
 */
export function findDefinitions(root: Node, text: string, grammar: GrammarName, firstLevel = 1): Definition[] {
  const rules = rulesOf(grammar);
  const definitions: Definition[] = [];

  const add = (node: Node, start: number, last: number, level: number, nesting: number): boolean => {
    const found = beginsLine(text, start) ? unwrap(node, rules) : undefined;
    if (found === undefined) return false;
    const isLong = text.slice(start, last).trimEnd().includes("\n");
    if (!isLong && found.rule.isSmall?.(found.node) === true) return false;
    definitions.push({ title: shorten(found.title), level, start, end: lineEnd(text, last) });
    const body = level < maxLevel ? found.rule.body?.(found.node) : undefined;
    if (body !== undefined) walk(body, level + 1, nesting + 1);
    return true;
  };

  const walk = (holder: Node, level: number, nesting: number, before?: { start: number; end: number }): void => {
    if (nesting > maxNesting || holder.namedChildCount > maxMembers) return;
    /** Comments and attributes that wait for the definition after them. */
    let lead = before;
    const nodes = holder.namedChildren;
    for (const [index, node] of nodes.entries()) {
      if (rules.tails.has(node.type)) continue;
      const follows = lead !== undefined && !hasBlankLine(text, lead.end, node.startIndex);
      if (rules.leads.has(node.type)) {
        const start = follows && lead !== undefined ? lead.start : node.startIndex;
        lead = beginsLine(text, start) ? { start, end: trimEnd(text, node.endIndex) } : undefined;
        continue;
      }
      const from = follows && lead !== undefined ? lead.start : node.startIndex;
      const begins = follows && node.namedChild(0)?.startIndex === node.startIndex ? lead : undefined;
      lead = undefined;
      let last = node;
      for (const next of nodes.slice(index + 1, index + 1 + maxTails)) {
        if (!rules.tails.has(next.type)) break;
        last = next;
      }
      if (add(node, from, last.endIndex, level, nesting)) continue;
      if (rules.groups.has(node.type) || node.isError) walk(node, level, nesting + 1, begins);
      // Some grammars put the comment of a definition at the end of the imports before it.
      const trailing = node.namedChild(node.namedChildCount - 1);
      if (trailing !== null && rules.leads.has(trailing.type) && beginsLine(text, trailing.startIndex))
        lead = { start: trailing.startIndex, end: trimEnd(text, trailing.endIndex) };
    }
  };

  walk(root, firstLevel, 0);
  return definitions;
}

/** The definition that a node is, or that stands in it with `export`, a decorator or a template around it. */
function unwrap(
  outer: Node,
  rules: LanguageRules,
): { readonly rule: DefinitionRule; readonly node: Node; readonly title: string } | undefined {
  let node = outer;
  for (let depth = 0; depth < 8; depth++) {
    const rule = rules.definitions.get(node.type);
    const title = rule?.title(node);
    if (rule !== undefined && title !== undefined) return { rule, node, title };
    if (!rules.wrappers.has(node.type)) return undefined;
    const inner = node.namedChildren.findLast((child) => !rules.leads.has(child.type));
    if (inner === undefined) return undefined;
    node = inner;
  }
  return undefined;
}

function shorten(title: string): string {
  const line = title
    .slice(0, maxTitleLength * 4)
    .replace(/\s+/gu, " ")
    .trim();
  return line.length <= maxTitleLength ? line : `${line.slice(0, maxTitleLength - 1).toWellFormed()}…`;
}

function beginsLine(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && at - before < maxIndentation && /[^\S\n]/u.test(text.charAt(before - 1))) before--;
  return before === 0 || text.charAt(before - 1) === "\n";
}

function lineEnd(text: string, at: number): number {
  // Some nodes reach to the beginning of the next line.
  const end = trimEnd(text, at);
  const newline = text.indexOf("\n", end);
  return newline === -1 ? text.length : newline;
}

function trimEnd(text: string, at: number): number {
  let end = at;
  while (end > 0 && /\s/u.test(text.charAt(end - 1))) end--;
  return end;
}

function hasBlankLine(text: string, from: number, to: number): boolean {
  return /\n[^\S\n]*\n/u.test(text.slice(from, to));
}
