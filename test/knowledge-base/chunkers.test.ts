import { describe, expect, it } from "vitest";

import {
  createContextTransformer,
  createMarkdownChunker,
  createSemanticChunker,
  createAutoChunker,
} from "../../src/chunkers/index.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createHashingModel } from "../../src/models/index.node.ts";

const text = "# Keys\n\nTurn the key. It opens.\n\n# Tea\n\nPour the tea. It is hot.\n";

describe("a knowledge base cuts as it is told to", () => {
  it("waits for a chunker that asks a model, and writes its name down [E17 E38]", async () => {
    const chunker = createSemanticChunker({ model: createHashingModel(), maxSize: 40, minSize: 0 });
    const kb = await openKnowledgeBase({ chunker });
    await kb.ingest({ uri: "a.md", mediaType: "text/markdown", text });
    const [hit] = await kb.search("pour tea");
    expect(text.slice(hit!.source.start, hit!.source.end)).toBe(hit!.text);
    expect(hit!.text).toContain("Pour the tea.");
    const again = await kb.ingest({ uri: "a.md", mediaType: "text/markdown", text });
    expect(again.unchanged).toBe(1);
    await kb.close();
  });

  it("chooses by kind, and filters on what the chosen chunker says [B36 B49]", async () => {
    const chunker = createAutoChunker({ markdown: createMarkdownChunker({ maxSize: 40, overlap: 0 }) });
    const kb = await openKnowledgeBase({ chunker });
    await kb.ingest({ uri: "a.md", mediaType: "text/markdown", text });
    const hits = await kb.search("it", { filter: { header: "Tea" }, topK: "all" });
    expect(hits.map((hit) => hit.source.headings)).toEqual([["Tea"]]);
    await kb.close();
  });

  it("finds a chunk by the context that was written before it, and cites the chunk alone [T35 E11]", async () => {
    const transformers = [createContextTransformer({ summarise: () => "About locksmithing." })];
    const kb = await openKnowledgeBase({ transformers });
    await kb.ingest({ uri: "a.md", mediaType: "text/markdown", text });
    const [hit] = await kb.search("locksmithing", { mode: "lexical" });
    expect(hit?.source.uri).toBe("a.md");
    expect(text.slice(hit!.source.start, hit!.source.end)).toBe(text.trim());
    await kb.close();
  });
});
