import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { detectCharset, rankCharsets } from "../../src/text/charsets/detect-charset.ts";
import { encodeAs } from "../support/encode-as.ts";
import { worldTexts } from "../support/world-texts.ts";

const bytesOf = (text: string, encoding: string): Uint8Array => {
  const bytes = encodeAs(text, encoding);
  if (bytes === undefined) throw new Error(`${encoding} cannot write ${text}`);
  return bytes;
};
const readBack = (bytes: Uint8Array): string | undefined => {
  const encoding = detectCharset(bytes);
  return encoding === undefined ? undefined : new TextDecoder(encoding, { fatal: true }).decode(bytes);
};
const cases = Object.entries(worldTexts).flatMap(([language, { text, encodings }]) =>
  encodings.map((encoding) => [language, encoding, text] as const),
);

/** The share of all pieces of so many characters that are read back as they were. */
function accuracy(length: number): number {
  let right = 0;
  let all = 0;
  for (const [, encoding, text] of cases) {
    const characters = Array.from(text);
    for (let start = 0; start + length <= characters.length; start += 7) {
      const piece = characters.slice(start, start + length).join("");
      // What is all ASCII is UTF-8.
      if (!/[^\0-\x7F]/.test(piece)) continue;
      all++;
      if (readBack(bytesOf(piece, encoding)) === piece) right++;
    }
  }
  return right / all;
}

describe("detectCharset", () => {
  it.each(cases)("reads a sentence of %s in %s [E14]", (_, encoding, text) => {
    expect(readBack(bytesOf(text, encoding))).toBe(text);
  });

  it("reads nine in ten of the shortest texts, and nearly all that are a line long [E14]", () => {
    expect(accuracy(8)).toBeGreaterThan(0.85);
    expect(accuracy(16)).toBeGreaterThan(0.9);
    expect(accuracy(32)).toBeGreaterThan(0.95);
    expect(accuracy(64)).toBeGreaterThan(0.98);
  });

  it.each([
    ["名前,年齢,住所\r\n山田花子,41,京都\r\n", "shift_jis"],
    ["项目,价格\n电脑,5000\n", "gb18030"],
    ["項目,價格\n電腦,5000\n", "big5"],
    ["이름,나이\n김철수,30\n", "euc-kr"],
    ["Имя;Город\nИван;Москва\n", "windows-1251"],
    ["Привет, дорогие друзья!", "koi8-r"],
    ["Größe;Preis\nklein;5 €\n", "windows-1252"],
    ["“smart” quotes — and dashes…", "windows-1252"],
    ["The temperature is 25 °C ± 2.", "windows-1252"],
    ["Zażółć gęślą jaźń", "windows-1250"],
  ])("reads the table or line %j of %s [E14]", (text, encoding) => {
    expect(readBack(bytesOf(text, encoding))).toBe(text);
  });

  it("tells ISO-2022-JP by its escapes", () => {
    const bytes = Uint8Array.from([0x1b, 0x24, 0x42, 0x24, 0x22, 0x24, 0x24, 0x1b, 0x28, 0x42, 0x0a]);
    expect(detectCharset(bytes)).toBe("iso-2022-jp");
    expect(readBack(bytes)).toBe("あい\n");
  });

  it("says nothing of ASCII, of damaged UTF-8, and of bytes without words", () => {
    const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
    for (const bytes of [
      [],
      utf8("plain"),
      utf8("cut off: é and é").slice(0, -1),
      [...utf8("Grüße an schöne Städte"), 0xff, 0x21],
      [...utf8("ünï"), 0xe9, 0x20, ...utf8("cödé")],
      Array.from({ length: 300 }, (_, i) => 0x21 + ((i * 149 + ((i * i) % 97)) % 222)),
    ])
      expect(detectCharset(Uint8Array.from(bytes))).toBeUndefined();
  });

  it("looks beyond a stray sign at the beginning", () => {
    const text = `© Общество\n${"plain words\n".repeat(500)}${worldTexts["ru"]?.text}\n`;
    expect(readBack(bytesOf(text, "windows-1251"))).toBe(text);
  });

  it("names only an encoding that decodes every byte, and the same one each time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const encoding = detectCharset(bytes);
        if (encoding === undefined) return;
        expect(detectCharset(bytes.slice())).toBe(encoding);
        expect(() => new TextDecoder(encoding, { fatal: true }).decode(bytes)).not.toThrow();
      }),
    );
  });

  it("ranks by finite weights, the likeliest first", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        const logs = rankCharsets(bytes).map(({ log }) => log);
        expect(logs.every(Number.isFinite)).toBe(true);
        expect(logs).toEqual(logs.toSorted((a, b) => b - a));
      }),
    );
  });
});
