import type { FieldScores, HeadingScore, NameScore, QueryTerm, TermScore } from "../../contracts/leg.ts";
import { type FoundChunk, orderTies, type SearchedSegment } from "./best-chunks.ts";
import type { Bm25Scoring, QueryWord, ScoredWord } from "./bm25-scoring.ts";
import { type Bm25Settings, defaultBm25 } from "./bm25-settings.ts";
import { type DocumentFields, noEntry } from "./document-fields.ts";
import { scoreDocuments, type SharedParts } from "./document-parts.ts";
import { type Heading, type ReadHeadings, scoreHeadings } from "./heading-part.ts";
import { keepSums, type KeptScores } from "./kept-sums.ts";
import { boundScores, findLikely, keepLikely, type LikelyChunks } from "./likely-chunks.ts";
import { createWordIndex, type WordIndex } from "./word-index.ts";
import { countAt, entryOf, sparseAt, type WordList } from "./word-list.ts";
import { createTopK } from "../kernels/top-k.ts";
import { finishSteps } from "../../runtime/steps.ts";
import type { Norms } from "../segments/field-norms.ts";
import type { Segment } from "../segments/segment.ts";

/** A chunk that was found, with its innermost heading where headings count. */
export interface Bm25Found extends FoundChunk {
  readonly innermost?: Heading | undefined;
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

/**
 * BM25 over some segments, as if no others existed. Each word of the query gives its rarity, times its count in the query, times its saturated,
 * length-normalised frequency ({@link bm25Formulas}).
 *
 * **Shape** the number of chunks, the document frequencies and the average lengths are sums over all live chunks of the segments, admitted or not. So a filter
 * does not change the worth of a word, and neither does the division into segments. Words of one query add up in their order.
 * **Cost** linear in the postings of the query's words. Bounds of all scores are summed, and the scores of chunks that may be among the best are
 * computed; docs/decisions/0131.
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
  const index = createWordIndex(
    searched.map(({ segment }) => segment),
    settings,
    fields,
  );
  const scoring = finishSteps(prepareBm25(index, words));
  const hits = finishSteps(searchPrepared(scoring, searched, topK, minScore, readHeadings));
  return { hits: hits.map((hit) => explainHit(scoring, hit)), terms: queryTerms(scoring) };
}

/** Looks up the words of a query and weighs them, in steps of {@link WordIndex.word}. **Cost** linear in the postings of words that the index does not hold yet. */
export function* prepareBm25(index: WordIndex, queried: readonly QueryWord[]): Generator<undefined, Bm25Scoring> {
  const { formula, fields, settings } = index;
  const words: ScoredWord[] = [];
  index.expect(queried.flatMap(({ terms, phrase }) => [...terms, ...(phrase?.words.flat() ?? [])]));
  for (const word of queried) {
    const indexed = yield* index.word(word);
    const idf =
      word.phrase === undefined
        ? formula.idf(index.chunks, indexed.frequency)
        : word.phrase.words.reduce((sum, terms) => sum + index.phraseIdf(terms), 0);
    const count = formula.distinct ? Math.min(1, word.count) : word.count;
    words.push({ ...word, count, indexed, idf, weight: idf * count });
  }
  return {
    index,
    words,
    bounds: boundScores(
      words.map(({ weight }) => weight),
      formula.gain(settings.k1) + formula.bonus,
    ),
    parts:
      fields &&
      scoreDocuments(
        fields,
        words.map(({ terms, count, indexed }) => ({ terms, count, documents: indexed.documents })),
        index,
      ),
    headings: fields && settings.heading > 0 ? scoreHeadings(words, settings.heading, index) : undefined,
  };
}

const noParts: SharedParts = { names: undefined, documents: undefined, slack: 0, mostNamed: 0, mostShared: 0 };

/** Headings that are read or weighed in one step: one or two milliseconds where no term of theirs was counted yet. */
const headingsAtOnce = 16;

/** Asks a search for bounds of the scores of all chunks. */
export interface KeepingScores {
  /** Set by a search that was not for single chunks. */
  kept?: KeptScores | undefined;
}

/**
 * The best chunks by a scoring that was prepared over the same segments; `searched` may leave some out, or name single chunks by `only`.
 *
 * **Shape** exact: bounds only say which scores are computed. Steps of `atOnce` headings, between which other searches may run. **Cost** headings are read only of chunks that
 * could be among the best with one.
 */
export function* searchPrepared(
  scoring: Bm25Scoring,
  searched: readonly SearchedSegment[],
  topK: number,
  minScore: number,
  readHeadings: ReadHeadings = () => [],
  atOnce = headingsAtOnce,
  keeping?: KeepingScores,
): Generator<undefined, readonly Bm25Found[]> {
  const { parts } = scoring;
  const withParts = <Result>(withDocuments: boolean, work: (parts: SharedParts) => Result): Result =>
    parts === undefined ? work(noParts) : parts.withParts(withDocuments, work);
  function findAmongAll(shared: SharedParts): LikelyChunks {
    const sums =
      keeping &&
      keepSums(
        scoring,
        searched.reduce((sum, { segment }) => sum + segment.size, 0),
      );
    try {
      const likely = findLikely(scoring, searched, shared, topK, minScore, sums);
      if (keeping !== undefined) keeping.kept = sums?.finish(shared);
      return likely;
    } catch (error) {
      sums?.close();
      throw error;
    }
  }
  const asked = searched.some(({ only }) => only !== undefined)
    ? listGiven(searched)
    : yield* listLikely(scoring, searched, withParts(true, findAmongAll), { topK, minScore, readHeadings, atOnce });
  const found = withParts(false, (shared) => asked.flatMap((some) => scoreChunks(scoring, some, shared, readHeadings)));
  const reaching = found.filter(({ score }) => score >= minScore).sort((a, b) => b.score - a.score);
  const best = orderTies(reaching, topK);
  if (scoring.headings === undefined) return best;
  const headings = new Map<FoundChunk, Heading | undefined>();
  for (const [segment, own] of Map.groupBy(best, (hit) => hit.segment)) {
    const read = readHeadings(
      segment,
      own.map(({ ordinal }) => ordinal),
    );
    own.forEach((hit, i) => headings.set(hit, read[i]));
  }
  return best.map((hit) => ({ ...hit, innermost: headings.get(hit) }));
}

/** How chunks are listed. */
interface Listing {
  readonly topK: number;
  readonly minScore: number;
  readonly readHeadings: ReadHeadings;
  readonly atOnce: number;
}

/** Chunks of one segment whose scores are asked for: ordinals ascend. */
interface AskedChunks {
  readonly segment: Segment;
  readonly ordinals: readonly number[];
  /** Scores of their headings, as far as they are known. */
  readonly headings?: readonly number[];
}

function listGiven(searched: readonly SearchedSegment[]): AskedChunks[] {
  return searched.map(({ segment, admitted, only = [] }) => ({
    segment,
    ordinals: only.filter((ordinal) => admitted[ordinal] === 1).sort((a, b) => a - b),
  }));
}

/** Serves one search at a time. */
const sure = createTopK(0);

/**
 * Chunks that may be among the best, with what their headings give.
 *
 * **Shape** no heading takes from a score, so the best `topK` without them give the least score that counts, and with them a higher one.
 */
function* listLikely(
  scoring: Bm25Scoring,
  searched: readonly SearchedSegment[],
  likely: LikelyChunks,
  { topK, minScore, readHeadings, atOnce }: Listing,
): Generator<undefined, AskedChunks[]> {
  const named: number[] = [];
  for (let i = 0; i < likely.size; i++) if (likely.headings[i]! > 0) named.push(i);
  // Another search takes the room of this one.
  const { size, places, ordinals, uppers, lowers } = named.length > atOnce ? keepLikely(likely) : likely;
  const asked: AskedChunks[] = [];
  const given = new Float64Array(size);
  const said: { readonly i: number; readonly heading: Heading }[] = [];
  for (let from = 0, to = 0; from < named.length; from = to) {
    if (from > 0) yield;
    const place = places[named[from]!]!;
    while (to < named.length && to - from < atOnce && places[named[to]!] === place) to++;
    const some = named.slice(from, to);
    const headings = readHeadings(
      searched[place]!.segment,
      some.map((i) => ordinals[i]!),
    );
    some.forEach((i, at) => headings[at] && said.push({ i, heading: headings[at] }));
  }
  if (scoring.headings !== undefined) {
    for (let from = 0; from < said.length; from += atOnce) {
      if (named.length > atOnce) yield;
      const some = said.slice(from, from + atOnce);
      scoring.headings.expect(some.map(({ heading }) => heading));
      for (const { i, heading } of some) given[i] = scoring.headings.value(heading);
    }
  }
  let floor = minScore;
  if (topK !== Infinity) {
    sure.reset(topK);
    for (let i = 0; i < size; i++) sure.offer(lowers[i]! + given[i]!, 0);
    floor = Math.max(floor, sure.floor);
  }
  for (let from = 0, to = 0; from < size; from = to) {
    const place = places[from]!;
    const kept: number[] = [];
    for (; to < size && places[to] === place; to++) {
      if (uppers[to]! + given[to]! >= floor) kept.push(to);
    }
    kept.sort((a, b) => ordinals[a]! - ordinals[b]!);
    asked.push({
      segment: searched[place]!.segment,
      ordinals: kept.map((i) => ordinals[i]!),
      headings: kept.map((i) => given[i]!),
    });
  }
  return asked;
}

/** The scores of some chunks, in the arithmetic of the formula. **Shape** those without a word of the query are left out. */
function scoreChunks(
  scoring: Bm25Scoring,
  { segment, ordinals, headings }: AskedChunks,
  { names }: SharedParts,
  readHeadings: ReadHeadings,
): FoundChunk[] {
  if (ordinals.length === 0) return [];
  const lexical = new Float64Array(ordinals.length);
  for (const word of scoring.words) {
    const list = word.indexed.lists.get(segment);
    if (list === undefined) continue;
    addShares(lexical, ordinals, list, sharesIn(scoring, segment, word, list));
  }
  const { index, parts } = scoring;
  const entries = index.fields?.entriesOf(segment);
  const homes = index.fields?.documentsOf(segment);
  const read =
    headings === undefined && scoring.headings !== undefined
      ? readHeadings(segment, ordinals).map((heading) => scoring.headings!.value(heading))
      : headings;
  const scored: FoundChunk[] = [];
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!;
    let score = lexical[i]!;
    if (score <= 0) continue;
    if (names !== undefined) score += names[entries![ordinal]!]!;
    const document = parts?.document(homes![ordinal]!);
    if (document !== undefined) score += document;
    if (read !== undefined) score += read[i] ?? 0;
    scored.push({ segment, ordinal, score });
  }
  return scored;
}

/** The words of the query with their rarity, in its order. */
export function queryTerms({ words }: Bm25Scoring): readonly QueryTerm[] {
  return words.map((word) => ({
    term: nameOf(word),
    idf: word.idf,
    count: word.count,
    chunks: word.indexed.frequency,
    ...(word.synonymOf !== undefined && { synonymOf: word.synonymOf }),
    ...(word.added && { added: word.added }),
  }));
}

/** The parts of a hit's score. A scoring explains what it found at any later time. */
export function explainHit(scoring: Bm25Scoring, { innermost, ...hit }: Bm25Found): Bm25Hit {
  const { terms, fields: byField } = explain(scoring, hit);
  let lexical = 0;
  for (const { score } of terms) lexical += score;
  const { parts, headings, index } = scoring;
  const entry = index.fields?.entriesOf(hit.segment)[hit.ordinal] ?? noEntry;
  if (parts === undefined || entry === noEntry) return { ...hit, terms, lexical, fields: byField };
  return {
    ...hit,
    terms,
    lexical,
    name: parts.explainName(entry),
    document: parts.document(index.fields!.documentOf[entry]!),
    heading: innermost && headings?.explain(innermost),
    fields: byField,
  };
}

function nameOf({ label, terms }: QueryWord): string {
  return label ?? terms[0]!;
}

/** A word's normalised frequency in one chunk by field, and its share in the chunk's score. */
interface WordShare {
  readonly text: number;
  readonly names: number;
  readonly file: number;
  readonly score: number;
  /** The share without the file's name. */
  readonly stated: number;
  /** Occurrences. */
  readonly count: number;
  readonly isInFile: boolean;
}

/** Numbers that give the shares of a word in the chunks of one segment. */
interface SharesOfWord {
  readonly norms: Norms;
  readonly fileNorms: Float64Array | undefined;
  readonly entries: Uint32Array | undefined;
  readonly shift: number;
  readonly gain: number;
  readonly k1: number;
  readonly bonus: number;
  readonly weight: number;
}

function sharesIn({ index }: Bm25Scoring, segment: Segment, { weight }: ScoredWord, list: WordList): SharesOfWord {
  const { formula, settings, fields } = index;
  const { k1 } = settings;
  return {
    norms: index.norms(segment),
    fileNorms: list.files && fields!.fileNorms(settings.fileWeight, settings.fileB),
    entries: list.files && fields!.entriesOf(segment),
    shift: formula.shift,
    gain: formula.gain(k1),
    k1,
    bonus: formula.bonus,
    weight,
  };
}

function scoreOf({ weight, gain, k1, bonus }: SharesOfWord, frequency: number): number {
  return weight * ((gain * frequency) / (k1 + frequency) + bonus);
}

/** Adds the shares of a word to the scores of some chunks, in a loop that makes no object for each. */
function addShares(scores: Float64Array, ordinals: readonly number[], list: WordList, shares: SharesOfWord): void {
  const { norms, fileNorms, entries, shift } = shares;
  const { text, textLengths, nameLengths } = norms;
  for (let i = 0, at = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!;
    const found = entryOf(list, ordinal, at);
    at = found < 0 ? ~found : found;
    if (found < 0) continue;
    let frequency = countAt(list, found) * text[textLengths[ordinal]!]! + shift;
    const inNames = sparseAt(list.names, found);
    if (inNames !== 0) frequency += inNames * norms.names[nameLengths[ordinal]!]!;
    const inFile = sparseAt(list.files, found);
    if (inFile !== 0) frequency += inFile * fileNorms![entries![ordinal]!]!;
    scores[i]! += scoreOf(shares, frequency);
  }
}

/** The share of a word in one chunk, by its entry in a segment's list. */
function shareAt(shares: SharesOfWord, list: WordList, at: number, ordinal: number): WordShare {
  const { norms, fileNorms, entries, shift } = shares;
  const inText = countAt(list, at);
  const inNames = sparseAt(list.names, at);
  const inFile = sparseAt(list.files, at);
  const text = inText * norms.text[norms.textLengths[ordinal]!]! + shift;
  const names = inNames === 0 ? 0 : inNames * norms.names[norms.nameLengths[ordinal]!]!;
  const file = inFile === 0 ? 0 : inFile * fileNorms![entries![ordinal]!]!;
  // Without an occurrence, a formula with a shift or a bonus would still give something.
  const stated = inText + inNames > 0 ? scoreOf(shares, text + names) : 0;
  const score = scoreOf(shares, text + names + file);
  return { text, names, file, score, stated, count: inText + inNames + inFile, isInFile: inFile > 0 };
}

function explain(
  scoring: Bm25Scoring,
  { segment, ordinal }: FoundChunk,
): { readonly terms: readonly TermScore[]; readonly fields: FieldScores | undefined } {
  const terms: TermScore[] = [];
  const fields = { text: 0, names: 0, file: 0 };
  for (const word of scoring.words) {
    const list = word.indexed.lists.get(segment);
    const at = list === undefined ? -1 : entryOf(list, ordinal);
    if (at < 0) continue;
    const share = shareAt(sharesIn(scoring, segment, word, list!), list!, at, ordinal);
    terms.push({
      term: nameOf(word),
      idf: word.idf,
      frequency: share.count,
      score: share.score,
      ...(share.isInFile && { stated: share.stated }),
    });
    const all = share.text + share.names + share.file;
    for (const field of ["text", "names", "file"] as const) fields[field] += share.score * (share[field] / all);
  }
  return { terms, fields: scoring.index.formula.fields ? fields : undefined };
}
