import type { FieldScores, HeadingScore, NameScore, QueryTerm, TermScore } from "../../contracts/leg.ts";
import { findBest, type FoundChunk, orderTies, type SearchedSegment } from "./best-chunks.ts";
import { type Bm25Settings, defaultBm25 } from "./bm25-settings.ts";
import { type DocumentFields, joinFiles, noEntry } from "./document-fields.ts";
import { type DocumentParts, scoreDocuments } from "./document-parts.ts";
import { type HeadingScoring, type ReadHeadings, scoreHeadings } from "./heading-part.ts";
import { createTopK } from "../kernels/top-k.ts";
import { type Bm25Formula, bm25Formulas } from "./bm25-variants.ts";
import { createNorms, type Norms } from "../segments/field-norms.ts";
import { joinPostings } from "../segments/join-postings.ts";
import type { Postings, Segment } from "../segments/segment.ts";

/** One word of a query: the terms under which chunks may have it, and how often the query says it. */
export interface QueryWord {
  readonly terms: readonly string[];
  readonly count: number;
  /** Phrase of the query that it is a synonym of; its `count` is then a weight. */
  readonly synonymOf?: string;
  /** Name in explanations. Default: the first of its terms. */
  readonly label?: string;
  /** Added to what the query says: the year of a fiscal year, or two words as one. Such a word is no evidence. */
  readonly added?: "year" | "joined";
  /** Several words next to one another: where they stand so, and the words, as rare as which together it is. */
  readonly phrase?: {
    readonly lists: ReadonlyMap<Segment, Postings | undefined>;
    readonly words: readonly (readonly string[])[];
  };
}

export interface Bm25Hit extends FoundChunk {
  readonly terms: readonly TermScore[];
  /** The sum of the terms' scores; with the other parts added in order, the score. */
  readonly lexical: number;
  readonly name?: NameScore | undefined;
  readonly document?: number | undefined;
  readonly heading?: HeadingScore | undefined;
  /** The terms' scores by field; absent where the formula knows none. */
  readonly fields?: FieldScores | undefined;
}

export interface Bm25Result {
  readonly hits: readonly Bm25Hit[];
  readonly terms: readonly QueryTerm[];
}

/** The words of a query with their lists, ready to score. Valid as long as none of its segments changes. */
export interface Bm25Scoring {
  readonly words: readonly QueryWord[];
  readonly idfs: Float64Array;
  /** How many live chunks have each word. */
  readonly frequencies: Float64Array;
  readonly formula: Bm25Formula;
  readonly settings: Bm25Settings;
  readonly lists: ReadonlyMap<Segment, readonly (Postings | undefined)[]>;
  readonly norms: (segment: Segment) => Norms;
  /** Names of documents, and what they score; `undefined` where neither counts. */
  readonly named: NamedScoring | undefined;
}

interface NamedScoring {
  readonly fields: DocumentFields;
  /** Worth of one occurrence in a file's name, by entry. */
  readonly fileNorms: Float64Array;
  readonly parts: DocumentParts;
  /** `undefined` where headings do not count. */
  readonly headings: HeadingScoring | undefined;
}

/**
 * BM25 over some segments, as if no others existed. Each word of the query gives its rarity, times its count in the query, times its saturated,
 * length-normalised frequency ({@link bm25Formulas}).
 *
 * **Shape** the number of chunks, the document frequencies and the average lengths are sums over all live chunks of the segments, admitted or not. So a filter
 * does not change the worth of a word, and neither does the division into segments. Words of one query add up in their order.
 * **Cost** linear in the postings of the query's words. Every chunk with a word is scored: skipping (block-max WAND) would save less than reading
 * the hits costs; docs/decisions/0018.
 */
export function searchBm25(
  searched: readonly SearchedSegment[],
  words: readonly QueryWord[],
  topK: number,
  minScore: number,
  settings: Bm25Settings = defaultBm25,
  fields?: DocumentFields,
  readHeadings?: ReadHeadings,
): Bm25Result {
  const scoring = prepareBm25(searched, words, settings, fields);
  return { hits: searchPrepared(scoring, searched, topK, minScore, readHeadings), terms: queryTerms(scoring) };
}

/**
 * The best chunks by a scoring that was prepared over the same segments; `searched` may leave some out, or name single chunks by `only`.
 *
 * **Cost** headings are read only of chunks that could be among the best with one.
 */
export function searchPrepared(
  scoring: Bm25Scoring,
  searched: readonly SearchedSegment[],
  topK: number,
  minScore: number,
  readHeadings: ReadHeadings = () => [],
): readonly Bm25Hit[] {
  const found =
    scoring.named === undefined
      ? searchWordsAlone(scoring, searched, topK, minScore)
      : searchNamed(scoring, scoring.named, searched, topK, minScore, readHeadings);
  return found.map((hit) => explainHit(scoring, hit, readHeadings));
}

function searchWordsAlone(
  scoring: Bm25Scoring,
  searched: readonly SearchedSegment[],
  topK: number,
  minScore: number,
): readonly FoundChunk[] {
  return findBest(searched, topK, ({ segment, admitted, only }, offer, best) => {
    const lists = scoring.lists.get(segment);
    if (lists === undefined || lists.every((list) => list === undefined)) return;
    if (only !== undefined) {
      for (const ordinal of only) {
        const score = admitted[ordinal] === 1 ? sumShares(scoring, segment, ordinal) : 0;
        if (score > 0 && score >= minScore) offer(score, ordinal);
      }
      return;
    }
    const count = scoreEvery(scoring, segment, lists, undefined);
    const [scores, ordinals] = [scratch, scored];
    let floor = Math.max(best.floor, minScore);
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!;
      const score = scores[ordinal]!;
      // As the next search wants it; and what is here twice counts once.
      scores[ordinal] = 0;
      if (score <= 0 || score < floor || admitted[ordinal] !== 1) continue;
      offer(score, ordinal);
      floor = Math.max(best.floor, minScore);
    }
  });
}

/** A chunk that may be among the best: its score as far as it is known, and the most that its heading can give. */
interface OpenChunk {
  readonly segment: Segment;
  readonly ordinal: number;
  score: number;
  readonly most: number;
}

/**
 * The best chunks with the parts of names, documents and headings.
 *
 * Headings are read only of chunks that could be among the best by the most that theirs can give. **Shape** exact: no heading takes from a
 * score, so the best `topK` without them give the least score that counts.
 */
function searchNamed(
  scoring: Bm25Scoring,
  named: NamedScoring,
  searched: readonly SearchedSegment[],
  topK: number,
  minScore: number,
  readHeadings: ReadHeadings,
): readonly FoundChunk[] {
  const open = named.parts.withNames((names) => openChunks(scoring, searched, names, topK, minScore));
  for (const [segment, own] of Map.groupBy(
    open.filter(({ most }) => most > 0),
    (chunk) => chunk.segment,
  )) {
    const headings = readHeadings(
      segment,
      own.map(({ ordinal }) => ordinal),
    );
    own.forEach((chunk, i) => (chunk.score += headingOf(scoring, headings[i])));
  }
  const reaching = open.filter(({ score }) => score >= minScore).sort((a, b) => b.score - a.score);
  return orderTies(reaching, topK);
}

/** Serves one search at a time. */
const sure = createTopK(0);

/** Chunks with all parts but their headings, that could be among the best with them. */
function openChunks(
  scoring: Bm25Scoring,
  searched: readonly SearchedSegment[],
  names: Float64Array | undefined,
  topK: number,
  minScore: number,
): OpenChunk[] {
  const { fields, parts, headings } = scoring.named!;
  const { document } = parts;
  const open: OpenChunk[] = [];
  const isAll = topK === Infinity;
  if (!isAll) sure.reset(topK);
  let floor = minScore;
  for (const { segment, admitted, only } of searched) {
    const lists = scoring.lists.get(segment);
    if (lists === undefined || lists.every((list) => list === undefined)) continue;
    const entries = fields.entriesOf(segment);
    const homes = fields.documentsOf(segment);
    const withParts = (ordinal: number, lexical: number): number => {
      let score = lexical;
      if (names !== undefined) score += names[entries[ordinal]!]!;
      if (document !== undefined) score += document[homes[ordinal]!]!;
      return score;
    };
    if (only !== undefined) {
      for (const ordinal of only) {
        if (admitted[ordinal] !== 1) continue;
        const lexical = sumShares(scoring, segment, ordinal);
        const most = headings === undefined ? 0 : 1;
        if (lexical > 0) open.push({ segment, ordinal, score: withParts(ordinal, lexical), most });
      }
      continue;
    }
    const bounded = headings === undefined ? undefined : boundsFor(segment);
    const count = scoreEvery(scoring, segment, lists, bounded);
    const [scores, ordinals] = [scratch, scored];
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!;
      const lexical = scores[ordinal]!;
      // As the next search wants it; and what is here twice counts once.
      scores[ordinal] = 0;
      const most = bounded === undefined ? 0 : bounded[ordinal]!;
      if (most > 0) bounded![ordinal] = 0;
      if (lexical <= 0 || admitted[ordinal] !== 1) continue;
      const score = withParts(ordinal, lexical);
      if (score + most < floor) continue;
      open.push({ segment, ordinal, score, most });
      if (isAll || score < floor) continue;
      sure.offer(score, 0);
      floor = Math.max(floor, sure.floor);
    }
  }
  return searched.some(({ only }) => only !== undefined)
    ? open
    : open.filter(({ score, most }) => score + most >= floor);
}

function headingOf({ named }: Bm25Scoring, heading: readonly string[] | undefined): number {
  return (heading && named?.headings?.score(heading)?.value) ?? 0;
}

/** Room for the most that the headings of one segment's chunks can give, all 0 between searches. */
function boundsFor({ size }: Segment): Float64Array {
  if (bounds.length < size) bounds = new Float64Array(size * 2);
  return bounds;
}

let bounds = new Float64Array(1024);

/** The words of the query with their rarity, in its order. */
export function queryTerms({ words, idfs, frequencies }: Bm25Scoring): readonly QueryTerm[] {
  return words.map((word, i) => ({
    term: nameOf(word),
    idf: idfs[i]!,
    count: word.count,
    chunks: frequencies[i]!,
    ...(word.synonymOf !== undefined && { synonymOf: word.synonymOf }),
    ...(word.added && { added: word.added }),
  }));
}

function explainHit(scoring: Bm25Scoring, hit: FoundChunk, readHeadings: ReadHeadings): Bm25Hit {
  const { terms, fields: byField } = explain(scoring, hit);
  let lexical = 0;
  for (const { score } of terms) lexical += score;
  const { named } = scoring;
  const entry = named?.fields.entriesOf(hit.segment)[hit.ordinal] ?? noEntry;
  if (named === undefined || entry === noEntry) return { ...hit, terms, lexical, fields: byField };
  const { fields, parts, headings } = named;
  const [heading] = headings === undefined ? [] : readHeadings(hit.segment, [hit.ordinal]);
  return {
    ...hit,
    terms,
    lexical,
    name: parts.explainName(entry),
    document: parts.document?.[fields.documentOf[entry]!],
    heading: heading && headings?.score(heading),
    fields: byField,
  };
}

/** Reads the lists of the words and counts them. **Cost** linear in the words' postings. */
export function prepareBm25(
  searched: readonly SearchedSegment[],
  words: readonly QueryWord[],
  settings: Bm25Settings,
  fields?: DocumentFields,
): Bm25Scoring {
  const formula = bm25Formulas[settings.variant];
  const lists = new Map<Segment, (Postings | undefined)[]>();
  const frequencies = new Float64Array(words.length);
  let chunks = 0;
  let text = 0;
  let names = 0;
  for (const { segment } of searched) {
    if (segment.liveCount === 0) continue;
    chunks += segment.liveCount;
    text += segment.liveLengths.text;
    names += segment.liveLengths.names;
    const found = words.map((word) => {
      const list = postingsOf(segment, word);
      const files = settings.fileWeight > 0 ? fields?.filePostings(segment, word.terms) : undefined;
      return joinFiles(list, files);
    });
    found.forEach((list, i) => (frequencies[i]! += countLive(list, segment)));
    lists.set(segment, found);
  }
  const norms = new Map<Segment, Norms>();
  const averages = { text: chunks === 0 ? 0 : text / chunks, names: chunks === 0 ? 0 : names / chunks };
  const named = fields && {
    fields,
    fileNorms: fields.fileNorms(settings.fileWeight, settings.fileB),
    parts: scoreDocuments(fields, words, lists, settings),
    headings: settings.heading > 0 ? scoreHeadings(words, settings.heading, idfOf) : undefined,
  };
  function idfOf(term: string): number {
    const having = fields!.known(term, () => {
      let count = 0;
      for (const { segment } of searched) {
        const files = settings.fileWeight > 0 ? fields!.filePostings(segment, [term]) : undefined;
        count += countLive(joinFiles(segment.postings(term), files), segment);
      }
      return count;
    });
    return formula.idf(chunks, having);
  }
  return {
    words,
    frequencies,
    named,
    idfs: Float64Array.from(words, ({ phrase }, i) =>
      phrase === undefined
        ? formula.idf(chunks, frequencies[i]!)
        : phrase.words.reduce((sum, terms) => sum + formula.idf(chunks, chunksWith(searched, terms)), 0),
    ),
    formula,
    settings,
    lists,
    norms(segment) {
      let made = norms.get(segment);
      if (made === undefined) norms.set(segment, (made = createNorms(segment, averages, formula, settings)));
      return made;
    },
  };
}

function nameOf({ label, terms }: QueryWord): string {
  return label ?? terms[0]!;
}

function chunksWith(searched: readonly SearchedSegment[], terms: readonly string[]): number {
  return searched.reduce((sum, { segment }) => sum + countLive(postingsOf(segment, { terms }), segment), 0);
}

/** Where a segment has a word, under whichever of its terms. */
export function postingsOf(segment: Segment, { terms, phrase }: Omit<QueryWord, "count">): Postings | undefined {
  if (phrase !== undefined) return phrase.lists.get(segment);
  let joined: Postings | undefined;
  for (const term of terms) {
    const list = segment.postings(term);
    if (list !== undefined) joined = joined === undefined ? list : joinPostings(joined, list);
  }
  return joined;
}

/** Room for the scores of one segment by ordinal, all 0 between searches; a search is over before the next begins. */
let scratch = new Float64Array(1024);
/** Ordinals with a score other than 0. */
let scored = new Uint32Array(1024);

/** **Shape** how many ordinals are in `scored`: all whose score is not 0, one whose shares add up to 0 on the way perhaps twice. */
function scoreEvery(
  scoring: Bm25Scoring,
  segment: Segment,
  lists: readonly (Postings | undefined)[],
  bounded: Float64Array | undefined,
): number {
  if (scratch.length < segment.size) scratch = new Float64Array(segment.size * 2);
  const most = lists.reduce((sum, list) => sum + (list?.ordinals.length ?? 0), 0);
  if (scored.length < most) scored = new Uint32Array(most * 2);
  const [scores, found] = [scratch, scored];
  let size = 0;
  const { formula, settings, words, idfs } = scoring;
  const { text, names } = scoring.norms(segment);
  const { k1 } = settings;
  const { shift, bonus } = formula;
  const gain = formula.gain(k1);
  const entries = scoring.named?.fields.entriesOf(segment);
  const fileNorms = scoring.named?.fileNorms;
  lists.forEach((list, word) => {
    if (list === undefined) return;
    const weight = idfs[word]! * words[word]!.count;
    const most = scoring.named?.headings?.most[word] ?? 0;
    const { ordinals, counts } = list;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      let frequency = counts[i]! * text[ordinal]! + shift;
      if (list.names !== undefined && list.names[i]! > 0) {
        frequency += list.names[i]! * names[ordinal]!;
        if (bounded !== undefined) bounded[ordinal]! += most;
      }
      if (list.files !== undefined && list.files[i]! > 0) frequency += list.files[i]! * fileNorms![entries![ordinal]!]!;
      const before = scores[ordinal]!;
      if (before === 0) found[size++] = ordinal;
      scores[ordinal] = before + weight * ((gain * frequency) / (k1 + frequency) + bonus);
    }
  });
  return size;
}

/** A word's normalised frequency in one chunk by field, and its share in the chunk's score. */
interface WordShare {
  readonly text: number;
  readonly names: number;
  readonly file: number;
  readonly score: number;
  /** The share without the file's name. */
  readonly stated: number;
}

/** Share of each word in one chunk's score, in the same arithmetic as {@link scoreEvery}. */
function shareOf(
  scoring: Bm25Scoring,
  segment: Segment,
  word: number,
  list: Postings,
  at: number,
  ordinal: number,
): WordShare {
  const { formula, settings, words, idfs, named } = scoring;
  const norms = scoring.norms(segment);
  const { k1 } = settings;
  const text = list.counts[at]! * norms.text[ordinal]! + formula.shift;
  const names = list.names === undefined ? 0 : list.names[at]! * norms.names[ordinal]!;
  const files = list.files?.[at] ?? 0;
  const file =
    files > 0 && named !== undefined ? files * named.fileNorms[named.fields.entriesOf(segment)[ordinal]!]! : 0;
  const weight = idfs[word]! * words[word]!.count;
  const scoreOf = (frequency: number): number =>
    weight * ((formula.gain(k1) * frequency) / (k1 + frequency) + formula.bonus);
  // Without an occurrence, a formula with a shift or a bonus would still give something.
  const isStated = list.counts[at]! + (list.names?.[at] ?? 0) > 0;
  return { text, names, file, score: scoreOf(text + names + file), stated: isStated ? scoreOf(text + names) : 0 };
}

function sumShares(scoring: Bm25Scoring, segment: Segment, ordinal: number): number {
  let sum = 0;
  scoring.lists.get(segment)?.forEach((list, word) => {
    const at = list === undefined ? -1 : placeOf(list, ordinal);
    if (at >= 0) sum += shareOf(scoring, segment, word, list!, at, ordinal).score;
  });
  return sum;
}

function explain(
  scoring: Bm25Scoring,
  { segment, ordinal }: FoundChunk,
): { readonly terms: readonly TermScore[]; readonly fields: FieldScores | undefined } {
  const terms: TermScore[] = [];
  const fields = { text: 0, names: 0, file: 0 };
  scoring.lists.get(segment)?.forEach((list, word) => {
    const at = list === undefined ? -1 : placeOf(list, ordinal);
    if (at < 0) return;
    const files = list!.files?.[at] ?? 0;
    const share = shareOf(scoring, segment, word, list!, at, ordinal);
    terms.push({
      term: nameOf(scoring.words[word]!),
      idf: scoring.idfs[word]!,
      frequency: list!.counts[at]! + (list!.names?.[at] ?? 0) + files,
      score: share.score,
      ...(files > 0 && { stated: share.stated }),
    });
    const all = share.text + share.names + share.file;
    for (const field of ["text", "names", "file"] as const) fields[field] += share.score * (share[field] / all);
  });
  return { terms, fields: scoring.formula.fields ? fields : undefined };
}

function countLive(list: Postings | undefined, { live, liveCount, size }: Segment): number {
  if (list === undefined) return 0;
  if (liveCount === size) return list.ordinals.length;
  let count = 0;
  for (const ordinal of list.ordinals) count += live[ordinal]!;
  return count;
}

/** Where a list has a chunk, or -1. */
export function placeOf({ ordinals }: Postings, ordinal: number): number {
  let low = 0;
  let high = ordinals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordinals[middle]! < ordinal) low = middle + 1;
    else high = middle;
  }
  return ordinals[low] === ordinal ? low : -1;
}
