import fc from "fast-check";

import type { Block, Section, TextDocument } from "../../src/contracts/document.ts";

/** Words of many scripts, emoji in parts, marks, and what splits badly. */
const tokens = [
  "the",
  "quick",
  "Fox.",
  "e.g.",
  "3.14",
  "Dr.",
  "Größe",
  "naïve",
  "e\u0301",
  "a\u0300\u0316\u0301",
  "日本語の文章です。",
  "漢字",
  "ภาษาไทยไม่มีช่องว่าง",
  "한국어",
  "한\u1112\u1161\u11ab",
  "русский.",
  "العربية؟",
  "हिन्दी",
  "👩‍👩‍👧‍👦",
  "🇩🇪🇫🇷",
  "👍🏽",
  "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "𝒳𝒴",
  "\ud83d",
  "\udc00",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "https://example.org/a/b?c=d#e",
  "|",
  "`x = 1`",
  "\u00a0",
  "\u2028",
  "!?",
  "(see",
  "below).",
  "#",
];

const word = fc.constantFrom(...tokens);
const sentence = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => `${words.join(" ")}.`);
const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" ").replaceAll("|", "/"));

interface Element {
  readonly kind: Block["kind"];
  readonly level: number;
  readonly text: string;
  readonly body: number;
}

const element = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 4 }), line)
      .map(([level, title]): Element => ({ kind: "heading", level, text: `${"#".repeat(level)} ${title}`, body: 0 })),
  },
  {
    weight: 5,
    arbitrary: fc
      .array(sentence, { minLength: 1, maxLength: 5 })
      .map((all): Element => ({ kind: "paragraph", level: 0, text: all.join(" "), body: 0 })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(line, { minLength: 1, maxLength: 6 })
      .map((all): Element => ({ kind: "code", level: 0, text: `\`\`\`\n${all.join("\n  ")}\n\`\`\``, body: 4 })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(line, { minLength: 1, maxLength: 6 })
      .map((all): Element => ({ kind: "list", level: 0, text: all.map((item) => `- ${item}`).join("\n"), body: 0 })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(line, fc.array(line, { minLength: 1, maxLength: 8 })).map(([head, rows]): Element => {
      const header = `| ${head} |\n| --- |\n`;
      return {
        kind: "table",
        level: 0,
        text: header + rows.map((row) => `| ${row} |`).join("\n"),
        body: header.length,
      };
    }),
  },
);

const gap = fc.constantFrom("\n\n", "\n\n\n", "\n \t\n", "\n");

/** The sections of a text whose headings are known, by their levels. */
function sectionsOf(
  text: string,
  headings: readonly { readonly level: number; readonly start: number; readonly contentStart: number }[],
): Section {
  const build = (
    id: string,
    level: number,
    start: number,
    contentStart: number,
    end: number,
    inside: typeof headings,
  ): Section => {
    const children: Section[] = [];
    let index = 0;
    while (index < inside.length) {
      const first = inside[index]!;
      let next = index + 1;
      while (next < inside.length && inside[next]!.level > first.level) next += 1;
      children.push(
        build(
          `${id}.${children.length}`,
          first.level,
          first.start,
          first.contentStart,
          inside[next]?.start ?? end,
          inside.slice(index + 1, next),
        ),
      );
      index = next;
    }
    return {
      id,
      title: text.slice(start, contentStart).replaceAll(/[#\n]/g, "").trim(),
      level,
      start,
      end,
      contentStart,
      children,
    };
  };
  return build("0", 0, 0, 0, text.length, headings);
}

export function createDocument(text: string, parts: Partial<TextDocument> = {}): TextDocument {
  return {
    type: "text",
    id: "doc",
    uri: "docs/a.md",
    title: "A",
    mediaType: "text/markdown",
    text,
    metadata: {},
    origin: "user-content",
    root: { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
    sourceMap: { lines: "text" },
    ...parts,
  };
}

/** A document from its elements, with the tree and the blocks that a reader would give it. */
export function assemble(elements: readonly (readonly [Element, string])[], lead = ""): TextDocument {
  let text = lead;
  const blocks: Block[] = [];
  const headings: { level: number; start: number; contentStart: number }[] = [];
  for (const [{ kind, level, text: own, body }, between] of elements) {
    const start = text.length;
    text += own;
    blocks.push({ kind, start, end: text.length, ...(body > 0 ? { bodyStart: start + body } : {}) });
    if (kind === "heading") headings.push({ level, start, contentStart: text.length });
    text += between;
  }
  return createDocument(text, { root: sectionsOf(text, headings), blocks });
}

/** Documents of many scripts with random trees: with blocks, without, and with blocks that leave text out. */
export const anyDocument: fc.Arbitrary<TextDocument> = fc
  .tuple(
    fc.array(fc.tuple(element, gap), { maxLength: 25 }),
    fc.constantFrom("", "\n \n", "lead "),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([elements, lead, mode]) => {
    const document = assemble(elements, lead);
    if (mode === 1) {
      const { blocks, ...rest } = document;
      return blocks === undefined ? document : rest;
    }
    if (mode === 2) return { ...document, blocks: document.blocks?.filter((_, index) => index % 3 !== 1) ?? [] };
    return document;
  });

/** A document of Markdown written out, with headings, tables and fenced code recognised as far as these tests need. */
export function markdown(text: string): TextDocument {
  const blocks: Block[] = [];
  const headings: { level: number; start: number; contentStart: number }[] = [];
  for (const match of text.matchAll(/(?:^---\n[^]*?\n---$)|(?:^```[^]*?\n```$)|(?:^(?!\n)(?:.+\n?)+)/gm)) {
    const start = match.index;
    const own = match[0].trimEnd();
    const add = (kind: Block["kind"], from: number, to: number, bodyStart?: number): void => {
      if (to > from) blocks.push({ kind, start: from, end: to, ...(bodyStart === undefined ? {} : { bodyStart }) });
    };
    const level = /^#+/.exec(own)?.[0].length ?? 0;
    if (level > 0) {
      const end = own.includes("\n") ? start + own.indexOf("\n") : start + own.length;
      headings.push({ level, start, contentStart: end });
      add("heading", start, end);
      add("paragraph", end + 1, start + own.length);
    } else if (own.startsWith("---")) add("front-matter", start, start + own.length);
    else if (own.startsWith("```")) add("code", start, start + own.length, start + own.indexOf("\n") + 1);
    else if (own.startsWith("|"))
      add("table", start, start + own.length, start + own.indexOf("\n", own.indexOf("\n") + 1) + 1);
    else add("paragraph", start, start + own.length);
  }
  return createDocument(text, { root: sectionsOf(text, headings), blocks });
}
