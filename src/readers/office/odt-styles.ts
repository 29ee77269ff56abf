import type { LetterSetting } from "./docx-styles.ts";
import { formatNumber } from "./number-label.ts";
import { elementsOf, findAll, findChild, type XmlElement } from "./read-xml.ts";

/** The styles of an OpenDocument text, found by name. */
export interface OdtStyles {
  readonly styles: ReadonlyMap<string, XmlElement>;
  readonly lists: ReadonlyMap<string, XmlElement>;
  /** How headings are numbered. */
  readonly outline: XmlElement | undefined;
}

/** Styles rest on one another a few deep; a circle ends here. */
const maxBases = 32;

/** Named and automatic styles of the parts that hold any; of two with one name the later part's counts. */
export function readOdtStyles(...roots: readonly (XmlElement | undefined)[]): OdtStyles {
  const styles = new Map<string, XmlElement>();
  const lists = new Map<string, XmlElement>();
  let outline: XmlElement | undefined;
  for (const root of roots) {
    for (const group of [findChild(root, "styles"), findChild(root, "automatic-styles")]) {
      for (const element of elementsOf(group)) {
        if (element.name === "outline-style") outline = element;
        const name = element.attributes.get("name");
        if (name === undefined) continue;
        if (element.name === "style") styles.set(name, element);
        else if (element.name === "list-style") lists.set(name, element);
      }
    }
  }
  return { styles, lists, outline };
}

/** A style and what it rests on, nearest first. */
function lineOf({ styles }: OdtStyles, name: string | undefined): XmlElement[] {
  const line: XmlElement[] = [];
  let style = styles.get(name ?? "");
  while (style !== undefined && line.length < maxBases && !line.includes(style)) {
    line.push(style);
    style = styles.get(style.attributes.get("parent-style-name") ?? "");
  }
  return line;
}

/** Kind of paragraphs in a style. Names of the program's own styles are English in every language, with blanks as `_20_`. */
export function kindOfStyle(styles: OdtStyles, name: string | undefined): "title" | "code" | "quote" | "paragraph" {
  const names = [name, ...lineOf(styles, name).flatMap(({ attributes }) => [...attributes.values()])];
  if (names.includes("Title")) return "title";
  if (names.includes("Preformatted_20_Text")) return "code";
  return names.includes("Quotations") ? "quote" : "paragraph";
}

/** Whether text in a style is not shown. */
export function hidesText(styles: OdtStyles, name: string | undefined): boolean {
  const displays = lineOf(styles, name).map((style) => findChild(style, "text-properties")?.attributes.get("display"));
  return displays.find((display) => display !== undefined) === "none";
}

/** How a style sets letters, as far as it or its bases say. */
export function lettersOfStyle(styles: OdtStyles, name: string | undefined): LetterSetting {
  const known = letterSettings.get(styles) ?? new Map<string, LetterSetting>();
  letterSettings.set(styles, known);
  const before = known.get(name ?? "");
  if (before !== undefined) return before;
  const stated = lineOf(styles, name).map((style) => findChild(style, "text-properties")?.attributes);
  const weight = stated.map((each) => each?.get("font-weight")).find((each) => each !== undefined);
  const size = stated
    .map((each) => /^([\d.]+)pt$/u.exec(each?.get("font-size") ?? "")?.[1])
    .find((each) => each !== undefined);
  const setting = {
    ...(weight !== undefined && { isBold: weight === "bold" || Number(weight) >= 600 }),
    ...(size !== undefined && { size: Number(size) }),
  };
  known.set(name ?? "", setting);
  return setting;
}

const letterSettings = new WeakMap<OdtStyles, Map<string, LetterSetting>>();

/** The list style that paragraphs in a style bring with them. */
export function listOfStyle(styles: OdtStyles, name: string | undefined): string | undefined {
  return lineOf(styles, name)
    .map(({ attributes }) => attributes.get("list-style-name"))
    .find((list) => list !== undefined && list !== "");
}

/** Where a list begins to count at a level (from 0). */
export function startOfList({ lists }: OdtStyles, list: string | undefined, level: number): number {
  return Number(levelOf(lists.get(list ?? ""), level)?.attributes.get("start-value") ?? "1") || 1;
}

/** The label of an item: `- ` for a bullet, `2.1 ` for a number. `counters` are those of the outer levels and its own. */
export function labelOfItem({ lists }: OdtStyles, list: string | undefined, counters: readonly number[]): string {
  const level = counters.length - 1;
  const style = lists.get(list ?? "");
  return levelOf(style, level)?.name === "list-level-style-number" ? labelOf(style, counters) : "- ";
}

/**
 * The label of a heading: `2.1 `; `""` for one without a number. `counters` are those of its list so far, and count it.
 *
 * **Source** OASIS OpenDocument 1.3, part 3: 5.1.2 (headings), 16.33 (outline numbering). A style whose list has no name takes the number away.
 */
export function labelOfHeading(
  styles: OdtStyles,
  heading: XmlElement,
  level: number,
  countersOf: (list: string) => number[],
): string {
  const { attributes } = heading;
  const list = lineOf(styles, attributes.get("style-name"))
    .map((style) => style.attributes.get("list-style-name"))
    .find((name) => name !== undefined);
  const style = list === undefined ? styles.outline : styles.lists.get(list);
  const own = levelOf(style, level - 1);
  if (list === "" || own === undefined || attributes.get("is-list-header") === "true") return "";
  const counters = countersOf(list ?? "");
  const first = (at: number): number => Number(levelOf(style, at)?.attributes.get("start-value") ?? "1") || 1;
  const restarts = attributes.get("restart-numbering") === "true";
  const before = counters[level - 1];
  counters.length = Math.min(counters.length, level - 1);
  while (counters.length < level - 1) counters.push(first(counters.length));
  const next = before === undefined || restarts ? first(level - 1) : before + 1;
  counters.push((restarts && Number(attributes.get("start-value"))) || next);
  return own.name === "list-level-style-number" || own.name === "outline-level-style" ? labelOf(style, counters) : "";
}

function labelOf(style: XmlElement | undefined, counters: readonly number[]): string {
  const level = counters.length - 1;
  const own = levelOf(style, level);
  if (own === undefined) return "";
  const shown = Math.min(Math.max(Number(own.attributes.get("display-levels") ?? "1") || 1, 1), counters.length);
  const numbers = counters.slice(-shown).map((value, index) => {
    const shownLevel = levelOf(style, level - shown + 1 + index);
    const format = shownLevel?.attributes.get("num-format") ?? (shownLevel?.name === "outline-level-style" ? "" : "1");
    return formatNumber(value, formats.get(format) ?? "decimal");
  });
  // A level that has no number shows none of those above it.
  const number = numbers.at(-1) === "" ? "" : numbers.filter((text) => text !== "").join(".");
  if (number === "") return "";
  return `${own.attributes.get("num-prefix") ?? ""}${number}${own.attributes.get("num-suffix") ?? ""} `;
}

const formats: ReadonlyMap<string, string> = new Map([
  ["a", "lowerLetter"],
  ["A", "upperLetter"],
  ["i", "lowerRoman"],
  ["I", "upperRoman"],
  ["", "none"],
]);

function levelOf(style: XmlElement | undefined, level: number): XmlElement | undefined {
  const names = ["list-level-style-number", "list-level-style-bullet", "list-level-style-image", "outline-level-style"];
  return findAll(style, ...names).find(({ attributes }) => attributes.get("level") === String(level + 1));
}
