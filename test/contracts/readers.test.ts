import { readFileSync } from "node:fs";

import { describe } from "vitest";

import { createHtmlReader } from "../../src/readers/html/html-reader.ts";
import { createMarkdownReader } from "../../src/readers/markdown/markdown-reader.ts";
import { createDocxReader } from "../../src/readers/office/docx-reader.ts";
import { createEpubReader } from "../../src/readers/office/epub-reader.ts";
import { createOdtReader } from "../../src/readers/office/odt-reader.ts";
import { createPptxReader } from "../../src/readers/office/pptx-reader.ts";
import { createXlsxReader } from "../../src/readers/office/xlsx-reader.ts";
import { createPdfReader } from "../../src/readers/pdf/pdf-reader.ts";
import { createXlsReader } from "../../src/readers/sheets/xls-reader.ts";
import type { Reader } from "../../src/contracts/reader.ts";
import { csvReader } from "../../src/readers/sheets/csv-reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { createReaderPack } from "../../src/testing/reader-pack.ts";
import {
  escapeXml,
  makeDocx,
  makeEpub,
  makeOdt,
  paragraph,
  run,
  styled,
  wordTable,
  makePptx,
  slideParagraph,
  slideShape,
} from "../readers/make-office.ts";
import { makeXls, sheetOf } from "../readers/make-xls.ts";
import { makeXlsx } from "../readers/make-xlsx.ts";
import { makePdf } from "../readers/make-pdf.ts";
import { runPack } from "./run-pack.ts";

/** A package of Office with a password, whatever it holds. */
const locked = (name: string): Uint8Array => readFileSync(new URL(`../fixtures/locked/${name}`, import.meta.url));
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const empty = { name: "an empty file", bytes: new Uint8Array(0), code: "empty" } as const;
const blank = { name: "a file of white space", bytes: encode(" \n\t\n"), code: "empty" } as const;
const binary = {
  name: "a binary file",
  bytes: Uint8Array.from({ length: 600 }, (_, i) => (i * 7) % 32),
  code: "binary",
} as const;

describe("the plain text reader", () => {
  runPack(
    createReaderPack({
      create: () => plainTextReader,
      mediaType: "text/plain",
      wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
      verbatim: true,
      refuses: [binary],
    }),
  );
});

const guide = `---
title: The guide
tags: [a, b]
---

# Keys & locks

Turn **the key**, see [the lock](lock.md).

## Spare keys

| who | where |
| --- | ----- |
| Ada | shelf |

\`\`\`ts
const key = "under the mat";
\`\`\`

Setext heading
--------------

- one
- two 👍
`;

describe("the Markdown reader", () => {
  runPack(
    createReaderPack({
      create: () => createMarkdownReader(),
      mediaType: "text/markdown",
      wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
      verbatim: true,
      samples: [
        {
          name: "a guide",
          bytes: encode(guide),
          words: ["title: The guide", "# Keys & locks", "| Ada | shelf |", "under the mat", "- two 👍"],
        },
      ],
      refuses: [binary],
    }),
  );
});

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const page = `<!doctype html><html lang="en"><head><title>Keys</title><script>var hidden = 1;</script></head>
<body><nav>Menu</nav><main><h1>Keys &amp; locks</h1><p>Turn <b>the key</b>.</p><h2>Spare</h2>
<table><tr><th>who</th><th>where</th></tr><tr><td>Ada</td><td>shelf</td></tr></table><pre>a  b
c</pre><p>Last 👍</p></main></body></html>`;

describe("the HTML reader", () => {
  runPack(
    createReaderPack({
      create: () => createHtmlReader(),
      mediaType: "text/html",
      wrap: (paragraphs) =>
        encode(
          `<!doctype html><meta charset="utf-8"><main>${paragraphs.map((text) => `<p>${escape(text)}</p>`).join("")}</main>`,
        ),
      samples: [
        {
          name: "a page",
          bytes: encode(page),
          words: ["Keys & locks", "Turn the key.", "Spare", "Ada", "shelf", "a  b\nc", "Last 👍"],
        },
      ],
      refuses: [empty, { name: "a page of white space", bytes: encode("<main> <p>\n</p></main>"), code: "empty" }],
    }),
  );
});

describe("readers of text, asked through the core", () => {
  // What has no text is refused once, for every reader.
  const throughCore = (reader: Reader, mediaType: string): Reader => ({
    ...reader,
    read: (input) => readDocument([reader], { ...input, mediaType }),
  });
  describe("plain text", () => {
    runPack(
      createReaderPack({
        create: () => throughCore(plainTextReader, "text/plain"),
        mediaType: "text/plain",
        wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
        refuses: [empty, blank, binary],
      }),
    );
  });
  describe("Markdown", () => {
    runPack(
      createReaderPack({
        create: () => throughCore(createMarkdownReader(), "text/markdown"),
        mediaType: "text/markdown",
        wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
        refuses: [empty, blank, binary],
      }),
    );
  });
});

describe("the PDF reader", () => {
  runPack(
    createReaderPack({
      create: () => createPdfReader(),
      mediaType: "application/pdf",
      samples: [
        {
          name: "two pages",
          bytes: makePdf([
            [{ text: "The lighthouse keeper counts ships.", y: 720 }],
            [{ text: "On the second page the sea is calm.", y: 720 }],
          ]),
          words: ["The lighthouse keeper counts ships.", "On the second page the sea is calm."],
        },
        {
          name: "columns, a table and a stamp",
          bytes: makePdf(
            [
              [
                { text: "Ships", y: 740, size: 20 },
                ...[
                  "In the left column the keeper",
                  "counts the ships that pass and",
                  "writes down their names,",
                ].flatMap((text, row) => [
                  { text, x: 72, y: 700 - row * 12 },
                  {
                    text: ["while in the right one the sea", "is calm, and nobody passes by", "until the evening."][
                      row
                    ]!,
                    x: 300,
                    y: 700 - row * 12,
                  },
                ]),
                ...["Ship", "Masts", "Anna", "3", "Berta", "2"].map((text, at) => ({
                  text,
                  x: 72 + (at % 2) * 90,
                  y: 600 - (at >> 1) * 14,
                })),
                { text: "Received", x: 20, y: 300, angle: 90 },
              ],
            ],
            { outline: [{ title: "Ships", page: 0 }], rotate: 90 },
          ),
          words: [
            "Ships",
            "counts the ships that pass",
            "their names, while in the right one",
            "| Anna | 3 |",
            "Received",
          ],
        },
      ],
      refuses: [
        { name: "not a PDF", bytes: encode("%PDF-1.7\nand then nothing of the kind"), code: "unreadable" },
        { name: "a page without text", bytes: makePdf([[]]), code: "empty" },
      ],
    }),
  );
});

const inRuns = (text: string): string =>
  text
    .split("\n")
    .map((line) => run(line))
    .join("<w:r><w:br/></w:r>");

describe("the Word reader [W54]", () => {
  runPack(
    createReaderPack({
      create: () => createDocxReader(),
      mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      wrap: (paragraphs) => makeDocx({ body: paragraphs.map((text) => paragraph(inRuns(text))).join("") }),
      samples: [
        {
          name: "a letter",
          bytes: makeDocx({
            body: [
              styled("Title", "Keys & locks"),
              paragraph("Turn the key."),
              styled("Heading1", "Spare"),
              wordTable([
                ["who", "where"],
                ["Ada", "shelf"],
              ]),
              paragraph("Last 👍"),
            ].join(""),
          }),
          words: ["Keys & locks", "Turn the key.", "Spare", "| Ada | shelf |", "Last 👍"],
        },
      ],
      refuses: [
        { name: "no archive", bytes: encode("PK\u0003\u0004 and then nothing of the kind"), code: "unreadable" },
        { name: "a document without text", bytes: makeDocx({ body: paragraph("<w:r/>") }), code: "empty" },
        { name: "a document with a password", bytes: locked("standard.docx"), code: "encrypted" },
      ],
    }),
  );
});

describe("the OpenDocument reader", () => {
  const inLines = (text: string): string => text.split("\n").map(escapeXml).join("<text:line-break/>");
  runPack(
    createReaderPack({
      create: () => createOdtReader(),
      mediaType: "application/vnd.oasis.opendocument.text",
      wrap: (paragraphs) => makeOdt(paragraphs.map((text) => `<text:p>${inLines(text)}</text:p>`).join("")),
      samples: [
        {
          name: "a letter",
          bytes: makeOdt(
            '<text:h text:outline-level="1">Keys &amp; locks</text:h><text:p>Turn the key.</text:p><text:list><text:list-item><text:p>Last 👍</text:p></text:list-item></text:list>',
          ),
          words: ["Keys & locks", "Turn the key.", "- Last 👍"],
        },
      ],
      refuses: [
        { name: "no archive", bytes: encode("PK and then nothing of the kind"), code: "unreadable" },
        { name: "a text without words", bytes: makeOdt(""), code: "empty" },
      ],
    }),
  );
});

describe("the PowerPoint reader", () => {
  const body = (text: string): string =>
    text
      .split("\n")
      .map((line) => slideParagraph(line))
      .join("");
  runPack(
    createReaderPack({
      create: () => createPptxReader(),
      mediaType: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      wrap: (paragraphs) => makePptx(paragraphs.map((text) => ({ shapes: slideShape(body(text)) }))),
      samples: [
        {
          name: "a talk",
          bytes: makePptx([
            { shapes: slideShape(slideParagraph("Keys & locks"), 'type="title"') + slideShape(body("Turn the key.")) },
            { shapes: slideShape(body("Spare")), speakerNotes: slideParagraph("Last 👍") },
          ]),
          words: ["Keys & locks", "Turn the key.", "Spare", "Last 👍"],
        },
      ],
      refuses: [
        { name: "no archive", bytes: encode("PK and then nothing of the kind"), code: "unreadable" },
        { name: "a talk without text", bytes: makePptx([{ shapes: "" }]), code: "empty" },
      ],
    }),
  );
});

describe("the EPUB reader", () => {
  // Chapters are read by the reader of HTML.
  const book = createEpubReader();
  const reader: Reader = {
    ...book,
    read: (input) => readDocument([book, createHtmlReader()], input),
  };
  runPack(
    createReaderPack({
      create: () => reader,
      mediaType: "application/epub+zip",
      wrap: (paragraphs) =>
        makeEpub(paragraphs.map((text, index) => ({ path: `${index}.xhtml`, body: `<p>${escapeXml(text)}</p>` }))),
      samples: [
        {
          name: "a book",
          bytes: makeEpub([
            { path: "1.xhtml", body: "<h1>Keys &amp; locks</h1><p>Turn the key.</p>" },
            { path: "2.xhtml", body: "<h1>Spare</h1><p>Last 👍</p>" },
          ]),
          words: ["Keys & locks", "Turn the key.", "Spare", "Last 👍"],
        },
      ],
      refuses: [
        { name: "a book cut off", bytes: makeEpub([]).slice(0, -30), code: "unreadable" },
        { name: "a book without text", bytes: makeEpub([]), code: "empty" },
      ],
    }),
  );
});

describe("the CSV reader", () => {
  runPack(
    createReaderPack({
      create: () => csvReader,
      mediaType: "text/csv",
      wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
      verbatim: true,
      samples: [
        {
          name: "a list",
          bytes: encode('who;where\nAda;"shelf; left\nside"\nBob;"the ""key"""\n'),
          words: ["who;where", "shelf; left\nside", '"the ""key"""'],
        },
        { name: "a mark that is never closed", bytes: encode('a,"b\nc,d\n'), words: ['a,"b', "c,d"] },
      ],
      refuses: [binary],
    }),
  );
});

const keys = [
  ["who", "where"],
  ["Ada & Bob", "shelf"],
  ["Last 👍", "door"],
];

describe("the Excel reader", () => {
  const mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  runPack(
    createReaderPack({
      create: () => createXlsxReader(),
      mediaType,
      wrap: (paragraphs) =>
        makeXlsx([{ name: "Texts", rows: paragraphs.flatMap((text) => text.split("\n").map((line) => [line])) }]),
      samples: [
        {
          name: "two sheets",
          bytes: makeXlsx([
            { name: "Keys & locks", rows: keys },
            { name: "Spare", rows: [[1, null, true]] },
          ]),
          words: ["Keys & locks", "who: Ada & Bob | where: shelf", "who: Last 👍", "Spare", "A: 1 | C: TRUE"],
        },
      ],
      refuses: [
        { name: "no archive", bytes: encode("PK\u0003\u0004 and then nothing of the kind"), code: "unreadable" },
        { name: "a workbook without cells", bytes: makeXlsx([{ name: "S" }]), code: "empty" },
        { name: "a workbook with a password", bytes: locked("agile.docx"), code: "encrypted" },
      ],
    }),
  );
});

describe("the reader of older workbooks", () => {
  const book = { SheetNames: ["Keys"], Sheets: { Keys: sheetOf(keys) } };
  runPack(
    createReaderPack({
      create: () => createXlsReader(),
      mediaType: "application/vnd.ms-excel",
      samples: [
        {
          name: "a sheet",
          bytes: makeXls(book),
          words: ["Keys", "who: Ada & Bob | where: shelf", "who: Last 👍 | where: door"],
        },
      ],
      refuses: [
        { name: "a text", bytes: encode("a\tb\n"), code: "unreadable" },
        { name: "half a workbook", bytes: makeXls(book).subarray(0, 800), code: "unreadable" },
        {
          name: "a workbook without cells",
          bytes: makeXls({ SheetNames: ["S"], Sheets: { S: sheetOf([[]]) } }),
          code: "empty",
        },
      ],
    }),
  );
});
