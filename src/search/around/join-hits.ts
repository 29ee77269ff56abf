import type { Hit, RetrieverStep } from "../../contracts/retriever.ts";
import { addStep, joinEvidence, rankHits } from "./rank-hits.ts";

/** Several hits of one document as one: the best of them, with what the others bring. The caller sets the place of the joined hit. */
export interface JoinedHits {
  /** Best first. */
  readonly members: readonly Hit[];
  readonly hit: Hit;
}

/**
 * **Shape** score, chunk id, metadata and explanation of the best; the matches of all, in order. It is evidence when one of them is.
 */
export function joinHits(hits: readonly Hit[]): JoinedHits {
  const members = [...rankHits(hits)];
  const best = members[0]!;
  const matches = new Map<string, { readonly start: number; readonly end: number }>();
  for (const hit of hits) for (const match of hit.matches ?? []) matches.set(`${match.start} ${match.end}`, match);
  const ordered = [...matches.values()].sort((a, b) => a.start - b.start || a.end - b.end);
  return { members, hit: { ...best, ...(ordered.length > 0 && { matches: ordered }) } };
}

/** Adds the step of `retriever` to the explanation of a joined hit. */
export function explainJoin(hit: Hit, { members }: JoinedHits, retriever: string): Hit {
  const { start, end } = members[0]!.source;
  const isMoved = hit.source.start !== start || hit.source.end !== end;
  const others = members.slice(1).map(({ chunkId }) => chunkId);
  const step: RetrieverStep = {
    retriever,
    ...(others.length > 0 && { chunkIds: others }),
    ...(isMoved && { from: { start, end } }),
  };
  return addStep({ ...hit, evidence: joinEvidence(members) }, step);
}
