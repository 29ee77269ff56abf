import { readClass } from "../../text/patterns/regex-class.ts";
import type { RegexNode } from "../../text/patterns/regex-syntax.ts";
import { anyDigits, anySpace, collectTrigrams, foldSymbol } from "./trigrams.ts";

/** Condition on a text for a pattern to match in it: trigrams, by their numbers, joined by "and" and "or". */
export type TrigramQuery =
  | { readonly kind: "any" | "none"; readonly size: 0 }
  | { readonly kind: "trigram"; readonly trigram: number; readonly size: 1 }
  | { readonly kind: "every" | "some"; readonly parts: readonly TrigramQuery[]; readonly size: number };

/** Every text may match. */
export const any: TrigramQuery = { kind: "any", size: 0 };
/** No text can match. */
const none: TrigramQuery = { kind: "none", size: 0 };

/** Strings that a part of a pattern is followed as, before only their ends are. **Source** between Cox's 7 and 20. */
const maxStrings = 16;
/** Characters up to which strings are followed whole. */
const maxLength = 128;
/** Characters of a string's end that are followed. */
const endLength = 4;
/** Most trigrams of one query. Others are left out, which only lets more texts pass. */
const maxSize = 256;
/** Repetitions that are written out. */
const maxCopies = 4;

/** Facts about the texts that a part of a pattern matches. Strings have folded characters, see `collectTrigrams`. */
interface Known {
  /** All of them, while they are few. */
  readonly exact: ReadonlySet<string> | undefined;
  /** Each begins with one of these, */
  readonly starts: ReadonlySet<string>;
  /** and ends with one of these. */
  readonly ends: ReadonlySet<string>;
  readonly needs: TrigramQuery;
}

const nothing: ReadonlySet<string> = new Set([""]);
const unknown: Known = { exact: undefined, starts: nothing, ends: nothing, needs: any };
const empty: Known = exactly(nothing);

/**
 * The trigrams that a text must have for the pattern to match in it, whether or not case matters.
 *
 * **Shape** `any` when the pattern says nothing of that kind, such as `.*` or `\w+`. At most 256 trigrams.
 * **Cost** linear in the pattern, but for sets of a few strings.
 * **Source** Cox, Regular Expression Matching with a Trigram Index (2012).
 */
export function requireTrigrams(tree: RegexNode): TrigramQuery {
  return open(know(tree)).needs;
}

function know(node: RegexNode): Known {
  switch (node.kind) {
    case "empty":
    case "assertion":
      return empty;
    case "one": {
      const symbols = node.literal === undefined ? symbolsOf(node.source) : new Set([fold(node.literal)]);
      return symbols === undefined ? unknown : exactly(symbols);
    }
    case "sequence":
      return node.parts.map(know).reduce(join);
    case "choice":
      return node.options.map(know).reduce(either);
    case "repeat":
      return repeat(know(node.body), node.min, node.max);
  }
}

function exactly(strings: ReadonlySet<string>): Known {
  return { exact: strings, starts: strings, ends: strings, needs: any };
}

function fold(character: string): string {
  return String.fromCodePoint(foldSymbol(character.codePointAt(0)!));
}

const digits = String.fromCodePoint(anyDigits);
const space = String.fromCodePoint(anySpace);

/** The few signs that a class stands for. */
function symbolsOf(source: string): ReadonlySet<string> | undefined {
  if (source === "\\d") return new Set([digits]);
  if (source === "\\s") return new Set([space]);
  const parts = source.startsWith("[") ? readClass(source) : undefined;
  if (parts === undefined) return undefined;
  const symbols = new Set<string>();
  for (const part of parts) {
    if ("escape" in part) {
      const [symbol, ...more] = symbolsOf(part.escape) ?? [];
      if (symbol === undefined || more.length > 0) return undefined;
      symbols.add(symbol);
    } else if (part.first >= 0x30 && part.last <= 0x39 && part.last - part.first > 2) {
      symbols.add(digits);
    } else {
      if (part.last - part.first > maxStrings * 2) return undefined;
      for (let point = part.first; point <= part.last; point++) symbols.add(fold(String.fromCodePoint(point)));
    }
  }
  return symbols.size > maxStrings ? undefined : symbols;
}

/** One after the other. Runs of white space are one, as in the index, and so are runs of digits that stand for any. */
function joinStrings(a: string, b: string): string {
  for (const sign of [space, digits]) if (a.endsWith(sign) && b.startsWith(sign)) return a + b.slice(sign.length);
  return a + b;
}

function cross(a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> {
  const joined = new Set<string>();
  for (const left of a) for (const right of b) joined.add(joinStrings(left, right));
  return joined;
}

function join(a: Known, b: Known): Known {
  if (a.exact !== undefined && b.exact !== undefined && a.exact.size * b.exact.size <= maxStrings) {
    const exact = cross(a.exact, b.exact);
    if (!someLong(exact)) return exactly(exact);
  }
  const [left, right] = [open(a), open(b)];
  return {
    exact: undefined,
    starts: a.exact === undefined ? left.starts : shorten(cross(a.exact, right.starts), "start"),
    ends: b.exact === undefined ? right.ends : shorten(cross(left.ends, b.exact), "end"),
    needs: every([left.needs, right.needs, oneOf(cross(left.ends, right.starts))]),
  };
}

function either(a: Known, b: Known): Known {
  if (a.exact !== undefined && b.exact !== undefined) {
    const exact = new Set([...a.exact, ...b.exact]);
    if (exact.size <= maxStrings) return exactly(exact);
  }
  const [left, right] = [open(a), open(b)];
  return {
    exact: undefined,
    starts: shorten(new Set([...left.starts, ...right.starts]), "start"),
    ends: shorten(new Set([...left.ends, ...right.ends]), "end"),
    needs: some([left.needs, right.needs]),
  };
}

function repeat(body: Known, min: number, max: number): Known {
  const { exact } = body;
  // One or more of a run of digits is a run of digits.
  const closed = exact !== undefined && [...cross(exact, exact)].every((string) => exact.has(string));
  if (min === 0) return closed || max === 1 ? either(empty, body) : unknown;
  if (closed) return body;
  let known = body;
  for (let copies = 1; copies < Math.min(min, maxCopies); copies++) known = join(known, body);
  return min === max && min <= maxCopies ? known : open(known);
}

/** Gives up knowing the strings themselves: what they need is noted, and their ends are kept. */
function open({ exact, starts, ends, needs }: Known): Known {
  if (exact === undefined) return { exact, starts, ends, needs };
  return {
    exact: undefined,
    starts: shorten(exact, "start"),
    ends: shorten(exact, "end"),
    needs: every([needs, oneOf(exact)]),
  };
}

function someLong(strings: ReadonlySet<string>): boolean {
  for (const string of strings) if (string.length > maxLength) return true;
  return false;
}

/** The strings' ends, fewer characters of them while there are too many. */
function shorten(strings: ReadonlySet<string>, side: "start" | "end"): ReadonlySet<string> {
  for (let length = endLength; length > 0; length--) {
    const ends = new Set<string>();
    for (const string of strings) {
      const characters = Array.from(string);
      ends.add((side === "start" ? characters.slice(0, length) : characters.slice(-length)).join(""));
    }
    if (ends.size <= maxStrings) return ends;
  }
  return nothing;
}

function oneOf(strings: ReadonlySet<string>): TrigramQuery {
  return some([...strings].map(trigramsOf));
}

function trigramsOf(string: string): TrigramQuery {
  const found = new Uint16Array(string.length * 2);
  const count = collectTrigrams(string, found);
  const distinct = new Set(found.subarray(0, count));
  return every([...distinct].map((trigram) => ({ kind: "trigram", trigram, size: 1 })));
}

function every(parts: readonly TrigramQuery[]): TrigramQuery {
  if (parts.some(({ kind }) => kind === "none")) return none;
  const kept: TrigramQuery[] = [];
  let size = 0;
  for (const part of flatten(parts, "every")) {
    if (part.kind === "any" || size + part.size > maxSize || kept.some((other) => same(other, part))) continue;
    kept.push(part);
    size += part.size;
  }
  return kept.length === 0 ? any : kept.length === 1 ? kept[0]! : { kind: "every", parts: kept, size };
}

function some(parts: readonly TrigramQuery[]): TrigramQuery {
  const kept = flatten(parts, "some").filter(({ kind }) => kind !== "none");
  const size = kept.reduce((sum, part) => sum + part.size, 0);
  if (kept.some(({ kind }) => kind === "any") || size > maxSize) return any;
  return kept.length === 0 ? none : kept.length === 1 ? kept[0]! : { kind: "some", parts: kept, size };
}

function flatten(parts: readonly TrigramQuery[], kind: "every" | "some"): TrigramQuery[] {
  return parts.flatMap((part) => (part.kind === kind ? part.parts : [part]));
}

function same(a: TrigramQuery, b: TrigramQuery): boolean {
  return a === b || (a.kind === "trigram" && b.kind === "trigram" && a.trigram === b.trigram);
}
