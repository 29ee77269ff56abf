import type { Metadata } from "../contracts/metadata.ts";

/**
 * Title, caption, author, keywords, rights and date that a picture states about itself. They stand in EXIF, XMP, IPTC, texts of PNG and comments of GIF.
 *
 * **Shape** `title`, `description`, `author`, `keywords`, `copyright`, `createdAt` where stated. XMP comes before EXIF, and EXIF before IPTC. A date of EXIF without
 * a zone stays without one. A broken part says nothing. **Cost** the parts themselves, half a mebibyte of each at most; the picture is not decoded.
 * **Source** CIPA DC-008 (EXIF 2.32); ISO 16684-1 (XMP); IPTC-IIM 4.2; W3C PNG, 11.3.3; Adobe TIFF 6.0; GIF89a, 24.
 */
export function readPictureFacts(bytes: Uint8Array): Metadata {
  const parts = partsOf(bytes);
  const stated: Stated[] = [];
  for (const [kind, read] of order) {
    for (const part of parts) if (part.kind === kind) stated.push(attempt(() => read(part.bytes)));
  }
  const facts: Record<string, string | string[]> = {};
  for (const each of stated.toReversed()) Object.assign(facts, each);
  return facts;
}

type Stated = Readonly<Record<string, string | string[]>>;
type Kind = "xmp" | "exif" | "iptc" | "text" | "comment";

interface Part {
  readonly kind: Kind;
  readonly bytes: Uint8Array;
}

const order: readonly (readonly [Kind, (bytes: Uint8Array) => Stated])[] = [
  ["xmp", readXmp],
  ["exif", readExif],
  ["iptc", readIptc],
  ["text", readPngText],
  ["comment", (bytes) => clean({ description: decode(bytes) })],
];

/** **Units** bytes. */
const longestPart = 512 * 1024;
/** **Units** UTF-16 code units. */
const longestFact = 10_000;
const mostEntries = 512;
const utf8 = new TextDecoder("utf-8", { fatal: true });
const latin1 = new TextDecoder("windows-1252");

function attempt(read: () => Stated): Stated {
  try {
    return read();
  } catch {
    return {};
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function ascii(bytes: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + length));
}

/** Writers say nothing of their encoding; most write UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return latin1.decode(bytes);
  }
}

/** Facts without control characters, blanks at their ends, and those that say nothing. */
function clean(stated: Readonly<Record<string, string | string[] | undefined>>): Stated {
  const facts: Record<string, string | string[]> = {};
  const one = (text: string): string =>
    text
      .slice(0, longestFact)
      .replace(/[^\P{Cc}\n\t]/gu, "")
      .trim()
      .toWellFormed();
  for (const [name, value] of Object.entries(stated)) {
    if (typeof value === "string" && one(value) !== "") facts[name] = one(value);
    const list = Array.isArray(value) ? value.map(one).filter((each) => each !== "") : [];
    if (list.length > 0) facts[name] = list;
  }
  return facts;
}

function partsOf(bytes: Uint8Array): Part[] {
  const parts: Part[] = [];
  const add = (kind: Kind, from: number, to: number): void => {
    if (to > from && to - from <= longestPart && to <= bytes.length)
      parts.push({ kind, bytes: bytes.subarray(from, to) });
  };
  const head = ascii(bytes, 0, 12);
  try {
    if (head.startsWith("\u00ff\u00d8")) jpegParts(bytes, add);
    else if (head.startsWith("\u0089PNG")) pngParts(bytes, add);
    else if (head.startsWith("RIFF") && head.endsWith("WEBP")) webpParts(bytes, add);
    else if (head.startsWith("GIF8")) gifParts(bytes, add);
    else if (/^(?:II\*\0|MM\0\*)/u.test(head)) parts.push({ kind: "exif", bytes });
  } catch {
    // The parts before the break are good.
  }
  return parts;
}

type Add = (kind: Kind, from: number, to: number) => void;

function jpegParts(bytes: Uint8Array, add: Add): void {
  const view = viewOf(bytes);
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // The picture itself begins; nothing is stated behind it.
    if (marker === 0xda || marker === 0xd9) return;
    const from = at + 4;
    const to = at + 2 + view.getUint16(at + 2);
    const name = ascii(bytes, from, 29);
    if (marker === 0xe1 && name.startsWith("Exif\0\0")) add("exif", from + 6, to);
    else if (marker === 0xe1 && name.startsWith("http://ns.adobe.com/xap/1.0/\0")) add("xmp", from + 29, to);
    else if (marker === 0xed && name.startsWith("Photoshop 3.0\0")) addIptc(bytes, from + 14, to, add);
    else if (marker === 0xfe) add("comment", from, to);
    at = Math.max(to, at + 2);
  }
}

/** The part of Photoshop's resources that is IPTC's. **Source** Adobe Photoshop file formats, image resource 1028. */
function addIptc(bytes: Uint8Array, start: number, end: number, add: Add): void {
  const view = viewOf(bytes);
  let at = start;
  while (at + 12 <= end && ascii(bytes, at, 4) === "8BIM") {
    const id = view.getUint16(at + 4);
    const named = bytes[at + 6]! + 1;
    const sizeAt = at + 6 + named + (named % 2);
    const size = view.getUint32(sizeAt);
    if (id === 0x0404) add("iptc", sizeAt + 4, Math.min(end, sizeAt + 4 + size));
    at = sizeAt + 4 + size + (size % 2);
  }
}

function pngParts(bytes: Uint8Array, add: Add): void {
  const view = viewOf(bytes);
  for (let at = 8; at + 12 <= bytes.length;) {
    const to = at + 8 + view.getUint32(at);
    const kind = ascii(bytes, at + 4, 4);
    if (kind === "IEND") return;
    if (kind === "eXIf") add("exif", at + 8, to);
    else if (kind === "tEXt") add("text", at + 8, to);
    else if (kind === "iTXt" && ascii(bytes, at + 8, 17) === "XML:com.adobe.xmp") add("xmp", at + 30, to);
    else if (kind === "iTXt") add("text", at + 8, to);
    at = to + 4;
  }
}

function webpParts(bytes: Uint8Array, add: Add): void {
  const view = viewOf(bytes);
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true);
    const kind = ascii(bytes, at, 4);
    const hasName = ascii(bytes, at + 8, 6) === "Exif\0\0";
    if (kind === "EXIF") add("exif", at + (hasName ? 14 : 8), at + 8 + size);
    else if (kind === "XMP ") add("xmp", at + 8, at + 8 + size);
    at += 8 + size + (size % 2);
  }
}

/** The first comment; the rest of a GIF is its pictures. */
function gifParts(bytes: Uint8Array, add: Add): void {
  const skipTable = (at: number, flags: number): number => at + ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  let at = skipTable(13, bytes[10]!);
  while (at + 3 < bytes.length) {
    const isComment = bytes[at] === 0x21 && bytes[at + 1] === 0xfe;
    if (bytes[at] === 0x2c) at = skipTable(at + 10, bytes[at + 9]!) + 1;
    else if (bytes[at] === 0x21) at += 2;
    else return;
    if (isComment) return add("comment", at + 1, at + 1 + bytes[at]!);
    while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1;
    at += 1;
  }
}

const tag = {
  description: 0x010e,
  artist: 0x013b,
  copyright: 0x8298,
  exif: 0x8769,
  taken: 0x9003,
  digitized: 0x9004,
  zone: 0x9011,
  comment: 0x9286,
  title: 0x9c9b,
  windowsComment: 0x9c9c,
  windowsAuthor: 0x9c9d,
  keywords: 0x9c9e,
} as const;

function readExif(bytes: Uint8Array): Stated {
  const view = viewOf(bytes);
  const isLittle = ascii(bytes, 0, 2) === "II";
  const found = new Map<number, Uint8Array>();
  const readDirectory = (at: number): void => {
    const count = Math.min(mostEntries, view.getUint16(at, isLittle));
    for (let entry = at + 2; entry < at + 2 + count * 12; entry += 12) {
      const size = view.getUint32(entry + 4, isLittle);
      const from = size > 4 ? view.getUint32(entry + 8, isLittle) : entry + 8;
      const id = view.getUint16(entry, isLittle);
      // A pointer counts one number of four bytes; texts count their bytes.
      const length = id === tag.exif ? 4 : size;
      const start = id === tag.exif ? entry + 8 : from;
      if (!found.has(id) && length <= longestPart) found.set(id, bytes.subarray(start, start + length));
    }
  };
  readDirectory(view.getUint32(4, isLittle));
  const inner = found.get(tag.exif);
  if (inner?.length === 4) attempt(() => (readDirectory(viewOf(inner).getUint32(0, isLittle)), {}));
  const text = (id: number): string | undefined => {
    const value = found.get(id);
    return value && decode(value).replace(/\0[^]*$/u, "");
  };
  const wide = (id: number): string | undefined => {
    const value = found.get(id);
    return value && new TextDecoder("utf-16le").decode(value).replace(/\0[^]*$/u, "");
  };
  return clean({
    title: wide(tag.title),
    description:
      usual(text(tag.description)) ?? wide(tag.windowsComment) ?? commentIn(found.get(tag.comment), isLittle),
    author: text(tag.artist) || wide(tag.windowsAuthor),
    keywords: wide(tag.keywords)?.split(";"),
    copyright: text(tag.copyright),
    createdAt: dateOf(text(tag.taken) ?? text(tag.digitized), text(tag.zone)),
  });
}

/** Cameras write their own name, or blanks, where the caption goes. */
function usual(description: string | undefined): string | undefined {
  const is = /^\s*(?:OLYMPUS DIGITAL CAMERA|SONY DSC|KONICA MINOLTA DIGITAL CAMERA|DCIM.*|Created with GIMP)?\s*$/iu;
  return description === undefined || is.test(description) ? undefined : description;
}

/** **Source** EXIF 2.32, 4.6.5 (UserComment): eight bytes name the encoding. */
function commentIn(value: Uint8Array | undefined, isLittle: boolean): string | undefined {
  if (value === undefined || value.length <= 8) return undefined;
  const code = ascii(value, 0, 8);
  const rest = value.subarray(8);
  if (code.startsWith("UNICODE")) return new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(rest);
  return code.startsWith("ASCII") || code.startsWith("\0") ? decode(rest) : undefined;
}

/** `2023:05:06 07:08:09` as ISO 8601. */
function dateOf(stated: string | undefined, zone = ""): string | undefined {
  const parts = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/u.exec(stated ?? "");
  if (parts === null || parts[1] === "0000") return undefined;
  return `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}${/^(?:[+-]\d\d:\d\d|Z)$/u.test(zone) ? zone : ""}`;
}

function readXmp(bytes: Uint8Array): Stated {
  const xml = decode(bytes);
  const inside = (name: string): string | undefined => {
    const from = xml.indexOf(`<${name}>`);
    const to = from === -1 ? -1 : xml.indexOf(`</${name}>`, from);
    if (to !== -1) return xml.slice(from + name.length + 2, to);
    const attribute = xml.indexOf(` ${name}="`);
    const start = attribute + name.length + 3;
    return attribute === -1 ? undefined : xml.slice(start, xml.indexOf('"', start));
  };
  const items = (name: string): string[] | undefined => {
    const list = inside(name);
    if (list === undefined) return undefined;
    const found = [...list.matchAll(/<rdf:li\b[^>]{0,200}>([^<]*)<\/rdf:li>/gu)].map(([, item = ""]) => item);
    return (found.length === 0 && !list.includes("<") ? [list] : found).map(unescapeXml);
  };
  return clean({
    title: items("dc:title")?.[0] ?? items("photoshop:Headline")?.[0],
    description: items("dc:description")?.[0],
    author: items("dc:creator")?.join(", "),
    keywords: items("dc:subject"),
    copyright: items("dc:rights")?.[0],
    createdAt: inside("exif:DateTimeOriginal") ?? inside("photoshop:DateCreated"),
  });
}

function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/giu,
    (whole, hex: string, decimal: string, name: string) => {
      if (name !== undefined)
        return ({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" } as Record<string, string>)[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

function readIptc(bytes: Uint8Array): Stated {
  const view = viewOf(bytes);
  const found = new Map<number, string[]>();
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 0x1c;) {
    const size = view.getUint16(at + 3);
    const id = bytes[at + 2]!;
    if (bytes[at + 1] === 2) found.set(id, [...(found.get(id) ?? []), decode(bytes.subarray(at + 5, at + 5 + size))]);
    at += 5 + size;
  }
  return clean({
    title: found.get(5)?.[0] ?? found.get(105)?.[0],
    description: found.get(120)?.[0],
    author: found.get(80)?.join(", "),
    keywords: found.get(25),
    copyright: found.get(116)?.[0],
  });
}

/** Keywords of PNG that say what others have names for. */
const pngNames: Readonly<Record<string, string>> = {
  title: "title",
  description: "description",
  comment: "description",
  author: "author",
  copyright: "copyright",
};

/** **Source** W3C PNG, 11.3.3: a keyword, NUL, and a text; in `iTXt`, flags, language and translated keyword between them. Packed texts are passed by. */
function readPngText(bytes: Uint8Array): Stated {
  const end = bytes.indexOf(0);
  const name = pngNames[ascii(bytes, 0, Math.min(end, 79)).toLowerCase()];
  if (end === -1 || name === undefined) return {};
  const rest = bytes.subarray(end + 1);
  const isInternational = rest[0] === 0 && rest[1] === 0;
  if (rest[0] === 1 && rest[1] === 0) return {};
  if (!isInternational) return clean({ [name]: decode(rest) });
  const language = rest.indexOf(0, 2);
  const translated = rest.indexOf(0, language + 1);
  return language === -1 || translated === -1 ? {} : clean({ [name]: decode(rest.subarray(translated + 1)) });
}
