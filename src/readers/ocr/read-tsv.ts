import type { PageText, RecognisedWord } from "../../contracts/extraction.ts";

/** Columns of Tesseract's table. **Source** Tesseract, `TessResultRenderer` for TSV. */
const column = {
  level: 0,
  page: 1,
  block: 2,
  paragraph: 3,
  line: 4,
  left: 6,
  top: 7,
  width: 8,
  height: 9,
  confidence: 10,
  text: 11,
} as const;
const level = { page: 1, word: 5 } as const;
/** Words that Tesseract itself holds for noise. **Units** percent. */
const leastConfidence = 20;

/**
 * Reads the table that Tesseract writes: pages with their words.
 *
 * **Shape** one entry for each page of the picture, from 1. Words that are most likely noise are left out.
 */
export function readTsv(tsv: string): Required<PageText>[] {
  const pages = new Map<
    number,
    {
      width: number;
      height: number;
      words: RecognisedWord[];
      text: string;
      line: string;
      lines: number;
      confidences: number[];
    }
  >();
  for (const row of tsv.split("\n")) {
    if (row.startsWith("level")) continue;
    const cells = row.split("\t");
    const number = (name: Exclude<keyof typeof column, "text">): number => Number(cells[column[name]]);
    if (cells.length < 11) continue;
    if (number("level") === level.page) {
      pages.set(number("page"), {
        width: number("width"),
        height: number("height"),
        words: [],
        text: "",
        line: "",
        lines: 0,
        confidences: [],
      });
      continue;
    }
    const page = pages.get(number("page"));
    const text = cells.slice(column.text).join(" ").trim();
    if (page === undefined || number("level") !== level.word || text === "") continue;
    // Noise counts: a page that is turned has much of it.
    page.confidences.push(number("confidence"));
    if (number("confidence") < leastConfidence) continue;
    const line = [number("block"), number("paragraph"), number("line")].join();
    const isNew = line !== page.line;
    if (isNew) page.lines++;
    page.text += page.text === "" ? text : `${isNew ? "\n" : " "}${text}`;
    page.line = line;
    page.words.push({
      text: text.toWellFormed(),
      x: round(number("left") / page.width),
      y: round(number("top") / page.height),
      width: round(number("width") / page.width),
      height: round(number("height") / page.height),
      line: page.lines,
    });
  }
  return [...pages].map(([page, { text, words, confidences }]) => ({
    page,
    text,
    words,
    confidence: Math.round(confidences.reduce((sum, one) => sum + one, 0) / Math.max(1, confidences.length)),
  }));
}

/** A tenth of a thousandth of a page is a fourth of a pixel. */
function round(part: number): number {
  return Math.round(part * 10_000) / 10_000;
}
