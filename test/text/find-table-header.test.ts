import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findTableHeader } from "../../src/text/find-table-header.ts";
import { runs } from "../support/runs.ts";

const reading = (text: string) => async (start: number, end: number) => text.slice(start, end);
const header = "| Device | Price |";

describe("the header of a table", () => {
  it("is found from any place in any row, however long the table is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-z]{1,40}$/u), { minLength: 1, maxLength: 400 }),
        fc.stringMatching(/^[a-z\n]{0,60}$/u),
        fc.boolean(),
        fc.nat(),
        async (cells, before, isIndented, chosen) => {
          const indent = isIndented ? "  " : "";
          const opening = `${before}\n\n${indent}`;
          const head = `${opening}${header}\n${indent}|---|:-:|\n`;
          const rows = cells.map((cell) => `${indent}| ${cell} | 5 |\n`);
          const text = `${head}${rows.join("")}\nBehind it | stands more.`;
          const body = rows.join("");
          const pipe = body.indexOf("|", chosen % body.lastIndexOf("|"));
          const position = head.length + pipe;
          const start = opening.length;
          expect(await findTableHeader(reading(text), position)).toEqual({
            start,
            end: start + header.length,
            text: header,
          });
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("is found thousands of rows above", async () => {
    const text = `${header}\n|---|---|\n${"| a | 5 |\n".repeat(5000)}`;
    expect(await findTableHeader(reading(text), text.length - 10)).toEqual({ start: 0, end: 18, text: header });
  });

  it.each([
    ["in the header itself", `${header}\n|---|---|\n| a | 5 |\n`, 2],
    ["in a table without a delimiter row", "| a | 5 |\n| b | 6 |\n| c | 7 |\n", 22],
    ["in prose below a table", `${header}\n|---|---|\n| a | 5 |\n\nA | b stands here.`, 44],
    ["in a table that another paragraph parts from a header", `${header}\n|---|---|\n\n| a | 5 |\n`, 31],
  ])("is none %s", async (_, text, position) => {
    expect(await findTableHeader(reading(text), position)).toBeUndefined();
  });

  it("is not looked for through a text without an end", async () => {
    let length = 0;
    const read = async (start: number, end: number): Promise<string> => {
      length += end - start;
      return "| a | 5 |\n".repeat(Math.ceil((end - start) / 10)).slice(0, end - start);
    };
    expect(await findTableHeader(read, 1e9)).toBeUndefined();
    expect(length).toBeLessThan(3e6);
  });
});
