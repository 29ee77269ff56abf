import { readdirSync, readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import { checkSourceMap } from "../../src/testing/tree-checks.ts";
import { locate } from "../../src/text/locate.ts";
import { readAny } from "./read-any.ts";
import { showBlocks, showOutline } from "./read-with.ts";
import { fewer } from "../support/runs.ts";

const folder = new URL("../../bench/reading/files/", import.meta.url);
const endings = /\.(?:rst|adoc|org|tex|wiki|docbook\.xml|jats\.xml)$/u;
const files = readdirSync(folder)
  .filter((name) => endings.test(name))
  .map((name) => ({ name, source: readFileSync(new URL(name, folder), "utf8") }));

describe("createMarkupReader", () => {
  it.each(files)("leads from each block of $name back to its line [L1]", async ({ name, source }) => {
    const read = await readAny(name, source);
    const lines = source.split("\n");
    expect(read.blocks?.length).toBeGreaterThan(5);
    for (const { start, end } of read.blocks ?? []) {
      const word = /\p{L}{3,}/u.exec(read.text.slice(start, end));
      if (word === null) continue;
      const { line } = locate(read, start + word.index, start + word.index + word[0].length);
      expect(lines.slice((line ?? 0) - 1, (line ?? 0) + 1).join("\n")).toContain(word[0]);
    }
  });

  it("keeps the contract for whatever is left of a file [L1 L9]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.nat(4000), fc.nat(300)), { minLength: 1, maxLength: 6 }),
        async ({ name, source }, cuts) => {
          const left = cuts.map(([from, length]) =>
            source.slice(from % source.length, (from % source.length) + length),
          );
          const error: unknown = await readAny(name, left.join("\n")).then(
            () => undefined,
            (caught: unknown) => caught,
          );
          expect(error === undefined || (IbidError.isInstance(error) && error.code !== "unreadable")).toBe(true);
        },
      ),
      {
        numRuns: fewer(50, 150),
        examples: [[{ name: "a.tex", source: "\\section{Part}\n\\begin{\nbegin{document}\n\\" }, [[0, 60]]]],
      },
    );
  });

  // Where the rest of the text is read again from each mark, each of these takes from 20 seconds to minutes.
  it.each([
    ["a.adoc", "<", 100_000],
    ["a.adoc", "((", 150_000],
    ["a.adoc", "\n----", 1_000_000],
    ["a.org", "[[", 100_000],
    ["a.org", "\n:a:\n", 400_000],
    ["a.org", "\n- ", 400_000],
    ["a.rst", "\\cite[", 400_000],
    ["a.wiki", "[", 100_000],
    ["a.wiki", "[[File:a|[[", 100_000],
    ["a.wiki", "\n= ", 400_000],
    ["a.wiki", "<!--", 800_000],
    ["a.xml", "</", 400_000],
  ] as const)("reads %s of %j over and over, which nothing closes, in linear time", async (name, unit, length) => {
    const source = `Words.\n\n${unit.repeat((fewer(1, 2) * length) / (2 * unit.length))}`;
    expect((await readAny(name, source)).text).toContain("Words.");
  });

  it("reads reStructuredText without its markup", async () => {
    const source = [
      "Guide",
      "=====",
      "",
      "A *word*, a **strong one**, ``code`` and `a link <https://example.com/x>`_ to :ref:`this part <target>`.",
      "",
      ".. note:: Mind the gap.",
      "",
      "   It is wide.",
      "",
      ".. a comment",
      "   of two lines",
      "",
      "..",
      "",
      "   A quotation below an empty comment.",
      "",
      ".. csv-table:: Prices",
      "   :header: Name, Price",
      "",
      '   Rope, "1,50"',
      "",
      "Look here::",
      "",
      "   x = 1",
      "",
      "* one",
      "",
      "  * inner",
      "",
      "* two",
    ].join("\n");
    const read = await readAny("a.rst", source);
    expect(showOutline(read.root)).toEqual(["# Guide"]);
    expect(showBlocks(read).slice(1)).toEqual([
      "paragraph: A word, a strong one, code and a link to this part.",
      "paragraph: Mind the gap.",
      "paragraph: It is wide.",
      "quote: A quotation below an empty comment.",
      "paragraph: Prices",
      "table: | Name | Price |\n| Rope | 1,50 |",
      "paragraph: Look here:",
      "code: x = 1",
      "list: - one\n  - inner\n- two",
    ]);
    expect(read.sourceMap.links?.map(({ url }) => url)).toEqual(["https://example.com/x"]);
  });

  it("reads AsciiDoc without its markup", async () => {
    const source =
      "= Guide\n:toc:\n\n== Part\n\n[NOTE]\n====\nMind *the* gap.\n====\n\nSee https://example.com[the page] or <<part,this part>>.\n\n[source,ruby]\n----\nputs 1\n----\n\n* one\n** inner\n* two\n\n[%header,cols=2*]\n|===\n|Name |Price\n|Rope\n|1,50\n|===\n";
    const read = await readAny("a.adoc", source);
    expect(showBlocks(read)).toEqual([
      "heading: Guide",
      "heading: Part",
      "paragraph: Mind the gap.",
      "paragraph: See the page or this part.",
      "code: puts 1",
      "list: - one\n  - inner\n- two",
      "table: | Name | Price |\n| Rope | 1,50 |",
    ]);
  });

  it("shows the values of AsciiDoc's attributes where they are referred to, each on its own line", async () => {
    const source =
      "= Guide to {product}\nAda <ada@example.com>\n:product: Harbour Desk\n:version: 2.1\n:base: https://docs.example/{version}\n:long: one \\\n two\n\n{product} {version}, see {base}/intro[the introduction], {missing}, \\{version}, {cpp} {long}.\n\n:version: 3.0\n\n== Changes in {version}\n\n|===\n|{long} |{Version}\n|===\n\n:!product:\n\n{product} is gone.\n";
    const read = await readAny("a.adoc", source);
    expect(showBlocks(read)).toEqual([
      "heading: Guide to Harbour Desk",
      "paragraph: Ada <ada@example.com>",
      "paragraph: Harbour Desk 2.1, see the introduction, {missing}, {version}, C++ one two.",
      "heading: Changes in 3.0",
      "table: | one two | 3.0 |",
      "paragraph: {product} is gone.",
    ]);
    expect(read.sourceMap.links?.map(({ url }) => url)).toEqual(["https://docs.example/2.1/intro"]);
    for (const [words, line] of [
      ["Harbour Desk 2.1", 9],
      ["Changes in", 13],
      ["is gone", 21],
    ] as const)
      expect(locate(read, read.text.indexOf(words)).line).toBe(line);
    const doubled = Array.from({ length: 40 }, (_, i) => `:a${i + 1}: {a${i}}{a${i}}`).join("\n");
    const bomb = `= T\n:a0: ha\n${doubled}\n\n${"{a40}".repeat(2000)}\n`;
    await expect(readAny("a.adoc", bomb, { limits: { maxTextLength: 100_000 } })).rejects.toMatchObject({
      code: "too-large",
    });
  });

  it("reads Org without its markup", async () => {
    const source =
      "#+TITLE: Guide\n* TODO [#A] Part :tag:\n:PROPERTIES:\n:ID: 7\n:END:\nA /slanted/ word and =code=, [[https://example.com][a link]].\n- [X] done\n  - inner\n- open\n";
    const read = await readAny("a.org", source);
    expect(showOutline(read.root)).toEqual(["# Part"]);
    expect(showBlocks(read).slice(2)).toEqual([
      "paragraph: A slanted word and code, a link.",
      "list: - [X] done\n  - inner\n- open",
    ]);
  });

  it("shows hyphens between words of Org as dashes, and leaves those of options and of code", async () => {
    const org = "* Costs 2023--2024\nIt is -- so they say --- high; run git --all or =a -- b=, and co-op.\n-----\n";
    const { text, root } = await readAny("a.org", org);
    expect(root.children[0]?.title).toBe("Costs 2023–2024");
    expect(text).toContain("It is – so they say — high; run git --all or a -- b, and co-op.");
  });

  it("sets the numbers of notes and references of JATS apart from the words before them", async () => {
    const xref = (type: string, text: string): string => `<xref ref-type="${type}" rid="r">${text}</xref>`;
    const body = `<p>Old harbours${xref("fn", "1")} silt up<sup>${xref("bibr", "2")}</sup> [${xref("bibr", "3")}], see Fig. ${xref("fig", "4")}.</p>`;
    const jats = `<?xml version="1.0"?><article article-type="research-article"><front/><body><sec><title>T</title>${body}</sec></body></article>`;
    const { text } = await readAny("a.nxml", jats);
    expect(text).toContain("Old harbours[1] silt up[2] [3], see Fig. 4.");
  });

  it("takes a star at the beginning of a line for a heading of Org, also below a list", async () => {
    const read = await readAny("a.org", "1. first\n   1. inner\n\n* Part\nWords.\n  * starred\n");
    expect(showOutline(read.root)).toEqual(["# Part"]);
    expect(showBlocks(read).at(-1)).toBe("list: - starred");
  });

  it("leaves out planning drawers and commented parts of Org, and keeps its times", async () => {
    const source =
      '* TODO Paint\n  SCHEDULED: <2024-03-01 Fri>\n  :PROPERTIES:\n  :ID: 7\n  :END:\nThe hull.\n:LOGBOOK:\nhidden\n:END:\n* COMMENT Draft\nhidden\n** Deeper\nhidden\n* Next\n\\begin{equation}\na=b\n\\end{equation}\n#+INCLUDE: "more.org"\n';
    const read = await readAny("a.org", source);
    expect(showBlocks(read)).toEqual([
      "heading: Paint",
      "paragraph: SCHEDULED: <2024-03-01 Fri>",
      "paragraph: The hull.",
      "heading: Next",
      "code: \\begin{equation}\na=b\n\\end{equation}",
    ]);
    expect(read.notes).toEqual(["Not part of this text: the files that it includes (more.org)."]);
  });

  it("reads AsciiDoc's definitions, spans, delimited tables and conditions", async () => {
    const source =
      '= Guide\nAda Grace <ada@example.com>\n\nwind:: a force\ntide::\n  moves\n  water\n\nfog::\n\nhides things\n\n|===\n|a 2+|b c\n.2+|d |e |f\n|g |h\n|===\n\n[%header,format=csv]\n|===\nName,Note\nRope,"long, thin"\n|===\n\n2 words.footnote:[A note.]\nifdef::x[]\nkept\nendif::[]\nifdef::y[one line]\ninclude::more.adoc[]\n';
    const read = await readAny("a.adoc", source);
    expect(showBlocks(read).slice(2)).toEqual([
      "paragraph: wind:",
      "paragraph: a force",
      "paragraph: tide:",
      "paragraph: moves water",
      "paragraph: fog:",
      "paragraph: hides things",
      "table: | a | b c |  |\n| d | e | f |\n|  | g | h |",
      "table: | Name | Note |\n| Rope | long, thin |",
      "paragraph: 2 words. (A note.) kept one line",
    ]);
    expect(read.metadata).toEqual({ author: "Ada Grace" });
    expect(read.notes).toEqual(["Not part of this text: the files that it includes (more.adoc)."]);
    const at = read.text.indexOf("long, thin");
    expect(source.split("\n")[locate(read, at, at + 4).line! - 1]).toBe('Rope,"long, thin"');
    const tall = `|===\n${"|a .9999+|b\n".repeat(2000)}|===\n`;
    expect((await readAny("a.adoc", tall)).text.length).toBeLessThan(200_000);
  });

  it("names who is quoted in AsciiDoc, and begins a line of reStructuredText with a substitution", async () => {
    const quote = '[quote, Ole Dahl, "The log"]\n____\nTides turn.\n____\n\nEnd.\n';
    expect((await readAny("a.adoc", quote)).text).toBe("Tides turn.\n\n— Ole Dahl, The log\n\nEnd.");
    const rst = "|port| is a town.\n\n.. |port| replace:: Bergen\n";
    expect((await readAny("a.rst", rst)).text).toBe("Bergen is a town.");
  });

  it("shows substitutions, captions, versions and authors of reStructuredText", async () => {
    const source =
      ":orphan:\n\nGuide\n=====\n\n:Author: Ada Grace\n\nBuy |prod| or |none|.\n\n.. |prod| replace:: the *Harbour* Desk\n\n.. versionadded:: 2.1\n   Tides.\n\n.. code-block:: python\n   :caption: main.py\n\n   x = 1\n\n.. include:: more.rst\n";
    const read = await readAny("a.rst", source);
    expect(showBlocks(read)).toEqual([
      "heading: Guide",
      "paragraph: Author: Ada Grace",
      "paragraph: Buy the Harbour Desk or none.",
      "paragraph: Added in version 2.1",
      "paragraph: Tides.",
      "paragraph: main.py",
      "code: x = 1",
    ]);
    expect(read.metadata).toEqual({ author: "Ada Grace" });
    expect(read.notes).toEqual(["Not part of this text: the files that it includes (more.rst)."]);
    const bomb = `.. |a| replace:: ${"ha".repeat(400)}\n\n${"|a| ".repeat(2000)}\n`;
    await expect(readAny("a.rst", bomb, { limits: { maxTextLength: 100_000 } })).rejects.toMatchObject({
      code: "too-large",
    });
  });

  it("reads TEI: parts by their heads, lists, rows of cells and notes, without the header's facts", async () => {
    const cells = (...texts: string[]): string =>
      `<row>${texts.map((text) => `<cell><p>${text}</p></cell>`).join("")}</row>`;
    const body = `<div><head>Tides</head><p>High<note place="foot"><p>Twice a day.</p></note> and<lb/>low.</p><div><head>Ports</head><table>${cells("port", "tide")}${cells("Brest", "7")}</table><list><item><p>rope</p></item><item>oar</item></list></div></div>`;
    const header =
      "<teiHeader><fileDesc><titleStmt><title>Harbours</title></titleStmt><sourceDesc><p>By hand.</p></sourceDesc></fileDesc></teiHeader>";
    const tei = `<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0">${header}<text><body>${body}</body></text></TEI>`;
    const read = await readAny("a.xml", tei);
    expect([read.mediaType, read.title]).toEqual(["application/tei+xml", "Harbours"]);
    expect(showOutline(read.root)).toEqual(["# Harbours", "# Tides", "## Ports"]);
    expect(showBlocks(read).slice(2)).toEqual([
      "paragraph: High (Twice a day.) and\nlow.",
      "heading: Ports",
      "table: | port | tide |\n| Brest | 7 |",
      "list: - rope\n- oar",
    ]);
  });

  it("reads FictionBook: sections by their titles of several lines, verses and quotations", async () => {
    const description =
      "<description><title-info><genre>sea</genre><book-title>Harbours</book-title></title-info></description>";
    const body =
      "<body><section><title><p>Part one</p><p>Tides</p></title><p>High and low.</p><poem><stanza><v>The sea</v><v>the sea</v></stanza></poem><section><title><p>Ports</p></title><cite><p>Brest is deep.</p></cite></section></section></body>";
    const book = `<?xml version="1.0" encoding="UTF-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">${description}${body}<binary id="a">AAAA</binary></FictionBook>`;
    const read = await readAny("a.fb2", book);
    expect([read.mediaType, read.title]).toEqual(["application/x-fictionbook+xml", "Harbours"]);
    expect(showOutline(read.root)).toEqual(["# Harbours", "# Part one Tides", "## Ports"]);
    expect(read.text).toBe(
      "Harbours\n\nPart one Tides\n\nHigh and low.\n\nThe sea\n\nthe sea\n\nPorts\n\nBrest is deep.",
    );
  });

  it("keeps notes of MediaWiki and DocBook in their sentence, apart from its words", async () => {
    const wiki =
      "{{Infobox ship|name=Ada|built=[[Wick|in Wick]]}}\nAda sails.<ref>{{cite web|url=https://x.org|title=On ships|last=Lind}}</ref><ref name=a/> She is fast.\n";
    expect(showBlocks(await readAny("a.wiki", wiki))).toEqual([
      "table: | name | Ada |\n| built | in Wick |",
      "paragraph: Ada sails. (On ships, Lind) She is fast.",
    ]);
    const book =
      '<article xmlns="http://docbook.org/ns/docbook"><title>T</title><para>Ada sails<footnote><para>Each day.</para></footnote>.</para><variablelist><varlistentry><term>Keel</term><listitem><para>Below.</para></listitem></varlistentry></variablelist></article>';
    expect(showBlocks(await readAny("a.dbk", book)).slice(1)).toEqual([
      "paragraph: Ada sails (Each day.).",
      "list: - Keel\n  Below.",
    ]);
  });

  it("reads XML of any vocabulary as sections, tables, lists and values", async () => {
    const source = [
      '<?xml version="1.0"?>',
      '<handbook xmlns="urn:x" xml:lang="en"><title>Boats</title>',
      '  <part id="p1"><title>Rowing &amp; more</title><p>Pull <b>hard</b>.</p><p>Rest<br/>now.</p>',
      "    <list><item>one</item><item>two</item></list>",
      "    <code>x = 1\n  y = 2</code></part>",
      '  <fleet owner="Ada"><boat id="b1"><name>Heron</name><price cur="EUR">45</price></boat><boat id="b2"><name>Tern</name></boat></fleet>',
      "  <harbour><town>Wick</town><depth>9</depth><berths><berth>A</berth><berth>B</berth></berths></harbour>",
      "  <grid><row><c>a</c><c>b</c></row><row><c>1</c><c>2</c></row></grid><!-- hidden -->",
      "</handbook>",
    ].join("\n");
    const read = await readAny("a.xml", source);
    expect(read.mediaType).toBe("application/xml");
    expect(read.title).toBe("Boats");
    expect(read.metadata).toEqual({ language: "en" });
    expect(showOutline(read.root)).toEqual([
      "# Boats",
      "## Rowing & more",
      "## fleet",
      "## harbour",
      "### berths",
      "## grid",
    ]);
    expect(showBlocks(read).filter((block) => !block.startsWith("heading"))).toEqual([
      "list: - id: p1",
      "paragraph: Pull hard.",
      "paragraph: Rest now.",
      "list: - one\n- two",
      "code: x = 1\n  y = 2",
      "list: - owner: Ada",
      "table: | id | name | price |\n| b1 | Heron | 45 (cur: EUR) |\n| b2 | Tern |  |",
      "list: - town: Wick\n- depth: 9",
      "list: - A\n- B",
      "table: | a | b |\n| 1 | 2 |",
    ]);
    for (const [words, line] of [
      ["Pull hard", 3],
      ["Heron", 7],
      ["Wick", 8],
    ] as const)
      expect(locate(read, read.text.indexOf(words)).line).toBe(line);
  });

  it.each([
    ["broken XML", "<a><b>words</a>"],
    ["two roots", "<a>words</a><b/>"],
    ["XSLT", '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><a>words</a></xsl:stylesheet>'],
    ["XML that nests too deep", `${"<a>".repeat(500)}words${"</a>".repeat(500)}`],
    ["XML of too many elements", `<a>${"<b/>".repeat(250_000)}words</a>`],
    ["no words", "<a><b/></a>"],
  ])("reads %s as it is written", async (_, source) => {
    expect((await readAny("a.xml", source)).text).toBe(source);
  });

  it("reads an element of one attribute among others with elements [L1]", async () => {
    const outline =
      '<opml><body><outline text="Ports"><outline text="Brest"/><outline text="Lorient"/></outline><outline text="Ships"/><outline key="a1"/></body></opml>';
    const read = await readAny("a.opml", outline);
    expect(read.mediaType).toBe("application/xml");
    expect(showBlocks(read).slice(-2)).toEqual(["paragraph: Ships", "paragraph: key: a1"]);
  });

  it("reads XML under any extension, and rows of attributes alone", async () => {
    const feed = (name: string): string => `<outline text="${name}" type="rss"/>`;
    const source = `<?xml version="1.0"?><opml><head><title>Feeds</title></head><body><outline text="News">${feed("BBC")}${feed("CNN")}</outline><outline text="Ships">${feed("AIS")}</outline></body></opml>`;
    const read = await readAny("a.opml", source);
    expect([read.mediaType, read.title]).toEqual(["application/xml", "a.opml"]);
    expect(showBlocks(read)).toEqual([
      "heading: head",
      "list: - title: Feeds",
      "heading: News",
      "table: | text | type |\n| BBC | rss |\n| CNN | rss |",
      "heading: Ships",
      "heading: AIS",
      "list: - type: rss",
    ]);
    const plain = "<?xml version='1.0'?> is how XML begins.";
    expect((await readAny("a.txt", plain)).text).toBe(plain);
  });

  it("reads rows of many values in linear time, each value once", async () => {
    const values = Array.from({ length: fewer(20_000, 40_000) }, (_, i) => `<c${i}>v${i}</c${i}>`).join("");
    const { text } = await readAny("a.xml", `<a><b>${values}</b><b>${values}</b></a>`);
    expect(text.split("v19999\n")).toHaveLength(fewer(2, 3));
    const cells = "<c>x</c>".repeat(50_000);
    expect((await readAny("a.xml", `<a><b>${cells}</b><b>${cells}</b></a>`)).text).toContain("- x");
  });

  it("does not expand entities that XML defines", async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY b "${"ha".repeat(99)}"><!ENTITY c "&b;&b;&b;">]><a><p>Words &c; here.</p><p>More.</p></a>`;
    const { text } = await readAny("a.xml", bomb);
    expect(text).toContain("Words &c; here.");
    expect(text).not.toContain("haha");
  });

  it("reads LaTeX's tables with their captions, and once what is repeated on later pages", async () => {
    const head = "\\toprule\nPart & Price \\\\\n\\midrule\n";
    const long = `\\begin{longtable}[]{@{}lr@{}}\n\\caption{Parts of a boat.}\\label{b}\\tabularnewline\n${head}\\endfirsthead\n${head}\\endhead\n\\midrule more \\\\ \\endfoot\nMast & 9 \\\\\nKeel & 7 \\tabularnewline\n\\bottomrule\n\\end{longtable}`;
    const booked = `\\begin{tabular}{lr}\n${head}Mast & 9 \\\\\nKeel & 7 \\\\\n\\bottomrule\n\\end{tabular}`;
    const bare = "\\begin{tabular}{lr}\nMast & 9 \\\\\nKeel & 7 \\\\\n\\end{tabular}";
    const read = await readAny("a.tex", `\\begin{document}\n${[long, booked, bare].join("\n\n")}\n\\end{document}\n`);
    const rows = "| Mast | 9 |\n| Keel | 7 |";
    expect(showBlocks(read)).toEqual([
      "paragraph: Parts of a boat.",
      `table: | Part | Price |\n${rows}`,
      `table: | Part | Price |\n${rows}`,
      `table: ${rows}`,
    ]);
    expect(read.sourceMap.tables?.map(({ columns }) => columns)).toEqual([
      ["Part", "Price"],
      ["Part", "Price"],
      undefined,
    ]);
  });

  it("reads an environment of LaTeX whose name is of any length", async () => {
    const name = "a".repeat(60_000);
    const body = `\\begin{document}\nBefore.\n\n\\begin{${name}}\nWithin.\n\\end{${name}}\n\nAfter.\n\\end{document}\n`;
    const { text } = await readAny("a.tex", body);
    expect(text.match(/Before|Within|After/gu)).toEqual(["Before", "Within", "After"]);
  });

  it("shows macros of LaTeX that stand for words, and no others", async () => {
    const source = String.raw`\documentclass{article}
\newcommand{\boat}{the \emph{old} sloop}\newcommand*\port{Bergen}
\def\crew{seven}\newcommand{\twice}[1]{#1 #1}\newcommand{\energy}{$E$}
\begin{document}
Here lies \boat{} of \port, with \crew\ men and \twice{one} dog.\energy
\end{document}`;
    const read = await readAny("a.tex", source);
    expect(read.text).toBe("Here lies the old sloop of Bergen, with seven men and one dog.");
    const at = read.text.indexOf("sloop");
    expect(source.split("\n")[locate(read, at, at + 5).line! - 1]).toMatch(/^Here lies/u);
  });

  it("shows LaTeX that has a form for bookmarks once", async () => {
    const source =
      "\\begin{document}\n\\section{\\texorpdfstring{Tides at \\emph{Wick}}{Tides at Wick}}\nWords.\n\\end{document}\n";
    expect(showOutline((await readAny("a.tex", source)).root)).toEqual(["## Tides at Wick"]);
  });

  it("reads LaTeX without its markup", async () => {
    const source =
      "\\documentclass{article}\n\\title{Guide}\\author{Ada \\and Grace}\n\\begin{document}\n\\maketitle\n\\section{Part}\\label{p}\nCaf\\'e costs 5\\,\\% more~now \\cite{x}. % hidden\n\n\\begin{tabular}{l|r}\n\\hline Name & Price \\\\ \\hline\nRope & $1$ \\\\\n\\end{tabular}\n\\begin{itemize}\\item one \\item two\\end{itemize}\n\\end{document}\n";
    const read = await readAny("a.tex", source);
    expect(showBlocks(read)).toEqual([
      "heading: Guide",
      "heading: Part",
      "paragraph: Café costs 5 % more now [x].",
      "table: | Name | Price |\n| Rope | 1 |",
      "list: - one\n- two",
    ]);
    expect(read.metadata).toEqual({ author: "Ada Grace" });
  });

  it.each([
    [
      "a.vtt",
      "WEBVTT\n\nNOTE no words\n\n00:01.000 --> 00:02.000\n<v Ada>Ships <i>pass</i>\n\n00:02.100 --> 00:04.000\nat night &amp; day.\n\n01:00:00.000 --> 01:00:01.000\n<v Grace>Later.\n",
    ],
    [
      "a.srt",
      "1\n00:00:01,000 --> 00:00:02,000\nShips <i>pass</i>\n\n2\n00:00:02,100 --> 00:00:04,000\nat night & day.\n\n3\n01:00:00,000 --> 01:00:01,000\n{\\an8}Later.\n",
    ],
  ])("reads subtitles as paragraphs with their time: %s", async (name, source) => {
    const read = await readAny(name, source);
    const [ada, grace] = name === "a.vtt" ? ["Ada: ", "Grace: "] : ["", ""];
    expect(showBlocks(read)).toEqual([
      `paragraph: [00:00:01] ${ada}Ships pass at night & day.`,
      `paragraph: [01:00:00] ${grace}Later.`,
    ]);
    const at = read.text.indexOf("night");
    const place = locate(read, at, at + 5);
    expect(source.split("\n")[(place.line ?? 0) - 1]).toContain("night");
    expect(place.time).toEqual({ start: 2.1, end: 4 });
    expect(locate(read, 0, 1).time).toEqual({ start: 1, end: 2 });
    expect(locate(read, read.text.indexOf("Ships"), at).time).toEqual({ start: 1, end: 4 });
    expect(locate(read, read.text.indexOf("Later")).time).toEqual({ start: 3600, end: 3601 });
    checkSourceMap(read.sourceMap, read.text);
  });

  it("reads MediaWiki's entities, breaks, rules and marks in any order", async () => {
    const source =
      "G&ouml;del &#x41;&#66; &nosuch; a&nbsp;b\n\none<br/>two<br>\nthree\n\ntop\n----\nbottom\n\n'''strong with ''emph''''' '''''strong inside''' emph'' l''''eau'''\n";
    expect(showBlocks(await readAny("a.wiki", source))).toEqual([
      "paragraph: Gödel AB &nosuch; a b",
      "paragraph: one two three",
      "paragraph: top",
      "paragraph: bottom",
      "paragraph: strong with emph strong inside emph l'eau",
    ]);
  });

  it("reads MediaWiki without its markup", async () => {
    const source =
      "{{Infobox harbour\n| name = Kestrel\n| depth = 9 m\n}}\nThe '''harbour''' of [[Wick (town)|Wick]]{{citation|old}} [https://example.com its page].\n== Part ==\n* one\n** inner\n# first\n{|\n! Name !! Price\n|-\n| Rope || style=\"x\" | 1,50\n|}\n";
    const read = await readAny("a.wiki", source);
    expect(showBlocks(read)).toEqual([
      "table: | name | Kestrel |\n| depth | 9 m |",
      "paragraph: The harbour of Wick old its page.",
      "heading: Part",
      "list: - one\n  - inner",
      "list: 1. first",
      "table: | Name | Price |\n| Rope | 1,50 |",
    ]);
  });
});
