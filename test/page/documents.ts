import {
  makeDocx,
  makeEpub,
  makeOdt,
  makePptx,
  paragraph,
  slideParagraph,
  slideShape,
  styled,
  wordTable,
} from "../readers/make-office.ts";
import { makeXls, sheetOf } from "../readers/make-xls.ts";
import { makeXlsx } from "../readers/make-xlsx.ts";
import { makePages, type PageLine } from "./make-pages.ts";

/** A file of the harbour's papers, a question that it answers, and words of the answer. */
export interface Paper {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly question: string;
  readonly answer: string;
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const handbook = `---
title: Handbook of the lighthouse
---

# Handbook of the lighthouse

The lighthouse of Ennis Point has been lit every night since 1871. This handbook is for those who keep it.

## Lamp

The **lamp glass** is polished with \`chamois\` leather every *ninety* days. Nobody touches it with bare hands.

1. Switch off the motor.
2. Wait until the lens is cold.
3. Polish from the centre outwards.

| part | interval | who |
|---|---|---|
| lens | 90 days | keeper |
| motor | 1 year | harbour workshop |

## Fog horn

The fog horn sounds when the far buoy is no longer seen. The fog horn sounds for six seconds in each minute.

> Two rocks, one light.
`;

const blog = `<!doctype html><html lang="en"><head><title>Notes from the pilot boat</title><style>p{color:red}</style></head><body>
<nav><a href="/">Home</a> <a href="/all">All notes</a></nav>
<main><h1>Notes from the pilot boat</h1>
<p>We went out at four. The <em>pilot ladder</em> is replaced after thirty months, whether it looks worn or not.</p>
<ul><li>Rope: manila</li><li>Steps: ash &amp; elm</li></ul>
<p>Nothing else happened.</p></main></body></html>`;

const mail = [
  "From: Mara Quill <mara@harbour.example>",
  "To: Crew <crew@harbour.example>",
  "Subject: Winter stores",
  "Date: Mon, 02 Nov 2026 08:00:00 +0000",
  "Message-ID: <1@harbour.example>",
  "MIME-Version: 1.0",
  "Content-Type: text/plain; charset=utf-8",
  "",
  "Dear crew,",
  "",
  "The winter stores hold forty barrels of lamp oil, which last until the end of March.",
  "",
  "Mara",
].join("\r\n");

const tides = `day;port;high water
Monday;Ennis Point;04:12
Tuesday;Ennis Point;05:01
Wednesday;Sallow Bay;05:47
`;

const rules = `Rules of the quay

The crane of the quay lifts twelve tonnes at most in a calm.

In a wind of more than force six nothing is lifted at all.
`;

const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
  cells: [
    {
      cell_type: "markdown",
      metadata: {},
      source: ["# Soundings\n", "\n", "The channel is dredged to nine metres below the datum.\n"],
    },
    {
      cell_type: "code",
      metadata: {},
      execution_count: 1,
      source: ["depth = 9\n", "print(depth)"],
      outputs: [{ output_type: "stream", name: "stdout", text: ["9\n"] }],
    },
  ],
});

const code = `/** Tells when the bridge opens. */
export function opensAt(height: number): boolean {
  // The swing bridge opens for masts above eighteen metres.
  return height > 18;
}
`;

const survey = (word: string): readonly PageLine[] => [
  { x: 60, top: 40, size: 16, text: `Survey of the ${word}` },
  { x: 60, top: 70, text: `The ${word} was surveyed in the spring by two divers of the harbour.` },
  { x: 60, top: 84, text: `Its chain is renewed every seven years, and its anchor is never moved.` },
];

const columns: readonly PageLine[] = [
  { x: 50, top: 40, size: 14, text: "Sea walls of the northern coast" },
  ...[
    "The outer wall was built of granite",
    "blocks that came by barge from the",
    "islands. Each block weighs about four",
    "tonnes and is held by its neighbours",
    "alone, without mortar of any kind.",
    "Storms have moved eleven of them so",
    "far, and all were put back by hand.",
    "The wall has three stairs, which are",
    "closed whenever the spring tide is in.",
  ].map((line, index) => ({ x: 50, top: 80 + 13 * index, text: line })),
  ...[
    "The inner wall is younger. It is made",
    "of concrete with a core of rubble, and",
    "its face is renewed every fifteen years",
    "by the county. Ships of more than two",
    "hundred tonnes keep fifty metres off.",
    "Nobody fishes from it after dark, since",
    "the lamps were taken away in the war",
    "and have not been put back to this day.",
    "A plaque tells of those who were lost.",
  ].map((line, index) => ({ x: 320, top: 80 + 13 * index, text: line })),
];

const log: readonly (readonly PageLine[])[] = [
  [
    "Log of the archive",
    "The keeper of the archive, who had been there for thirty",
    "years and knew each of its shelves by heart, never once",
  ],
  ["looked at the lock of the cellar before the great flood", "came and took all of it away in a single night."],
].map((lines) => lines.map((line, index) => ({ x: 60, top: 60 + 13 * index, text: line })));

const arabic: readonly PageLine[] = [
  { x: 540, top: 60, size: 14, text: "دليل الميناء" },
  { x: 540, top: 100, text: "يفتح الميناء أبوابه عند الفجر كل يوم" },
  { x: 540, top: 120, text: "وتغلق البوابة الكبيرة بعد غروب الشمس بساعة" },
];

/** Lines of each PDF, as they were drawn: where their glyphs stand is known without reading the file. */
export const drawn: Readonly<
  Record<string, { readonly pages: readonly (readonly PageLine[])[]; readonly turn?: number }>
> = {
  "survey.pdf": { pages: [survey("northern buoy"), survey("southern buoy")] },
  "turned.pdf": { pages: [survey("landing stage")], turn: 90 },
  "columns.pdf": { pages: [columns] },
  "log.pdf": { pages: log },
  "arabic.pdf": { pages: [arabic] },
};

export const pdfs: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  Object.entries(drawn).map(([name, { pages, turn = 0 }]) => [name, makePages(pages, turn)]),
);

const chapter = (title: string, body: string): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;

/** One file of each format that ibid reads, all about one harbour. */
export const papers: readonly Paper[] = [
  {
    name: "handbook.md",
    bytes: text(handbook),
    question: "How often is the lamp glass polished?",
    answer: "every *ninety* days",
  },
  {
    name: "notes.html",
    bytes: text(blog),
    question: "When is the pilot ladder replaced?",
    answer: "replaced after thirty months",
  },
  {
    name: "contract.docx",
    bytes: makeDocx({
      core: "<dc:title>Contract of the ferry</dc:title>",
      body: [
        styled("Heading1", "Contract of the ferry"),
        paragraph("The ferry company pays a berth fee of eight hundred crowns in every quarter."),
        wordTable([
          ["boat", "berth"],
          ["Tern", "north quay"],
          ["Petrel", "south quay"],
        ]),
        paragraph("Both sides may end this contract with a notice of six months."),
      ].join(""),
    }),
    question: "What berth fee does the ferry company pay?",
    answer: "berth fee of eight hundred crowns",
  },
  {
    name: "fleet.xlsx",
    bytes: makeXlsx([
      {
        name: "Boats",
        rows: [
          ["boat", "built", "home berth"],
          ["Tern", 1998, "north quay"],
          ["Cormorant", 2007, "coal wharf"],
          ["Petrel", 2015, "south quay"],
        ],
      },
    ]),
    question: "Which home berth does the Cormorant have?",
    answer: "coal wharf",
  },
  {
    name: "wages.xls",
    bytes: makeXls({
      SheetNames: ["Wages"],
      Sheets: {
        Wages: sheetOf([
          ["role", "crowns a month"],
          ["stevedore", 2100],
          ["lockmaster", 2650],
        ]),
      },
    }),
    question: "How many crowns a month does the lockmaster earn?",
    answer: "2650",
  },
  {
    name: "plans.pptx",
    bytes: makePptx([
      { shapes: slideShape(slideParagraph("Plans of the harbour"), 'type="title"') },
      {
        shapes:
          slideShape(slideParagraph("The new pier"), 'type="title"') +
          slideShape(
            slideParagraph("The new pier opens in June next year.") +
              slideParagraph("It carries two railway tracks and a footpath."),
            'type="body" idx="1"',
          ),
      },
    ]),
    question: "When does the new pier open?",
    answer: "The new pier opens in June next year.",
  },
  {
    name: "tales.epub",
    bytes: makeEpub([
      {
        path: "one.xhtml",
        body: chapter("The storm", "<p>The great storm drowned the salt market in a single hour.</p>"),
      },
      {
        path: "two.xhtml",
        body: chapter("The bell", "<p>The bell of the chapel was cast from the anchors of nine wrecks.</p>"),
      },
    ] as never),
    question: "What was the bell of the chapel cast from?",
    answer: "cast from the anchors of nine wrecks",
  },
  {
    name: "stores.eml",
    bytes: text(mail),
    question: "How many barrels of lamp oil do the winter stores hold?",
    answer: "forty barrels of lamp oil",
  },
  {
    name: "tides.csv",
    bytes: text(tides),
    question: "When is high water in Sallow Bay on Wednesday?",
    answer: "05:47",
  },
  {
    name: "rules.txt",
    bytes: text(rules),
    question: "How much does the crane of the quay lift?",
    answer: "twelve tonnes",
  },
  {
    name: "soundings.ipynb",
    bytes: text(notebook),
    question: "How deep is the channel dredged?",
    answer: "nine metres below the datum",
  },
  {
    name: "licence.odt",
    bytes: makeOdt(
      '<text:h text:outline-level="1">Licence of the divers</text:h><text:p>A diver\'s licence is valid for five years and is never renewed by post.</text:p>',
    ),
    question: "How long is a diver's licence valid?",
    answer: "valid for five years",
  },
  {
    name: "menu.rtf",
    bytes: text(
      String.raw`{\rtf1\ansi\deff0{\fonttbl{\f0 Times;}}\f0\fs24 The canteen serves {\b fish soup} on Fridays only.\par Tea is free.\par}`,
    ),
    question: "When does the canteen serve fish soup?",
    answer: "on Fridays only",
  },
  {
    name: "bridge.ts",
    bytes: text(code),
    question: "For which masts does the swing bridge open?",
    answer: "above eighteen metres",
  },
  ...[
    ["survey.pdf", "How often is the chain of the southern buoy renewed?", "every seven years"],
    ["turned.pdf", "Who surveyed the landing stage in the spring?", "two divers"],
    ["columns.pdf", "How often is the face of the inner wall renewed?", "every fifteen years"],
    ["log.pdf", "Who never once looked at the lock of the cellar?", "never once"],
    ["arabic.pdf", "متى يفتح الميناء أبوابه؟", "عند الفجر"],
  ].map(([name = "", question = "", answer = ""]) => ({ name, bytes: pdfs[name]!, question, answer })),
];
