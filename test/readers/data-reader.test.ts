import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import type { ReadResult } from "../../src/contracts/reader.ts";
import { walkSections } from "../../src/text/walk-sections.ts";
import { locate } from "../../src/text/locate.ts";

import { readAny } from "./read-any.ts";
import { showOutline, textOutsideBlocks } from "./read-with.ts";

const document = ({ text, root, sourceMap, blocks }: ReadResult, mediaType: string): TextDocument => ({
  type: "text",
  id: "d",
  uri: "d",
  title: "d",
  mediaType,
  origin: "user-content",
  metadata: {},
  text,
  root,
  sourceMap,
  ...(blocks && { blocks }),
});

/** Each section below the root as its title and its text. */
function showMembers({ text, root }: Pick<ReadResult, "text" | "root">): string[] {
  return [...walkSections(root)].slice(1).map(({ title, start, end }) => `${title}: ${text.slice(start, end)}`);
}

describe("the data reader [E15]", () => {
  it("makes sections of the larger objects and lists of JSON, comments and commas included", async () => {
    const source = `{
  "name": "x",
  // Why.
  "scripts": {
    "test": "run", // how
    "deep": {
      "a": [
        { "b": { "c": 1 } }
      ]
    }
  },
  "small": [1, 2],
  'odd key': [
    1
  ],
  bare: {
  }
}
`;
    const result = await readAny("conf/package.json", source);
    expect(result.text).toBe(source);
    expect([result.title, result.metadata, result.notes]).toEqual(["package.json", {}, undefined]);
    expect(showOutline(result.root)).toEqual(["# scripts", "## deep", "### a", "# odd key", "# bare"]);
    expect(showMembers(result).at(-2)).toBe("odd key: 'odd key': [\n    1\n  ],");
    expect(showMembers(result)[0]).toMatch(/^scripts: \/\/ Why\.\n {2}"scripts": \{[^]*\},$/);
    expect(textOutsideBlocks(result)).toBe("");
    expect(locate(result, source.indexOf('"b"'))).toMatchObject({ line: 8, headings: ["scripts", "deep", "a"] });
  });

  it("names the records of a list by what names them, and never cuts one that fits", async () => {
    const records = Array.from({ length: 40 }, (_, i) => ({
      id: i,
      ...(i % 2 === 0 ? { name: `n"${i}` } : {}),
      tags: ["{", "]"],
    }));
    const source = JSON.stringify([7, ...records]);
    const result = await readAny("a.json", source);
    expect(result.root.children.map(({ title }) => title).slice(0, 3)).toEqual(['n"0', "1", 'n"2']);
    expect(result.root.children).toHaveLength(40);
    const chunks = [...createSectionChunker({ maxSize: 200, overlap: 0 }).chunk(document(result, "application/json"))];
    expect(chunks.length).toBeGreaterThan(5);
    for (const { urtext } of chunks) expect(urtext).toMatch(/^(?:\[7,|\{"id":[^]*\},?|\])\s*(?:\{|\]?$)/);
    const untitled = await readAny("a.json", '[\n{"x": 1},\n{"title": "", "key": "k"},\n{"x": {"id": 5}}\n]');
    expect(untitled.root.children.map(({ title }) => title)).toEqual(["[0]", "k", "[2]"]);
  });

  it("makes blocks without sections of more records than anybody would list", async () => {
    const { root, blocks, notes } = await readAny("a.json", `[${'{"a":1},'.repeat(50_000)}{"a":1}]`);
    expect([root.children, blocks?.length]).toEqual([[], 50_003]);
    expect(notes).toEqual([expect.stringMatching(/^It holds more than 50,000 records, and none has a section/)]);
    const larger = await readAny("a.json", `[${'{"a":1},'.repeat(200_001)}{}]`);
    expect([larger.root.children, larger.notes]).toEqual([[], notes]);
  });

  it("makes a block of each line of JSON lines", async () => {
    const lines = Array.from({ length: 20 }, (_, i) => JSON.stringify({ id: i, text: `line ${i}, with words in it` }));
    const result = await readAny("a.jsonl", `${lines.join("\n")}\n`);
    expect(result.mediaType).toBe("application/x-ndjson");
    expect(result.blocks?.map(({ start, end }) => result.text.slice(start, end))).toEqual(lines);
    expect(result.blocks?.[0]).toMatchObject({ kind: "code", language: "json" });
    for (const { urtext } of createSectionChunker({ maxSize: 150, overlap: 0 }).chunk(
      document(result, "application/x-ndjson"),
    )) {
      for (const line of urtext.split("\n")) expect(lines).toContain(line);
    }
  });

  it("makes sections of YAML by its indentation", async () => {
    const source = `# About.
version: "3"
services:
  web:
    image: a
    ports:
      - "80:80"
  # The database.
  db:
    command: |
      key: of a text
      - not an entry

      still: text
    one: {a: 1}
"quoted: key":
  - a
list:
- id: 1
  name: Ada # who
- name: "Bob: x"
  id: 2
- plain
-
  x: 1
alias: *a
url: http://example.com
`;
    const result = await readAny("a.yaml", source);
    expect(result.text).toBe(source);
    expect(showOutline(result.root)).toEqual([
      "# services",
      "## web",
      "### ports",
      "## db",
      "### command",
      "# quoted: key",
      "# list",
      "## Ada",
      "## Bob: x",
      "## [3]",
    ]);
    expect(showMembers(result)[3]).toMatch(/^db: {3}# The database\.\n {2}db:[^]*one: \{a: 1\}$/);
    expect(textOutsideBlocks(result)).toBe("");
  });

  it("takes no line of a text in quotes for a key or an entry", async () => {
    const source = `first:
  a: "it says
    key: \\"not a key\\"
    - not an entry
  open: still text
    "
  b: 1
second: !!str 'it''s

  third:
    x: y''
  '
"plain": "a" # and "b
last:
- "one
  k:
  v"
- k: 'two
   l: '
  m: 1
`;
    const { text, root } = await readAny("a.yaml", source);
    expect(text).toBe(source);
    expect(showOutline(root)).toEqual(["# first", "## a", "# second", "# last", "## [0]", "## [1]"]);
  });

  it("closes a text in quotes at the end of its document", async () => {
    const { root } = await readAny("a.yaml", `a: "open\nb:\n  c: 1\n---\nd:\n  e: 1\n`);
    expect(showOutline(root)).toEqual(["# document 1", "## a", "# document 2", "## d"]);
  });

  it("puts a section around each document of a YAML stream", async () => {
    const { root } = await readAny(
      "k8s.yml",
      `# The web.\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n---\nkind: Service\nx: 1\n---\n- a\n- b\n...\n---\nname: last\nx: 1\n`,
    );
    expect(showOutline(root)).toEqual([
      "# Deployment web",
      "## metadata",
      "## spec",
      "# Service",
      "# document 3",
      "# last",
    ]);
    expect(showOutline((await readAny("a.yaml", "---\na:\n  b: 1\n...\n")).root)).toEqual(["# a"]);
  });

  it("makes sections of the tables of TOML", async () => {
    const { root, text } = await readAny(
      "a.toml",
      `title = "x"\n\n# Why.\n[tool]\na = """\n[not]\n"""\n[tool.poetry."a.b"]\nb = 1\n[[bin]] # more\nname = "y"\n`,
    );
    expect(showOutline(root)).toEqual(["# tool", '### tool.poetry."a.b"', "# bin"]);
    expect(text.slice(root.children[0]?.start).startsWith("# Why.")).toBe(true);
  });

  it.each([
    ["a.json", '{"a": {\n"b": 1\n}'],
    ["a.json", '{"a": [\n}\n]'],
    ["a.json", '"just words"'],
    ["a.json", '{"a": "never ends\n'],
    ["a.json", "}}}}"],
    ["a.geojson", "{ /* never ends"],
    ["a.yaml", "just words\n\tmore of them\n'open: x"],
    ["a.toml", "[never\n]]]"],
  ])("reads broken %s as text", async (uri, source) => {
    const { text, root } = await readAny(uri, source);
    expect([text, root.children]).toEqual([source, []]);
  });

  const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, i) => `k${i}: &k${i} [${Array.from({ length: 10 }, () => `*k${i - 1}`).join(", ")}]`).join("\n")}`;
  const hostile: Readonly<Record<string, string>> = {
    "deep.json": `${"[".repeat(100_000)}1${"]".repeat(100_000)}`,
    "deeper.json": `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    "open.json": "[".repeat(1_000_000),
    "numbers.json": `[${"1,".repeat(300_000)}1]`,
    "empty.json": `[${"[],".repeat(300_000)}[]]`,
    "records.json": `[${'{"a":1},'.repeat(60_000)}{}]`,
    "quotes.json": `["${'\\"'.repeat(300_000)}"]`,
    "comments.json": `[1\n${"/**/".repeat(100_000)}]`,
    "bomb.yaml": bomb,
    "deep.yaml": Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}k:`).join("\n"),
    "dashes.yaml": "- ".repeat(300_000),
    "wide.yaml": "k:\n  v\n".repeat(60_000),
    "documents.yaml": "---\na: 1\n".repeat(60_000),
    "spaces.yaml": `k${" ".repeat(300_000)}x`,
    "colons.yaml": "a: ".repeat(300_000),
    "hashes.yaml": " #".repeat(300_000),
    "lines.jsonl": "1\n".repeat(300_000),
    "tables.toml": "[a]\n".repeat(60_000),
    "brackets.toml": `[${"[ ".repeat(100_000)}`,
  };
  it.each(Object.entries(hostile))("survives %s", async (uri, source) => {
    expect((await readAny(uri, source)).text).toBe(source);
  });

  it("loses no character of any JSON, and puts what it says where it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), fc.integer({ min: 0, max: 2 }), async (json, indent) => {
        const source = JSON.stringify(JSON.parse(json), null, indent);
        const result = await readAny("a.json", source);
        expect(result.text).toBe(source);
        expect(textOutsideBlocks(result)).toBe("");
        for (const { start, end } of [...walkSections(result.root)].slice(1)) {
          const member = source.slice(start, end).replace(/,$/, "");
          expect(() => void JSON.parse(member.startsWith('"') ? `{${member}}` : member)).not.toThrow();
        }
      }),
    );
  });

  it("keeps tree and blocks whole for any lines of YAML and TOML", async () => {
    const line = fc.constantFrom(
      "a:",
      "  b:",
      "  - c: 1",
      "- d",
      "    e: |",
      "---",
      "# f",
      "",
      "[g]",
      "[g.h]",
      '"""',
      "   x",
      "é👍: *i",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 30 }),
        fc.constantFrom("a.yaml", "a.toml"),
        async (lines, uri) => {
          const source = `x\n${lines.join("\n")}`;
          const result = await readAny(uri, source);
          expect(result.text).toBe(source);
          expect(textOutsideBlocks(result)).toBe("");
        },
      ),
    );
  });
});
