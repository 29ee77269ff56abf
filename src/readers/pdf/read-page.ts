import { throwIfAborted } from "../../runtime/abort.ts";

import { unreadable, type PdfDocument } from "./open-pdf.ts";
import { drawPage, repairRun, needsGlyphs } from "./pdf-glyphs.ts";
import { placeRuns, type PdfFont, type PdfSide, type PdfTextItem } from "./pdf-runs.ts";
import type { PdfTag } from "./pdf-tags.ts";

/** A page as PDF.js sees it: runs of text from each side, and the tags of a tagged one. */
export interface ReadPage {
  readonly sides: readonly PdfSide[];
  readonly height: number;
  readonly tree: PdfTag | null;
  /** **Units** UTF-16 code units of its runs. */
  readonly length: number;
  /** Whether nothing at all is drawn on it. */
  readonly isBlank: boolean;
  /** Whether it has text in a font that cannot be read. */
  readonly hasLostText: boolean;
}

/** Placeholder for a page that cannot be read. */
export const brokenPage: ReadPage = { sides: [], height: 0, tree: null, length: 0, isBlank: true, hasLostText: false };

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
    const length = texts.reduce((sum, { str }) => sum + str.length, 0);
    const fresh = Object.keys(styles).filter((name) => !fonts.has(name));
    for (const name of fresh) {
      const { fontFamily, vertical } = styles[name] as { fontFamily?: string; vertical?: boolean };
      fonts.set(name, { bold: false, mono: fontFamily === "monospace", vertical: vertical === true });
    }
    const repairs = texts.some(({ str, dir }) => dir === "rtl" && needsGlyphs(str));
    let [isBlank, hasLostText] = [false, false];
    let placed = items as Parameters<typeof placeRuns>[0];
    if (fresh.length > 0 || repairs || length === 0 || drawAll) {
      const drawn = await drawPage(page, fonts, fresh);
      ({ isBlank, hasLostText } = drawn);
      if (repairs) placed = placed.map((item) => ("str" in item ? repairRun(item, drawn.repaired) : item));
    }
    const { transform, height } = page.getViewport({ scale: 1 });
    const tree = isTagged ? ((await page.getStructTree()) as PdfTag | null) : null;
    const sides = placeRuns(placed, transform, fonts);
    page.cleanup();
    return { sides, height, tree, length, isBlank, hasLostText };
  } catch (error) {
    throwIfAborted(signal, `Reading ${uri}`, { uri, cause: error });
    throw unreadable(uri, `is broken on page ${number}`, error);
  }
}
