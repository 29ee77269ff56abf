import { describe, expect, it } from "vitest";

import { makeOdt, pack } from "./make-office.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

const p = (text: string, style = ""): string =>
  `<text:p${style === "" ? "" : ` text:style-name="${style}"`}>${text}</text:p>`;
const h = (level: number, text: string): string => `<text:h text:outline-level="${level}">${text}</text:h>`;
const blocksOf = async (body: string, options: Parameters<typeof makeOdt>[1] = {}): Promise<string[]> =>
  showBlocks(await readAs("a.odt", makeOdt(body, options)));

describe("createOdtReader", () => {
  it("reads headings, prose, code and quotations, with facts [E2 B4 E15]", async () => {
    const result = await readAs(
      "a.odt",
      makeOdt(
        [
          "<text:sequence-decls/>",
          p("The book", "P1"),
          h(1, "One"),
          p('Words  \n in <text:span>a</text:span><text:s text:c="2"/>row.<text:line-break/>Next<text:tab/>line.'),
          `<text:section>${h(3, "Deeper")}${p("To be.", "Quotations")}</text:section>`,
          p("if (a) {", "Preformatted_20_Text") +
            p('<text:s text:c="2"/>b();', "Preformatted_20_Text") +
            p("}", "Preformatted_20_Text"),
          p('Seen<text:span text:style-name="T1"> unseen</text:span>.'),
        ].join(""),
        {
          automatic:
            '<style:style style:name="P1" style:parent-style-name="Title"/><style:style style:name="T1"><style:text-properties text:display="none"/></style:style>',
          facts:
            "<dc:title>Forgotten</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:language>en-GB</dc:language><meta:creation-date>2024-05-01T10:00:00.123</meta:creation-date><dc:date>2024-05-02T10:00:00</dc:date>",
        },
      ),
    );
    expect(result).toMatchObject({
      mediaType: "application/vnd.oasis.opendocument.text",
      title: "The book",
      metadata: {
        author: "Ada",
        language: "en-GB",
        createdAt: "2024-05-01T10:00:00.123",
        modifiedAt: "2024-05-02T10:00:00",
      },
    });
    expect(showOutline(result.root)).toEqual(["# The book", "# One", "### Deeper"]);
    expect(showBlocks(result).slice(2)).toEqual([
      "paragraph: Words in a  row.\nNext\tline.",
      "heading: Deeper",
      "quote: To be.",
      "code: if (a) {\n  b();\n}",
      "paragraph: Seen.",
    ]);
  });

  it("writes lists with their bullets and numbers, nested and going on [E15]", async () => {
    const number = (level: number, more: string): string =>
      `<text:list-level-style-number text:level="${level}" style:num-format="1" style:num-suffix="." ${more}/>`;
    const styles = `<text:list-style style:name="N">${number(1, "")}${number(2, 'text:display-levels="2"')}</text:list-style><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:start-value="3"/></text:list-style>`;
    const list = (inside: string, attributes = ""): string => `<text:list ${attributes}>${inside}</text:list>`;
    const item = (inside: string): string => `<text:list-item>${inside}</text:list-item>`;
    expect(
      await blocksOf(
        [
          list(item(p("milk") + list(item(p("whole")))) + item(p("bread") + p("of yesterday"))),
          p("Then:"),
          list(item(p("first") + list(item(p("below")) + item(p("too")))), 'text:style-name="N"'),
          p("Aside."),
          list(item(p("second")), 'text:style-name="N" text:continue-numbering="true"'),
          list(item(p("anew")), 'text:style-name="N"'),
          list(item(p("c")) + item(h(2, "A heading in a list")) + item(p("e")), 'text:style-name="L"'),
        ].join(""),
        { automatic: styles },
      ),
    ).toEqual([
      "list: - milk\n  - whole\n- bread\n  of yesterday",
      "paragraph: Then:",
      "list: 1. first\n  1.1. below\n  1.2. too",
      "paragraph: Aside.",
      "list: 2. second",
      "list: 1. anew",
      "list: (c) c",
      "heading: (d) A heading in a list",
      "list: (e) e",
    ]);
  });

  it("writes the numbers of headings, by the outline, by a list of their style and by the list around them", async () => {
    const level = (at: number, more: string): string => `<text:outline-level-style text:level="${at}" ${more}/>`;
    const styles = `<text:outline-style style:name="Outline">${level(1, 'style:num-format="1" style:num-suffix="."')}${level(2, 'style:num-format="1" text:display-levels="2"')}${level(3, 'style:num-format="a" text:display-levels="3"')}${level(4, 'style:num-format=""')}</text:outline-style>`;
    const automatic =
      '<style:style style:name="Bare" style:list-style-name=""/><style:style style:name="Own" style:list-style-name="A"/><text:list-style style:name="A"><text:list-level-style-number text:level="1" style:num-format="A" style:num-prefix="Annex "/></text:list-style>';
    const styled = (name: string, text: string): string =>
      `<text:h text:outline-level="1" text:style-name="${name}">${text}</text:h>`;
    const again = '<text:h text:outline-level="2" text:restart-numbering="true" text:start-value="7">Seventh</text:h>';
    const { root } = await readAs(
      "a.odt",
      makeOdt(
        [
          styled("Bare", "Preface"),
          h(1, "Tides"),
          h(2, "Ebb"),
          h(2, ""),
          h(3, "Low"),
          h(4, "Plain"),
          h(2, "Flood"),
          again,
          h(1, "Pilots"),
          '<text:h text:outline-level="2" text:is-list-header="true">Aside</text:h>',
          h(2, "Boats"),
          styled("Own", "Tables"),
          styled("Own", "Maps"),
        ].join(""),
        { automatic, styles },
      ),
    );
    expect(showOutline(root)).toEqual([
      "# Preface",
      "# 1. Tides",
      "## 1.1 Ebb",
      "### 1.1.a Low",
      "#### Plain",
      "## 1.2 Flood",
      "## 1.7 Seventh",
      "# 2. Pilots",
      "## Aside",
      "## 2.1 Boats",
      "# Annex A Tables",
      "# Annex B Maps",
    ]);
  });

  it("writes tables as rows, with headers, spans and tables within them [E15]", async () => {
    const cell = (inside: string, attributes = ""): string =>
      `<table:table-cell ${attributes}>${inside}</table:table-cell>`;
    const row = (...cells: string[]): string => `<table:table-row>${cells.join("")}</table:table-row>`;
    const table = `<table:table><table:table-column/><table:table-header-rows>${row(cell(p("who")), cell(p("where")))}</table:table-header-rows>${row(cell(p("Ada") + p("Bob"), 'table:number-columns-spanned="2"'), "<table:covered-table-cell/>")}</table:table>`;
    const { text, blocks } = await readAs("a.odt", makeOdt(table));
    expect(text).toBe("| who | where |\n| Ada Bob |  |");
    expect(blocks?.[0]?.bodyStart).toBe("| who | where |\n".length);
    const nested = `<table:table>${row(cell(p("a")), cell(p("b")))}${row(cell(p("c")), cell(`<table:table>${row(cell(p("x")), cell(p("y")))}</table:table>`))}</table:table>`;
    expect(await blocksOf(nested)).toEqual(["table: | a | b |", "paragraph: c", "table: | x | y |"]);
  });

  it("reads notes, boxes and pictures, and not comments or what was deleted [E15]", async () => {
    const note = (kind: string, text: string): string =>
      `<text:note text:note-class="${kind}"><text:note-citation>9</text:note-citation><text:note-body>${p(text)}</text:note-body></text:note>`;
    const frame = (inside: string): string => `<draw:frame>${inside}</draw:frame>`;
    expect(
      await blocksOf(
        [
          `<text:tracked-changes><text:changed-region><text:deletion>${p("gone")}</text:deletion></text:changed-region></text:tracked-changes>`,
          p(
            `Claim${note("footnote", "The first.")}, more${note("endnote", "At the end.")}.<office:annotation>${p("a comment")}</office:annotation>`,
          ),
          p(`A box:${frame(`<draw:text-box>${p("In the box")}</draw:text-box>`)}`),
          p(
            `See ${frame('<draw:image xlink:href="Pictures/1.png"/><svg:title>t</svg:title><svg:desc>The harbour</svg:desc>')}`,
          ),
        ].join(""),
      ),
    ).toEqual([
      "paragraph: Claim[^1], more[^i].",
      "paragraph: [^1]: The first.",
      "paragraph: A box:",
      "paragraph: In the box",
      "paragraph: See [Image: The harbour]",
      "paragraph: [^i]: At the end.",
    ]);
  });

  it("says how many comments it leaves out, in texts and on slides [L9]", async () => {
    const comment = `<office:annotation>${p("Check the year.")}</office:annotation>`;
    const math = "<annotation encoding='StarMath 5.0'>a = b over c</annotation>";
    const { text, notes } = await readAs(
      "a.odt",
      makeOdt(p(`Tides${comment} of the harbour${math}`) + p(`Pilots${comment}`)),
    );
    expect(text).toBe("Tides of the harbour\n\nPilots");
    expect(notes).toEqual(["Left out: its comments (2)."]);
    const spaces = ["office", "text", "drawing:draw"].map(
      (name) =>
        `xmlns:${name.replace(/.*:/u, "")}="urn:oasis:names:tc:opendocument:xmlns:${name.replace(/:.*/u, "")}:1.0"`,
    );
    const page = `<draw:page><draw:frame><draw:text-box>${p("Tides of the harbour")}</draw:text-box></draw:frame>${comment}</draw:page>`;
    const slides = await readAs(
      "a.fodp",
      `<office:document ${spaces.join(" ")} office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>${page}</office:presentation></office:body></office:document>`,
    );
    expect(slides.text).toBe("Slide 1\n\nTides of the harbour");
    expect(slides.notes).toEqual(["Left out: its comments (1)."]);
  });

  it("names embedded files of other kinds that are not in the text [L9]", async () => {
    const inner = `<office:document-content xmlns:office="o"><office:body><office:drawing/></office:body></office:document-content>`;
    const math = `<math xmlns="m"><mi>a</mi></math>`;
    const more = {
      "Object 1/content.xml": inner,
      "Object 2/content.xml": math,
      "Object 3": Uint8Array.of(0xd0, 0xcf, 0, 1, 2, 0, 0),
      "Basic/a.xml": "",
    };
    const { notes } = await readAs("a.odt", makeOdt(p("Tides"), { more }));
    expect(notes).toEqual([
      expect.stringMatching(/^Object 1 was not read: .*drawing/u),
      expect.stringMatching(/^Object 3 was not read: /u),
    ]);
  });

  it("gives the values of fields that LibreOffice keeps of Word's forms", async () => {
    const spaces = 'xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"';
    const field = (kind: string, ...facts: (readonly [string, string])[]): string =>
      `<field:fieldmark ${spaces} field:type="vnd.oasis.opendocument.field.${kind}">${facts.map(([name, value]) => `<field:param field:name="${name}" field:value="${value}"/>`).join("")}</field:fieldmark>`;
    const box = (isTicked: boolean): string => field("FORMCHECKBOX", ["Checkbox_Checked", String(isTicked)]);
    const entries = ["Coarse", "Fine"].map((entry) => ["Dropdown_ListEntry", entry] as const);
    const list = field("FORMDROPDOWN", ...entries, ["Dropdown_Selected", "1"]);
    const { text } = await readAs("a.odt", makeOdt(p(`Licensed: ${box(true)} Insured: ${box(false)} Grade: ${list}`)));
    expect(text).toBe("Licensed: ☒ Insured: ☐ Grade: Fine");
  });

  it("reads charts and formulas, from parts of their own and in a flat file, and says what a sheet leaves out [L9]", async () => {
    const office = "urn:oasis:names:tc:opendocument:xmlns";
    const cells = (...texts: string[]): string =>
      `<table:table-row>${texts.map((text) => `<table:table-cell>${p(text)}</table:table-cell>`).join("")}</table:table-row>`;
    const chart = `<office:body><office:chart><chart:chart xmlns:chart="${office}:chart:1.0"><chart:title>${p("Catch")}</chart:title><chart:plot-area><chart:axis><chart:title>${p("Tonnes")}</chart:title></chart:axis></chart:plot-area><table:table><table:table-header-rows>${cells("", "Herring")}</table:table-header-rows><table:table-rows>${cells("May", "12")}${cells("June", "NaN")}</table:table-rows></table:table></chart:chart></office:chart></office:body>`;
    const math =
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>a</mi><mo>=</mo><mi>b</mi><annotation encoding="StarMath 5.0">a = b over c</annotation></semantics></math>';
    const spaces = `xmlns:office="${office}:office:1.0" xmlns:text="${office}:text:1.0" xmlns:table="${office}:table:1.0" xmlns:draw="${office}:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`;
    const frame = (object: string): string => `<draw:frame>${object}<draw:image xlink:href="x.svm"/></draw:frame>`;
    const expected = [
      "paragraph: So a = b over c holds.",
      "paragraph: Catch",
      "paragraph: Tonnes",
      "table: |  | Herring |\n| May | 12 |\n| June |  |",
    ];
    const body = (formula: string, graphic: string): string => p(`So ${frame(formula)} holds.`) + p(frame(graphic));
    const link = (folder: string): string => `<draw:object xlink:href="./${folder}"/>`;
    const packed = makeOdt(body(link("Object 1"), link("Object 2")), {
      more: {
        "Object 1/content.xml": math,
        "Object 2/content.xml": `<office:document-content ${spaces}>${chart}</office:document-content>`,
      },
    });
    expect(showBlocks(await readAs("a.odt", packed))).toEqual(expected);
    const flat = `<?xml version="1.0"?><office:document ${spaces} office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">Stated</dc:title></office:meta><office:body><office:text>${body(`<draw:object>${math}</draw:object>`, `<draw:object><office:document>${chart}</office:document></draw:object>`)}</office:text></office:body></office:document>`;
    const read = await readAs("a.fodt", flat);
    expect(showBlocks(read)).toEqual(expected);
    expect(read.title).toBe("Stated");
    expect((await readAs("a", flat)).mediaType).toBe("application/vnd.oasis.opendocument.text-flat-xml");
    const sheet = `<office:document ${spaces} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S"><table:shapes>${frame(link("Object 1"))}</table:shapes>${cells("Item", "Fee")}<table:table-row><table:table-cell><office:annotation><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ada</dc:creator>${p("Raised in May")}</office:annotation>${p("Berth")}</table:table-cell><table:table-cell>${p("40")}</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>`;
    const { text, notes } = await readAs("a.fods", sheet);
    expect(text).toBe("S\n\nItem | Fee\nItem: Berth | Fee: 40\n\n[Comment by Ada at A2: Raised in May]");
    expect(notes).toEqual(["Cells were read; not in the text: charts (1)."]);
    const drawn = frame(`<draw:object><office:document>${chart}</office:document></draw:object>`);
    const charted = sheet.replace(frame(link("Object 1")), drawn);
    expect((await readAs("a.fods", charted)).text).toBe(text.replace("[Comment", "Catch\n\nTonnes\n\n[Comment"));
    // The figures of a chart stand nowhere else where its sheet has no cells.
    const head = sheet.slice(0, sheet.indexOf("<table:shapes>"));
    const tail = "</table:table></office:spreadsheet></office:body></office:document>";
    const alone = `${head}<table:shapes>${drawn}</table:shapes>${tail}`;
    expect((await readAs("a.fods", alone)).text).toBe(
      "S\n\nCatch\n\nTonnes\n\n|  | Herring |\n| May | 12 |\n| June |  |",
    );
    expect(await refusalOf(readAs("a.fodt", "<root>no document</root>"))).toMatchObject({ code: "unreadable" });
  });

  it("reads the boxes and shapes of a sheet after its cells, at the cells where they stand", async () => {
    const office = "urn:oasis:names:tc:opendocument:xmlns";
    const spaces = `xmlns:office="${office}:office:1.0" xmlns:text="${office}:text:1.0" xmlns:table="${office}:table:1.0" xmlns:draw="${office}:drawing:1.0"`;
    const cell = (content: string, more = ""): string => `<table:table-cell${more}>${content}</table:table-cell>`;
    const box = (...lines: string[]): string =>
      `<draw:frame><draw:text-box>${lines.map((line) => p(line)).join("")}</draw:text-box></draw:frame>`;
    const shape = (text: string): string => `<draw:g><draw:custom-shape>${p(text)}</draw:custom-shape></draw:g>`;
    const sheet = (rows: string): string =>
      `<office:document ${spaces} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document>`;
    const full = sheet(
      `<table:shapes>${box("Over the sheet")}</table:shapes><table:table-row>${cell(p("Item"))}${cell("", ' table:number-columns-repeated="2"')}${cell(box("Ask the pilot", "before dusk"))}</table:table-row><table:table-row>${cell(p("Rope") + shape("New"))}</table:table-row>`,
    );
    const read = await readAs("a.fods", full);
    expect(read.text).toBe("S\n\nItem\nRope\n\nOver the sheet\n\nAsk the pilot\nbefore dusk\n\nNew");
    const only = sheet(`<table:table-row>${cell(box("Nothing but this"))}</table:table-row>`);
    expect((await readAs("b.fods", only)).text).toBe("S\n\nNothing but this");
  });

  it("refuses what is no text document, is encrypted or has no words, by name [E15 W17]", async () => {
    const locked =
      '<manifest:manifest xmlns:manifest="m"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [makeOdt(""), "empty"],
      [makeOdt(p("x"), { more: { "META-INF/manifest.xml": locked } }), "encrypted"],
      [makeOdt("", { more: { "content.xml": "<office:document-content><office:body>" } }), "unreadable"],
      [makeOdt("", { more: { "content.xml": "<office:document-content/>" } }), "unreadable"],
      [pack({ mimetype: "application/vnd.oasis.opendocument.text" }), "unreadable"],
    ];
    for (const [bytes, code] of cases)
      expect(await refusalOf(readAs("dir/my.odt", bytes))).toMatchObject({ code, uri: "dir/my.odt" });
  });
});
