import type { Excerpt } from "../../src/contracts/expansion.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { check, equal, throwsCode } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";
import { chunkOf, documentOf } from "../../src/testing/store-fixtures.ts";

/** Four paragraphs, each long enough to be a chunk of its own. */
const paragraphs = (word: string): string =>
  Array.from({ length: 4 }, (_, i) =>
    `${word}${i} ${`${word} lantern `.repeat(Math.ceil(1300 / (word.length + 9)))}`.trim(),
  ).join("\n\n");

const headings = ["# One", "## Heron", "## Otter", "# Two", "## Newt"];
const text = `Before all.\n\n${headings
  .map((heading) =>
    heading.startsWith("## ") ? `${heading}\n\n${paragraphs(heading.slice(3).toLowerCase())}` : heading,
  )
  .join("\n\n")}`;

async function chunkWith(kb: KnowledgeBase, word: string): Promise<string> {
  const [hit] = await kb.search(word, { mode: "lexical", topK: 1 });
  check(hit !== undefined, `a chunk with ${word}`);
  return hit?.chunkId ?? "";
}

/** What holds of every excerpt, whatever it was made for. */
function checkExcerpt(excerpt: Excerpt | undefined, what: string): Excerpt {
  check(excerpt !== undefined, `${what} is there`);
  const made = excerpt;
  equal(made.text, text.slice(made.start, made.end), `${what}: the text is the document's own`);
  const { start, end } = made.whole;
  check(start <= made.start && made.end <= end, `${what}: it lies in what it was cut from`, made.whole);
  equal(made.truncated, made.end - made.start !== end - start, `${what}: truncated`);
  const order = made.chunks.map(({ index }) => index);
  equal(
    order,
    order.toSorted((a, b) => a - b),
    `${what}: chunks in order`,
  );
  for (const chunk of made.chunks) {
    equal(chunk.text, text.slice(chunk.start, chunk.end), `${what}: the text of a chunk`);
    check(made.start <= chunk.start && chunk.end <= made.end, `${what}: chunks lie in it`, chunk);
  }
  return made;
}

/** What a knowledge base promises about what stands around a chunk. */
export const excerptCases: readonly KnowledgeBaseCase[] = [
  [
    "neighbours-of-the-same-section-in-order",
    "E53 E52 E12 L1",
    async (open) => {
      const kb = await open();
      await kb.ingest(documentOf("book.md", text));
      const id = await chunkWith(kb, "otter0");
      const far = checkExcerpt(await kb.expand(id, { neighbours: 100 }), "all neighbours");
      const one = (await kb.outline("book.md"))?.sections.find(({ title }) => title === "One");
      equal(far.sectionId, one?.id, "the section that contains a leaf's chunk");
      check(far.chunks.length >= 6, "chunks of the section", far.chunks.length);
      check(
        (one?.start ?? 0) <= far.start && far.end <= (one?.end ?? 0) && !far.text.includes("newt"),
        "neighbours stay within it",
        [far.start, far.end],
      );
      const order = far.chunks.map(({ chunkId }) => chunkId);
      const at = order.indexOf(id);
      check(at > 0 && at < order.length - 1, "the chunk itself is among them", at);
      for (const neighbours of [0, 1, 2]) {
        const near = checkExcerpt(await kb.expand({ chunkId: id }, { neighbours }), `${neighbours} neighbours`);
        equal(
          near.chunks.map(({ chunkId }) => chunkId),
          order.slice(Math.max(0, at - neighbours), at + neighbours + 1),
          `${neighbours} before and after`,
        );
        equal([near.start, near.end], [near.chunks[0]?.start, near.chunks.at(-1)?.end], "from the first to the last");
      }
    },
  ],
  [
    "zooms-out-to-the-section-and-those-above",
    "E53 E52 E2 E7 L1",
    async (open) => {
      const kb = await open();
      await kb.ingest(documentOf("book.md", text));
      const id = await chunkWith(kb, "newt2");
      const up = async (zoomOut: number, maxLength = 1_000_000): Promise<Excerpt> =>
        checkExcerpt(await kb.expand(id, { zoomOut, maxLength }), `zoomed out ${zoomOut} times`);
      const levels = [await up(1), await up(2), await up(3), await up(9)];
      equal(
        levels.map(({ kind, headings: titles }) => [kind, titles]),
        [
          ["leaf", ["Two", "Newt"]],
          ["container", ["Two"]],
          ["root", []],
          ["root", []],
        ],
        "sections on the way up",
      );
      equal(levels[2]?.text, text, "the whole");
      const cut = await up(3, 2000);
      check(
        cut.truncated && cut.text.length <= 2000 && cut.text.length > 1900,
        "no longer than allowed",
        cut.text.length,
      );
      check(
        cut.chunks.some(({ chunkId }) => chunkId === id),
        "what is cut still holds the chunk",
      );
      const long = await kb.expand(id, { zoomOut: 3 });
      check(long !== undefined && long.text.length <= 25_000, "25,000 characters by default", long?.text.length);
    },
  ],
  [
    "outlines-and-sections",
    "E52 E2 E7 E8 L1",
    async (open) => {
      const kb = await open();
      await kb.ingest(documentOf("book.md", text));
      const outline = await kb.outline("book.md");
      equal(
        outline?.sections.map(({ id, title, level, kind, headings: titles }) => [id, title, level, kind, titles]),
        [
          ["0", outline?.sections[0]?.title, 0, "root", []],
          ["0.0", "One", 1, "container", ["One"]],
          ["0.0.0", "Heron", 2, "leaf", ["One", "Heron"]],
          ["0.0.1", "Otter", 2, "leaf", ["One", "Otter"]],
          ["0.1", "Two", 1, "container", ["Two"]],
          ["0.1.0", "Newt", 2, "leaf", ["Two", "Newt"]],
        ],
        "the outline, in reading order",
      );
      equal(outline?.length, text.length, "the length of the text");
      for (const { id, start, end } of outline?.sections ?? []) {
        const section = checkExcerpt(await kb.section("book.md", id, { maxLength: 1_000_000 }), `section ${id}`);
        equal([section.start, section.end, section.truncated], [start, end, false], `section ${id} is whole`);
      }
      const cut = checkExcerpt(await kb.section("book.md", "0.0", { maxLength: 50 }), "a section that is cut");
      equal([cut.text.length, cut.truncated, cut.text.startsWith("# One")], [50, true, true], "from its beginning");
      equal(await kb.section("book.md", "0.7"), undefined, "a section that is not there");
      equal(await kb.section("none.md", "0"), undefined, "a section of a document that is not there");
      equal(await kb.outline("none.md"), undefined, "an outline of a document that is not there");
      equal(await kb.expand("none", { neighbours: 1 }), undefined, "a chunk that is not there");
      await kb.ingest([chunkOf("loose", { text: "a chunk that came alone" })]);
      const alone = await kb.expand("loose", { zoomOut: 1 });
      equal(alone?.text, "a chunk that came alone", "the document that was composed of a chunk");
    },
  ],
  [
    "excerpts-are-gated-too",
    "E52 T26 L3",
    async (open) => {
      const kb = await open();
      const scopes: readonly Scope[] = ["deployment", "team:north", "user:nils"];
      for (const scope of scopes) await kb.ingest(documentOf("book.md", text), { scope });
      await kb.ingest(documentOf("secret.md", `# Hidden\n\nWhere the amulet is.`), { scope: "team:north" });
      const [hit] = await kb.search("amulet", { mode: "lexical" });
      check(hit !== undefined, "the operator finds it");
      const id = hit?.chunkId ?? "";
      const see = async (view: KnowledgeBase): Promise<readonly unknown[]> => [
        (await view.expand(id, { neighbours: 1 }))?.uri,
        (await view.expand({ chunkId: id, scope: "team:north" }, { zoomOut: 1 }))?.uri,
        (await view.outline("secret.md"))?.uri,
        (await view.outline("secret.md", { scope: "team:north" }))?.uri,
        (await view.section("secret.md", "0"))?.uri,
        (await view.section("secret.md", "0", { scope: "team:north" }))?.uri,
      ];
      equal(await see(kb.as({ teamId: "north" })), Array(6).fill("secret.md"), "what its team sees");
      equal(await see(kb.as({ teamId: "south" })), Array(6).fill(undefined), "what another team sees");
      equal(await see(kb.as({})), Array(6).fill(undefined), "what somebody unknown sees");
      await throwsCode(() => kb.outline("book.md"), "ambiguous", "an outline of three scopes");
      await throwsCode(() => kb.section("book.md", "0"), "ambiguous", "a section of three scopes");
      equal((await kb.section("book.md", "0", { scope: "user:nils" }))?.scope, "user:nils", "one that is named");
      for (const scope of scopes) await kb.ingest([chunkOf("same", { text: "amulet" })], { scope });
      await throwsCode(() => kb.expand("same", { neighbours: 1 }), "ambiguous", "a chunk of three scopes");
    },
  ],
  [
    "wrong-expansions-refused",
    "E52",
    async (open) => {
      const kb = await open();
      await kb.ingest(documentOf("book.md", text));
      const id = await chunkWith(kb, "heron0");
      const wrong: readonly object[] = [
        {},
        { neighbours: 1, zoomOut: 1 },
        { neighbours: -1 },
        { neighbours: 0.5 },
        { zoomOut: 0 },
        { zoomOut: 1, maxLength: 0 },
        { neighbours: 1, maxLength: 5 },
        { zoomOut: 1, nonsense: true },
      ];
      for (const options of wrong) {
        await throwsCode(
          () => kb.expand(id, options as { neighbours: number }),
          "invalid-argument",
          JSON.stringify(options),
        );
      }
      await throwsCode(() => kb.section("book.md", "0", { maxLength: 0 }), "invalid-argument", "nothing of a section");
      await throwsCode(() => kb.outline("book.md", { nonsense: 1 } as object), "invalid-argument", "an unknown option");
    },
  ],
];
