import { describe, expect, it } from "vitest";

import { createHtmlReader } from "../../src/readers/html/html-reader.ts";
import { createMarkdownReader } from "../../src/readers/markdown/markdown-reader.ts";
import { createHtmlChunker } from "../../src/chunkers/html-chunker.ts";
import { createMarkdownChunker } from "../../src/chunkers/markdown-chunker.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { createDocument, markdown } from "./generated-document.ts";

const cut = (document: TextDocument, options: Parameters<typeof createMarkdownChunker>[0]): Chunk[] => [
  ...createMarkdownChunker({ overlap: 0, ...options }).chunk(document),
];
const texts = (chunks: readonly Chunk[]): string[] => chunks.map(({ text }) => text);
const headers = (chunks: readonly Chunk[]): Record<string, unknown>[] =>
  chunks.map(({ metadata }) =>
    Object.fromEntries(Object.entries(metadata).filter(([key]) => key.startsWith("header"))),
  );

/** A document as our readers make it. */
async function read(uri: string, source: string): Promise<TextDocument> {
  const bytes = new TextEncoder().encode(source);
  const {
    text,
    root,
    sourceMap,
    blocks = [],
  } = await readDocument([createMarkdownReader(), createHtmlReader()], {
    uri,
    bytes,
  });
  return createDocument(text, { uri, root, sourceMap, blocks });
}

describe("the Markdown chunker", () => {
  it("cuts before the highest heading within the size, then lower ones [B49]", () => {
    const document = markdown("# A\n\nOne.\n\n### Deep\n\nTwo.\n\n## B\n\nThree.\n\n### C\n\nFour.\n");
    // "# A … Two." is 27 long, up to B; with "## B\n\nThree." 41; the whole 55.
    expect(texts(cut(document, { maxSize: 50 }))).toEqual([
      "# A\n\nOne.\n\n### Deep\n\nTwo.",
      "## B\n\nThree.\n\n### C\n\nFour.",
    ]);
    expect(texts(cut(document, { maxSize: 20 }))).toEqual([
      "# A\n\nOne.",
      "### Deep\n\nTwo.",
      "## B\n\nThree.",
      "### C\n\nFour.",
    ]);
  });

  it("keeps a code block apart, however small, and says its language [B49]", () => {
    const blocks = markdown("Before.\n\n```\nx\n```\n\nAfter.\n");
    const chunks = cut(blocks, { maxSize: 200 });
    expect(texts(chunks)).toEqual(["Before.", "```\nx\n```", "After."]);
    expect(chunks.map(({ metadata }) => [metadata["type"], metadata["language"], metadata["prev"]])).toEqual([
      [undefined, undefined, undefined],
      ["code_block", "unknown", undefined],
      [undefined, undefined, undefined],
    ]);
  });

  it.each(["header", "code-block", "rule", "paragraph", "line", "sentence", "word", "character"] as const)(
    "keeps code apart by %s too [B49]",
    (strategy) => {
      const document = markdown("Before.\n\n```\nx\n```\n\nAfter.\n");
      expect(texts(cut(document, { maxSize: 200, strategy }))).toEqual(["Before.", "```\nx\n```", "After."]);
    },
  );

  it("breaks a large code block between lines, each further piece pointing to the one before [B49]", async () => {
    const source = "Intro.\n\n```python\nfirst = 1\nsecond = 2\nthird = 3\nfourth = 4\n```\n\nEnd.\n";
    const chunks = cut(await read("a.md", source), { maxSize: 24 });
    expect(texts(chunks)).toEqual([
      "Intro.",
      "```python\nfirst = 1",
      "second = 2\nthird = 3",
      "fourth = 4\n```",
      "End.",
    ]);
    const code = chunks.slice(1, 4);
    expect(code.map(({ metadata }) => [metadata["type"], metadata["language"], metadata["prev"]])).toEqual([
      ["code_block", "python", undefined],
      ["code_block", "python", code[0]?.id],
      ["code_block", "python", code[1]?.id],
    ]);
  });

  it("cuts at rules before it cuts between paragraphs, and between lines before sentences [B49]", () => {
    const text = "One is here.\n\nTwo is here.\n\n---\n\nThree is here.\n\nFour.";
    const rule = text.indexOf("---");
    const blocks = [
      { kind: "paragraph", start: 0, end: 12 },
      { kind: "paragraph", start: 14, end: 26 },
      { kind: "rule", start: rule, end: rule + 3 },
      { kind: "paragraph", start: 33, end: 47 },
      { kind: "paragraph", start: 49, end: 54 },
    ] as const;
    const document = createDocument(text, { blocks });
    expect(texts(cut(document, { maxSize: 48 }))).toEqual([
      "One is here.\n\nTwo is here.\n\n---",
      "Three is here.\n\nFour.",
    ]);
    expect(texts(cut(document, { maxSize: 48, strategy: "paragraph" }))).toEqual([
      "One is here.\n\nTwo is here.\n\n---\n\nThree is here.",
      "Four.",
    ]);
    const lines = createDocument("A line. Of two.\nAnother line. Of two.");
    expect(texts(cut(lines, { maxSize: 30 }))).toEqual(["A line. Of two.", "Another line. Of two."]);
  });

  it("ends sentences at full stops, not at the two characters of a pattern [B51]", () => {
    const document = createDocument("First one. Second \\. still second. Third one.");
    expect(texts(cut(document, { maxSize: 24, strategy: "sentence" }))).toEqual([
      "First one.",
      "Second \\. still second.",
      "Third one.",
    ]);
  });

  it("says which headings all of a chunk stands under, its overlap left out [B50 B49]", () => {
    const document = markdown("# Top\n\nZero.\n\n## A\n\nOne.\n\n## B\n\nTwo.\n\n## B\n\nThree.\n");
    expect(headers(cut(document, { maxSize: 200 }))).toEqual([{ header1: "Top" }]);
    expect(headers(cut(document, { maxSize: 20 }))).toEqual([
      { header: "Top", header1: "Top" },
      { header: "A", header1: "Top", header2: "A" },
      { header: "B", header1: "Top", header2: "B" },
      { header: "B", header1: "Top", header2: "B" },
    ]);
    // Two sections of one name are under one heading, as far as the keys say.
    const [, last] = cut(document, { maxSize: 25 });
    expect([last?.text, last?.metadata["header"]]).toEqual(["## B\n\nTwo.\n\n## B\n\nThree.", "B"]);

    const shared = cut(document, { maxSize: 24, overlap: 12 });
    expect(texts(shared)[1]).toBe("## A\n\nOne.\n\n## B\n\nTwo.");
    expect(headers(shared)[1]).toEqual({ header: "B", header1: "Top", header2: "B" });
  });

  it("refuses impossible sizes in the words of its model [B49]", () => {
    expect(() => createMarkdownChunker({ maxSize: 0 })).toThrow("Chunk size must be greater than 0");
    expect(() => createMarkdownChunker({ maxSize: -3 })).toThrow("Chunk size must be greater than 0");
    expect(() => createMarkdownChunker({ maxSize: 10, overlap: 11 })).toThrow(
      "Max overlap size must be less than or equal to chunk size",
    );
    expect(() => createMarkdownChunker({ maxSize: 10, overlap: 10 })).toThrow("must be below maxSize");
    expect(() => createMarkdownChunker({ strategy: "pages" as "line" })).toThrow('no strategy "pages"');
    expect(() => createHtmlChunker({ maxSize: 0 })).toThrow("Chunk size must be greater than 0");
    expect(() => createHtmlChunker({ strategy: "rule" as "line" })).toThrow('no strategy "rule"');
  });
});

describe("the HTML chunker", () => {
  const page = `<html><body><h1 class="big">Ships</h1><p>They sail.</p>
<h2 id="a">Tea <em>clippers</em> </h2><p>Fast ones.<br>Long ago.</p><h2>Barges</h2><p>Slow.</p></body></html>`;

  it("puts the heading's text, markup and attributes aside, on the heading and on what follows [B50]", async () => {
    const document = await read("ships.html", page);
    const chunks = [...createHtmlChunker({ maxSize: 34, overlap: 0 }).chunk(document)];
    expect(texts(chunks)).toEqual(["Ships\n\nThey sail.", "Tea clippers\n\nFast ones.\nLong ago.", "Barges\n\nSlow."]);
    expect(headers(chunks)).toEqual([
      { header: "Ships", header1: "Ships" },
      { header: "Tea clippers", header1: "Ships", header2: "Tea clippers" },
      { header: "Barges", header1: "Ships", header2: "Barges" },
    ]);
  });

  it("leaves out of a chunk of several parts what is not the same in all of them [B50]", async () => {
    const document = await read("ships.html", page);
    const whole = [...createHtmlChunker({ maxSize: 500, overlap: 0 }).chunk(document)];
    expect(headers(whole)).toEqual([{ header1: "Ships" }]);
  });

  it("cuts at line breaks before sentences [B50]", async () => {
    const document = await read("ships.html", "<p>One. Two.<br>Three is longer.<br>Four. Five.</p>");
    expect(texts([...createHtmlChunker({ maxSize: 20, overlap: 0 }).chunk(document)])).toEqual([
      "One. Two.",
      "Three is longer.",
      "Four. Five.",
    ]);
  });

  it("takes what browsers repair as they repair it: an unclosed tag is no error [B50]", async () => {
    const document = await read("ships.html", "<h1>Ships</h1><p>One<p>Two<h2>Barges");
    const chunks = [...createHtmlChunker({ maxSize: 16, overlap: 0 }).chunk(document)];
    expect(texts(chunks)).toEqual(["Ships\n\nOne\n\nTwo", "Barges"]);
    expect(chunks[1]?.metadata["header2"]).toBe("Barges");
  });
});
