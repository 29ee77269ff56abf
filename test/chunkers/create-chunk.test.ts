import { describe, expect, it } from "vitest";

import { checkChunkIds } from "../../src/chunkers/check-chunk-ids.ts";
import { createChunkFactory } from "../../src/chunkers/create-chunk.ts";
import { pathFromRoot } from "../../src/chunkers/path-from-root.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createDocument, markdown } from "./generated-document.ts";

describe("createChunkFactory", () => {
  const document = createDocument("Same.\nSame.\nOther.", {
    metadata: { department: "HR" },
    origin: "note",
    sourceMap: {
      lines: "text",
      pages: [
        { number: 1, start: 0 },
        { number: 2, start: 12 },
      ],
    },
  });

  it("gives everything a citation needs [B7 B10 E11]", () => {
    const make = createChunkFactory(document);
    make(0, 5);
    expect(make(12, 18)).toEqual({
      type: "text-chunk",
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      documentId: "doc",
      uri: "docs/a.md",
      title: "A",
      text: "Other.",
      urtext: "Other.",
      start: 12,
      end: 18,
      index: 1,
      sectionId: "0",
      headings: [],
      page: 2,
      line: 3,
      metadata: { department: "HR" },
      origin: "note",
    });
  });

  it("keeps a repeated text as two chunks, and the id of each whatever stands between them [L1 L7]", () => {
    const make = createChunkFactory(document);
    const [first, second] = [make(0, 5), make(6, 11)];
    expect(second.urtext).toBe(first.urtext);
    expect(second.id).not.toBe(first.id);
    const longer = createDocument("Same.\nNew.\nSame.\nOther.");
    const makeLonger = createChunkFactory(longer);
    expect(makeLonger(0, 5).id).toBe(first.id);
    makeLonger(6, 10);
    expect(makeLonger(11, 16).id).toBe(second.id);
  });

  it("gives the same text in another document another id", () => {
    expect(createChunkFactory({ ...document, id: "else" })(0, 5).id).not.toBe(createChunkFactory(document)(0, 5).id);
  });

  it("keeps the original beside a text that says more [E11]", () => {
    expect(createChunkFactory(document)(0, 5, "Header\nSame.")).toMatchObject({
      text: "Header\nSame.",
      urtext: "Same.",
      start: 0,
      end: 5,
    });
  });

  it("gives each chunk its own copy of the metadata [B8]", () => {
    const make = createChunkFactory(document);
    const [first, second] = [make(0, 5), make(6, 11)];
    Object.assign(first.metadata, { department: "IT" });
    expect([second.metadata, document.metadata]).toEqual([{ department: "HR" }, { department: "HR" }]);
  });
});

describe("checkChunkIds", () => {
  it("refuses a blank or missing id and says which [W16]", () => {
    for (const id of ["", " \n\t", undefined as unknown as string]) {
      expect(() =>
        checkChunkIds([
          { id: "a", uri: "u" },
          { id, uri: "u" },
        ]),
      ).toThrow(
        expect.objectContaining({
          code: "invalid-id",
          message: expect.stringMatching(/^invalid document id: /) as unknown,
          details: { index: 1 },
        }),
      );
    }
  });

  it("accepts any other id, a name of the caller's own included [W5 W16]", () => {
    expect(() =>
      checkChunkIds([
        { id: "faq-1", uri: "u" },
        { id: "0", uri: "u" },
      ]),
    ).not.toThrow();
    expect(() => checkChunkIds([])).not.toThrow();
  });
});

describe("pathFromRoot", () => {
  const document = markdown("# A\n\n## A1\n\nText of the leaf.\n\n## A2\n\nMore of it.\n");

  it("leads from the root over containers to the leaf [E12]", () => {
    const [chunk] = [...createSectionChunker({ maxSize: 30, overlap: 0 }).chunk(document)].slice(-1);
    expect(pathFromRoot(document, chunk!)?.map((section) => section.title)).toEqual(["", "A", "A2"]);
  });

  it("is undefined for another document, or a section that is gone [E12]", () => {
    const [chunk] = createSectionChunker().chunk(document);
    expect(pathFromRoot({ ...document, id: "else" }, chunk!)).toBeUndefined();
    expect(pathFromRoot(document, { ...chunk!, sectionId: "0.7" })).toBeUndefined();
  });
});
