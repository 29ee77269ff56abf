import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import type { Reader, ReadResult } from "../../src/contracts/reader.ts";
import { collectBytes } from "../../src/readers/collect-bytes.ts";
import { createHandlerReader } from "../../src/readers/handler-reader.ts";
import { buildSections } from "../../src/readers/build-sections.ts";
import { defaultReadLimits } from "../../src/readers/read-limits.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { canonicalize } from "../../src/text/canonical-text.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (uri: string, text: string | Uint8Array) =>
  readDocument([plainTextReader], { uri, bytes: typeof text === "string" ? utf8(text) : text });

async function refusal(promise: Promise<unknown>): Promise<IbidError> {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  if (IbidError.isInstance(error)) return error;
  throw new Error(`no IbidError but ${String(error)}`);
}

const good = (text: string): ReadResult => ({
  text,
  title: "t",
  root: buildSections(text, "t", []),
  sourceMap: { lines: "none" },
  metadata: {},
});
const own = (result: unknown, name = "own/1"): Reader => ({
  name,
  accepts: () => true,
  read: async () => result as ReadResult,
});

describe("plainTextReader", () => {
  it("keeps the source as canonical text, newlines aside, and finds paragraphs [B5 B52 E15 L1]", async () => {
    const result = await read("notes/a.txt", "\uFEFFOne\r\ntwo  \r\n \t\r\n\r\n  Three\n");
    expect(result.text).toBe("One\ntwo  \n \t\n\n  Three\n");
    expect(result.blocks?.map(({ kind, start, end }) => [kind, result.text.slice(start, end)])).toEqual([
      ["paragraph", "One\ntwo"],
      ["paragraph", "Three"],
    ]);
    expect(result).toMatchObject({
      title: "a.txt",
      mediaType: "text/plain",
      metadata: {},
      sourceMap: { lines: "text" },
    });
    expect(result.root).toMatchObject({ title: "a.txt", level: 0, start: 0, end: result.text.length, children: [] });
  });

  it("makes code and data one block that knows its language [B52 E15]", async () => {
    const result = await read("a.py", "\n\n    def f():\n\n        pass\n\n");
    expect(result.blocks).toEqual([{ kind: "code", start: 2, end: 28, language: "python" }]);
    expect((await read("a.json", "{}")).blocks?.[0]?.language).toBe("json");
    expect((await read("a.cpp", "int x;")).blocks?.[0]?.language).toBe("c++");
  });

  it("gives back every text of every script, and blocks with only white space between them [B3 B5 L1]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.array(fc.constantFrom("\n", " \n", "\r\n", "\u3000\n", "a", "😀"), { maxLength: 30 }),
        async (some, more) => {
          const source = `x${some.replaceAll("\0", "")}${more.join("")}`;
          const result = await read("a.txt", source).catch((error: unknown) => error);
          if (IbidError.isInstance(result, "binary")) return;
          const { text, blocks } = result as ReadResult;
          expect(text).toBe(canonicalize(source));
          let reached = 0;
          for (const { start, end } of blocks ?? []) {
            expect(text.slice(reached, start).trim()).toBe("");
            expect(text.slice(start, end).trim()).toBe(text.slice(start, end));
            reached = end;
          }
          expect(text.slice(reached).trim()).toBe("");
        },
      ),
    );
  });

  it("refuses text in no known encoding by name [W17]", async () => {
    const error = await refusal(read("old.txt", Uint8Array.from([0xc3, 0xa9, 0xc3, 0xa9, 0xff])));
    expect(error).toMatchObject({ code: "unreadable", uri: "old.txt" });
    expect(error.message).toContain("old.txt");
  });
});

describe("readDocument", () => {
  it("asks readers in order, so the caller's own come first [E14]", async () => {
    const result = await readDocument([own(good("mine")), plainTextReader], { uri: "a.txt", bytes: utf8("theirs") });
    expect(result.text).toBe("mine");
  });

  it("hands on uri, media type, metadata and signal [E15]", async () => {
    const signal = new AbortController().signal;
    let seen: unknown;
    const reader: Reader = { ...own(good("x")), read: async (input) => ((seen = input), good("x")) };
    const bytes = utf8("x");
    await readDocument([reader], {
      uri: "a.md",
      bytes,
      charset: "latin1",
      password: "p",
      metadata: { team: "x" },
      signal,
    });
    expect(seen).toEqual({
      uri: "a.md",
      bytes,
      mediaType: "text/markdown",
      charset: "latin1",
      password: "p",
      limits: defaultReadLimits,
      metadata: { team: "x" },
      signal,
      depth: 0,
      readPart: expect.any(Function),
    });
  });

  it("reads what a file carries inside by the reader of its kind, only so deep [E14]", async () => {
    const box: Reader = {
      ...own(good("")),
      accepts: (mediaType) => mediaType === "application/x-box",
      read: async ({ bytes, readPart }) => {
        const inner = bytes.subarray(1);
        const part = await readPart!({
          name: `in${inner.length}`,
          bytes: inner,
          mediaType: inner[0] === 98 ? "application/x-box" : "text/plain",
        });
        return { ...good(`[${part.text}]`), metadata: { inner: part.mediaType } };
      },
    };
    const read = (text: string): Promise<unknown> =>
      readDocument([box, plainTextReader], {
        uri: "b",
        bytes: utf8(text),
        mediaType: "application/x-box",
        limits: { maxDepth: 2 },
      });
    await expect(read("bx")).resolves.toMatchObject({ text: "[x]", metadata: { inner: "text/plain" } });
    await expect(read("bbx")).resolves.toMatchObject({ text: "[[x]]" });
    await expect(read("bbbx")).rejects.toMatchObject({
      code: "too-large",
      uri: "b/in3/in2",
      message: "b/in3/in2 has more than 2 levels of parts within parts.",
    });
  });

  it("refuses a file that is larger than its limit before anybody reads it [L8]", async () => {
    const reading = readDocument([own(good("x"))], { uri: "big.md", bytes: utf8("12345"), limits: { maxBytes: 4 } });
    await expect(reading).rejects.toMatchObject({
      code: "too-large",
      message: "big.md has 5 bytes; 4 are allowed.",
      details: { limit: "maxBytes", max: 4, found: 5 },
    });
  });

  it.each([
    [Uint8Array.from([0x50, 0x4b, 3, 4, ...utf8("word/document.xml")]), "a.docx", "Word document", "reader"],
    [Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), "a.png", "image", "text"],
    [Uint8Array.from([0x1f, 0x8b, 8]), "a.gz", "gzip", "Unpack"],
    [utf8("From: a@example.com"), "a.eml", "e-mail", "text"],
    [utf8("%PDF-1.4"), "a.pdf", "application/pdf", "convert"],
  ])("refuses what no reader accepts, by name and with what to do (%#) [B52 W17]", async (bytes, uri, format, hint) => {
    const error = await refusal(read(uri, bytes));
    expect(error).toMatchObject({ code: "unsupported-media", uri });
    expect(error.message).toContain(uri);
    expect(error.message).toContain(format);
    expect(error.hint?.toLowerCase()).toContain(hint.toLowerCase());
  });

  it("wraps whatever a reader throws, with its cause [E15 W17]", async () => {
    const cause = new TypeError("oops");
    const reader: Reader = { ...own(undefined), read: () => Promise.reject(cause) };
    const error = await refusal(readDocument([reader], { uri: "a.md", bytes: utf8("x") }));
    expect(error).toMatchObject({ code: "unreadable", uri: "a.md", cause, details: { reader: "own/1" } });
  });

  it("passes a reader's own IbidError on as it is [E15]", async () => {
    const thrown = new IbidError("encrypted", "a.md is locked.");
    const reader: Reader = { ...own(undefined), read: () => Promise.reject(thrown) };
    expect(await refusal(readDocument([reader], { uri: "a.md", bytes: utf8("x") }))).toBe(thrown);
  });

  it("stops before and during reading when aborted [E15]", async () => {
    const controller = new AbortController();
    const reader: Reader = {
      ...own(undefined),
      read: async () => {
        controller.abort(new Error("enough"));
        throw new Error("interrupted");
      },
    };
    const input = { uri: "a.md", bytes: utf8("x"), signal: controller.signal };
    expect(await refusal(readDocument([reader], input))).toMatchObject({ code: "aborted", uri: "a.md" });
    expect(await refusal(readDocument([plainTextReader], input))).toMatchObject({ code: "aborted" });
  });

  it("refuses a result without text as empty [E15]", async () => {
    expect(await refusal(readDocument([own(good(" \n "))], { uri: "a.md", bytes: utf8("x") }))).toMatchObject({
      code: "empty",
    });
  });

  const text = "0123456789";
  const root = buildSections(text, "t", [{ title: "a", level: 1, start: 2, contentStart: 3 }]);
  const [child] = root.children;
  it.each([
    ["no text", { ...good(text), text: undefined }],
    ["half a surrogate pair", good("a\ud800")],
    ["a root that does not span", { ...good(text), root: { ...root, end: 9 } }],
    ["a root of level 1", { ...good(text), root: { ...root, level: 1 } }],
    ["a section outside its parent", { ...good(text), root: { ...root, children: [{ ...child, end: 11 }] } }],
    ["sections that overlap", { ...good(text), root: { ...root, children: [child, { ...child, id: "0.1" }] } }],
    [
      "a section that begins with its content",
      { ...good(text), root: { ...root, children: [{ ...child, contentStart: 1 }] } },
    ],
    ["a child of its parent's level", { ...good(text), root: { ...root, children: [{ ...child, level: 0 }] } }],
    [
      "blocks that overlap",
      {
        ...good(text),
        blocks: [
          { kind: "paragraph", start: 0, end: 5 },
          { kind: "code", start: 4, end: 6 },
        ],
      },
    ],
    ["a block outside the text", { ...good(text), blocks: [{ kind: "paragraph", start: 0, end: 11 }] }],
    ["a block at NaN", { ...good(text), blocks: [{ kind: "paragraph", start: Number.NaN, end: 3 }] }],
    ["a body outside its block", { ...good(text), blocks: [{ kind: "table", start: 2, end: 5, bodyStart: 6 }] }],
    [
      "pages out of order",
      {
        ...good(text),
        sourceMap: {
          lines: "none",
          pages: [
            { number: 1, start: 3 },
            { number: 2, start: 1 },
          ],
        },
      },
    ],
    ["anchors outside the text", { ...good(text), sourceMap: { lines: "anchors", anchors: [{ start: 11, line: 1 }] } }],
  ])("tells a reader that gives %s from a broken file [E15]", async (_, result) => {
    const error = await refusal(readDocument([own(result, "third-party/3")], { uri: "a.md", bytes: utf8("x") }));
    expect(error).toMatchObject({ code: "unreadable", uri: "a.md" });
    expect(error.message).toContain("third-party/3");
  });
});

describe("an error inside a reader, a handler or a stream", () => {
  const inner = new Error("cannot open /home/ada/secret.key");
  const failing = (): Promise<never> => Promise.reject(inner);
  const bytes = utf8("x");

  it.each([
    [
      "a reader",
      () => readDocument([{ name: "own/1", accepts: () => true, read: failing }], { uri: "a.md", bytes }),
      "a.md could not be read as text/markdown: the reader own/1 failed.",
    ],
    [
      "a handler",
      () =>
        readDocument([createHandlerReader({ name: "own", mediaTypes: ["text/markdown"], handle: failing })], {
          uri: "a.md",
          bytes,
        }),
      "own cannot handle a.md.",
    ],
    [
      "a stream",
      () => collectBytes(new ReadableStream({ pull: failing }), { uri: "a.md", maxBytes: 9 }),
      "The stream of a.md could not be read to its end.",
    ],
  ])("of %s is the cause, and no message quotes it", async (_, run, message) => {
    const error = await refusal(run());
    expect(error).toMatchObject({ code: "unreadable", message, cause: inner });
    expect(error.hint).toContain("cause");
  });

  it.each([[undefined], [{}], [{ chunks: "one" }], [{ chunks: ["one", 2] }]])(
    "is none where a handler gives %j: the field is named",
    async (given) => {
      const handler = { name: "own", mediaTypes: ["text/markdown"], handle: async () => given as never };
      const error = await refusal(readDocument([createHandlerReader(handler)], { uri: "a.md", bytes }));
      expect(error).toMatchObject({
        code: "unreadable",
        message: "own gave no list of texts as the chunks of a.md.",
        hint: 'Return { chunks: ["…"] } from `handle`.',
      });
    },
  );
});
