import { throwIfAborted } from "../../runtime/abort.ts";

import { unreadable, type PdfDocument } from "./open-pdf.ts";
import { type AttachedToPage, readAnnotations } from "./pdf-annotations.ts";
import { drawPage, needsGlyphs, repairRun } from "./pdf-glyphs.ts";
import { cutAtStrokes, noDrawing, type PdfRule } from "./pdf-drawing.ts";
import { placeRuns, type PdfFont, type PdfSide, type PdfTextItem } from "./pdf-runs.ts";
import { closeWords, isAnyTorn } from "./pdf-spaces.ts";
import type { PdfTag } from "./pdf-tags.ts";

/** A page as PDF.js sees it: runs of text from each side, and the tags of a tagged one. */
export interface ReadPage {
  readonly sides: readonly PdfSide[];
  readonly width: number;
  readonly height: number;
  readonly tree: PdfTag | null;
  /** **Units** UTF-16 code units of its runs. */
  readonly length: number;
  /** Whether nothing at all is drawn on it. */
  readonly isBlank: boolean;
  /** Whether it has text in a font that cannot be read. */
  readonly hasLostText: boolean;
  /** Words of annotators that the page itself does not show. */
  readonly comments: readonly string[];
  /** Files that hang on it. */
  readonly attached: readonly AttachedToPage[];
  /** Whether it has no text layer; fields and comments are none. */
  readonly isSilent: boolean;
  /** Straight lines, on a page that may have tables. */
  readonly rules: readonly PdfRule[];
}

/** Placeholder for a page that cannot be read. */
export const brokenPage: ReadPage = {
  sides: [],
  width: 0,
  height: 0,
  tree: null,
  length: 0,
  isBlank: true,
  hasLostText: false,
  comments: [],
  attached: [],
  isSilent: true,
  rules: [],
};

/**
 * Reads one page. `fonts` is filled as fonts appear. A page is drawn only when it has a new font, no text, or text that
 * only its glyphs make clear.
 *
 * **Errors** `unreadable` for a broken page, `aborted`. **Cost** about 10 ms; twice that when it is drawn.
 */
export async function readPage(
  pdf: PdfDocument,
  number: number,
  uri: string,
  fonts: Map<string, PdfFont>,
  { isTagged, drawAll }: { readonly isTagged: boolean; readonly drawAll: boolean },
  signal: AbortSignal | undefined,
): Promise<ReadPage> {
  try {
    const page = await pdf.getPage(number);
    const { items, styles } = await page.getTextContent({ includeMarkedContent: true });
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const texts = items.filter((item): item is typeof item & PdfTextItem => "str" in item);
    const { items: added, comments, attached } = await readAnnotations(page, texts);
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const length = texts.reduce((sum, { str }) => sum + str.length, 0);
    const fresh = Object.keys(styles).filter((name) => !fonts.has(name));
    for (const name of fresh) {
      const { fontFamily, vertical } = styles[name] as { fontFamily?: string; vertical?: boolean };
      fonts.set(name, { bold: false, mono: fontFamily === "monospace", vertical: vertical === true });
    }
    const repairs = texts.some(({ str, dir }) => dir === "rtl" && needsGlyphs(str));
    const isTorn = isAnyTorn(texts);
    let [isBlank, hasLostText] = [false, false];
    let placed = items as Parameters<typeof placeRuns>[0];
    const { transform, width, height } = page.getViewport({ scale: 1 });
    const isTabular = looksTabular(texts);
    let drawing = noDrawing;
    if (fresh.length > 0 || repairs || isTorn || length === 0 || drawAll || isTabular) {
      const drawn = await drawPage(page, fonts, fresh, isTabular ? transform : undefined);
      ({ isBlank, hasLostText, drawing } = drawn);
      if (repairs) placed = placed.map((item) => ("str" in item ? repairRun(item, drawn.repaired) : item));
      if (isTorn) placed = closeWords(placed, drawn.readSigns());
    }
    const tree = isTagged ? ((await page.getStructTree()) as PdfTag | null) : null;
    const sides = placeRuns([...placed, ...added], transform, fonts).map((side) =>
      side.angle === 0 ? { ...side, runs: cutAtStrokes(side.runs, drawing) } : side,
    );
    page.cleanup();
    const spoken = comments.reduce((sum, comment) => sum + comment.length, 0);
    return {
      sides,
      width,
      height,
      tree,
      length: length + spoken,
      isBlank,
      hasLostText,
      comments,
      attached,
      isSilent: length === 0,
      rules: drawing.rules,
    };
  } catch (error) {
    throwIfAborted(signal, `Reading ${uri}`, { uri, cause: error });
    throw unreadable(uri, `is broken on page ${number}`, error);
  }
}

/** Pieces longer than this are lines of prose in columns. **Units** UTF-16 code units. */
const longestPiece = 45;
/** From so many on, lines of pieces may be a table. */
const minLines = 2;

/** Whether some lines of a page consist of short pieces that stand apart: only then its lines are looked at. **Cost** linear. */
function looksTabular(items: readonly PdfTextItem[]): boolean {
  const lines = new Map<number, { pieces: number; longest: number; right: number }>();
  for (const { str, transform, width, height } of items) {
    if (str.trim() === "") continue;
    const [, , , , x = 0, y = 0] = transform;
    const line = lines.get(Math.round(y));
    if (line === undefined) lines.set(Math.round(y), { pieces: 1, longest: str.length, right: x + width });
    else {
      if (Math.abs(x - line.right) > height * 0.45) line.pieces++;
      line.longest = Math.max(line.longest, str.length);
      line.right = x + width;
    }
  }
  let found = 0;
  for (const { pieces, longest } of lines.values())
    if (pieces >= 2 && longest <= longestPiece && ++found >= minLines) return true;
  return false;
}
