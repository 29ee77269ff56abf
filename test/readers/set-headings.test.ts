import { describe, expect, it } from "vitest";

import { makeDocx } from "./make-office.ts";
import { readAny } from "./read-any.ts";
import { showOutline } from "./read-with.ts";

/** A paragraph: its text, whether it is bold, and its size in points. */
type Line = readonly [text: string, isBold?: boolean, size?: number];

const long = "The board met on the third floor and discussed the budget of the coming year at some length.";
const other = "Members who could not attend sent their remarks in writing, and they were read aloud.";

const docx = (lines: readonly Line[]): Uint8Array =>
  makeDocx({
    body: lines
      .map(
        ([text, isBold = false, size = 11]) =>
          `<w:p><w:r><w:rPr>${isBold ? "<w:b/>" : ""}<w:sz w:val="${size * 2}"/></w:rPr><w:t>${text}</w:t></w:r></w:p>`,
      )
      .join(""),
  });
const rtf = (lines: readonly Line[]): string =>
  `{\\rtf1\\ansi ${lines.map(([text, isBold = false, size = 11]) => `{\\fs${size * 2}${isBold ? "\\b" : ""} ${text}}\\par`).join("\n")}}`;
const fodt = (lines: readonly Line[]): string => {
  const styles = lines.map(
    ([, isBold = false, size = 11], index) =>
      `<style:style style:name="P${index}" style:family="paragraph"><style:text-properties fo:font-size="${size}pt"${isBold ? ' fo:font-weight="bold"' : ""}/></style:style>`,
  );
  const body = lines.map(([text], index) => `<text:p text:style-name="P${index}">${text}</text:p>`);
  return `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>${styles.join("")}</office:automatic-styles><office:body><office:text>${body.join("")}</office:text></office:body></office:document>`;
};
const formats: Readonly<Record<string, (lines: readonly Line[]) => Uint8Array | string>> = { docx, rtf, fodt };

describe.each(Object.entries(formats))("headings of a document that uses no styles for them: %s", (format, make) => {
  const outlineOf = async (lines: readonly Line[]): Promise<readonly string[]> =>
    showOutline((await readAny(`a.${format}`, make(lines))).root);

  it("are short lines that are bold or larger, those of larger letters above the others [E15 L1]", async () => {
    expect(
      await outlineOf([
        ["Minutes", true, 18],
        [long],
        ["Attendance", true],
        [long],
        [other],
        ["1. Budget", true],
        [other],
      ]),
    ).toEqual(["# Minutes", "## Attendance", "## 1. Budget"]);
    expect(await outlineOf([["The lighthouse", false, 20], [long], ["Opening hours", false, 14], [other]])).toEqual([
      "# The lighthouse",
      "## Opening hours",
    ]);
  });

  it.each<readonly [string, readonly Line[]]>([
    ["bold sentences", [[long, true], [other], [`${other} ${long}`], [long]]],
    [
      "a text that is bold throughout",
      [
        [long, true],
        [other, true],
        ["Short line", true],
        [long, true],
      ],
    ],
    [
      "the lines of an address",
      [["Harbour Board", true], ["Pier 4", true], ["24103 Kiel", true], ["Germany", true], [long], [other]],
    ],
    ["a bold line that nothing follows", [[long], [other], ["Ida Petersen", true]]],
    ["a label", [[long], ["Remember:", true], [other], [long]]],
  ])("are not made of %s", async (_, lines) => {
    expect(await outlineOf(lines)).toEqual([]);
  });
});

describe("headings of a document that states them", () => {
  it("are those alone", async () => {
    const heading = (text: string): string =>
      `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const bold = `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Bold line</w:t></w:r></w:p><w:p><w:r><w:t>${long}</w:t></w:r></w:p>`;
    const { root } = await readAny("a.docx", makeDocx({ body: heading("One") + bold + heading("Two") + bold }));
    expect(showOutline(root)).toEqual(["# One", "# Two"]);
  });
});
