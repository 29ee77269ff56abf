import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { checkAnswer } from "../../src/answers/citations/check-answer.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { makeXlsx } from "../readers/make-xlsx.ts";
import { readAny } from "../readers/read-any.ts";
import { runs, sample } from "../support/runs.ts";
import { type MadePart, tableFormats } from "./make-tables.ts";
import { cellsOf, claimsAbout, officeColumns, offices } from "./offices.ts";

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const header = line(officeColumns);
const formats = Object.entries(tableFormats);

const readMade = (made: ReturnType<(typeof tableFormats)["html"]>): ReturnType<typeof readAny> =>
  readAny(made.uri, "text" in made ? made.text : made.bytes);

async function withDocument(
  make: (typeof tableFormats)["html"],
  parts: readonly MadePart[],
  run: (kb: KnowledgeBase) => Promise<void>,
): Promise<void> {
  const kb = await openKnowledgeBase();
  try {
    const { added } = await kb.ingest(make(parts));
    expect(added).toBe(1);
    await run(kb);
  } finally {
    await kb.close();
  }
}

describe.each([...sample(formats.slice(0, -1), 1), ...formats.slice(-1)])("tables of %s", (_, make) => {
  it("of 200 rows are quoted row by row with their header, and support what one row says", async () => {
    await withDocument(make, [{ header: [officeColumns], rows: offices.map(cellsOf) }], async (kb) => {
      for (const one of offices.filter((_, i) => i % 40 === 7 || i === offices.length - 1)) {
        const answer = await kb.ask(`Who is the manager of the office ${one.office}?`);
        expect(answer.citations).toMatchObject([{ quote: line(cellsOf(one)), header: { quote: header } }]);
        expect(answer.text).toBe(`${header}\n${line(cellsOf(one))}\n\n[1]`);
        const claims = claimsAbout(one);
        const { sentences } = await kb.verify(claims.join(" "));
        expect(sentences.map(({ verdict }) => verdict === "supported")).toEqual([true, true, false, false, false]);
        expect(sentences[0]!.quotes).toMatchObject([{ quote: line(cellsOf(one)), header: { quote: header } }]);
        const said = claims.map((claim) => claim.replace(".", " [1]."));
        const checked = await checkAnswer({ text: said.join(" "), citations: answer.citations });
        expect(checked.sentences.map(({ verdict }) => verdict === "supported")).toEqual([
          true,
          true,
          false,
          false,
          false,
        ]);
      }
    });
  });

  it("have no header where the file names none", async () => {
    await withDocument(make, [{ header: [], rows: offices.slice(0, 30).map(cellsOf) }], async (kb) => {
      const { citations } = await kb.ask(`Who is the manager of ${offices[7]!.office}?`);
      expect(citations).toMatchObject([{ quote: line(cellsOf(offices[7]!)) }]);
      expect(citations[0]!.header).toBeUndefined();
    });
  });

  it("lead before prose that has other words of the question, by the names of row and column", async () => {
    const rows = [
      ["Germany", "EUR 7.20", "EUR 32"],
      ["France", "EUR 9.60", "EUR 53"],
      ["Norway", "NOK 120", "NOK 780"],
    ];
    const parts = [
      "The following allowances apply per day and replace receipts for meals.",
      { header: [["Country", "Breakfast", "Full day"]], rows },
      "Allowances are not paid for days on which the host provides meals.",
    ];
    await withDocument(make, parts, async (kb) => {
      for (const cells of rows) {
        const { citations } = await kb.ask(`What is the full-day allowance in ${cells[0]!}?`);
        expect(citations[0]).toMatchObject({
          quote: line(cells),
          header: { quote: "| Country | Breakfast | Full day |" },
        });
      }
    });
  });

  it("have each their own header, and leave the prose between them what it is", async () => {
    const note = "Desks in the corridor are not counted by the auditors. The list is renewed each May.";
    const ships = ["Aurora", "Boreas", "Cygnet"].map((name, i) => [name, String(1901 + i), String(40 + i)]);
    const parts = [
      { header: [officeColumns], rows: offices.slice(0, 40).map(cellsOf) },
      note,
      { header: [["ship", "launched", "cabins"]], rows: ships },
    ];
    await withDocument(make, parts, async (kb) => {
      const { sentences } = await kb.verify(
        "The ship Boreas has 41 cabins. The ship Boreas has 1902 cabins. Desks in the corridor are not counted by the auditors.",
      );
      expect(sentences.map(({ verdict }) => verdict)).toEqual(["supported", "partly", "supported"]);
      expect(sentences[0]!.quotes).toMatchObject([
        { quote: "| Boreas | 1902 | 41 |", header: { quote: "| ship | launched | cabins |" } },
      ]);
      expect(sentences[2]!.quotes).toMatchObject([{ quote: "Desks in the corridor are not counted by the auditors." }]);
      expect(sentences[2]!.quotes[0]!.header).toBeUndefined();
    });
  });
});

describe("cells of a table", () => {
  const verdicts = async (kb: KnowledgeBase, ...claims: readonly string[]): Promise<readonly unknown[]> =>
    (await kb.verify(claims.join(" "))).sentences.map(({ verdict }) => verdict === "supported");

  it("that are merged leave their columns in line", async () => {
    const kb = await openKnowledgeBase();
    const table =
      '<table><tr><th>Office</th><th colspan="2">Capacity</th></tr><tr><th></th><th>Desks</th><th>Rooms</th></tr>' +
      '<tr><td rowspan="2">Kiel 7</td><td>127</td><td>12</td></tr><tr><td>145</td><td>18</td></tr>' +
      "<tr><td>Lisbon 7</td><td>155</td><td>19</td></tr></table>";
    await kb.ingest({ uri: "offices.html", text: table });
    const claims = [
      "Lisbon 7 has 155 desks.",
      "Lisbon 7 has 155 rooms.",
      "Lisbon 7 has 127 desks.",
      "Kiel 7 has 12 desks.",
    ];
    expect(await verdicts(kb, ...claims)).toEqual([true, false, false, false]);
    const { citations } = await kb.ask("How many desks has Lisbon 7?");
    const header = "| Office | Capacity |  |\n|  | Desks | Rooms |";
    expect(citations).toMatchObject([{ quote: "| Lisbon 7 | 155 | 19 |", header: { quote: header } }]);
    await kb.close();
  });

  it("that are words are held under their own column alone", async () => {
    const rows = [
      ["46", "Ana", "Piotr"],
      ["47", "Joon", "Ana"],
    ].map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
    const names = "<tr><th>Week</th><th>Cleans</th><th>Buys coffee</th></tr>";
    const kb = await openKnowledgeBase();
    await kb.ingest({
      uri: "rota.html",
      text: `<p>Everyone cleans once a month.</p><table>${names}${rows.join("")}</table>`,
    });
    expect(
      await verdicts(kb, "Joon cleans in week 47.", "Ana cleans in week 47.", "Joon buys coffee in week 47."),
    ).toEqual([true, false, false]);
    await kb.close();
  });

  it("that changed places in their row are seen, as the row is written and under names", async () => {
    const kb = await openKnowledgeBase();
    const rows = [
      ["Host", "2025", "2026"],
      ["atlas", 4200, 3900],
      ["borealis", 1100, 1250],
    ];
    await kb.ingest([
      {
        uri: "a.html",
        text: `<table><tr><th>Land</th><th>Meal</th><th>Day</th></tr><tr><td>Norway</td><td>NOK 120</td><td>NOK 780</td></tr></table>`,
      },
      { uri: "costs.xlsx", bytes: makeXlsx([{ name: "Costs", rows }]) },
    ]);
    const row = async (text: string): Promise<unknown> => (await verdicts(kb, text))[0];
    expect(await row("| Norway | NOK 120 | NOK 780 |")).toBe(true);
    expect(await row("| Norway | NOK 780 | NOK 120 |")).toBe(false);
    expect(await row("Host: atlas | 2025: 4200 | 2026: 3900")).toBe(true);
    expect(await row("Host: atlas | 2025: 3900 | 2026: 4200")).toBe(false);
    await kb.close();
  });

  it("that hold a table are told from those of the table", async () => {
    const kb = await openKnowledgeBase();
    const inner = "<table><tr><th>Ship</th><th>Cabins</th></tr><tr><td>Boreas</td><td>41</td></tr></table>";
    const table =
      "<table><tr><th>Office</th><th>Desks</th></tr><tr><td>Kiel 7</td><td>127</td></tr>" +
      `<tr><td>Lisbon 7</td><td>155 ${inner}</td></tr></table>`;
    await kb.ingest({ uri: "offices.html", text: table });
    const claims = [
      "The ship Boreas has 41 cabins.",
      "The office Kiel 7 has 127 desks.",
      "The office Kiel 7 has 41 desks.",
    ];
    expect(await verdicts(kb, ...claims)).toEqual([true, true, false]);
    const { citations } = await kb.ask("How many cabins has the ship Boreas?");
    expect(citations[0]).toMatchObject({ quote: "| Boreas | 41 |", header: { quote: "| Ship | Cabins |" } });
    await kb.close();
  });

  it("with a bar in one of them are put under no column", async () => {
    const kb = await openKnowledgeBase();
    const table =
      "<table><tr><th>Office</th><th>Rooms</th><th>Desks</th></tr><tr><td>Kiel | North</td><td>12</td><td>127</td></tr></table>";
    await kb.ingest({ uri: "offices.html", text: table });
    const { citations } = await kb.ask("How many desks has the office Kiel North?");
    expect(citations).toMatchObject([
      { quote: "| Kiel | North | 12 | 127 |", header: { quote: "| Office | Rooms | Desks |" } },
    ]);
    await kb.close();
  });
});

describe("tables of any document", () => {
  const word = fc.constantFrom("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath");
  const table = fc
    .record({ columns: fc.uniqueArray(word, { minLength: 2, maxLength: 4 }), rows: fc.integer({ min: 1, max: 12 }) })
    .chain(({ columns, rows }) =>
      fc.record({
        headed: fc.boolean(),
        columns: fc.constant(columns),
        rows: fc.array(fc.tuple(...columns.map(() => fc.integer({ min: 10, max: 9999 }).map(String))), {
          minLength: rows,
          maxLength: rows,
        }),
      }),
    );
  const parts = fc.array(
    fc.oneof(table, fc.constant("A paragraph stands between the tables, and says nothing of them.")),
    {
      minLength: 1,
      maxLength: 5,
    },
  );

  /** Two lines below one another are no table of a page. */
  const leastRows = (format: string): number => (format === "pdf" ? 3 : 1);

  it.each(formats)("of %s stand in the source map as their files have them", async (format, make) => {
    await fc.assert(
      fc.asyncProperty(parts, async (drawn) => {
        fc.pre(drawn.every((part) => typeof part === "string" || part.rows.length >= leastRows(format)));
        const made = drawn.map((part) =>
          typeof part === "string" ? part : { header: part.headed ? [part.columns] : [], rows: part.rows },
        );
        const { text, sourceMap } = await readMade(make(made));
        const found = (sourceMap.tables ?? []).map(({ start, end, header: names, columns }) => ({
          text: text.slice(start, end),
          header: names && text.slice(names.start, names.end),
          columns,
        }));
        const wanted = made.flatMap((part) => {
          if (typeof part === "string") return [];
          const [columns] = part.header;
          return [
            {
              text: [...part.header, ...part.rows].map(line).join("\n"),
              header: columns && line(columns),
              columns,
            },
          ];
        });
        expect(found).toEqual(wanted);
      }),
      { numRuns: runs(15) },
    );
  });
});
