import { describe, expect, it } from "vitest";

import { createAutoChunker } from "../../src/chunkers/auto-chunker.ts";
import { findDocumentKind } from "../../src/chunkers/chunk-by-kind.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createSemanticChunker, type SemanticChunkerOptions } from "../../src/chunkers/semantic-chunker.ts";
import { createSpreadsheetChunker } from "../../src/chunkers/spreadsheet-chunker.ts";
import { createWholeChunker } from "../../src/chunkers/whole-chunker.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../../src/contracts/chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import type { Embedding } from "../../src/contracts/embedding.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import { createDocument } from "./generated-document.ts";

async function texts(chunker: Chunker | AsyncChunker, document: TextDocument, signal?: AbortSignal): Promise<string[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of chunker.chunk(document, signal && { signal })) chunks.push(chunk);
  return chunks.map(({ text }) => text);
}

/** Ships point one way, tea another. */
const model = createFixedEmbeddingModel(
  {},
  { dimensions: 2, otherwise: (text) => (text.includes("ship") ? [1, 0] : [0, 1]) },
);
const semantic = (options: Partial<SemanticChunkerOptions> = {}): AsyncChunker =>
  createSemanticChunker({ model, neighbours: 0, minSize: 0, percentile: 60, ...options });

describe("the semantic chunker", () => {
  const document = createDocument("A ship sails. The ship stops. Tea is hot. Tea is good. A ship again.");

  it("cuts where the meaning changes by more than most sentences do [E17]", async () => {
    // Distances 0, 1, 0, 1, in order 0, 0, 1, 1: at 49 percent of 3, between the second and the third, is 0.47.
    expect(await texts(semantic({ percentile: 49 }), document)).toEqual([
      "A ship sails. The ship stops.",
      "Tea is hot. Tea is good.",
      "A ship again.",
    ]);
    // At 80 percent it is 1, and nothing is above that.
    expect(await texts(semantic({ percentile: 80 }), document)).toEqual([document.text]);
  });

  it("keeps the size whatever the meaning, and does not stop before the smallest [E17]", async () => {
    expect(await texts(semantic({ percentile: 49, maxSize: 20 }), document)).toEqual([
      "A ship sails.",
      "The ship stops.",
      "Tea is hot.",
      "Tea is good.",
      "A ship again.",
    ]);
    expect(await texts(semantic({ percentile: 49, minSize: 30 }), document)).toEqual([
      "A ship sails. The ship stops. Tea is hot. Tea is good.",
      "A ship again.",
    ]);
  });

  it("embeds each sentence with its neighbours, in batches, as documents [E17]", async () => {
    const watched = createFixedEmbeddingModel({}, { dimensions: 2, maxBatchSize: 2, otherwise: () => [1, 1] });
    await texts(semantic({ model: watched, neighbours: 1 }), createDocument("One. Two. Three."));
    expect(watched.calls).toEqual([
      { inputs: ["One. Two.", "One. Two. Three."], purpose: "document" },
      { inputs: ["Two. Three."], purpose: "document" },
    ]);
  });

  it("asks nobody about a single sentence, nor before a chunk is wanted [E17]", async () => {
    const watched = createFixedEmbeddingModel({});
    semantic({ model: watched }).chunk(document);
    expect(await texts(semantic({ model: watched }), createDocument("One alone."))).toEqual(["One alone."]);
    expect(await texts(semantic({ model: watched }), createDocument(" \n"))).toEqual([]);
    expect(watched.calls).toEqual([]);
  });

  it("takes sparse and hybrid embeddings too", async () => {
    const like = (make: (text: string) => Embedding): EmbeddingModel =>
      createFixedEmbeddingModel({}, { dimensions: 2, otherwise: make });
    const sparse = like((text) => ({ indices: [text.includes("ship") ? 3 : 7], values: [2] }));
    const hybrid = like((text) => ({
      dense: text.includes("ship") ? [1, 0] : [0, 1],
      sparse: { indices: [], values: [] },
    }));
    const expected = await texts(semantic({ percentile: 49 }), document);
    expect(await texts(semantic({ percentile: 49, model: sparse }), document)).toEqual(expected);
    expect(await texts(semantic({ percentile: 49, model: hybrid }), document)).toEqual(expected);
  });

  it("says what a model did wrong", async () => {
    const answering = (embed: EmbeddingModel["embed"]): AsyncChunker => semantic({ model: { ...model, embed } });
    const failing = answering(() => Promise.reject(new Error("down")));
    await expect(texts(failing, document)).rejects.toMatchObject({ code: "embedding-failed" });
    const short = answering(() => Promise.resolve({ embeddings: [[1, 0]] }));
    await expect(texts(short, document)).rejects.toMatchObject({ code: "invalid-response", details: { got: 1 } });
    const uneven = answering((inputs) =>
      Promise.resolve({ embeddings: inputs.map((_, i) => (i === 0 ? [1] : [1, 0])) }),
    );
    await expect(texts(uneven, document)).rejects.toMatchObject({ code: "invalid-response" });
    await expect(texts(semantic(), document, AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  });

  it("refuses impossible settings", () => {
    expect(() => semantic({ percentile: 101 })).toThrow("percentile must be from 0 to 100");
    expect(() => semantic({ minSize: 2000 })).toThrow("minSize must be from 0 to 1500");
    expect(() => semantic({ neighbours: -1 })).toThrow("neighbours must be from 0 to 16");
    expect(() => createSemanticChunker({} as SemanticChunkerOptions)).toThrow("needs an embedding model");
  });
});

describe("the automatic chunker", () => {
  const of = (mediaType: string, uri: string, rest: Partial<TextDocument> = {}): TextDocument =>
    createDocument("A text.", { mediaType, uri, ...rest });

  it.each([
    ["text/markdown", "a.html", "markdown"],
    ["text/mdx", "a", "markdown"],
    ["text/html; charset=utf-8", "a.md", "html"],
    ["application/xhtml+xml", "a", "html"],
    ["text/csv", "a.md", "sheet"],
    ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a", "sheet"],
    ["text/x-python", "a.md", "code"],
    ["text/javascript", "a", "code"],
    ["text/x-rst", "a.rst", "other"],
    ["text/plain", "notes/README.md", "markdown"],
    ["text/plain", "https://a.example/page.html?x=1.csv#y.md", "html"],
    ["text/plain", "a.csv", "sheet"],
    ["application/octet-stream", "a.py", "code"],
    ["application/pdf", "a.pdf", "other"],
    ["text/plain", "readme", "other"],
  ])("takes %s named %s for %s: media type first, then name [B36]", (mediaType, uri, kind) => {
    expect(findDocumentKind(of(mediaType, uri))).toBe(kind);
  });

  it("goes by the file's name, where metadata tell it, and by sheets [B36]", () => {
    expect(findDocumentKind(of("text/plain", "upload:7", { metadata: { fileName: "a.MD" } }))).toBe("markdown");
    const sheets = [{ name: "S", start: 0, end: 7, rows: [{ start: 0, row: 1 }], columns: [1, 1] as const }];
    expect(findDocumentKind(of("application/x-thing", "a", { sourceMap: { lines: "none", sheets } }))).toBe("sheet");
  });

  it("cuts each kind with its own chunker, and the rest by section [B36]", async () => {
    const auto = createAutoChunker({ markdown: createWholeChunker() });
    const source = "A sentence of words. ".repeat(100);
    const markdown = createDocument(source, { mediaType: "text/markdown" });
    const plain = createDocument(source, { mediaType: "text/plain", uri: "a.txt" });
    expect([...auto.chunk(markdown)].map(({ text }) => text)).toEqual([source.trim()]);
    const bySection = createSectionChunker({ maxSize: 1000, overlap: 125 });
    expect([...auto.chunk(plain)]).toEqual([...bySection.chunk(plain)]);
  });

  const sheet = createDocument("Ship,Tea\nArk,12\nArgo,7\n", {
    uri: "ships.csv",
    mediaType: "text/csv",
    blocks: [{ kind: "table", start: 0, end: 23, bodyStart: 9, rowStarts: [9, 16], columns: ["Ship", "Tea"] }],
  });

  it("cuts sheets between rows when nothing else is said [B36 T34]", () => {
    expect([...createAutoChunker().chunk(sheet)]).toEqual([...createSpreadsheetChunker().chunk(sheet)]);
    expect([...createAutoChunker().chunk(sheet)][0]?.text).toContain("Columns: Ship, Tea");
  });

  it("is known by all that it may choose [B36 L7]", () => {
    expect(createAutoChunker().fingerprint).toBe(createAutoChunker({}).fingerprint);
    expect(createAutoChunker({ html: createWholeChunker() }).fingerprint).not.toBe(createAutoChunker().fingerprint);
    expect(() => createAutoChunker({ pdf: createWholeChunker() } as object)).toThrow('no option "pdf"');
  });

  it("waits for one that has to ask [B36]", async () => {
    const auto = createAutoChunker({ other: semantic() });
    const plain = createDocument("A ship sails.", { mediaType: "text/plain", uri: "a.txt" });
    expect(await texts(auto, plain)).toEqual(["A ship sails."]);
    const marked = createDocument("Tea.", { mediaType: "text/markdown" });
    expect(await texts(auto, marked)).toEqual(["Tea."]);
    const asked = auto.chunk(marked)[Symbol.asyncIterator]();
    expect((await asked.next()).value.text).toBe("Tea.");
  });
});

describe("no cutting at all", () => {
  it("makes one chunk of a document, and none of a blank one [B36]", () => {
    const chunks = [...createWholeChunker().chunk(createDocument("\n One.\n\nTwo. \n"))];
    expect(chunks.map(({ text, start, end }) => [text, start, end])).toEqual([["One.\n\nTwo.", 2, 12]]);
    expect([...createWholeChunker().chunk(createDocument(" \n"))]).toEqual([]);
  });
});
