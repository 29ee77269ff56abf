import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reader } from "../../src/contracts/reader.ts";
import { csvReader } from "../../src/readers/sheets/csv-reader.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { createPieceDecoder, readTextPieces } from "../../src/readers/text/read-text-pieces.ts";
import { canonicalize } from "../../src/text/canonical-text.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const readers = [csvReader, plainTextReader];

/** As much as the head has at least. */
const headBytes = 64 * 1024;

/** Pieces that lie in one buffer, one after the other, as a file's do: what was kept of one is another by the next. */
async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const board = new Uint8Array(Math.max(headBytes, size));
  for (let at = 0; at < bytes.length;) {
    const part = bytes.subarray(at, at + (at === 0 ? board.length : size));
    board.fill(0xff);
    board.set(part);
    yield board.subarray(0, part.length);
    at += part.length;
  }
}

const inPieces = (uri: string, bytes: Uint8Array, more: { size?: number; charset?: string } = {}) =>
  readTextPieces(readers, {
    uri,
    pieces: cut(bytes, more.size ?? 1000),
    ...(more.charset === undefined ? {} : { charset: more.charset }),
  });

describe("createPieceDecoder", () => {
  it("makes of any pieces what is made of the whole: marks, newlines and characters cut in two included [B5 L1]", () => {
    const units = fc.constantFrom("\r", "\n", "\uFEFF", "a", "é", "語", "🦉", "\0");
    fc.assert(
      fc.property(fc.array(units, { maxLength: 40 }), fc.array(fc.nat(6), { maxLength: 60 }), (parts, sizes) => {
        const bytes = utf8(parts.join(""));
        const decoder = createPieceDecoder();
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          decoder.add(bytes.subarray(at, at + size));
          at += size;
        }
        const text = decoder.finish();
        expect(text).toBe(canonicalize(new TextDecoder().decode(bytes)));
      }),
      { numRuns: 500 },
    );
  });

  it("knows how long the text is when there are more bytes than it may have characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, max) => {
        const decoder = createPieceDecoder();
        decoder.add(utf8(text.replaceAll("\r", "")));
        expect(decoder.isLongerThan(max)).toBe(text.replaceAll("\r", "").length > max);
      }),
    );
  });

  it("gives up where a character is none, in the middle and at the end", () => {
    const [first, second] = utf8("é");
    const decode = (...pieces: readonly Uint8Array[]): string | undefined => {
      const decoder = createPieceDecoder();
      for (const piece of pieces) decoder.add(piece);
      return decoder.finish();
    };
    expect(decode(Uint8Array.of(first!), utf8("x"))).toBeUndefined();
    expect(decode(Uint8Array.of(first!))).toBeUndefined();
    expect(decode(Uint8Array.of(first!), Uint8Array.of(second!))).toBe("é");
  });
});

describe("readTextPieces", () => {
  const line = "1;Größe — 語 🦉;x\r\n";
  const long = `\uFEFF${line.repeat(6000)}`;

  it.each([
    ["a.csv", 999],
    ["a.txt", 7],
    ["a.log", 4096],
    ["no-name", 65_536],
  ])("reads %s in pieces of %i as it is read whole [E15 L1 L7]", async (uri, size) => {
    const whole = await readDocument(readers, { uri, bytes: utf8(long) });
    expect(await inPieces(uri, utf8(long), { size })).toEqual(whole);
    expect(whole.text).not.toContain("\r");
  });

  it.each([
    ["what another reader takes", "a.md", utf8(line.repeat(6000)), {}],
    ["a declared encoding", "a.txt", utf8(line.repeat(6000)), { charset: "windows-1252" }],
    ["what is no UTF-8 later on", "a.txt", new Uint8Array([...utf8("x".repeat(70_000)), 0xe9, 0x20]), {}],
    ["an escape, which may begin ISO-2022-JP", "a.txt", utf8(`${"x".repeat(70_000)}\u001B$B`), {}],
    ["UTF-16", "a.txt", new Uint8Array(new Uint16Array([0xfeff, ...utf8("word ".repeat(20_000))]).buffer), {}],
    ["a head that is blank", "a.txt", utf8(`${" ".repeat(70_000)}word`), {}],
    ["bytes that are no text", "a.txt", new Uint8Array(70_000).fill(7), {}],
    ["nothing", "a.txt", new Uint8Array(0), {}],
  ])("leaves %s to who has it whole, and guesses nothing [L9]", async (_, uri, bytes, more) => {
    expect(await inPieces(uri, bytes, more)).toBeUndefined();
  });

  it("believes a mark over an escape", async () => {
    const bytes = utf8(`\uFEFF${"x".repeat(70_000)}\u001B[0m`);
    expect(await inPieces("a.log", bytes)).toEqual(await readDocument(readers, { uri: "a.log", bytes }));
  });

  it("refuses too much text as soon as it is there, and reads no further", async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read++;
        yield utf8("word ".repeat(20_000));
      }
    }
    const refused = readTextPieces(readers, { uri: "a.txt", pieces: endless(), limits: { maxTextLength: 250_000 } });
    await expect(refused).rejects.toMatchObject({ code: "too-large", uri: "a.txt", details: { max: 250_000 } });
    expect(read).toBe(3);
  });

  it("names the file whatever its reader throws", async () => {
    const broken: Reader = {
      ...plainTextReader,
      readText: () => Promise.reject(new RangeError("deep")),
    };
    const refused = readTextPieces([broken], { uri: "a.txt", pieces: cut(utf8("word"), 10) });
    await expect(refused).rejects.toMatchObject({ code: "unreadable", uri: "a.txt" });
  });
});
