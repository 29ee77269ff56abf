import { writeFile } from "../readers/make-pdf.ts";

/** A line of a page: where its baseline begins, or for Arabic ends, in points from the left and from the top. */
export interface PageLine {
  readonly x: number;
  readonly top: number;
  /** Default 10. */
  readonly size?: number;
  readonly text: string;
}

/** Width of every glyph, in parts of the size of its font. */
const advance = 0.6;
export const isArabic = (text: string): boolean => /\p{Script=Arabic}/u.test(text);

/** Where the glyph of the sign at `index` stands on the page as it is shown, from its baseline to a height that all letters have. */
export function glyphBox(
  { x, top, size = 10, text }: PageLine,
  index: number,
): { x: number; y: number; width: number; height: number } {
  const width = advance * size;
  return {
    x: isArabic(text) ? x - width * (index + 1) : x + width * index,
    y: top - 0.4 * size,
    width,
    height: 0.4 * size,
  };
}

/**
 * A PDF of pages that are shown 600 points wide and 800 high, or 800 wide and 600 high where they are turned by a quarter. Latin letters are Courier; Arabic ones are a font of
 * bars with a table of what each bar stands for, drawn from left to right, as programs for setting type do. **Source** ISO 32000-1, 7.5, 9.6.5, 9.10.3.
 */
export function makePages(pages: readonly (readonly PageLine[])[], turn = 0): Uint8Array {
  const signs = [...new Set(pages.flat().flatMap(({ text }) => (isArabic(text) ? Array.from(text) : [])))];
  const codes = signs.map((_, index) => 33 + index);
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
  const stream = (content: string): string => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const draw = (line: PageLine): string => {
    const { x, top, size = 10, text } = line;
    const own = isArabic(text);
    const begin = own ? x - advance * size * text.length : x;
    const place = turn === 90 ? `0 1 -1 0 ${top} ${begin}` : `1 0 0 1 ${begin} ${800 - top}`;
    const shown = own
      ? `<${Array.from(text)
          .toReversed()
          .map((sign) => hex(33 + signs.indexOf(sign), 2))
          .join("")}>`
      : `(${text.replaceAll(/[\\()]/gu, String.raw`\$&`)})`;
    return `BT /${own ? "A" : "F"} ${size} Tf ${place} Tm ${shown} Tj ET`;
  };
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
${signs.length} beginbfchar
${signs.map((sign, index) => `<${hex(codes[index]!, 2)}> <${hex(sign.codePointAt(0)!, 4)}>`).join("\n")}
endbfchar endcmap end end`;
  const bar = (sign: string): string => (sign === " " ? "600 0 d0" : "600 0 0 0 600 700 d1 50 0 500 600 re f");
  const fixed = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${8 + 2 * index} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 33 /LastChar ${32 + Math.max(1, signs.length)} /Widths [${signs.map(() => "600").join(" ") || "600"}] /Resources << >> /Encoding << /Type /Encoding /Differences [33 ${signs.map((sign) => (sign === " " ? "/gap" : "/bar")).join(" ")}] >> /CharProcs << /bar 6 0 R /gap 7 0 R >> /ToUnicode 5 0 R >>`,
    stream(map),
    stream(bar("x")),
    stream(bar(" ")),
  ];
  const made = pages.flatMap((lines, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate ${turn} /Resources << /Font << /F 3 0 R /A 4 0 R >> >> /Contents ${9 + 2 * index} 0 R >>`,
    stream(lines.map(draw).join("\n")),
  ]);
  return writeFile([...fixed, ...made], "/Root 1 0 R");
}
