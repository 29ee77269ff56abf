import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Chunker, type ChunkTransformer, createSectionChunker } from "../../src/chunkers/index.ts";
import { type Chunk, type KnowledgeBase } from "../../src/index.node.ts";
import { type SourceItem } from "../../src/ingest/index.node.ts";
import { createHashingModel } from "../../src/models/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { sample } from "../support/runs.ts";

setFlagsFromString("--expose_gc");
const collectGarbage = runInNewContext("gc") as () => void;

const opened: KnowledgeBase[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((kb) => kb.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function open(options: Parameters<typeof openKnowledgeBase>[1]): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({ models: { embedding: null }, ...options });
  opened.push(kb);
  return kb;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const paragraph = (n: number): string =>
  `Share ${n} was signed by w${(n * 7919) % 5021} in room ${n % 613} after noon.`;
const makeText = (paragraphs: number): string =>
  Array.from({ length: paragraphs }, (_, n) => paragraph(n)).join("\n\n");

/** Cuts at paragraphs, and counts how many of its chunks anybody still holds. */
function watchedChunker(): { readonly chunker: Chunker; readonly cut: () => number; readonly most: () => number } {
  const inner = createSectionChunker({ maxSize: 240, overlap: 0 });
  const refs: WeakRef<Chunk>[] = [];
  let most = 0;
  const chunker: Chunker = {
    fingerprint: inner.fingerprint,
    *chunk(document) {
      for (const chunk of inner.chunk(document)) {
        refs.push(new WeakRef(chunk));
        yield chunk;
        if (refs.length % 1500 !== 0) continue;
        collectGarbage();
        most = Math.max(most, refs.filter((ref) => ref.deref() !== undefined).length);
      }
    },
  };
  return { chunker, cut: () => refs.length, most: () => most };
}

describe("a large text on its way in [E15 L7]", () => {
  it.each(
    sample(
      [
        ["without a model", null],
        ["with a model", createHashingModel({ dimensions: 8 })],
      ] as const,
      2,
    ),
  )("never has more than some batches of its chunks in memory, %s", async (_, embeddingModel) => {
    const { chunker, cut, most } = watchedChunker();
    const kb = await open({ chunker, models: { embedding: embeddingModel } });
    await kb.ingest({ uri: "a.txt", text: makeText(20_000) });
    expect(cut()).toBeGreaterThan(4500);
    // Those of the batch that is analysed, of the one that is cut, and what the engine keeps until the turn ends.
    expect(most()).toBeLessThan(2000);
    const [hit] = await kb.search("share 19777", { topK: 1 });
    expect(hit?.text).toContain(paragraph(19_777));
  });

  it("is whole before transformers, which may look at all chunks [E19]", async () => {
    const seen = new Set<number | undefined>();
    const transformer: ChunkTransformer = {
      name: "look",
      transform(chunk, { chunks }) {
        seen.add(chunks?.length);
        return chunk;
      },
    };
    const kb = await open({ chunker: createSectionChunker({ maxSize: 3000 }), transformers: [transformer] });
    const [result] = await collect(kb.ingest({ uri: "a.txt", text: makeText(20_000) }));
    expect([...seen]).toEqual([result?.chunks]);
  });

  it("is left alone when nothing changed, and embeds only what did [L7]", async () => {
    const kb = await open({
      chunker: createSectionChunker({ maxSize: 1500, overlap: 0 }),
      models: { embedding: createHashingModel({ dimensions: 8 }) },
    });
    const text = makeText(20_000);
    const first = await kb.ingest({ uri: "a.txt", text });
    expect(first).toMatchObject({ added: 1, embedded: first.chunks });
    expect(await kb.ingest({ uri: "a.txt", text })).toMatchObject({ unchanged: 1, embedded: 0 });
    const changed = text.replace(paragraph(19_999), "Nobody signed.");
    const again = await kb.ingest({ uri: "a.txt", text: changed });
    expect(again).toMatchObject({ updated: 1, embedded: 1, chunks: first.chunks });
    expect((await kb.search("nobody signed", { topK: 1 }))[0]?.text).toContain("Nobody signed.");
  });
});

describe("a large file that is read [E15 L7]", () => {
  it("is never asked for its bytes whole: once in pieces to tell whether it changed, once more to be read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ibid-pieces-"));
    folders.push(folder);
    const path = join(folder, "a.csv");
    await writeFile(path, `name,room\r\n${"Ada,12\r\nBob,13\r\n".repeat(70_000)}`);
    const kb = await open({});
    const [added] = await collect(kb.ingest(path));
    expect(added).toMatchObject({ status: "added" });
    expect((await kb.document(added!.uri))?.text.startsWith("name,room\nAda,12\nBob,13\n")).toBe(true);
    expect(await collect(kb.ingest(path))).toMatchObject([{ status: "unchanged" }]);
  });

  it("is read again while somebody writes to it, and left for later when that does not end", async () => {
    const kb = await open({ chunker: createSectionChunker({ maxSize: 3000 }) });
    let asked = 0;
    const item = (changesUntil: number): SourceItem => ({
      uri: "log.txt",
      size: 2 ** 20,
      bytes: () => Promise.reject(new Error("nobody asks for that")),
      async *pieces() {
        asked++;
        yield new TextEncoder().encode(`${makeText(2000)}\n${Math.min(asked, changesUntil)}`);
      },
    });
    const source = (changesUntil: number) => ({
      folders: [],
      async *items() {
        yield item(changesUntil);
      },
    });
    expect(await collect(kb.ingest(source(3)))).toMatchObject([{ status: "added" }]);
    expect(asked).toBe(4);
    const [failed] = await collect(kb.ingest(source(Infinity)));
    expect(failed).toMatchObject({ status: "failed", error: { code: "unreadable", uri: "log.txt" } });
    expect(failed?.error?.message).toContain("each of the 3 times");
  });
});
