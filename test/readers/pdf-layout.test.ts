import { describe, expect, it } from "vitest";

import { findAreas } from "../../src/readers/pdf/find-areas.ts";
import { toLine } from "../../src/readers/pdf/pdf-lines.ts";
import { placeRuns, type PdfRun } from "../../src/readers/pdf/pdf-runs.ts";
import { writePdfText } from "../../src/readers/pdf/pdf-text.ts";

import { makePdf, type PdfTestLine } from "./make-pdf.ts";
import { readAs, showBlocks, showOutline } from "./read-with.ts";

const read = async (lines: readonly PdfTestLine[], options = {}) =>
  showBlocks(await readAs("a.pdf", makePdf([lines], options)));

/** Lines below one another. */
const set = (x: number, y: number, texts: readonly string[], more: Partial<PdfTestLine> = {}): PdfTestLine[] =>
  texts.map((text, index) => ({ text, x, y: y - index * 12, ...more }));

/** One from each in turn: as some producers write columns. */
const interleave = (...columns: readonly (readonly PdfTestLine[])[]): PdfTestLine[] =>
  (columns[0] ?? []).flatMap((_, index) => columns.flatMap((column) => column[index] ?? []));

const left = [
  "The left column begins with a line",
  "that goes on in the next one and so",
  "forth until the column is at its end,",
  "where the sentence is not over but",
];
const right = [
  "goes on at the top of the right one,",
  "which is the usual way of papers that",
  "are set in columns, each line full",
  "everywhere. There it is over.",
];
const together = [...left, ...right].join(" ");

describe("reading order of a PDF", () => {
  it("reads columns one after the other, whatever order they were written in [E15]", async () => {
    expect(await read(interleave(set(72, 700, left), set(320, 700, right)))).toEqual([`paragraph: ${together}`]);
  });

  it("reads what runs over both columns between them [E15]", async () => {
    const wide = "A line over both of the columns, long enough to cross the strip that is between them.";
    const blocks = await read([
      { text: "A title over the columns of the page", x: 150, y: 740, size: 18 },
      ...interleave(set(72, 700, left), set(320, 700, right)),
      { text: wide, x: 72, y: 640 },
      ...interleave(set(72, 616, left), set(320, 616, right)),
    ]);
    expect(blocks).toEqual([
      "heading: A title over the columns of the page",
      `paragraph: ${together}`,
      `paragraph: ${wide}`,
      `paragraph: ${together}`,
    ]);
  });

  it("reads paragraphs of two lines side by side one after the other", async () => {
    const museum = ["The museum opens at nine every day", "and closes at five in the winter."];
    const tickets = ["Tickets are sold at the gate and", "cost seven euros for each adult."];
    const wide = "A line that runs over the whole width of the page, above the two and below them.";
    const label = set(72, 560, ["Fee"]);
    expect(
      await read([
        ...set(72, 760, [wide]),
        ...interleave(set(72, 700, museum), set(320, 697, tickets)),
        ...set(72, 640, [wide]),
        ...label,
        ...set(150, 560, tickets),
      ]),
    ).toEqual([
      `paragraph: ${wide}`,
      `paragraph: ${museum.join(" ")}`,
      `paragraph: ${tickets.join(" ")}`,
      `paragraph: ${wide}`,
      // A label stays beside its text.
      `paragraph: Fee ${tickets[0]!}\n${tickets[1]!}`,
    ]);
  });

  it("reads three narrow columns on shared baselines one after the other, each under its heading", async () => {
    const one = [
      "The council met in the old",
      "boathouse and heard what the",
      "warden had seen. Nobody was",
      "against the plan, although",
      "two members asked for more",
      "time to read it at home.",
    ];
    const two = [
      "Rain fell on eleven days of",
      "the month, mostly in the",
      "second week. The river rose",
      "above the lower mark twice",
      "and went down again within",
      "the same day, as always.",
    ];
    const three = [
      "Tickets are sold at the gate",
      "and on board. Children pay",
      "half of the fare, dogs pay",
      "nothing where they lie under",
      "a bench. The price has been",
      "the same for nine years.",
    ];
    const columns = [one, two, three].map((lines, at) => set(60 + at * 170, 700, lines));
    const names = ["Council", "Weather", "Fares"];
    const heads = names.map((text, at) => ({ text, x: 60 + at * 170, y: 716, font: "bold" as const, size: 11 }));
    expect(await read([...heads, ...interleave(...columns)])).toEqual(
      [one, two, three].flatMap((lines, at) => [`heading: ${names[at]!}`, `paragraph: ${lines.join(" ")}`]),
    );
    // Cards: a few lines below a heading of their own.
    const cards = ["Ada Winter", "Bo Ek", "Cleo Ray"].map((text, at) => [
      { text, x: 60 + at * 170, y: 500, font: "bold" as const, size: 11 },
      ...set(60 + at * 170, 480, [one, two, three][at]!.slice(at, at + 2)),
    ]);
    expect((await read([...set(60, 700, left), ...cards.flat()])).slice(1)).toEqual(
      cards.flatMap(([head, ...lines]) => [
        `heading: ${head!.text}`,
        `paragraph: ${lines.map(({ text }) => text).join(" ")}`,
      ]),
    );
  });

  it("leaves a running title of two pages out of sentences, and no line of two copies of a form", async () => {
    const title = { text: "River authority", y: 770, size: 8 };
    const [one, two] = [set(72, 720, left), set(72, 720, right)];
    const { text } = await readAs(
      "a.pdf",
      makePdf([
        [title, ...one],
        [title, ...two],
      ]),
    );
    expect(text).toBe(`River authority\n\n${together}`);
    const form = set(72, 720, ["Name of the boat:", "Length of the boat:"]);
    const twice = await readAs(
      "a.pdf",
      makePdf([
        [title, ...form],
        [title, ...form],
      ]),
    );
    expect(twice.text.match(/River authority/gu)).toHaveLength(2);
  });

  it("reads lists side by side one after the other, and short pieces on common baselines by rows [E15]", async () => {
    const list = (x: number, ...words: readonly string[]) =>
      set(
        x,
        600,
        words.map((word) => `\x95 ${word}`),
        { size: 11 },
      );
    expect(await read(interleave(list(72, "fast", "small", "cheap"), list(320, "slow", "large", "dear")))).toEqual(
      ["fast", "small", "cheap", "slow", "large", "dear"].map((word) => `list: • ${word}`),
    );
  });

  it("puts a large initial into the line that it begins [E15]", async () => {
    const [first, second] = await read([
      { text: "T", x: 72, y: 676, size: 30 },
      ...set(92, 700, [
        "he lines beside a large initial letter stand",
        "indented, as many of them as the initial is",
        "high, and whatever comes afterwards begins",
      ]),
      ...set(72, 664, ["below it, as in old books."]),
    ]);
    expect(first).toMatch(
      /^paragraph: The lines beside a large initial letter stand indented, .* begins below it, as in old books\.$/,
    );
    expect(second).toBeUndefined();
  });

  it("keeps the rows of a table together, with its header apart [E15]", async () => {
    const rows = [
      ["City", "People", "Area"],
      ["Bern", "134,794", "51.6"],
      ["Rome", "2,748,109", "1,287.4"],
      ["Oslo", "717,710", "454.1"],
    ];
    const result = await readAs(
      "a.pdf",
      makePdf([
        [
          { text: "Before it stands a sentence.", y: 700 },
          ...rows.flatMap((row, y) =>
            row.map(
              (text, x) => ({ text, x: 72 + x * 120, y: 670 - y * 14, font: y === 0 ? "bold" : "plain" }) as const,
            ),
          ),
          { text: "After it stands another sentence.", y: 590 },
        ],
      ]),
    );
    const table = result.blocks?.find(({ kind }) => kind === "table");
    expect(result.text.slice(table?.start, table?.end)).toBe(
      "| City | People | Area |\n| Bern | 134,794 | 51.6 |\n| Rome | 2,748,109 | 1,287.4 |\n| Oslo | 717,710 | 454.1 |",
    );
    expect(result.text.slice(table?.bodyStart, table?.end)).toMatch(/^\| Bern/);
    expect(showBlocks(result)[0]).toBe("paragraph: Before it stands a sentence.");
    expect(showBlocks(result).at(-1)).toBe("paragraph: After it stands another sentence.");
  });

  it("puts wrapped cells into their row [E15]", async () => {
    const blocks = await read([
      { text: "Name", x: 72, y: 700 },
      { text: "What it does", x: 200, y: 700 },
      { text: "find", x: 72, y: 680 },
      { text: "looks for a file in all of the", x: 200, y: 680 },
      { text: "folders below", x: 200, y: 669 },
      { text: "sort", x: 72, y: 650 },
      { text: "brings lines into an order", x: 200, y: 650 },
    ]);
    expect(blocks).toEqual([
      "table: | Name | What it does |\n| find | looks for a file in all of the folders below |\n| sort | brings lines into an order |",
    ]);
  });

  it.each([0, 90, 180, 270])("reads a page that is turned by %i degrees upright [E15]", async (rotate) => {
    expect(await read(set(72, 700, left), { rotate })).toEqual([`paragraph: ${left.join(" ")}`]);
  });

  it("reads text that stands on its side by itself, after the rest [E15]", async () => {
    const blocks = await read([{ text: "A stamp in the margin", x: 20, y: 300, angle: 90 }, ...set(72, 700, left)]);
    expect(blocks).toEqual([`paragraph: ${left.join(" ")}`, "paragraph: A stamp in the margin"]);
  });

  it("leaves running titles and page numbers out of sentences, and a title once in the text [E15]", async () => {
    const pages = [0, 1, 2].map((page) => [
      { text: "The Annual Report", y: 770, size: 8 },
      ...set(72, 700, [left, right, ["That is the last page."]][page] ?? []),
      { text: `Page ${page + 1} of 3`, x: 280, y: 30, size: 8 },
    ]);
    const result = await readAs("a.pdf", makePdf(pages));
    expect(showBlocks(result)).toEqual([
      "paragraph: The Annual Report",
      `paragraph: ${together}`,
      "paragraph: That is the last page.",
    ]);
    const starts = result.sourceMap.pages?.map(({ start }) => result.text.slice(start, start + 8));
    expect(starts).toEqual(["The Annu", "goes on ", "That is "]);
  });

  it("leaves out running titles far below the edge of a large sheet", async () => {
    const pages = ["Pt. 1308", "§ 1308.01", "§ 1308.11", "§ 1308.12", "§ 1308.13", "§ 1308.14"].map((part, page) => [
      { text: `Drug Enforcement Administration, ${part}`, y: 640 },
      ...set(
        72,
        610,
        left.map((line) => `${line} ${page}`),
      ),
    ]);
    const { text } = await readAs("a.pdf", makePdf(pages));
    expect(text.match(/Drug Enforcement/gu)).toHaveLength(2);
  });

  it("keeps lines of a tagged file apart that are paragraphs by themselves", async () => {
    const lines = ["Right column line 1", "Right column line 2", "Left column line 1", "Left column line 2"];
    const drawn = lines.map((text, index) => ({ text, x: index < 2 ? 320 : 72, y: 700 - (index % 2) * 20 }));
    const tags = [{ role: "Document", children: lines.map((_, index) => ({ role: "P", lines: [index] })) }];
    expect(await read(drawn, { tags })).toEqual(lines.map((line) => `paragraph: ${line}`));
  });

  it("takes a whole paragraph for text, also where its tag calls it a heading", async () => {
    const text = `${left.join(" ")} ${right.join(" ")}`;
    const lines = [
      { text: "Head", y: 700 },
      { text, y: 600, size: 4 },
    ];
    const tags = [
      {
        role: "Document",
        children: [
          { role: "H1", lines: [0] },
          { role: "H2", lines: [1] },
        ],
      },
    ];
    expect(await read(lines, { tags })).toEqual(["heading: Head", `paragraph: ${text}`]);
  });

  it("reads words that are set wide as words", async () => {
    const title = "Here is some formatted text";
    // Widths of Helvetica, in thousandths.
    const widths: Readonly<Record<string, number>> = {
      H: 722,
      r: 333,
      i: 222,
      s: 500,
      m: 833,
      f: 278,
      t: 278,
      x: 500,
      " ": 278,
    };
    let x = 72;
    const letters = Array.from(title, (text) => {
      const letter = { text, x, y: 700, size: 12 };
      x += (widths[text] ?? 556) * 0.012 + (text === " " ? 1.07 : 1.73);
      return letter;
    });
    const spaced = set(72, 600, ["Annual report of the harbour"], { spacing: 3.5 });
    const { text } = await readAs("a.pdf", makePdf([[...letters, ...spaced, ...set(72, 500, left)]]));
    expect(text).toMatch(new RegExp(`^${title}\n\nAnnual report of the harbour\n`, "u"));
  });

  it.each([0.12, 0.3, 0.6, 1])(
    "reads letters that are drawn one by one, %s of their height apart, as words",
    async (gap) => {
      const lines = ["Award of Tavern", "Ebb of 2,400 m in May, i.e. more"];
      // Widths of Helvetica, in thousandths; spaces are left out.
      const widths: Readonly<Record<string, number>> = {
        ...Object.fromEntries(Array.from("AEB", (sign) => [sign, 667])),
        T: 611,
        M: 833,
        m: 833,
        w: 722,
        f: 278,
        " ": 278,
        ",": 278,
        ".": 278,
        i: 222,
        r: 333,
        v: 500,
        y: 500,
      };
      const drawn = lines.flatMap((line, row) => {
        let x = 40;
        return Array.from(line, (text) => {
          const letter = { text, x, y: 700 - row * 40, size: 10 };
          x += (widths[text] ?? 556) * 0.01 + gap * 10;
          return letter;
        }).filter(({ text }) => text !== " ");
      });
      const { text } = await readAs("a.pdf", makePdf([[...drawn, ...set(72, 500, left)]]));
      expect(text.split("\n\n").slice(0, 2)).toEqual(lines);
    },
  );

  it("reads words whole that are kerned or set wide by gaps between their signs", async () => {
    const text = "Award of REACT to Ada";
    const kerned = Array.from(text, (_, at) => (at === 12 ? 140 : 0));
    const wide = Array.from(text, () => 500);
    // Words that only gaps part, as TeX draws them.
    const bare = Array.from("AwardofREACT", (_, at) => (at === 4 || at === 6 ? 330 : at === 10 ? 140 : 0));
    const lines = [
      { text, y: 700, gaps: kerned },
      { text, y: 650, gaps: wide },
      { text: "AwardofREACT", y: 600, gaps: bare },
      // After a mark, the same gap is a space.
      { text: "Ideas, i.e.dense thought", y: 550, gaps: Array.from("Ideas, i.e.", (_, at) => (at === 10 ? 140 : 0)) },
    ];
    const read = await readAs("a.pdf", makePdf([[...lines, ...set(72, 500, left)]]));
    expect(read.text.split("\n\n").slice(0, 4)).toEqual([text, text, "Award of REACT", "Ideas, i.e. dense thought"]);
  });

  it.each([250, 300, 400, 600])("reads words set %i thousandths wide whose kerned pairs touch", async (gap) => {
    const text = "Award of REACT grants in 2 parts: A VAT Office";
    const touching = new Set(["Aw", "AC", "CT", "AV", "VA", "AT"]);
    const gaps = Array.from(text, (_, at) => (touching.has(text.slice(at, at + 2)) ? 0 : gap));
    // Words of one letter, with signs that touch beside them, stay words.
    const symbols = { text: "abcxyzsin", y: 650, gaps: Array.from("abcxyz", () => 330) };
    const read = await readAs("a.pdf", makePdf([[{ text, y: 700, gaps }, symbols, ...set(72, 500, left)]]));
    expect(read.text.split("\n\n").slice(0, 2)).toEqual([text, "a b c x y z sin"]);
  });

  it.each([2.5, 4, 6])("reads lines whose letters stand %s points apart as lines, not as cells", async (spacing) => {
    const lines = ["Award of REACT grants", "To the members of the board", "Chapter 1: A WAY"];
    const drawn = lines.map((text, row) => ({ text, y: 700 - row * 40, spacing }));
    const { text } = await readAs("a.pdf", makePdf([[...drawn, ...set(72, 500, left)]]));
    expect(text.split("\n\n").slice(0, 3)).toEqual(lines);
  });

  it("takes the head of a letter for no headings", async () => {
    const text = ["We thank you for your letter of May about the berth of your boat in the basin."];
    const lines = (greeting: string): readonly PdfTestLine[] => [
      { text: "Harbour Authority", y: 760, size: 16, font: "bold" },
      { text: "Office of Works", y: 740, font: "bold" },
      { text: "Ada Holm", y: 700 },
      { text: "3 May 2024", y: 660 },
      { text: greeting, y: 630 },
      { text: "Fee of berth 41", y: 600, size: 13, font: "bold" },
      ...set(72, 570, [...text, ...text]),
    ];
    const headings = async (greeting: string): Promise<readonly string[]> =>
      (await read(lines(greeting))).filter((block) => block.startsWith("heading"));
    expect(await headings("Dear Ms Holm,")).toEqual(["heading: Fee of berth 41"]);
    expect(await headings("Sehr geehrte Frau Holm,")).toEqual(["heading: Fee of berth 41"]);
    expect(await headings("Holm writes:")).toHaveLength(3);
  });

  it("takes captions, quotations, amounts and the date of a cover for no headings", async () => {
    const text = ["The harbour council met on Monday to discuss the state of the northern pier of the port."];
    const lines = [
      { text: "Works", y: 700, size: 16, font: "bold" },
      ...set(72, 675, text),
      { text: "Figure 1: Depth of the basin", y: 640, font: "bold" },
      ...set(72, 610, text),
      { text: "“Nobody has seen such a tide”", y: 580, size: 16 },
      ...set(72, 550, text),
      { text: "Total: 113.70 EUR", y: 520, font: "bold" },
      ...set(72, 490, text),
      { text: "12.5 million", y: 450, size: 20 },
      ...set(72, 420, text),
      { text: "Plans", y: 390, size: 16, font: "bold" },
      ...set(72, 360, text),
    ] as const;
    expect((await read(lines)).filter((block) => block.startsWith("heading"))).toEqual([
      "heading: Works",
      "heading: Plans",
    ]);
    const cover = [
      { text: "Report of the port", y: 500, size: 24 },
      { text: "3 May 2025", y: 440, size: 14 },
    ];
    const { blocks, text: whole } = await readAs("a.pdf", makePdf([cover, set(72, 700, [...text, ...text, ...text])]));
    expect(blocks?.filter(({ kind }) => kind === "heading").map(({ start, end }) => whole.slice(start, end))).toEqual([
      "Report of the port",
    ]);
  });

  it("takes lines in capitals for headings where nothing else marks them", async () => {
    const text = [
      "The harbour council met on Monday to discuss the state of the northern pier of the port.",
      "It closed at noon.",
    ];
    const lines = (first: string) => [
      { text: first, y: 700 },
      ...set(72, 675, text),
      { text: "DECISIONS OF MAY", y: 640 },
      ...set(72, 610, text),
    ];
    expect((await read(lines("PRESENT"))).filter((block) => block.startsWith("heading"))).toEqual([
      "heading: PRESENT",
      "heading: DECISIONS OF MAY",
    ]);
    // One alone may be a name.
    expect((await read(lines("Present"))).join()).not.toContain("heading");
  });

  it("keeps a centred title apart from a heading of its size below it", async () => {
    const [title, head] = [
      { text: "Minutes of May", x: 210, y: 700, size: 18 },
      { text: "Opening", y: 677, size: 18 },
    ];
    const body = [
      "The harbour council met on Monday to discuss the state of the northern pier of the old port,",
      "and of the others.",
    ];
    expect(await read([title, head, ...set(72, 640, body)])).toEqual([
      "heading: Minutes of May",
      "heading: Opening",
      `paragraph: ${body.join(" ")}`,
    ]);
  });

  it("puts a footnote after the paragraph that goes on over the page [E15]", async () => {
    const result = await readAs(
      "a.pdf",
      makePdf([
        [...set(72, 200, left), { text: "1 A note in small letters at the foot.", y: 100, size: 7 }],
        set(72, 700, ["goes on over the page."]),
      ]),
    );
    expect(showBlocks(result)).toEqual([
      `paragraph: ${left.join(" ")} goes on over the page.`,
      "paragraph: 1 A note in small letters at the foot.",
    ]);
  });
});

describe("paragraphs and headings of a PDF", () => {
  it("keeps a line break that its writer meant, and joins lines that were full [E15]", async () => {
    expect(await read([...set(72, 700, ["Ada Lovelace", "12 Long Street", "London"]), ...set(72, 620, left)])).toEqual([
      "paragraph: Ada Lovelace\n12 Long Street\nLondon",
      `paragraph: ${left.join(" ")}`,
    ]);
  });

  it("begins a paragraph at an indent, and an item at its bullet [E15]", async () => {
    const [one = "", two = "", three = ""] = left;
    const blocks = await read([
      ...set(72, 700, [one, two, "to its end."]),
      { text: three, x: 84, y: 664 },
      { text: "and over.", y: 652 },
      { text: "\x95 the first", x: 90, y: 628 },
      { text: "\x95 the second", x: 90, y: 616 },
    ]);
    expect(blocks).toEqual([
      `paragraph: ${one} ${two} to its end.`,
      `paragraph: ${three} and over.`,
      "list: • the first",
      "list: • the second",
    ]);
  });

  it("finds headings by size, then by weight, each size a level [E15]", async () => {
    const { root } = await readAs(
      "a.pdf",
      makePdf([
        [
          { text: "The Whole", y: 740, size: 20 },
          { text: "A Part", y: 700, size: 14 },
          ...set(72, 680, left),
          { text: "A point", y: 610, font: "bold" },
          ...set(72, 590, right),
          { text: "Another Part", y: 520, size: 14 },
          ...set(72, 500, left),
        ],
      ]),
    );
    expect(root.title).toBe("The Whole");
    expect(showOutline(root)).toEqual(["# The Whole", "## A Part", "### A point", "## Another Part"]);
  });

  it("takes lines in a typewriter's letters for code, indented as they stand [E15]", async () => {
    const code = set(72, 600, ["if (a)", "return;"], { font: "mono" }).map((line, index) => ({
      ...line,
      x: 72 + index * 12,
    }));
    expect((await read([...set(72, 700, left), ...code])).at(-1)).toBe("code: if (a)\n  return;");
  });

  it("believes the tags of a tagged file before all geometry [E15]", async () => {
    const lines = [
      { text: "is read second", y: 700 },
      { text: "Head", y: 600, size: 9 },
      { text: "a", x: 72, y: 500 },
      { text: "b", x: 200, y: 500 },
      { text: "c", x: 72, y: 480 },
      { text: "d", x: 200, y: 480 },
      { text: " ", y: 400 },
      { text: "1.", x: 72, y: 300 },
      { text: "one", x: 90, y: 300 },
    ];
    const cells = (role: string, ...indices: readonly number[]) => ({
      role: "TR",
      children: indices.map((index) => ({ role, lines: [index] })),
    });
    const tags = [
      {
        role: "Document",
        children: [
          { role: "H2", lines: [1] },
          { role: "P", lines: [0] },
          { role: "Table", children: [cells("TH", 2, 3), cells("TD", 4, 5)] },
          { role: "Figure", lines: [6], alt: "A chart of sums" },
          {
            role: "L",
            children: [
              {
                role: "LI",
                children: [
                  { role: "Lbl", lines: [7] },
                  { role: "LBody", lines: [8] },
                ],
              },
            ],
          },
        ],
      },
    ];
    const result = await readAs("a.pdf", makePdf([lines], { tags }));
    expect(showBlocks(result)).toEqual([
      "heading: Head",
      "paragraph: is read second",
      "table: | a | b |\n| c | d |",
      "paragraph: A chart of sums",
      "list: 1. one",
    ]);
    expect(showOutline(result.root)).toEqual(["## Head"]);
    const table = result.blocks?.[2];
    expect(result.text.slice(table?.bodyStart, table?.end)).toBe("| c | d |");
  });

  it("leaves tags aside that leave out the text [E15]", async () => {
    const tags = [{ role: "Document", children: [{ role: "H1", lines: [3] }] }];
    expect(await read(set(72, 700, left), { tags })).toEqual([`paragraph: ${left.join(" ")}`]);
  });
});

const run = (text: string, x: number, width: number, more: Partial<PdfRun> = {}): PdfRun => ({
  text,
  x,
  right: x + width,
  y: 100,
  size: 10,
  bold: false,
  mono: false,
  rtl: false,
  ...more,
});

describe("runs and lines of a PDF", () => {
  const item = (str: string, more: object = {}) => ({
    str,
    dir: "ltr",
    width: 10,
    height: 10,
    transform: [10, 0, 0, 10, 72, 700],
    fontName: "f",
    ...more,
  });
  const upright = [1, 0, 0, -1, 0, 792];
  const textOf = (...items: object[]): string | undefined =>
    placeRuns(items as never, upright, new Map())[0]
      ?.runs.map(({ text }) => text)
      .join("");

  it("puts a space where runs stand apart, and none where they touch or are small capitals [E15]", () => {
    expect(toLine([run("R", 0, 10), run("EACT", 11, 30, { size: 8 }), run("in", 44, 10)]).text).toBe("REACT in");
  });

  it("reads from the right, with numbers and Latin words as they are [E15]", () => {
    const line = [run("42 abc", 0, 40), run("שלום", 60, 40, { rtl: true })];
    expect(toLine(line)).toMatchObject({ text: "שלום 42 abc", rtl: true });
    const arabic = [run("من هنا", 0, 40, { rtl: true }), run("Python", 40, 30), run("لغة", 73, 20, { rtl: true })];
    expect(toLine(arabic).text).toBe("لغة Python من هنا");
    expect(toLine([run("ً", 30, 4, { rtl: true }), run("بناء", 40, 20, { rtl: true })]).text).toBe("بناءً");
  });

  it("gives columns from right to left the right one first [E15]", () => {
    const column = (x: number, word: string): PdfRun[] =>
      [0, 1, 2, 3].map((row) => run(`${word} ${"מילה ".repeat(5)}${row}`, x, 150, { rtl: true, y: 100 + row * 12 }));
    const areas = findAreas([...column(0, "שמאל"), ...column(200, "ימין")]);
    expect(areas.flatMap(({ lines }) => lines.map(({ text }) => text.slice(0, 4)))).toEqual([
      ...Array.from({ length: 4 }, () => "ימין"),
      ...Array.from({ length: 4 }, () => "שמאל"),
    ]);
  });

  it("writes ligatures as letters, without controls and lone surrogates [L1]", () => {
    expect(textOf(item("di\uFB03cult \uFB01eld"))).toBe("difficult field");
    // Signs of lines that run downwards.
    expect(textOf(item("会議\uFE12港\uFE41"))).toBe("会議。港「");
    expect(textOf(item("a\u0007b\ud800"))).toBe("ab\uFFFD");
  });

  it("reads ligatures by the names of their glyphs where a font has no map [E15]", async () => {
    const differences = "33 /f_f_i 34 /f_i";
    expect(await read([{ text: 'A di!cult "eld', y: 700 }], { differences })).toEqual(["paragraph: A difficult field"]);
  });

  it("reads a font that hands out the numbers of its glyphs [E15]", () => {
    const numbers = Array.from("Who is it?", (sign) => String.fromCharCode(sign.charCodeAt(0) - 29)).join("");
    expect(textOf(item(numbers))).toBe("Who is it?");
  });

  it("keeps one of what was drawn twice to look bold [E15]", () => {
    expect(textOf(item("Bold"), item("Bold", { transform: [10, 0, 0, 10, 72.4, 700] }))).toBe("Bold");
    expect(textOf(item("ha"), item("ha", { transform: [10, 0, 0, 10, 82, 700] }))).toBe("haha");
  });

  it("sets a superscript on the line it belongs to [E15]", () => {
    const runs = [
      run("words", 0, 30),
      run("2", 30, 4, { y: 96.5, size: 7 }),
      run("more", 36, 20),
      run("next", 0, 20, { y: 112 }),
    ];
    expect(findAreas(runs).flatMap(({ lines }) => lines.map(({ text }) => text))).toEqual(["words2 more", "next"]);
  });

  const write = (before: string, after: string, hard = false): string => {
    const line = { x: 0, right: 100, y: 0, size: 10, bold: false, mono: false, rtl: false, page: 0 };
    const lines = [
      { ...line, text: before, hard: false },
      { ...line, text: after, hard },
    ];
    return writePdfText([{ kind: "paragraph", page: 0, open: false, lines }], 1).text;
  };

  it.each([
    ["We con-", "sider it.", "We consider it."],
    ["a state-of-the-", "art model", "a state-of-the-art model"],
    ["a well-known and well-", "known thing", "a well-known and well-known thing"],
    ["a rewrite to re-", "write", "a rewrite to rewrite"],
    ["a prompt-", "based way of self-", "a prompt-based way of self-"],
    ["self-", "publishing", "self-publishing"],
    ["pages 3-", "5 of it", "pages 3-5 of it"],
    ["the Anglo-", "Saxons", "the Anglo-Saxons"],
    ["HotPotQA, or Hot-", "PotQA", "HotPotQA, or HotPotQA"],
    ["Ein-", "und Ausgang", "Ein- und Ausgang"],
    ["a dash -", "and on", "a dash - and on"],
    ["soft\u00AD", "ly", "softly"],
    ["漢字の文", "章です。", "漢字の文章です。"],
    ["한국어", "문장", "한국어 문장"],
    ["see https://a.example/abs/", "2201.01234 there", "see https://a.example/abs/2201.01234 there"],
    ["see https://a.example/", "and more", "see https://a.example/ and more"],
  ])("joins %j and %j [E15]", (before, after, text) => {
    expect(write(before, after)).toBe(text);
  });

  it("keeps a line that its writer ended, hyphens aside [E15]", () => {
    expect(write("Ada Lovelace", "London", true)).toBe("Ada Lovelace\nLondon");
    expect(write("exam-", "ple", true)).toBe("example");
  });
});
