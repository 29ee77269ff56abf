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

  it("takes a star at the beginning of a line for a heading of Org, also below a list", async () => {
    const read = await readAny("a.org", "1. first\n   1. inner\n\n* Part\nWords.\n  * starred\n");
    expect(showOutline(read.root)).toEqual(["# Part"]);
    expect(showBlocks(read).at(-1)).toBe("list: - starred");
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
