import type { Analyzer } from "../contracts/analyzer.ts";
import type { Hit, HitExplanation, LatentExplanation, LegScore } from "../contracts/retriever.ts";
import { cutSnippet, withoutFrontMatter } from "../text/snippet.ts";
import { type Candidate, languageOf, rangesFound, termsFound, type QueryTerms } from "./candidate.ts";
import type { SearchPlan } from "./search-plan.ts";
import { plainEmbedding } from "../engine/vectors/plain-embedding.ts";
import { chunkStructure } from "../text/chunk-structure.ts";
import { placeLabels } from "../text/place-labels.ts";
import type { EvidenceScale } from "./weigh-evidence.ts";

export interface HitContext extends ExplainContext {
  readonly plan: SearchPlan;
  /** The query without its function words. */
  readonly subject: string;
  readonly analyzer: Analyzer;
}

/** Candidates as hits, each with a snippet; texts stay whole. */
export function createHits(candidates: readonly Candidate[], context: HitContext): readonly Hit[] {
  const { analyzer, subject } = context;
  const byLanguage = new Map<string, ReadonlySet<string>>();
  // Each hit is marked by the query's words as its own language has them.
  const wordsFor = (candidate: Candidate, language: string): ReadonlySet<string> => {
    const ranges = rangesFound(candidate);
    // A chunk that only a pattern found has no word of the query to show.
    if (ranges !== undefined && termsFound(candidate) === undefined) {
      return matchedTerms(candidate, ranges[0], analyzer, language);
    }
    let words = byLanguage.get(language);
    if (words === undefined) {
      words = new Set(analyzer.analyze(subject, language));
      byLanguage.set(language, words);
    }
    return words;
  };
  return candidates.map((candidate, index) => {
    const language = languageOf(candidate, analyzer);
    return createHit(candidate, index + 1, language, wordsFor(candidate, language), context);
  });
}

function createHit(
  candidate: Candidate,
  rank: number,
  language: string,
  terms: ReadonlySet<string>,
  context: HitContext,
): Hit {
  const { chunk, scope, score, embedding, rootLabel, path } = candidate;
  const { plan, analyzer } = context;
  const ranges = rangesFound(candidate);
  return {
    rank,
    score,
    chunkId: chunk.id,
    documentId: chunk.documentId,
    scope,
    text: chunk.urtext,
    snippet:
      plan.snippetLength === 0
        ? ""
        : cutSnippet(
            chunk.start === 0 && ranges === undefined ? withoutFrontMatter(chunk.urtext) : chunk.urtext,
            terms,
            analyzer,
            plan.snippetLength,
            language,
          ),
    source: {
      uri: chunk.uri,
      ...(rootLabel !== undefined && path !== undefined && { rootLabel, path }),
      title: chunk.title,
      headings: [...chunk.headings],
      start: chunk.start,
      end: chunk.end,
      ...placeLabels(chunk),
      ...(language !== "" && { language }),
    },
    structure: chunkStructure(chunk, candidate.total),
    metadata: chunk.metadata,
    origin: chunk.origin,
    evidence: context.evidence.isEvidence(candidate),
    ...(ranges && { matches: ranges }),
    ...(candidate.copies && { copies: candidate.copies }),
    ...(plan.explain && { explain: explainHit(candidate, context) }),
    ...(plan.includeEmbeddings && embedding && { embedding: plainEmbedding(embedding) }),
  };
}

/** The terms of what a pattern matched first: its snippet shows them. */
function matchedTerms(
  { chunk }: Candidate,
  first: { readonly start: number; readonly end: number } | undefined,
  analyzer: Analyzer,
  language: string,
): ReadonlySet<string> {
  const found = first ? chunk.urtext.slice(first.start - chunk.start, first.end - chunk.start) : "";
  return new Set(analyzer.analyze(found, language));
}

/** The part of an explanation that all hits of one search share. */
interface ExplainContext {
  /** The fusion, or the one leg that searched. */
  readonly fusion: string;
  /** `undefined` when no leg counts words. */
  readonly terms: QueryTerms | undefined;
  /** `undefined` when the store's own model did not search. */
  readonly latent: LatentExplanation | undefined;
  readonly reranker: string | undefined;
  readonly evidence: EvidenceScale;
}

/** Why a candidate has its score, in numbers that add up. */
function explainHit(candidate: Candidate, context: ExplainContext): HitExplanation {
  const { before, legs, parts } = candidate;
  const { terms } = context;
  const said = termsFound(candidate);
  const inOrder = parts.flatMap(({ name }) => {
    const found = legs.get(name);
    return found === undefined ? [] : [[name, legScore(found)] as const];
  });
  return {
    fusion: context.fusion,
    legs: Object.fromEntries(inOrder),
    parts: parts.map((part) => ({ ...part })),
    terms: (said?.terms ?? []).map((term) => ({ ...term })),
    ...(said && { lexical: said.terms.reduce((sum, { score }) => sum + score, 0) }),
    ...(said?.name && { name: { ...said.name } }),
    ...(said?.document !== undefined && { document: said.document }),
    ...(said?.heading && { heading: { ...said.heading } }),
    ...(said?.fields && { fields: { ...said.fields } }),
    ...(terms && { queryTerms: terms.map((term) => ({ ...term })), strength: context.evidence.strength(candidate) }),
    ...(context.latent && { latent: { ...context.latent } }),
    ...(before &&
      context.reranker !== undefined && { rerank: { reranker: context.reranker, before: legScore(before) } }),
  };
}

function legScore({ score, rank }: LegScore): LegScore {
  return { score, rank };
}
