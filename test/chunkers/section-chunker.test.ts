import { describe, expect, it } from "vitest";

import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import type { LengthFunction } from "../../src/contracts/chunker.ts";
import type { Block, Section, TextDocument } from "../../src/contracts/document.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { heuristicTokens } from "../../src/text/length.ts";
import { createDocument, markdown } from "./generated-document.ts";
import { checkProvenance, checkSizesKept } from "./laws.ts";

const cut = (document: TextDocument, maxSize: number, overlap = 0): string[] =>
  [...createSectionChunker({ maxSize, overlap }).chunk(document)].map((chunk) => chunk.text);

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (IbidError.isInstance(error)) return error.code;
    throw error;
  }
  return "nothing thrown";
};

/** Sentences of exactly `size` characters, full stop included. */
const sentence = (letter: string, size: number): string => `${letter.toUpperCase()}${letter.repeat(size - 2)}.`;

describe("the six rules", () => {
  it("keeps a container that fits as one chunk, headings included, placed in the container [E18 E17]", () => {
    const document = markdown("# Top\n\nIntro.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n");
    const chunks = [...createSectionChunker().chunk(document)];
    expect(chunks.map((chunk) => chunk.text)).toEqual([document.text.trimEnd()]);
    expect(chunks[0]).toMatchObject({ sectionId: "0.0", headings: ["Top"], start: 0, index: 0, line: 1 });
  });

  it("groups neighbouring leaves while they fit, and never across a container's boundary [E18]", () => {
    const document = markdown(
      "# A\n\nIntro to A.\n\n## A1\n\nOne.\n\n## A2\n\nTwo is rather longer than one.\n\n# B\n\n## B1\n\nThree.\n\n# C\n\nFour.\n",
    );
    expect(cut(document, 45)).toEqual([
      "# A\n\nIntro to A.\n\n## A1\n\nOne.",
      "## A2\n\nTwo is rather longer than one.",
      "# B\n\n## B1\n\nThree.",
      "# C\n\nFour.",
    ]);
  });

  it("splits an oversized leaf at paragraphs, then sentences, then words, then characters [E18]", () => {
    const document = createDocument(
      `${sentence("a", 30)}\n\n${sentence("b", 30)}\n\n${sentence("c", 30)} ${sentence("d", 30)}\n\nee eee eeee ${"f".repeat(40)} x`,
    );
    expect(cut(document, 62)).toEqual([
      `${sentence("a", 30)}\n\n${sentence("b", 30)}`,
      `${sentence("c", 30)} ${sentence("d", 30)}`,
      `ee eee eeee ${"f".repeat(40)} x`,
    ]);
    expect(cut(document, 31)).toEqual([
      sentence("a", 30),
      sentence("b", 30),
      sentence("c", 30),
      sentence("d", 30),
      "ee eee eeee",
      "f".repeat(31),
      `${"f".repeat(9)} x`,
    ]);
  });

  it("begins the overlap after a sentence, else at a word, and drops it where it does not fit [E18]", () => {
    const prose = createDocument(
      [sentence("a", 20), sentence("b", 20), sentence("c", 20), sentence("d", 20)].join(" "),
    );
    expect(cut(prose, 45, 22)).toEqual([
      `${sentence("a", 20)} ${sentence("b", 20)}`,
      `${sentence("b", 20)} ${sentence("c", 20)}`,
      `${sentence("c", 20)} ${sentence("d", 20)}`,
    ]);
    const words = createDocument("one two three four five six seven eight");
    expect(cut(words, 20, 9)).toEqual(["one two three four", "four five six seven", "six seven eight"]);
    const full = createDocument(
      `${sentence("a", 20)} ${sentence("b", 40)}\n\n${sentence("c", 20)} ${sentence("d", 20)}`,
    );
    expect(cut(full, 41, 21)).toEqual([
      sentence("a", 20),
      sentence("b", 40),
      `${sentence("c", 20)} ${sentence("d", 20)}`,
    ]);
  });

  it("shares text only between the pieces of one oversized section [E18]", () => {
    const document = markdown(`# A\n\n${sentence("a", 40)} ${sentence("b", 40)}\n\n# B\n\n${sentence("c", 40)}\n`);
    const chunks = [...createSectionChunker({ maxSize: 60, overlap: 59 }).chunk(document)];
    expect(chunks.at(-1)?.text).toBe(`# B\n\n${sentence("c", 40)}`);
    expect(chunks.at(-1)?.start).toBeGreaterThanOrEqual(chunks.at(-2)?.end ?? 0);
  });

  it("numbers chunks through the document, whatever section they are of [E18 B10 E12]", () => {
    const document = markdown("# A\n\nOne here.\n\n# B\n\nTwo there.\n\n# C\n\nThree.\n");
    const chunks = [...createSectionChunker({ maxSize: 20, overlap: 0 }).chunk(document)];
    expect(chunks.map((chunk) => [chunk.index, chunk.sectionId])).toEqual([
      [0, "0.0"],
      [1, "0.1"],
      [2, "0.2"],
    ]);
  });

  it("gives nothing for an empty or blank document [E18]", () => {
    expect(cut(createDocument(""), 10)).toEqual([]);
    expect(cut(createDocument(" \n\t\n "), 10)).toEqual([]);
  });

  it("splits an oversized table by rows and repeats its header, inside the size [E18 C17]", () => {
    const header = "| n | name |\n| - | - |";
    const rows = ["| 1 | one |", "| 2 | two |", "| 3 | three |", "| 4 | four |", "| 5 | five |"];
    const document = markdown(`Before it.\n\n${header}\n${rows.join("\n")}\n\nAfter it.\n`);
    const chunks = [...createSectionChunker({ maxSize: 50, overlap: 0 }).chunk(document)];
    expect(chunks.map((chunk) => chunk.text)).toEqual([
      "Before it.",
      `${header}\n${rows[0]}\n${rows[1]}`,
      `${header}\n${rows[2]}\n${rows[3]}`,
      `${header}\n${rows[4]}\n\nAfter it.`,
    ]);
    expect(chunks[2]?.urtext).toBe(`${rows[2]}\n${rows[3]}`);
    checkProvenance(document, chunks);
  });

  it("puts the header before an overlap that begins inside a table [E18]", () => {
    const header = "| n |\n| - |";
    const rows = ["| 1111 |", "| 2222 |", "| 3333 |", "| 4444 |"];
    const document = markdown(`${header}\n${rows.join("\n")}\n`);
    expect(cut(document, 37, 10)).toEqual([
      `${header}\n${rows[0]}\n${rows[1]}`,
      `${header}\n${rows[1]}\n${rows[2]}`,
      `${header}\n${rows[2]}\n${rows[3]}`,
    ]);
  });

  it("leaves a row wider than the size whole, and its header with it [E18 C17]", () => {
    const wide = `| ${"w".repeat(80)} |`;
    const document = markdown(`| n |\n| - |\n| 1 |\n${wide}\n| 2 |\n`);
    expect(cut(markdown(`| n |\n| - |\n${wide}\n| 2 |\n`), 30)).toEqual([
      `| n |\n| - |\n${wide}`,
      "| n |\n| - |\n| 2 |",
    ]);
    expect(cut(document, 30)).toEqual(["| n |\n| - |\n| 1 |", `| n |\n| - |\n${wide}`, "| n |\n| - |\n| 2 |"]);
  });

  it("does not repeat a header that takes more than half a chunk, so that no table can multiply a document", () => {
    const header = `| ${"h".repeat(30)} |\n| - |`;
    const document = markdown(`${header}\n${Array.from({ length: 200 }, (_, row) => `| ${row} |`).join("\n")}\n`);
    const texts = cut(document, 50);
    expect(texts.filter((text) => text.startsWith(header))).toHaveLength(1);
    expect(texts.join("").length).toBeLessThan(document.text.length);
  });
});

describe("what belongs together", () => {
  it("keeps headings with what follows, through empty containers and oversized text", () => {
    const document = markdown(
      `# Top\n\n## Middle\n\n### Low\n\n${sentence("a", 40)} ${sentence("b", 40)}\n\n## Next\n\nShort.\n`,
    );
    expect(cut(document, 75)).toEqual([
      `# Top\n\n## Middle\n\n### Low\n\n${sentence("a", 40)}`,
      sentence("b", 40),
      "## Next\n\nShort.",
    ]);
  });

  it("does not end a chunk with the heading of an empty section when the next can take it", () => {
    const document = markdown(`# A\n\n${sentence("a", 30)}\n\n# Empty\n\n# B\n\n${sentence("b", 40)}\n`);
    expect(cut(document, 60)).toEqual([`# A\n\n${sentence("a", 30)}`, `# Empty\n\n# B\n\n${sentence("b", 40)}`]);
  });

  it("cuts between headings when there is nothing but headings", () => {
    const document = markdown(Array.from({ length: 6 }, (_, index) => `# Heading ${index}\n\n`).join(""));
    const texts = cut(document, 30);
    expect(texts.every((text) => text.length <= 30)).toBe(true);
    expect(texts.join("\n\n")).toBe(document.text.trimEnd());
  });

  it("keeps front matter at the beginning, with the first section", () => {
    const document = markdown(`---\ntitle: T\n---\n\n# One\n\n${sentence("a", 30)}\n\n# Two\n\n${sentence("b", 30)}\n`);
    expect(cut(document, 60)[0]).toBe(`---\ntitle: T\n---\n\n# One\n\n${sentence("a", 30)}`);
  });

  it("cuts code at blank lines, else between lines, and begins its overlap at a line", () => {
    const code = ["const a = 1;", "const b = 2;", "", "const c = 3;", "const d = 4;"];
    const document = markdown(`\`\`\`ts\n${code.join("\n")}\n\`\`\`\n`);
    expect(cut(document, 50)).toEqual(["```ts\nconst a = 1;\nconst b = 2;", "const c = 3;\nconst d = 4;\n```"]);
    expect(cut(document, 30, 15)).toEqual(
      ["```ts\nconst a = 1;", "const a = 1;\nconst b = 2;", "const c = 3;\nconst d = 4;\n```"].map((text) => text),
    );
  });

  it("never tears an emoji or a letter from its marks while they fit", () => {
    const family = "👩‍👩‍👧‍👦";
    const texts = cut(createDocument(family.repeat(20)), 25);
    expect(texts.every((text) => text === family.repeat(2))).toBe(true);
    expect(cut(createDocument("e\u0301".repeat(10)), 5).every((text) => text === "e\u0301e\u0301")).toBe(true);
    expect(cut(createDocument("🇩🇪".repeat(4)), 6)).toEqual(["🇩🇪", "🇩🇪", "🇩🇪", "🇩🇪"]);
    expect(cut(createDocument("😀😀"), 1)).toEqual(["😀", "😀"]);
  });
});

describe("settings", () => {
  it("refuses sizes that cannot be kept, and options that nobody reads [C16 E17 W18]", () => {
    expect(codeOf(() => createSectionChunker({ maxSize: 0, overlap: 0 }))).toBe("invalid-argument");
    expect(codeOf(() => createSectionChunker({ maxSize: 100 }))).toBe("invalid-argument");
    expect(codeOf(() => createSectionChunker({ maxSize: 100, overlap: 100 }))).toBe("invalid-argument");
    expect(codeOf(() => createSectionChunker({ maxSize: 100, overlap: -1 }))).toBe("invalid-argument");
    expect(codeOf(() => createSectionChunker({ maxSize: 1.5, overlap: 0 }))).toBe("invalid-argument");
    expect(codeOf(() => createSectionChunker({ maxChunkSize: 10 } as never))).toBe("invalid-argument");
    expect(
      codeOf(() =>
        createSectionChunker({
          length: (
            () => (text: string) =>
              text.length
          )(),
        }),
      ),
    ).toBe("invalid-argument");
    expect(codeOf(() => createSectionChunker({ maxSize: 100, overlap: 99 }))).toBe("nothing thrown");
  });

  it("names every setting in its fingerprint, the length function included [T33]", () => {
    const tokens = (text: string): number => text.length;
    const fingerprints = [
      createSectionChunker(),
      createSectionChunker({ maxSize: 1501 }),
      createSectionChunker({ overlap: 0 }),
      createSectionChunker({ respectSentences: false }),
      createSectionChunker({ length: heuristicTokens }),
      createSectionChunker({ length: tokens }),
    ].map((chunker) => chunker.fingerprint);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
    expect(createSectionChunker({ maxSize: 1500, overlap: 200 }).fingerprint).toBe(fingerprints[0]);
  });

  it("measures in tokens as well as in characters [T30 T32 T33]", () => {
    const document = createDocument(
      Array.from({ length: 200 }, (_, index) => sentence("abcdefghij".charAt(index % 10), 37)).join(" "),
    );
    const size = { maxSize: 50, overlap: 10, length: heuristicTokens };
    const chunks = [...createSectionChunker(size).chunk(document)];
    checkSizesKept(document, chunks, size);
    checkProvenance(document, chunks);
    expect(chunks[0]?.text.length).toBeGreaterThan(150);
  });

  it("cuts prose at words where sentences need not be respected [E17]", () => {
    const document = createDocument("One two. Three four five six.");
    const texts = [...createSectionChunker({ maxSize: 15, overlap: 0, respectSentences: false }).chunk(document)];
    expect(texts.map((chunk) => chunk.text)).toEqual(["One two. Three", "four five six."]);
  });

  it("cuts one section by itself [E17]", () => {
    const document = markdown("# A\n\nOne.\n\n## A1\n\nTwo.\n\n# B\n\nThree.\n");
    const chunker = createSectionChunker({ maxSize: 20, overlap: 0 });
    const [first] = document.root.children as [Section];
    const own = [...chunker.chunkSection(document, first)];
    expect(own.map((chunk) => chunk.text)).toEqual(["# A\n\nOne.", "## A1\n\nTwo."]);
    expect(own.map((chunk) => chunk.id)).toEqual([...chunker.chunk(document)].slice(0, 2).map((chunk) => chunk.id));
  });

  it("refuses a document without text [B48]", () => {
    const media = { type: "image", content: new Uint8Array(1), metadata: {} } as unknown as TextDocument;
    expect(codeOf(() => createSectionChunker().chunk(media))).toBe("unsupported-input");
  });
});

describe("cost", () => {
  const counting = (): { length: LengthFunction; read: () => number } => {
    let read = 0;
    const countedTokens = (text: string): number => {
      read += text.length;
      return Math.ceil(text.length / 4);
    };
    return { length: countedTokens, read: () => read };
  };
  const hostile: Readonly<Record<string, (size: number) => TextDocument>> = {
    "one endless word": (size) => createDocument("a".repeat(size)),
    "one endless line": (size) => createDocument("ab. cd ".repeat(size / 7)),
    "nothing but line breaks and dots": (size) => createDocument("\n\n.".repeat(size / 3)),
    "tiny sections": (size) => markdown("# a\n\nb\n\n".repeat(size / 8)),
    "nothing but headings": (size) => markdown("# a\n\n".repeat(size / 5)),
    "tiny rows": (size) => markdown(`| h |\n| - |\n${"| 1 |\n".repeat(size / 6)}`),
    "a header as long as the table": (size) =>
      markdown(`| ${"h".repeat(size / 2)} |\n| - |\n${"| 1 |\n".repeat(size / 12)}`),
  };

  for (const [name, make] of Object.entries(hostile)) {
    it(`measures no more than a few times the text, and twice as much for twice the text: ${name}`, () => {
      const [small, large] = [60_000, 120_000].map((size) => {
        const { length, read } = counting();
        const document = make(size);
        const chunks = [...createSectionChunker({ maxSize: 100, overlap: 20, length }).chunk(document)];
        expect(chunks.length).toBeGreaterThan(0);
        return read();
      }) as [number, number];
      expect(large).toBeLessThan(120_000 * 30);
      expect(large).toBeLessThan(small * 2.2 + 10_000);
    });
  }

  it("cuts only as far as it is asked to [E17]", () => {
    const { length, read } = counting();
    const document = markdown(
      Array.from({ length: 20_000 }, (_, index) => `# H${index}\n\n${sentence("a", 300)}\n\n`).join(""),
    );
    for (const chunk of createSectionChunker({ maxSize: 100, overlap: 20, length }).chunk(document)) {
      expect(chunk.index).toBe(0);
      break;
    }
    expect(read()).toBeLessThan(20_000);
    expect(document.text.length).toBeGreaterThan(6_000_000);
  });
});

describe("an edit", () => {
  it("changes the ids of the chunks it touches, and of no others [L7 E11]", () => {
    const paragraphs = Array.from(
      { length: 40 },
      (_, index) => `Paragraph ${index}. ${sentence("abcdefgh".charAt(index % 8), 90)}`,
    );
    const before = [
      ...createSectionChunker({ maxSize: 120, overlap: 0 }).chunk(createDocument(paragraphs.join("\n\n"))),
    ];
    const edited = paragraphs.with(20, "Something else altogether.");
    const after = [...createSectionChunker({ maxSize: 120, overlap: 0 }).chunk(createDocument(edited.join("\n\n")))];
    const known = new Set(before.map((chunk) => chunk.id));
    expect(after.filter((chunk) => !known.has(chunk.id)).length).toBeLessThanOrEqual(2);
  });

  it("uses what blocks say even where they leave text out [L1]", () => {
    const text = "Seen.\n\nUnseen by the reader.\n\nSeen too.";
    const blocks: Block[] = [
      { kind: "paragraph", start: 0, end: 5 },
      { kind: "paragraph", start: 30, end: 39 },
    ];
    expect(cut(createDocument(text, { blocks }), 25)).toEqual(["Seen.", "Unseen by the reader.", "Seen too."]);
  });
});
