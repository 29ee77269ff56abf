import type { getDocumentProxy } from "unpdf";

import { noDrawing, type PdfDrawing, readDrawing, readPieces } from "./pdf-drawing.ts";
import type { PdfFont, PdfTextItem } from "./pdf-runs.ts";
import { collectSigns, type DrawnSigns } from "./pdf-spaces.ts";

type PdfPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;
type Operators = Awaited<ReturnType<PdfPage["getOperatorList"]>>;

/** Facts from drawing a page, beyond its text. */
export interface DrawnPage {
  /** Whether anything is drawn: a page without text that draws something looks scanned. */
  readonly isBlank: boolean;
  /** Whether it has text in a font that PDF.js cannot read, and so leaves out. */
  readonly hasLostText: boolean;
  /** Words that PDF.js hands out with the letters of a ligature turned round, and what they are. */
  readonly repaired: ReadonlyMap<string, string>;
  /** Lines and strokes, where they were asked for. */
  readonly drawing: PdfDrawing;
  /** Signs of its glyphs. **Cost** linear, at each call. */
  readonly readSigns: () => DrawnSigns;
}

/** Operator codes of PDF.js, stable since its first version. */
const [transform, setFont, showText] = [12, 37, 44];
/** Operators that begin a line, or move to another place: `Td`, `TD`, `Tm` and `T*`. */
const [moveText, leadAndMove, setMatrix, nextLine] = [40, 41, 42, 43];
const [beginAnnotation, endAnnotation] = [80, 81];
/**
 * Whether an operator sets a state, marks content or writes text, which is looked at by itself. A transformation is not among them: it is what is left of a picture
 * that is not decoded.
 */
function drawsNothing(code: number): boolean {
  return code <= 11 || (code >= 31 && code <= 49) || (code >= 69 && code <= 71);
}

/** A transformation that changes nothing, with which some programs begin each page. A picture under it would be a point wide. */
function isIdentity(code: number, args: unknown): boolean {
  return code === transform && Array.isArray(args) && args.join() === "1,0,0,1,0,0";
}

/**
 * Draws a page without its pictures, to learn what its fonts are called and what its glyphs stand for.
 *
 * **Shape** fonts that are new go into `fonts`. A page that cannot be drawn teaches nothing; its text is none the worse for it.
 * **Cost** about that of reading the page's text once more.
 */
export async function drawPage(
  page: PdfPage,
  fonts: Map<string, PdfFont>,
  names: readonly string[],
  /** From the page's coordinates to those of who looks at it, where its lines are wanted. */
  view: readonly number[] | undefined,
): Promise<DrawnPage> {
  let operators: Operators;
  try {
    operators = await page.getOperatorList();
  } catch {
    return {
      isBlank: false,
      hasLostText: false,
      repaired: new Map(),
      drawing: noDrawing,
      readSigns: () => collectSigns([]),
    };
  }
  for (const name of names) {
    const before = fonts.get(name);
    const font: unknown = page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined;
    const told = nameOf(font);
    const ligatures = ligaturesOf(font);
    fonts.set(name, {
      bold: boldName.test(told) || boldSuffix.test(told),
      mono: before?.mono === true || monoName.test(told),
      vertical: before?.vertical === true,
      ...(ligatures.size === 0 ? {} : { ligatures }),
    });
  }
  return {
    isBlank: operators.fnArray.every(
      (code, index) => drawsNothing(code) || isIdentity(code, operators.argsArray[index]),
    ),
    hasLostText: operators.fnArray.some((code, index) => code === setFont && isLost(page, operators.argsArray[index])),
    repaired: mendLigatures(operators),
    drawing: view === undefined ? noDrawing : readDrawing(operators, view),
    readSigns: () => collectSigns(readPieces(operators)),
  };
}

/** In place of a font that it cannot read PDF.js keeps what went wrong. */
function isLost(page: PdfPage, args: unknown): boolean {
  const name: unknown = Array.isArray(args) ? args[0] : undefined;
  return typeof name === "string" && page.commonObjs.has(name) && typeof page.commonObjs.get(name) === "string";
}

/** `Arial-BoldMT`, `LinLibertineTB`, `NimbusRomNo9L-Medi`, `CMBX12`. */
const boldName = /bold|black|heavy|demi|medi$|[-,]bd\b|^CMS?S?BX|^SFBX/iu;
const boldSuffix = /[a-z]T?B[IO]?$/u;
const monoName = /courier|mono(?!type)|consol|menlo|typewriter|^CMTT|^SFTT/iu;

/**
 * Signs of a font that stand for several letters because its glyphs have names and no Unicode map, as `f_f_i` has.
 *
 * **Source** Adobe Glyph List Specification, 2: components of a name are parted by underscores.
 */
function ligaturesOf(font: unknown): Map<string, string> {
  const ligatures = new Map<string, string>();
  if (typeof font !== "object" || font === null || !("differences" in font) || !Array.isArray(font.differences))
    return ligatures;
  const known = "toUnicode" in font ? (font.toUnicode as { get?: (code: number) => string | undefined } | null) : null;
  for (const [code, name] of (font.differences as unknown[]).entries()) {
    if (typeof name !== "string" || !/^[A-Za-z](?:_[A-Za-z])+$/u.test(name)) continue;
    const sign = String.fromCharCode(code);
    if ((known?.get?.(code) ?? sign) === sign) ligatures.set(sign, name.replaceAll("_", ""));
  }
  return ligatures;
}

/** The font's PostScript name, without the tag of a subset. */
function nameOf(font: unknown): string {
  if (typeof font !== "object" || font === null || !("name" in font)) return "";
  return String(font.name).replace(/^[A-Z]{6}\+/u, "");
}

/** Arabic and Hebrew letters. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u;

/**
 * Restores ligatures in right-to-left text. PDF.js reverses such text sign by sign, the letters of a ligature included: لا comes out as ال. The glyphs show the right order.
 *
 * **Source** UAX #9, rule 4 of its reordering: one glyph keeps the order of its characters.
 */
function mendLigatures({ fnArray, argsArray }: Operators): Map<string, string> {
  const repaired = new Map<string, string>();
  for (const [index, code] of fnArray.entries()) {
    if (code !== showText) continue;
    const glyphs = glyphsOf(argsArray[index]);
    if (!glyphs.some((glyph) => glyph.length > 1 && rightToLeft.test(glyph))) continue;
    const turned = Array.from(glyphs.join("")).toReversed().join("");
    const meant = glyphs.toReversed().join("");
    const [from, to] = [turned.split(/\s+/u), meant.split(/\s+/u)];
    if (from.length !== to.length) continue;
    for (const [at, word] of from.entries()) if (word !== to[at]) repaired.set(word, to[at]!);
  }
  return repaired;
}

/** A gap wider than this is a space. **Units** thousandths of the letter height. */
const spaceFrom = 200;

/** The glyphs of one string. */
function glyphsOf(args: unknown): string[] {
  const list: unknown = Array.isArray(args) ? args[0] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((glyph: unknown) =>
    typeof glyph === "object" && glyph !== null && "unicode" in glyph
      ? [String(glyph.unicode)]
      : typeof glyph === "number" && glyph < -spaceFrom
        ? [" "]
        : [],
  );
}

/** Whether a page's text needs its glyphs looked at. */
export function needsGlyphs(text: string): boolean {
  return /[اأإآٱ]ل/u.test(text);
}

/** A run with its words repaired. */
export function repairRun(run: PdfTextItem, repaired: ReadonlyMap<string, string>): PdfTextItem {
  if (run.dir !== "rtl") return run;
  return { ...run, str: run.str.replace(/\S+/gu, (word) => repaired.get(word) ?? mendArticle(word)) };
}

/** An alif before an alif that bears a sign is no Arabic: between them the lam of the article was turned round, as in اإلنسان. */
function mendArticle(word: string): string {
  return word.replace(/ا([أإآ])ل/gu, "ال$1");
}

/** As much of one annotation is taken. **Units** UTF-16 code units. */
const maxShown = 100_000;

/**
 * Lines that annotations show, by the annotation's id, as their appearance draws them.
 *
 * **Cost** as drawing the page. **Source** ISO 32000-1, 9.4.2 (text positioning) and 12.5.5 (appearance streams).
 */
export async function shownByAnnotations(page: PdfPage): Promise<ReadonlyMap<string, readonly string[]>> {
  const shown = new Map<string, string[]>();
  const operators = await page.getOperatorList().catch(() => undefined);
  let lines: string[] | undefined;
  let drawn = 0;
  for (const [index, code] of operators?.fnArray.entries() ?? []) {
    const args = operators?.argsArray[index] as readonly unknown[] | null;
    if (code === beginAnnotation) {
      shown.set(String(args?.[0]), (lines = [""]));
      drawn = 0;
    } else if (code === endAnnotation) lines = undefined;
    else if (code === nextLine || code === setMatrix) lines?.push("");
    else if ((code === moveText || code === leadAndMove) && args?.[1] !== 0) lines?.push("");
    else if (code === showText && drawn < maxShown) {
      const text = glyphsOf(args)
        .join("")
        .slice(0, maxShown - drawn);
      drawn += text.length;
      lines?.push(`${lines.pop() ?? ""}${text}`);
    }
  }
  for (const [id, all] of shown)
    shown.set(
      id,
      all.map((line) => line.trim()).filter((line) => line !== ""),
    );
  return shown;
}
