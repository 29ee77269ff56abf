import { createPdfReader, locateOnPages, readPdfGeometry } from "ibid/readers";
import { describe, expect, it } from "vitest";
import { checkPlaces } from "../../src/knowledge-base/operations/show-document.ts";
import { makeCompound } from "./make-msg.ts";
import {
  makeDocx,
  makeOdt,
  makePptx,
  pack,
  paragraph,
  relationships,
  run,
  slideParagraph,
  slideShape,
} from "./make-office.ts";
import { makePdf } from "./make-pdf.ts";
import { makeXlsx } from "./make-xlsx.ts";
import { readAny } from "./read-any.ts";
import { showOutline } from "./read-with.ts";

const invoice = `<Invoice><ID>471</ID><Line><Name>Mooring rope</Name></Line></Invoice>`;
const page = [[{ text: "Invoice of the harbour office", y: 700 }]];
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const book = makeXlsx([
  {
    name: "Tides",
    rows: [
      ["port", "tide"],
      ["Brest", 7],
    ],
  },
]);

/** An object of OLE around a file that was dropped into a document. **Source** MS-OLEDS, 2.3.6. */
const dropped = (name: string, content: string): Uint8Array =>
  makeCompound((add) => {
    const text = (value: string): Buffer => Buffer.from(`${value}\0`, "latin1");
    const path = text(`C:\\temp\\${name}`);
    const number = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
    const body = [Buffer.from([2, 0]), text(name), path, Buffer.from([0, 0, 3, 0]), number(path.length), path];
    const inside = Buffer.concat([...body, number(content.length), Buffer.from(content, "latin1")]);
    add("/\u0001Ole10Native", Uint8Array.from(Buffer.concat([number(inside.length), inside])));
  });

describe("files that a PDF carries", () => {
  it("are named in a note where no reader of them is given", async () => {
    const bytes = makePdf(page, { attached: { "a.xml": invoice, "b.xlsx": "x" } });
    const { text, notes } = await createPdfReader().read({ uri: "a.pdf", bytes, mediaType: "application/pdf" });
    expect(text).toBe("Invoice of the harbour office");
    expect(notes).toEqual(["Not read: files attached to it (a.xml, b.xlsx)."]);
  });

  it("are read under their names, after its pages, and keep places of their own", async () => {
    const { text, root, sourceMap, notes } = await readAny(
      "a.pdf",
      makePdf(page, { attached: { "factur-x.xml": invoice, "photo.heic": "\0\0\0\x18ftypheic\0\0\0\0" } }),
    );
    expect(text).toMatch(/^Invoice of the harbour office\n\nfactur-x\.xml\n\n[^]*ID: 471[^]*Name: Mooring rope/u);
    expect(showOutline(root)[0]).toBe("# factur-x.xml");
    expect(sourceMap.parts?.map(({ name }) => name)).toEqual(["factur-x.xml"]);
    expect(sourceMap.pages).toEqual([{ number: 1, start: 0 }]);
    expect(notes).toEqual([expect.stringMatching(/^photo\.heic was not read: .*image\/heic/u)]);
    expect(text).not.toContain("photo.heic");
  });

  it("leave the places on its pages as they are", async () => {
    const bytes = makePdf(page, { attached: { "notes.txt": "The second basin." } });
    const { text } = await readAny("a.pdf", bytes);
    const geometry = await readPdfGeometry({ uri: "a.pdf", bytes });
    checkPlaces(geometry, { uri: "a.pdf", text });
    expect(locateOnPages(geometry, 0, 7)).toHaveLength(1);
    expect(locateOnPages(geometry, text.indexOf("second"), text.length)).toEqual([]);
    expect(() => checkPlaces(geometry, { uri: "a.pdf", text: `Other ${text}` })).toThrow("another version");
  });

  it("are all that a blank page has", async () => {
    const { text } = await readAny("a.pdf", makePdf([[]], { attached: { "notes.txt": "The second basin." } }));
    expect(text).toBe("notes.txt\n\nThe second basin.");
    await expect(readAny("a.pdf", makePdf([[]]))).rejects.toMatchObject({ code: "empty" });
  });

  it("may be archives and PDF files, within the limits", async () => {
    const inner = makePdf([[{ text: "The pilots met.", y: 700 }]], { attached: { "deep.txt": "Deeper." } });
    const files = { "all.zip": latin(pack({ "b/tides.csv": "port,tide\nBrest,7\n" })), "inner.pdf": latin(inner) };
    const bytes = makePdf(page, { attached: files });
    const { text, sourceMap } = await readAny("a.pdf", bytes);
    expect(text).toContain("all.zip/b/tides.csv");
    expect(text).toContain("The pilots met.\n\ndeep.txt\n\nDeeper.");
    expect(sourceMap.parts?.map(({ name }) => name)).toEqual(["all.zip/b/tides.csv", "inner.pdf"]);
    const shallow = await readAny("a.pdf", bytes, { limits: { maxDepth: 1 } });
    expect(shallow.text).not.toContain("Deeper.");
    expect(shallow.notes?.join("\n")).toContain("deep.txt was not read");
    const few = await readAny("a.pdf", bytes, { limits: { maxParts: 1 } });
    expect(few.notes?.join("\n")).toContain("a file may carry 1 others");
    const narrow = await readAny("a.pdf", bytes, { limits: { maxExpandedBytes: 100 } });
    expect(narrow.text).toBe("Invoice of the harbour office");
    expect(narrow.notes).toHaveLength(2);
    const short = await readAny("a.pdf", bytes, { limits: { maxTextLength: 40 } });
    expect(short.text).toBe("Invoice of the harbour office");
    expect(short.notes?.join("\n")).toContain("with it the text would be too long");
  });
});

describe("what is embedded in an office file", () => {
  const sheet = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Tides"><table:table-row><table:table-cell><text:p>port</text:p></table:table-cell><table:table-cell><text:p>tide</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Brest</text:p></table:table-cell><table:table-cell><text:p>high</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;

  it("is read in OpenDocument: documents in folders of the package, and files that were dropped into it", async () => {
    const more = {
      "Object 1/content.xml": sheet,
      "Object 2": dropped("notes.txt", "The second basin."),
      "Object 3": Uint8Array.of(0xd0, 0xcf, 0, 1, 2, 0, 0),
    };
    const { text, sourceMap, notes } = await readAny(
      "a.odt",
      makeOdt("<text:p>Tides of the harbour</text:p>", { more }),
    );
    expect(text).toMatch(
      /^Tides of the harbour\n\nObject 1\n\n[^]*Brest[^]*high[^]*\n\nnotes\.txt\n\nThe second basin\.$/u,
    );
    expect(sourceMap.parts?.map(({ name }) => name)).toEqual(["Object 1", "notes.txt"]);
    expect(notes).toEqual([expect.stringContaining("Object 3 was not read")]);
  });

  it("is read in Word and PowerPoint", async () => {
    const related = [
      ["r8", "package", "embeddings/Book.xlsx"],
      ["r9", "oleObject", "embeddings/oleObject1.bin"],
    ] as const;
    const files = (folder: string) => ({
      [`${folder}/embeddings/Book.xlsx`]: book,
      [`${folder}/embeddings/oleObject1.bin`]: dropped("notes.txt", "The second basin."),
    });
    const word = await readAny(
      "a.docx",
      makeDocx({ body: paragraph(run("Tides of the harbour")), related, more: files("word") }),
    );
    const slides = await readAny(
      "a.pptx",
      makePptx([{ shapes: slideShape(slideParagraph("Tides of the harbour"), 'type="title"'), related }], {
        more: files("ppt/slides"),
      }),
    );
    for (const { text, sourceMap, notes } of [word, slides]) {
      expect(text).toMatch(
        /^Tides of the harbour\n\nBook\.xlsx\n\n[^]*Brest[^]*\n\nnotes\.txt\n\nThe second basin\.$/u,
      );
      expect(sourceMap.parts?.map(({ name }) => name)).toEqual(["Book.xlsx", "notes.txt"]);
      expect(notes).toBeUndefined();
    }
  });

  it("is read in Excel and in sheets of OpenDocument, after all cells", async () => {
    const more = {
      "xl/worksheets/_rels/sheet1.xml.rels": relationships([
        ["o1", "oleObject", "../embeddings/oleObject1.bin"],
        ["o2", "package", "../embeddings/Letter.docx"],
      ]),
      "xl/embeddings/oleObject1.bin": dropped("notes.txt", "The second basin."),
      "xl/embeddings/Letter.docx": makeDocx({ body: paragraph(run("Dear pilots")) }),
    };
    const excel = await readAny("a.xlsx", makeXlsx([{ name: "Tides", rows: [["port"], ["Brest"]] }], { more }));
    expect(excel.text).toMatch(/Brest\n\nnotes\.txt\n\nThe second basin\.\n\nLetter\.docx\n\nDear pilots$/u);
    expect(excel.sourceMap.sheets?.map(({ end }) => excel.text.slice(end, end + 11))).toEqual(["\n\nnotes.txt"]);
    expect(excel.notes).toBeUndefined();

    const frame = (name: string): string =>
      `<draw:frame xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><draw:object xlink:href="./${name}" xmlns:xlink="http://www.w3.org/1999/xlink"/><draw:image/></draw:frame>`;
    const chart = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"><office:body><office:chart><chart:chart/></office:chart></office:body></office:document-content>`;
    const shown = sheet.replace("<text:p>port", `${frame("Object 1")}${frame("Object 2")}<text:p>port`);
    const packed = pack({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "content.xml": shown,
      "Object 1/content.xml": sheet.replace("Brest", "Lorient"),
      "Object 2/content.xml": chart,
      "Object 3": dropped("notes.txt", "The second basin."),
    });
    const ods = await readAny("a.ods", packed);
    expect(ods.text).toMatch(
      /port: Brest[^]*\n\nObject 1\n\n[^]*port: Lorient[^]*\n\nnotes\.txt\n\nThe second basin\.$/u,
    );
    expect(ods.notes).toEqual(["Cells were read; not in the text: charts (1)."]);
  });
});
