import type { Restriction } from "../../contracts/leg.ts";
import { judge } from "./columnar-filter.ts";
import type { MetadataColumn, Segment } from "./segment.ts";

/** Verdicts that a segment remembers; enough for the filters of a few callers. */
const remembered = 16;

/**
 * Admits chunks of a segment under a restriction: one flag per ordinal. In steps of some milliseconds, none where the verdict is remembered.
 *
 * **Cost** as `judge`, and a look per chunk, once per restriction until a chunk changes; none without a filter and origins.
 */
export function* admitChunks(segment: Segment, restriction: Restriction | undefined): Generator<undefined, Uint8Array> {
  if (restriction === undefined || (restriction.filter === undefined && restriction.origins === undefined)) {
    return segment.live;
  }
  const known = segment.admitted.get(restriction.key);
  if (known !== undefined) return known;
  while (segment.readFacts()) yield;
  const { live, size } = segment;
  const facts = segment.facts();
  const { index } = facts;
  const verdicts = judgeFacts(restriction, facts);
  const admitted = new Uint8Array(size);
  for (let i = 0; i < size; i++) admitted[i] = live[i]! & verdicts[index[i]!]!;
  if (segment.admitted.size >= remembered) segment.admitted.clear();
  segment.admitted.set(restriction.key, admitted);
  yield;
  return admitted;
}

/** Only chunks of the given documents, by the keys of their rows, of what `admitted` admits. **Cost** a look per chunk. */
export function* narrowToDocuments(
  segment: Segment & { readDocuments?(): boolean },
  admitted: Uint8Array,
  documents: ReadonlySet<number>,
): Generator<undefined, Uint8Array> {
  while (segment.readDocuments?.() === true) yield;
  const rows = segment.documents();
  const narrowed = new Uint8Array(segment.size);
  for (let i = 0; i < segment.size; i++) narrowed[i] = documents.has(rows[i]!) ? admitted[i]! : 0;
  return narrowed;
}

/** Only the given ordinals of what `admitted` admits. */
export function narrow(admitted: Uint8Array, ordinals: Iterable<number>): Uint8Array {
  const narrowed = new Uint8Array(admitted.length);
  for (const ordinal of ordinals) narrowed[ordinal] = admitted[ordinal]!;
  return narrowed;
}

/** The verdict on each distinct saying of a segment: one flag each. */
function judgeFacts({ filter, origins }: Restriction, facts: MetadataColumn): Uint8Array {
  const flags = filter === undefined ? new Uint8Array(facts.values.length).fill(1) : judge(filter, facts);
  if (origins === undefined) return flags;
  facts.values.forEach(({ origin }, i) => {
    if (!origins.includes(origin)) flags[i] = 0;
  });
  return flags;
}
