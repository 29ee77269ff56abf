import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readAny } from "./read-any.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

const rtf = (body: string): string =>
  `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}}{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}{\\*\\cs9 Strong;}{\\s2 Heading 2;}}{\\info{\\title Stated}{\\author Ada}{\\creatim\\yr2024\\mo3\\dy9}}${body}}`;

/** A text as RTF has it: signs of its own escaped, the rest by number. */
const write = (text: string): string =>
  Array.from(text, (sign) =>
    /[\\{}]/u.test(sign)
      ? `\\${sign}`
      : sign < "\u0080"
        ? sign
        : Array.from({ length: sign.length }, (_, i) => `\\u${sign.charCodeAt(i)}?`).join(""),
  ).join("");

describe("createRtfReader", () => {
  it("says how many comments it leaves out [L9]", async () => {
    const comment = "{\\*\\atnid AL}{\\*\\atnauthor Ada}\\chatn{\\*\\annotation{\\*\\atnref 1}\\pard Check the year.}";
    const { text, notes } = await readAny("a.rtf", rtf(`\\pard Tides${comment}\\par\\pard Pilots${comment}\\par`));
    expect(text).toBe("Tides\n\nPilots");
    expect(notes).toEqual(["Left out: its comments (2)."]);
  });

  it("reads headings by style, lists by their labels, tables and notes", async () => {
    const read = await readAny(
      "a.rtf",
      rtf(
        "\\pard\\s1 Title here\\par\\pard\\s2 Part\\par\\pard Text{\\footnote\\pard The note.} goes on.\\par" +
          "\\pard{\\listtext 1.\\tab}first\\par\\pard{\\listtext \\'b7\\tab}second\\par" +
          "\\trowd\\trhdr\\pard\\intbl Name\\cell Count\\cell\\row\\trowd\\pard\\intbl Rope\\cell 7\\cell\\row\\pard After\\par",
      ),
    );
    expect(showOutline(read.root)).toEqual(["# Title here", "## Part"]);
    expect(showBlocks(read).slice(2)).toEqual([
      "paragraph: Text[^1] goes on.",
      "paragraph: [^1]: The note.",
      "list: 1. first\n- second",
      "table: | Name | Count |\n| Rope | 7 |",
      "paragraph: After",
    ]);
    expect(read.title).toBe("Stated");
    expect(read.metadata).toEqual({ author: "Ada", createdAt: "2024-03-09" });
  });

  it("reads a table in a cell as a table of its own, and a table of one cell as the text it frames", async () => {
    const cell = (depth: number, text: string): string =>
      `\\pard\\intbl\\itap${depth} ${text}${depth === 1 ? "\\cell" : "\\nestcell"} `;
    const inner = `{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}`;
    const read = await readAny(
      "a.rtf",
      rtf(
        `${cell(1, "one")}${cell(1, "two")}\\row${cell(1, "left")}\\pard\\intbl\\itap1 above\\par${cell(2, "a")}${cell(2, "b")}${inner}${cell(2, "c")}${cell(2, "d")}${inner}${cell(1, "below")}\\row` +
          `\\pard between\\par\\trowd${cell(1, "framed")}\\row\\pard after\\par`,
      ),
    );
    expect(showBlocks(read)).toEqual([
      "table: | one | two |",
      "paragraph: left",
      "paragraph: above",
      "table: | a | b |\n| c | d |",
      "paragraph: below",
      "paragraph: between",
      "paragraph: framed",
      "paragraph: after",
    ]);
  });

  it("gives the values of fields of a form: texts, ticked boxes, chosen entries", async () => {
    const field = (code: string, data: string, result = ""): string =>
      `{\\field{\\*\\fldinst{ ${code} {\\*\\formfield{${data}}}}}{\\fldrslt ${result}}}`;
    const box = (data: string): string => field("FORMCHECKBOX", `\\fftype1${data}`);
    const list = "\\fftype2\\ffres1{\\*\\ffl Coarse}{\\*\\ffl Fine}";
    const { text } = await readAs(
      "a.rtf",
      `{\\rtf1\\ansi Owner: ${field("FORMTEXT", "\\fftype0", "Nils Ek")}\\par Licensed: ${box("\\ffres25\\ffdefres1")} Insured: ${box("\\ffres0\\ffdefres1")} Heated: ${box("\\ffres1")}.\\par Grade: ${field("FORMDROPDOWN", list)} and ${field("FORMDROPDOWN", list, "Fine")}\\par}`,
    );
    expect(text).toBe("Owner: Nils Ek\n\nLicensed: ☒ Insured: ☐ Heated: ☒.\n\nGrade: Fine and Fine");
  });

  it("shows the signs under a reading, and formulas in fields, and no other code of a field", async () => {
    const field = (code: string, result = ""): string => `{\\field{\\*\\fldinst{ ${code} }}{\\fldrslt ${result}}}`;
    const { text } = await readAny(
      "a.rtf",
      rtf(
        `\\pard To ${field(`EQ \\\\* jc0 \\\\* "Font:MS Mincho" \\\\* hps22 \\\\o\\\\ad(\\\\s\\\\up 10(${write("とうきょう")}),${write("東京")})`)} by ${field('HYPERLINK "https://a.example"', "rail")}, ${field("EQ \\\\f(a,b)")} of ${field("EQ \\\\r(3;x\\\\s\\\\up8(2))")}, ${field("EQ \\\\b(1\\\\,5)")}.\\par`,
      ),
    );
    expect(text).toBe("To 東京 by rail, a/b of 3√x2, (1,5).");
  });

  it("leaves out what was deleted while changes were recorded, as the reader of DOCX does", async () => {
    const { text } = await readAny(
      "a.rtf",
      rtf(
        "\\pard kept {\\deleted\\revauthdel1 gone }{\\revised new}\\deleted gone\\deleted0  end {\\deleted gone\\plain back}\\par",
      ),
    );
    expect(text).toBe("kept new end back");
  });

  it("reads signs of each font's character set, and leaves out hidden text, pictures and unknown destinations", async () => {
    const { text } = await readAny(
      "a.rtf",
      rtf("\\pard caf\\'e9 {\\f1 \\'cc\\'e0\\'ff\\'ea} {\\v secret}{\\pict ffd8ff}{\\*\\unknown no}\\emdash  end\\par"),
    );
    expect(text).toBe("café Маяк — end");
  });

  it("gives back any text that is written in it [L1]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1, maxLength: 5 }),
        async (lines) => {
          const shown = lines
            .map((line) => line.replace(/[\p{Cc}\u00A0\u00AD\u2028\u2029\u200B\u202F\u2060\uFEFF]/gu, "").trim())
            .filter((line) => line !== "");
          fc.pre(shown.length > 0);
          const { text } = await readAny("a.rtf", rtf(shown.map((line) => `\\pard ${write(line)}\\par`).join("\n")));
          expect(text).toBe(shown.join("\n\n"));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("refuses what only is called so, and survives broken groups", async () => {
    expect(await refusalOf(readAs("a.rtf", "no rich text at all"))).toMatchObject({ code: "unreadable" });
    expect((await readAny("a.rtf", "{\\rtf1 cut off {\\b here")).text).toBe("cut off here");
    expect(await refusalOf(readAs("a.rtf", `{\\rtf1 ${"{".repeat(5000)}x`))).toMatchObject({ code: "unreadable" });
  });
});
