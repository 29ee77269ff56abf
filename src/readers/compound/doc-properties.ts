import { unreadable } from "../office/refusals.ts";

/** A stretch of the text as it lies in the file. */
export interface Piece {
  /** First position in the document's text. */
  readonly cp: number;
  readonly length: number;
  /** First byte in the stream. */
  readonly fc: number;
  /** 1 for Windows-1252, 2 for UTF-16. */
  readonly width: 1 | 2;
}

/** Facts about a paragraph that its own properties and its style decide. */
export interface ParagraphFacts {
  readonly style: number;
  /** Tables that it lies in. */
  readonly depth: number;
  /** Whether its end is the end of a row. */
  readonly isRowEnd: boolean;
  /** Whether its end is the end of a cell of a table in a table. */
  readonly isInnerCellEnd: boolean;
  /** The list that it is an item of, from 1; 0 for none; `undefined` where the style decides. */
  readonly list: number | undefined;
  /** Its level in the list, from 0; `undefined` where the style decides. */
  readonly listLevel: number | undefined;
  /** Level of the outline from 1; `undefined` where the style decides. */
  readonly outline: number | undefined;
}

/** A style of paragraphs: the level of a heading or 0, whether it is the title's, and how it sets letters. */
export interface StyleFacts extends Pick<LetterFacts, "isBold" | "size">, Pick<ParagraphFacts, "list" | "listLevel"> {
  readonly level: number;
  readonly isTitle: boolean;
}

/** Pairs of bytes of the stream: from here to there, with these properties. */
export interface Run<Facts> {
  readonly start: number;
  readonly end: number;
  readonly facts: Facts;
}

const pageSize = 512;

/** The pieces of the text, in order. **Source** MS-DOC, 2.9.38 (Clx) and 2.8.35 (PlcPcd). */
export function readPieces(clx: Uint8Array, uri: string): Piece[] {
  const view = viewOf(clx);
  let at = 0;
  while (clx[at] === 1) at += 3 + view.getUint16(at + 1, true);
  if (clx[at] !== 2) throw unreadable(uri, "has no table of its text");
  const length = Math.min(view.getUint32(at + 1, true), clx.length - at - 5);
  const count = Math.floor((length - 4) / 12);
  const start = at + 5;
  const pieces: Piece[] = [];
  for (let index = 0; index < count; index++) {
    const cp = view.getUint32(start + index * 4, true);
    const end = view.getUint32(start + index * 4 + 4, true);
    const raw = view.getUint32(start + (count + 1) * 4 + index * 8 + 2, true);
    const isNarrow = (raw & 0x40000000) !== 0;
    const fc = raw & 0x3fffffff;
    if (end > cp) pieces.push({ cp, length: end - cp, fc: isNarrow ? fc / 2 : fc, width: isNarrow ? 1 : 2 });
  }
  return pieces;
}

/** Properties of paragraphs, by the bytes that they hold. **Source** MS-DOC, 2.8.6 (PlcBtePapx), 2.9.175 (PapxFkp). */
export function readParagraphs(stream: Uint8Array, table: Uint8Array): Run<ParagraphFacts>[] {
  return readPages(stream, table, 13, (page, at) => {
    const half = page[at] ?? 0;
    const start = half === 0 ? at + 2 : at + 1;
    const length = half === 0 ? (page[at + 1] ?? 0) * 2 : half * 2 - 1;
    return paragraphFacts(page, start, Math.min(start + length, page.length));
  });
}

/** How a stretch of letters is set. */
export interface LetterFacts {
  /** Hidden text, and deletions that are tracked. */
  readonly isHidden: boolean;
  readonly isBold: boolean;
  /** 0 where the style decides. **Units** points. */
  readonly size: number;
  /** Where the stream `Data` has more of a sign; -1 for nowhere. */
  readonly data: number;
}

const plainLetters: LetterFacts = { isHidden: false, isBold: false, size: 0, data: -1 };

/** Stretches of letters, as they are set. **Source** MS-DOC, 2.9.33 (ChpxFkp), 2.6.1 (sprmCFBold, sprmCHps, sprmCPicLocation). */
export function readLetters(stream: Uint8Array, table: Uint8Array): Run<LetterFacts>[] {
  return readPages(stream, table, 1, (page, at) => {
    const length = page[at] ?? 0;
    if (length === 0) return plainLetters;
    const facts = { isHidden: false, isBold: false, size: 0, data: -1 };
    eachProperty(page, at + 1, at + 1 + length, (code, value, high) => {
      if (code === 0x083c || code === 0x0800) facts.isHidden = (value & 0xff) === 1;
      else if (code === 0x0835) facts.isBold = (value & 0xff) === 1;
      else if (code === 0x4a43) facts.size = value / 2;
      else if (code === 0x6a03) facts.data = value + high * 0x10000;
    });
    return facts;
  });
}

function paragraphFacts(bytes: Uint8Array, start: number, end: number): ParagraphFacts {
  const facts = {
    style: 0,
    depth: 0,
    isRowEnd: false,
    isInnerCellEnd: false,
    list: undefined as number | undefined,
    listLevel: undefined as number | undefined,
    outline: undefined as number | undefined,
  };
  if (end - start < 2) return facts;
  facts.style = bytes[start]! | (bytes[start + 1]! << 8);
  eachProperty(bytes, start + 2, end, (code, value) => {
    const low = value & 0xff;
    if (code === 0x2416) facts.depth = low === 0 ? 0 : Math.max(1, facts.depth);
    else if (code === 0x6649) facts.depth = low;
    else if (code === 0x244b) facts.isInnerCellEnd = low !== 0;
    else if (code === 0x2417 || code === 0x244c) facts.isRowEnd = low !== 0;
    else if (code === 0x2640) facts.outline = low < 9 ? low + 1 : 0;
    else readList(facts, code, value);
  });
  return facts;
}

/** The list that a property of a paragraph or of a style names. **Source** MS-DOC, 2.6.2 (sprmPIlfo, sprmPIlvl). */
function readList(
  facts: { list?: number | undefined; listLevel?: number | undefined },
  code: number,
  value: number,
): void {
  if (code === 0x460b) facts.list = value > maxListNumber ? 0 : value;
  else if (code === 0x260a) facts.listLevel = value & 0xff;
}

/** Larger numbers take a paragraph out of its list. */
const maxListNumber = 0x7fe;

/** Bytes of an operand, by the three highest bits of its code; those of kind 6 say their length. */
const operandLengths = [1, 1, 2, 4, 2, 2, 0, 3];

/**
 * Visits properties: their codes, and the first two bytes of their operands as a number.
 *
 * **Source** MS-DOC, 2.2.5.1 and 2.6: the size of an operand stands in the code itself.
 */
function eachProperty(
  bytes: Uint8Array,
  from: number,
  end: number,
  /** `high` are the next two bytes of the operand. */
  visit: (code: number, value: number, high: number) => void,
): void {
  const limit = Math.min(end, bytes.length);
  for (let at = from; at + 2 < limit;) {
    const code = bytes[at]! | (bytes[at + 1]! << 8);
    const kind = code >> 13;
    at += 2;
    let length = operandLengths[kind]!;
    if (kind === 6) {
      // Two properties have lengths of their own: tabs in a byte that may overflow, definitions of tables in two.
      const isTable = code === 0xd608;
      if (isTable && at + 2 > limit) return;
      length = isTable ? (bytes[at]! | (bytes[at + 1]! << 8)) - 1 : bytes[at]!;
      at += isTable ? 2 : 1;
    }
    const low = length > 0 && at < limit ? bytes[at]! : 0;
    const high = length > 3 && at + 3 < limit ? bytes[at + 2]! | (bytes[at + 3]! << 8) : 0;
    visit(code, length > 1 && at + 1 < limit ? low | (bytes[at + 1]! << 8) : low, high);
    at += Math.max(length, 0);
  }
}

/** Walks the pages of properties that a table lists. `width` is what stands for each run beside its offset. */
function readPages<Facts>(
  stream: Uint8Array,
  table: Uint8Array,
  width: number,
  read: (page: Uint8Array, at: number) => Facts,
): Run<Facts>[] {
  const view = viewOf(table);
  const count = Math.floor((table.length - 4) / 8);
  const none = read(new Uint8Array(pageSize), pageSize - 1);
  const runs: Run<Facts>[] = [];
  const known = new Map<number, Facts>();
  for (let index = 0; index < count; index++) {
    const number = view.getUint32((count + 1) * 4 + index * 4, true) & 0x3fffff;
    const page = stream.subarray(number * pageSize, (number + 1) * pageSize);
    if (page.length < pageSize) continue;
    const inPage = viewOf(page);
    // Runs that are set alike share what a page says of them.
    known.clear();
    known.set(0, none);
    const many = Math.min(page[pageSize - 1] ?? 0, Math.floor((pageSize - 5) / (4 + width)));
    for (let run = 0; run < many; run++) {
      const offset = (page[(many + 1) * 4 + run * width] ?? 0) * 2;
      const start = inPage.getUint32(run * 4, true);
      const end = inPage.getUint32(run * 4 + 4, true);
      if (end <= start) continue;
      const facts = known.get(offset) ?? read(page, offset);
      known.set(offset, facts);
      runs.push({ start, end, facts });
    }
  }
  return runs.sort((a, b) => a.start - b.start);
}

/** The run that holds a byte of the stream. **Cost** the logarithm of the runs. */
export function findRun<Facts>(runs: readonly Run<Facts>[], fc: number): Run<Facts> | undefined {
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle]!;
    if (fc < run.start) high = middle - 1;
    else if (fc >= run.end) low = middle + 1;
    else return run;
  }
  return undefined;
}

/**
 * Styles by their number. Built-in styles have the same identifier in every language.
 *
 * **Source** MS-DOC, 2.9.271 (STSH), 2.9.260 (STD), 2.9.319 (UPX).
 */
export function readStyles(sheet: Uint8Array): StyleFacts[] {
  if (sheet.length < 6) return [];
  const view = viewOf(sheet);
  const baseLength = view.getUint16(4, true);
  const own: { readonly id: number; readonly base: number; readonly letters: StyledFacts }[] = [];
  for (let at = 2 + view.getUint16(0, true); at + 2 <= sheet.length;) {
    const length = view.getUint16(at, true);
    const isThere = length >= 4 && at + 6 <= sheet.length;
    own.push({
      id: isThere ? view.getUint16(at + 2, true) & 0xfff : 0xfff,
      base: isThere ? view.getUint16(at + 4, true) >> 4 : 0xfff,
      letters: isThere ? lettersOfStyle(sheet.subarray(at + 2, at + 2 + length), baseLength) : {},
    });
    at += 2 + length + (length % 2);
  }
  return own.map((style) => {
    let found: (typeof own)[number] | undefined = style;
    let kind: Pick<StyleFacts, "level" | "isTitle"> | undefined;
    let letters: StyledFacts = {};
    for (let depth = 0; found !== undefined && depth < 12; depth++) {
      letters = { ...found.letters, ...letters };
      if (found.id >= 1 && found.id <= 9) kind ??= { level: found.id, isTitle: false };
      if (found.id === 62) kind ??= { level: 0, isTitle: true };
      found = own[found.base];
    }
    const { isBold = false, size = standardSize, list, listLevel } = letters;
    return { ...(kind ?? { level: 0, isTitle: false }), isBold, size, list, listLevel };
  });
}

/** Letters of a style that states no size. **Units** points. **Source** MS-DOC, 2.6.1 (sprmCHps: the default is 20 half points). */
const standardSize = 10;

type StyledFacts = Partial<Pick<StyleFacts, "isBold" | "size" | "list" | "listLevel">>;

/** The list of a style of paragraphs, and how it sets letters: its two lists of properties, behind its name. */
function lettersOfStyle(style: Uint8Array, baseLength: number): StyledFacts {
  const view = viewOf(style);
  const isOfParagraphs = style.length >= 4 && (view.getUint16(2, true) & 0xf) === 1;
  if (!isOfParagraphs || baseLength + 2 > style.length) return {};
  let at = baseLength + 2 + view.getUint16(baseLength, true) * 2 + 2;
  if (at + 2 > style.length) return {};
  const facts: { -readonly [Key in keyof StyledFacts]: StyledFacts[Key] } = {};
  const ofParagraph = at + 2 + view.getUint16(at, true);
  // The number of the style stands before its properties.
  eachProperty(style, at + 4, ofParagraph, (code, value) => readList(facts, code, value));
  at = ofParagraph + (ofParagraph % 2);
  if (at + 2 > style.length) return facts;
  eachProperty(style, at + 2, at + 2 + view.getUint16(at, true), (code, value) => {
    if (code === 0x0835) facts.isBold = (value & 0xff) === 1;
    else if (code === 0x4a43) facts.size = value / 2;
  });
  return facts;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
