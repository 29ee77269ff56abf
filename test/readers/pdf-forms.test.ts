import { describe, expect, it } from "vitest";

import { makePdf, writeFile } from "./make-pdf.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

/** A page of drawn text with annotations: `content` in PDF's own operators, each annotation a dictionary. */
function makeForm(content: string, annotations: readonly string[], more = ""): Uint8Array {
  const first = 6;
  return writeFile(
    [
      `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${annotations.map((_, i) => `${first + i} 0 R`).join(" ")}] /DA (/F1 10 Tf) ${more} >> >>`,
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [${annotations.map((_, i) => `${first + i} 0 R`).join(" ")}] >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ...annotations,
    ],
    "/Root 1 0 R",
  );
}

const write = (x: number, y: number, text: string, size = 10): string =>
  `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET\n`;
const field = (rect: string, more: string): string =>
  `<< /Type /Annot /Subtype /Widget /Rect [${rect}] /T (f${rect.replaceAll(" ", "")}) ${more} >>`;

describe("forms and annotations of a PDF", () => {
  it("reads the value of a field after its label, and a box as ticked or not [E15]", async () => {
    const form = makeForm(write(72, 700, "Full name:") + write(72, 680, "Member") + write(72, 660, "Guest"), [
      field("130 696 300 712", "/FT /Tx /V (Ada Lovelace)"),
      field("130 678 142 690", "/FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>"),
      field("130 658 142 670", "/FT /Btn /V /Off /AS /Off /AP << /N << /Yes null /Off null >> >>"),
    ]);
    const { text } = await readAs("form.pdf", form);
    expect(text).toBe("| Full name: | Ada Lovelace |\n| Member | [x] |\n| Guest | [ ] |");
  });

  it("leaves out hidden fields and passwords", async () => {
    const form = makeForm(write(72, 700, "Code:"), [
      field("130 696 300 712", "/FT /Tx /V (seen)"),
      field("130 676 300 692", "/F 2 /FT /Tx /V (hidden)"),
      field("130 656 300 672", "/FT /Tx /Ff 8192 /V (secret)"),
    ]);
    expect((await readAs("form.pdf", form)).text).toBe("Code: seen");
  });

  it("marks notes on the page and comments as what they are", async () => {
    const form = makeForm(write(72, 700, "A clause that somebody comments on."), [
      "<< /Type /Annot /Subtype /FreeText /Rect [72 640 300 660] /DA (/F1 10 Tf) /Contents (Ask the pilot) >>",
      "<< /Type /Annot /Subtype /Text /Rect [400 700 410 710] /T (Grace) /Contents (Is this still true?) >>",
    ]);
    const read = await readAs("notes.pdf", form);
    expect(showBlocks(read)).toEqual([
      "paragraph: A clause that somebody comments on.",
      "paragraph: [Note: Ask the pilot]",
      "quote: [Comment by Grace: Is this still true?]",
    ]);
  });

  it("reads a long value that is a stream, as its field shows it", async () => {
    const shown =
      "/Tx BMC BT /F1 10 Tf 2 40 Td (The pilot boards) Tj 80 0 Td ( at dusk.) Tj 0 -12 Td (No lamp is lit.) Tj ET EMC";
    const form = makeForm(write(72, 700, "Report:"), [
      field("130 650 400 712", "/FT /Tx /Ff 4096 /V 7 0 R /AP << /N 8 0 R >>"),
      "<< /Length 3 >>\nstream\nx y\nendstream",
      `<< /Type /XObject /Subtype /Form /BBox [0 0 270 62] /Resources << /Font << /F1 5 0 R >> >> /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    ]);
    expect((await readAs("form.pdf", form)).text).toBe("Report: The pilot boards at dusk. No lamp is lit.");
  });

  it("says that a form of XFA is not read where pages only stand in for it", async () => {
    const content = write(72, 700, "Please wait while the form is opened.");
    const xfa = "/XFA [(template) 4 0 R]";
    expect((await readAs("form.pdf", makeForm(content, [], xfa))).notes).toEqual([
      "Not read: the form in it (XFA), which Adobe's programs show in place of these pages; print it from there as a PDF.",
    ]);
    const fields = [field("130 696 300 712", "/FT /Tx /V (Ada Lovelace)")];
    expect((await readAs("form.pdf", makeForm(content, fields, xfa))).notes).toBeUndefined();
  });

  it("reads a form that is nothing but values", async () => {
    const form = makeForm("", [field("130 696 300 712", "/FT /Tx /V (Only this)")]);
    expect((await readAs("form.pdf", form)).text).toBe("Only this");
  });

  it("says of a scan how to add text recognition", async () => {
    const refusal = await refusalOf(readAs("scan.pdf", makePdf([[]], { pictures: [0] })));
    expect(refusal).toMatchObject({ code: "empty", uri: "scan.pdf" });
    expect(refusal.hint).toContain("OCR");
  });
});

/** Level and upright lines of a table. */
const rules = (xs: readonly number[], ys: readonly number[]): string =>
  [
    ...ys.map((y) => `${xs[0]} ${y} m ${xs.at(-1)} ${y} l S`),
    ...xs.map((x) => `${x} ${ys[0]} m ${x} ${ys.at(-1)} l S`),
  ].join("\n");

describe("tables of a PDF that are drawn with lines", () => {
  it("reads a wrapped cell as one, and cells that nearly touch as two", async () => {
    const content =
      write(72, 740, "A line above the table that is long enough to be prose.") +
      write(75, 706, "Station") +
      write(125, 706, "Remark") +
      write(75, 690, "Northern 7") +
      write(125, 690, "wrapped over") +
      write(125, 678, "two lines") +
      write(75, 660, "C") +
      write(125, 660, "plain") +
      rules([72, 123, 300], [720, 702, 674, 655]);
    const read = await readAs("grid.pdf", makeForm(content, []));
    expect(showBlocks(read).slice(1)).toEqual([
      "table: | Station | Remark |\n| Northern 7 | wrapped over two lines |\n| C | plain |",
    ]);
    expect(showOutline(read.root)).toEqual([]);
  });

  it("reads rows without lines between them by their baselines", async () => {
    const rows = ["Rope", "Buoy", "Lamp"].map(
      (name, i) => write(75, 690 - i * 14, name) + write(205, 690 - i * 14, `${i}7`),
    );
    const content =
      write(75, 706, "Article") + write(205, 706, "Count") + rows.join("") + rules([72, 200, 300], [718, 702, 655]);
    expect(showBlocks(await readAs("grid.pdf", makeForm(content, [])))).toEqual([
      "table: | Article | Count |\n| Rope | 07 |\n| Buoy | 17 |\n| Lamp | 27 |",
    ]);
  });

  it("reads a table in a cell as its own, though it ends near the lines around it", async () => {
    const inner = (x: number, rows: readonly (readonly string[])[]): string =>
      rows
        .map(([one = "", other = ""], row) => write(x + 4, 686 - row * 16, one) + write(x + 54, 686 - row * 16, other))
        .join("") + rules([x, x + 50, x + 100], [698, 682, 666, 650]);
    const first = [
      ["Code", "Name"],
      ["A1", "Alpha"],
      ["B2", "Beta"],
    ];
    const second = [
      ["Berth", "Fee"],
      ["North", "120"],
      ["South", "80"],
    ];
    const content =
      write(76, 706, "Register of the port") +
      write(306, 706, "Fees of the berths") +
      inner(100, first) +
      inner(340, second) +
      rules([72, 300, 528], [720, 647]);
    const tableOf = (rows: readonly (readonly string[])[]): string =>
      `table: ${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}`;
    expect(showBlocks(await readAs("grid.pdf", makeForm(content, [])))).toEqual([
      "paragraph: Register of the port",
      tableOf(first),
      "paragraph: Fees of the berths",
      tableOf(second),
    ]);
  });

  it("takes cells without a line between them as one", async () => {
    const content =
      write(120, 706, "Both columns") +
      write(75, 690, "one") +
      write(205, 690, "two") +
      write(75, 674, "three") +
      write(205, 674, "four") +
      "72 718 m 300 718 l S 72 702 m 300 702 l S 72 686 m 300 686 l S 72 670 m 300 670 l S\n" +
      "72 718 m 72 670 l S 300 718 m 300 670 l S 200 702 m 200 670 l S";
    expect(showBlocks(await readAs("grid.pdf", makeForm(content, [])))).toEqual([
      "table: | Both columns |  |\n| one | two |\n| three | four |",
    ]);
  });
});

describe("letters of a PDF", () => {
  it("reads words whose letters stand apart, and lines that are drawn twice, as words", async () => {
    const content =
      "BT /F1 20 Tf 6 Tc 72 700 Td (ANNUAL REPORT) Tj ET\n" +
      write(72, 640, "Drawn twice") +
      write(200, 640, "in two parts") +
      write(72.4, 640, "Drawn twice") +
      write(200.4, 640, "in two parts");
    const { text } = await readAs("bold.pdf", makeForm(content, []));
    expect(text).toBe("ANNUAL REPORT\n\nDrawn twice in two parts");
  });
});

describe("the title of a PDF", () => {
  const titleOf = async (
    info: string,
    first: string,
    second = "plain text below it, in the letters of the text",
  ): Promise<string> =>
    (
      await readAs(
        "file.pdf",
        makePdf(
          [
            [
              { text: first, y: 700, size: 24 },
              { text: second, y: 650 },
            ],
          ],
          { info },
        ),
      )
    ).title;

  it("is the stated one where the document shows it, else the largest text", async () => {
    expect(await titleOf("/Title (Tides)", "Tides and Basins")).toBe("Tides and Basins");
    expect(await titleOf("/Title (A Study of Tides)", "A Study of Tides")).toBe("A Study of Tides");
    expect(await titleOf("/Title (Somebody Else's Template)", "Lease of a Berth")).toBe("Lease of a Berth");
    expect(await titleOf("/Title (Microsoft Word - C:\\\\x\\\\lease3.doc)", "Lease of a Berth")).toBe(
      "Lease of a Berth",
    );
    expect(await titleOf("/Title (untitled)", "Lease of a Berth")).toBe("Lease of a Berth");
  });
});
