import type { Node } from "web-tree-sitter";

/** How one kind of node becomes a section. */
export interface DefinitionRule {
  /** Name of the definition for a programmer. **Shape** `undefined` when this node defines nothing. */
  readonly title: (node: Node) => string | undefined;
  /** Node of its members, when they are sections of their own. */
  readonly body?: (node: Node) => Node | undefined;
  /** Whether it counts only when it takes more than one line, its comment included: constants, fields, signatures. Default: no. */
  readonly isSmall?: (node: Node) => boolean;
}

const always = (): true => true;

/** Longer parameter lists are left out of titles. */
export const maxParameters = 60;
const maxArgument = 60;

export function bodyOf(node: Node): Node | undefined {
  return node.childForFieldName("body") ?? undefined;
}

/** `class Parser`; without a name, `unnamed`. */
export function type(keyword: string, unnamed?: string): DefinitionRule {
  return {
    title: (node) => {
      const name = node.childForFieldName("name")?.text ?? unnamed;
      return name === undefined ? undefined : `${keyword} ${name}`;
    },
    body: bodyOf,
  };
}

/** `parse(text, options)`; `parse(…)` when there is too much to say. */
export function callable(unnamed?: string): DefinitionRule {
  return {
    title: (node) => {
      const name = node.childForFieldName("name")?.text ?? unnamed;
      return name === undefined ? undefined : `${name}${parametersOf(node)}`;
    },
  };
}

/** `Parser.parse(text)`, as Go's methods stand outside their type. */
export const method: DefinitionRule = {
  title: (node) => {
    const receiver = node.childForFieldName("receiver")?.namedChild(0)?.childForFieldName("type")?.text ?? "";
    const name = /[\p{L}_][\p{L}\p{N}_]*/u.exec(receiver)?.[0];
    const own = callable().title(node);
    return name === undefined ? own : `${name}.${own}`;
  },
};

/** Something with a value: a section only when there is much of it. */
export function constant(nameOf: (node: Node) => string | undefined, keyword?: string): DefinitionRule {
  return {
    title: (node) => {
      const name = nameOf(node);
      return name === undefined || keyword === undefined ? name : `${keyword} ${name}`;
    },
    isSmall: always,
  };
}

/** A field of a class: a method, where its value is a function. */
export function variable(nameField: string): DefinitionRule {
  return valued((node) => node.childForFieldName(nameField), undefined);
}

/** `const parse = (text) => …`: what its first variable is. Functions and classes by their name, other values by the keyword too. */
export function declared(keyword: string): DefinitionRule {
  const rule = valued((node) => node.childForFieldName("name"), keyword);
  const first = (node: Node): Node | undefined =>
    node.namedChildren.find((child) => child.type === "variable_declarator");
  const ofFirst =
    <T>(ask: ((node: Node) => T) | undefined) =>
    (node: Node): T | undefined => {
      const variable = first(node);
      return variable && ask?.(variable);
    };
  return {
    title: ofFirst(rule.title),
    body: ofFirst(rule.body),
    isSmall: (node) => ofFirst(rule.isSmall)(node) ?? true,
  };
}

/** `settings = {…}`, `exports.parse = function (text) {…}`. */
export const assigned: DefinitionRule = valued(
  (node) => {
    const left = node.childForFieldName("left");
    return left !== null && left.endIndex - left.startIndex <= maxArgument ? left : null;
  },
  undefined,
  "right",
);

function valued(nameOf: (node: Node) => Node | null, keyword: string | undefined, field = "value"): DefinitionRule {
  return {
    title: (node) => {
      const name = nameOf(node)?.text;
      if (name === undefined) return undefined;
      const value = node.childForFieldName(field);
      if (value !== null && functionTypes.has(value.type)) return `${name}${parametersOf(value)}`;
      if (value?.type === "class") return `class ${name}`;
      return keyword === undefined ? name : `${keyword} ${name}`;
    },
    body: (node) => {
      const value = node.childForFieldName(field);
      return value?.type === "class" ? bodyOf(value) : undefined;
    },
    isSmall: (node) => !functionTypes.has(node.childForFieldName(field)?.type ?? ""),
  };
}

const functionTypes: ReadonlySet<string> = new Set([
  "arrow_function",
  "function_expression",
  "generator_function",
  "anonymous_function",
  "lambda",
]);

/** `describe("a parser", () => {…})`: tests and the like are named by their first argument. */
export const callWithFunction: DefinitionRule = {
  title: (node) => {
    const given = node.childForFieldName("arguments")?.namedChildren ?? [];
    const [first, last] = [given[0], given.at(-1)];
    const named = first !== undefined && /^(?:template_)?string$/.test(first.type);
    if (!named || last === undefined || !functionTypes.has(last.type)) return undefined;
    const callee = node.childForFieldName("function")?.text ?? "";
    return callee.length > maxArgument ? undefined : `${callee}(${cut(first.text)})`;
  },
  body: (node) => {
    const last = node.childForFieldName("arguments")?.namedChildren.at(-1);
    const body = last && bodyOf(last);
    // A suite has tests in it; what a test has in it is the test's own.
    return body?.type === "statement_block" && body.namedChildren.some(isCallWithFunction) ? body : undefined;
  },
  isSmall: always,
};

function isCallWithFunction(statement: Node): boolean {
  const call = statement.type === "expression_statement" ? statement.namedChild(0) : null;
  return call?.type === "call_expression" && callWithFunction.title(call) !== undefined;
}

/** `describe "a parser" do … end`, in Ruby. */
export const callWithBlock: DefinitionRule = {
  title: (node) => {
    const block = node.childForFieldName("block");
    const given = node.childForFieldName("arguments");
    return block === null || given === null ? undefined : cut(node.text.slice(0, block.startIndex - node.startIndex));
  },
  body: (node) => {
    const block = node.childForFieldName("block");
    return (block && bodyOf(block)) ?? undefined;
  },
  isSmall: always,
};

/** A rule for what is worth a section only when there is much of it. */
export function small(rule: DefinitionRule): DefinitionRule {
  return { ...rule, isSmall: always };
}

/** All that stands before the body: `impl Display for Parser`. */
export function header(node: Node): string | undefined {
  const body = bodyOf(node);
  return body && cut(node.text.slice(0, body.startIndex - node.startIndex), 2 * maxArgument);
}

/** `(text, options)`; `()` for none, `(…)` for too many. */
export function parametersOf(node: Node): string {
  const list =
    node.childForFieldName("parameters") ??
    node.namedChildren.find((child) =>
      /^(?:formal_parameters|parameter_list|method_parameters|function_value_parameters|formal_parameter_list)$/.test(
        child.type,
      ),
    );
  // `x => …` has one parameter, without brackets.
  const text = list?.text ?? bracketed(node.childForFieldName("parameter")?.text);
  const line = text
    .replace(/\s+/gu, " ")
    .replace(/,? \)$/u, ")")
    .replace(/^\( /u, "(");
  return line.length > maxParameters ? "(…)" : line;
}

function bracketed(name: string | undefined): string {
  return `(${name ?? ""})`;
}

function cut(text: string, most = maxArgument): string {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/gu, " ")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
