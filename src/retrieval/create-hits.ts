import type { Analyzer } from "../contracts/analyzer.ts";
import type { Hit } from "../contracts/retriever.ts";
import { cutSnippet } from "../text/snippet.ts";
import type { Candidate } from "./candidate.ts";
import { type ExplainContext, explainHit } from "./explain-hit.ts";
import type { SearchPlan } from "./search-plan.ts";

export interface HitContext extends ExplainContext {
  readonly plan: SearchPlan;
  /** The query without its function words. */
  readonly subject: string;
  readonly analyzer: Analyzer;
}

/** Stage 8: candidates as hits, each with a snippet; texts stay whole (law 1). */
export function createHits(candidates: readonly Candidate[], context: HitContext): readonly Hit[] {
  const queryTerms = context.plan.mode === "regex" ? undefined : new Set(context.analyzer.analyze(context.subject));
  return candidates.map((candidate, index) => createHit(candidate, index + 1, queryTerms, context));
}

function createHit(
  candidate: Candidate,
  rank: number,
  queryTerms: ReadonlySet<string> | undefined,
  context: HitContext,
): Hit {
  const { chunk, scope, score, regex, embedding } = candidate;
  const { plan, analyzer } = context;
  const terms = queryTerms ?? matchedTerms(candidate, analyzer);
  return {
    rank,
    score,
    chunkId: chunk.id,
    documentId: chunk.documentId,
    scope,
    text: chunk.urtext,
    snippet: cutSnippet(chunk.urtext, terms, analyzer, plan.snippetLength),
    source: {
      uri: chunk.uri,
      title: chunk.title,
      headings: [...chunk.headings],
      start: chunk.start,
      end: chunk.end,
      ...(chunk.page !== undefined && { page: chunk.page }),
      ...(chunk.line !== undefined && { line: chunk.line }),
    },
    metadata: chunk.metadata,
    origin: chunk.origin,
    ...(regex && { matches: regex.matches }),
    ...(plan.explain && { explain: explainHit(candidate, context) }),
    ...(plan.includeEmbeddings && embedding && { embedding }),
  };
}

/** What a pattern found is what its snippet shows. */
function matchedTerms({ chunk, regex }: Candidate, analyzer: Analyzer): ReadonlySet<string> {
  const first = regex?.matches[0];
  return new Set(first ? analyzer.analyze(chunk.urtext.slice(first.start - chunk.start, first.end - chunk.start)) : []);
}
