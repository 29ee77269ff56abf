import { afterEach, describe, expect, it } from "vitest";
import { type KnowledgeBase, openKnowledgeBase } from "../../src/index.node.ts";
import { createPdfReader, type OcrProvider, type TableExtractor } from "../../src/readers/index.node.ts";
import { makePdf } from "../readers/make-pdf.ts";

const opened: KnowledgeBase[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((kb) => kb.close()))));

async function openWith(options: Parameters<typeof createPdfReader>[0]): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({ readers: [createPdfReader(options)] });
  opened.push(kb);
  return kb;
}

const scan = { uri: "scan.pdf", bytes: makePdf([[], []], { pictures: [0, 1] }), mediaType: "application/pdf" };

const recognising = (name: string, word: string): OcrProvider => ({
  name,
  isScanned: () => true,
  extractText: async ({ pages = [] }) => pages.map((page) => ({ page, text: `The ${word} of page ${page}.` })),
});

describe("what text is not, from the file to the hit", () => {
  it("a scan is refused without recognition; with it its words are found on their page, and not recognised again [T55]", async () => {
    const kb = await openWith({});
    const refused = await kb.ingest(scan);
    expect(refused.failed).toBe(1);

    const read = await openWith({ ocr: recognising("lamp/1", "lantern") });
    for await (const { status, notes } of read.ingest(scan))
      expect([status, notes]).toEqual(["added", ["The text of pages 1 to 2 was recognised by lamp/1."]]);
    const [hit] = await read.search("lantern", { mode: "lexical", topK: 1 });
    expect(hit).toMatchObject({ source: { uri: "scan.pdf", page: 1 }, text: expect.stringContaining("lantern") });
    expect(await read.ingest(scan)).toMatchObject({ unchanged: 1 });
  });

  it("a table that somebody finds is found by its cells [T56]", async () => {
    const tables: TableExtractor = {
      name: "lines/1",
      extractTables: async () => [{ page: 1, headers: ["City", "People"], rows: [["Bern", "134 794"]] }],
    };
    const kb = await openWith({ tables });
    await kb.ingest({ ...scan, bytes: makePdf([[{ text: "A page with text.", y: 700 }]]) });
    const [hit] = await kb.search("Bern", { mode: "lexical", topK: 1 });
    expect(hit?.text).toContain("| Bern | 134 794 |");
  });
});
