import type { PdfBlock } from "./pdf-paragraphs.ts";

/** Letters this much larger than the text's are a heading's. */
const largerThanBody = 1.12;
/** A heading is no longer than this. **Units** signs, lines. */
const longestHeading = 160;
const mostLines = 4;

/**
 * Finds headings by their letters, beside those that the outline or the tags state.
 *
 * In a document without stated headings, short blocks in larger letters are headings, one level for each size. Below
 * them come short bold blocks, where the text is not bold. In a document with stated headings, a block set like one has
 * its level. Larger letters below all stated sizes come under them.
 *
 * **Shape** the text's own size is the one of most of its signs. **Cost** linear.
 */
export function findHeadings(blocks: readonly PdfBlock[]): PdfBlock[] {
  const { body, isMostlyBold } = measure(blocks);
  const letterhead = findLetterhead(blocks);
  const lists = new Set([...findLists(blocks), ...letterhead]);
  const isLarge = (block: PdfBlock): boolean =>
    looksLikeHeading(block) && sizeOf(block) >= body * largerThanBody && !lists.has(block);
  const boldSizes = new Set(blocks.filter((block) => isLarge(block) && isBold(block)).map(sizeOf));
  const stated = blocks.filter(({ kind }) => kind === "heading");
  // One bookmark, such as the title, does not make an outline.
  if (stated.length >= 2) {
    const levelOf = levelsBeside(stated, blocks.filter(isLarge));
    return blocks.map((block) => {
      const level = block.kind !== "heading" && isLarge(block) ? levelOf(block) : undefined;
      return level === undefined ? block : toHeading(block, level);
    });
  }

  // Where headings of a size are bold, others of that size are none: the authors of an article.
  const isHeading = (block: PdfBlock): boolean => isLarge(block) && (hasBold(block) || !boldSizes.has(sizeOf(block)));
  const sizes = [...new Set(blocks.filter(isHeading).map(sizeOf))].toSorted((a, b) => b - a);
  const isLast = (index: number): boolean => endsGroup(blocks, index, isLarge);
  const capitals =
    sizes.length === 0 && stated.length === 0 && letterhead.size === 0 ? findCapitals(blocks, body) : undefined;
  return blocks.map((block, index) => {
    if (block.kind === "heading") return block;
    if (capitals?.has(block) === true) return toHeading(block, 1);
    if (isHeading(block) && isLast(index)) return block;
    if (isHeading(block)) return toHeading(block, sizes.indexOf(sizeOf(block)) + 1);
    const isShort =
      block.lines.length <= 2 && looksLikeHeading(block) && !letterhead.has(block) && sizeOf(block) >= body * 0.95;
    // A bold line that nothing follows heads nothing.
    const heads = blocks[index + 1] !== undefined;
    return isShort && heads && !isMostlyBold && isBold(block) ? toHeading(block, sizes.length + 1) : block;
  });
}

/** Whether a large line is the last of several in a row, at the end of its page. So is the date on a cover, which heads nothing. */
function endsGroup(blocks: readonly PdfBlock[], index: number, isLarge: (block: PdfBlock) => boolean): boolean {
  const { page } = blocks[index]!;
  const [before, after] = [blocks[index - 1], blocks.slice(index + 1).find(({ aside }) => aside !== true)];
  return before?.page === page && isLarge(before) && after !== undefined && after.page !== page;
}

/** Lines in capitals are headings where at least so many are, and no more than this part of all blocks. */
const [minCapitals, mostCapitals] = [2, 0.5];

/** Lines in capitals above text in small letters, in a document whose headings are set in no other way. */
function findCapitals(blocks: readonly PdfBlock[], body: number): ReadonlySet<PdfBlock> {
  const isCapital = (block: PdfBlock): boolean =>
    block.lines.length === 1 &&
    looksLikeHeading(block) &&
    lettersIn(block) >= 4 &&
    !/[\p{Ll}\d:|]/u.test(textOf(block)) &&
    sizeOf(block) >= body * 0.95;
  const found = blocks.filter((block, index) => {
    const next = blocks[index + 1];
    return isCapital(block) && next !== undefined && next.kind !== "table" && /\p{Ll}{3}/u.test(textOf(next));
  });
  const all = blocks.filter(isCapital).length;
  return new Set(found.length < minCapitals || found.length < all || all > blocks.length * mostCapitals ? [] : found);
}

/** So many lines in a row, of one size and not bold, head nothing: each would head the next. */
const mostInARow = 4;

/** Blocks that stand in a row of others of their size, without text below any of them. */
function findLists(blocks: readonly PdfBlock[]): ReadonlySet<PdfBlock> {
  const lists = new Set<PdfBlock>();
  let row: PdfBlock[] = [];
  for (const block of [...blocks, undefined]) {
    const goesOn =
      block !== undefined && row.length > 0 && block.page === row[0]!.page && sizeOf(block) === sizeOf(row[0]!);
    if (!goesOn) {
      if (row.length >= mostInARow) for (const each of row) lists.add(each);
      row = [];
    }
    if (block !== undefined && block.kind !== "heading" && block.aside !== true && !isBold(block)) row.push(block);
  }
  return lists;
}

/** How letters greet, in languages of Europe. */
const greeting =
  /^(?:dear|hello|sehr geehrter?|liebe[rs]?|guten tag|madame|mesdames|monsieur|messieurs|ch(?:er|ère)s?|bonjour|estimad[oa]s?|querid[oa]s?|gentile|gentili|egregio|egregia|prezad[oa]s?|geachte|beste|kære|kjære|bästa|szanown[iay]|to whom it may concern)(?![\p{L}\p{N}])[^.]{0,80}[,:!]$/iu;
/** A letter greets among its first blocks. */
const greetsWithin = 24;

/** Blocks above the greeting of a letter: sender, address and date. The line right above it may say what the letter is about. */
function findLetterhead(blocks: readonly PdfBlock[]): ReadonlySet<PdfBlock> {
  const at = blocks
    .slice(0, greetsWithin)
    .findIndex(({ page, lines }) => page === 0 && greeting.test(lines[0]?.text.trim() ?? ""));
  return new Set(at < 0 ? [] : blocks.slice(0, Math.max(0, at - 1)));
}

/** From so many times the letters of its text in tables, these are a document's text. */
const mostlyTables = 2;

/** The size of the text, and whether most of it is bold. The text of a price list stands in its tables, below headings in larger letters. */
function measure(blocks: readonly PdfBlock[]): { body: number; isMostlyBold: boolean } {
  const [tables, texts] = [true, false].map((isTable) =>
    weigh(blocks.filter(({ kind, aside }) => aside !== true && (kind === "table") === isTable)),
  ) as [Weight, Weight];
  const isTabular = tables.all > texts.all * mostlyTables && tables.body < texts.body;
  const { body, bold, all } = isTabular ? tables : texts;
  return { body, isMostlyBold: bold > all * 0.4 };
}

interface Weight {
  /** The size of most letters. */
  readonly body: number;
  readonly bold: number;
  readonly all: number;
}

function weigh(blocks: readonly PdfBlock[]): Weight {
  const lengths = new Map<number, number>();
  let bold = 0;
  let all = 0;
  for (const line of blocks.flatMap(({ lines }) => lines)) {
    if (line.size === 0) continue;
    lengths.set(roundSize(line.size), (lengths.get(roundSize(line.size)) ?? 0) + line.text.length);
    all += line.text.length;
    if (line.bold) bold += line.text.length;
  }
  const body = [...lengths].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
  return { body, bold, all };
}

/** The level of a block beside stated headings: that of those set like it; below all when its letters are smaller than theirs; else none. */
function levelsBeside(
  stated: readonly PdfBlock[],
  large: readonly PdfBlock[],
): (block: PdfBlock) => number | undefined {
  const keyOf = (block: PdfBlock): string => `${sizeOf(block)}:${isBold(block)}`;
  const levels = new Map(stated.toReversed().map((heading) => [keyOf(heading), heading.level ?? 1]));
  const smallest = stated.reduce((least, heading) => Math.min(least, sizeOf(heading)), Infinity);
  const deepest = stated.reduce((most, { level = 1 }) => Math.max(most, level), 1);
  const below = [...new Set(large.map(sizeOf))].filter((size) => size < smallest).toSorted((a, b) => b - a);
  return (block) => {
    const rank = below.indexOf(sizeOf(block));
    return levels.get(keyOf(block)) ?? (rank === -1 ? undefined : deepest + 1 + rank);
  };
}

/** Whether some of its letters are bold: a name of a program may stand in a heading. */
function hasBold({ lines }: PdfBlock): boolean {
  return lines.some(({ bold, runs = [] }) => bold || runs.some((run) => run.bold && /\p{L}/u.test(run.text)));
}

function isBold({ lines }: PdfBlock): boolean {
  return lines.every(({ bold }) => bold);
}

/** The title that a document shows: the first block of its first page whose letters are larger than any others there, and than its text's; `""` for none. */
export function findTitle(blocks: readonly PdfBlock[]): string {
  const first = blocks.filter(({ page, aside, lines }) => page === 0 && aside !== true && (lines[0]?.size ?? 0) > 0);
  const worded = first.filter((block) => lettersIn(block) >= 3);
  const largest = worded.reduce((most, block) => Math.max(most, sizeOf(block)), 0);
  const { body } = measure(blocks);
  const isText = largest >= body * largerThanBody && first.some((block) => sizeOf(block) * 1.2 <= largest);
  const title = isText ? first.find((block) => sizeOf(block) === largest && looksLikeHeading(block)) : undefined;
  if (title === undefined) return "";
  const next = first[first.indexOf(title) + 1];
  const goesOn =
    next !== undefined &&
    !/\d/u.test(textOf(title)) &&
    generalTitle.test(textOf(title)) &&
    looksLikeHeading({ ...next, kind: "paragraph" }) &&
    sizeOf(next) >= body * largerThanBody;
  return goesOn ? `${textOf(title)} ${textOf(next)}` : textOf(title);
}

/** Words that name a kind of document: the line below says which one. */
const generalTitle =
  /^(?:(?:annual|quarterly|monthly|weekly|interim|final|financial|progress|technical|sustainability|integrated|activity|business)\s+)*(?:report|review|accounts|statements?|newsletter|bulletin|minutes|agenda|contract|agreement|invoice|manual|handbook|guide|user guide|white ?paper|proposal|jahresbericht|gesch[äa]ftsbericht|bericht|rapport(?: annuel)?|informe(?: anual)?)$/iu;

function textOf({ lines }: PdfBlock): string {
  return lines.map((line) => line.text).join(" ");
}

function lettersIn(block: PdfBlock): number {
  return textOf(block).match(/\p{L}/gu)?.length ?? 0;
}

function toHeading(block: PdfBlock, level: number): PdfBlock {
  return { ...block, kind: "heading", level: Math.min(6, level), open: false };
}

function looksLikeHeading({ kind, lines, aside }: PdfBlock): boolean {
  if (aside === true || (kind !== "paragraph" && kind !== "list" && kind !== "heading") || lines.length > mostLines)
    return false;
  const text = lines.map((line) => line.text).join(" ");
  if (text.length > longestHeading || text.includes("@")) return false;
  if (kind === "list" && !/^\(?[\dIVXA-Z]/u.test(text)) return false;
  if (/ … \S+$/u.test(text) || isCaption.test(text) || isSum.test(text) || /^["“„«].*["”“»]$/u.test(text)) return false;
  return (text.match(/\p{L}/gu)?.length ?? 0) >= 2 && !/(?<!\.)[.,;:،；。，]$/u.test(text);
}

/** `Figure 3: …`, `Table 2. …`: what a picture or a table shows. */
const isCaption =
  /^(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)|tabelle|tableau|figura|tabla|tabela|tabella|chart|exhibit|listing|diagram|graph|photo|map)\s?\d+(?:\.\d+)*\s?[.:|—–]/iu;
/** `Total: 113.70 EUR`, `12.5 million`: an amount. */
const isSum =
  /:\s?(?:\p{Sc}|\p{Lu}{3})?\s?\d+(?:[.,'’\s]\d+)+\s?(?:\p{Sc}|\p{Lu}{3})?$|^[\p{Sc}+−-]?\s?\d[\d.,]*\s?\p{Ll}+$/u;

function sizeOf({ lines }: PdfBlock): number {
  return roundSize(lines[0]?.size ?? 0);
}

/** **Units** half points: what a producer rounded is one size. */
function roundSize(size: number): number {
  return Math.round(size * 2) / 2;
}
