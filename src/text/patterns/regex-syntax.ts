import { IbidError } from "../../contracts/errors.ts";

/** A piece of pattern that matches one code point; `literal` is that code point where it is always the same. */
export interface CharacterSet {
  readonly source: string;
  readonly literal: string | undefined;
}

/** A regular expression as a tree. Groups are gone: nothing can refer to them. */
export type RegexNode =
  | { readonly kind: "empty" }
  | ({ readonly kind: "one" } & CharacterSet)
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "choice"; readonly options: readonly RegexNode[] }
  | {
      readonly kind: "repeat";
      readonly body: RegexNode;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    };

export type Assertion = "line-start" | "line-end" | "boundary" | "no-boundary";

const maxPatternLength = 10_000;
const maxDepth = 200;
const empty: RegexNode = { kind: "empty" };

/** Text to skip, so that only a group's own flags are found. */
const escapeClassOrFlags = /\\[^]|\[(?:\\[^]|[^\]\\])*|\(\?(?:[a-z]+(?:-[a-z]*)?|-[a-z]*):/g;
const groupHead = /\?(?::|<(?![=!])[^>]*>)/y;
const quantifier = /(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/y;
// A pair of escaped surrogates is one code point.
const escaped =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|.)/suy;

/**
 * Reads a pattern in the syntax of JavaScript's `u` mode, less what cannot be matched in linear time.
 *
 * **Errors** `invalid-regex`: a syntax error in the runtime's words, or what is not supported and at which position.
 */
export function parseRegex(pattern: string): RegexNode {
  if (pattern.length > maxPatternLength)
    throw invalidRegex(`It is longer than ${maxPatternLength} characters.`, undefined, "Shorten it.");
  refuseFlags(pattern);
  checkSyntax(pattern);
  let at = 0;
  return parseChoice(0);

  function parseChoice(depth: number): RegexNode {
    if (depth > maxDepth) throw invalidRegex(`Groups are nested more than ${maxDepth} deep.`, at, "Flatten them.");
    const options = [parseSequence(depth)];
    while (pattern[at] === "|") {
      at++;
      options.push(parseSequence(depth));
    }
    return options.length === 1 ? options[0]! : { kind: "choice", options };
  }

  function parseSequence(depth: number): RegexNode {
    const parts: RegexNode[] = [];
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      const part = parseQuantifier(parseAtom(depth));
      if (part.kind === "sequence") parts.push(...part.parts);
      else if (part.kind !== "empty") parts.push(part);
    }
    return parts.length === 0 ? empty : parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
  }

  function parseAtom(depth: number): RegexNode {
    const start = at;
    switch (pattern[at]) {
      case "^":
        at++;
        return { kind: "assertion", assertion: "line-start" };
      case "$":
        at++;
        return { kind: "assertion", assertion: "line-end" };
      case ".":
        at++;
        return { kind: "one", source: ".", literal: undefined };
      case "(": {
        skipGroupHead();
        const body = parseChoice(depth + 1);
        at++;
        return body;
      }
      case "[":
        at++;
        while (pattern[at] !== "]") at += pattern[at] === "\\" ? 2 : 1;
        at++;
        return { kind: "one", source: pattern.slice(start, at), literal: undefined };
      case "\\":
        return parseEscape();
      default: {
        const literal = String.fromCodePoint(pattern.codePointAt(at)!);
        at += literal.length;
        return { kind: "one", source: escapeCodePoint(literal), literal };
      }
    }
  }

  function skipGroupHead(): void {
    const start = at;
    at++;
    if (pattern[at] !== "?") return;
    const head = matchAt(groupHead);
    if (head !== null) {
      at += head[0].length;
      return;
    }
    throw invalidRegex(
      "Look-ahead and look-behind are not supported.",
      start,
      "Match the surroundings as well, or use \\b, ^ and $.",
    );
  }

  function parseEscape(): RegexNode {
    const start = at;
    const next = pattern[at + 1]!;
    if (next === "b" || next === "B") {
      at += 2;
      return { kind: "assertion", assertion: next === "b" ? "boundary" : "no-boundary" };
    }
    if (next === "k" || (next >= "1" && next <= "9")) {
      throw invalidRegex("References back to a group are not supported.", start, "Write out what is to be repeated.");
    }
    const escape = escapeAt(pattern, at);
    at += escape.length;
    return { kind: "one", source: escape, literal: literalOf(escape) };
  }

  function parseQuantifier(body: RegexNode): RegexNode {
    const found = matchAt(quantifier);
    if (found === null) return body;
    const [sign, low, comma, high, question] = found;
    at += sign.length;
    let min = sign.startsWith("+") ? 1 : 0;
    let max = sign.startsWith("?") ? 1 : Infinity;
    if (low !== undefined) {
      min = Number(low);
      max = comma === "" ? min : high === "" ? Infinity : Number(high);
    }
    return max === 0 || body.kind === "empty" ? empty : { kind: "repeat", body, min, max, lazy: question === "?" };
  }

  function matchAt(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = at;
    return expression.exec(pattern);
  }
}

/** The whole escape that begins at a backslash. */
export function escapeAt(pattern: string, at: number): string {
  escaped.lastIndex = at;
  return escaped.exec(pattern)![0];
}

/** Refuses `(?i:…)`, whether this runtime knows it or not. */
function refuseFlags(pattern: string): void {
  for (const found of pattern.matchAll(escapeClassOrFlags)) {
    if (!found[0].startsWith("(?")) continue;
    throw invalidRegex(
      "Flags inside a pattern are not supported.",
      found.index,
      "Use the option ignoreCase (--ignore-case on the command line), or a class such as [aA].",
    );
  }
}

/** The runtime knows its own syntax best; what reads the pattern may rely on one that is well formed. */
function checkSyntax(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    // V8 puts the reason last, behind the pattern itself, which is nobody's business.
    const message = error instanceof Error ? error.message : "";
    const reason = message.includes("/u: ") ? message.slice(message.lastIndexOf("/u: ") + 4) : message;
    const told = reason === "" || reason.includes(pattern) ? "It is malformed" : reason;
    throw invalidRegex(
      `${told}.`,
      undefined,
      "Patterns are JavaScript's, in u mode; escape a sign with a backslash to mean itself.",
    );
  }
}

/** An `invalid-regex` that never repeats the pattern: it may be a query. */
export function invalidRegex(what: string, position: number | undefined, hint: string): IbidError {
  const where = position === undefined ? "" : ` (position ${position})`;
  return new IbidError("invalid-regex", `The pattern cannot be used${where}: ${what}`, {
    hint,
    ...(position === undefined ? {} : { details: { position } }),
  });
}

function escapeCodePoint(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** The one character that an escape stands for, or `undefined` for a class of several. */
export function literalOf(escape: string): string | undefined {
  if (/^\\[dDsSwWpP]/.test(escape)) return undefined;
  const pair = /^\\u([0-9a-fA-F]{4})\\u([0-9a-fA-F]{4})$/.exec(escape);
  if (pair !== null) return String.fromCharCode(Number.parseInt(pair[1]!, 16), Number.parseInt(pair[2]!, 16));
  const hex = /^\\(?:u\{([0-9a-fA-F]+)\}|[ux]([0-9a-fA-F]+))$/.exec(escape);
  if (hex !== null) return String.fromCodePoint(Number.parseInt(hex[1] ?? hex[2]!, 16));
  if (/^\\c[a-zA-Z]$/.test(escape)) return String.fromCharCode(escape.charCodeAt(2) % 32);
  const controls: Readonly<Record<string, string>> = { t: "\t", n: "\n", v: "\v", f: "\f", r: "\r", "0": "\0" };
  const sign = escape.slice(1);
  return controls[sign] ?? sign;
}
