import { describe, expect, it } from "vitest";

import type { Citation } from "../../src/contracts/answer.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { makeDocx, paragraph, run, styled } from "../readers/make-office.ts";
import { makePdf } from "../readers/make-pdf.ts";

const encoder = new TextEncoder();
const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? encoder.encode(content) : content;

async function marksOf(kb: KnowledgeBase, uri: string) {
  const marks = (await kb.document(uri))?.sourceMap.marks ?? [];
  expect(marks).not.toEqual([]);
  return (citation: Citation): boolean => marks.some(({ start, end }) => start < citation.end && citation.start < end);
}

const leader = (title: string, page: number): string => `${title} ${".".repeat(70 - title.length)} ${page}`;
const tab = "<w:r><w:tab/></w:r>";
const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;

/** Pages on which a question's words stand in front matter or a table of contents alone; and below other words that answer. */
const pages = (answer: string): Readonly<Record<string, string | Uint8Array>> => ({
  "a.toml.md": `+++\ntitle = "Guide"\ndescription = "Escrow of turbine keys"\n+++\n\n# Guide\n\nWords about doors.\n\n${answer}\n`,
  "a.md": `# Guide\n\n- [Escrow of turbine keys](#escrow)\n- [Doors](#doors)\n- [Windows](#windows)\n\n## Doors\n\nThey are shut.\n\n${answer}\n`,
  "a.html": `<main><h1>Guide</h1><ul class="toc"><li>Escrow of turbine keys</li><li>Doors</li></ul><h2>Doors</h2><p>They are shut.</p><p>${answer}</p></main>`,
  "a.pdf": makePdf([
    [
      { text: "Overview", x: 72, y: 730, size: 18 },
      ...["1 Escrow of turbine keys", "2 Doors", "3 Windows"].map((title, index) => ({
        text: leader(title, index + 2),
        x: 72,
        y: 690 - 14 * index,
      })),
    ],
    [
      { text: "Doors", x: 72, y: 730, size: 18 },
      { text: "They are shut at night, and opened again in the morning.", x: 72, y: 700 },
      ...(answer === "" ? [] : [{ text: answer, x: 72, y: 660 }]),
    ],
  ]),
  "a.docx": makeDocx({
    body: [
      paragraph(
        `${field("begin")}<w:r><w:instrText> TOC \\o </w:instrText></w:r>${field("separate")}${run("Escrow of turbine keys")}${tab}${run("2")}`,
      ),
      paragraph(run("Doors") + tab + run("3") + field("end")),
      styled("Heading1", "Doors"),
      paragraph("They are shut."),
      ...(answer === "" ? [] : [paragraph(answer)]),
    ].join(""),
  }),
});

const question = "Where is the escrow of turbine keys?";
const answer = "The escrow of turbine keys is in the vault below the weir.";

describe("front matter and tables of contents are never an answer's only quotation [L2]", () => {
  it.each(Object.keys(pages("")))("in %s", async (uri) => {
    await using kb = await openKnowledgeBase();
    await kb.ingest({ uri, bytes: bytesOf(pages("")[uri]!) });
    const isMarked = await marksOf(kb, uri);
    // The search finds the page all the same, by those words.
    expect((await kb.search(question)).length).toBeGreaterThan(0);
    for (const options of [{}, { mode: "lexical" }, { grounding: "strict" }] as const) {
      const { citations } = await kb.ask(question, options);
      expect(citations.filter(isMarked)).toEqual([]);
    }
    const pattern = await kb.ask("escrow of turbine", { mode: "regex", ignoreCase: true });
    expect([pattern.kind, pattern.citations]).toEqual(["refused", []]);

    await kb.ingest({ uri, bytes: bytesOf(pages(answer)[uri]!) });
    const said = await kb.ask(question);
    expect(said.citations[0]?.quote).toContain(answer);
    expect(said.citations.filter(await marksOf(kb, uri))).toEqual([]);
    const matched = await kb.ask("escrow of turbine", { mode: "regex", ignoreCase: true });
    expect(matched.citations.map(({ quote }) => quote)).toEqual([answer]);
  });
});
