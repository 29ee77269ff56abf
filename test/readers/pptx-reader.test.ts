import { describe, expect, it } from "vitest";

import { createLocator } from "../../src/text/locate.ts";

import { makePptx, relationships, slideParagraph, slideShape } from "./make-office.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

const title = (text: string): string => slideShape(slideParagraph(text), 'type="title"');
const level = (lvl: number, inside = ""): string => `<a:pPr lvl="${lvl}">${inside}</a:pPr>`;
const blocksOf = async (shapes: string, options: Parameters<typeof makePptx>[1] = {}): Promise<string[]> =>
  showBlocks(await readAs("a.pptx", makePptx([{ shapes }], options)));

describe("createPptxReader", () => {
  it("reads slides in the order in which they are shown, with their places, titles and speaker notes [E2 E15]", async () => {
    const result = await readAs(
      "a.pptx",
      makePptx([
        { shapes: slideShape(slideParagraph("Welcome.")) + title("The talk") },
        { shapes: slideShape(slideParagraph("No title here.")), speakerNotes: slideParagraph("Say it slowly.") },
        { shapes: "" },
        { shapes: title("The end"), isHidden: true },
      ]),
    );
    expect(result.text).toBe("The talk\n\nWelcome.\n\nSlide 2\n\nNo title here.\n\nNotes\n\nSay it slowly.\n\nThe end");
    expect(showOutline(result.root)).toEqual(["# The talk", "# Slide 2", "## Notes", "# The end"]);
    expect(result).toMatchObject({ title: "The talk", metadata: { slideCount: 4 } });
    expect(result.notes).toEqual(["Hidden in the show, and read all the same: slide 4."]);
    const locate = createLocator(result);
    const slideAt = (words: string): number | undefined => locate(result.text.indexOf(words)).slide;
    expect(["Welcome", "No title", "Say", "The end"].map(slideAt)).toEqual([1, 2, 2, 4]);
  });

  it("takes title and facts from the properties when no slide shows one, but not a program's own title [B4 E15]", async () => {
    const shapes = slideShape(slideParagraph("x"));
    const core = "<dc:title>Keys</dc:title><dc:creator>Ada</dc:creator>";
    expect(await readAs("a.pptx", makePptx([{ shapes }], { core }))).toMatchObject({
      title: "Keys",
      metadata: { slideCount: 1, author: "Ada" },
    });
    const own = "<dc:title>PowerPoint Presentation</dc:title>";
    expect((await readAs("a.pptx", makePptx([{ shapes }], { core: own }))).title).toBe("a.pptx");
  });

  it("gives bullets where the slide, its layout or its master has them, and numbers as they are shown [E15]", async () => {
    const bodyStyle = '<a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr>';
    const layout = slideShape(`<a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle>`, 'type="body" idx="3"');
    const numbered = (type: string, more = ""): string => `<a:pPr><a:buAutoNum type="${type}" ${more}/></a:pPr>`;
    const shapes = [
      title("Lists"),
      slideShape(slideParagraph("one") + slideParagraph("below", level(1)) + slideParagraph("two"), 'idx="1"'),
      slideShape(slideParagraph("no bullet") + slideParagraph("by layout"), 'type="body" idx="3"'),
      slideShape(slideParagraph("plain box") + slideParagraph("of two lines")),
      slideShape(
        [
          slideParagraph("a", numbered("arabicPeriod")),
          slideParagraph("b", numbered("arabicPeriod")),
          slideParagraph("c", numbered("romanLcParenBoth", 'startAt="3"')),
          slideParagraph("aside"),
          slideParagraph("d", numbered("alphaUcParenR")),
        ].join(""),
      ),
    ].join("");
    expect(await blocksOf(shapes, { bodyStyle, layout })).toEqual([
      "heading: Lists",
      "list: - one\n  - below\n- two",
      "paragraph: no bullet\nby layout",
      "paragraph: plain box\nof two lines",
      "list: 1. a\n2. b\n(iii) c",
      "paragraph: aside",
      "list: A) d",
    ]);
  });

  it("reads tables, with merged cells blank, and charts and diagrams where they stand [E15]", async () => {
    const cell = (text: string, attributes = ""): string =>
      `<a:tc ${attributes}><a:txBody>${slideParagraph(text)}</a:txBody></a:tc>`;
    const frame = (inside: string): string =>
      `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="x" descr="An alternative"/></p:nvGraphicFramePr><a:graphic><a:graphicData>${inside}</a:graphicData></a:graphic></p:graphicFrame>`;
    const table = `<a:tbl><a:tblPr firstRow="1"/><a:tr>${cell("who")}${cell("where")}</a:tr><a:tr>${cell("Ada", 'gridSpan="2"')}${cell("covered", 'hMerge="1"')}</a:tr></a:tbl>`;
    const points = (...values: string[]): string =>
      values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
    const series = (name: string, x: string, ...values: string[]): string =>
      `<c:ser><c:tx><c:strRef><c:strCache>${points(name)}</c:strCache></c:strRef></c:tx>${x}<c:val><c:numRef><c:numCache>${points(...values)}</c:numCache></c:numRef></c:val></c:ser>`;
    const chart = `<c:chartSpace><c:chart><c:plotArea><c:barChart>${series("North", `<c:cat>${points("Q1", "Q2")}</c:cat>`, "1", "2")}${series("South", "", "3")}</c:barChart><c:catAx><c:title><c:tx><c:rich>${slideParagraph("Quarter")}</c:rich></c:tx></c:title></c:catAx></c:plotArea></c:chart></c:chartSpace>`;
    const diagram = `<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t>${slideParagraph("Plan")}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`;
    const result = await readAs(
      "a.pptx",
      makePptx(
        [
          {
            shapes:
              title("Figures") +
              frame(table) +
              frame('<c:chart r:id="c1"/>') +
              frame('<dgm:relIds r:dm="d1"/>') +
              frame("<p:oleObj/>"),
            related: [
              ["c1", "chart", "../charts/chart1.xml"],
              ["d1", "diagramData", "../diagrams/data1.xml"],
            ],
          },
        ],
        { more: { "ppt/charts/chart1.xml": chart, "ppt/diagrams/data1.xml": diagram } },
      ),
    );
    expect(showBlocks(result)).toEqual([
      "heading: Figures",
      "table: | who | where |\n| Ada |  |",
      "paragraph: Quarter",
      "table: |  | North | South |\n| Q1 | 1 | 3 |\n| Q2 | 2 |  |",
      "list: - Plan",
      "paragraph: [Image: An alternative]",
    ]);
    expect(result.blocks?.[1]?.bodyStart).toBe("Figures\n\n| who | where |\n".length);
  });

  it("goes into groups and alternatives, leaves footers and hidden shapes out, and reads pictures by their alternative text [E15]", async () => {
    const picture =
      '<p:pic><p:nvPicPr><p:cNvPr id="5" name="Picture 5" descr="The harbour"/></p:nvPicPr><p:blipFill><a:blip r:embed="rId3"/></p:blipFill></p:pic>';
    const text = (words: string): string => slideShape(slideParagraph(words));
    expect(
      await blocksOf(
        [
          title("Shapes"),
          `<p:grpSp>${text("in a group")}<p:grpSp>${picture}</p:grpSp></p:grpSp>`,
          `<mc:AlternateContent><mc:Choice Requires="x"><p:contentPart/></mc:Choice><mc:Fallback>${text("fallback")}</mc:Fallback></mc:AlternateContent>`,
          `<mc:AlternateContent><mc:Choice Requires="x">${text("choice")}</mc:Choice><mc:Fallback>${text("not twice")}</mc:Fallback></mc:AlternateContent>`,
          slideShape(slideParagraph("12"), 'type="sldNum" idx="12"'),
          slideShape(slideParagraph("Confidential"), 'type="ftr" idx="11"'),
          slideShape(slideParagraph("unseen"), undefined, 'hidden="1"'),
        ].join(""),
      ),
    ).toEqual([
      "heading: Shapes",
      "paragraph: in a group",
      "paragraph: [Image: The harbour]",
      "paragraph: fallback",
      "paragraph: choice",
    ]);
  });

  it("breaks lines where a vertical tab is written, and keeps controls out of the text [L1]", async () => {
    const raw =
      '<a:p><a:r><a:t>one_x000B_two\u000Bthree_x0007_ _x0041_</a:t></a:r><a:br/><a:fld type="x"><a:t>four</a:t></a:fld></a:p>';
    expect(await blocksOf(slideShape(raw))).toEqual(["heading: Slide 1", "paragraph: one\ntwo\nthree _x0041_\nfour"]);
  });

  it("refuses what is no presentation, and one without text, and says which slides are missing [E15 W17]", async () => {
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [makePptx([{ shapes: "" }]), "empty"],
      [makePptx([], { more: { "ppt/presentation.xml": "<w:document/>" } }), "unreadable"],
      [makePptx([], { more: { "_rels/.rels": relationships([]) } }), "unreadable"],
      [makePptx([{ shapes: title("x") }], { more: { "ppt/slides/slide1.xml": "<p:sld><p:cSld>" } }), "unreadable"],
    ];
    for (const [bytes, code] of cases)
      expect(await refusalOf(readAs("dir/my.pptx", bytes))).toMatchObject({ code, uri: "dir/my.pptx" });
    const lacking = makePptx([{ shapes: title("x") }, { shapes: title("y") }], {
      more: { "ppt/_rels/presentation.xml.rels": relationships([["s1", "slide", "slides/slide1.xml"]]) },
    });
    const { text, notes, sourceMap } = await readAs("a.pptx", lacking);
    expect({ text, notes, slides: sourceMap.slides }).toEqual({
      text: "y",
      notes: ["Missing from the file: slide 1."],
      slides: [
        { number: 1, start: 0 },
        { number: 2, start: 0 },
      ],
    });
  });

  it("counts the comments that it leaves out, and the answers to them [L9]", async () => {
    const { text, notes } = await readAs(
      "a.pptx",
      makePptx(
        [{ shapes: title("One"), related: [["k1", "comments", "../comments/c1.xml"]] }, { shapes: title("Two") }],
        {
          more: {
            "ppt/comments/c1.xml":
              "<p188:cmLst><p188:cm><p188:replyLst><p188:reply/></p188:replyLst><p188:txBody/></p188:cm><p188:cm/></p188:cmLst>",
          },
        },
      ),
    );
    expect(text).toBe("One\n\nTwo");
    expect(notes).toEqual(["Left out: its comments (3)."]);
  });

  it("is not led in circles by parts that point to one another", async () => {
    const around = relationships([
      ["n", "notesSlide", "../slides/slide1.xml"],
      ["l", "slideLayout", "../slides/slide1.xml"],
    ]);
    const bytes = makePptx([{ shapes: title("Round") }], { more: { "ppt/slides/_rels/slide1.xml.rels": around } });
    expect((await readAs("a.pptx", bytes)).text).toBe("Round");
  });
});
