import type { PdfDocument } from "../pdf/open-pdf.ts";

/** A page as a picture in shades of grey: 0 black, 255 white. */
export interface PagePicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  readonly dpi: number;
}

/** Operators of PDF.js, as it counts them. */
const op = {
  save: 10,
  restore: 11,
  transform: 12,
  beginForm: 74,
  endForm: 75,
  mask: 83,
  image: 85,
  inlineImage: 86,
} as const;

/** Recognition gains nothing from finer pictures. **Source** Tesseract's own advice: 300 dots per inch. */
const mostDpi = 300;
const leastDpi = 200;
/** **Units** pixels of a page. */
const mostPixels = 40_000_000;

type Matrix = readonly [number, number, number, number, number, number];

/** A decoded picture. **Source** PDF.js, `ImageKind`: 1 a bit, 2 red, green and blue, 3 with transparency. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly kind: 1 | 2 | 3;
  readonly data: Uint8Array | Uint8ClampedArray;
  /** Whether its dark bits alone are painted. */
  readonly isMask: boolean;
}

/**
 * The pictures of a page where they stand, as one picture. Text and lines are not drawn: a scanned page has none.
 *
 * **Shape** `undefined` for a page without a picture that can be decoded. **Cost** some hundred milliseconds, and a byte for each pixel.
 */
export async function drawPictures(pdf: PdfDocument, number: number): Promise<PagePicture | undefined> {
  const page = await pdf.getPage(number);
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const { fnArray, argsArray } = await page.getOperatorList();
  const pictures: { readonly decoded: Decoded; readonly place: Matrix }[] = [];
  let place = transform as unknown as Matrix;
  const saved: Matrix[] = [];
  for (const [index, code] of fnArray.entries()) {
    const args = argsArray[index] as readonly unknown[] | null;
    if (code === op.save) saved.push(place);
    else if (code === op.restore || code === op.endForm) place = saved.pop() ?? place;
    else if (code === op.transform) place = multiply(place, args as unknown as Matrix);
    else if (code === op.beginForm) {
      saved.push(place);
      const matrix = args?.[0] as ArrayLike<number> | null | undefined;
      if (matrix !== null && matrix !== undefined && matrix.length >= 6)
        place = multiply(place, Array.from(matrix) as unknown as Matrix);
    } else if (code === op.image || code === op.inlineImage || code === op.mask) {
      const decoded = await decodedOf(page, args?.[0], code === op.mask);
      if (decoded !== undefined) pictures.push({ decoded, place });
    }
  }
  page.cleanup();
  if (pictures.length === 0) return undefined;
  const finest = Math.max(...pictures.map(({ decoded, place: [a, b] }) => (decoded.width / Math.hypot(a, b)) * 72));
  const dpi = Math.min(
    Math.max(leastDpi, Math.min(mostDpi, finest)),
    Math.sqrt(mostPixels / ((width / 72) * (height / 72))),
  );
  const scale = dpi / 72;
  const whole = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)), dpi };
  const pixels = new Uint8Array(whole.width * whole.height).fill(255);
  for (const { decoded, place: at } of pictures)
    paint({ ...whole, pixels }, decoded, multiply([scale, 0, 0, scale, 0, 0], at));
  return { ...whole, pixels };
}

type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;

async function decodedOf(page: PdfPage, given: unknown, isMask: boolean): Promise<Decoded | undefined> {
  let image = given as Partial<Decoded> | string | null | undefined;
  if (typeof image === "string") image = await objectOf(page, image);
  if (image === null || image === undefined || typeof image === "string") return undefined;
  const data: unknown = image.data;
  const bytes = typeof data === "string" ? (await objectOf(page, data))?.data : (data as Decoded["data"] | undefined);
  const { width, height } = image;
  if (!(bytes instanceof Uint8Array || bytes instanceof Uint8ClampedArray) || !width || !height) return undefined;
  return { width, height, kind: isMask ? 1 : (image.kind ?? 3), data: bytes, isMask };
}

/** An object of PDF.js, which may still be on its way; those of several pages have names that begin with `g_`. */
function objectOf(page: PdfPage, name: string): Promise<Partial<Decoded> | undefined> {
  const objects = (name.startsWith("g_") ? page.commonObjs : page.objs) as {
    get(name: string, done: (value: unknown) => void): unknown;
  };
  const { promise, resolve } = Promise.withResolvers<Partial<Decoded> | undefined>();
  const timer = setTimeout(() => resolve(undefined), objectTimeoutMs);
  objects.get(name, (value) => {
    clearTimeout(timer);
    resolve((value as Partial<Decoded> | null) ?? undefined);
  });
  return promise;
}

/** A picture that PDF.js cannot decode never comes. */
const objectTimeoutMs = 20_000;

/** Paints a picture, whose own place is the unit square upwards, into the page. Each pixel of the page takes the middle of those that it covers. */
function paint(page: PagePicture, { width, height, kind, data, isMask }: Decoded, place: Matrix): void {
  const [a, b, c, d, e, f] = place;
  const area = a * d - b * c;
  if (area === 0) return;
  const xs = [e, e + a, e + c, e + a + c];
  const ys = [f, f + b, f + d, f + b + d];
  const left = Math.max(0, Math.floor(Math.min(...xs)));
  const right = Math.min(page.width, Math.ceil(Math.max(...xs)));
  const top = Math.max(0, Math.floor(Math.min(...ys)));
  const bottom = Math.min(page.height, Math.ceil(Math.max(...ys)));
  const rowBytes = (width + 7) >> 3;
  const grey = (column: number, row: number): number => {
    if (kind === 1) {
      const bit = ((data[row * rowBytes + (column >> 3)] ?? 0) >> (7 - (column & 7))) & 1;
      return bit === 1 ? 255 : 0;
    }
    const at = (row * width + column) * (kind === 2 ? 3 : 4);
    return (data[at]! * 77 + data[at + 1]! * 150 + data[at + 2]! * 29) >> 8;
  };
  // Where several pixels of the picture fall on one of the page, they are averaged: thin strokes stay.
  const across = Math.max(1, Math.min(4, Math.round((width / Math.hypot(a, b)) * 1)));
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      let sum = 0;
      let count = 0;
      for (let i = 0; i < across; i++) {
        const [px, py] = [x + (i + 0.5) / across, y + (i + 0.5) / across];
        const u = (d * (px - e) - c * (py - f)) / area;
        const v = (a * (py - f) - b * (px - e)) / area;
        if (u < 0 || u >= 1 || v < 0 || v >= 1) continue;
        sum += grey(Math.floor(u * width), Math.floor((1 - v) * height));
        count++;
      }
      if (count === 0) continue;
      const shade = sum / count;
      if (!isMask || shade < 255) page.pixels[y * page.width + x] = shade;
    }
  }
}

/** One affine map after another. **Source** ISO 32000-1, 8.3.4. */
function multiply([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}
