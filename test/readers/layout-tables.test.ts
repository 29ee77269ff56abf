import { describe, expect, it } from "vitest";

import { makeDocx, paragraph, run } from "./make-office.ts";
import { readAny } from "./read-any.ts";
import { showBlocks } from "./read-with.ts";

const sentence = "The lighthouse keeper writes down every ship that passes in the night. ";
const essay = Array.from({ length: 12 }, (_, i) => `Paragraph ${i}. ${sentence.repeat(6).trim()}`);

const cell = (...paragraphs: readonly string[]): string =>
  `<w:tc>${paragraphs.map((text) => paragraph(run(text))).join("")}</w:tc>`;
const table = (...rows: readonly string[]): string =>
  `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join("")}</w:tbl>`;

const files: Readonly<Record<string, string | Uint8Array>> = {
  "layout.html": `<table><tr><td>${essay.map((text) => `<p>${text}</p>`).join("")}</td><td>Links</td></tr></table>`,
  "layout.docx": makeDocx({ body: table(cell(...essay) + cell("Links")) }),
};

describe("a table that lays out a page", () => {
  it.each(Object.entries(files))("is read as the flow that it is: %s [L1 L9]", async (name, bytes) => {
    const read = await readAny(name, bytes);
    expect(showBlocks(read)).toEqual([...essay, "Links"].map((text) => `paragraph: ${text}`));
  });

  it("stays a table of data where its columns have names or its cells are short", async () => {
    const data = `<table><tr><th>Name</th><th>Story</th></tr><tr><td>Ada</td><td><p>${sentence.repeat(6)}</p><p>${sentence.repeat(6)}</p></td></tr></table>`;
    expect(showBlocks(await readAny("data.html", data)).map((block) => block.slice(0, 5))).toEqual(["table"]);
    const short = makeDocx({ body: table(cell("a", "b") + cell("c"), cell("d") + cell("e", "f")) });
    expect(showBlocks(await readAny("data.docx", short))).toEqual(["table: | a b | c |\n| d | e f |"]);
  });
});

describe("a Word document", () => {
  it("takes in documents of other formats where they stand, and names those that nobody reads", async () => {
    const bytes = makeDocx({
      body: `${paragraph(run("Before."))}<w:altChunk r:id="c1"/><w:altChunk r:id="c2"/>${paragraph(run("After."))}`,
      related: [
        ["c1", "aFChunk", "part.html"],
        ["c2", "aFChunk", "part.bin"],
      ],
      more: {
        "word/part.html": "<html><body><h2>Inside</h2><p>Taken in.</p></body></html>",
        "word/part.bin": new Uint8Array([0, 1, 2, 3]),
      },
    });
    const read = await readAny("chunks.docx", bytes);
    expect(showBlocks(read)).toEqual([
      "paragraph: Before.",
      "heading: Inside",
      "paragraph: Taken in.",
      "paragraph: After.",
    ]);
    expect(read.notes).toEqual(["Not read: what is embedded in it (part.bin)."]);
  });

  it("leaves out rows that are hidden", async () => {
    const hidden = `<w:tr><w:trPr><w:hidden/></w:trPr>${cell("secret")}${cell("row")}</w:tr>`;
    const bytes = makeDocx({ body: `<w:tbl><w:tr>${cell("a")}${cell("b")}</w:tr>${hidden}</w:tbl>` });
    expect(showBlocks(await readAny("rows.docx", bytes))).toEqual(["table: | a | b |"]);
  });
});

describe("a feed", () => {
  it("is known by its namespaces, whatever their prefixes are", async () => {
    const feed = `<?xml version="1.0"?><a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:d="http://purl.org/dc/elements/1.1/"><a:title>News</a:title><a:entry><a:title>First</a:title><d:creator>Ada</d:creator><a:summary>Words of it.</a:summary></a:entry></a:feed>`;
    const read = await readAny("feed.xml", feed);
    expect(read.text).toBe("News\n\nFirst\n\nAuthor: Ada\n\nWords of it.");
  });
});

describe("a message", () => {
  it("is read in UTF-16 as in any other encoding", async () => {
    const source =
      "From: ada@example.com\r\nTo: grace@example.com\r\nSubject: Zażółć\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\n\r\nGęślą jaźń.\r\n";
    const bytes = Uint8Array.from(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(source, "utf16le")]));
    for (const name of ["wide.eml", "wide"]) {
      const read = await readAny(name, bytes);
      expect(read.title).toBe("Zażółć");
      expect(read.text).toContain("Gęślą jaźń.");
    }
  });
});
