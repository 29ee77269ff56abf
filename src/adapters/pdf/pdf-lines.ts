/** A run of text as PDF.js hands it out; positions in points, origin at the bottom left. */
export interface PdfTextItem {
  readonly str: string;
  /** The text matrix: `[a, b, c, d, x, y]`. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/** One line of a page. */
export interface PdfLine {
  readonly text: string;
  /** Of its largest sign. */
  readonly height: number;
  /** Baseline of its largest sign, from the bottom of the page. */
  readonly y: number;
}

/** A gap wider than this part of the letter height is a space; letters of small capitals stand .06 apart, words .25 and more. */
const spaceWidth = 0.15;

/**
 * The lines of one page, in the order in which the page was written, which is reading order in nearly every producer.
 *
 * **Shape** white space collapsed, no empty lines, no lone surrogates, no control characters. **Cost** linear in the items.
 */
export function joinLines(items: readonly PdfTextItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let parts: string[] = [];
  let height = 0;
  let y = 0;
  let previous: PdfTextItem | undefined;
  const flush = (): void => {
    const text = cleanLine(parts.join(""));
    if (text !== "") lines.push({ text, height, y });
    parts = [];
    height = 0;
    previous = undefined;
  };
  for (const item of items) {
    if (item.str !== "") {
      if (previous !== undefined && isApart(previous, item)) parts.push(" ");
      parts.push(item.str);
      previous = item;
      if (item.height > height) {
        height = item.height;
        y = item.transform[5] ?? 0;
      }
    }
    if (item.hasEOL) flush();
  }
  flush();
  return lines;
}

/** Whether two runs on a line stand apart, in whichever direction the script runs. Text that stands on its side is left as it is. */
function isApart(before: PdfTextItem, after: PdfTextItem): boolean {
  if (Math.abs(before.transform[1] ?? 0) > 0.01 || Math.abs(after.transform[1] ?? 0) > 0.01) return false;
  const [left, right] = [before.transform[4] ?? 0, after.transform[4] ?? 0];
  const gap = Math.max(right - (left + before.width), left - (right + after.width));
  return gap > spaceWidth * Math.max(before.height, after.height);
}

function cleanLine(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- fonts without a Unicode map hand out control characters
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F\u200B\uFEFF]/g, "")
      .replace(/\s+/g, " ")
      .trim()
      .toWellFormed()
  );
}
