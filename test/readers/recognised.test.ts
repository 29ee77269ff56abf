import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import {
  createImageReader,
  createPdfReader,
  locateOnPages,
  type OcrProvider,
  openTesseractOcr,
  readPdfGeometry,
  type RecognisedWord,
} from "ibid/readers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readPlacesOnPages } from "../../src/knowledge-base/operations/show-document.ts";
import { encodePng } from "../../src/readers/ocr/encode-png.ts";
import { drawPictures } from "../../src/readers/ocr/page-picture.ts";
import { picturePages, pictureSizes } from "../../src/readers/ocr/picture-sizes.ts";
import { readTsv } from "../../src/readers/ocr/read-tsv.ts";
import { turnedBack } from "../../src/readers/ocr/tesseract-engines.ts";
import { openPdf } from "../../src/readers/pdf/open-pdf.ts";
import { makeScan } from "./make-scan.ts";
import { refusalOf, showBlocks, showOutline } from "./read-with.ts";

it.each([
  [{ languages: ["eng"] }, "languages is a list; it must be a string."],
  [{ pageTimeoutMs: "9" }, "pageTimeoutMs is of the type string; it must be a whole number of 1 or more."],
  [{ concurrency: 0 }, "concurrency is 0; it must be a whole number of 1 or more."],
  [{ onPage: true }, "onPage is of the type boolean; it must be a function."],
])("Tesseract is not opened with an option of a wrong kind: %j", async (options, message) => {
  expect(await refusalOf(openTesseractOcr(options as never))).toMatchObject({
    code: "invalid-argument",
    message: `openTesseractOcr: ${message}`,
  });
});

const ascii = (text: string): number[] => Array.from(text, (sign) => sign.charCodeAt(0));

/** Numbers of four bytes, the lowest first. */
const numbers = (...values: number[]): number[] =>
  values.flatMap((value) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]);

/** A page of a TIFF: its size, and where the next begins. */
const directory = (width: number, height: number, next: number): number[] => [
  2,
  0,
  0,
  1,
  3,
  0,
  ...numbers(1, width),
  1,
  1,
  4,
  0,
  ...numbers(1, height, next),
];

const scan = makeScan([{ x: 20, y: 10, width: 40, height: 5 }]);

/** Words of a line, as wide as their letters. **Units** parts of the page. */
const line = (number: number, text: string, x: number, y: number, height: number): RecognisedWord[] => {
  let at = x;
  return text.split(" ").map((word) => {
    const width = word.length * 0.012;
    const placed = { text: word, x: at, y, width, height, line: number };
    at += width + 0.01;
    return placed;
  });
};
const words = [
  ...line(1, "Harbour Report", 0.1, 0.05, 0.08),
  ...line(2, "The harbour was dredged twice this", 0.1, 0.2, 0.0465),
  ...line(3, "year and both basins by spring", 0.1, 0.26, 0.0465),
  ...line(4, "Traffic", 0.1, 0.4, 0.06),
  ...line(5, "Ships carry the freight and grain", 0.1, 0.5, 0.0465),
];
const provider = (given: Partial<OcrProvider> = {}): OcrProvider => ({
  name: "fake/1",
  isScanned: () => true,
  extractText: () => Promise.resolve([{ page: 1, text: "some", words }]),
  ...given,
});
const read = (ocr: OcrProvider, limits = {}) =>
  createPdfReader({ ocr }).read({ uri: "a.pdf", bytes: scan, mediaType: "application/pdf", limits });

describe("recognised pages", () => {
  it("are laid out by the places of their words: headings by size, lines joined to paragraphs", async () => {
    const result = await read(provider());
    expect(showOutline(result.root)).toEqual(["# Harbour Report", "## Traffic"]);
    expect(showBlocks(result)).toEqual([
      "heading: Harbour Report",
      "paragraph: The harbour was dredged twice this year and both basins by spring",
      "heading: Traffic",
      "paragraph: Ships carry the freight and grain",
    ]);
    expect(result.title).toBe("Harbour Report");
    expect(result.notes).toEqual(["The text of page 1 was recognised by fake/1."]);
  });

  it("have a note where their provider is not sure of their words, which the source map leaves out", async () => {
    const sure = (confidence: number): OcrProvider =>
      provider({ extractText: () => Promise.resolve([{ page: 1, text: "some", words, confidence }]) });
    const result = await read(sure(41));
    expect(result.notes).toEqual([
      "The text of page 1 was recognised by fake/1.",
      "Most words of page 1 may be wrong: turn them upright, scan them sharper, or name their language.",
    ]);
    expect(result.sourceMap.recognised).toEqual([{ page: 1, text: "some", words }]);
    expect((await read(sure(87))).notes).toHaveLength(1);
    await expect(read(sure("high" as never))).rejects.toMatchObject({ code: "invalid-response" });
  });

  it("mark the words of a citation on the page", async () => {
    const { text, sourceMap } = await read(provider());
    const recognised = sourceMap.recognised!;
    const geometry = await readPdfGeometry({ uri: "a.pdf", bytes: scan, recognised });
    expect(geometry.text).toBe(text);
    const start = text.indexOf("freight");
    const [page] = locateOnPages(geometry, start, start + "freight".length);
    const word = words.find((one) => one.text === "freight")!;
    expect(page).toMatchObject({ number: 1, width: 200, height: 100 });
    const [box] = page!.boxes;
    expect(box!.x).toBeCloseTo(word.x * 200, 0);
    expect(box!.x + box!.width).toBeCloseTo((word.x + word.width) * 200, -0.5);
    expect(box!.y).toBeLessThan(word.y * 100 + 1);
    expect(box!.y + box!.height).toBeGreaterThan((word.y + word.height) * 100 - 2);
  });

  // The words of a page that lies in the scanner as the number of degrees says; the page itself is 200 by 100 points.
  it.each([90, 180, 270])("are read from their own side where they are turned by %i degrees", async (angle) => {
    const turned = words.map((word) => {
      const { x, y, width, height } = word;
      if (angle === 180) return { ...word, x: 1 - x - width, y: 1 - y - height };
      const lying = { ...word, width: height, height: width };
      return angle === 90 ? { ...lying, x: 1 - y - height, y: x } : { ...lying, x: y, y: 1 - x - width };
    });
    const result = await read(provider({ extractText: async () => [{ page: 1, text: "some", words: turned }] }));
    expect(result.text).toContain("year and both basins by spring");
    expect(result.text.startsWith("Harbour Report\n\nThe harbour was dredged twice this")).toBe(true);
    expect(result.sourceMap.recognised).toEqual([{ page: 1, text: "some", words: turned }]);
    const geometry = await readPdfGeometry({ uri: "a.pdf", bytes: scan, recognised: result.sourceMap.recognised! });
    expect(geometry.text).toBe(result.text);
    const start = result.text.indexOf("freight");
    const [box] = locateOnPages(geometry, start, start + "freight".length)[0]!.boxes;
    const word = turned.find((one) => one.text === "freight")!;
    const middle = [box!.x + box!.width / 2, box!.y + box!.height / 2];
    expect(Math.abs(middle[0]! - (word.x + word.width / 2) * 200)).toBeLessThan(2);
    expect(Math.abs(middle[1]! - (word.y + word.height / 2) * 100)).toBeLessThan(2);
  });

  it("have headings of one level in about one size", async () => {
    const lines = [3, 5, 7].flatMap((at, index) => [
      ...line(at, `Part ${"ABC"[index]}`, 0.1, at / 10, 0.0625 + index * 0.003),
      ...line(at + 1, "the harbour was dredged twice in one year", 0.1, at / 10 + 0.1, 0.0465),
    ]);
    const result = await read(provider({ extractText: async () => [{ page: 1, text: "some", words: lines }] }));
    expect(showOutline(result.root)).toEqual(["# Part A", "# Part B", "# Part C"]);
  });

  it("keep their places in a knowledge base", async () => {
    const kb = await openKnowledgeBase({ reading: { ocr: provider(), worker: false } });
    await kb.ingest({ uri: "a.pdf", bytes: scan });
    const document = await kb.document("a.pdf");
    const geometry = await readPlacesOnPages(document!, scan);
    expect(locateOnPages(geometry, 0, 7)).toHaveLength(1);
    await kb.close();
  });

  it("leave out the lines of tables that were taken for letters", async () => {
    const row = [{ text: "|Quarter|Ships|", x: 0.1, y: 0.7, width: 0.3, height: 0.05, line: 9 }];
    const result = await read(
      provider({ extractText: async () => [{ page: 1, text: "x", words: [...words, ...row] }] }),
    );
    expect(result.text.replaceAll(/[^\p{L} ]/gu, "")).toContain("Quarter");
    expect(result.text).not.toContain("|Quarter|Ships|");
  });

  it("fail by name when the provider never answers, or answers something else", async () => {
    const never = provider({ extractText: () => new Promise(() => {}) });
    expect(await refusalOf(read(never, { timeoutMs: 30 }))).toMatchObject({ code: "timeout", uri: "a.pdf" });
    const wrong = provider({ extractText: async () => [{ page: 1, text: "a", words: [{ text: "a" }] }] as never });
    const refusal = await refusalOf(read(wrong));
    expect(refusal).toMatchObject({ code: "invalid-response" });
    expect(refusal.hint).toContain("line");
  });

  it("are pictures too, without a PDF around them", async () => {
    const reader = createImageReader({ ocr: provider() });
    const result = await reader.read({ uri: "a.png", bytes: scan, mediaType: "image/png" });
    expect(showOutline(result.root)).toEqual(["# Harbour Report", "## Traffic"]);
    expect(result.sourceMap.recognised).toHaveLength(1);
    const silent = createImageReader({ ocr: provider({ extractText: async () => [] }) });
    expect(await refusalOf(silent.read({ uri: "a.png", bytes: scan, mediaType: "image/png" }))).toMatchObject({
      code: "empty",
    });
  });
});

describe("the program tesseract", () => {
  const table = (confidence: number, text: string): string =>
    ["1\t1\t0\t0\t0\t0\t0\t0\t100\t50\t-1\t", `5\t1\t1\t1\t1\t1\t10\t5\t20\t5\t${confidence}\t${text}`].join("\n");

  /** A program that stands in for it: its answers by the mode of segmentation, each mode that is asked for written down. */
  const standIn = async (answers: { readonly 3: string; readonly 1: string }, languages: readonly string[]) => {
    const folder = await mkdtemp(join(tmpdir(), "ibid-tesseract-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "3.tsv"), answers[3]);
    await writeFile(join(folder, "1.tsv"), answers[1]);
    const script = `#!/bin/sh
case "$1" in
--version) echo "tesseract 5.9.9" ;;
--list-langs) printf 'List\\n${languages.join("\\n")}\\n' ;;
*) cat > /dev/null; echo "$6" >> ${folder}/asked; cat "${folder}/$6.tsv" ;;
esac
`;
    await writeFile(join(folder, "tesseract"), script, { mode: 0o755 });
    vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ocr = await openTesseractOcr({ engine: "program" });
    onTestFinished(() => ocr.close());
    const pages = await ocr.extractText({ uri: "a.png", bytes: scan, mediaType: "image/png" });
    const asked = await readFile(join(folder, "asked"), "utf8");
    return { text: pages.map(({ text }) => text).join(), asked: asked.trim().split("\n") };
  };
  const unsure = table(33, "\u201cJOWIWNS");

  it("looks at a page of which it is unsure as one that is turned, and the surer words stay", async () => {
    expect(await standIn({ 3: unsure, 1: table(96, "Harbour") }, ["eng", "osd"])).toEqual({
      text: "Harbour",
      asked: ["3", "1"],
    });
    expect(await standIn({ 3: table(50, "Harb0ur"), 1: table(20, "~") }, ["eng", "osd"])).toEqual({
      text: "Harb0ur",
      asked: ["3", "1"],
    });
  });

  it("looks once at a page of which it is sure, and where it has no data to find a turn by", async () => {
    expect(await standIn({ 3: table(96, "Harbour"), 1: "" }, ["eng", "osd"])).toEqual({
      text: "Harbour",
      asked: ["3"],
    });
    expect((await standIn({ 3: unsure, 1: table(96, "Harbour") }, ["eng"])).asked).toEqual(["3"]);
  });

  it("has the words of a picture that was turned upside down where the picture has them", () => {
    const [page] = readTsv(table(96, "Harbour"));
    expect(turnedBack(page!).words).toEqual([{ ...page!.words[0], x: 0.7, y: 0.8 }]);
    expect(turnedBack(turnedBack(page!))).toEqual(page);
  });
});

describe("places in a picture", () => {
  const png = encodePng({ width: 300, height: 600, pixels: new Uint8Array(300 * 600).fill(255), dpi: 72 });

  it("are boxes on a page as wide as A4 and as high as the picture makes it", async () => {
    const { text, sourceMap } = await createImageReader({ ocr: provider() }).read({
      uri: "a.png",
      bytes: png,
      mediaType: "image/png",
    });
    const geometry = await readPdfGeometry({ uri: "a.png", bytes: png, recognised: sourceMap.recognised! });
    expect(geometry.text).toBe(text);
    expect(geometry.pages).toEqual([{ width: 595, height: 1190 }]);
    const start = text.indexOf("freight");
    const [page, ...more] = locateOnPages(geometry, start, start + "freight".length);
    expect(more).toEqual([]);
    const word = words.find((one) => one.text === "freight")!;
    const [box] = page!.boxes;
    expect(box!.x).toBeCloseTo(word.x * 595, 0);
    expect(box!.x + box!.width).toBeCloseTo((word.x + word.width) * 595, -0.5);
    expect(box!.y).toBeLessThan(word.y * 1190 + 1);
    expect(box!.y + box!.height).toBeGreaterThan((word.y + word.height) * 1190 - 5);
  });

  it("are not read from a picture without its words", async () => {
    expect(await refusalOf(readPdfGeometry({ uri: "a.png", bytes: png }))).toMatchObject({ code: "unreadable" });
  });

  it.each([
    ["PNG", [...png], [{ width: 300, height: 600 }]],
    ["GIF", [...ascii("GIF89a"), 44, 1, 88, 2, 0, 0, 0], [{ width: 300, height: 600 }]],
    [
      "JPEG with a comment before its frame",
      [0xff, 0xd8, 0xff, 0xfe, 0, 4, 65, 65, 0xff, 0xff, 0xc2, 0, 11, 8, 2, 88, 1, 44, 1, 1, 0x11, 0],
      [{ width: 300, height: 600 }],
    ],
    [
      "BMP whose first row is the top one",
      [...ascii("BM"), ...numbers(0, 0, 54, 40, 300, 2 ** 32 - 600)],
      [{ width: 300, height: 600 }],
    ],
    [
      "WebP with losses",
      [...ascii("RIFF"), ...numbers(30), ...ascii("WEBPVP8 "), ...numbers(10), 0, 0, 0, 0x9d, 1, 0x2a, 44, 1, 88, 0x42],
      [{ width: 300, height: 600 }],
    ],
    [
      "WebP without losses",
      [...ascii("RIFF"), ...numbers(30), ...ascii("WEBPVP8L"), ...numbers(10), 0x2f, ...numbers(299 | (599 << 14))],
      [{ width: 300, height: 600 }],
    ],
    [
      "WebP with more parts",
      [...ascii("RIFF"), ...numbers(30), ...ascii("WEBPVP8X"), ...numbers(10, 0), 43, 1, 0, 87, 2, 0],
      [{ width: 300, height: 600 }],
    ],
    [
      "TIFF of two pages",
      [...ascii("II"), 42, 0, ...numbers(8), ...directory(300, 600, 38), ...directory(200, 100, 8)],
      [
        { width: 300, height: 600 },
        { width: 200, height: 100 },
      ],
    ],
    ["TIFF whose second page lies beyond its end", [...ascii("II"), 42, 0, ...numbers(8), 0, 0, ...numbers(99)], []],
    ["file that breaks off", [...png.subarray(0, 19)], []],
    ["JPEG that breaks off", [0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff], []],
  ])("%s says how large it is", (_, bytes, sizes) => {
    expect(pictureSizes(Uint8Array.from(bytes))).toEqual(sizes);
  });
});

describe("pages of a picture", () => {
  const tiff = Uint8Array.from([
    ...ascii("II"),
    42,
    0,
    ...numbers(8),
    ...directory(300, 600, 38),
    ...directory(200, 100, 0),
  ]);

  it("are pictures of one page each, which begin with their own facts", () => {
    expect(picturePages(tiff).map((page) => pictureSizes(page()))).toEqual([
      [{ width: 300, height: 600 }],
      [{ width: 200, height: 100 }],
    ]);
    expect(picturePages(scan).map((page) => page())).toEqual([scan]);
  });

  it("are no more than are allowed", async () => {
    const read = createImageReader({ ocr: provider() }).read({
      uri: "a.tiff",
      bytes: tiff,
      mediaType: "image/tiff",
      limits: { maxPages: 1 },
    });
    expect(await refusalOf(read)).toMatchObject({ code: "too-large", details: { limit: "maxPages" } });
  });
});

describe("pictures of a page", () => {
  it("stand where the page has them", async () => {
    const pdf = await openPdf({ uri: "a.pdf", bytes: scan }, undefined, { maxImageSize: -1 });
    const picture = await drawPictures(pdf, 1);
    await pdf.loadingTask.destroy();
    const { width, height, pixels, dpi } = picture!;
    expect([width, height, dpi]).toEqual([Math.round((200 / 72) * 200), Math.round((100 / 72) * 200), 200]);
    const at = (x: number, y: number): number =>
      pixels[Math.round((y / 72) * 200) * width + Math.round((x / 72) * 200)]!;
    expect([at(40, 12.5), at(10, 12.5), at(70, 12.5), at(40, 20), at(40, 5)]).toEqual([0, 255, 255, 255, 255]);
    expect(encodePng(picture!).length).toBeLessThan(5000);
  });

  it("become words by Tesseract's table", () => {
    const rows = [
      "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext",
      "1\t1\t0\t0\t0\t0\t0\t0\t1000\t500\t-1\t",
      "5\t1\t1\t1\t1\t1\t100\t50\t200\t25\t96.1\tHarbour",
      "5\t1\t1\t1\t1\t2\t310\t50\t100\t25\t5\t~~",
      "5\t1\t1\t1\t2\t1\t100\t100\t50\t25\t90\topen",
    ];
    expect(readTsv(rows.join("\n"))).toEqual([
      {
        page: 1,
        text: "Harbour\nopen",
        words: [
          { text: "Harbour", x: 0.1, y: 0.1, width: 0.2, height: 0.05, line: 1 },
          { text: "open", x: 0.1, y: 0.2, width: 0.05, height: 0.05, line: 2 },
        ],
        confidence: 64,
      },
    ]);
  });
});
