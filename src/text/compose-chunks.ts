import type { Section } from "../contracts/document.ts";
import type { JsonValue, Metadata } from "../contracts/metadata.ts";
import type { Span } from "./sentences.ts";

/** Media type of a document that was composed of chunks which were cut elsewhere. */
export const composedMediaType = "application/vnd.ibid.chunks";

const between = "\n\n";

/** A text that is composed of others, and where each of them stands in it. */
export interface ComposedText {
  readonly text: string;
  /** In the order of the parts. */
  readonly places: readonly Span[];
}

/** Joins texts in order, separated by a blank line. */
export function joinParts(parts: readonly string[]): ComposedText {
  const places: Span[] = [];
  let end = -between.length;
  for (const part of parts) {
    const start = end + between.length;
    places.push({ start, end: (end = start + part.length) });
  }
  return { text: parts.join(between), places };
}

/** A stretch of a text, and the titles that stand above it, outermost first. */
export interface HeadedSpan extends Span {
  readonly headings: readonly string[];
}

interface OpenSection extends Omit<Section, "end" | "children"> {
  end: number;
  readonly children: OpenSection[];
}

/**
 * Builds a section tree from stretches that name their headings: neighbours under one heading share its section.
 *
 * **Shape** a section runs from its first stretch to the start of the next section, or to the end of the text. `spans` ascend by `start`.
 */
export function sectionsOf(text: string, title: string, spans: readonly HeadedSpan[]): Section {
  const section = (id: string, name: string, level: number, start: number): OpenSection => {
    return { id, title: name, level, start, end: text.length, contentStart: start, children: [] };
  };
  const root = section("0", title, 0, 0);
  let open = [root];
  for (const { headings, start } of spans) {
    let shared = 0;
    while (shared < headings.length && open[shared + 1]?.title === headings[shared]) shared++;
    for (const closed of open.slice(shared + 1)) closed.end = start;
    open = open.slice(0, shared + 1);
    for (const heading of headings.slice(shared)) {
      const parent = open.at(-1)!;
      const child = section(`${parent.id}.${parent.children.length}`, heading, parent.level + 1, start);
      parent.children.push(child);
      open.push(child);
    }
  }
  return root;
}

/** The metadata that all have in common. */
export function sharedMetadata(all: readonly Metadata[]): Metadata {
  const [first = {}, ...others] = all;
  const isShared = ([key, value]: readonly [string, JsonValue | undefined]): boolean => {
    const json = JSON.stringify(value);
    return others.every((other) => Object.hasOwn(other, key) && JSON.stringify(other[key]) === json);
  };
  return Object.fromEntries(Object.entries(first).filter(isShared));
}
