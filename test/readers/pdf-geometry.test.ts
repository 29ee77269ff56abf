import fc from "fast-check";
import { createPdfReader, locateOnPages, type PdfGeometry, readPdfGeometry } from "ibid/readers";
import { expect, test } from "vitest";
import { packPlaces, unpackPlaces } from "../../src/readers/pdf/pack-places.ts";
import { fromBase64 } from "../../src/text/base64.ts";

/** A PDF of pages with lines of Courier, whose signs are 0.6 of its size wide. **Source** ISO 32000-1, 7.5. */
function makePdf(pages: readonly { readonly content: string; readonly rotate?: number }[]): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    ...pages.flatMap(({ content, rotate = 0 }, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate ${rotate} /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}`;
  text += `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF`;
  return new TextEncoder().encode(text);
}

const line = (x: number, y: number, words: string): string => `BT /F 10 Tf ${x} ${y} Td (${words}) Tj ET`;
const near = (value: number, expected: number): void => expect(Math.abs(value - expected)).toBeLessThan(0.6);

test("[page 21.1] a word of a line has the box that its font gives it", async () => {
  const bytes = makePdf([{ content: line(100, 700, "Keys are rotated every ninety days.") }]);
  const geometry = await readPdfGeometry({ uri: "keys.pdf", bytes });
  const start = geometry.text.indexOf("rotated");
  const [page, ...more] = locateOnPages(geometry, start, start + "rotated".length);
  expect(more).toEqual([]);
  expect(page).toMatchObject({ number: 1, width: 600, height: 800 });
  const [box] = page!.boxes;
  // "rotated" is signs 9 to 16 of a line that begins at 100, six points each; its baseline is 100 below the top.
  near(box!.x, 154);
  near(box!.x + box!.width, 196);
  expect(box!.y).toBeLessThan(93);
  expect(box!.y + box!.height).toBeGreaterThan(100);
});

test("[page 21.1] text of a turned page stands where the page shows it", async () => {
  // The lines run upwards, and the page is turned by a quarter: its reader sees them upright.
  const content = "BT /F 10 Tf 0 1 -1 0 100 50 Tm (Keys are rotated every ninety days.) Tj ET";
  const geometry = await readPdfGeometry({ uri: "turned.pdf", bytes: makePdf([{ content, rotate: 90 }]) });
  const start = geometry.text.indexOf("rotated");
  const [page] = locateOnPages(geometry, start, start + 7);
  expect(page).toMatchObject({ width: 800, height: 600 });
  near(page!.boxes[0]!.x, 104);
  near(page!.boxes[0]!.width, 42);
});

test("[page 21.1] a quote over two pages has boxes on both, and none between", async () => {
  const first = [
    "The keeper of the archive, who had been there for thirty",
    "years and knew each of its shelves by heart, never once",
  ];
  const second = ["looked at the lock of the cellar before the great flood", "came and took all of it away."];
  const write = (lines: readonly string[]): string =>
    lines.map((words, index) => line(60, 700 - 12 * index, words)).join("\n");
  const geometry = await readPdfGeometry({
    uri: "two.pdf",
    bytes: makePdf([{ content: write(first) }, { content: write(second) }]),
  });
  const start = geometry.text.indexOf("never once");
  const end = geometry.text.indexOf("before the great");
  expect(geometry.text.slice(start, end)).toBe("never once looked at the lock of the cellar ");
  const pages = locateOnPages(geometry, start, end);
  expect(pages.map(({ number, boxes }) => [number, boxes.length])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  near(pages[1]!.boxes[0]!.x, 60);
});

test("[page 21.1] a reader gives the places with the text, and they are those of the geometry", async () => {
  const bytes = makePdf([{ content: line(100, 700, "Keys are rotated every ninety days.") }]);
  const { text, places } = await createPdfReader().read({ uri: "keys.pdf", bytes, mediaType: "application/pdf" });
  expect(await unpackPlaces(fromBase64(places!), text)).toEqual(await readPdfGeometry({ uri: "keys.pdf", bytes }));
  // Files that hang on a document come after its pages; any other text has other places.
  expect(await unpackPlaces(fromBase64(places!), `${text}\n\nAn attached file.`)).toMatchObject({ text });
  for (const other of [`${text}.`, text.slice(1), text.replace("Keys", "Locks")])
    expect(await unpackPlaces(fromBase64(places!), other)).toBeUndefined();
});

test("[page 21.1] places are the same after they were packed, and none come of a damaged pack", async () => {
  const cents = (max: number) => fc.integer({ min: -max, max }).map((value) => value / 100);
  const place = fc.record(
    {
      start: fc.nat(1000),
      end: fc.nat(1000),
      page: fc.integer({ min: 1, max: 9 }),
      x: cents(90_000),
      right: cents(90_000),
      y: fc.oneof(fc.constant(7), cents(90_000)),
      size: cents(9000),
      angle: fc.integer({ min: 1, max: 35_999 }).map((value) => value / 100),
      rtl: fc.constant(true as const),
      mono: fc.constant(true as const),
    },
    { requiredKeys: ["start", "end", "page", "x", "right", "y", "size"] },
  );
  const size = fc.record({ width: fc.nat(99_999), height: fc.nat(99_999) });
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.array(size), fc.array(place), fc.nat(), async (text, pages, places, cut) => {
      const geometry: PdfGeometry = { text, pages, places };
      const packed = await packPlaces(geometry);
      expect(JSON.stringify(await unpackPlaces(packed, text))).toBe(JSON.stringify(ordered(geometry)));
      expect(await unpackPlaces(packed.subarray(0, cut % packed.length), text)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

/** The same with keys in the order in which they are unpacked, and without signs of zero. */
function ordered({ text, pages, places }: PdfGeometry): PdfGeometry {
  return {
    text,
    pages,
    places: places.map(({ start, end, page, x, right, y, size, angle, rtl, mono }) => ({
      start,
      end,
      page,
      x: x + 0,
      right: right + 0,
      y: y + 0,
      size: size + 0,
      ...(angle !== undefined && { angle }),
      ...(rtl && { rtl }),
      ...(mono && { mono }),
    })),
  };
}

test("[page 21.1] words before and behind dots that lead to a number have their boxes", async () => {
  const bytes = makePdf([{ content: line(60, 700, "Sluices ................ 15") }]);
  const geometry = await readPdfGeometry({ uri: "contents.pdf", bytes });
  expect(geometry.text).toBe("Sluices … 15");
  const boxOf = (word: string) => {
    const start = geometry.text.indexOf(word);
    return locateOnPages(geometry, start, start + word.length)[0]?.boxes[0];
  };
  near(boxOf("Sluices")!.x, 60);
  near(boxOf("15")!.x, 60 + 25 * 6);
});
