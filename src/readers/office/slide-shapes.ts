import { imageText, oneLine } from "./clean-text.ts";
import { type GraphicText, type TextPiece, writeGraphic } from "./graphic-text.ts";
import { alternativesOf, elementsOf, findAll, findChild, type XmlElement } from "./read-xml.ts";
import { readSlideParagraph, readTextBody } from "./slide-text.ts";
import { writeTable } from "./table-text.ts";

/** Styles of a slide's layout and master for paragraphs in its placeholders. */
export interface SlideStyles {
  /** Placeholders of the layout. */
  readonly placeholders: readonly XmlElement[];
  /** The master's style of body text. */
  readonly bodyStyle: XmlElement | undefined;
}

/** Text of a slide. */
export interface SlideText {
  readonly title: string;
  readonly pieces: readonly TextPiece[];
}

/** Placeholders that every slide repeats. */
const furniture = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);
/** More than any layout has; each shape of a slide looks for its own among them. */
const maxPlaceholders = 100;
const titles = new Set(["title", "ctrTitle"]);

/**
 * The texts of a slide in the order of its shapes, its title apart.
 *
 * **Source** ISO/IEC 29500-1, 19.3.1 (slides), 20.1.2.2 (properties of shapes), 21.1.3 (tables).
 */
export function readSlideShapes(
  tree: XmlElement | undefined,
  styles: SlideStyles,
  graphics: ReadonlyMap<string, GraphicText>,
): SlideText {
  let title = "";
  const pieces: TextPiece[] = [];
  const writeImage = (shape: XmlElement): void => {
    const properties = propertiesOf(shape);
    const text = imageText(properties?.attributes.get("descr") || properties?.attributes.get("title"));
    if (text !== "") pieces.push({ text, block: { kind: "paragraph" } });
  };
  const readShape = (shape: XmlElement): void => {
    const placeholder = placeholderOf(shape);
    const type = placeholder?.attributes.get("type") ?? (placeholder === undefined ? "" : "obj");
    if (furniture.has(type)) return;
    const body = findChild(shape, "txBody");
    if (titles.has(type) && title === "") {
      title = oneLine(elementsOf(body).map(readSlideParagraph).join(" "));
      return;
    }
    const texts = readTextBody(body, inheritedStyles(body, placeholder, styles));
    if (texts.length === 0) writeImage(shape);
    pieces.push(...texts);
  };
  const readFrame = (frame: XmlElement): void => {
    const [table] = findAll(frame, "tbl");
    if (table !== undefined) pieces.push(readTable(table));
    const found = findAll(frame, "chart", "relIds").flatMap(({ attributes }) => {
      const graphic = graphics.get(attributes.get("r:id") ?? attributes.get("r:dm") ?? "");
      return graphic === undefined ? [] : writeGraphic(graphic);
    });
    pieces.push(...found);
    if (table === undefined && found.length === 0) writeImage(frame);
  };
  const readAll = (parent: XmlElement | undefined): void => {
    for (const child of elementsOf(parent)) {
      if (/^(?:1|true)$/.test(propertiesOf(child)?.attributes.get("hidden") ?? "")) continue;
      if (child.name === "sp") readShape(child);
      else if (child.name === "grpSp") readAll(child);
      else if (child.name === "graphicFrame") readFrame(child);
      else if (child.name === "pic") writeImage(child);
      else if (child.name === "AlternateContent") {
        const before = pieces.length;
        for (const branch of alternativesOf(child)) {
          if (pieces.length === before) readAll(branch);
        }
      }
    }
  };
  readAll(tree);
  return { title, pieces };
}

/** The speaker's notes of a slide. */
export function readSpeakerNotes(root: XmlElement | undefined): readonly TextPiece[] {
  if (root?.name !== "notes") return [];
  return findAll(root, "sp")
    .filter((shape) => placeholderOf(shape)?.attributes.get("type") === "body")
    .flatMap((shape) => readTextBody(findChild(shape, "txBody"), []));
}

/** The placeholders of a layout, for what slides inherit from them. */
export function listPlaceholders(layout: XmlElement | undefined): readonly XmlElement[] {
  return findAll(layout, "sp")
    .filter((shape) => placeholderOf(shape) !== undefined)
    .slice(0, maxPlaceholders);
}

/** The properties of a shape that stand under `nvSpPr`, `nvPicPr` and their like. */
function propertiesOf(shape: XmlElement): XmlElement | undefined {
  return findChild(
    elementsOf(shape).find(({ name }) => /^nv\w+Pr$/.test(name)),
    "cNvPr",
  );
}

function placeholderOf(shape: XmlElement): XmlElement | undefined {
  return findChild(shape, "nvSpPr", "nvPr", "ph");
}

/** Only placeholders for text have bullets of their own accord. */
function inheritedStyles(
  body: XmlElement | undefined,
  placeholder: XmlElement | undefined,
  { placeholders, bodyStyle }: SlideStyles,
): (XmlElement | undefined)[] {
  const own = findChild(body, "lstStyle");
  if (placeholder === undefined) return [own];
  const index = placeholder.attributes.get("idx");
  const type = placeholder.attributes.get("type");
  const model =
    placeholders.find((shape) => index !== undefined && placeholderOf(shape)?.attributes.get("idx") === index) ??
    placeholders.find((shape) => type !== undefined && placeholderOf(shape)?.attributes.get("type") === type);
  const isText = type === undefined || type === "body" || type === "obj" || type === "subTitle";
  return [own, findChild(model, "txBody", "lstStyle"), isText ? bodyStyle : undefined];
}

/** Cells that a merged one covers are in the file, and blank. */
function readTable(table: XmlElement): TextPiece {
  const rows = elementsOf(table).filter(({ name }) => name === "tr");
  const cells = rows.map((row) =>
    elementsOf(row)
      .filter(({ name }) => name === "tc")
      .map((cell) => {
        const isCovered = [cell.attributes.get("hMerge"), cell.attributes.get("vMerge")].some((merge) =>
          /^(?:1|true)$/.test(merge ?? ""),
        );
        const paragraphs = findAll(findChild(cell, "txBody"), "p");
        return { text: isCovered ? "" : paragraphs.map(readSlideParagraph).join(" ") };
      }),
  );
  const isHeaded = /^(?:1|true)$/.test(findChild(table, "tblPr")?.attributes.get("firstRow") ?? "");
  const { text, bodyStart } = writeTable(cells, isHeaded && rows.length > 1 ? 1 : 0);
  return { text, block: { kind: "table", bodyStart } };
}
