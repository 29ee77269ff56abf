/** **Units** pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Width and height of each page of a picture, as its pixels are stored. Only a TIFF has several.
 *
 * **Shape** pages in order; none where the head of the file is broken. **Cost** the heads alone; no picture is decoded.
 * **Source** W3C PNG, 11.2.1; ITU-T T.81, B.2.2; GIF89a, 18; RFC 9649, 2; Adobe TIFF 6.0; Microsoft, BITMAPINFOHEADER.
 */
export function pictureSizes(bytes: Uint8Array): readonly PictureSize[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  try {
    const sizes = sizesBy(view, head);
    return sizes.filter(({ width, height }) => width > 0 && height > 0);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function sizesBy(view: DataView, head: string): readonly PictureSize[] {
  if (head.startsWith("\u0089PNG")) return [{ width: view.getUint32(16), height: view.getUint32(20) }];
  if (head.startsWith("\u00ff\u00d8")) return jpegSizes(view);
  if (head.startsWith("GIF8")) return [{ width: view.getUint16(6, true), height: view.getUint16(8, true) }];
  if (head.startsWith("BM")) return [bitmapSize(view)];
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return [webpSize(view, head.slice(12, 16))];
  if (/^(?:II\*\0|MM\0\*)/u.test(head)) return tiffSizes(view, head.startsWith("II"));
  return [];
}

/** The frame's header is the first marker from C0 to CF that is no table. */
function jpegSizes(view: DataView): readonly PictureSize[] {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [{ width: view.getUint16(at + 7), height: view.getUint16(at + 5) }];
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return [];
}

/** A negative height tells that the first row is the top one. */
function bitmapSize(view: DataView): PictureSize {
  if (view.getUint32(14, true) === 12) return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
}

function webpSize(view: DataView, kind: string): PictureSize {
  const at = 20;
  if (kind === "VP8 ")
    return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff };
  if (kind === "VP8L") {
    const bits = view.getUint32(at + 1, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return {
    width: (view.getUint32(at + 4, true) & 0xffffff) + 1,
    height: (view.getUint32(at + 6, true) >>> 8) + 1,
  };
}

function tiffSizes(view: DataView, isLittle: boolean): readonly PictureSize[] {
  return directoriesOf(view, isLittle).map(({ at, next }) => {
    const size = { width: 0, height: 0 };
    for (let entry = at + 2; entry < next; entry += 12) {
      const tag = view.getUint16(entry, isLittle);
      if (tag !== 256 && tag !== 257) continue;
      const isShort = view.getUint16(entry + 2, isLittle) === 3;
      const value = isShort ? view.getUint16(entry + 8, isLittle) : view.getUint32(entry + 8, isLittle);
      size[tag === 256 ? "width" : "height"] = value;
    }
    return size;
  });
}

const mostDirectories = 10_000;

/** A page of a TIFF: where its list of facts begins, and where it names the next. */
interface Directory {
  readonly at: number;
  readonly next: number;
}

function directoriesOf(view: DataView, isLittle: boolean): readonly Directory[] {
  const found: Directory[] = [];
  const seen = new Set<number>();
  for (let at = view.getUint32(4, isLittle); at !== 0 && !seen.has(at) && seen.size < mostDirectories;) {
    seen.add(at);
    const next = at + 2 + view.getUint16(at, isLittle) * 12;
    found.push({ at, next });
    at = view.getUint32(next, isLittle);
  }
  return found;
}

/**
 * The pages of a picture, each a picture of its own: engines read the first page of a TIFF alone.
 *
 * **Shape** the picture itself, but for a TIFF of several pages; **Cost** a copy for each page that is asked for.
 */
export function picturePages(bytes: Uint8Array): readonly (() => Uint8Array)[] {
  const isLittle = bytes[0] === 0x49;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = pictureSizes(bytes).length;
  if (count < 2) return [() => bytes];
  return directoriesOf(view, isLittle).map(({ at, next }) => () => {
    const page = bytes.slice();
    const own = new DataView(page.buffer);
    own.setUint32(4, at, isLittle);
    own.setUint32(next, 0, isLittle);
    return page;
  });
}
