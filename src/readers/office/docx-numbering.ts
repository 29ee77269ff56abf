import { formatNumber } from "./number-label.ts";
import { type XmlElement, elementsOf, findChild, isOn, valueOf } from "./read-xml.ts";

/** The lists of a document, counting as it is read. */
export interface DocxNumbering {
  /** The label of the next paragraph of a list at a level (from 0): `- ` for a bullet, `2.1 ` for a number; `""` for one that shows none. */
  nextLabel(numId: string, level: number): string;
  /** The level of a list that a style is tied to. */
  levelOfStyle(numId: string, styleId: string): number | undefined;
}

/** One level of a list, as its definition states it. */
export interface ListLevel {
  readonly start: number;
  readonly format: string;
  /** `%1.%2` for the numbers of the first two levels with dots. */
  readonly pattern: string;
  /** Text between label and paragraph. */
  readonly gap: string;
  readonly isLegal: boolean;
  /** After which level it begins anew; 0 for never. */
  readonly restart: number | undefined;
  readonly styleId: string | undefined;
}

/** A list that is being counted. */
export interface CountedList {
  /** Lists that share a definition go on counting where the other stopped. */
  readonly counters: (number | undefined)[];
  readonly levels: ReadonlyMap<number, ListLevel>;
  /** Levels that this list begins anew, whatever was counted before. */
  readonly restarts: Map<number, number>;
}

const maxLevels = 9;
/** Longer than any label that people print. */
const maxPatternLength = 64;

/**
 * Counts the automatic numbers that the file leaves to Word, so that a clause can be found by the number that is printed before it.
 *
 * **Source** ISO/IEC 29500-1, 17.9.
 */
export function readDocxNumbering(root: XmlElement | undefined): DocxNumbering {
  const definitions = new Map<string, { levels: Map<number, ListLevel>; counters: (number | undefined)[] }>();
  const styleLinks = new Map<string, string>();
  const linked = new Map<string, string>();
  const lists = new Map<string, CountedList>();
  for (const element of elementsOf(root)) {
    if (element.name !== "abstractNum") continue;
    const id = element.attributes.get("abstractNumId") ?? "";
    definitions.set(id, { levels: readLevels(element), counters: [] });
    const owns = valueOf(element, "styleLink");
    const follows = valueOf(element, "numStyleLink");
    if (owns !== undefined) styleLinks.set(owns, id);
    if (follows !== undefined) linked.set(id, follows);
  }
  for (const element of elementsOf(root)) {
    if (element.name !== "num") continue;
    const stated = valueOf(element, "abstractNumId") ?? "";
    const definition = definitions.get(styleLinks.get(linked.get(stated) ?? "") ?? stated);
    if (definition === undefined) continue;
    const levels = new Map(definition.levels);
    const restarts = new Map<number, number>();
    for (const override of elementsOf(element).filter(({ name }) => name === "lvlOverride")) {
      const level = Number(override.attributes.get("ilvl") ?? "0");
      const start = valueOf(override, "startOverride");
      for (const [index, own] of readLevels(override)) levels.set(index, own);
      if (start !== undefined) restarts.set(level, readInteger(start, 1));
    }
    lists.set(element.attributes.get("numId") ?? "", { levels, counters: definition.counters, restarts });
  }
  return {
    nextLabel: (numId, level) => nextLabel(lists.get(numId), level),
    levelOfStyle(numId, styleId) {
      for (const [level, own] of lists.get(numId)?.levels ?? []) {
        if (own.styleId === styleId) return level;
      }
      return undefined;
    },
  };
}

/** The label of the next paragraph of a list at a level (from 0). It counts the list. */
export function nextLabel(list: CountedList | undefined, askedLevel: number): string {
  const level = Math.min(Math.max(askedLevel, 0), maxLevels - 1);
  const here = list?.levels.get(level);
  if (list === undefined || here === undefined) return "";
  count(list, level, here);
  if (here.format === "bullet") return "- ";
  const label = here.pattern
    .replace(/%([1-9])/g, (_, digit: string) => {
      const other = list.levels.get(Number(digit) - 1);
      const value = list.counters[Number(digit) - 1] ?? other?.start ?? 1;
      return formatNumber(value, here.isLegal && other?.format !== "none" ? "decimal" : (other?.format ?? "decimal"));
    })
    .trim();
  return label === "" ? "" : label + here.gap;
}

function count({ counters, levels, restarts }: CountedList, level: number, { start }: ListLevel): void {
  const restart = restarts.get(level);
  restarts.delete(level);
  counters[level] = restart ?? (counters[level] === undefined ? start : counters[level] + 1);
  for (let deeper = level + 1; deeper < maxLevels; deeper++) {
    const after = levels.get(deeper)?.restart;
    if (after === undefined || (after > 0 && level < after)) counters[deeper] = undefined;
  }
}

function readLevels(parent: XmlElement): Map<number, ListLevel> {
  const levels = new Map<number, ListLevel>();
  for (const element of elementsOf(parent)) {
    const level = Number(element.attributes.get("ilvl") ?? "");
    if (element.name !== "lvl" || !Number.isInteger(level) || level < 0 || level >= maxLevels) continue;
    const restart = valueOf(element, "lvlRestart");
    levels.set(level, {
      start: readInteger(valueOf(element, "start"), 0),
      format: valueOf(element, "numFmt") ?? findFormat(element),
      pattern: (valueOf(element, "lvlText") ?? "").slice(0, maxPatternLength),
      gap: valueOf(element, "suff") === "nothing" ? "" : " ",
      isLegal: isOn(element, "isLgl"),
      restart: restart === undefined ? undefined : readInteger(restart, 0),
      styleId: valueOf(element, "pStyle"),
    });
  }
  return levels;
}

/** Newer formats stand in alternatives. */
function findFormat(level: XmlElement): string {
  return findChild(level, "AlternateContent", "Fallback", "numFmt")?.attributes.get("val") ?? "decimal";
}

function readInteger(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= 0 && value < 1e9 ? value : otherwise;
}
