import { sha256 } from "../../runtime/hash.ts";
import type { PdfGeometry, PlacedText } from "./place-line.ts";

/** The first byte of packed places. Others are of another version, and are read anew. */
const version = 2;

/** Numbers of one place; those of a turned one have its angle as well. */
const columnCount = 9;

/** The place before the first. */
const origin = { end: 0, page: 1, left: 0, right: 0, y: 0, size: 0 };

const toInteger = (value: number): number => Math.round(value * 100);

/**
 * Packs the places of a text, without the text.
 *
 * Each number of a place is its distance from a guess: words of a line follow one another, and lines stand below one another. Numbers of one kind stand together.
 * **Shape** a version, then 32-bit integers, deflated: a hash and the length of the text, sizes of the pages, and the columns of places. **Units** hundredths of a point.
 * **Cost** linear.
 */
export async function packPlaces({ text, pages, places }: PdfGeometry): Promise<Uint8Array> {
  const sizes = pages.flatMap(({ width, height }) => [toInteger(width), toInteger(height)]);
  const head = [...hashOf(text), text.length, pages.length, places.length, ...sizes];
  const numbers = new Int32Array(head.length + columnCount * places.length);
  numbers.set(head);
  let last = origin;
  for (const [index, { start, end, page, angle = 0, rtl, mono, ...place }] of places.entries()) {
    const [x, right, y, size] = [toInteger(place.x), toInteger(place.right), toInteger(place.y), toInteger(place.size)];
    const isSameLine = y === last.y;
    let at = head.length + index;
    const put = (value: number): void => {
      numbers[at] = value;
      at += places.length;
    };
    put(start - last.end);
    put(end - start);
    put(page - last.page);
    put(x - (isSameLine ? last.right : last.left));
    put(right - x);
    put(y - last.y);
    put(size - last.size);
    put((rtl === true ? 1 : 0) + (mono === true ? 2 : 0));
    put(toInteger(angle));
    last = { end, page, left: isSameLine ? last.left : x, right, y, size };
  }
  const packed = await through(new Uint8Array(numbers.buffer), new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(packed.length + 1);
  bytes[0] = version;
  bytes.set(packed, 1);
  return bytes;
}

/** The places of a text. **Shape** `undefined` for those of another text or another version, and for what is broken. Files that hang on a document come after its pages, and no page shows them. */
export async function unpackPlaces(bytes: Uint8Array, whole: string): Promise<PdfGeometry | undefined> {
  if (bytes[0] !== version) return undefined;
  const body = await through(bytes.subarray(1), new DecompressionStream("deflate-raw")).catch(() => undefined);
  if (body === undefined || body.length % 4 !== 0) return undefined;
  const numbers = new Int32Array(body.buffer, body.byteOffset, body.length / 4);
  const [length = -1, pageCount = 0, count = 0] = numbers.subarray(hashLength, hashLength + 3);
  const [sizes, first] = [hashLength + 3, hashLength + 3 + 2 * pageCount];
  const text = whole.slice(0, length);
  const isWhole = text.length === length && (whole.length === length || whole.startsWith("\n\n", length));
  const isComplete = numbers.length === first + columnCount * count;
  if (!isWhole || !isComplete || hashOf(text).some((part, index) => part !== numbers[index])) return undefined;
  const column = (index: number): Int32Array => numbers.subarray(first + index * count, first + (index + 1) * count);
  const [gaps, lengths, turns, lefts, widths, downs, growths, flags, angles] = Array.from(
    { length: columnCount },
    (_, index) => column(index),
  ) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
  let last = origin;
  const places = Array.from({ length: count }, (_, at): PlacedText => {
    const isSameLine = downs[at] === 0;
    const start = last.end + gaps[at]!;
    const x = lefts[at]! + (isSameLine ? last.right : last.left);
    const left = isSameLine ? last.left : x;
    const [end, page, right] = [start + lengths[at]!, last.page + turns[at]!, x + widths[at]!];
    last = { end, page, left, right, y: last.y + downs[at]!, size: last.size + growths[at]! };
    return {
      start,
      end,
      page,
      x: x / 100,
      right: right / 100,
      y: last.y / 100,
      size: last.size / 100,
      ...(angles[at] !== 0 && { angle: angles[at]! / 100 }),
      ...((flags[at]! & 1) !== 0 && { rtl: true as const }),
      ...((flags[at]! & 2) !== 0 && { mono: true as const }),
    };
  });
  const pages = Array.from({ length: pageCount }, (_, index) => ({
    width: numbers[sizes + 2 * index]! / 100,
    height: numbers[sizes + 2 * index + 1]! / 100,
  }));
  return { text, pages, places };
}

const hashLength = 8;

/** A hash of a text as integers. */
function hashOf(text: string): readonly number[] {
  const digits = sha256(text);
  return Array.from(
    { length: hashLength },
    (_, index) => Number.parseInt(digits.slice(8 * index, 8 * index + 8), 16) | 0,
  );
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(source).arrayBuffer());
}
