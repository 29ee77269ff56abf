import { type Assertion, type CharacterSet, invalidRegex, type RegexNode } from "./regex-syntax.ts";

/** A step of a program: what must hold here, and where to go on. Choices prefer `next`. */
type State =
  | { readonly kind: "one"; readonly set: number; next: State }
  | { readonly kind: "assertion"; readonly assertion: Assertion; readonly next: State }
  | { readonly kind: "split"; next: State; other: State }
  | { readonly kind: "match" }
  | { readonly kind: "fail" };

export const match = 0;
export const fail = 1;
export const one = 2;
export const split = 3;
export const assertion = 4;

/**
 * A regular expression as numbered states. A state's successors that need no character have lower numbers than it.
 *
 * **Shape** columns run beside one another: `kinds` as this module's constants; `next` and, of a split, `other`; `sets` the index into `characterSets` of
 * a state that takes a character; `assertions` of one that asks about its place.
 */
export interface RegexProgram {
  readonly size: number;
  readonly start: number;
  readonly kinds: Uint8Array;
  readonly next: Uint16Array;
  readonly other: Uint16Array;
  readonly sets: Uint16Array;
  readonly assertions: readonly (Assertion | undefined)[];
  /** The distinct one-character patterns. */
  readonly characterSets: readonly CharacterSet[];
}

const maxStates = 4000;
const maxCharacterSets = 1000;

/**
 * Translates a tree into states, in JavaScript's order of preference.
 *
 * JavaScript refuses an iteration that matched nothing, once the minimum is done. So a loop's body that can match
 * nothing is translated twice. The first copy serves an iteration that has read nothing yet; its end fails. The second
 * serves the time afterwards. Therefore no loop comes back without a character.
 *
 * **Errors** `invalid-regex` for more than 4000 states or 1000 different characters and classes.
 * **Source** Thompson, Regular Expression Search Algorithm (1968); ECMA-262 RepeatMatcher; the double translation after Frisch and Cardelli, Greedy
 * Regular Expression Matching (2004).
 */
export function compileRegex(tree: RegexNode): RegexProgram {
  const characterSets: CharacterSet[] = [];
  const indices = new Map<string, number>();
  let built = 0;
  const matched: State = { kind: "match" };
  const failed: State = { kind: "fail" };
  return number(translate(tree, matched), characterSets);

  function make<S extends State>(state: S): S {
    if (++built > maxStates) {
      throw invalidRegex(
        `Written out, its repetitions need more than ${maxStates} steps.`,
        undefined,
        "Use smaller counts, or * and +.",
      );
    }
    return state;
  }

  /** A split without targets yet, because a loop leads back to itself. */
  function makeOpen(): State & { kind: "split" } {
    return make({ kind: "split", next: failed, other: failed });
  }

  function setOf({ source, literal }: CharacterSet): number {
    let index = indices.get(source);
    if (index === undefined) {
      if (characterSets.length >= maxCharacterSets) {
        throw invalidRegex(
          `It names more than ${maxCharacterSets} different characters and classes.`,
          undefined,
          "Use ranges.",
        );
      }
      index = characterSets.push({ source, literal }) - 1;
      indices.set(source, index);
    }
    return index;
  }

  /** The states that match `node` and go on with `then`. */
  function translate(node: RegexNode, then: State): State {
    switch (node.kind) {
      case "empty":
        return then;
      case "one":
        return make({ kind: "one", set: setOf(node), next: then });
      case "assertion":
        return make({ kind: "assertion", assertion: node.assertion, next: then });
      case "sequence":
        return node.parts.reduceRight((after, part) => translate(part, after), then);
      case "choice":
        return choose(node.options.map((option) => translate(option, then)));
      case "repeat": {
        let state = repeatOptionally(node, then);
        for (let i = 0; i < node.min; i++) state = translate(node.body, state);
        return state;
      }
    }
  }

  /** The iterations after the minimum: each must read something. */
  function repeatOptionally(node: RegexNode & { readonly kind: "repeat" }, then: State): State {
    const { body, min, max, lazy } = node;
    if (max === Infinity) {
      const loop = makeOpen();
      connect(loop, translateReading(body, failed, loop), then, lazy);
      return loop;
    }
    let state = then;
    for (let i = min; i < max; i++) {
      const optional = makeOpen();
      connect(optional, translateReading(body, failed, state), then, lazy);
      state = optional;
    }
    return state;
  }

  /** As {@link translate} while nothing has been read: goes on with `unread` if it still has not, with `read` if it has. */
  function translateReading(node: RegexNode, unread: State, read: State): State {
    if (!canBeEmpty(node)) return translate(node, read);
    switch (node.kind) {
      case "empty":
        return unread;
      case "one":
        return translate(node, read);
      case "assertion":
        return translate(node, unread);
      case "sequence": {
        let [before, after] = [unread, read];
        for (const part of node.parts.toReversed()) {
          before = translateReading(part, before, after);
          after = translate(part, after);
        }
        return before;
      }
      case "choice":
        return choose(node.options.map((option) => translateReading(option, unread, read)));
      case "repeat": {
        const { body, min, max, lazy } = node;
        const rest = (done: number): RegexNode => ({ kind: "repeat", body, min: 0, max: max - done, lazy });
        // Behind the minimum an iteration reads, or there is none.
        let before = unread;
        if (max > min) {
          const loop = makeOpen();
          connect(
            loop,
            translateReading(body, failed, max - min > 1 ? translate(rest(min + 1), read) : read),
            unread,
            lazy,
          );
          before = loop;
        }
        let after = max > min ? translate(rest(min), read) : read;
        for (let i = 0; i < min; i++) {
          before = translateReading(body, before, after);
          after = translate(body, after);
        }
        return before;
      }
    }
  }

  function choose(states: readonly State[]): State {
    return states.reduceRight((other, next) => make({ kind: "split", next, other }));
  }
}

function connect(state: State & { kind: "split" }, body: State, then: State, lazy: boolean): void {
  state.next = lazy ? then : body;
  state.other = lazy ? body : then;
}

function canBeEmpty(node: RegexNode): boolean {
  switch (node.kind) {
    case "one":
      return false;
    case "empty":
    case "assertion":
      return true;
    case "sequence":
      return node.parts.every(canBeEmpty);
    case "choice":
      return node.options.some(canBeEmpty);
    case "repeat":
      return node.min === 0 || canBeEmpty(node.body);
  }
}

/** Numbers the states that can be reached, those first that others need at the same position. */
function number(start: State, characterSets: readonly CharacterSet[]): RegexProgram {
  const numbers = new Map<State, number>();
  const ordered: State[] = [];
  const pending: State[] = [start];
  // Depth first without recursion; what a character leads to is a new beginning.
  while (pending.length > 0) {
    const stack: { state: State; expanded: boolean }[] = [{ state: pending.pop()!, expanded: false }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const { state } = top;
      if (numbers.has(state)) {
        stack.pop();
      } else if (top.expanded) {
        stack.pop();
        numbers.set(state, ordered.push(state) - 1);
      } else {
        top.expanded = true;
        if (state.kind === "split")
          stack.push({ state: state.other, expanded: false }, { state: state.next, expanded: false });
        else if (state.kind === "assertion") stack.push({ state: state.next, expanded: false });
        else if (state.kind === "one") pending.push(state.next);
      }
    }
  }
  const size = ordered.length;
  const kinds = new Uint8Array(size);
  const next = new Uint16Array(size);
  const other = new Uint16Array(size);
  const sets = new Uint16Array(size);
  const assertions = Array.from<unknown, Assertion | undefined>({ length: size }, () => undefined);
  const numeral = { match, fail, one, split, assertion };
  for (const [i, state] of ordered.entries()) {
    kinds[i] = numeral[state.kind];
    if (state.kind === "match" || state.kind === "fail") continue;
    next[i] = numbers.get(state.next)!;
    if (state.kind === "split") other[i] = numbers.get(state.other)!;
    else if (state.kind === "one") sets[i] = state.set;
    else assertions[i] = state.assertion;
  }
  return { size, start: numbers.get(start)!, kinds, next, other, sets, assertions, characterSets };
}
