import { checkGiven } from "../runtime/check-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { encodingByBytes, looksBinary } from "../text/charsets/decode-text.ts";

import { fileNameOf } from "./file-name.ts";
import { mediaTypeOfName } from "./media-type-names.ts";
import { isPlainTextType } from "./text/plain-text-reader.ts";

/** Declarations of a sender or caller about bytes. */
export interface MediaTypeHints {
  /** A media type, with or without parameters. */
  readonly declared?: string | undefined;
  /** The uri or file name; errors name it. */
  readonly name?: string | undefined;
}

/** First bytes that only one format has, at an offset. */
const signatures: readonly { readonly mediaType: string; readonly bytes: readonly number[]; readonly at?: number }[] = [
  { mediaType: "application/gzip", bytes: [0x1f, 0x8b, 0x08] },
  { mediaType: "application/x-7z-compressed", bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { mediaType: "application/x-xz", bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { mediaType: "application/zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { mediaType: "application/vnd.rar", bytes: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07] },
  { mediaType: "application/x-cfb", bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1] },
  { mediaType: "application/x-executable", bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { mediaType: "application/x-executable", bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { mediaType: "application/x-executable", bytes: [0x4d, 0x5a, 0x90, 0x00] },
  { mediaType: "application/wasm", bytes: [0x00, 0x61, 0x73, 0x6d] },
  { mediaType: "application/java-vm", bytes: [0xca, 0xfe, 0xba, 0xbe] },
  { mediaType: "image/png", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mediaType: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { mediaType: "image/gif", bytes: [0x47, 0x49, 0x46, 0x38] },
  { mediaType: "image/webp", bytes: [0x57, 0x45, 0x42, 0x50], at: 8 },
  { mediaType: "image/tiff", bytes: [0x49, 0x49, 0x2a, 0x00] },
  { mediaType: "image/tiff", bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { mediaType: "audio/wav", bytes: [0x57, 0x41, 0x56, 0x45], at: 8 },
  { mediaType: "audio/mpeg", bytes: [0x49, 0x44, 0x33] },
  // Pictures and films share a container; its brand says which.
  ...["heic", "heix", "mif1", "heim", "hevc"].map((brand) => brandOf(brand, "image/heic")),
  brandOf("avif", "image/avif"),
  brandOf("M4A ", "audio/mp4"),
  brandOf("", "video/mp4"),
  { mediaType: "application/rtf", bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66] },
  ...textSignatures({
    "application/x-bzip2": "BZh",
    "application/vnd.sqlite3": "SQLite format 3",
    "application/vnd.apache.parquet": "PAR1",
    "application/postscript": "%!PS",
    "application/warc": "WARC/1.",
    "application/vnd.ms-cab-compressed": "MSCF",
    "application/vnd.debian.binary-package": "!<arch>",
    "image/vnd.adobe.photoshop": "8BPS",
    "image/vnd.dwg": "AC10",
    "image/vnd.djvu": "AT&TFORM",
    "image/bmp": "BM\u0000",
    "audio/ogg": "OggS",
    "audio/flac": "fLaC",
    "font/woff2": "wOF2",
    "font/woff": "wOFF",
    "application/x-hdf5": "\u0089HDF",
    "application/vnd.ms-htmlhelp": "ITSF",
    "application/vnd.ms-tnef": "\u0078\u009F\u003E\u0022",
    "application/vnd.wordperfect": "\u00FFWPC",
    "application/vnd.ms-outlook-pst": "!BDN",
    "application/x-mswrite": "\u0031\u00BE\u0000\u0000\u0000\u00AB",
  }),
  { mediaType: "image/wmf", bytes: [0xd7, 0xcd, 0xc6, 0x9a, 0x00, 0x00] },
  { mediaType: "image/wmf", bytes: [0x01, 0x00, 0x09, 0x00, 0x00, 0x03] },
  { mediaType: "application/onenote", bytes: [0xe4, 0x52, 0x5c, 0x7b, 0x8c, 0xd8, 0xa7, 0x4d] },
  { mediaType: "video/x-matroska", bytes: [0x1a, 0x45, 0xdf, 0xa3] },
  { mediaType: "application/x-ms-shortcut", bytes: [0x4c, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00] },
  { mediaType: "application/x-msaccess", bytes: Array.from("Standard ", (sign) => sign.charCodeAt(0)), at: 4 },
  { mediaType: "application/x-mobipocket-ebook", bytes: Array.from("BOOKMOBI", (sign) => sign.charCodeAt(0)), at: 60 },
  { mediaType: "application/x-tar", bytes: Array.from("ustar", (sign) => sign.charCodeAt(0)), at: 257 },
];

function textSignatures(
  texts: Readonly<Record<string, string>>,
): { readonly mediaType: string; readonly bytes: readonly number[] }[] {
  return Object.entries(texts).map(([mediaType, text]) => ({
    mediaType,
    bytes: Array.from(text, (sign) => sign.charCodeAt(0)),
  }));
}

/** A file of ISO's base media format by its brand. **Source** ISO/IEC 14496-12, 4.3. */
function brandOf(
  brand: string,
  mediaType: string,
): { readonly mediaType: string; readonly bytes: readonly number[]; readonly at: number } {
  return { mediaType, bytes: Array.from(`ftyp${brand}`, (sign) => sign.charCodeAt(0)), at: 4 };
}

/** Declared by senders that do not know. */
const meaningless = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-download",
  "application/force-download",
  "unknown/unknown",
  "*/*",
]);

/** Comments, an XML declaration and processing instructions may stand before the first tag. */
const prolog = /^\uFEFF?(?:\s+|<!--(?:(?!-->)[\s\S])*-->|<\?[a-z][^>]*>)*/i;

const headLength = 1024;
/** Entries of an archive that are looked at. */
const maxZipNames = 20_000;
const latin1Decoder = new TextDecoder("latin1");
const utf8Decoder = new TextDecoder("utf-8");

/**
 * Detects the media type of bytes: the content decides first, then the declaration, then the name. Text without a name is `text/plain`.
 *
 * A name or declaration of another text format wins over a look of HTML, because Markdown and templates may begin with HTML.
 *
 * **Shape** a media type in lower case, without parameters. Formats without a reader are named all the same.
 * **Errors** `empty` for no bytes or white space only; `binary` for bytes that are no text and no format that is known.
 * **Cost** looks at the head of the bytes, and at the tail of a ZIP.
 * **Source** WHATWG MIME Sniffing, section 7, for the order; PDF 32000 for the header within the first 1,024 bytes.
 *
 * @experimental
 */
export function detectMediaType(bytes: Uint8Array, hints: MediaTypeHints = {}): string {
  checkGiven("detectMediaType", "bytes", bytes, "bytes");
  const name = hints.name ?? "The input";
  if (isBlank(bytes)) {
    throw new IbidError("empty", `${name} is empty.`, {
      hint: "Give a file that holds text.",
      ...(hints.name === undefined ? {} : { uri: hints.name }),
    });
  }
  const declared = normalizeMediaType(hints.declared);
  const byName = mediaTypeOfName(fileNameOf(hints.name ?? ""));
  const bySignature = matchSignature(bytes) ?? matchZip(bytes, byName);
  if (bySignature !== undefined) return refineLegacyOffice(bySignature, byName, bytes);

  const said = preferSpecific(declared, byName);
  if (looksBinary(bytes)) {
    // A declared or named format that is not text may well hold such bytes; its reader will tell.
    if (said !== undefined && !isTextual(said)) return said;
    const nul = findStrayNul(bytes);
    const what = nul === undefined ? "holds binary data, not text" : `holds a NUL, at byte ${nul}, which no text has`;
    throw new IbidError("binary", `${name} ${what}.`, {
      hint:
        nul === undefined
          ? "Give a text, or a file of a format that is read, such as Markdown, HTML, PDF, DOCX or XLSX."
          : "A text with NUL bytes, such as a log after a crash, becomes readable without them (tr -d '\\000' < damaged > fixed).",
      ...(hints.name === undefined ? {} : { uri: hints.name }),
      ...(nul === undefined ? {} : { details: { offset: nul } }),
    });
  }
  if (said !== undefined && opensTexts.has(said)) return matchExport(bytes, said, byName);
  if (
    looksLikeHtml(bytes) &&
    (said === undefined || said === "text/plain" || isHtml(said) || said === "application/xml")
  ) {
    return said !== undefined && isHtml(said) ? said : "text/html";
  }
  if (said === undefined || said === "text/plain" || said === "application/xml") {
    const head = decodeHead(bytes);
    const found =
      matchFeed(head) ??
      matchFlatDocument(latin1(bytes.subarray(0, 8 * headLength))) ??
      matchStructuredXml(head) ??
      matchXmlWorkbook(head) ??
      matchWordXml(bytes);
    if (found !== undefined) return found;
    // Most vocabularies of XML have an extension of their own, such as `.opml` and `.kml`.
    if (said === undefined && /^\uFEFF?\s*<\?xml\s/u.test(head)) return "application/xml";
  }
  return said ?? matchMail(bytes) ?? "text/plain";
}

/** Formats of older Office, whose programs open a text under their own name: many others export one so. */
const opensTexts: ReadonlySet<string> = new Set([
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/vnd.ms-outlook",
]);

/** The type of a text that is called a file of older Office. */
function matchExport(bytes: Uint8Array, said: string, byName: string | undefined): string {
  const head = decodeHead(bytes);
  const start = prolog.exec(head)?.[0].length ?? 0;
  if (/^<(?:!doctype\s+html|html|head|body|table|meta|style|div|font)(?=[\s>/])/iu.test(head.slice(start)))
    return "text/html";
  const inOneFile = matchXmlWorkbook(head) ?? matchWordXml(bytes);
  if (inOneFile !== undefined) return inOneFile;
  if (/^\uFEFF?\s*<\?xml\s/u.test(head)) return "application/xml";
  if (byName !== undefined && isTextual(byName)) return byName;
  if (said === "application/vnd.ms-excel") return head.includes("\t") ? "text/tab-separated-values" : "text/csv";
  return matchMail(bytes) ?? "text/plain";
}

/** Where the first NUL stands in what would be a text without it, as far as bytes are looked at. */
function findStrayNul(bytes: Uint8Array): number | undefined {
  const sample = bytes.subarray(0, strayBytes);
  const nul = sample.indexOf(0);
  if (nul === -1) return undefined;
  const others = sample.filter((byte) => byte !== 0);
  // A few letters between zeros are anything.
  if (others.length < 16 || others.length < sample.length / 2 || looksBinary(others)) return undefined;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(others, { stream: true });
    return nul;
  } catch {
    return undefined;
  }
}

/** **Units** bytes. */
const strayBytes = 64 * 1024;

/** `text/html` for ` Text/HTML; charset=utf-8`; `undefined` for what says nothing. */
function normalizeMediaType(declared: string | undefined): string | undefined {
  const essence = (declared ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (meaningless.has(essence) || !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence)) return undefined;
  return essence === "text/xml" ? "application/xml" : essence;
}

/** Servers call every text file `text/plain`; a name that says more, and is text too, is believed over it. */
function preferSpecific(declared: string | undefined, byName: string | undefined): string | undefined {
  if (declared === undefined) return byName;
  return declared === "text/plain" && byName !== undefined && isTextual(byName) ? byName : declared;
}

function isHtml(mediaType: string): boolean {
  return mediaType === "text/html" || mediaType === "application/xhtml+xml";
}

/** Whether bytes of this type are text in some encoding. */
export function isTextual(mediaType: string): boolean {
  return mediaType.startsWith("text/") || isPlainTextType(mediaType) || /[/+]xml$/.test(mediaType);
}

/** Byte order mark aside, nothing but ASCII white space; UTF-16's zero bytes are let pass with it. */
function isBlank(bytes: Uint8Array): boolean {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  let at = utf16 ? 2 : bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d) && !(utf16 && byte === 0)) return false;
  }
  return true;
}

function matchSignature(bytes: Uint8Array): string | undefined {
  for (const { mediaType, bytes: expected, at = 0 } of signatures) {
    if (expected.every((byte, index) => bytes[at + index] === byte)) return mediaType;
  }
  // Its own mark stands behind the first record; the number of that record begins the file. **Source** MS-EMF, 2.3.4.2.
  if (bytes[0] === 1 && bytes[1] === 0 && latin1(bytes.subarray(40, 44)) === " EMF") return "image/emf";
  // "%PDF-" may stand anywhere in the first 1,024 bytes; a text that merely speaks of it has no binary around it.
  const pdf = latin1(bytes.subarray(0, headLength)).indexOf("%PDF-");
  return pdf === 0 || (pdf > 0 && looksBinary(bytes)) ? "application/pdf" : undefined;
}

/** Chooses among the formats that are ZIP archives; names of entries stand in local headers at the front and in the directory at the end. */
function matchZip(bytes: Uint8Array, byName: string | undefined): string | undefined {
  const isZip =
    bytes[0] === 0x50 &&
    bytes[1] === 0x4b &&
    ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6));
  if (!isZip) return undefined;
  const head = latin1(bytes.subarray(0, 4096));
  // EPUB and OpenDocument store their media type as the first entry, uncompressed.
  const stored = /^mimetype(application\/[\w.+-]+?)(?=PK|$)/s.exec(head.slice(30))?.[1];
  if (stored !== undefined) return stored;
  const names = zipNames(bytes) ?? (head + latin1(bytes.subarray(-65_536))).split(/(?=word\/|xl\/|ppt\/)/);
  if (names.includes("xl/workbook.bin")) return binaryWorkbook;
  const isPackage = names.includes("[Content_Types].xml");
  for (const [folder, main, mediaType] of officeFolders) {
    // A package may call its main part anything; its folder is what every writer keeps.
    if (names.some((entry) => entry.startsWith(main) || (isPackage && entry.startsWith(folder)))) return mediaType;
  }
  if (names.includes("META-INF/container.xml")) return "application/epub+zip";
  if (names.some((entry) => /^Index(?:\.zip$|\/.*\.iwa$)/.test(entry)))
    return byName?.startsWith("application/vnd.apple.") === true ? byName : "application/vnd.apple.iwork";
  return byName !== undefined && !isTextual(byName) && byName !== "application/pdf" ? byName : "application/zip";
}

const officeFolders = (
  ["wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"] as const
).map((kind, index) => {
  const folder = ["word/", "xl/", "ppt/"][index] ?? "";
  const main = ["word/document", "xl/workbook", "ppt/presentation"][index] ?? "";
  return [folder, main, `application/vnd.openxmlformats-officedocument.${kind}`] as const;
});

/** Names in the directory of a ZIP; `undefined` when it has none that can be followed. **Source** PKWARE APPNOTE 4.3.12 and 4.3.16. */
function zipNames(bytes: Uint8Array): string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 65_558 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) return undefined;
  const names: string[] = [];
  let at = view.getUint32(end + 16, true);
  while (names.length < maxZipNames && at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    const length = view.getUint16(at + 28, true);
    const name = latin1(bytes.subarray(at + 46, at + 46 + length));
    names.push(name.replaceAll("\\", "/").replace(/^\/+/, ""));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names.length === 0 ? undefined : names;
}

/**
 * One container, many formats: its main stream says which. A file in a file has streams too, so the name decides among several.
 * Packages of today lie in that container when they have a password.
 */
function refineLegacyOffice(mediaType: string, byName: string | undefined, bytes: Uint8Array): string {
  if (mediaType !== "application/x-cfb") return mediaType;
  const isPackage = byName?.startsWith("application/vnd.openxmlformats-") === true || byName === binaryWorkbook;
  const isLocked = holdsWide(bytes, "EncryptedPackage");
  // A protected package may hold a document of older Word beside it, which only says that it is protected.
  if (isPackage && isLocked) return byName;
  const found = mainStreams.filter(([, stream]) => holdsWide(bytes, stream)).map(([type]) => type);
  if (byName !== undefined && found.includes(byName)) return byName;
  const [first] = found;
  if (first !== undefined) return first;
  if (isLocked) return packageOf.get(byName ?? "") ?? lockedPackage;
  if (byName === undefined) return mediaType;
  const isCompound = byName === "application/msword" || byName === "application/x-hwp" || byName === visio;
  return isCompound || byName.startsWith("application/vnd.ms-") ? byName : mediaType;
}

const binaryWorkbook = "application/vnd.ms-excel.sheet.binary.macroenabled.12";
const visio = "application/vnd.visio";
/** A package with a password whose name does not say of what kind it is. */
const lockedPackage = "application/vnd.ms-office.encrypted";

/** The kind of a package that has a name of the kind before it. */
const packageOf: ReadonlyMap<string, string> = new Map(
  (["application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"] as const).map((older, index) => [
    older,
    officeFolders[index]![2],
  ]),
);

/**
 * Streams that one format has. A message holds files of the others, and Word and PowerPoint hold workbooks.
 *
 * **Source** MS-OXMSG, 2.4; MS-PPT, 2.1.2; MS-DOC, 2.1.1; MS-XLS, 2.1.2; names of the others as libvisio, libmspub, libwps and Hancom's description of HWP 5 have them.
 */
const mainStreams: readonly (readonly [mediaType: string, stream: string])[] = [
  ["application/vnd.ms-outlook", "__properties_version1.0"],
  ["application/vnd.ms-powerpoint", "PowerPoint Document"],
  ["application/msword", "WordDocument"],
  ["application/vnd.ms-excel", "Workbook"],
  [visio, "VisioDocument"],
  ["application/x-hwp", "HwpSummaryInformation"],
  ["application/vnd.ms-works", "MatOST"],
  ["application/vnd.ms-publisher", "QuillSub"],
];

/** Whether a word stands in the bytes in UTF-16, as compound files write names. **Source** MS-CFB, 2.6.1. */
function holdsWide(bytes: Uint8Array, word: string): boolean {
  const first = word.charCodeAt(0);
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    let index = 1;
    while (index < word.length && bytes[at + 2 * index] === word.charCodeAt(index) && bytes[at + 2 * index - 1] === 0)
      index++;
    if (index === word.length) return true;
  }
  return false;
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const head = decodeHead(bytes);
  const start = prolog.exec(head)?.[0].length ?? 0;
  return /^<(?:!doctype\s+html|html|head|body)(?=[\s>/])/i.test(head.slice(start));
}

/** A feed by its first element; `rdf:RDF` is one only when it speaks of RSS. */
function matchFeed(head: string): string | undefined {
  const start = prolog.exec(head)?.[0].length ?? 0;
  const root = /^<((?:[\w-]+:)?(?:rss|feed|RDF))(?=[\s>])[^>]*/i.exec(head.slice(start));
  if (root === null) return undefined;
  root[1] = (root[1] ?? "").replace(/^(?!rdf:)[\w-]+:(?=rss|feed)/i, "");
  if (/^rss$/i.test(root[1] ?? "")) return "application/rss+xml";
  if (/^feed$/i.test(root[1] ?? ""))
    return /w3\.org\/2005\/Atom|purl\.org\/atom/i.test(root[0]) ? "application/atom+xml" : undefined;
  return /purl\.org\/rss|netscape\.com\/rdf/i.test(root[0]) ? "application/rss+xml" : undefined;
}

/** A flat file of OpenDocument, by the type that its root states after its many namespaces. **Source** OASIS OpenDocument 1.3, part 3, 19.379 (`office:mimetype`). */
function matchFlatDocument(head: string): string | undefined {
  const start = prolog.exec(head)?.[0].length ?? 0;
  if (!/^<(?:[\w-]+:)?document[\s>]/u.test(head.slice(start))) return undefined;
  const kind = /opendocument\.(text|spreadsheet|presentation)\b/u.exec(head)?.[1];
  return kind === undefined ? undefined : `application/vnd.oasis.opendocument.${kind}-flat-xml`;
}

/** A workbook in one XML file. **Source** Microsoft's XML Spreadsheet reference. */
function matchXmlWorkbook(head: string): string | undefined {
  const start = prolog.exec(head)?.[0].length ?? 0;
  const isWorkbook = /^<(?:\w+:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet/u.test(head.slice(start));
  return isWorkbook ? "application/vnd.ms-spreadsheetml" : undefined;
}

/** A document of Word 2003 in XML, or a package of Office in one XML file. The root and the type of the main part decide. */
function matchWordXml(bytes: Uint8Array): string | undefined {
  const encoding = encodingByBytes(bytes);
  const part = bytes.subarray(0, 8 * headLength);
  const head = encoding?.startsWith("utf-16") === true ? new TextDecoder(encoding).decode(part) : latin1(part);
  const start = /<(?:\w+:)?(wordDocument|package)\s([^>]*)/u.exec(head);
  if (start?.[1] === "wordDocument" && start[2]!.includes("/office/word/2003/wordml"))
    return "application/vnd.ms-wordml";
  if (start?.[1] !== "package" || !start[2]!.includes("/office/2006/xmlPackage")) return undefined;
  const kind = /(wordprocessingml|spreadsheetml|presentationml)\.\w+\.main\+xml/u.exec(head)?.[1];
  const main = officeFolders.find(([, , mediaType]) => mediaType.includes(kind ?? "wordprocessingml"));
  return main?.[2];
}

/** An article or book in XML, by its namespace, its document type or its first elements. */
function matchStructuredXml(head: string): string | undefined {
  if (!/^\uFEFF?\s*</.test(head)) return undefined;
  if (
    /<(?:article|book|chapter|section|set|part|refentry)\b[^>]*docbook\.org\/ns\/docbook|<!DOCTYPE\s[^>]*DocBook/i.test(
      head,
    )
  )
    return "application/docbook+xml";
  if (/<(?:\w+:)?TEI\b[^>]*tei-c\.org\/ns/i.test(head)) return "application/tei+xml";
  if (/<FictionBook\b/i.test(head)) return "application/x-fictionbook+xml";
  if (/<!DOCTYPE\s[^>]*(?:JATS|NLM|NISO)\b|<article\b[^>]*>\s*<front\b/i.test(head)) return "application/jats+xml";
  return undefined;
}

/** Headers that messages have and other texts do not have together. */
const mailHeaders = new Set(["from", "to", "subject", "date", "message-id", "received", "return-path", "mime-version"]);

/** A message, or a mailbox, by how it begins: headers and nothing else up to an empty line, three of them a message's. **Source** RFC 5322, 2.2; RFC 4155. */
function matchMail(bytes: Uint8Array): string | undefined {
  const head =
    encodingByBytes(bytes)?.startsWith("utf-16") === true ? decodeHead(bytes) : latin1(bytes.subarray(0, headLength));
  const lines = head.replace(/^\uFEFF/u, "").split(/\r?\n/u);
  const isMailbox = /^From \S+ .*\d{4}/u.test(lines[0] ?? "");
  const found = new Set<string>();
  // The last line may be cut off.
  for (const line of lines.slice(isMailbox ? 1 : 0, -1)) {
    if (line === "") break;
    const name = /^([\w-]+):/u.exec(line)?.[1]?.toLowerCase();
    if (name === undefined && !/^[ \t>]/u.test(line)) return undefined;
    if (name !== undefined && mailHeaders.has(name)) found.add(name);
  }
  if (found.size < 3) return undefined;
  return isMailbox ? "application/mbox" : "message/rfc822";
}

function decodeHead(bytes: Uint8Array): string {
  const head = bytes.subarray(0, headLength);
  const encoding = encodingByBytes(bytes);
  return encoding?.startsWith("utf-16") === true ? new TextDecoder(encoding).decode(head) : utf8Decoder.decode(head);
}

function latin1(bytes: Uint8Array): string {
  return latin1Decoder.decode(bytes);
}
