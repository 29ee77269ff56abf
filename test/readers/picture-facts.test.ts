import { basename } from "node:path";
import fc from "fast-check";
import { openKnowledgeBase } from "ibid";
import { describe, expect, it } from "vitest";

import { readPictureFacts } from "../../src/readers/picture-facts.ts";

const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];
const wide = (text: string): number[] =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).flatMap((unit) => [unit & 255, unit >> 8]);
const big = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => (value >> (8 * (count - 1 - index))) & 255);
const little = (value: number, count: number): number[] => big(value, count).toReversed();

/** A TIFF of two directories, in either order of bytes. */
function exif(
  first: readonly (readonly [number, number[]])[],
  second: readonly (readonly [number, number[]])[] = [],
  isLittle = true,
): number[] {
  const number = isLittle ? little : big;
  const out = [...bytesOf(isLittle ? "II" : "MM"), ...number(42, 2), ...number(8, 4)];
  const write = (
    entries: readonly (readonly [number, number[]])[],
    start: number,
    pointer?: number,
  ): [number[], number] => {
    const all = pointer === undefined ? entries : [...entries, [0x8769, number(pointer, 4)] as const];
    let data = start + 2 + all.length * 12 + 4;
    const directory = number(all.length, 2);
    const texts: number[] = [];
    for (const [id, value] of all) {
      const isPointer = id === 0x8769;
      directory.push(...number(id, 2), ...number(isPointer ? 4 : 2, 2), ...number(isPointer ? 1 : value.length, 4));
      if (value.length <= 4) directory.push(...value, ...Array.from({ length: 4 - value.length }, () => 0));
      else {
        directory.push(...number(data, 4));
        texts.push(...value);
        data += value.length;
      }
    }
    return [[...directory, ...number(0, 4), ...texts], data];
  };
  const [, end] = write(first, 8, second.length > 0 ? 0 : undefined);
  const [one] = write(first, 8, second.length > 0 ? end : undefined);
  return [...out, ...one, ...(second.length > 0 ? write(second, end)[0] : [])];
}
const segment = (marker: number, content: readonly number[]): number[] => [
  0xff,
  marker,
  ...big(content.length + 2, 2),
  ...content,
];
const jpeg = (...segments: readonly number[][]): Uint8Array =>
  Uint8Array.from([0xff, 0xd8, ...segments.flat(), 0xff, 0xda, 0, 2, 0xff, 0xd9]);
const exifSegment = (...given: Parameters<typeof exif>): number[] =>
  segment(0xe1, [...bytesOf("Exif\0\0"), ...exif(...given)]);
const pngChunk = (kind: string, content: readonly number[]): number[] => [
  ...big(content.length, 4),
  ...bytesOf(kind),
  ...content,
  0,
  0,
  0,
  0,
];
const png = (...chunks: readonly number[][]): Uint8Array =>
  Uint8Array.from([0x89, ...bytesOf("PNG\r\n\u001a\n"), ...chunks.flat(), ...pngChunk("IEND", [])]);
const xmp = `<x:xmpmeta><rdf:Description photoshop:DateCreated="2024-02-03"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Harbour &amp; sea</rdf:li></rdf:Alt></dc:title><dc:subject><rdf:Bag><rdf:li>boats</rdf:li><rdf:li>d&#xE4;mmerung</rdf:li></rdf:Bag></dc:subject></rdf:Description></x:xmpmeta>`;

const taken = [
  [0x9003, bytesOf("2023:05:06 07:08:09\0")],
  [0x9011, bytesOf("+02:00\0")],
] as const;

describe("facts that a picture states", () => {
  it.each([true, false])("reads EXIF in either order of bytes (little: %s)", (isLittle) => {
    const picture = jpeg(
      exifSegment(
        [
          [0x010e, bytesOf("Der Hafen bei Dämmerung\0")],
          [0x013b, bytesOf("Ada\0")],
          [0x8298, bytesOf("© Ada\0")],
          [0x9c9b, wide("Hafen\0")],
          [0x9c9e, wide("boats;sea\0")],
        ],
        taken,
        isLittle,
      ),
    );
    const facts = {
      title: "Hafen",
      description: "Der Hafen bei Dämmerung",
      author: "Ada",
      keywords: ["boats", "sea"],
      copyright: "© Ada",
      createdAt: "2023-05-06T07:08:09+02:00",
    };
    expect(readPictureFacts(picture)).toEqual(facts);
    const tiff = Uint8Array.from(exif([[0x010e, bytesOf("A plan\0")]], [taken[0]], isLittle));
    expect(readPictureFacts(tiff)).toEqual({ description: "A plan", createdAt: "2023-05-06T07:08:09" });
  });

  it("prefers XMP to EXIF, and EXIF to IPTC, fact by fact", () => {
    const iptc = [
      [5, "IPTC title"],
      [120, "IPTC caption"],
      [25, "one"],
      [25, "two"],
    ].flatMap(([id, text]) => [0x1c, 2, Number(id), ...big(String(text).length, 2), ...bytesOf(String(text))]);
    const resource = [...bytesOf("8BIM"), 4, 4, 0, 0, ...big(iptc.length, 4), ...iptc];
    const picture = jpeg(
      segment(0xed, [...bytesOf("Photoshop 3.0\0"), ...resource]),
      exifSegment([[0x010e, bytesOf("EXIF caption\0")]], taken),
      segment(0xe1, [...bytesOf("http://ns.adobe.com/xap/1.0/\0"), ...bytesOf(xmp)]),
    );
    expect(readPictureFacts(picture)).toEqual({
      title: "Harbour & sea",
      description: "EXIF caption",
      keywords: ["boats", "dämmerung"],
      createdAt: "2024-02-03",
    });
    expect(readPictureFacts(jpeg(segment(0xed, [...bytesOf("Photoshop 3.0\0"), ...resource])))).toEqual({
      title: "IPTC title",
      description: "IPTC caption",
      keywords: ["one", "two"],
    });
  });

  it("reads texts of PNG, WebP and GIF, and passes by a camera's own name and a date of zeros", () => {
    const text = png(
      pngChunk("tEXt", bytesOf("Title\0Plan")),
      pngChunk("iTXt", bytesOf("Description\0\0\0de\0\0Übersicht")),
      pngChunk("iTXt", [...bytesOf("Author\0"), 1, 0, 9, 9]),
    );
    expect(readPictureFacts(text)).toEqual({ title: "Plan", description: "Übersicht" });
    expect(readPictureFacts(png(pngChunk("eXIf", exif([[0x010e, bytesOf("A plan\0")]]))))).toEqual({
      description: "A plan",
    });
    expect(readPictureFacts(png(pngChunk("iTXt", bytesOf(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`))))).toMatchObject({
      title: "Harbour & sea",
    });
    const webp = [
      ...bytesOf("RIFF"),
      0,
      0,
      0,
      0,
      ...bytesOf("WEBP"),
      ...bytesOf("XMP "),
      ...little(xmp.length, 4),
      ...bytesOf(xmp),
    ];
    expect(readPictureFacts(Uint8Array.from(webp))).toMatchObject({
      title: "Harbour & sea",
      keywords: ["boats", "dämmerung"],
    });
    const gif = [
      ...bytesOf("GIF89a"),
      1,
      0,
      1,
      0,
      0,
      0,
      0,
      0x21,
      0xf9,
      1,
      0,
      0,
      0x21,
      0xfe,
      6,
      ...bytesOf("A plan"),
      0,
      0x3b,
    ];
    expect(readPictureFacts(Uint8Array.from(gif))).toEqual({ description: "A plan" });
    expect(
      readPictureFacts(
        jpeg(
          exifSegment([[0x010e, bytesOf("OLYMPUS DIGITAL CAMERA  \0")]], [[0x9003, bytesOf("0000:00:00 00:00:00\0")]]),
        ),
      ),
    ).toEqual({});
  });

  it("says nothing of what is cut off or broken, and never throws", () => {
    const whole = jpeg(
      exifSegment([[0x010e, bytesOf("A plan of the harbour\0")]], taken),
      segment(0xe1, [...bytesOf("http://ns.adobe.com/xap/1.0/\0"), ...bytesOf(xmp)]),
    );
    for (let length = 0; length < whole.length; length += 3) readPictureFacts(whole.subarray(0, length));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }), (edits) => {
        const changed = whole.slice();
        for (const [at, value] of edits) changed[at] = value;
        for (const value of Object.values(readPictureFacts(changed))) expect(value).not.toBe("");
      }),
      { numRuns: 300 },
    );
  });

  it("are the text and metadata of a picture that no reader accepts, below those that the caller gives", async () => {
    const kb = await openKnowledgeBase();
    const bytes = jpeg(
      exifSegment(
        [
          [0x010e, bytesOf("Cranes at dawn\0")],
          [0x9c9e, wide("harbour;steel\0")],
        ],
        taken,
      ),
    );
    const picture = { uri: "IMG_1.jpg", bytes, keepsMedia: true } as const;
    await kb.ingest(picture);
    for (const query of ["cranes at dawn", "steel"]) {
      const [hit] = await kb.search(query);
      expect(basename(hit!.source.uri)).toBe("IMG_1.jpg");
    }
    expect((await kb.document("IMG_1.jpg"))?.metadata).toMatchObject({
      description: "Cranes at dawn",
      keywords: ["harbour", "steel"],
      createdAt: "2023-05-06T07:08:09+02:00",
    });
    await kb.ingest(picture, { metadata: { description: "The new cranes" } });
    expect((await kb.document("IMG_1.jpg"))?.metadata).toMatchObject({
      description: "The new cranes",
      keywords: ["harbour", "steel"],
    });
    await kb.close();
  });
});
