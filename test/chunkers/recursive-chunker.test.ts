import { describe, expect, it } from "vitest";

import { chunkDocumentRecursively, createRecursiveChunker } from "../../src/chunkers/recursive-chunker.ts";
import type { MediaDocument } from "../../src/contracts/document.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createDocument } from "./generated-document.ts";
import { checkProvenance } from "./laws.ts";

const texts = (...args: Parameters<typeof chunkDocumentRecursively>): string[] =>
  chunkDocumentRecursively(...args).map((chunk) => chunk.text);

const errorOf = (run: () => unknown): IbidError => {
  try {
    run();
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
  }
  throw new Error("nothing thrown");
};

describe("chunkDocumentRecursively", () => {
  it("has the seed's defaults: 200 characters, 40 of overlap, by paragraph [B48]", () => {
    const text = Array.from({ length: 9 }, (_, index) => `Paragraph ${index} ${"x".repeat(45)} end.`).join("\n\n");
    const chunks = chunkDocumentRecursively(text);
    expect(chunks.map((chunk) => chunk.text)).toEqual(texts(text, 200, 40, "paragraph"));
    expect(chunks.map((chunk) => chunk.text)).toEqual(
      [...createRecursiveChunker().chunk(createDocument(text))].map((chunk) => chunk.text),
    );
    expect(chunks[0]?.text.split("\n\n")).toHaveLength(3);
    expect(chunks.every((chunk) => chunk.text.length <= 200)).toBe(true);
  });

  it("falls from paragraphs to sentences to words to characters [B48]", () => {
    const text = `Short one.\n\nFirst of two. Second of two.\n\nmany words without any end ${"z".repeat(25)}`;
    expect(texts(text, 20, 0)).toEqual([
      "Short one.",
      "First of two.",
      "Second of two.",
      "many words without",
      "any end",
      "z".repeat(20),
      "z".repeat(5),
    ]);
  });

  it("falls from lines to words to characters, not to sentences [B48]", () => {
    const text = "One line.\nTwo. Three four five.\nsix";
    expect(texts(text, 16, 0, "line")).toEqual(["One line.", "Two. Three four", "five.\nsix"]);
    expect(texts(text, 16, 0, "sentence")[1]).not.toBe("Two. Three four");
  });

  it("cuts by sentence, by word and by character [B48]", () => {
    expect(texts("One two. Three. Four five six.", 16, 0, "sentence")).toEqual(["One two. Three.", "Four five six."]);
    expect(texts("one two three four", 9, 0, "word")).toEqual(["one two", "three", "four"]);
    expect(texts("abcdefghij", 4, 0, "character")).toEqual(["abcd", "efgh", "ij"]);
  });

  it("overlaps by whole sentences taken backwards, never more than allowed, and not at all when none fits [B48]", () => {
    const text = "Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd.";
    expect(texts(text, 26, 8, "sentence")).toEqual(["Aaa aaa. Bbb bbb. Ccc ccc.", "Ccc ccc. Ddd ddd."]);
    expect(texts(text, 26, 17, "sentence")).toEqual(["Aaa aaa. Bbb bbb. Ccc ccc.", "Bbb bbb. Ccc ccc. Ddd ddd."]);
    expect(texts(text, 26, 7, "sentence")).toEqual(["Aaa aaa. Bbb bbb. Ccc ccc.", "Ddd ddd."]);
    expect(texts(`${text}\n\nEee eee.`, 35, 8)).toEqual([text, "Ddd ddd.\n\nEee eee."]);
  });

  it("overlaps by whole words or characters where sentences had to be cut [B48]", () => {
    expect(texts("one two three four five", 13, 5, "word")).toEqual(["one two three", "three four", "four five"]);
    expect(texts("abcdefgh", 4, 2, "character")).toEqual(["abcd", "cdef", "efgh"]);
  });

  it("keeps what stands between two pieces as it was written [L1 B48]", () => {
    const text = "One   two.\n \n\nThree\tfour.";
    const chunks = chunkDocumentRecursively(text, 40, 0);
    expect(chunks.map((chunk) => chunk.text)).toEqual([text]);
    checkProvenance(createDocument(text, { id: chunks[0]?.documentId ?? "" }), chunks);
  });

  it("takes a document and keeps its metadata in every chunk [B7 B8]", () => {
    const metadata = { department: "HR", nested: { year: 2024 } };
    const document = createDocument("One two. Three four.", { metadata });
    const chunks = chunkDocumentRecursively(document, 12, 0);
    expect(chunks.map((chunk) => [chunk.type, chunk.uri, chunk.metadata])).toEqual([
      ["text-chunk", "docs/a.md", metadata],
      ["text-chunk", "docs/a.md", metadata],
    ]);
    expect(chunks[0]?.metadata).not.toBe(metadata);
  });

  it("refuses media in the seed's words [B48]", () => {
    const image: MediaDocument = { type: "image", content: new Uint8Array(3), metadata: {} };
    const error = errorOf(() => chunkDocumentRecursively(image));
    expect([error.code, error.message]).toEqual([
      "unsupported-input",
      "Only text documents are supported for chunking",
    ]);
  });

  it("refuses sizes that cannot be kept and strategies it does not have [C16 B48]", () => {
    expect(errorOf(() => chunkDocumentRecursively("text", 40)).code).toBe("invalid-argument");
    expect(errorOf(() => chunkDocumentRecursively("text", 0, 0)).code).toBe("invalid-argument");
    expect(errorOf(() => createRecursiveChunker({ strategy: "PARAGRAPH" as never })).code).toBe("invalid-argument");
    expect(errorOf(() => createRecursiveChunker({ strategy: "toString" as never })).code).toBe("invalid-argument");
    expect(errorOf(() => createRecursiveChunker({ size: 3 } as never)).code).toBe("invalid-argument");
  });
});
