import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import type { ReadResult } from "../../src/contracts/reader.ts";
import { makeDocx, makeOdt, paragraph, run, styled } from "./make-office.ts";
import { makePdf } from "./make-pdf.ts";
import { readAs } from "./read-with.ts";

/** Each mark as `kind: its text`. */
const marksOf = ({ text, sourceMap }: Pick<ReadResult, "text" | "sourceMap">): string[] =>
  (sourceMap.marks ?? []).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);
const marksIn = async (uri: string, content: string | Uint8Array): Promise<string[]> =>
  marksOf(await readAs(uri, content));

describe("front matter", () => {
  it.each([
    ["YAML", "---\ntitle: Keys\nauthor: Ada\n---"],
    ["TOML", '+++\ntitle = "Keys"\n+++'],
  ])("in %s is marked, and the text stays as it is", async (_, head) => {
    const content = `${head}\n\n# Keys\n\nKeys rotate.\n`;
    const read = await readAs("keys.md", content);
    expect(marksOf(read)).toEqual([`front-matter: ${head}`]);
    expect(read.text).toBe(content);
  });

  it("is no rule, and a page without it has no marks", async () => {
    expect((await readAs("a.md", "---\n\nWords between rules.\n\n---\n\nMore.\n")).sourceMap).toEqual({
      lines: "text",
    });
  });
});

describe("tables of contents in Markdown", () => {
  const body = "\n\n## Set up\n\nWords.\n\n## Rotate keys\n\nMore words.\n\n## Trouble\n\nLast words.\n";
  const address = "https://example.org/a/guide/whose/pages/have/addresses/that/are/longer/than/any/title";

  it.each([
    ["links", ["Set up", "Rotate keys", "Trouble"].map((title) => `- [${title}](${address})`).join("\n")],
    [
      "rows",
      `| Part | Page |\n| --- | --- |\n${["Set up", "Rotate keys", "Trouble", "Part"].map((title) => `| [${title}](${address}) | xxiv |`).join("\n")}`,
    ],
  ])("are %s with titles of the page, however long their addresses are", async (_, list) => {
    expect(await marksIn("a.md", `# Guide\n\n${list}${body}\n## Part\n\nWords.\n`)).toEqual([`contents: ${list}`]);
  });

  it("cost a line of prose that is longer than every title no comparison of words", async () => {
    const lines = Array.from({ length: 50 }, (_, i) => `Line ${i} of a paragraph has more letters than a title.`);
    const content = `# Guide\n\n${lines.map((line) => `${line}\nShort one.`).join("\n\n")}${body}`;
    const lowered = vi.spyOn(String.prototype, "toLowerCase");
    try {
      await marksIn("a.md", content);
      expect(lowered.mock.contexts.map(String).filter((line) => line.startsWith("Line"))).toEqual([]);
      expect(lowered.mock.contexts.map(String).filter((line) => line.startsWith("Short"))).toHaveLength(50);
    } finally {
      lowered.mockRestore();
    }
  });

  it.each([
    ["links within the page", "- [Set up](#set-up)\n- [Rotate](#rotate-keys)\n  - [Trouble](#trouble)", ""],
    ["the page's own headings", "1. Set up\n2. Rotate keys\n3. Trouble", ""],
    ["two links below a heading that says so", "- [Set up](#set-up)\n- [Rotate](#rotate-keys)", "## Contents\n\n"],
    ["other pages below such a heading", "- [Set up](setup.md)\n- [Rotate](./rotate.md)", "## Table of contents\n\n"],
  ])("are lists of %s", async (_, list, heading) => {
    expect(await marksIn("a.md", `# Guide\n\n${heading}${list}${body}`)).toEqual([`contents: ${list}`]);
  });

  it.each([
    ["of other pages", "- [Set up](setup.md)\n- [Rotate](rotate.md)\n- [Trouble](trouble.md)"],
    [
      "with words beside its links",
      "- [Set up](#set-up): where to begin\n- [Rotate](#rotate-keys): why\n- Trouble, too",
    ],
    ["of two headings", "- Set up\n- Trouble"],
    ["below the heading, of things", "## Contents\n\n- one pump\n- two hoses\n- a manual"],
  ])("are not a list %s", async (_, list) => {
    expect(await marksIn("a.md", `# Guide\n\n${list}${body}`)).toEqual([]);
  });
});

describe("tables of contents in HTML", () => {
  const sections = ["Set up", "Rotate keys", "Trouble"].map((title) => `<h2>${title}</h2><p>Words of it.</p>`).join("");

  it("are lists of the page's headings", async () => {
    const list = "<ul><li><a href='#a'>Set up</a></li><li><a href='#b'>Rotate keys</a></li><li>Trouble</li></ul>";
    expect(
      await marksIn("a.html", `<main><h1>Guide</h1><p>On this page you find:</p>${list}${sections}</main>`),
    ).toEqual(["contents: - Set up\n- Rotate keys\n- Trouble"]);
  });

  it.each([
    ["by name", "<ol class='toc'><li>The beginning</li><li>The middle</li></ol>"],
    ["by role", "<div role='doc-toc'><ol><li>The beginning</li><li>The middle</li></ol></div>"],
  ])("are what says so %s", async (_, list) => {
    const read = await readAs("a.html", `<main><h1>Guide</h1><p>Words.</p>${list}${sections}</main>`);
    expect(marksOf(read)).toEqual(["contents: 1. The beginning\n2. The middle"]);
    expect(read.text).toContain("Words of it.");
  });

  it("are navigation, on a page that holds nothing else", async () => {
    const links = ["One", "Two", "Three"].map((name) => `<li><a href="${name}.html">${name}</a></li>`).join("");
    expect(await marksIn("a.html", `<nav><ul>${links}</ul></nav>`)).toEqual(["contents: - One\n- Two\n- Three"]);
  });
});

describe("tables of contents of pages", () => {
  const leader = (title: string, page: number): string => `${title} ${".".repeat(70 - title.length)} ${page}`;
  const entries = [leader("1 Setting up", 2), leader("2 Rotating keys", 3), leader("2.1 Keys of a vault", 4)];
  const prose = "Keys rotate every ninety days, and an old key is refused from the day after that on.";

  it("of a PDF are lines that lead to a page by dots", async () => {
    const contents = entries.map((text, index) => ({ text, x: 72, y: 690 - 14 * index }));
    const read = await readAs(
      "a.pdf",
      makePdf([
        [{ text: "Contents", x: 72, y: 730, size: 18 }, ...contents],
        [
          { text: "Setting up", x: 72, y: 730, size: 18 },
          { text: prose, x: 72, y: 700 },
        ],
      ]),
    );
    // The reader takes the last line for an item of a list; a mark goes over the blank line between.
    expect(marksOf(read)).toEqual(["contents: 1 Setting up … 2\n2 Rotating keys … 3\n\n2.1 Keys of a vault … 4"]);
    expect(read.text).toContain(prose);
  });

  it("of a text file are such lines, and a price list is none", async () => {
    expect(await marksIn("a.txt", `${entries.join("\n")}\n\n${prose}\n`)).toEqual([`contents: ${entries.join("\n")}`]);
    expect(await marksIn("a.txt", `Tea 2\nCoffee 3\nMilk 1\n\n${prose}\n`)).toEqual([]);
  });

  it("of a Word document are the result of its field, or in the styles of its entries", async () => {
    const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const code = '<w:r><w:instrText xml:space="preserve"> TOC \\o "1-3" \\h </w:instrText></w:r>';
    const tab = "<w:r><w:tab/></w:r>";
    const body = [
      styled("Heading1", "Guide"),
      paragraph(field("begin") + code + field("separate") + run("Setting up") + tab + run("2")),
      paragraph(run("Rotating keys") + tab + run("3")),
      paragraph(field("end")),
      paragraph(prose),
      styled("Verzeichnis1", "A list of figures"),
      paragraph(
        `${field("begin")}<w:r><w:instrText> PAGE </w:instrText></w:r>${field("separate")}${run("7")}${field("end")}`,
      ),
      paragraph(`<w:fldSimple w:instr=" TOC \\c Table ">${run("Table 1")}</w:fldSimple>`),
    ].join("");
    const styles = '<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>';
    expect(await marksIn("a.docx", makeDocx({ body, styles }))).toEqual([
      "contents: Setting up\t2\n\nRotating keys\t3",
      "contents: A list of figures",
      "contents: Table 1",
    ]);
  });

  it("of an OpenDocument text are its own element", async () => {
    const body =
      "<text:table-of-content><text:index-body><text:p>Setting up<text:tab/>2</text:p><text:p>Trouble<text:tab/>9</text:p></text:index-body></text:table-of-content><text:p>Words.</text:p>";
    const read = await readAs("a.odt", makeOdt(body));
    expect(marksOf(read)).toEqual(["contents: Setting up\t2\n\nTrouble\t9"]);
    expect(read.text).toContain("Words.");
  });
});

it("marks are blocks, in order and apart, and take nothing from the text, whatever the page", async () => {
  const piece = fc.constantFrom(
    "# Contents",
    "## One",
    "## Two",
    "- One",
    "- [Two](#two)",
    "1. [Two](two.md)",
    "One ........ 3",
    "Words of a sentence.",
    "| One | 3 |",
    "",
    "```",
    "---",
    "title: x",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 25 }), async (lines) => {
      const content = `x\n${lines.join("\n")}`;
      const { text, blocks = [], sourceMap } = await readAs("a.md", content);
      expect(text).toBe(content);
      let reached = 0;
      for (const { start, end } of sourceMap.marks ?? []) {
        expect(start).toBeGreaterThanOrEqual(reached);
        expect(blocks.some((block) => block.start === start)).toBe(true);
        expect(blocks.some((block) => block.end === end)).toBe(true);
        reached = end;
      }
    }),
    { numRuns: 200 },
  );
});
