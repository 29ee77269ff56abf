import type { Segment } from "../../engine/segments/segment.ts";
import { findPlace, type ScopeView } from "../segments/index-view.ts";
import type { DirectoryReader } from "../segments/segment-directory.ts";

/** Candidates for the best of one scope, by numbers of whoever found them: small whole ones, each of one chunk for ever. */
export interface Candidates {
  readonly numbers: ArrayLike<number>;
  /** What the store calls a chunk; `undefined` for a number that is of nothing any more. */
  readonly idOf: (number: number) => string | undefined;
  readonly places: CandidatePlaces;
}

/**
 * Where candidates were found in the index the last time, so that the next search of them need not look for their ids: of a hundred thousand
 * chunks, each such look is at half a dozen places that no cache holds.
 *
 * **Shape** a place is of one chunk as long as its segment is there: ordinals are not given twice. What has moved or is not alive where it was
 * is looked for by its id. Segments are not kept from being dropped.
 * **Cost** 8 bytes for each number.
 */
export interface CandidatePlaces {
  /** The candidates' ordinals, by the segments that they are in now; those that are nowhere are left out. Within one transaction. */
  find(rows: DirectoryReader, held: ScopeView, candidates: Candidates): ReadonlyMap<Segment, number[]>;
  /** Of a number that is of nothing from now on. */
  forget(number: number): void;
}

/** In the place of the segment, of a number that was not found yet; the others have one more than their segment's place in the list. */
const nowhere = 0;
const mostSegments = 255;

export function createCandidatePlaces(): CandidatePlaces {
  /** Segment and ordinal of each number, side by side: they are looked at together, and in no cache. */
  let known = new Uint32Array(0);
  const segments: WeakRef<Segment>[] = [];

  function remember(number: number, segment: Segment, ordinal: number, open: (Segment | undefined)[]): void {
    if (2 * number >= known.length) {
      const grown = new Uint32Array(2 * Math.max(number + 1, known.length));
      grown.set(known);
      known = grown;
    }
    let at = open.indexOf(segment);
    if (at < 0) {
      if (segments.length === mostSegments) {
        known.fill(nowhere);
        segments.length = 0;
        open.length = 0;
      }
      at = segments.push(new WeakRef(segment)) - 1;
      open.push(segment);
    }
    known[2 * number] = at + 1;
    known[2 * number + 1] = ordinal;
  }

  return {
    find(rows, held, { numbers, idOf }) {
      const ordinals = new Map<Segment, number[]>();
      const open = segments.map((reference) => {
        const segment = reference.deref();
        return segment !== undefined && held.segments.includes(segment) ? segment : undefined;
      });
      const take = (segment: Segment, ordinal: number): void => {
        const some = ordinals.get(segment);
        if (some === undefined) ordinals.set(segment, [ordinal]);
        else some.push(ordinal);
      };
      for (let i = 0; i < numbers.length; i++) {
        const number = numbers[i]!;
        const home = known[2 * number] ?? nowhere;
        const segment = home === nowhere ? undefined : open[home - 1];
        const ordinal = known[2 * number + 1]!;
        if (segment?.live[ordinal] === 1) {
          take(segment, ordinal);
          continue;
        }
        const id = idOf(number);
        const row = id === undefined ? undefined : rows.chunkById(held.row.key, id);
        const place = row && findPlace(held, row.key);
        if (place === undefined) continue;
        const found = place.segment ?? held.tail;
        take(found, place.ordinal);
        remember(number, found, place.ordinal, open);
      }
      return ordinals;
    },
    forget(number) {
      if (2 * number < known.length) known[2 * number] = nowhere;
    },
  };
}
