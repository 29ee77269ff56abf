import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { DocumentStore } from "../../src/contracts/store.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";

/** Text that a store handed out. **Units** UTF-16 code units. */
interface Counts {
  text: number;
  chunks: number;
  whole: number;
  /** The longest slice. */
  longest: number;
}

/** A document store that counts the text that it hands out. `before` runs before each read of a slice. */
function counting(documents: DocumentStore, counts: Counts, before: () => Promise<void>): DocumentStore {
  const chunk = (text: string): void => {
    counts.chunks++;
    counts.text += text.length;
  };
  return {
    ...documents,
    close: () => documents.close(),
    async readText(...asked) {
      await before();
      const text = await documents.readText!(...asked);
      counts.text += text?.length ?? 0;
      counts.longest = Math.max(counts.longest, text?.length ?? 0);
      return text;
    },
    async document(...asked) {
      const stored = await documents.document(...asked);
      counts.whole++;
      counts.text += stored?.document.text.length ?? 0;
      return stored;
    },
    async find(...asked) {
      const found = await documents.find(...asked);
      counts.whole += found.length;
      for (const { document } of found) counts.text += document.text.length;
      return found;
    },
    async *chunks(...asked) {
      for await (const each of documents.chunks(...asked)) {
        chunk(each.chunk.urtext);
        yield each;
      }
    },
    async readChunks(...asked) {
      const read = await documents.readChunks(...asked);
      for (const each of read) if (each !== undefined) chunk(each.chunk.urtext);
      return read;
    },
  };
}

const model: ChatModel = {
  provider: "test",
  model: "script",
  chat: async () => ({ message: { role: "assistant", content: "The heron waits [1]." } }),
  async *stream() {
    const content = "The heron waits near gate 577 [1]. It waits again [2].";
    yield { type: "text", delta: content };
    yield { type: "finish", result: { message: { role: "assistant", content } } };
  },
};

const paragraph = (i: number): string =>
  `The heron – bird ${i} – waits near gate ${i} of the river. ${"Water runs under the old bridge. ".repeat(20)}`;

/** More than 400,000 characters in sections of five paragraphs and some code. */
const sectioned = `# Birds\n\n${Array.from({ length: 600 }, (_, i) =>
  i % 5 === 0 ? `## Part ${i}\n\n${paragraph(i)}\n\n\`\`\`js\nheron(${i});\n\`\`\`` : paragraph(i),
).join("\n\n")}`;

/** Rows, with a heading of columns. */
const rows = `bird,place,note\n${Array.from({ length: 6000 }, (_, i) => `heron ${i},gate ${i},water and bridges`).join("\n")}`;

const counts: Counts = { text: 0, chunks: 0, whole: 0, longest: 0 };
let swap: (() => Promise<unknown>) | undefined;

async function open(): Promise<[KnowledgeBase, KnowledgeBase]> {
  const { documents, ...parts } = createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions({}),
    embeddings: ["dense"],
    secret: createSecret(),
  });
  const before = async (): Promise<void> => {
    const work = swap;
    swap = undefined;
    await work?.();
  };
  const store = composeStore({ ...parts, documents: counting(documents, counts, before) });
  return [await openKnowledgeBase({ store }), await openKnowledgeBase({ store, models: { chat: model } })];
}

/** Text that a call reads. */
async function textOf(work: () => PromiseLike<unknown>): Promise<Counts> {
  Object.assign(counts, { text: 0, chunks: 0, whole: 0, longest: 0 });
  await work();
  return { ...counts };
}

describe("a large document", () => {
  let [kb, withModel]: [KnowledgeBase, KnowledgeBase] = [] as never;
  beforeAll(async () => {
    [kb, withModel] = await open();
    await kb.ingest({ uri: "large.md", text: sectioned });
    await kb.ingest({ uri: "large.csv", text: rows });
  });
  afterAll(() => kb.close());

  it("is large, and counts as read where it is read whole", async () => {
    const { text, whole } = await textOf(() => kb.document("large.md"));
    expect(whole).toBe(1);
    expect(text).toBe(sectioned.length);
    expect(text).toBeGreaterThan(400_000);
  });

  it("is not read whole by an answer of its own passages, which reads text around the hits and the beginning [L2]", async () => {
    const answers: Awaited<ReturnType<KnowledgeBase["ask"]>>[] = [];
    const read = await textOf(async () => answers.push(await kb.ask("Which bird waits near gate 577?")));
    expect(answers[0]!.citations.length).toBeGreaterThan(0);
    for (const { uri, start, end, quote } of answers[0]!.citations) {
      expect(uri).toBe("large.md");
      expect(sectioned.slice(start, end)).toBe(quote);
    }
    expect(read.whole).toBe(0);
    expect(read.chunks).toBe(5);
    expect(read.text).toBeLessThan(0.15 * sectioned.length);
  });

  it("is not read whole by a model's answer, which reads its chunks and its quotes [L2]", async () => {
    const answers: Awaited<ReturnType<KnowledgeBase["ask"]>>[] = [];
    const read = await textOf(async () => answers.push(await withModel.ask("Which bird waits near gate 577?")));
    expect(answers[0]!.citations.length).toBeGreaterThan(0);
    expect(read.whole).toBe(0);
    expect(read.chunks).toBe(5);
    expect(read.text).toBeLessThan(0.02 * sectioned.length);
  });

  it.each([
    ["large.md", "bird 501", { neighbours: 2 }, 5],
    ["large.md", "bird 501", { zoomOut: 1 }, 20],
    ["large.md", "bird 501", { zoomOut: 9, maxLength: 4000 }, 6],
    ["large.csv", "gate 5900", { neighbours: 2 }, 5],
    ["large.csv", "gate 5900", { zoomOut: 1, maxLength: 4000 }, 6],
  ] as const)("is not read whole to expand a chunk: %s, %s, %j", async (uri, words, options, mostChunks) => {
    const found = (await kb.search(words, { topK: 20 })).find(({ source }) => source.uri === uri);
    expect(found).toBeDefined();
    const excerpts: Awaited<ReturnType<KnowledgeBase["expand"]>>[] = [];
    const read = await textOf(async () => excerpts.push(await kb.expand(found!.chunkId, options)));
    const [excerpt] = excerpts;
    const text = uri === "large.md" ? sectioned : rows;
    expect(excerpt!.text).toBe(text.slice(excerpt!.start, excerpt!.end));
    expect(excerpt!.line).toBe(text.slice(0, excerpt!.start).split("\n").length);
    expect(read.whole).toBe(0);
    expect(read.chunks).toBeLessThanOrEqual(mostChunks + 1);
    expect(read.text).toBeLessThan(4 * excerpt!.text.length + 2000);
  });

  it("is not read whole to show a section, or a part of its text, or its chunks", async () => {
    const section = (await kb.outline("large.md"))!.sections.find(({ title }) => title === "Part 300")!;
    const shown: unknown[] = [];
    const ofSection = await textOf(async () => shown.push(await kb.section("large.md", section.id)));
    expect(shown[0]).toMatchObject({ text: sectioned.slice(section.start, section.end), line: section.line });
    expect(ofSection.whole).toBe(0);
    expect(ofSection.text).toBeLessThan(4 * (section.end - section.start) + section.start);

    const { start } = section;
    const part = await textOf(async () => shown.push(await kb.document("large.md", { start, end: start + 50 })));
    const { length } = sectioned;
    expect(shown[1]).toMatchObject({ text: sectioned.slice(start, start + 50), start, end: start + 50, length });
    expect(part).toMatchObject({ whole: 0, chunks: 0, text: 50 });
    const past = await kb.document("large.md", { start: length - 3, end: length + 9 });
    expect(past).toMatchObject({ text: sectioned.slice(-3), start: length - 3, end: length, length });
    expect(await kb.document("large.md", { start: length + 5 })).toMatchObject({
      text: "",
      start: length,
      end: length,
    });
    await expect(kb.document("large.md", { start: 5, end: 4 })).rejects.toThrow("end is 4");
    expect((await textOf(() => kb.delete("nothing.md"))).whole).toBe(0);
  });

  it("is read in pieces for the lines of its outline, and not at all where sections have none", async () => {
    const outlines: Awaited<ReturnType<KnowledgeBase["outline"]>>[] = [];
    const read = await textOf(async () => outlines.push(await kb.outline("large.md")));
    expect(outlines[0]!.sections).toHaveLength(122);
    for (const { start, line } of outlines[0]!.sections)
      expect(line).toBe(sectioned.slice(0, start).split("\n").length);
    expect(outlines[0]!.length).toBe(sectioned.length);
    expect(read).toMatchObject({ whole: 0, chunks: 0 });
    expect(read.text).toBeLessThanOrEqual(sectioned.length);
    expect(read.longest).toBeLessThanOrEqual(131_072);
    await kb.ingest({ uri: "page.html", text: `<h1>Birds</h1><p>${"A heron waits. ".repeat(9000)}</p><h2>More</h2>` });
    expect(await textOf(() => kb.outline("page.html"))).toMatchObject({ whole: 0, text: 0 });
  });

  it.each([
    ["its text", "gate 504 of", "door 504 of"],
    ["a heading above it", "# Birds", "# Geese"],
  ])("is expanded in one version when %s is swapped meanwhile", async (_, from, to) => {
    const [hit] = await kb.search("bird 501", { topK: 1 });
    // The chunk stays what it was.
    swap = () => kb.ingest({ uri: "large.md", text: sectioned.replace(from, to) });
    const excerpt = await kb.expand(hit!.chunkId, { zoomOut: 1 });
    expect(swap).toBeUndefined();
    const text = sectioned.replace(from, to);
    expect(excerpt!.text).toBe(text.slice(excerpt!.start, excerpt!.end));
    expect(excerpt!.headings).toEqual([text.slice(2, 7), "Part 500"]);
    for (const chunk of excerpt!.chunks) expect(chunk.text).toBe(text.slice(chunk.start, chunk.end));
  });

  it("is cut in one version when its text is swapped meanwhile", async () => {
    const text = `Before. ${sectioned}`;
    await kb.ingest({ uri: "swapped.md", text: sectioned });
    swap = () => kb.ingest({ uri: "swapped.md", text });
    const part = await kb.document("swapped.md", { start: 0, end: 20 });
    expect(swap).toBeUndefined();
    expect(part).toMatchObject({ text: text.slice(0, 20), length: text.length });
    swap = () => kb.ingest({ uri: "swapped.md", text: sectioned });
    const outline = await kb.outline("swapped.md");
    expect(outline!.length).toBe(sectioned.length);
    expect(outline!.sections.at(-1)).toMatchObject({ start: sectioned.lastIndexOf("## Part") });
    await kb.delete("swapped.md", { purge: true });
  });

  it("is expanded in one version when its title is swapped meanwhile", async () => {
    const [hit] = await kb.search("bird 501", { topK: 1 });
    swap = () => kb.ingest({ uri: "large.md", text: sectioned, title: "Another" });
    await kb.ingest({ uri: "large.md", text: sectioned, title: "One" });
    expect(await kb.expand(hit!.chunkId, { zoomOut: 1 })).toMatchObject({ title: "Another" });
  });
});
