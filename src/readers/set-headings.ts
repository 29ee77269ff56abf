import type { Block, Section } from "../contracts/document.ts";

import { buildSections } from "./build-sections.ts";

/** How the letters of a paragraph are set. */
export interface Setting {
  readonly letters: number;
  /** Number of its letters that are bold. */
  readonly bold: number;
  /** Size in which its first letters are set; 0 where it is unknown. **Units** points. */
  readonly size: number;
}

/** Counts the letters of a text that is set in one way, with the signs and spaces among them. */
export function countLetters(
  setting: { -readonly [Key in keyof Setting]: Setting[Key] },
  text: string,
  { isBold = false, size = 0 }: { readonly isBold?: boolean; readonly size?: number },
): void {
  const count = text.trim().length;
  if (count === 0) return;
  if (setting.letters === 0) setting.size = size;
  setting.letters += count;
  if (isBold) setting.bold += count;
}

type Draft = { readonly text: string; readonly root: Section; readonly blocks: readonly Block[] };

/** Letters this much larger than the text's are a heading's. */
const largerThanText = 1.12;
/** A heading is no longer than this. **Units** UTF-16 code units. */
const longestHeading = 120;
/** Where more of the letters are bold, or more of the paragraphs would be headings, bold says nothing. */
const [mostBold, mostHeadings] = [0.4, 0.5];
/** So many in a row head nothing: an address, the lines of a cover. */
const mostInARow = 4;

/** Collects how paragraphs are set, to find headings in a document that states none. */
export interface SetHeadings {
  /** A paragraph of running text, that is written at `start`. */
  add(start: number, text: string, setting: Setting): void;
  /** The document, with its bold or larger lines as headings where it has none but its title. */
  applyTo<T extends Draft>(draft: T): T;
}

/**
 * Finds headings by their letters in documents whose writer used no styles for them.
 *
 * A heading is one short line of its own, wholly bold or in larger letters. It ends as no sentence does, and has text below it.
 * Larger letters stand above smaller ones, and bold letters of the text's size below all.
 *
 * **Shape** the text stays as it is; paragraphs become headings. **Cost** linear in the paragraphs.
 */
export function createSetHeadings(): SetHeadings {
  const paragraphs: (Setting & { readonly start: number; readonly isLine: boolean })[] = [];
  return {
    add(start, text, setting) {
      const line = text.trim();
      const isLine =
        line.length <= longestHeading &&
        !/[\n\t@]/u.test(line) &&
        /\p{L}.*\p{L}/u.test(line) &&
        !/[.,;:!،；。，]$/u.test(line) &&
        !/^[-–—•*]/u.test(line);
      if (line !== "") paragraphs.push({ ...setting, start, isLine });
    },
    applyTo(draft) {
      const stated = draft.blocks.filter(({ kind }) => kind === "heading");
      if (stated.length > 1) return draft;
      const levels = findLevels(paragraphs, draft.blocks);
      if (levels.size === 0) return draft;
      const blocks = draft.blocks.map((block): Block =>
        block.kind === "paragraph" && levels.has(block.start)
          ? { kind: "heading", start: block.start, end: block.end }
          : block,
      );
      const by = stated.length;
      const headings = blocks
        .filter(({ kind }) => kind === "heading")
        .map(({ start, end }) => {
          const level = levels.get(start);
          return {
            title: draft.text.slice(start, end),
            level: Math.min(6, level === undefined ? 1 : level + by),
            start,
            contentStart: end,
          };
        });
      return { ...draft, blocks, root: buildSections(draft.text, draft.root.title, headings) };
    },
  };
}

/** Levels of the paragraphs that are headings, by where they start. */
function findLevels(
  paragraphs: readonly (Setting & { readonly start: number; readonly isLine: boolean })[],
  blocks: readonly Block[],
): ReadonlyMap<number, number> {
  const lengths = new Map<number, number>();
  let [all, bold] = [0, 0];
  for (const { letters, bold: own, size } of paragraphs) {
    lengths.set(size, (lengths.get(size) ?? 0) + letters);
    all += letters;
    bold += own;
  }
  const text = [...lengths].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
  const isBoldUsual = bold > all * mostBold;
  const isLarge = ({ size }: Setting): boolean => text > 0 && size >= text * largerThanText;
  const set = new Map(
    paragraphs
      .filter((each) => each.isLine)
      .filter(
        (each) =>
          isLarge(each) || (!isBoldUsual && each.bold >= each.letters && (text === 0 || each.size >= text * 0.95)),
      )
      .map((each) => [each.start, each] as const),
  );
  // Only those with text below them, and few enough in a row.
  const kept: Setting[] = [];
  const starts: number[] = [];
  let row: number[] = [];
  for (const block of [...blocks, undefined]) {
    if (block !== undefined && set.has(block.start)) {
      row.push(block.start);
      continue;
    }
    if (block !== undefined && row.length < mostInARow) starts.push(...row);
    row = [];
  }
  for (const start of starts) kept.push(set.get(start)!);
  if (kept.length > paragraphs.length * mostHeadings) return new Map();
  const sizes = [...new Set(kept.filter(isLarge).map(({ size }) => size))].toSorted((one, other) => other - one);
  return new Map(
    starts.map((start) => {
      const own = set.get(start)!;
      return [start, isLarge(own) ? sizes.indexOf(own.size) + 1 : sizes.length + 1] as const;
    }),
  );
}
