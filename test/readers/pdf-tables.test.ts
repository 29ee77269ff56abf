import { describe, expect, it } from "vitest";

import type { ReadResult } from "../../src/contracts/reader.ts";
import type { PdfRun } from "../../src/readers/pdf/pdf-runs.ts";
import { cutRows, readTables } from "../../src/readers/pdf/pdf-tables.ts";
import { walkSections } from "../../src/text/walk-sections.ts";
import { makePdf, type PdfTestLine, type PdfTestOptions } from "./make-pdf.ts";
import { readAs } from "./read-with.ts";

type Row = readonly string[];

/** Rows of cells in columns, from a height down. */
const rowsAt = (y: number, rows: readonly Row[], more: Partial<PdfTestLine> = {}): PdfTestLine[] =>
  rows.flatMap((cells, row) => cells.map((text, column) => ({ text, x: 72 + column * 150, y: y - row * 14, ...more })));

const read = (pages: readonly (readonly PdfTestLine[])[], options: PdfTestOptions = {}): Promise<ReadResult> =>
  readAs("a.pdf", makePdf(pages, options));

/** Columns of each table; `undefined` for one without names. */
const columnsOf = ({ sourceMap }: ReadResult): readonly unknown[] =>
  (sourceMap.tables ?? []).map(({ columns }) => columns);

const names: Row = ["Part", "Material", "Supplier"];
const parts: readonly Row[] = [
  ["Mast", "Spruce", "Holm"],
  ["Keel", "Oak", "Kaya"],
  ["Rudder", "Ash", "Marsh"],
  ["Tiller", "Elm", "Roth"],
];

describe("a table of two rows", () => {
  const around = (lines: readonly PdfTestLine[]): readonly PdfTestLine[] => [
    { text: "The harbour council met on Monday, and found the following parts in the northern shed.", y: 740 },
    ...lines,
    { text: "Nothing else was found there, and the chair closed the meeting at noon.", y: 640 },
  ];

  it("is one of three cells below as many names, or of two below bold ones or a line", async () => {
    expect((await read([around(rowsAt(700, [names, parts[0]!]))])).text).toContain(
      "| Part | Material | Supplier |\n| Mast | Spruce | Holm |",
    );
    const [two, one] = [names.slice(0, 2), parts[0]!.slice(0, 2)];
    const table = "| Part | Material |\n| Mast | Spruce |";
    const bold = [...rowsAt(700, [two], { font: "bold" }), ...rowsAt(686, [one])];
    expect((await read([around(bold)])).text).toContain(table);
    const rules = [{ x: 72, y: 696, width: 300 }];
    expect((await read([around(rowsAt(700, [two, one]))], { rules })).text).toContain(table);
    expect((await read([around(rowsAt(700, [two, one]))])).text).not.toContain("|");
  });
});

describe("a heading of a number and words below a table", () => {
  it("is one of two cells where other rows have the same columns, below a heading in larger letters", async () => {
    const place = (y: number, rows: readonly Row[]) =>
      rows.flatMap((row, at) => row.map((text, column) => ({ text, x: 72 + column * 90, y: y - at * 14 })));
    const lines = [
      { text: "Mara builds boats in a yard at the mouth of the river, and has done so for twenty years.", y: 740 },
      ...place(700, [
        ["2020-2031", "Head of the yard"],
        ["2014-2020", "Carpenter"],
      ]),
      { text: "Schools", y: 655, size: 12 },
      ...place(630, [
        ["2010-2014", "School of crafts"],
        ["2008-2010", "Apprentice"],
      ]),
    ];
    const { text, root } = await read([lines]);
    expect(text.split("\n\n").slice(1)).toEqual([
      "| 2020-2031 | Head of the yard |\n| 2014-2020 | Carpenter |",
      "Schools",
      "| 2010-2014 | School of crafts |\n| 2008-2010 | Apprentice |",
    ]);
    expect(root.children?.map(({ title }) => title)).toEqual(["Schools"]);
  });

  it("is a part of a price list, whose headings are larger than its cells", async () => {
    const priced = (y: number, rows: readonly (readonly [string, string])[]) =>
      rows.flatMap(([dish, price], at) => [
        { text: dish, x: 72, y: y - at * 16 },
        // Digits of Helvetica are 0.556 wide: prices end below one another.
        { text: price, x: 300 - (price.length - 1) * 5.56 - 2.78, y: y - at * 16 },
      ]);
    const lines = [
      { text: "Galley menu", y: 740, size: 20 },
      { text: "Soups", y: 710, size: 13 },
      ...priced(690, [
        ["Fish soup", "9.50"],
        ["Pea soup", "12.00"],
      ]),
      { text: "Mains", y: 640, size: 13 },
      ...priced(620, [
        ["Cod with butter", "18.00"],
        ["Lamb stew with roots", "17.50"],
        ["Pie of leek and cheese", "9.00"],
      ]),
    ];
    const { text, root } = await read([lines]);
    expect(text).toContain("| Fish soup | 9.50 |\n| Pea soup | 12.00 |");
    const titles = [...walkSections(root)].slice(1).map(({ title }) => title);
    expect(titles).toEqual(["Galley menu", "Soups", "Mains"]);
  });

  it("is no row of it", async () => {
    const heading = [
      { text: "2", x: 72, y: 632, size: 14 },
      { text: "Further parts", x: 94, y: 632, size: 14 },
    ];
    const after = { text: "The harbour council met on Monday, and found the following parts in the shed.", y: 610 };
    const { text } = await read([[...rowsAt(700, [names, ...parts]), ...heading, after]]);
    expect(text).toContain("| Tiller | Elm | Roth |\n\n2 Further parts\n\nThe harbour");
  });
});

describe("a row of pieces that nearly touch", () => {
  it("begins no table, and is no reason to refuse the file", () => {
    const piece = (text: string, x: number, right: number, y: number): PdfRun => ({
      text,
      x,
      right,
      y,
      size: 10,
      bold: false,
      mono: false,
      rtl: false,
    });
    const rows = [0, 1, 2].map((row) => [
      piece("Mooring rope of the pier", 72, row === 0 ? 230 : 200, 100 + row * 12),
      piece("and more of it", 231.5, 300, 100 + row * 12),
    ]);
    expect(readTables(cutRows(rows)).flatMap(({ lines }) => lines)).toHaveLength(3);
  });
});

describe("cells that stand nearer than a letter is high", () => {
  const rows = [
    ["Product", "Units", "Price", "Total"],
    ["Mooring rope", "12", "4.50", "54.00"],
    ["Fender", "3", "19.90", "59.70"],
    ["Shackle", "40", "1.25", "50.00"],
    ["Anchor light", "2", "32.00", "64.00"],
  ];
  /** Widths of Helvetica at 10 points, as far as these cells need them. */
  const widths: Readonly<Record<string, number>> = {
    ...Object.fromEntries(Array.from("cks", (sign) => [sign, 5])),
    ...Object.fromEntries(Array.from("PSA", (sign) => [sign, 6.67])),
    ...Object.fromEntries(Array.from("FT", (sign) => [sign, 6.11])),
    ...Object.fromEntries(Array.from(" .t", (sign) => [sign, 2.78])),
    U: 7.22,
    M: 8.33,
    r: 3.33,
    i: 2.22,
    l: 2.22,
  };
  const widthOf = (text: string): number => Array.from(text).reduce((sum, sign) => sum + (widths[sign] ?? 5.56), 0);
  const columns = rows[0]!.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  const draw = (gap: number, isRight: boolean): PdfTestLine[] =>
    rows.flatMap((row, at) => {
      let x = 72;
      return row.map((text, column) => {
        const width = columns[column]!;
        const from = isRight && column > 0 ? x + width - widthOf(text) : x;
        x += width + gap;
        return { text, x: from, y: 700 - at * 14, size: 10 };
      });
    });

  it.each([
    [8, true],
    [5, true],
    [3, false],
  ])("are parted by %s points where they stand in line (right: %s)", async (gap, isRight) => {
    const { blocks = [], text } = await readAs("a.pdf", makePdf([draw(gap, isRight)]));
    const [table] = blocks.filter(({ kind }) => kind === "table");
    expect(text.slice(table?.start, table?.end).split("\n")).toEqual(rows.map((row) => `| ${row.join(" | ")} |`));
  });
});

describe("cells of several lines", () => {
  const steps: readonly (readonly (readonly string[])[])[] = [
    [["Leistung"], ["Zuständig"], ["Frist"]],
    [["Prüfung der Akten"], ["Amt für Bauen"], ["14 Tage"]],
    [["Anhörung der", "Nachbarn"], ["Bezirksamt"], ["4 Wochen"]],
    [["Bescheid"], ["Senat"], ["6 Wochen"]],
    [["Einspruch"], ["Gericht", "Mitte"], ["1 Monat"]],
  ];
  /** Rows of cells, `apart` below one another; the lines of a cell 12 points. */
  const linesOf = (rows: typeof steps, apart: number): PdfTestLine[] => {
    let y = 700;
    return rows.flatMap((row) => {
      const top = y;
      y -= apart + 12 * (Math.max(...row.map((cell) => cell.length)) - 1);
      return row.flatMap((cell, column) =>
        cell.map((text, at) => ({ text, x: 72 + column * 150, y: top - at * 12, size: 10 })),
      );
    });
  };

  it("are whole where space parts the rows, also when a capital begins a line", async () => {
    const { text } = await read([linesOf(steps, 24)]);
    expect(text.split("\n")).toEqual([
      "| Leistung | Zuständig | Frist |",
      "| Prüfung der Akten | Amt für Bauen | 14 Tage |",
      "| Anhörung der Nachbarn | Bezirksamt | 4 Wochen |",
      "| Bescheid | Senat | 6 Wochen |",
      "| Einspruch | Gericht Mitte | 1 Monat |",
    ]);
  });

  it("are whole where shorter cells stand in the middle of their rows, or at the bottom", async () => {
    const deeds: typeof steps = [
      [["Risk"], ["Owner"], ["Measure"]],
      [["Flood of the", "Cellar in May"], ["Ms Holm"], ["New pumps are", "Tested each", "Month"]],
      [["Theft"], ["The", "Watch"], ["Cameras"]],
      [["Loss of", "Power"], ["Mr Kaya"], ["A second", "Generator"]],
    ];
    for (const side of [0.5, 1]) {
      let y = 700;
      const lines = deeds.flatMap((row) => {
        const [top, most] = [y, Math.max(...row.map(({ length }) => length))];
        y -= most * 12 + 10;
        return row.flatMap((cell, column) =>
          cell.map((text, at) => ({
            text,
            x: 72 + column * 150,
            y: top - (at + (most - cell.length) * side) * 12,
          })),
        );
      });
      expect((await read([lines])).text.split("\n")).toEqual([
        "| Risk | Owner | Measure |",
        "| Flood of the Cellar in May | Ms Holm | New pumps are Tested each Month |",
        "| Theft | The Watch | Cameras |",
        "| Loss of Power | Mr Kaya | A second Generator |",
      ]);
    }
  });

  it("stay rows of their own in groups of rows that space parts, and where nothing does", async () => {
    const grouped = [0, 1, 2].flatMap((group) => rowsAt(700 - group * 66, parts.slice(0, 3)));
    const { text } = await read([grouped]);
    expect(text.match(/^\| Keel \| Oak \| Kaya \|$/gmu)).toHaveLength(3);
    expect((await read([linesOf(steps, 12)])).text).toContain("| Nachbarn |  |  |");
  });
});

describe("a table below code", () => {
  it("is apart from it, though words of the code stand in columns too", async () => {
    const code = ["def spacing(slope):", "return 12 / slope"].map((text, row) => ({ text, x: 72, y: 700 - row * 13 }));
    const typed = [...code, { text: "# metres", x: 222, y: 687 }].map((line) => ({ ...line, font: "mono" as const }));
    const { text, blocks = [] } = await read([[...typed, ...rowsAt(661, [names, ...parts])]]);
    const found = blocks.map(({ kind, start, end }) => [kind, text.slice(start, end).split("\n").length]);
    expect(found).toEqual([
      ["code", 2],
      ["table", 5],
    ]);
    expect(text).toContain("| Part | Material | Supplier |\n| Mast | Spruce | Holm |");
  });
});

describe("names of the columns of a PDF's table", () => {
  it("are bold rows above rows that are not, also two of them", async () => {
    const above: Row = ["", "Made of", "Bought from"];
    const result = await read([
      [
        ...rowsAt(700, [above.slice(0, 3), names], { font: "bold" }).filter(({ text }) => text !== ""),
        ...rowsAt(672, parts),
      ],
    ]);
    expect(columnsOf(result)).toEqual([["Part", "Made of Material", "Bought from Supplier"]]);
  });

  it("are the rows above the only line that is drawn between rows, but for that of the sum", async () => {
    const rules = [710, 696, 626].map((y) => ({ x: 72, y, width: 360 }));
    const page = [...rowsAt(700, [names]), ...rowsAt(686, parts)];
    expect(columnsOf(await read([page], { rules }))).toEqual([names]);
    const everywhere = [710, 696, 682, 668, 654, 640, 626].map((y) => ({ x: 72, y, width: 360 }));
    expect(columnsOf(await read([page], { rules: everywhere }))).toEqual([undefined]);
  });

  it("are a row of words above a column of numbers, where each column has one", async () => {
    const sums: readonly Row[] = [
      ["Mast", "EUR 1,200", "3.5%"],
      ["Keel", "EUR 9,800", "1.2%"],
      ["Rudder", "EUR 310", "12%"],
    ];
    expect(columnsOf(await read([rowsAt(700, [["Part", "Price", "Share"], ...sums])]))).toEqual([
      ["Part", "Price", "Share"],
    ]);
    expect(columnsOf(await read([rowsAt(700, sums)]))).toEqual([undefined]);
  });

  it("are not guessed: neither of plain rows, nor of bold rows among others, of a program's output or of a table of contents", async () => {
    const bold: Partial<PdfTestLine> = { font: "bold" };
    expect(columnsOf(await read([rowsAt(700, [names, ...parts])]))).toEqual([undefined]);
    const groups = [
      ...rowsAt(700, [names], bold),
      ...rowsAt(686, parts.slice(0, 2)),
      ...rowsAt(658, parts.slice(2, 3), bold),
    ];
    expect(columnsOf(await read([[...groups, ...rowsAt(644, parts.slice(3))]]))).toEqual([undefined]);
    const output = [["name", "size", "time"], ...parts.map(([part = ""], index) => [part, `${index}`, `${index * 7}`])];
    expect(
      columnsOf(
        await read([
          [
            ...rowsAt(700, output, { font: "mono" }),
            ...rowsAt(500, [["It prints what it finds, and how long that took."]]),
          ],
        ]),
      ),
    ).toEqual([undefined]);
    const contents: readonly Row[] = [
      ["1 Harbours", "3"],
      ["1.1 Tides", "4"],
      ["1.2 Pilots", "9"],
    ];
    const [first, ...rest] = contents;
    expect(columnsOf(await read([[...rowsAt(700, [first!], bold), ...rowsAt(686, rest)]]))).toEqual([undefined]);
  });
});

describe("a PDF's table", () => {
  const header = rowsAt(740, [names], { font: "bold" });
  const many = Array.from({ length: 12 }, (_, index): Row => [`Part ${index}`, `Wood ${index}`, `Yard ${index}`]);

  it("goes on over the page, without the header that is printed there again", async () => {
    const foot = (page: number): PdfTestLine => ({ text: `Page ${page} of 2`, y: 40 });
    const [one, two] = [many.slice(0, 7), many.slice(7)];
    const whole = [names, ...many].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
    for (const next of [[...header, ...rowsAt(726, two)], rowsAt(740, two)]) {
      const { text, sourceMap } = await read([
        [...header, ...rowsAt(726, one), foot(1)],
        [...next, foot(2)],
      ]);
      expect((sourceMap.tables ?? []).map(({ start, end }) => text.slice(start, end))).toEqual([whole]);
      expect(sourceMap.pages?.[1]?.start).toBe(text.indexOf("| Part 7"));
    }
  });

  it("ends where another begins, at a line of text and at a wide gap", async () => {
    const others: readonly Row[] = [
      ["Ship", "Launched", "Cabins"],
      ["Aurora", "1901", "40"],
      ["Boreas", "1902", "41"],
      ["Cygnet", "1903", "42"],
    ];
    const text = "Desks in the corridor are not counted by the auditors, and the list is renewed.";
    const ended = await read([[...header, ...rowsAt(726, parts), { text, y: 650 }, ...rowsAt(620, others)]]);
    expect(columnsOf(ended)).toEqual([names, others[0]]);
    expect(ended.text).toContain(`\n\n${text}\n\n`);
    expect(columnsOf(await read([[...header, ...rowsAt(726, parts), ...rowsAt(646, others)]]))).toEqual([
      names,
      others[0],
    ]);
  });
});

describe("text beside text in a PDF", () => {
  const beside = (rows: readonly (readonly (string | undefined)[])[], at: readonly number[], y = 740): PdfTestLine[] =>
    rows.flatMap((cells, row) =>
      cells.flatMap((text, column) =>
        text === undefined ? [] : [{ text, x: at[column]!, y: y - row * 14, size: 10 }],
      ),
    );
  const kindsOf = ({ blocks = [] }: ReadResult): readonly string[] => blocks.map(({ kind }) => kind);

  it("is read column by column where one side begins beside the middle of the other's sentences, also on its baselines", async () => {
    const prose = [
      "The harbour board discussed your request at its meeting",
      "last Tuesday and agrees, on the condition that the roof",
      "is repaired before winter.",
      "Please sign the enclosed copy of the contract and send it",
      "back to us within two weeks. The rent stays as it is, and",
      "the deposit is not raised.",
    ];
    const side = ["Harbour Board", "Pier 4", "24103 Kiel", "Our sign", "IP 118", "May 2024"];
    for (const at of [
      [60, 200],
      [400, 60],
    ]) {
      const result = await read([
        beside(
          prose.map((text, index) => [side[index], text]),
          at,
        ),
      ]);
      const words = result.text.replace(/\s+/gu, " ");
      const columns = [side.join(" "), prose.join(" ")];
      expect(words).toBe((at[0]! < at[1]! ? columns : columns.toReversed()).join(" "));
      expect(kindsOf(result)).not.toContain("table");
    }
  });

  it("is a table where its paragraphs begin together, with the lines of each cell in it", async () => {
    const result = await read([
      beside(
        [
          ["Risk", "How likely", "Measure"],
          ["The new supplier fails to deliver", "low", "A second supplier keeps two hun-"],
          ["the lenses before the fair", undefined, "dred lenses in stock"],
          ["Key staff leave during the move", "medium", "Bonuses for those who stay until"],
          ["to the new building", undefined, "the end of the year"],
          ["The price of copper rises above", "high", "Half of the need was bought in"],
          ["nine thousand euros", undefined, "advance, at a fixed price, and the"],
          [undefined, undefined, "rest in autumn"],
        ],
        [60, 240, 320],
      ),
    ]);
    expect(result.text).toBe(
      [
        "| Risk | How likely | Measure |",
        "| The new supplier fails to deliver the lenses before the fair | low | A second supplier keeps two hundred lenses in stock |",
        "| Key staff leave during the move to the new building | medium | Bonuses for those who stay until the end of the year |",
        "| The price of copper rises above nine thousand euros | high | Half of the need was bought in advance, at a fixed price, and the rest in autumn |",
      ].join("\n"),
    );
  });

  it("keeps the sums below a table apart, and other columns below a line alone", async () => {
    const fees: readonly Row[] = [
      ["Item", "Count", "Amount"],
      ["Hosting", "1", "49.00"],
      ["Support", "6", "570.00"],
      ["Domains", "3", "37.50"],
    ];
    const sums = [
      [undefined, "Subtotal", "656.50"],
      [undefined, "Tax", "124.74"],
    ];
    const result = await read([beside([...fees, ...sums], [60, 240, 400])]);
    expect(result.text.split("\n").slice(-2)).toEqual(["|  | Subtotal | 656.50 |", "|  | Tax | 124.74 |"]);
    const branches = beside(
      [
        ["Branches"],
        ["Town", "People on the list of the staff in May"],
        ["Kiel", "14"],
        ["Bremen", "22"],
        ["Rostock", "9"],
      ],
      [60, 250],
      684,
    );
    expect(columnsOf(await read([[...beside(fees, [60, 240, 400]), ...branches]]))).toEqual([
      ["Item", "Count", "Amount"],
      ["Town", "People on the list of the staff in May"],
    ]);
  });

  it("ends two columns above a heading below both, though only a table in the first follows", async () => {
    const words = "the wind at midnight and every ship that passes in".split(" ");
    const prose = (from: number): string[] =>
      Array.from({ length: 5 }, (_, line) => `${from + line} ${words.slice(0, 5 + (line % 3)).join(" ")} and more`);
    const result = await read([
      [
        ...beside(
          prose(10).map((text, line) => [text, prose(20)[line]]),
          [60, 320],
        ),
        { text: "Fees", x: 60, y: 640, size: 14, font: "bold" },
        ...beside(
          [
            ["Size", "Fee"],
            ["Boat", "12.50"],
            ["Cutter", "48.00"],
          ],
          [60, 160],
          616,
        ),
      ],
    ]);
    expect(result.text.replace(/\s+/gu, " ")).toBe(
      `${[...prose(10), ...prose(20)].join(" ")} Fees | Size | Fee | | Boat | 12.50 | | Cutter | 48.00 |`,
    );
  });

  it("goes on with a table over the page, though two rows alone are none", async () => {
    const rows = Array.from({ length: 6 }, (_, index): Row => [`Part ${index}`, `${index * 7}`, `Yard ${index}`]);
    const result = await read([
      rowsAt(740, rows.slice(0, 4)),
      [...rowsAt(740, rows.slice(4)), { text: "The end.", y: 660 }],
    ]);
    expect(result.text).toBe(`${rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n\nThe end.`);
  });

  it("has no headings of lines of one size in a row, nor of plain lines in the size of bold headings", async () => {
    const text = Array.from({ length: 12 }, (_, index) => ({
      text: `Sentence ${index} of the text is long enough.`,
      y: 500 - index * 14,
    }));
    const names = ["Ada Byron", "Bo Holm", "Cy Marsh", "Di Roth"].map((name, index) => ({
      text: name,
      y: 700 - index * 40,
      size: 16,
    }));
    expect(kindsOf(await read([[...names, ...text]]))).not.toContain("heading");
    const article = await read([
      [
        { text: "On Harbours", y: 740, size: 20, font: "bold" as const },
        { text: "Ada Byron", y: 700, size: 14 },
        { text: "Tides", y: 560, size: 14, font: "bold" as const },
        ...text,
      ],
    ]);
    expect(
      article.root.children.flatMap(({ title, children }) => [title, ...children.map((child) => child.title)]),
    ).toEqual(["On Harbours", "Tides"]);
  });
});
