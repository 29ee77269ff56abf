import { describe, expect, it } from "vitest";

import { makeDocx, paragraph, relationships, run, styled, wordTable } from "./make-office.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

const style = (id: string, name: string, inside = "", basedOn = ""): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${basedOn === "" ? "" : `<w:basedOn w:val="${basedOn}"/>`}${inside}</w:style>`;
const outline = (level: number): string => `<w:pPr><w:outlineLvl w:val="${level}"/></w:pPr>`;
const blocksOf = async (parts: Parameters<typeof makeDocx>[0]): Promise<string[]> =>
  showBlocks(await readAs("a.docx", makeDocx(parts)));

describe("createDocxReader: the tree", () => {
  it("finds headings by outline level, name, what a style rests on, and the paragraph's own word, whatever the language [E2 E15]", async () => {
    const result = await readAs(
      "a.docx",
      makeDocx({
        styles: [
          style("a", "Normal"),
          style("1", "heading 1", outline(0), "a"),
          style("berschrift3", "heading 3"),
          style("Kapitel", "Kapitel", "", "1"),
          style("TOCHeading", "TOC Heading", outline(9), "1"),
          style("a3", "Title"),
        ].join(""),
        body: [
          styled("a3", "The book"),
          styled("1", "One"),
          paragraph("Words."),
          styled("berschrift3", "One, deeper"),
          styled("Kapitel", "Two"),
          styled("TOCHeading", "Contents"),
          paragraph("Two, below", '<w:outlineLvl w:val="1"/>'),
          styled("1", "No heading here", '<w:outlineLvl w:val="9"/>'),
          styled("1", " "),
        ].join(""),
      }),
    );
    expect(showOutline(result.root)).toEqual(["# The book", "# One", "### One, deeper", "# Two", "## Two, below"]);
    expect(result.title).toBe("The book");
    expect(showBlocks(result)).toEqual([
      "heading: The book",
      "heading: One",
      "paragraph: Words.",
      "heading: One, deeper",
      "heading: Two",
      "paragraph: Contents",
      "heading: Two, below",
      "paragraph: No heading here",
    ]);
  });

  it("knows heading styles by their ids where a document does not hold them, and survives styles that rest on themselves", async () => {
    const { root } = await readAs(
      "a.docx",
      makeDocx({
        styles: style("x", "X", "", "y") + style("y", "Y", "", "x"),
        body: styled("Heading1", "One") + styled("Titre2", "Deux") + styled("x", "Text"),
      }),
    );
    expect(showOutline(root)).toEqual(["# One", "## Deux"]);
  });

  it("takes title, author, language and dates from the properties; a program's own title is none [B4 E15]", async () => {
    const core =
      "<dc:title>Keys</dc:title><dc:creator>Ada</dc:creator><dc:language>en-GB</dc:language><dcterms:created>2024-05-01T10:00:00Z</dcterms:created><dcterms:modified>soon</dcterms:modified>";
    const { title, metadata } = await readAs("a.docx", makeDocx({ body: paragraph("x"), core }));
    expect({ title, metadata }).toEqual({
      title: "Keys",
      metadata: { author: "Ada", language: "en-GB", createdAt: "2024-05-01T10:00:00Z" },
    });
    const named = makeDocx({ body: paragraph("x"), core: "<dc:title>Document1</dc:title>" });
    expect((await readAs("dir/my file.docx", named)).title).toBe("my file.docx");
  });
});

describe("createDocxReader: lists and numbers", () => {
  const level = (ilvl: number, format: string, text: string, more = ""): string =>
    `<w:lvl w:ilvl="${ilvl}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = [
    `<w:abstractNum w:abstractNumId="0">${level(0, "bullet", "\uF0B7")}${level(1, "bullet", "o")}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="1">${level(0, "decimal", "%1.", '<w:pStyle w:val="H1"/>')}${level(1, "lowerLetter", "%1.%2)")}${level(2, "lowerRoman", "(%3)")}</w:abstractNum>`,
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>',
    '<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>',
  ].join("");
  const item = (text: string, numId: number, ilvl = 0): string =>
    paragraph(text, `<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${numId}"/></w:numPr>`);

  it("writes bullets and the numbers that Word shows, nested, as one list [E15]", async () => {
    const body = [
      item("milk", 1),
      item("whole", 1, 1),
      item("bread", 1),
      paragraph("Then:"),
      item("first", 2),
      item("under it", 2, 1),
      item("deeper", 2, 2),
      item("under it, too", 2, 1),
      item("second", 2),
      item("anew", 2, 1),
      paragraph("Again:"),
      item("goes on", 2),
      item("from seven", 3),
      item("not in a list", 0),
    ].join("");
    expect(await blocksOf({ numbering, body })).toEqual([
      "list: - milk\n  - whole\n- bread",
      "paragraph: Then:",
      "list: 1. first\n  1.a) under it\n    (i) deeper\n  1.b) under it, too\n2. second\n  2.a) anew",
      "paragraph: Again:",
      "list: 3. goes on\n7. from seven",
      "paragraph: not in a list",
    ]);
  });

  it("puts the number of a heading before it, as it is printed [E15]", async () => {
    const styles = style(
      "H1",
      "heading 1",
      '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr>',
    );
    const { root, text } = await readAs(
      "a.docx",
      makeDocx({ styles, numbering, body: styled("H1", "Scope") + styled("H1", "Terms") + item("a clause", 2, 1) }),
    );
    expect(showOutline(root)).toEqual(["# 1. Scope", "# 2. Terms"]);
    expect(text).toBe("1. Scope\n\n2. Terms\n\n2.a) a clause");
  });

  it("counts in the ways people count", async () => {
    const formats = ["upperRoman", "upperLetter", "decimalZero", "ordinal", "chineseCounting", "none", "unheard-of"];
    const body = formats.map((_, index) => item("x", index + 10)).join("");
    const many = formats
      .map(
        (format, index) =>
          `<w:abstractNum w:abstractNumId="${index + 10}"><w:lvl w:ilvl="0"><w:start w:val="12"/><w:numFmt w:val="${format}"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum><w:num w:numId="${index + 10}"><w:abstractNumId w:val="${index + 10}"/></w:num>`,
      )
      .join("");
    const { text } = await readAs("a.docx", makeDocx({ numbering: many, body }));
    expect(text).toBe("XII x\nL x\n12 x\n12th x\n十二 x\n\nx\n\n12 x");
  });
});

describe("createDocxReader: tables", () => {
  it("writes rows as lines, spans as blanks, and knows its header [E15]", async () => {
    const body = wordTable(
      [
        ["who", "where", "when"],
        [{ properties: '<w:gridSpan w:val="2"/>', content: "Ada & Bob" }, "today"],
        [
          { properties: '<w:vMerge w:val="restart"/>', content: "Eve" },
          paragraph("on the\u00A0") + paragraph("shelf"),
          "",
        ],
        [{ properties: "<w:vMerge/>", content: "hidden by the merge" }, "drawer", "now"],
        ["", "", ""],
      ],
      '<w:tblLook w:val="04A0"/>',
    );
    const { text, blocks } = await readAs("a.docx", makeDocx({ body }));
    const header = "| who | where | when |\n";
    expect(text).toBe(`${header}| Ada & Bob |  | today |\n| Eve | on the shelf |  |\n|  | drawer | now |`);
    expect(blocks).toEqual([{ kind: "table", start: 0, end: text.length, bodyStart: header.length }]);
  });

  it("takes the rows that are repeated on every page for the header, and none without a word [E15]", async () => {
    const rows = [
      ["a", "b"],
      ["c", "d"],
    ];
    const repeated = await readAs(
      "a.docx",
      makeDocx({ body: wordTable(rows, '<w:tblLook w:firstRow="0"/>', "<w:trPr><w:tblHeader/></w:trPr>") }),
    );
    expect(repeated.blocks?.[0]?.bodyStart).toBe("| a | b |\n".length);
    const none = await readAs("a.docx", makeDocx({ body: wordTable(rows, '<w:tblLook w:firstRow="0"/>') }));
    expect(none.blocks?.[0]?.bodyStart).toBe(0);
  });

  it("reads a row with a table in it cell by cell, a single cell as text, and leaves deleted rows out [E15]", async () => {
    const inner = wordTable([
      ["x", "y"],
      ["1", "2"],
    ]);
    const body = [
      wordTable([
        ["a", "b"],
        ["c", { properties: "", content: paragraph("before") + inner + paragraph("after") }],
        ["d", "e"],
      ]),
      wordTable([[paragraph("A frame.") + paragraph("Of two.")]]),
      wordTable([[paragraph("Left.") + paragraph("More."), "Right."]]),
      wordTable([
        ["Head", "Part"],
        ["Ada", paragraph("Quay") + paragraph("Hull")],
      ]),
      wordTable(
        [
          [paragraph("Long ".repeat(80)) + paragraph("and more."), "Right."],
          ["x", paragraph("y") + paragraph("z")],
        ],
        '<w:tblLook w:val="04A0" w:firstRow="1"/>',
      ),
      wordTable(
        [
          ["gone", "too"],
          ["stays", "here"],
        ],
        "",
        "<w:trPr><w:del/></w:trPr>",
      ),
    ].join("");
    expect(await blocksOf({ body })).toEqual([
      "table: | a | b |",
      "paragraph: c",
      "paragraph: before",
      "table: | x | y |\n| 1 | 2 |",
      "paragraph: after",
      "table: | d | e |",
      "paragraph: A frame.",
      "paragraph: Of two.",
      "paragraph: Left.",
      "paragraph: More.",
      "paragraph: Right.",
      "table: | Head | Part |\n| Ada | Quay Hull |",
      `paragraph: ${"Long ".repeat(80).trim()}`,
      "paragraph: and more.",
      "paragraph: Right.",
      "paragraph: x",
      "paragraph: y",
      "paragraph: z",
      "table: | stays | here |",
    ]);
  });
});

describe("createDocxReader: running text", () => {
  const textOf = async (...content: readonly string[]): Promise<string> =>
    (await readAs("a.docx", makeDocx({ body: content.join("") }))).text;

  it("reads what was inserted, not what was deleted, moved away, hidden or commented [E15]", async () => {
    expect(
      await textOf(
        paragraph(
          [
            run("Pay "),
            `<w:del><w:r><w:delText>ten</w:delText></w:r>${run(" no")}</w:del>`,
            `<w:ins>${run("twenty")}</w:ins>`,
            `<w:moveFrom>${run(" away")}</w:moveFrom><w:moveTo>${run(" coins")}</w:moveTo>`,
            run(" secret", "<w:vanish/>"),
            run(" or", '<w:vanish w:val="0"/>'),
            '<w:commentRangeStart w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>',
            run(" none."),
          ].join(""),
        ),
      ),
    ).toBe("Pay twenty coins or none.");
  });

  it("joins a large initial with the word that it begins", async () => {
    const initial = `<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>${run("D")}</w:p>`;
    expect(await blocksOf({ body: initial + paragraph("rop cap.") + paragraph("Next.") })).toEqual([
      "paragraph: Drop cap.",
      "paragraph: Next.",
    ]);
  });

  it("joins paragraphs whose break was deleted", async () => {
    expect(await textOf(paragraph("One ", "<w:rPr><w:del/></w:rPr>"), paragraph("sentence."))).toBe("One sentence.");
    expect(await textOf(paragraph("The end", "<w:rPr><w:del/></w:rPr>"))).toBe("The end");
  });

  it("gives the values of fields of a form: texts, ticked boxes, chosen entries", async () => {
    const field = (code: string, data: string, result = ""): string =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText> ${code} </w:instrText></w:r>` +
      `${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>';
    const list = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Coarse"/><w:listEntry w:val="Fine"/></w:ddList>';
    const box = (inside: string): string => field("FORMCHECKBOX", `<w:checkBox>${inside}</w:checkBox>`);
    const body = [
      run("Owner: ") + field("FORMTEXT", "<w:textInput/>", separate + run("Nils Ek")),
      run("Licensed: ") + box('<w:default w:val="0"/><w:checked/>'),
      run("Insured: ") + box('<w:default w:val="1"/><w:checked w:val="0"/>'),
      run("Heated: ") + box('<w:default w:val="1"/>'),
      run("Grade: ") + field("FORMDROPDOWN", list),
      // A program that writes the result too.
      run("Again: ") + field("FORMDROPDOWN", list, separate + run("Fine")),
    ].map((content) => paragraph(content));
    const { text } = await readAs("a.docx", makeDocx({ body: body.join("") }));
    expect(text.split("\n\n")).toEqual([
      "Owner: Nils Ek",
      "Licensed: ☒",
      "Insured: ☐",
      "Heated: ☒",
      "Grade: Fine",
      "Again: Fine",
    ]);
  });

  it("gives a field's result and not its code, also over paragraphs and fields within fields [E15]", async () => {
    const char = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const code = (text: string): string => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
    expect(
      await textOf(
        paragraph(
          `${run("See ")}${char("begin")}${code("IF ")}${char("begin")}${code("PAGE")}${char("separate")}${run("7")}${char("end")}${run(" in the code")}${char("separate")}${run("page 7")}`,
        ),
        paragraph(`${run("and 8")}${char("end")}${run(".")}`),
        paragraph(`<w:fldSimple w:instr="DATE">${run("Monday")}</w:fldSimple>`),
        paragraph(`<w:hyperlink r:id="x">${run("a link")}</w:hyperlink>`),
      ),
    ).toBe("See page 7\n\nand 8.\n\nMonday\n\na link");
  });

  it("reads tabs, breaks, hyphens, signs, content controls and ruby's base [L1]", async () => {
    expect(
      await textOf(
        paragraph(
          '<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e \u00ADf</w:t></w:r><w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Arial" w:char="263A"/></w:r>',
        ),
        `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${paragraph(`<w:sdt><w:sdtContent>${run("control")}</w:sdtContent></w:sdt>`)}</w:sdtContent></w:sdt>`,
        paragraph(`<w:r><w:ruby><w:rt>${run("かんじ")}</w:rt><w:rubyBase>${run("漢字")}</w:rubyBase></w:ruby></w:r>`),
      ),
    ).toBe("a\tb\nc-de fα✓☺\n\ncontrol\n\n漢字");
  });

  it("sets footnotes after their paragraph and endnotes at the end, each under its mark [E15]", async () => {
    const note = (kind: string, id: number): string => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`;
    const blocks = await blocksOf({
      footnotes: `<w:footnote w:id="2">${paragraph("<w:r><w:footnoteRef/></w:r>" + run(" The first."))}</w:footnote><w:footnote w:id="3">${paragraph("In a table.")}</w:footnote><w:footnote w:id="9">${paragraph("Nobody points here.")}</w:footnote>`,
      endnotes: `<w:endnote w:id="2">${paragraph("At the end.")}</w:endnote>`,
      body: [
        paragraph(run("Claim") + note("footnote", 2) + run(", more") + note("endnote", 2) + run(".")),
        wordTable([[paragraph(run("cell") + note("footnote", 3)), "b"]]),
        paragraph(run("Again") + note("footnote", 2)),
        paragraph(run("Lost") + note("footnote", 77)),
      ].join(""),
    });
    expect(blocks).toEqual([
      "paragraph: Claim[^1], more[^i].",
      "paragraph: [^1]: The first.",
      "table: | cell[^2] | b |",
      "paragraph: [^2]: In a table.",
      "paragraph: Again[^1]",
      "paragraph: Lost[^3]",
      "paragraph: [^i]: At the end.",
    ]);
  });

  it("reads text boxes once, after their paragraph, and pictures by their alternative text [E15]", async () => {
    const box = (inside: string): string => `<w:txbxContent>${inside}</w:txbxContent>`;
    const picture =
      '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="The harbour&#10;at night"/><a:blip r:embed="rId9"/></wp:inline></w:drawing></w:r>';
    expect(
      await textOf(
        paragraph(
          `${run("Before")}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box(paragraph("In the box"))}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box(paragraph("In the box"))}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
        ),
        paragraph(`${run("See ")}${picture}`),
        paragraph('<w:r><w:pict><v:shape alt="A seal"/></w:pict></w:r>'),
      ),
    ).toBe("Before\n\nIn the box\n\nSee [Image: The harbour at night]\n\n[Image: A seal]");
  });

  it("writes formulas on one line [E15]", async () => {
    const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
    const e = (inside: string): string => `<m:e>${inside}</m:e>`;
    const square = `<m:sSup>${e(r("b"))}<m:sup>${r("2")}</m:sup></m:sSup>`;
    const root = `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(`${square}${r("-4ac")}`)}</m:rad>`;
    const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r("i=1")}</m:sub><m:sup>${r("n")}</m:sup>${e(`<m:sSub>${e(r("x"))}<m:sub>${r("i")}</m:sub></m:sSub>`)}</m:nary>`;
    expect(
      await textOf(
        paragraph(
          `${run("So ")}<m:oMath>${r("x=")}<m:f><m:num>${r("-b±")}${root}</m:num><m:den>${r("2a")}</m:den></m:f></m:oMath>${run(".")}`,
        ),
        `<m:oMathPara><m:oMath>${sum}</m:oMath></m:oMathPara>`,
        paragraph(
          `<m:oMath>${square}${r("c")}<m:f><m:num>${r("1")}</m:num><m:den>${r("2")}</m:den></m:f>${r("+d")}</m:oMath>`,
        ),
        paragraph(
          `<m:oMath><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(`<m:m><m:mr>${e(r("1"))}${e(r("0"))}</m:mr><m:mr>${e(r("0"))}${e(r("1"))}</m:mr></m:m>`)}</m:d></m:oMath>`,
        ),
      ),
    ).toBe("So x=(-b±√(b^2-4ac))/(2a).\n\n∑_(i=1)^n x_i\n\nb^2 c 1/2+d\n\n[1 & 0; 0 & 1]");
  });

  it("keeps code and quotations apart from prose", async () => {
    const styles = style("C", "Source Code") + style("Q", "Quote");
    expect(
      await blocksOf({
        styles,
        body: [
          paragraph("Run:"),
          styled("C", "if (a) {"),
          styled("C", "  b();"),
          styled("C", ""),
          styled("C", "}"),
          styled("Q", "To be."),
        ].join(""),
      }),
    ).toEqual(["paragraph: Run:", "code: if (a) {\n  b();\n\n}", "quote: To be."]);
  });

  it("reads the figures of charts and the words of diagrams where they stand, and says what else is embedded [E15]", async () => {
    const points = (...values: string[]): string =>
      values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
    const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>${points("North")}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points("2023", "2024")}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points("1.5", "2")}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
    const diagram =
      "<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt/><dgm:pt><dgm:t><a:p><a:r><a:t>Do</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>";
    const { text, notes } = await readAs(
      "a.docx",
      makeDocx({
        body: paragraph(
          `${run("See:")}<w:r><w:drawing><c:chart r:id="c1"/></w:drawing></w:r><w:r><w:drawing><dgm:relIds r:dm="d1" r:lo="d2"/></w:drawing></w:r>`,
        ),
        related: [
          ["c1", "chart", "charts/chart1.xml"],
          ["d1", "diagramData", "diagrams/data1.xml"],
          ["p1", "package", "embeddings/Book.xlsx"],
          ["k1", "comments", "comments.xml"],
        ],
        more: {
          "word/comments.xml": `<w:comments><w:comment w:id="1">${paragraph("No!")}</w:comment></w:comments>`,
          "word/charts/chart1.xml": chart,
          "word/diagrams/data1.xml": diagram,
        },
      }),
    );
    expect(text).toBe("See:\n\nSales\n\n|  | North |\n| 2023 | 1.5 |\n| 2024 | 2 |\n\n- Plan\n- Do");
    expect(notes).toEqual(["Left out: its comments (1).", "Book.xlsx was not read: it is missing or broken."]);
  });
});

describe("createDocxReader: packages of all kinds", () => {
  it("reads strict files, main parts of other names, prefixes of other names and UTF-16 [E15]", async () => {
    const strict = await readAs("a.docx", makeDocx({ isStrict: true, body: paragraph("Some text") }));
    expect(strict.text).toBe("Some text");
    const renamed = await readAs("x", makeDocx({ mainPart: "word/document2.xml", body: paragraph("Some text") }));
    expect(renamed).toMatchObject({
      text: "Some text",
      mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    });
    const odd = await readAs("a.docx", makeDocx({ mainPart: "other/main.xml", body: paragraph("Some text") }));
    expect(odd.text).toBe("Some text");
    const bare = makeDocx({
      body: "",
      more: { "word/document.xml": "<d:document><d:body><d:p><d:r><d:t>Bare</d:t></d:r></d:p></d:body></d:document>" },
    });
    expect((await readAs("a.docx", bare)).text).toBe("Bare");
    const wide = Buffer.from(
      `\uFEFF<?xml version="1.0" encoding="UTF-16"?><w:document><w:body>${paragraph("Wide é👍")}</w:body></w:document>`,
      "utf16le",
    );
    expect((await readAs("a.docx", makeDocx({ body: "", more: { "word/document.xml": wide } }))).text).toBe("Wide é👍");
  });

  it("finds the main part by its content type when nothing points to it [E15]", async () => {
    const bytes = makeDocx({ body: paragraph("Found"), more: { "_rels/.rels": relationships([]) } });
    expect((await readAs("a.docx", bytes)).text).toBe("Found");
  });

  it("refuses what is no document, and one without text, by name [E15 W17]", async () => {
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [makeDocx({ body: "" }), "empty"],
      [makeDocx({ body: paragraph("x"), document: "<w:nothing/>", mainPart: "word/document.xml" }), "empty"],
      [makeDocx({ body: "", more: { "word/document.xml": "<workbook/>" } }), "unreadable"],
      [makeDocx({ body: "", more: { "word/document.xml": "<w:document><w:body><w:p>" } }), "unreadable"],
      [makeDocx({ body: "", more: { "word/document.xml": "not xml" } }), "unreadable"],
    ];
    for (const [bytes, code] of cases) {
      const error = await refusalOf(readAs("dir/my.docx", bytes));
      expect(error).toMatchObject({ code, uri: "dir/my.docx" });
      expect(error.message).toContain("dir/my.docx");
    }
  });

  it("reads headers and footers of a file whose body has no text, and says so [L9]", async () => {
    const edge = (kind: string, words: string): string =>
      `<w:${kind} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${paragraph(words)}</w:${kind}>`;
    const edges = {
      related: [
        ["f", "footer", "footer1.xml"],
        ["h", "header", "header1.xml"],
      ] as const,
      more: {
        "word/header1.xml": edge("hdr", "Harbour office of Ennis Point"),
        "word/footer1.xml": edge("ftr", "Open from nine"),
      },
    };
    const letterhead = await readAs("a.docx", makeDocx({ body: paragraph(""), ...edges }));
    expect(letterhead.text).toBe("Harbour office of Ennis Point\n\nOpen from nine");
    expect(letterhead.notes).toEqual(["Its body has no text; its headers and footers were read."]);
    const letter = await readAs("a.docx", makeDocx({ body: paragraph("Dear pilot"), ...edges }));
    expect([letter.text, letter.notes]).toEqual(["Dear pilot", undefined]);
  });
});
