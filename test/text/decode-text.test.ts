import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { IbidError } from "../../src/contracts/errors.ts";
import { decodeText, findCharsetName, looksBinary } from "../../src/text/charsets/decode-text.ts";

const utf16 = (text: string, littleEndian: boolean, mark = true): Uint8Array => {
  const units = `${mark ? "\ufeff" : ""}${text}`;
  const view = new DataView(new ArrayBuffer(units.length * 2));
  for (let i = 0; i < units.length; i++) view.setUint16(i * 2, units.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
};
const failure = (run: () => unknown): IbidError => {
  try {
    run();
  } catch (error) {
    return error as IbidError;
  }
  throw new Error("It did not fail.");
};

describe("decodeText", () => {
  it("reads UTF-8 and UTF-16 by byte order mark, and keeps newlines", () => {
    const text = "añ😀\r\nb\r";
    expect(decodeText(new TextEncoder().encode(text))).toEqual({ text, encoding: "utf-8" });
    expect(decodeText(new TextEncoder().encode(`\ufeff${text}`))).toEqual({ text, encoding: "utf-8" });
    expect(decodeText(utf16(text, true))).toEqual({ text, encoding: "utf-16le" });
    expect(decodeText(utf16(text, false))).toEqual({ text, encoding: "utf-16be" });
    expect(decodeText(new Uint8Array())).toEqual({ text: "", encoding: "utf-8" });
  });

  it("gives back what was encoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (given) => {
        const text = given.toWellFormed().replaceAll(/[\p{Cc}\ufeff]/gu, "");
        expect(decodeText(new TextEncoder().encode(text)).text).toBe(text);
        expect(decodeText(utf16(text, true)).text).toBe(text);
      }),
    );
  });

  it.each([
    ["a stray byte", [0x61, 0xff, 0x62], 1],
    ["a broken sequence", [0x61, 0xc3, 0x28], 1],
    ["a sequence that the end cuts off", [0x61, 0x62, 0xe2, 0x82], 2],
    ["a surrogate in UTF-8", [0x61, 0xed, 0xa0, 0x80], 1],
    ["an overlong form", [0xc0, 0xaf], 0],
    ["Latin-1", [0x63, 0x61, 0x66, 0xe9, 0x20, 0x61], 3],
  ])("names the byte where %s begins", (_, bytes, offset) => {
    const error = failure(() => decodeText(Uint8Array.from(bytes)));
    expect(error).toMatchObject({ code: "unreadable", details: { offset, encoding: "utf-8" } });
    expect(error.message).toContain(`byte ${offset} `);
  });

  it("refuses a lone surrogate and half a unit in UTF-16, naming the byte", () => {
    expect(failure(() => decodeText(utf16("ab\ud800c", true)))).toMatchObject({
      code: "unreadable",
      details: { offset: 6 },
    });
    expect(failure(() => decodeText(utf16("ab\udc00", false)))).toMatchObject({
      code: "unreadable",
      details: { offset: 6 },
    });
    expect(failure(() => decodeText(utf16("ab", true).subarray(0, 5)))).toMatchObject({
      code: "unreadable",
      details: { offset: 4 },
    });
  });

  it("honours a declared charset, but a byte order mark first", () => {
    const latin = Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x80]);
    expect(decodeText(latin, "ISO-8859-1")).toEqual({ text: "café€", encoding: "windows-1252" });
    expect(decodeText(Uint8Array.from([0x82, 0xa0]), "shift_jis").text).toBe("あ");
    expect(decodeText(utf16("ab", true, false), "utf-16le").text).toBe("ab");
    expect(decodeText(new TextEncoder().encode("\ufeffé"), "windows-1252").text).toBe("é");
    expect(failure(() => decodeText(latin, "no-such-thing")).code).toBe("unreadable");
  });

  it.each([
    ["a label of one byte a character over well-formed UTF-8", "é€", "windows-1252"],
    ["a label that does not fit", "schöne Grüße", "euc-jp"],
  ])("does not believe %s", (_, text, charset) => {
    expect(decodeText(new TextEncoder().encode(text), charset)).toEqual({ text, encoding: "utf-8" });
  });

  it.each([
    ["cp932", "shift_jis"],
    ["CP949", "euc-kr"],
    ["latin-1", "windows-1252"],
    [" Shift-JIS ", "shift_jis"],
    ["utf_8", "utf-8"],
    ["EUC_JP", "euc-jp"],
  ])("knows %j as %s", (label, name) => {
    expect(findCharsetName(label)).toBe(name);
  });

  it.each([
    "plain words\n",
    "naïve, 5 €",
    "две строки\nтекста",
    "第一章\n一行文字。",
    "שלום לכולם",
    "한국어 문장입니다.",
  ])("reads %j in UTF-16 without a mark, by its zeros", (text) => {
    for (const littleEndian of [true, false]) {
      const bytes = utf16(text, littleEndian, false);
      expect(looksBinary(bytes)).toBe(false);
      expect(decodeText(bytes)).toEqual({ text, encoding: littleEndian ? "utf-16le" : "utf-16be" });
    }
  });

  it.each([
    ["numbers of two bytes", Array.from({ length: 40 }, (_, i) => [i, 0]).flat()],
    ["zeros in both places", [0x61, 0, 0, 0x61, 0, 0, 0x62, 0]],
    ["one zero in plain words", Array.from("a log with a hole\0 in\n", (letter) => letter.charCodeAt(0))],
    ["an odd number of bytes", [0x61, 0, 0x62, 0, 0x63]],
    ["letters of every script", [0x61, 0, 0x16, 0x04, 0xd0, 0x05, 0x42, 0x30, 0x39, 0x0e, 0x31, 0x06]],
    ["characters of private use", [0x61, 0, 0x01, 0xe1, 0x62, 0]],
  ])("does not take %s for UTF-16", (_, bytes) => {
    expect(looksBinary(Uint8Array.from(bytes))).toBe(true);
  });

  it("takes no noise with a zero in it for UTF-16", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 400 }), (noise) => {
        // A byte order mark would say that it is.
        const unmarked = noise[0]! >= 0xfe ? noise.subarray(1) : noise;
        fc.pre(unmarked[0]! < 0xfe);
        expect(looksBinary(Uint8Array.from([...unmarked, 0, ...unmarked, 0x61]))).toBe(true);
      }),
    );
  });

  it("refuses UTF-32 by name", () => {
    for (const bytes of [
      [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0],
      [0, 0, 0xfe, 0xff, 0, 0, 0, 0x61],
    ]) {
      const error = failure(() => decodeText(Uint8Array.from(bytes)));
      expect(error).toMatchObject({ code: "unreadable", details: { encoding: "utf-32" } });
      expect(error.message).toContain("UTF-32");
    }
  });

  it("refuses bytes that are not text", () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]);
    expect(failure(() => decodeText(png)).code).toBe("binary");
    expect(failure(() => decodeText(png, "windows-1252")).code).toBe("binary");
    expect(failure(() => decodeText(Uint8Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? 1 : 0x61)))).code).toBe(
      "binary",
    );
  });
});

describe("looksBinary", () => {
  it("takes coloured logs, form feeds and a stray control character for text", () => {
    const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(looksBinary(encode("\u001b[31mred\u001b[0m\n"))).toBe(false);
    expect(looksBinary(encode("page\fpage\ttab\r\n"))).toBe(false);
    expect(looksBinary(encode("\u0001"))).toBe(false);
    expect(looksBinary(encode("a\0b"))).toBe(true);
    expect(looksBinary(encode("\u0001\u0002\u0003"))).toBe(true);
    expect(looksBinary(new Uint8Array())).toBe(false);
  });
});
