import { afterEach, describe, expect, it } from "vitest";
import { createSectionChunker } from "../../src/chunkers/index.ts";
import { type Hit, type KnowledgeBase, openKnowledgeBase, type OpenOptions } from "../../src/index.node.ts";
import { type Retriever } from "../../src/search/index.ts";

const opened: KnowledgeBase[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((kb) => kb.close()))));

const text = `# Manual

Opening words about everything.

## Keys

Keys in general: what they open.

### Rotation

Keys rotate every ninety days.

## Rooms

Rooms are numbered.
`;

async function openWith(options: OpenOptions = {}): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({
    chunker: createSectionChunker({ maxSize: 60, overlap: 0 }),
    ...options,
  });
  opened.push(kb);
  await kb.ingest({ uri: "manual.md", text, mediaType: "text/markdown" });
  return kb;
}

async function structureOf(kb: KnowledgeBase, words: string) {
  const [hit] = await kb.search(words, { mode: "lexical", topK: 1 });
  return hit?.structure;
}

describe("the structure keys of what leaves a knowledge base [E12]", () => {
  it("tell a leaf and the container around it, of how many chunks, and follow every edit", async () => {
    const kb = await openWith();
    const { id, chunks } = (await kb.document("manual.md"))!;
    const root = { rootDocumentId: id, rootDocumentTitle: "Manual", totalChunks: chunks };
    const url = "manual.md";
    const rotation = {
      ...root,
      containerSectionId: "0.0.0",
      containerSectionTitle: "Keys",
      containerSectionUrl: url,
      leafSectionId: "0.0.0.0",
      leafSectionTitle: "Rotation",
      leafSectionUrl: url,
    };
    const index = expect.any(Number) as number;
    expect(await structureOf(kb, "ninety days")).toEqual({ ...rotation, chunkIndex: index, sequenceNumber: index });
    // Between the sections of a container: no leaf.
    expect(await structureOf(kb, "general")).toEqual({
      ...root,
      chunkIndex: index,
      sequenceNumber: index,
      containerSectionId: "0.0.0",
      containerSectionTitle: "Keys",
      containerSectionUrl: url,
    });

    const longer = `${text}\n## Doors\n\nDoors close by themselves at night.\n`;
    await kb.ingest({ uri: "manual.md", text: longer, mediaType: "text/markdown" });
    expect((await structureOf(kb, "ninety days"))?.totalChunks).toBe(chunks + 1);
    expect((await structureOf(kb, "doors night"))?.chunkIndex).toBe(chunks);
  });

  it("are on the chunks of an excerpt, and on hits of a retriever that does not give them", async () => {
    const kb = await openWith();
    const [hit] = await kb.search("ninety days", { mode: "lexical", topK: 1 });
    const excerpt = await kb.expand(hit!, { zoomOut: 1 });
    expect(excerpt?.chunks.map(({ structure }) => structure)).toEqual([hit?.structure]);

    let plain: readonly Hit[] = [];
    const retriever: Retriever = { retrieve: async () => plain };
    const other = await openWith({ search: { retriever } });
    const { structure: _, ...bare } = hit!;
    plain = [bare];
    expect((await other.search("anything"))[0]?.structure).toEqual(hit?.structure);
  });

  it("cost no byte in the store: the metadata stay what was given", async () => {
    const kb = await openWith();
    const [hit] = await kb.search("ninety days", { mode: "lexical", topK: 1 });
    expect(Object.keys(hit!.metadata).filter((key) => key.includes("chunk") || key.includes("section"))).toEqual([]);
  });
});
