import { cleanText, unescapeControls } from "./clean-text.ts";
import type { TextPiece } from "./graphic-text.ts";
import { readMath } from "./math-text.ts";
import { formatNumber } from "./number-label.ts";
import { alternativesOf, elementsOf, findChild, textOf, type XmlElement } from "./read-xml.ts";

/** A paragraph of a shape. */
interface SlideParagraph {
  readonly text: string;
  readonly level: number;
  /** `""` for one without a bullet. */
  readonly label: string;
}

/**
 * The text of a shape: a list where its paragraphs have bullets or numbers, lines where they have none.
 *
 * **Shape** `styles` are what the paragraphs inherit from, nearest first: each has properties by level.
 * **Source** ISO/IEC 29500-1, 21.1.2 (DrawingML text), 21.1.2.4 (bullets and numbering).
 */
export function readTextBody(body: XmlElement | undefined, styles: readonly (XmlElement | undefined)[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let open: SlideParagraph[] = [];
  const settle = (): void => {
    const top = Math.min(...open.map(({ level }) => level));
    const isList = open.some(({ label }) => label !== "");
    const text = open
      .map((paragraph) => {
        const indent = isList ? "  ".repeat(paragraph.level - top) : "";
        return `${indent}${paragraph.label}${isList ? paragraph.text.replaceAll("\n", `\n${indent}  `) : paragraph.text}`;
      })
      .join("\n");
    if (text.trim() !== "") pieces.push({ text, block: { kind: isList ? "list" : "paragraph" } });
    open = [];
  };
  for (const paragraph of readParagraphs(body, styles)) {
    if (open[0] !== undefined && (open[0].label === "") !== (paragraph.label === "")) settle();
    if (paragraph.text.trim() !== "") open.push(paragraph);
  }
  settle();
  return pieces;
}

function readParagraphs(body: XmlElement | undefined, styles: readonly (XmlElement | undefined)[]): SlideParagraph[] {
  /** How far each level has counted, and in which format. */
  const counters: ({ type: string; value: number } | undefined)[] = [];
  return elementsOf(body)
    .filter(({ name }) => name === "p")
    .map((paragraph) => {
      const own = findChild(paragraph, "pPr");
      const level = Math.min(Math.max(Number(own?.attributes.get("lvl") ?? "0") || 0, 0), 8);
      const text = readSlideParagraph(paragraph);
      if (text.trim() === "") return { text: "", level, label: "" };
      counters.length = Math.min(counters.length, level + 1);
      const bullet = [own, ...styles.map((style) => findChild(style, `lvl${level + 1}pPr`))]
        .map(readBullet)
        .find((found) => found !== undefined);
      if (bullet?.name !== "buAutoNum") {
        counters[level] = undefined;
        return { text, level, label: bullet === undefined || bullet.name === "buNone" ? "" : "- " };
      }
      const type = bullet.attributes.get("type") ?? "arabicPeriod";
      const before = counters[level];
      const start = Number(bullet.attributes.get("startAt") ?? "1") || 1;
      const value = before?.type === type ? before.value + 1 : start;
      counters[level] = { type, value };
      return { text, level, label: `${formatAutomatic(type, value)} ` };
    });
}

function readBullet(properties: XmlElement | undefined): XmlElement | undefined {
  return elementsOf(properties).find(({ name }) => /^bu(?:None|Char|AutoNum|Blip)$/.test(name));
}

/** The text of one paragraph; fields give what they last showed. */
export function readSlideParagraph(paragraph: XmlElement): string {
  const read = (element: XmlElement): string => {
    switch (element.name) {
      case "t":
        return unescapeControls(textOf(element));
      case "br":
        return "\n";
      case "tab":
        return "\t";
      case "oMath":
      case "oMathPara":
        return readMath(element);
      case "pPr":
      case "rPr":
      case "endParaRPr":
        return "";
      case "AlternateContent": {
        const [first] = alternativesOf(element);
        return first === undefined ? "" : read(first);
      }
      default:
        return elementsOf(element).map(read).join("");
    }
  };
  return cleanText(read(paragraph));
}

const automaticFormats: readonly (readonly [prefix: string, format: string])[] = [
  ["alphaLc", "lowerLetter"],
  ["alphaUc", "upperLetter"],
  ["romanLc", "lowerRoman"],
  ["romanUc", "upperRoman"],
  ["circleNum", "decimalEnclosedCircle"],
  ["ea1Chs", "chineseCounting"],
  ["ea1Cht", "chineseCounting"],
];

function formatAutomatic(type: string, value: number): string {
  const format = automaticFormats.find(([prefix]) => type.startsWith(prefix))?.[1] ?? "decimal";
  const number = formatNumber(value, format);
  if (type.endsWith("ParenBoth")) return `(${number})`;
  if (type.endsWith("ParenR")) return `${number})`;
  return type.endsWith("Period") ? `${number}.` : number;
}
