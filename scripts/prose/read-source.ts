import { parseSync } from "rolldown/utils";
import { codeWord, readComment, readParagraph } from "./read-sentences.ts";

/** Where a sentence stands: a doc comment of a public name, any other comment, an error's message or hint. */
export type SourceKind = "public" | "comments" | "errors";

/** A comment or a message of a source. */
export interface SourceText {
  readonly kind: SourceKind;
  readonly at: number;
  readonly sentences: readonly string[];
}

/** A source, parsed once. */
export interface ParsedSource {
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly Comment[];
}

interface Comment {
  readonly type: "Line" | "Block";
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export function parseSource(path: string, text: string): ParsedSource {
  const { program, comments, errors } = parseSync(path, text) as unknown as {
    readonly program: Node;
    readonly comments: readonly Comment[];
    readonly errors: readonly { readonly message: string }[];
  };
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  return { text, body: program["body"] as readonly Node[], comments };
}

/** Names that a source exports from another: its own name there, and where. `*` stands for all. */
export function reexportsOf({ body }: ParsedSource): readonly { readonly name: string; readonly from: string }[] {
  return body.flatMap((node) => {
    const source = node["source"] as { readonly value: string } | null | undefined;
    if (!source) return [];
    if (node.type === "ExportAllDeclaration") return [{ name: "*", from: source.value }];
    if (node.type !== "ExportNamedDeclaration") return [];
    return (node["specifiers"] as readonly Node[]).map((each) => ({
      name: nameOf(each["local"] as Node),
      from: source.value,
    }));
  });
}

/** Comments and messages of a source. `isPublic` says which of its exported names a subpath exports. */
export function readSource(source: ParsedSource, isPublic: (name: string) => boolean): readonly SourceText[] {
  const open = source.body.flatMap((node, index) => {
    const declaration = node["declaration"] as Node | null | undefined;
    if (node.type !== "ExportNamedDeclaration" || !declaration || !namesOf(declaration).some(isPublic)) return [];
    return publicRanges(declaration, source.body[index - 1]?.end ?? 0, node.start);
  });
  const kindAt = (at: number): SourceKind =>
    open.some(([start, end]) => at >= start && at < end) ? "public" : "comments";
  const comments = joinLines(source).map(({ at, text }) => ({ kind: kindAt(at), at, sentences: readComment(text) }));
  const errors = messagesOf(source.body).map(({ at, text }) => ({
    kind: "errors" as const,
    at,
    sentences: readParagraph(text),
  }));
  return [...comments, ...errors].filter(({ sentences }) => sentences.length > 0);
}

/** Where the public comments of a declaration stand: before it, and before each member of a type or a class. */
function publicRanges(declaration: Node, previousEnd: number, start: number): readonly (readonly [number, number])[] {
  const before = [previousEnd, start] as const;
  if (declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSTypeAliasDeclaration") {
    return [before, [declaration.start, declaration.end]];
  }
  if (declaration.type !== "ClassDeclaration") return [before];
  const { body, start: first } = declaration["body"] as Node & { readonly body: readonly Node[] };
  return [before, ...body.map((member, index) => [body[index - 1]?.end ?? first, member.start] as const)];
}

/** Comments in order; line comments on lines that follow each other are one. */
function joinLines({ comments, text }: ParsedSource): readonly { readonly at: number; readonly text: string }[] {
  const joined: { at: number; end: number; isLine: boolean; text: string }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = joined.at(-1);
    const gap = last && text.slice(last.end, start);
    if (type === "Line" && last?.isLine && gap !== undefined && /^\r?\n[ \t]*$/u.test(gap)) {
      last.text += `\n${value}`;
      last.end = end;
    } else joined.push({ at: start, end, isLine: type === "Line", text: value });
  }
  return joined;
}

/** Texts of errors: strings in `new …Error(…)`, in a `hint`, and in calls of functions that only make or throw an error. */
function messagesOf(body: readonly Node[]): readonly { readonly at: number; readonly text: string }[] {
  const messages = new Map<number, string>();
  const makers = new Set<string>();
  const calls: Node[] = [];
  walk(body, (node) => {
    if (node.type === "NewExpression" && nameOf(node["callee"] as Node).endsWith("Error")) collect(node["arguments"]);
    if (node.type === "Property" && nameOf(node["key"] as Node) === "hint") collect(node["value"]);
    if (node.type === "CallExpression") calls.push(node);
    if (node.type === "FunctionDeclaration" && isMaker(node["body"] as Node)) makers.add(nameOf(node["id"] as Node));
    if (node.type === "VariableDeclarator" && isMaker((node["init"] as Node | null)?.["body"] as Node | undefined)) {
      makers.add(nameOf(node["id"] as Node));
    }
  });
  for (const call of calls) if (makers.has(nameOf(call["callee"] as Node))) collect(call["arguments"]);
  return Array.from(messages, ([at, text]) => ({ at, text }));

  function collect(value: unknown): void {
    walk(value, (node) => {
      const text = stringOf(node);
      // A code, a name or a part of a sentence is no sentence.
      if (text !== undefined && text.trim().split(/\s+/u).length > 2) messages.set(node.start, text);
    });
  }
}

/** Whether a function's body only makes an error, or throws it. */
function isMaker(body: Node | undefined): boolean {
  if (body?.type === "NewExpression") return nameOf(body["callee"] as Node).endsWith("Error");
  const [only, ...rest] = body?.type === "BlockStatement" ? (body["body"] as readonly Node[]) : [];
  if (!only || rest.length > 0 || !/^(?:Return|Throw)Statement$/u.test(only.type)) return false;
  return isMaker(only["argument"] as Node | undefined);
}

function stringOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  const parts = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
  return parts.map(({ value }) => value.cooked).join(codeWord);
}

function namesOf(declaration: Node): readonly string[] {
  const declarators = declaration["declarations"] as readonly Node[] | undefined;
  return (declarators ?? [declaration]).map(({ id }) => nameOf(id as Node));
}

function nameOf(node: Node | null | undefined): string {
  const name = node?.["name"] ?? node?.["value"];
  return typeof name === "string" ? name : "";
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value) visit(value as Node);
    for (const each of Object.values(value)) if (typeof each === "object") walk(each, visit);
  }
}
