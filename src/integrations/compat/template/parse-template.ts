import { IbidError } from "../../../contracts/errors.ts";

/** An argument of a function: a text of the template, or a reference by name. */
export type Operand =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string };

/** A call between braces, or a bare name, which may be an argument's. */
export interface TemplateCall {
  readonly kind: "call";
  readonly plugin: string | undefined;
  readonly name: string;
  /** The argument without a name. */
  readonly input: Operand | undefined;
  readonly named: readonly { readonly name: string; readonly operand: Operand }[];
  /** Position of its braces, in UTF-16 units. */
  readonly at: number;
}

/** A parsed template: texts and values in order. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string; readonly at: number }
  | TemplateCall;

/**
 * Parses a template: `{{$variable}}`, `{{'text'}}`, `{{function}}`, `{{plugin.function 'text' name=$variable}}`.
 *
 * Quoted text may contain its own quote and `\` after a `\`, and plain braces: `{{ '{{' }}` writes two of them. `{{{` opens with its last two braces.
 * `{{}}` is text, and so is `}}` without an opening.
 *
 * **Shape** parts in order; joined, they read as the template does.
 * **Errors** `invalid-argument` with line and column; `details` has both as numbers.
 * **Source** Semantic Kernel's template language. There, an unclosed brace is text; here it is an error, because a typing mistake would reach the model.
 */
export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    let at = text.indexOf("{{", from);
    if (at < 0) break;
    while (text.startsWith("{{", at + 1)) at++;
    parts.push({ kind: "text", text: text.slice(from, at) });
    const block = readBlock(text, at);
    parts.push(block.part);
    from = block.end;
  }
  parts.push({ kind: "text", text: text.slice(from) });
  return parts.filter((part) => part.kind !== "text" || part.text !== "");
}

/** Line and column, both from 1. */
function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** An error with the place in the template. */
export function templateError(
  code: "invalid-argument" | "not-found",
  text: string,
  at: number,
  what: string,
  hint: string,
): IbidError {
  const { line, column } = placeIn(text, at);
  return new IbidError(code, `The template, line ${line}, column ${column}: ${what}`, {
    hint,
    details: { line, column },
  });
}

const space = /\s*/uy;
const name = /\w+/uy;
const assigned = /(\w+)\s*=\s*/uy;

/** Parses one pair of braces from its start. */
function readBlock(text: string, at: number): { readonly part: TemplatePart; readonly end: number } {
  let position = at + 2;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found !== null) position = pattern.lastIndex;
    return found;
  };
  const fail = (where: number, what: string, hint: string): never => {
    throw templateError("invalid-argument", text, where, what, hint);
  };
  /** Whether the braces close here. **Errors** at the end of the text. */
  const closes = (): boolean => {
    take(space);
    if (position >= text.length)
      fail(at, "{{ is not closed.", "Close it with }}; for braces as text, write {{ '{{' }}.");
    return text.startsWith("}}", position);
  };
  const readOperand = (): Operand | undefined => {
    const quote = text[position];
    if (quote === "'" || quote === '"') return { kind: "value", text: readQuoted(quote) };
    if (quote !== "$") return undefined;
    const dollar = position++;
    const found = take(name);
    if (found === null) return fail(dollar, "$ has no name.", "Write the argument's name after it: {{$name}}.");
    return { kind: "variable", name: found[0] };
  };
  const readQuoted = (quote: string): string => {
    const opened = position++;
    let value = "";
    for (; position < text.length; position++) {
      let character = text[position]!;
      if (character === quote) {
        position++;
        return value;
      }
      const next = text[position + 1];
      if (character === "\\" && (next === "'" || next === '"' || next === "\\")) {
        character = next;
        position++;
      }
      value += character;
    }
    return fail(opened, `${quote} is not closed.`, `Close it with ${quote}; inside, write \\${quote} for one.`);
  };
  const close = (part: TemplatePart): { readonly part: TemplatePart; readonly end: number } => {
    if (!closes())
      fail(
        position,
        `what stands here is not understood: ${JSON.stringify(text.slice(position, position + 12))}.`,
        "Between braces stand one variable, one quoted text, or one function with its arguments; }} closes them.",
      );
    return { part, end: position + 2 };
  };

  if (closes()) return { part: { kind: "text", text: text.slice(at, position + 2) }, end: position + 2 };
  const alone = readOperand();
  if (alone?.kind === "value") return close({ kind: "text", text: alone.text });
  if (alone !== undefined) return close({ kind: "variable", name: alone.name, at });

  const first = take(name)?.[0];
  if (first === undefined)
    return fail(
      position,
      `${JSON.stringify(text[position])} begins nothing.`,
      "Write {{$variable}}, {{function}} or {{plugin.function}}; for braces as text, {{ '{{' }}.",
    );
  let second: string | undefined;
  if (text[position] === ".") {
    const dot = position++;
    second = take(name)?.[0] ?? fail(dot, `"${first}." names no function.`, `Write {{${first}.function}}.`);
  }
  const named: { readonly name: string; readonly operand: Operand }[] = [];
  let input: Operand | undefined;
  while (!closes()) {
    const before = position;
    const given = take(assigned)?.[1];
    const operand = readOperand();
    if (given === undefined) {
      if (operand === undefined) break;
      if (input !== undefined || named.length > 0)
        fail(before, "only the first argument goes without a name.", "Write name='text' or name=$variable.");
      input = operand;
      continue;
    }
    if (operand === undefined)
      return fail(position, `${given} is given no value.`, `Write ${given}='text' or ${given}=$variable.`);
    if (named.some((one) => one.name === given)) fail(before, `${given} is given twice.`, "Give it once.");
    named.push({ name: given, operand });
  }
  const isPlugin = second !== undefined;
  return close({
    kind: "call",
    plugin: isPlugin ? first : undefined,
    name: second ?? first,
    input,
    named,
    at,
  });
}
