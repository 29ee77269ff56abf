import { checkOptions } from "../../runtime/check-options.ts";
import { assertion, compileRegex, fail, match, one, type RegexProgram, split } from "./regex-program.ts";
import { createRegexSymbols, lineTerminator, type RegexSymbols, wordSymbol } from "./regex-symbols.ts";
import { parseRegex, type RegexNode } from "./regex-syntax.ts";

export interface LinearRegexOptions {
  /** Default false. */
  readonly ignoreCase?: boolean;
}

/** A pattern that is matched in time linear in the text, whatever the two are. */
export interface LinearRegex {
  /** Whether it matches anywhere; also when all it matches is the empty string. */
  test(text: string): boolean;
  /**
   * Where it matches: leftmost first, as JavaScript prefers, without overlap, in order. Empty matches are left out.
   *
   * **Units** UTF-16 code units, half open.
   */
  findAll(text: string): { start: number; end: number }[];
}

/** Positions whose viable states are held at once; the others are computed again when they are needed. */
const blockLength = 4096;
/** Bytes of remembered state sets before they are forgotten. */
const maxCacheBytes = 8_000_000;

/**
 * Compiles a pattern in the syntax of JavaScript's `u` mode, with `^` and `$` at lines.
 *
 * Literals, escapes, `.`, classes, `\p{…}`, alternation, greedy and lazy quantifiers and `^ $ \b \B` mean the same as
 * in JavaScript. Groups capture nothing. The matches are those of `matchAll` with flags `gmu` (`gimu`). A surrogate
 * pair is never split.
 *
 * It reads the text backwards once, to learn the states from which each position can reach a match. Then it reads forwards along the preferred way
 * that does, and never tries a way in vain. So even all matches together take linear time, unlike with backtracking or repeated forward search.
 *
 * **Errors** `invalid-regex` for a syntax error, and for look-around, back-references and inline flags, with their
 * position. The same for more than 10,000 characters, 200 levels, or 4000 steps once counted repetitions are written
 * out.
 * **Cost** text length times pattern size at worst. Mostly a few look-ups per character, for state sets repeat; some 140 MB/s without a match, 15 MB/s with many.
 * **Source** Rabin and Scott's subset construction, built lazily, over reversed text; preference after ECMA-262.
 */
export function compileLinearRegex(pattern: string, options: LinearRegexOptions = {}): LinearRegex {
  checkOptions("compileLinearRegex", options, { ignoreCase: true });
  const ignoreCase = options.ignoreCase === true;
  const tree = parseRegex(pattern);
  const program = compileRegex(tree);
  const automaton = createAutomaton(program, ignoreCase);
  const literal = ignoreCase ? "" : requiredLiteral(tree);

  return {
    test: (text) => text.includes(literal) && automaton.test(text),
    findAll: (text) => (text.includes(literal) ? automaton.findAll(text) : []),
  };
}

/** The states from which a match can still be reached at some position, and where one more character in front leads. */
interface StateSet {
  readonly viable: Uint8Array;
  /** Whether a match can begin there. */
  readonly starts: boolean;
  /** By symbol and context. */
  readonly before: (StateSet | undefined)[];
}

const noSymbol = -1;
const contexts = 8;
const atLineStart = 1;
const atLineEnd = 2;
const atBoundary = 4;

function createAutomaton(program: RegexProgram, ignoreCase: boolean): LinearRegex {
  const asksTraits = program.kinds.includes(assertion);
  const symbols = createRegexSymbols(program.characterSets, ignoreCase, asksTraits);
  const known = new Map<string, StateSet>();
  const maxKnown = Math.max(64, Math.floor(maxCacheBytes / (program.size * 2 + 256)));
  const step = createStep(program, symbols);
  const nothing: StateSet = { viable: new Uint8Array(program.size), starts: false, before: [] };

  /** The set at a position, from the set behind the character there (`noSymbol` at the end of the text). */
  const setBefore = (after: StateSet, symbol: number, context: number): StateSet => {
    const index = (symbol + 1) * contexts + context;
    let set = after.before[index];
    if (set === undefined) {
      const viable = step(after.viable, symbol, context);
      const key = keyOf(viable);
      set = known.get(key);
      if (set === undefined) {
        if (known.size >= maxKnown) forget();
        set = { viable, starts: viable[program.start] === 1, before: [] };
        known.set(key, set);
      }
      after.before[index] = set;
    }
    return set;
  };
  const forget = (): void => {
    for (const set of known.values()) set.before.length = 0;
    nothing.before.length = 0;
    known.clear();
  };

  const { ascii, traits } = symbols;
  /** Context of a place between two symbols, for assertions. */
  const contextOf = (left: number, right: number): number => {
    const before = left === noSymbol ? lineTerminator : traits[left]!;
    const behind = right === noSymbol ? lineTerminator : traits[right]!;
    return (
      ((before & lineTerminator) !== 0 ? atLineStart : 0) |
      ((behind & lineTerminator) !== 0 ? atLineEnd : 0) |
      (((before ^ behind) & wordSymbol) !== 0 ? atBoundary : 0)
    );
  };
  const symbolEndingAt = (text: string, end: number): number => {
    if (end === 0) return noSymbol;
    const unit = text.charCodeAt(end - 1);
    if (unit < 0x80) return ascii[unit]!;
    return symbols.of(isLow(unit) ? codePointEndingAt(text, end) : unit);
  };
  const setAtEnd = (text: string): StateSet => {
    const context = asksTraits ? contextOf(symbolEndingAt(text, text.length), noSymbol) : 0;
    return setBefore(nothing, noSymbol, context);
  };

  /**
   * Walks from `from`, whose set is `set`, back to `to` or half a surrogate pair beyond. Notes the sets in `sets`, whose first is of position `to`;
   * without them, stops where a match can begin.
   */
  const walkBack = (
    text: string,
    from: number,
    set: StateSet,
    to: number,
    sets?: (StateSet | undefined)[],
  ): StateSet => {
    let current = set;
    let at = from;
    let symbol = symbolEndingAt(text, at);
    while (at > to) {
      const wide = text.charCodeAt(at - 1) >= 0x80 && widthEndingAt(text, at) === 2;
      at -= wide ? 2 : 1;
      const unit = at > 0 ? text.charCodeAt(at - 1) : 0x80;
      const left = unit < 0x80 ? ascii[unit]! : symbolEndingAt(text, at);
      const context = asksTraits ? contextOf(left, symbol) : 0;
      current = current.before[(symbol + 1) * contexts + context] ?? setBefore(current, symbol, context);
      symbol = left;
      if (sets !== undefined) {
        if (at >= to) sets[at - to] = current;
      } else if (current.starts) {
        break;
      }
    }
    return current;
  };

  const test = (text: string): boolean => {
    const last = setAtEnd(text);
    return last.starts || walkBack(text, text.length, last, 0).starts;
  };

  const findAll = (text: string): { start: number; end: number }[] => {
    const found: { start: number; end: number }[] = [];
    const last = setAtEnd(text);
    if (!last.starts && !walkBack(text, text.length, last, 0).starts) return found;

    // The sets of one block are held at a time, from the front; of the others, those at their ends.
    const ends: { readonly end: number; readonly set: StateSet }[] = [{ end: text.length, set: last }];
    const sets: (StateSet | undefined)[] = [];
    for (let end = text.length; end > blockLength;) {
      const start = toBoundary(text, end - blockLength);
      walkBack(text, end, ends[ends.length - 1]!.set, start, sets);
      ends.push({ end: start, set: sets[0]! });
      end = start;
    }
    let blockStart = 0;
    let blockEnd = -1;
    const setAt = (at: number): StateSet => {
      while (at > blockEnd) {
        const block = ends.pop()!;
        blockStart = Math.max(0, blockEnd);
        blockEnd = block.end;
        sets[blockEnd - blockStart] = block.set;
        walkBack(text, blockEnd, block.set, blockStart, sets);
      }
      return sets[at - blockStart]!;
    };

    for (let at = 0; at < text.length;) {
      const end = setAt(at).starts ? followPreferred(text, at, setAt) : at;
      if (end > at) found.push({ start: at, end });
      at = end > at ? end : at + widthAt(text, at);
    }
    return found;
  };

  /** Where the preferred match that begins at `start` ends. There is one. */
  const followPreferred = (text: string, start: number, setAt: (at: number) => StateSet): number => {
    const { kinds, next, other } = program;
    let state = program.start;
    let at = start;
    let { viable } = setAt(at);
    for (;;) {
      const kind = kinds[state]!;
      if (kind === match) return at;
      if (kind === split) {
        state = viable[next[state]!] === 1 ? next[state]! : other[state]!;
        continue;
      }
      if (kind === one) {
        at += widthAt(text, at);
        ({ viable } = setAt(at));
      }
      state = next[state]!;
    }
  };

  return { test, findAll };
}

/**
 * Computes the set in front of a character in one pass over the states. Each state needs only states with a lower
 * number or behind the character.
 */
function createStep(
  program: RegexProgram,
  symbols: RegexSymbols,
): (after: Uint8Array, symbol: number, context: number) => Uint8Array {
  const { size, kinds, next, other, sets, assertions } = program;
  return (after, symbol, context) => {
    const viable = new Uint8Array(size);
    for (let state = 0; state < size; state++) {
      switch (kinds[state]) {
        case match:
          viable[state] = 1;
          break;
        case fail:
          break;
        case one:
          if (symbol !== noSymbol && after[next[state]!] === 1 && symbols.has(symbol, sets[state]!)) viable[state] = 1;
          break;
        case split:
          viable[state] = viable[next[state]!]! | viable[other[state]!]!;
          break;
        default:
          if (viable[next[state]!] === 1 && holds(assertions[state]!, context)) viable[state] = 1;
      }
    }
    return viable;
  };
}

function holds(kind: NonNullable<RegexProgram["assertions"][number]>, context: number): boolean {
  switch (kind) {
    case "line-start":
      return (context & atLineStart) !== 0;
    case "line-end":
      return (context & atLineEnd) !== 0;
    case "boundary":
      return (context & atBoundary) !== 0;
    case "no-boundary":
      return (context & atBoundary) === 0;
  }
}

function keyOf(viable: Uint8Array): string {
  let key = "";
  for (let i = 0; i < viable.length;) {
    let unit = 0;
    for (let bit = 0; bit < 15 && i < viable.length; bit++, i++) unit |= viable[i]! << bit;
    key += String.fromCharCode(unit);
  }
  return key;
}

/** The longest text that every match holds; `""` when none is known. */
function requiredLiteral(node: RegexNode): string {
  switch (node.kind) {
    case "one":
      return node.literal ?? "";
    case "repeat":
      return node.min > 0 ? requiredLiteral(node.body) : "";
    case "sequence": {
      let best = "";
      let run = "";
      for (const part of node.parts) {
        run = part.kind === "one" && part.literal !== undefined ? run + part.literal : "";
        const candidate = run === "" ? requiredLiteral(part) : run;
        if (candidate.length > best.length) best = candidate;
      }
      return best;
    }
    default:
      return "";
  }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

function widthAt(text: string, at: number): 1 | 2 {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
}

function widthEndingAt(text: string, end: number): 1 | 2 {
  return isLow(text.charCodeAt(end - 1)) && end > 1 && isHigh(text.charCodeAt(end - 2)) ? 2 : 1;
}

/** The position itself, or the one before when it would split a surrogate pair. */
function toBoundary(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

function codePointEndingAt(text: string, end: number): number {
  return text.codePointAt(end - widthEndingAt(text, end))!;
}
