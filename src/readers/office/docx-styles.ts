import { type XmlElement, elementsOf, findChild, isOn, valueOf } from "./read-xml.ts";

/** Properties that a style, with its bases, gives to paragraphs. */
export interface ParagraphStyle {
  /** 1 to 9 for a heading; the document's title counts as 1. */
  readonly level?: number;
  readonly isTitle: boolean;
  readonly kind: "paragraph" | "code" | "quote";
  /** The list that its paragraphs are numbered in, and how deep; `numId` 0 takes them out of any. */
  readonly numId?: string;
  readonly listLevel?: number;
  readonly isHidden: boolean;
  /** Whether its paragraphs are entries of a table of contents or of an index. */
  readonly isContents?: boolean;
}

/** The styles of a document. */
export interface DocxStyles {
  /** Without an id, the default paragraph style. */
  paragraph(id: string | undefined): ParagraphStyle;
  /** Whether text in this character style is not shown. */
  hidesText(id: string): boolean;
  /** How the text of a style is set, of paragraphs or characters; without an id, of the default paragraph style. */
  setting(id: string | undefined): LetterSetting;
}

/** How letters are set, as far as it is stated. */
export interface LetterSetting {
  readonly isBold?: boolean;
  /** **Units** points. */
  readonly size?: number;
}

/** Run properties, as far as they set letters. **Source** ISO/IEC 29500-1, 17.3.2.1 and 17.3.2.38 (half points). */
export function readLetters(properties: XmlElement | undefined): LetterSetting {
  const size = Number(valueOf(properties, "sz") ?? Number.NaN) / 2;
  return {
    ...(findChild(properties, "b") !== undefined && { isBold: isOn(properties, "b") }),
    ...(size > 0 && { size }),
  };
}

/** Styles rest on one another a few deep; a circle ends here. */
const maxBases = 32;
const plain: ParagraphStyle = { isTitle: false, kind: "paragraph", isHidden: false };

/**
 * Names of heading styles as the languages of Word write their ids, for a document that does not hold the style it uses.
 * Within a document the name is always English and the id is not looked at.
 */
const headingIds =
  /^(?:heading|berschrift|titre|ttulo|titolo|titulo|kop|rubrik|overskrift|otsikko|nagwek|nagowek|nadpis|cmsor|balk|bal|titlu|naslov|antrat|virsraksts|pealkiri|)[ _-]?([1-9])$/i;

/**
 * Reads styles, with what they inherit.
 *
 * A heading is what has an outline level; a style called `heading 1` is one without. Body text (level 9 of the format) is none.
 *
 * **Source** ISO/IEC 29500-1, 17.7 (styles) and 17.3.1.20 (outline levels).
 */
export function readDocxStyles(root: XmlElement | undefined): DocxStyles {
  const byId = new Map<string, XmlElement>();
  let defaultId: string | undefined;
  const usual = readLetters(findChild(findChild(findChild(root, "docDefaults"), "rPrDefault"), "rPr"));
  for (const style of elementsOf(root)) {
    const id = style.attributes.get("styleId");
    if (style.name !== "style" || id === undefined) continue;
    byId.set(id, style);
    const isDefault = /^(?:1|true|on)$/.test(style.attributes.get("default") ?? "");
    if (isDefault && style.attributes.get("type") === "paragraph") defaultId = id;
  }
  const lineOf = (id: string): XmlElement[] => {
    const line: XmlElement[] = [];
    let style = byId.get(id);
    while (style !== undefined && line.length < maxBases && !line.includes(style)) {
      line.push(style);
      style = byId.get(valueOf(style, "basedOn") ?? "");
    }
    return line;
  };
  const known = new Map<string, ParagraphStyle>();
  const settings = new Map<string, LetterSetting>();
  return {
    paragraph(asked) {
      const id = asked ?? defaultId;
      if (id === undefined) return plain;
      const style = known.get(id) ?? (byId.has(id) ? inherit(lineOf(id)) : styleOfId(id));
      known.set(id, style);
      return style;
    },
    hidesText: (id) => hides(lineOf(id)),
    setting(asked) {
      const id = asked ?? defaultId ?? "";
      const isOfText = asked === undefined || byId.get(id)?.attributes.get("type") !== "character";
      const setting = settings.get(id) ?? {
        ...(isOfText && usual),
        ...Object.assign(
          {},
          ...lineOf(id)
            .toReversed()
            .map((style) => readLetters(findChild(style, "rPr"))),
        ),
      };
      settings.set(id, setting);
      return setting;
    },
  };
}

/** The nearest of a style and its bases that says something decides. */
function inherit(line: readonly XmlElement[]): ParagraphStyle {
  const names = line.map((style) => (valueOf(style, "name") ?? "").toLowerCase());
  const properties = line.map((style) => findChild(style, "pPr"));
  const isTitle = names.includes("title");
  const levels = line.map((_, index) => readOutlineLevel(properties[index]) ?? levelOfName(names[index] ?? ""));
  const stated = levels.find((level) => level !== undefined);
  const level = stated ?? (isTitle ? 1 : 0);
  const numbering = properties.map((each) => findChild(each, "numPr"));
  const numId = numbering.map((each) => valueOf(each, "numId")).find((id) => id !== undefined);
  const listLevel = numbering.map((each) => valueOf(each, "ilvl")).find((ilvl) => ilvl !== undefined);
  return {
    ...(level === 0 ? {} : { level }),
    isTitle: isTitle && (stated === undefined || stated === 1),
    kind: names.map(kindOfName).find((kind) => kind !== undefined) ?? "paragraph",
    ...(numId === undefined ? {} : { numId }),
    ...(listLevel === undefined ? {} : { listLevel: Number(listLevel) || 0 }),
    isHidden: hides(line),
    ...(names.some((name) => contentsName.test(name)) && { isContents: true }),
  };
}

function hides(line: readonly XmlElement[]): boolean {
  const deciding = line.find((style) => findChild(style, "rPr", "vanish") !== undefined);
  return isOn(findChild(deciding, "rPr"), "vanish");
}

/** The outline level that paragraph properties state: 1 to 9, 0 for body text. */
export function readOutlineLevel(properties: XmlElement | undefined): number | undefined {
  const stated = valueOf(properties, "outlineLvl");
  if (stated === undefined || !/^\d$/.test(stated)) return undefined;
  return stated === "9" ? 0 : Number(stated) + 1;
}

/** Names that Word gives to the styles of such entries, in every language of its own. */
const contentsName = /^(?:toc \d|table of figures|index \d)$/;

function levelOfName(name: string): number | undefined {
  const level = /^heading ([1-9])$/.exec(name)?.[1];
  return level === undefined ? undefined : Number(level);
}

function kindOfName(name: string): ParagraphStyle["kind"] | undefined {
  if (/^(?:source code|code(?: block)?|html preformatted|preformatted text|verbatim)$/.test(name)) return "code";
  return /^(?:intense quote|quote|quotations|block text|block quotation)$/.test(name) ? "quote" : undefined;
}

function styleOfId(id: string): ParagraphStyle {
  const level = headingIds.exec(id)?.[1];
  const isTitle = /^title$/i.test(id);
  return { ...plain, isTitle, ...(level === undefined ? (isTitle ? { level: 1 } : {}) : { level: Number(level) }) };
}
