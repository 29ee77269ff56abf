import type { MarkupEvents } from "./markup-events.ts";

/** Words that a piece of inline markup shows. */
export interface InlinePiece {
  readonly text: string;
  /** Where a link leads. */
  readonly href?: string | undefined;
  /** Whether its text holds markup of its own. */
  readonly isNested?: boolean;
}

/** A form of inline markup. **Shape** `pattern` is sticky and finds the whole form; `show` has its groups. */
export interface InlineRule {
  readonly pattern: RegExp;
  readonly show: (match: RegExpExecArray) => InlinePiece;
}

/** Forms within forms; deeper ones are text. */
const maxNesting = 8;
/** Characters of a form; a longer one is text. The limit keeps marks that nothing closes from costing the rest of the text each. */
const maxForm = 1000;

/**
 * Writes a text without its inline markup: where a rule matches, what it shows, else the character itself.
 *
 * **Cost** the characters that may begin a form, times the rules, times 1,000 characters at most.
 */
export function writeInline(
  events: MarkupEvents,
  text: string,
  at: number,
  rules: readonly InlineRule[],
  starts: RegExp,
  depth = 0,
): void {
  let plain = 0;
  const flush = (end: number): void => events.text(text.slice(plain, end), at + plain);
  for (let index = 0; index < text.length;) {
    starts.lastIndex = index;
    const next = starts.exec(text)?.index;
    if (next === undefined) break;
    let matched = false;
    // The character before stands for what a rule looks back at.
    const before = Math.max(0, next - 1);
    const near = text.slice(before, next + maxForm);
    for (const { pattern, show } of rules) {
      pattern.lastIndex = next - before;
      const match = pattern.exec(near);
      if (match === null || match[0] === "") continue;
      flush(next);
      const piece = show(match);
      const inner = match[0].indexOf(piece.text);
      const from = at + next + Math.max(0, inner);
      if (piece.href !== undefined) events.open("a", from, { href: piece.href });
      if (piece.isNested === true && depth < maxNesting)
        writeInline(events, piece.text, from, rules, starts, depth + 1);
      else events.text(piece.text, from);
      if (piece.href !== undefined) events.close();
      index = plain = next + match[0].length;
      matched = true;
      break;
    }
    if (!matched) index = next + 1;
  }
  flush(text.length);
}

/** A rule that shows one of its groups. */
export function showGroup(pattern: RegExp, group = 1, isNested = false): InlineRule {
  return { pattern, show: (match) => ({ text: match[group] ?? "", isNested }) };
}

/** A rule for links: the group of the text, then that of the address, which stands for a missing text. */
export function showLink(pattern: RegExp, label: number, address: number): InlineRule {
  return {
    pattern,
    show: (match) => ({ text: match[label] || match[address] || "", href: match[address] }),
  };
}

/** A rule that shows nothing. */
export function hide(pattern: RegExp): InlineRule {
  return { pattern, show: () => ({ text: "" }) };
}
