import { checkGiven } from "../runtime/check-options.ts";
import type { Section } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";

/** A heading as a reader found it: what it says, how deep, and where it and its text begin. */
export interface Heading {
  /** As a reader sees it, without markup. */
  readonly title: string;
  /** 1 to 6. */
  readonly level: number;
  /** First character of the heading in the canonical text. */
  readonly start: number;
  /** Just after the heading. */
  readonly contentStart: number;
  /** Where its section ends, when that is known to be before the next heading of its level: a definition in code. */
  readonly end?: number;
}

/** `end` is how far a section may reach, until the next heading says how far it does. */
type OpenSection = { -readonly [K in keyof Section]: Section[K] } & { children: OpenSection[] };

/**
 * Builds the section tree of a document from its headings in reading order.
 *
 * A section reaches to the next heading of its own or a lower level number, or to the end that its heading names. Text before the first heading belongs to the root.
 *
 * **Shape** as {@link Section} says: ids `"0"`, `"0.0"`, `"0.1"` …; levels may jump, and a jump makes one step down.
 * **Errors** `invalid-argument` when headings are out of order, outside the text, or of a level that is not 1 to 6.
 * **Cost** linear in the number of headings.
 * **Source** Embabel's hierarchical document.
 *
 * @experimental
 */
export function buildSections(text: string, title: string, headings: readonly Heading[]): Section {
  checkGiven("buildSections", "text", text, "text");
  checkGiven("buildSections", "title", title, "text");
  checkGiven("buildSections", "headings", headings, "list");
  const root: OpenSection = { id: "0", title, level: 0, start: 0, end: text.length, contentStart: 0, children: [] };
  const open: OpenSection[] = [root];
  let previous = 0;
  for (const [at, heading] of headings.entries()) {
    checkGiven("buildSections", `headings[${at}]`, heading, "object", { title: "text" });
    checkHeading(heading, previous, text.length);
    previous = heading.contentStart;
    let parent = open[open.length - 1] ?? root;
    while (parent.level >= heading.level || (parent !== root && parent.end <= heading.start)) {
      parent.end = Math.min(parent.end, heading.start);
      open.pop();
      parent = open[open.length - 1] ?? root;
    }
    const section: OpenSection = {
      id: `${parent.id}.${parent.children.length}`,
      title: heading.title,
      level: heading.level,
      start: heading.start,
      end: Math.min(heading.end ?? text.length, parent.end),
      contentStart: heading.contentStart,
      children: [],
    };
    parent.children.push(section);
    open.push(section);
  }
  return root;
}

function checkHeading(heading: Heading, previous: number, length: number): void {
  const { level, start, contentStart, end = length } = heading;
  const ordered = start >= previous && contentStart >= start && end >= contentStart && end <= length;
  if (
    ordered &&
    Number.isInteger(start) &&
    Number.isInteger(contentStart) &&
    Number.isInteger(level) &&
    level >= 1 &&
    level <= 6
  ) {
    return;
  }
  throw new IbidError(
    "invalid-argument",
    `A heading of level ${level} at ${start} to ${contentStart} does not fit the text.`,
    {
      hint: `Give headings of levels 1 to 6 in reading order, after ${previous} and within ${length} characters.`,
      details: { level, start, contentStart, previous, length },
    },
  );
}
