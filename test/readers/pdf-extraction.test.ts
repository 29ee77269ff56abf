import { describe, expect, it } from "vitest";

import { createPdfReader } from "../../src/readers/pdf/pdf-reader.ts";
import type { ExtractionInput, ImageEmbedder, OcrProvider, TableExtractor } from "../../src/contracts/extraction.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import { noTableExtractor } from "../../src/readers/no-table-extractor.ts";
import { createLocator } from "../../src/text/locate.ts";

import { makePdf } from "./make-pdf.ts";
import { refusalOf, showBlocks } from "./read-with.ts";

const textPage = [{ text: "A page with text.", y: 700 }];
/** Text, a picture, nothing, a picture. */
const mixed = makePdf([textPage, [], [], []], { pictures: [1, 3] });
const scan = makePdf([[], []], { pictures: [0, 1] });

/** Recognises what the test says, and writes down what it was asked. */
function scripted(
  pages: Readonly<Record<number, string>>,
  isScanned = true,
): OcrProvider & { asked: ExtractionInput[] } {
  const asked: ExtractionInput[] = [];
  return {
    name: "scripted/1",
    asked,
    isScanned: () => isScanned,
    async extractText(input) {
      asked.push(input);
      return Object.entries(pages).map(([page, text]) => ({ page: Number(page), text }));
    },
  };
}

const read = (bytes: Uint8Array, options: Parameters<typeof createPdfReader>[0], more = {}) =>
  createPdfReader(options).read({ uri: "a.pdf", bytes, mediaType: "application/pdf", ...more });

describe("text recognition", () => {
  it("reads the pages that are pictures, and says so [T55]", async () => {
    const ocr = scripted({ 2: "A recognised\nline.\n\nAnother.\u0007", 1: "not asked for" });
    const result = await read(mixed, { ocr });
    expect(ocr.asked.map(({ pages, mediaType }) => [pages, mediaType])).toEqual([[[2, 4], "application/pdf"]]);
    expect(showBlocks(result)).toEqual([
      "paragraph: A page with text.",
      "paragraph: A recognised line.",
      "paragraph: Another.",
    ]);
    const locate = createLocator(result);
    expect(locate(result.text.indexOf("recognised")).page).toBe(2);
    expect(result.notes).toEqual([
      expect.stringMatching(/^Page 4 has no text layer/),
      "The text of page 2 was recognised by scripted/1.",
    ]);
  });

  it("reads a scan that is refused without it [T55]", async () => {
    expect(await refusalOf(read(scan, {}))).toMatchObject({ code: "empty", details: { pages: 2 } });
    const result = await read(scan, { ocr: scripted({ 1: "One.", 2: "Two." }) }, { password: "of no use" });
    expect(result.text).toBe("One.\n\nTwo.");
    expect(result.sourceMap.pages).toEqual([
      { number: 1, start: 0 },
      { number: 2, start: 6 },
    ]);
  });

  it("is refused by name when nothing was recognised, or there is nothing to recognise [T55]", async () => {
    const blank = await refusalOf(read(scan, { ocr: scripted({ 1: " \n" }) }));
    expect(blank).toMatchObject({ code: "empty", uri: "a.pdf" });
    expect(blank.message).toContain("scripted/1 recognised none");
    const ocr = scripted({ 1: "never" }, false);
    expect(await refusalOf(read(scan, { ocr }))).toMatchObject({ code: "empty" });
    expect(ocr.asked).toEqual([]);
  });

  it("is not asked for a file whose pages all have text, stops when aborted, and may spoil its own bytes only [T55]", async () => {
    const ocr = scripted({ 1: "never" });
    expect((await read(makePdf([textPage, []]), { ocr })).notes).toBeUndefined();
    expect(ocr.asked).toEqual([]);
    const stop = new AbortController();
    const slow: OcrProvider = {
      name: "slow",
      isScanned: () => true,
      async extractText({ bytes, signal }) {
        bytes.fill(0);
        stop.abort();
        expect(signal?.aborted).toBe(true);
        return [];
      },
    };
    const before = scan.slice();
    expect(await refusalOf(read(scan, { ocr: slow }, { signal: stop.signal }))).toMatchObject({ code: "aborted" });
    expect(scan).toEqual(before);
  });

  it("is part of the reader's name, as its settings change the text [T55 L7]", () => {
    expect(createPdfReader({ ocr: scripted({}) }).name).toMatch(/^pdf\/\d+(?:\+cmaps)?\+ocr:scripted\/1$/u);
    expect(createPdfReader({ tables: noTableExtractor }).name).toBe(createPdfReader().name);
    expect(() => createPdfReader({ orc: scripted({}) } as never)).toThrow(/orc/);
  });
});

describe("other extraction points", () => {
  it("takes tables that somebody finds, and finds none by default [T56]", async () => {
    const tables: TableExtractor = {
      name: "lines/1",
      extractTables: async () => [{ page: 1, headers: ["City", "People"], rows: [["Bern", "134 794"]] }],
    };
    const result = await read(mixed, { tables });
    const table = result.blocks?.[1];
    expect(showBlocks(result)).toEqual([
      "paragraph: A page with text.",
      "table: | City | People |\n| Bern | 134 794 |",
    ]);
    expect(result.text.slice(table?.bodyStart, table?.end)).toBe("| Bern | 134 794 |");
    expect(await noTableExtractor.extractTables({ uri: "a", bytes: mixed, mediaType: "application/pdf" })).toEqual([]);
  });

  it("embeds pictures only with what somebody brings, and keeps names for it [T57]", async () => {
    const embedder: ImageEmbedder = {
      providerId: "local",
      modelId: "clip",
      dimensions: 2,
      embedImage: async () => new Float32Array([1, 0]),
      embedQuery: async () => new Float32Array([0, 1]),
    };
    const metadata: Metadata = {
      _imageProvider: embedder.providerId,
      _imageModel: embedder.modelId,
      _imageDim: embedder.dimensions,
    };
    expect(metadata["_imageDim"]).toBe((await embedder.embedQuery("a cat")).length);
    const ibid: object = await import("../../src/index.ts");
    expect(Object.keys(ibid).filter((name) => /image.?embed/iu.test(name))).toEqual([]);
  });
});
