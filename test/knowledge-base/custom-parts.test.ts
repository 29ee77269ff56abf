import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import type { CustomChunker } from "ibid/chunkers";
import { createMarkdownChunker } from "ibid/chunkers";
import type { CustomReader } from "ibid/readers";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "../../src/testing/assert.ts";

const open: KnowledgeBase[] = [];
afterEach(async () => {
  for (const kb of open.splice(0)) await kb.close();
});
type Options = NonNullable<Parameters<typeof openKnowledgeBase>[1]>;
const opened = async (options: Options): Promise<KnowledgeBase> => {
  const kb = await openKnowledgeBase(undefined, options);
  open.push(kb);
  return kb;
};

const text = "# Fruit\n\nApples are red.\n\n## Stone\n\nPlums are blue.\n";
const markdown = { uri: "fruit.md", text, mediaType: "text/markdown" };
const plums = { start: text.indexOf("Plums"), end: text.length - 1 };
const spans = [{ start: 0, end: text.indexOf("## Stone") }, plums];

const chunker = (cut: CustomChunker["chunk"]): CustomChunker => ({ fingerprint: "mine/1", chunk: cut });

describe("a custom chunker", () => {
  const ways: readonly (readonly [string, CustomChunker["chunk"]])[] = [
    ["a list", () => spans],
    [
      "a generator",
      function* () {
        yield* spans;
      },
    ],
    ["a promise", () => Promise.resolve(spans)],
    [
      "an async generator",
      async function* () {
        for (const span of spans) yield await Promise.resolve(span);
      },
    ],
  ];
  it.each(ways)("may return stretches alone: %s [L1]", async (_, cut) => {
    const kb = await opened({ chunker: chunker(cut) });
    await kb.ingest(markdown, { metadata: { kind: "fruit" } });
    const chunks = (await collect(kb.chunks())).map(({ chunk }) => chunk).toSorted((a, b) => a.index - b.index);
    expect(chunks).toMatchObject([
      { index: 0, text: text.slice(0, spans[0]!.end), headings: ["Fruit"], metadata: { kind: "fruit" }, line: 1 },
      {
        index: 1,
        text: "Plums are blue.",
        urtext: "Plums are blue.",
        headings: ["Fruit", "Stone"],
        sectionId: "0.0.0",
      },
    ]);
    expect(chunks.every(({ id }) => /^[0-9a-f]{32}$/u.test(id))).toBe(true);
    expect(await kb.ingest(markdown, { metadata: { kind: "fruit" } })).toMatchObject({ unchanged: 1 });
    expect((await kb.expand(chunks[1]!.id, { zoomOut: 1 }))?.text).toContain("## Stone");
  });

  it("may give text, id, headings and metadata", async () => {
    const stretch = {
      ...plums,
      text: "Fruit: plums.",
      id: "plums",
      headings: ["Plums"],
      metadata: { at: new Date(0) },
    };
    const kb = await opened({ chunker: chunker(() => [stretch]) });
    await kb.ingest(markdown, { metadata: { kind: "fruit" } });
    expect((await collect(kb.chunks()))[0]?.chunk).toMatchObject({
      id: "plums",
      text: "Fruit: plums.",
      urtext: "Plums are blue.",
      headings: ["Plums"],
      metadata: { kind: "fruit", at: "1970-01-01T00:00:00.000Z" },
    });
  });

  it("that makes whole chunks makes the same ones", async () => {
    const options = { maxSize: 20, overlap: 0 };
    const list = async (kb: KnowledgeBase) => {
      await kb.ingest(markdown);
      return (await collect(kb.chunks())).map(({ chunk }) => chunk);
    };
    const built = createMarkdownChunker(options);
    const wrapped = chunker((document, more) => built.chunk(document, more));
    expect(await list(await opened({ chunker: wrapped }))).toEqual(await list(await opened({ chunker: built })));
  });

  const wrong: readonly (readonly [string, unknown, string, string])[] = [
    ["nothing", undefined, "chunks", "chunks undefined for fruit.md; it must be a list"],
    ["a text", "cut", "chunks", 'chunks "cut"'],
    ["a chunk that is none", [7], "chunks[0]", "chunks[0] 7"],
    ["no start", [{ end: 3 }], "chunks[0].start", "chunks[0].start undefined"],
    ["a start that is none", [{ start: "0", end: 3 }], "chunks[0].start", 'chunks[0].start "0"'],
    ["an end beyond", [{ start: 0, end: 999 }], "chunks[0].end", "chunks[0].end 999"],
    ["an empty stretch", [{ start: 3, end: 3 }], "chunks[0].end", "a whole number above start"],
    ["disorder", [plums, { start: 0, end: 3 }], "chunks[1].start", "chunks come in order"],
    ["a text that is none", [{ ...plums, text: 7 }], "chunks[0].text", "chunks[0].text 7 "],
    ["a blank id", [{ ...plums, id: " " }], "chunks[0].id", 'chunks[0].id " "'],
    ["headings that are none", [{ ...plums, headings: "a" }], "chunks[0].headings", 'chunks[0].headings "a"'],
    ["another slice", [{ ...plums, urtext: "Pears" }], "chunks[0].urtext", "the text from start to end"],
  ];
  it.each(wrong)("is refused by chunker, field and value: %s", async (_, cut, field, message) => {
    const kb = await opened({ chunker: chunker(() => cut as never) });
    const { failures } = await kb.ingest(markdown);
    expect(failures).toMatchObject([
      { uri: "fruit.md", error: { code: "invalid-response", details: { chunker: "mine/1", field } } },
    ]);
    expect(failures[0]?.error.message).toContain(message);
  });

  it("without a fingerprint is refused at once", async () => {
    const refused = openKnowledgeBase(undefined, { chunker: { chunk: () => [] } as never });
    await expect(refused).rejects.toMatchObject({ code: "invalid-argument", details: { field: "fingerprint" } });
  });
});

const reader = (read: CustomReader["read"]): CustomReader => ({
  name: "recipes/1",
  accepts: (mediaType) => mediaType === "text/x-recipe",
  read,
});
const recipe = { uri: "soup.recipe", text: "Soup\nBoil water.\nServing\nUse bowls.", mediaType: "text/x-recipe" };

describe("a custom reader", () => {
  it("may return a text alone", async () => {
    const kb = await opened({ readers: [reader(({ bytes }) => new TextDecoder().decode(bytes))] });
    await kb.ingest(recipe);
    expect(await kb.document("soup.recipe")).toMatchObject({
      text: recipe.text,
      title: "soup.recipe",
      root: { id: "0", level: 0, start: 0, end: recipe.text.length, children: [] },
      sourceMap: { lines: "none" },
    });
  });

  it("may return a text with headings and metadata", async () => {
    const headings = [
      { title: "Soup", start: 0 },
      { title: "Serving", start: recipe.text.indexOf("Serving"), level: 2 },
    ];
    const read = () => Promise.resolve({ text: recipe.text, headings, metadata: { cooked: new Date(0) } });
    const kb = await opened({ readers: [reader(read)] });
    await kb.ingest(recipe);
    const document = await kb.document("soup.recipe");
    expect(document).toMatchObject({ title: "Soup", metadata: { cooked: "1970-01-01T00:00:00.000Z" } });
    expect((await kb.outline("soup.recipe"))?.sections.map(({ headings: path }) => path)).toEqual([
      [],
      ["Soup"],
      ["Soup", "Serving"],
    ]);
    const [hit] = await kb.search("bowls");
    expect(hit?.source).toMatchObject({ uri: "soup.recipe", title: "Soup" });
    expect(await kb.ingest(recipe)).toMatchObject({ unchanged: 1 });
  });

  const root = { id: "0", title: "Soup", level: 0, start: 0, end: 4, contentStart: 0, children: [] };
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["nothing", undefined, "a result undefined for soup.recipe"],
    ["no text", { title: "Soup" }, "text undefined"],
    ["a title that is none", { text: "Soup", title: 7 }, "title 7"],
    ["headings that are none", { text: "Soup", headings: "Soup" }, 'headings "Soup"'],
    ["a heading without a start", { text: "Soup", headings: [{ title: "Soup" }] }, "headings[0].start undefined"],
    ["a level that is none", { text: "Soup", headings: [{ title: "S", start: 0, level: 9 }] }, "headings[0].level 9"],
    ["a media type that is none", { text: "Soup", mediaType: 4 }, "mediaType 4"],
    [
      "disorder",
      {
        text: "Soup",
        headings: [
          { title: "S", start: 3 },
          { title: "S", start: 0 },
        ],
      },
      "headings[1].start 0",
    ],
    ["a root that is none", { text: "Soup", root: "0" }, 'root "0"'],
    ["a field that nothing reads", { text: "Soup", heading: [] }, "heading a list"],
    [
      "a heading's field that nothing reads",
      { text: "Soup", headings: [{ title: "S", start: 0, deep: 2 }] },
      "headings[0].deep 2",
    ],
    ["a section that is none", { text: "Soup", root: { ...root, children: [null] } }, "root.children[0] null"],
    [
      "a section of no place",
      { text: "Soup", root: { ...root, children: [{ id: "0.1", title: "S", level: 1 }] } },
      "root.children[0].start undefined",
    ],
    ["a section without an id", { text: "Soup", root: { ...root, id: undefined } }, "root.id undefined"],
    [
      "sections of one id",
      { text: "Soup", root: { ...root, children: [{ ...root, level: 1 }] } },
      'root.children[0].id "0"',
    ],
    ["a block that is none", { text: "Soup", blocks: [null] }, "blocks[0] null"],
    [
      "a block of an unknown kind",
      { text: "Soup", blocks: [{ kind: "zebra", start: 0, end: 4 }] },
      'blocks[0].kind "zebra"',
    ],
    [
      "a block between two characters",
      { text: "Soup", blocks: [{ kind: "table", start: 0.5, end: 4 }] },
      "blocks[0].start 0.5",
    ],
    ["a note that is no sentence", { text: "Soup", notes: [{ page: 1 }] }, "notes[0] an object"],
    ["a map without its lines", { text: "Soup", sourceMap: {} }, "sourceMap.lines undefined"],
    ["a page that is none", { text: "Soup", sourceMap: { lines: "none", pages: [null] } }, "sourceMap.pages[0] null"],
    [
      "a page without a number",
      { text: "Soup", sourceMap: { lines: "none", pages: [{ start: 0 }] } },
      "sourceMap.pages[0].number undefined",
    ],
    [
      "an anchor's line as words",
      { text: "Soup", sourceMap: { lines: "anchors", anchors: [{ start: 0, line: "1" }] } },
      'sourceMap.anchors[0].line "1"',
    ],
    [
      "a time that ends before it begins",
      { text: "Soup", sourceMap: { lines: "none", times: [{ start: 0, from: 2, to: 1 }] } },
      "sourceMap.times[0].to 1",
    ],
    [
      "a mark beyond the text",
      { text: "Soup", sourceMap: { lines: "none", marks: [{ kind: "contents", start: 0, end: 9 }] } },
      "sourceMap.marks[0].end 9",
    ],
    [
      "a link without an address",
      { text: "Soup", sourceMap: { lines: "none", links: [{ start: 0, end: 4 }] } },
      "sourceMap.links[0].url undefined",
    ],
    [
      "a part whose map is none",
      { text: "Soup", sourceMap: { lines: "none", parts: [{ name: "a", start: 0, end: 4 }] } },
      "sourceMap.parts[0].sourceMap undefined",
    ],
    [
      "a field that no map has",
      { text: "Soup", sourceMap: { lines: "none", page: [{ number: 1, start: 0 }] } },
      "sourceMap.page a list",
    ],
    [
      "a recognised page without its number",
      { text: "Soup", sourceMap: { lines: "none", recognised: [{ text: "Soup" }] } },
      "sourceMap.recognised[0].page undefined",
    ],
    [
      "a recognised word without its place",
      {
        text: "Soup",
        sourceMap: { lines: "none", recognised: [{ page: 1, text: "Soup", words: [{ text: "Soup" }] }] },
      },
      "sourceMap.recognised[0].words[0].x undefined",
    ],
    ["metadata that JSON cannot hold", { text: "Soup", metadata: { big: 1n } }, "metadata.big is a bigint"],
  ];
  it.each(wrong)("is refused by reader, field and value: %s", async (_, result, message) => {
    const kb = await opened({ readers: [reader(() => result as never)] });
    const { failures } = await kb.ingest(recipe);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.error.message).toContain(message);
    expect(failures[0]?.error.message).toContain("recipes/1");
  });

  it("without a name is refused at once", async () => {
    const refused = openKnowledgeBase(undefined, { readers: [{ accepts: () => true, read: () => "" } as never] });
    await expect(refused).rejects.toMatchObject({ code: "invalid-argument", details: { field: "name" } });
  });

  it.each([
    ["name", { name: "" }],
    ["readText", { readText: "Soup" }],
  ])("with a wrong %s is refused at once", async (field, wrongly) => {
    const refused = openKnowledgeBase(undefined, { readers: [{ ...reader(() => "Soup"), ...wrongly } as never] });
    await expect(refused).rejects.toMatchObject({ code: "invalid-argument", details: { field } });
  });

  it("that answers whether it accepts with a promise is refused, and does not take every file", async () => {
    const kb = await opened({ readers: [{ ...reader(() => "Soup"), accepts: () => Promise.resolve(false) as never }] });
    const { failures } = await kb.ingest(recipe);
    expect(failures[0]?.error).toMatchObject({ code: "invalid-argument", details: { field: "accepts" } });
    expect(failures[0]?.error.message).toContain("accepts of recipes/1 returned a promise");
  });
});
