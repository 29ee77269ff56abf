import type { JudgedBy, Verdict } from "../../contracts/answer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { readBarCells } from "../../text/bar-cells.ts";
import { findBlocks } from "../../text/find-blocks.ts";
import { readWrittenRow } from "../../text/format-row.ts";
import type { Span } from "../../text/sentences.ts";
import type { HitTable } from "./hit-tables.ts";
import type { Veto } from "../support/read-claim.ts";
import { judgeByWords } from "../support/judge-by-words.ts";
import { capitalisingLanguages } from "../support/read-words.ts";
import { type EvidenceSentence, readEvidence as readSupport, type SupportEvidence } from "../support/read-evidence.ts";
import type { Evidence, Quote } from "./find-quote.ts";

/** Words of a hit. */
export interface HitQuote extends Quote {
  /** Place of the hit among the hits, from 0. */
  readonly hitIndex: number;
}

/** How far some hits support a sentence. */
export interface SentenceJudgement {
  readonly verdict: Verdict;
  /** **Units** 0 to 1. */
  readonly support: number;
  readonly by: JudgedBy;
  /** The words that carried the verdict: at most two stretches, each of a sentence or of two in a row. */
  readonly quotes: readonly HitQuote[];
  /** **Shape** `[start, end)` into the sentence. */
  readonly unsupportedWords: readonly (readonly [start: number, end: number])[];
  /** A detail differs, such as a number, a unit, a name or a denial: no judge makes the sentence supported. */
  readonly isVetoed: boolean;
}

/** Judges a sentence by its words. `cited` has places among the hits, from 0. With `quotes`, these words decide, and no others. */
export type WordsJudge = (
  sentence: string,
  cited: readonly number[],
  quotes?: readonly HitQuote[],
) => SentenceJudgement;

/** No hit has as many. */
const mostSentences = 1_000_000;
const nothing: Pick<SentenceJudgement, "by" | "quotes"> = { by: "words", quotes: [] };

/**
 * Judges sentences by words, without a model.
 *
 * The cited hits are read whole to find the two sentences that carry the claim. These alone, with titles and headings, decide.
 *
 * **Cost** linear in the cited hits, which are read once for each set of them.
 */
export function createWordsJudge(
  hits: readonly Hit[],
  { sentences, tables, language, analyzer }: Evidence,
  minSupport: number | undefined,
): WordsJudge {
  const headers = hits.map((hit, index) => readHeaders(hit, tables[index]));
  const known = new Map<string, CitedEvidence>();
  const readCited = (cited: readonly number[], isRow: boolean): CitedEvidence => {
    const key = `${cited.join(" ")}${isRow ? " |" : ""}`;
    const all = cited.flatMap((hitIndex) => (sentences[hitIndex] ?? []).map((found) => ({ hitIndex, ...found })));
    // A heading is known with each sentence below it, the header of a table with each row, and neither carries anything but itself.
    const bodies = all.filter(
      ({ kind, hitIndex, start }) => kind !== "heading" && (isRow || !isHeaderOf(hitIndex, start)),
    );
    const places = bodies.length > 0 ? bodies : all;
    const evidence = known.get(key) ?? { places, read: readAll(places, isRow) };
    known.set(key, evidence);
    return evidence;
  };
  /** A sentence that is a row is compared with rows as they are written. */
  const readAll = (places: readonly HitQuote[], isRow: boolean): SupportEvidence =>
    readSupport(
      places.map((place) => asEvidence(place, isRow)),
      { analyzer, language },
    );
  const asEvidence = ({ hitIndex, start, end }: HitQuote, isRow: boolean): EvidenceSentence => {
    const hit = hits[hitIndex];
    const header = headers[hitIndex]?.get(start);
    const above = headingsIn(hitIndex, start);
    const names =
      hit === undefined ? [] : [hit.source.title, ...hit.source.headings, ...above, ...(header?.names ?? [])];
    const place = sentences[hitIndex]?.findIndex((sentence) => sentence.start === start) ?? -1;
    // Apart from the sentences of other hits; a stretch that is no sentence stands alone.
    const position = place < 0 ? undefined : hitIndex * mostSentences + place;
    return {
      text: (isRow ? undefined : header?.text) ?? hit?.text.slice(start, end) ?? "",
      title: [...new Set(names)].join("\n"),
      isRow: header !== undefined,
      position,
    };
  };
  /** Headings in a hit's text above one of its places, outermost first. */
  const headingsIn = (hitIndex: number, start: number): readonly string[] => {
    const open: { level: number; name: string }[] = [];
    for (const found of sentences[hitIndex] ?? []) {
      if (found.start >= start) break;
      if (found.kind !== "heading") continue;
      const [signs = "", name = ""] =
        /^(#*)\s*(.*)$/su.exec(hits[hitIndex]!.text.slice(found.start, found.end))?.slice(1) ?? [];
      while ((open.at(-1)?.level ?? 0) >= Math.max(1, signs.length)) open.pop();
      open.push({ level: Math.max(1, signs.length), name });
    }
    return open.map(({ name }) => name);
  };
  const isHeaderOf = (hitIndex: number, start: number): boolean => headers[hitIndex]?.get(start)?.isHeader === true;

  return (sentence, cited, given) => {
    const isRow = /^\s*\||\S \| \S/u.test(sentence);
    if (given !== undefined) {
      // Sentence by sentence, so that facts of two sentences in a row are seen to be of two.
      const parts = given.flatMap((quote) => {
        const within = sentences[quote.hitIndex]?.filter(({ start, end }) => start >= quote.start && end <= quote.end);
        return within?.length ? within.map(({ start, end }) => ({ ...quote, start, end })) : [quote];
      });
      return judgeOn(sentence, parts, readAll(parts, isRow), given);
    }
    const { places, read } = readCited(cited, isRow);
    const found = judgeByWords({ sentence, evidence: read, minSupport });
    const carriers = found.carriedBy.flatMap((at) => places[at] ?? []);
    if (carriers.length === 0) {
      const verdict = cited.length === 0 ? "uncited" : "unsupported";
      const support = cited.length === 0 ? 0 : found.support;
      return {
        ...nothing,
        verdict,
        support,
        unsupportedWords: found.unsupportedWords.map(toRange),
        isVetoed: isVetoed(sentence, found.vetoes),
      };
    }
    // The quotations shown must carry the verdict by themselves.
    const evidence = carriers.length === places.length ? read : readAll(carriers, isRow);
    return judgeOn(sentence, carriers, evidence);
  };

  /** Capitals mark no names in a German sentence about an English source. */
  function isVetoed(sentence: string, vetoes: readonly Veto[]): boolean {
    const details = vetoes.filter(isDetail);
    if (details.some(({ kind }) => kind !== "name")) return true;
    return details.length > 0 && !capitalisingLanguages.has(analyzer.languageOf?.(sentence) ?? "");
  }

  /** `quotes`: what is quoted whatever the verdict; else the carriers of a verdict that has any. */
  function judgeOn(
    sentence: string,
    carriers: readonly HitQuote[],
    evidence: SupportEvidence,
    quotes?: readonly HitQuote[],
  ): SentenceJudgement {
    const { support, verdict, unsupportedWords, vetoes } = judgeByWords({ sentence, evidence, minSupport });
    const rows = carriers.flatMap(({ hitIndex, start }) => headers[hitIndex]?.get(start) ?? []);
    const analyze = (text: string): readonly string[] => analyzer.analyze(text, language);
    const [row, second] = rows;
    const misplaced =
      row &&
      (second === undefined
        ? (findMisplaced(sentence, row, analyze) ?? findStranger(sentence, row, analyze) ?? findMoved(sentence, row))
        : findHalf(sentence, row, second, analyze));
    // A quotation that denies what the sentence says does not support it in part.
    const isDenied = vetoes.some(({ kind }) => kind === "negation");
    return {
      verdict: isDenied ? "unsupported" : misplaced !== undefined && verdict === "supported" ? "partly" : verdict,
      support,
      by: "words",
      quotes: quotes ?? (verdict === "unsupported" ? [] : joinNeighbours(carriers, sentences)),
      unsupportedWords: [...unsupportedWords, ...(misplaced === undefined ? [] : [misplaced])].map(toRange),
      isVetoed: misplaced !== undefined || isVetoed(sentence, vetoes),
    };
  }
}

/**
 * A detail that differs, which no judge may overlook: a number with its unit, a name, a denial, a relation, a modal or a role. Words that took the place of others are one too. A
 * judge weighs quantifiers, synonyms, and whether two sentences speak of the same, better than words do.
 */
function isDetail({ kind }: Veto): boolean {
  return kind !== "quantifier" && kind !== "connection" && kind !== "wording";
}

interface HeadedRow {
  readonly names: readonly string[];
  readonly isHeader: boolean;
  /** Names of the columns, and what stands under them in this row; both empty where nothing names them. */
  readonly columns: readonly string[];
  readonly cells: readonly string[];
  /** The row in other words than the text's: cells of delimited text, apart as those of a Markdown table are. */
  readonly text?: string;
}

/** Rows of the tables of a hit by their starts. **Shape** `names`: the header above, without cell signs. */
function readHeaders(hit: Hit, table: HitTable | undefined): ReadonlyMap<number, HeadedRow> {
  const rows = new Map<number, HeadedRow>();
  const { text, source } = hit;
  for (const { start, cells, columns } of table?.rowsIn(text, source.start) ?? []) {
    const names = columns.length === 0 ? [] : [columns.join(" ")];
    rows.set(start, { names, isHeader: false, columns, cells, text: `| ${cells.join(" | ")} |` });
  }
  for (const { kind, start, end, header } of text.includes("|") ? findBlocks(text) : []) {
    if (kind !== "row" || rows.has(start)) continue;
    const [names = "", below = ""] = header === undefined ? [] : text.slice(header.start, header.end).split("\n");
    const columns = readBarCells(names);
    rows.set(start, {
      names: names === "" ? [] : [names.replaceAll("|", " ").trim()],
      isHeader: false,
      columns,
      cells: readBarCells(text.slice(start, end)),
    });
    if (header === undefined) continue;
    rows.set(header.start, { names: [], isHeader: true, columns: [], cells: [] });
    rows.set(header.end - below.trimStart().length, { names: [], isHeader: true, columns: [], cells: [] });
  }
  return rows;
}

/** A number, or a word. */
const token = /\p{Nd}+(?:[.,]\p{Nd}+)*|[\p{L}\p{M}]+/gu;

/**
 * Finds a number that a sentence has beside the name of a column, and the row under another: "2017 desks", where 2017 is the year.
 *
 * **Shape** its place in the sentence; `undefined` where there is none.
 */
function findMisplaced(sentence: string, { columns, cells }: HeadedRow, analyze: (text: string) => readonly string[]) {
  const named = columns.map((name) => new Set(analyze(name)));
  const numbers = cells.map((cell) => new Set(Array.from(cell.matchAll(token), ([text]) => text)));
  const tokens = [...sentence.matchAll(token)];
  for (const [at, { 0: text, index }] of tokens.entries()) {
    if (!/^\p{Nd}/u.test(text)) continue;
    const beside = [tokens[at + 1]?.[0], tokens[at - 1]?.[0]].flatMap((word = "") =>
      /^\p{L}/u.test(word) ? analyze(word) : [],
    );
    const under = [...named.keys()].filter((column) => beside.some((term) => named[column]!.has(term)));
    if (under.length === 0 || under.some((column) => numbers[column]?.has(text) === true)) continue;
    if (numbers.some((held) => held.has(text))) return { start: index, end: index + text.length };
  }
  return undefined;
}

/**
 * Finds a cell that a sentence puts under the name of another column: "Ana cleans", where Ana buys coffee and Joon cleans. The first cell names the row.
 *
 * **Shape** its place in the sentence; `undefined` where there is none.
 */
function findStranger(sentence: string, { columns, cells }: HeadedRow, analyze: (text: string) => readonly string[]) {
  const said = new Set(analyze(sentence));
  const isSaid = (term: string): boolean => said.has(term);
  const read = columns.map((name, column) => ({ name: analyze(name), cell: analyze(cells[column] ?? "") }));
  const first = read.findIndex(({ cell }) => cell.length > 0);
  const others = read.filter((_, column) => column !== first);
  const isAmiss = others.some(
    ({ name, cell }) => name.length > 0 && cell.length > 0 && name.every(isSaid) && !cell.some(isSaid),
  );
  if (!isAmiss) return undefined;
  const stranger = others.find(
    ({ name, cell }) => cell.length > 0 && cell.every(isSaid) && name.length > 0 && !name.some(isSaid),
  );
  if (stranger === undefined) return undefined;
  for (const { 0: text, index } of sentence.matchAll(token))
    if (analyze(text).some((term) => stranger.cell.includes(term))) return { start: index, end: index + text.length };
  return undefined;
}

/**
 * Finds a cell of a sentence that is a row itself, where the source has it in another place: `| Norway | NOK 780 | NOK 120 |`.
 *
 * **Shape** its place in the sentence; `undefined` where there is none, and for a row of another number of cells.
 */
function findMoved(sentence: string, { cells }: HeadedRow) {
  const own = sentence.trimStart().startsWith("|") ? readBarCells(sentence) : readWrittenRow(sentence).cells;
  if (own.length !== cells.length || own.length < 2) return undefined;
  const tokensOf = (cell: string): ReadonlySet<string> =>
    new Set(Array.from(cell.matchAll(token), ([text]) => text.toLowerCase()));
  const theirs = cells.map(tokensOf);
  const moved = own.find((cell, at) => {
    const said = [...tokensOf(cell)];
    const isIn = (there: ReadonlySet<string>): boolean => there.size > 0 && said.every((text) => there.has(text));
    return said.length > 0 && !isIn(theirs[at]!) && theirs.some(isIn);
  });
  if (moved === undefined) return undefined;
  const start = sentence.indexOf(moved);
  return { start, end: start + moved.length };
}

/**
 * Finds words of a sentence that one row of a table lends to another: "Eli manages Kiel and Lisbon", where another person manages Lisbon. Two rows hold a claim whole
 * where it has cells of the same columns from both, or each has a column of its own.
 *
 * **Shape** their place in the sentence; `undefined` where both rows hold it whole.
 */
function findHalf(sentence: string, one: HeadedRow, two: HeadedRow, analyze: (text: string) => readonly string[]) {
  if (one.columns.length === 0 || one.columns.join("\n") !== two.columns.join("\n")) return undefined;
  const said = new Set(analyze(sentence));
  const read = ({ cells }: HeadedRow): CellsSaid => {
    const terms = cells.map((cell) => analyze(cell));
    const held = terms.map((ofCell) => ofCell.length > 0 && ofCell.every((term) => said.has(term)));
    return { terms, held, count: held.filter(Boolean).length };
  };
  const [first, second] = [read(one), read(two)];
  const [more, less] = first.count < second.count ? [second, first] : [first, second];
  const isWithin = less.held.every((isHeld, column) => !isHeld || more.held[column] === true);
  if (!isWithin || more.count === less.count) return undefined;
  const known = new Set(more.terms.flat());
  const own = new Set(
    less.terms
      .filter((_, column) => less.held[column])
      .flat()
      .filter((term) => !known.has(term)),
  );
  for (const { 0: text, index } of sentence.matchAll(token))
    if (analyze(text).some((term) => own.has(term))) return { start: index, end: index + text.length };
  return undefined;
}

/** The terms of each cell of a row, and whether a sentence has all of them. */
interface CellsSaid {
  readonly terms: readonly (readonly string[])[];
  readonly held: readonly boolean[];
  readonly count: number;
}

interface CitedEvidence {
  readonly places: readonly HitQuote[];
  readonly read: SupportEvidence;
}

function toRange({ start, end }: Span): readonly [number, number] {
  return [start, end];
}

/** Two sentences in a row are one quotation. */
function joinNeighbours(picked: readonly HitQuote[], sentences: Evidence["sentences"]): readonly HitQuote[] {
  const quotes = picked.map(({ hitIndex, start, end }) => ({ hitIndex, start, end }));
  const [one, two] = quotes.toSorted((a, b) => a.start - b.start);
  if (one === undefined || two === undefined || one.hitIndex !== two.hitIndex) return quotes;
  const between = sentences[one.hitIndex]?.some(({ start, end }) => start >= one.end && end <= two.start) ?? false;
  return between ? quotes : [{ hitIndex: one.hitIndex, start: one.start, end: two.end }];
}
