import { describe, expect, it } from "vitest";

import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import type { Block } from "../../src/contracts/document.ts";
import { createDocument } from "./generated-document.ts";

const code = (text: string, maxSize: number): string[] => {
  const blocks: readonly Block[] = [{ kind: "code", start: 0, end: text.length }];
  return Array.from(
    createSectionChunker({ maxSize, overlap: 0 }).chunk(createDocument(text, { blocks })),
    (chunk) => chunk.text,
  );
};

describe("code", () => {
  it("is cut between functions rather than at a blank line within one [E18]", () => {
    const one = "function one() {\n  first();\n\n  second();\n}";
    const two = "function two() {\n  third();\n\n  fourth();\n}";
    expect(code(`${one}\n\n${two}`, 75)).toEqual([one, two]);
  });

  it("is cut where it is indented least, and not before a line that closes [E18]", () => {
    const source = [
      "class A:",
      "    def f(self):",
      "        x = 1",
      "        y = 2",
      "    def g(self):",
      "        z = 3",
    ];
    expect(code(source.join("\n"), 70)).toEqual([
      source.slice(0, 4).join("\n"),
      source.slice(4).join("\n").trimStart(),
    ]);
    const braces = ["if (a) {", "  b();", "} else {", "  c();", "  d();", "}"];
    expect(code(braces.join("\n"), 33)).toEqual(["if (a) {\n  b();\n} else {\n  c();", "d();\n}"]);
  });

  it("keeps a comment or a decorator with what it is about [E18]", () => {
    const first = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5";
    expect(code(`${first}\n# What f does.\n@cached\ndef f():\n    pass`, 56)).toEqual([
      first,
      "# What f does.\n@cached\ndef f():\n    pass",
    ]);
    const second = "one();\ntwo();\nthree();\nfour();";
    expect(code(`${second}\n/**\n * About it.\n */\nfive();`, 56)).toEqual([second, "/**\n * About it.\n */\nfive();"]);
  });

  it("takes tabs for indentation, and a blank line before one of two lines alike [E18]", () => {
    expect(code("a {\n\tb\n\tc\n}\n\nd\ne {\n\tf\n}\ng", 20)).toEqual(["a {\n\tb\n\tc\n}", "d\ne {\n\tf\n}\ng"]);
  });

  it("is cut between lines all the same when nothing stands out [E18]", () => {
    expect(code("aaaa\nbbbb\ncccc\ndddd", 9)).toEqual(["aaaa\nbbbb", "cccc\ndddd"]);
  });
});

describe("a table whose rows are not lines", () => {
  it("is cut between the rows that it names, header repeated [E18]", () => {
    const text = 'name,note\na,"one\ntwo"\nb,"three\nfour"\nc,five\n';
    const rowStarts = [10, 22, 36];
    const blocks: readonly Block[] = [{ kind: "table", start: 0, end: 43, bodyStart: 10, rowStarts }];
    const chunks = [...createSectionChunker({ maxSize: 32, overlap: 0 }).chunk(createDocument(text, { blocks }))];
    expect(chunks.map((chunk) => chunk.text)).toEqual([
      'name,note\na,"one\ntwo"',
      'name,note\nb,"three\nfour"\nc,five',
    ]);
    expect(chunks.map((chunk) => chunk.urtext)).toEqual(['name,note\na,"one\ntwo"', 'b,"three\nfour"\nc,five']);
  });
});
