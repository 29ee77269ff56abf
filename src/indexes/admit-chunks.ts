import type { Origin } from "../contracts/document.ts";
import type { ChunkFacts, Segment } from "./segment.ts";

/** What a query restricts itself to, compiled. */
export interface Restriction {
  /** Same key, same answers: what segments remember verdicts by. */
  readonly key: string;
  admits(facts: ChunkFacts): boolean;
}

/** Verdicts that a segment remembers; enough for the filters of a few callers. */
const remembered = 16;

/**
 * Which chunks of a segment can be found under a restriction: one flag per ordinal.
 *
 * **Cost** one evaluation per distinct metadata, once per restriction until a chunk changes; none without a restriction.
 */
export function admitChunks(segment: Segment, restriction: Restriction | undefined): Uint8Array {
  if (restriction === undefined) return segment.live;
  const known = segment.admitted.get(restriction.key);
  if (known !== undefined) return known;
  const { live, size } = segment;
  const { index, values } = segment.facts();
  const verdicts = Uint8Array.from(values, (facts) => (restriction.admits(facts) ? 1 : 0));
  const admitted = new Uint8Array(size);
  for (let i = 0; i < size; i++) admitted[i] = live[i]! & verdicts[index[i]!]!;
  if (segment.admitted.size >= remembered) segment.admitted.clear();
  segment.admitted.set(restriction.key, admitted);
  return admitted;
}

/** Only the given ordinals of what `admitted` admits. */
export function narrow(admitted: Uint8Array, ordinals: Iterable<number>): Uint8Array {
  const narrowed = new Uint8Array(admitted.length);
  for (const ordinal of ordinals) narrowed[ordinal] = admitted[ordinal]!;
  return narrowed;
}

/** Joins a compiled filter and a list of origins; `undefined` when there is neither. */
export function createRestriction(
  filter: { readonly source: unknown; readonly matches: (metadata: ChunkFacts["metadata"]) => boolean } | undefined,
  origins: readonly Origin[] | undefined,
): Restriction | undefined {
  if (filter === undefined && origins === undefined) return undefined;
  return {
    key: JSON.stringify([filter?.source ?? null, origins ?? null]),
    admits: ({ metadata, origin }) => (origins?.includes(origin) ?? true) && (filter?.matches(metadata) ?? true),
  };
}
