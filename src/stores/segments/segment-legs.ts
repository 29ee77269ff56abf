import type { Analyzer } from "../../contracts/analyzer.ts";
import { type Metric, versionKey } from "../../contracts/embedding.ts";
import type {
  Calibration,
  Leg,
  LegCapabilities,
  LegMatch,
  LegResult,
  MatchCount,
  Query,
  TogetherBound,
  Within,
} from "../../contracts/leg.ts";
import { orderTies, type SearchedSegment } from "../../engine/bm25/best-chunks.ts";
import { explainHit, type KeepingScores, prepareBm25, queryTerms, searchPrepared } from "../../engine/bm25/bm25.ts";
import type { Bm25Scoring } from "../../engine/bm25/bm25-scoring.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import { addWords } from "../../engine/bm25/added-words.ts";
import type { KeptScores } from "../../engine/bm25/kept-sums.ts";
import { findWords, heldLanguages } from "../../engine/bm25/query-words.ts";
import { findSynonyms } from "../../engine/bm25/synonym-words.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { type Keeping, type KeptRows, type NearestHit, nearestInSteps } from "../../engine/vectors/nearest.ts";
import { type StoredVector, toStoredVector } from "../../engine/vectors/stored-vector.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { noteRepeatable } from "../compose/moment-ahead.ts";
import { createChunkReader } from "./chunk-rows.ts";
import { type StoreThread, worthAThread } from "./errands.ts";
import type { IndexView } from "./index-view.ts";
import { type LegSearch, nameMatches, onlyThose, openSearch, toMatches, toResult } from "./leg-search.ts";
import { lookInSlices } from "./look-in-slices.ts";
import { boundsOf, findTogether, keptScores, mayReach, type ScoringState } from "./kept-chunks.ts";
import type { LatentLeg } from "./latent-leg.ts";
import type { PatternRun, PatternSearch } from "./search-pattern.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import { placesOf, type SegmentMoment } from "./segment-moment.ts";

/** The parts of a segment store that its legs use. */
export interface SegmentLegParts {
  readonly view: IndexView;
  readonly analyzer: Analyzer;
  readonly bm25: Bm25Settings;
  /** Metric of an embedding that names none. */
  readonly metric: Metric;
  readonly latent: LatentLeg | undefined;
  /** Whether rows are fetched from afar. */
  readonly isAfar?: true | undefined;
  readonly look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
  /** Looks at the texts of many chunks. */
  readonly thread: StoreThread | undefined;
  /** The pattern search, loaded when a pattern is first looked for. */
  readonly patterns: () => Promise<PatternSearch>;
  /** Called after each pattern search, which may have made indexes on its way. */
  readonly searchedPattern: (search: PatternSearch) => void;
}

/** Names of the rows of each store that was opened in this process. */
const rowsOf = new WeakMap<IndexView, string>();
let opened = 0;

/** Every leg here is exact, evaluates all filters, and sees what was committed. */
const capabilitiesOf = ({ view, isAfar }: Pick<SegmentLegParts, "view" | "isAfar">): LegCapabilities => ({
  exact: true,
  filters: "all",
  under: true,
  visibility: "commit",
  scoresGivenChunks: true,
  rows: rowsOf.get(view) ?? nameRows(view),
  ...(isAfar === true && { isAfar }),
});

function nameRows(view: IndexView): string {
  const name = `segments ${++opened}`;
  rowsOf.set(view, name);
  return name;
}

/** BM25 score that normalises to a half. **Source** Embabel's `s / (s + 3)`. */
const lexicalHalf = 3;

/**
 * Weight of the dense leg in `absolute` fusion.
 *
 * **Source** nDCG@10 of the lexical leg alone and with this weight, measured with a model of form only. XQuAD en .969 .970, de .928 .940,
 * zh .967 .965, ar .951 .953; CACM .475 .476; Vaswani .407 .403. At 0.5 CACM and Vaswani fell further.
 */
const denseWeight = 0.2;

/**
 * Likeness of form below this is chance. Hashed into 256 dimensions, texts without anything in common have cosines of standard deviation 1/16; this is four
 * of them. Misspelt words reach .4 and more. A search that names a threshold gets what it asks for.
 */
const chanceLikeness = 0.25;

/** **Source** a choice: a pattern says exactly what it wants, and weighs as much as half of the query's words. No collection to measure it on is known. */
const patternCalibration: Calibration = { weight: 1, scale: 1 };

/** A leg over segments, which can search inside a transaction that is open. */
export interface SegmentLeg extends Leg {
  /** As `search`, in one go. **Shape** `undefined` where something is not loaded yet that only `search` loads. */
  readonly searchInside: (rows: DirectoryReader, ...given: Parameters<Leg["search"]>) => LegResult | undefined;
}

/** The legs of a segment store: lexical, dense, latent where the store has a model of its own, and pattern. */
export function createSegmentLegs(parts: SegmentLegParts): readonly SegmentLeg[] {
  const { latent } = parts;
  return [
    noteRepeatable(createLexicalLeg(parts)),
    noteRepeatable(createDenseLeg(parts)),
    ...(latent === undefined ? [] : [noteRepeatable(createLatentLeg(parts, latent))]),
    createPatternLeg(parts),
  ];
}

/** The leg of words alone. */
export function createLexicalLeg(
  parts: Pick<SegmentLegParts, "view" | "look" | "analyzer" | "bm25" | "isAfar">,
): SegmentLeg {
  const { view, look, analyzer, bm25 } = parts;
  const name = "lexical";
  let lucene: Lucene | undefined;
  interface State extends ScoringState {
    readonly searched: readonly SearchedSegment[];
    readonly scoring: Bm25Scoring;
  }
  const toState = (searched: readonly SearchedSegment[], scoring: Bm25Scoring): State => ({
    searched,
    scoring,
    scores: {},
  });
  function begin(query: Query, k: MatchCount, within: Within) {
    function* prepare(rows: DirectoryReader, search: LegSearch): Generator<undefined, State> {
      const index = yield* view.words(rows, within.scopes, analyzer, bm25);
      const segments = yield* search.segments(within.scopes);
      if (query.syntax === "lucene") {
        const reader = createChunkReader(rows, view);
        const { planLucene, parseLucene } = lucene!;
        const plan = planLucene(parseLucene(query.text), analyzer, segments, (segment, ordinal) =>
          reader.chunk(rows.chunk(segment.key(ordinal))),
        );
        return toState(plan.searched, yield* prepareBm25(index, plan.words));
      }
      const { synonyms = [], question } = query;
      const said = findWords(analyzer, query.text, segments);
      const words =
        synonyms.length === 0
          ? said
          : [...said, ...findSynonyms(analyzer, question, heldLanguages(segments), synonyms, said)];
      const all = index.fields === undefined ? words : addWords(analyzer, question, words, segments, index.fields);
      return toState(segments, yield* prepareBm25(index, all));
    }
    return function* find(rows: DirectoryReader): Generator<undefined, LegResult> {
      const { naming } = within;
      if (naming !== undefined) return nameMatches(rows, view, { ...within, naming });
      const search = openSearch(rows, view, name, query, k, within);
      const state = search.prepared<State>() ?? search.keepPrepared(yield* prepare(rows, search));
      const { searched, scoring, scores } = state;
      const keeping: KeepingScores | undefined = within.keep === true ? scores : undefined;
      const minScore = Math.max(search.minScore, 0);
      const headings = view.headings(rows, analyzer);
      // A directory that looks in one go reads from afar, once for all.
      const atOnce = rows.unsliced === true ? Infinity : undefined;
      const among = onlyThose(searched, search.only);
      let isWhole = false;
      try {
        const hits = yield* searchPrepared(scoring, among, search.most, minScore, headings, atOnce, keeping);
        const terms = queryTerms(scoring);
        let squares = 0;
        // Words that are added do not make those of the query worth less.
        for (const { idf, synonymOf, added } of terms) {
          if (synonymOf === undefined && added === undefined) squares += idf * idf;
        }
        const matches = toMatches(search, hits, (hit) => {
          const { terms: found, name: named, document, heading, fields } = explainHit(scoring, hit);
          return { kind: "terms", terms: found, name: named, document, heading, fields };
        });
        isWhole = true;
        return {
          ...toResult(search, matches, { weight: 1, scale: Math.sqrt(squares), half: lexicalHalf }),
          terms,
          ...keptSums(search, keeping?.kept),
        };
      } finally {
        if (!isWhole) keeping?.kept?.close();
      }
    };
  }
  return {
    name,
    capabilities: capabilitiesOf(parts),
    accepts: () => true,
    async search(query, k, within) {
      if (query.syntax === "lucene") lucene ??= await loadLucene();
      return lookInSlices({ look, view }, within, begin(query, k, within));
    },
    searchInside(rows, query, k, within) {
      const isLoaded = query.syntax !== "lucene" || lucene !== undefined;
      return isLoaded ? finishSteps(begin(query, k, within)(rows)) : undefined;
    },
  };
}

type Lucene = Awaited<ReturnType<typeof loadLucene>>;

async function loadLucene() {
  const [{ planLucene }, { parseLucene }] = await Promise.all([
    import("../../engine/bm25/lucene-plan.ts"),
    import("../../text/parse-lucene.ts"),
  ]);
  return { planLucene, parseLucene };
}

/** A vector to search by, and where. */
interface SearchedVector {
  readonly searched: readonly SearchedSegment[];
  readonly stored: StoredVector;
  readonly metric: Metric;
  /** Bounds that the last search kept. */
  kept?: KeptRows | undefined;
  /** Chunks that it has scored since, by segment. */
  readonly scored: Map<Segment, Set<number>>;
}

interface NearestByMetric extends NearestHit {
  readonly metric: Metric;
}

function* nearest(search: LegSearch, vector: SearchedVector, keep: boolean): Generator<undefined, NearestByMetric[]> {
  const { only, most, minScore } = search;
  const { searched, stored, metric } = vector;
  // Postings of a sparse vector are walked whole, so that single chunks need flags.
  const asked = onlyThose(searched, only, stored.kind === "sparse");
  const keeping: Keeping | undefined = keep ? {} : undefined;
  const hits = yield* nearestInSteps(asked, stored, metric, most, minScore, keeping);
  if (only === undefined) {
    vector.kept = keeping?.kept;
    vector.scored.clear();
  }
  return hits.map((hit) => ({ ...hit, metric }));
}

/** Notes chunks of a result that is whole: one that lacked something is found again, with all of them. */
function noteScored({ kept, scored }: SearchedVector, hits: readonly NearestHit[]): void {
  if (kept === undefined) return;
  for (const { segment, ordinal } of hits) {
    const known = scored.get(segment);
    if (known === undefined) scored.set(segment, new Set([ordinal]));
    else known.add(ordinal);
  }
}

/** Scores the chunks that the last search kept and that may count in the sum of all legs. */
function* nearestTogether(
  leg: string,
  search: LegSearch,
  vector: SearchedVector,
  query: Query,
  within: Within & { readonly together: TogetherBound },
): Generator<undefined, Together> {
  const scores = keptScores(search.at, query, within);
  const reaching = vector.kept && findTogether(leg, vector.kept, within.together, scores, search.minScore);
  if (reaching === undefined) return noneTogether;
  const only = new Map<Segment, readonly number[]>();
  const others = new Map<Segment, ReadonlyMap<number, number>>();
  for (const { segment, ordinals, others: given } of reaching.found) {
    const more = ordinals.filter((ordinal) => vector.scored.get(segment)?.has(ordinal) !== true);
    if (more.length > 0) only.set(segment, more);
    others.set(segment, new Map(ordinals.map((ordinal, n) => [ordinal, given[n]!])));
  }
  let scored: readonly NearestByMetric[] = [];
  try {
    if (only.size > 0) scored = yield* nearest({ ...search, only, most: Infinity }, vector, false);
  } catch (error) {
    // Where their vectors are fetched from afar, their rows come along.
    for (const [segment, ordinals] of only) search.rows.expectChunks?.(ordinals.map((one) => segment.key(one)));
    throw error;
  }
  // The score itself leaves out most of those that its bound did not.
  const hits = scored.filter(({ segment, ordinal, score }) =>
    mayReach(reaching.least, within.together.part(leg, score), others.get(segment)!.get(ordinal)!),
  );
  return { scored, hits, kept: search.minScore };
}

/** Kept chunks that may count, among those that were scored for it. Others say nothing. */
interface Together {
  readonly scored: readonly NearestByMetric[];
  readonly hits: readonly NearestByMetric[];
  readonly kept: number | undefined;
}

function toVectorMatches(search: LegSearch, hits: readonly NearestByMetric[]): LegMatch[] {
  return toMatches(search, hits, ({ rawScore, metric }) => ({ kind: "vector", rawScore, metric }));
}

const noneTogether: Together = { scored: [], hits: [], kept: undefined };

type KeptBounds = Pick<LegResult, "kept" | "bounds" | "forget">;

/** Bounds are kept of all chunks. */
function keptBy(vector: SearchedVector | undefined, { minScore, at }: LegSearch): KeptBounds {
  const kept = vector?.kept;
  if (kept === undefined) return {};
  return { kept: minScore, bounds: boundsOf(at, (...given) => kept.bounds(...given)), forget: () => kept.close() };
}

/** Sums of words are kept for the bounds of other legs alone, which ask by the leg's name. */
function keptSums({ at }: LegSearch, kept: KeptScores | undefined): KeptBounds {
  if (kept === undefined) return {};
  return { bounds: boundsOf(at, (...given) => kept.bounds(...given)), forget: () => kept.close() };
}

/** The result of a search that may have kept bounds. */
function toFound(
  search: LegSearch,
  hits: readonly NearestByMetric[],
  calibration: Calibration,
  vector: SearchedVector | undefined,
): LegResult {
  const { forget, ...kept } = keptBy(vector, search);
  try {
    const result = toResult(search, toVectorMatches(search, hits), calibration);
    if (vector !== undefined) noteScored(vector, hits);
    return { ...result, ...kept, forget };
  } catch (error) {
    forget?.();
    throw error;
  }
}

function toTogether(
  search: LegSearch,
  { scored, hits, kept }: Together,
  calibration: Calibration,
  vector: SearchedVector | undefined,
): LegResult {
  // Without ids nothing has asked for their rows yet.
  if (search.unnamed) search.rows.expectChunks?.(hits.map(({ segment, ordinal }) => segment.key(ordinal)));
  const result = toResult(search, toVectorMatches(search, hits), calibration);
  if (vector !== undefined) noteScored(vector, scored);
  return { ...result, complete: false, kept };
}

function createDenseLeg(parts: SegmentLegParts): SegmentLeg {
  const { view, metric: defaultMetric } = parts;
  const name = "dense";
  function begin(query: Query, k: MatchCount, within: Within) {
    const isForm = query.embeddings.every(({ similarity }) => similarity === "form");
    const calibration: Calibration = {
      weight: denseWeight,
      scale: 1,
      aloneAbove: isForm && within.minScore === undefined ? chanceLikeness : undefined,
    };
    return function* find(rows: DirectoryReader): Generator<undefined, LegResult> {
      const { naming } = within;
      if (naming !== undefined) return nameMatches(rows, view, { ...within, naming });
      const search = openSearch(rows, view, name, query, k, within);
      let vectors = search.prepared<readonly SearchedVector[]>();
      if (vectors === undefined) {
        const made: SearchedVector[] = [];
        for (const { embedding, version, scopes, metric = defaultMetric } of query.embeddings) {
          const searched = yield* search.segments(scopes.filter((scope) => within.scopes.includes(scope)));
          const stored = toStoredVector(versionKey(version), embedding);
          made.push({ searched, stored, metric, scored: new Map() });
        }
        vectors = search.keepPrepared(made);
      }
      // With several vectors, none knows the most that a chunk scores by the others.
      const [only, ...others] = vectors;
      const single = others.length === 0 ? only : undefined;
      const { together } = within;
      if (together !== undefined) {
        const some = single && (yield* nearestTogether(name, search, single, query, { ...within, together }));
        return toTogether(search, some ?? noneTogether, calibration, single);
      }
      const found: NearestByMetric[][] = [];
      for (const vector of vectors) {
        found.push(yield* nearest(search, vector, within.keep === true && vector === single));
      }
      // Vectors of different versions are never compared; their cosines are.
      const hits =
        found.length === 1
          ? found[0]!
          : orderTies(
              found.flat().sort((a, b) => b.score - a.score),
              search.most,
            );
      return toFound(search, hits, calibration, single);
    };
  }
  return {
    name,
    capabilities: capabilitiesOf(parts),
    accepts: ({ embeddings }) => embeddings.length > 0,
    search: (query, k, within) => lookInSlices(parts, within, begin(query, k, within)),
    searchInside: (rows, query, k, within) => finishSteps(begin(query, k, within)(rows)),
  };
}

function createLatentLeg(parts: SegmentLegParts, latent: LatentLeg): SegmentLeg {
  const { view } = parts;
  const name = "latent";
  /** The stamp at which the terms of the space were read last. */
  let preparedAt = -1;
  function begin(query: Query, k: MatchCount, within: Within) {
    let hasWaited = within.moment === undefined;
    function* prepare(rows: DirectoryReader, search: LegSearch) {
      yield* view.readTerms(rows, within.scopes);
      const searched = yield* search.segments(within.scopes);
      const space = latent.space(rows);
      const counts = latent.queryCounts(space, findWords(latent.analyzer, query.text, searched));
      const { vector, energy, weight } = latent.model.project(counts, space, "query");
      const version = latent.versionOf(space);
      const stored = toStoredVector(versionKey(version), vector);
      return {
        vector: { searched, stored, metric: "cosine", scored: new Map() } as SearchedVector,
        isEmpty: counts.terms.length === 0,
        fitted: space !== latent.model.unfitted,
        energy,
        weight,
        version,
      };
    }
    type LatentState = ReturnType<typeof prepare> extends Generator<unknown, infer State> ? State : never;
    return function* find(rows: DirectoryReader): Generator<"turn" | undefined, LegResult> {
      const { naming } = within;
      if (naming !== undefined) return nameMatches(rows, view, { ...within, naming });
      const search = openSearch(rows, view, name, query, k, within);
      const state = search.prepared<LatentState>() ?? search.keepPrepared(yield* prepare(rows, search));
      const isFirst = preparedAt !== rows.stamp();
      preparedAt = rows.stamp();
      const { searched } = state.vector;
      if (isFirst && !hasWaited && searched.reduce((sum, { segment }) => sum + segment.size, 0) >= worthAThread) {
        // After a commit, others have a turn between the terms and the vectors.
        hasWaited = true;
        yield "turn" as const;
      }
      const { together, keep = false } = within;
      const some = together && (yield* nearestTogether(name, search, state.vector, query, { ...within, together }));
      const hits = state.isEmpty || some !== undefined ? [] : yield* nearest(search, state.vector, keep);
      const { fitted, energy, weight, version } = state;
      // A fitted space has two directions side by side, which halves the variance of what only the second says.
      const chance = fitted ? chanceLikeness * Math.SQRT1_2 : chanceLikeness;
      const aloneAbove = within.minScore === undefined ? chance : undefined;
      const calibration = { weight, scale: 1, aloneAbove };
      return {
        ...(some === undefined
          ? toFound(search, hits, calibration, state.vector)
          : toTogether(search, some, calibration, state.vector)),
        latent: { fitted, energy, version },
      };
    };
  }
  return {
    name,
    capabilities: capabilitiesOf(parts),
    accepts: ({ embeddings }) => embeddings.length === 0,
    search: (query, k, within) => lookInSlices(parts, within, begin(query, k, within)),
    searchInside: (rows, query, k, within) => finishSteps(begin(query, k, within)(rows)),
  };
}

/** Gives every match: a pattern reads each chunk that may match in any case. */
function createPatternLeg(parts: SegmentLegParts): SegmentLeg {
  const { view, look, thread, patterns, searchedPattern } = parts;
  const name = "pattern";
  let search: PatternSearch | undefined;
  /** The last search of a query that went through whole scopes. Texts that it looked at are not looked at again. */
  const runs = new WeakMap<Query, { readonly within: Within; readonly run: PatternRun }>();

  function begin(rows: DirectoryReader, at: SegmentMoment, loaded: PatternSearch, query: Query, within: Within) {
    const { pattern } = query;
    if (pattern === undefined) return undefined;
    const places = within.only && placesOf(rows, at, within.only);
    const only = places && new Set(places.flatMap((place) => place?.key ?? []));
    const run = loaded.begin(view, pattern, within, thread, only);
    if (only === undefined) runs.set(query, { within, run });
    return run;
  }

  function recall(query: Query, { scopes, restriction, only }: Within): PatternRun | undefined {
    const known = only === undefined ? runs.get(query) : undefined;
    const isSame = known?.within.restriction === restriction && known?.within.scopes.join() === scopes.join();
    return isSame ? known?.run : undefined;
  }

  function tell(opened: LegSearch, found: readonly LegMatch[]): LegResult {
    const matches = found.filter(({ score }) => score >= opened.minScore);
    return { ...toResult(opened, matches, patternCalibration), complete: true };
  }

  return {
    name,
    capabilities: capabilitiesOf(parts),
    accepts: ({ pattern }) => pattern !== undefined,
    async search(query, k, within) {
      const { pattern } = query;
      const { naming } = within;
      const loaded = (search = await patterns());
      if (naming !== undefined) return look((rows) => nameMatches(rows, view, { ...within, naming }));
      if (pattern !== undefined && within.only === undefined)
        await loaded.prepare(look, view, thread, pattern.source, within.scopes);
      let run: PatternRun | undefined;
      for (;;) {
        const result = await look((rows): LegResult | undefined => {
          const opened = openSearch(rows, view, name, query, k, within);
          run ??= begin(rows, opened.at, loaded, query, within);
          const found = run === undefined ? [] : run.advance(rows);
          return found && tell(opened, found);
        });
        if (result !== undefined) {
          searchedPattern(loaded);
          return result;
        }
        await run?.send();
        await nextTurn();
      }
    },
    searchInside(rows, query, k, within) {
      const { naming } = within;
      if (naming !== undefined) return nameMatches(rows, view, { ...within, naming });
      if (search === undefined) return undefined;
      const opened = openSearch(rows, view, name, query, k, within);
      const run = recall(query, within) ?? begin(rows, opened.at, search, query, within);
      return tell(opened, run?.finish(rows) ?? []);
    },
  };
}
