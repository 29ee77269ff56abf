import type { Segment } from "../indexes/segment.ts";
import { findPlace, type ScopeView } from "./index-view.ts";
import type { DirectoryReader } from "./segment-directory.ts";

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
 * **Cost** 5 bytes for each number.
 */
export interface CandidatePlaces {
  /** The candidates' ordinals, by the segments that they are in now; those that are nowhere are left out. Within one transaction. */
  find(rows: DirectoryReader, held: ScopeView, candidates: Candidates): ReadonlyMap<Segment, number[]>;
  /** Of a number that is of nothing from now on. */
  forget(number: number): void;
}

/** Of a number that was not found yet. The others are one more than their segment's place in the list. */
const nowhere = 0;
const mostSegments = 255;

export function createCandidatePlaces(): CandidatePlaces {
  let ordinals = new Uint32Array(0);
  let homes = new Uint8Array(0);
  const segments: WeakRef<Segment>[] = [];

  function remember(number: number, segment: Segment, ordinal: number, open: (Segment | undefined)[]): void {
    if (number >= homes.length) {
      const size = Math.max(number + 1, 2 * homes.length);
      const [moreOrdinals, moreHomes] = [new Uint32Array(size), new Uint8Array(size)];
      moreOrdinals.set(ordinals);
      moreHomes.set(homes);
      [ordinals, homes] = [moreOrdinals, moreHomes];
    }
    let at = open.indexOf(segment);
    if (at < 0) {
      if (segments.length === mostSegments) {
        homes.fill(nowhere);
        segments.length = 0;
        open.length = 0;
      }
      at = segments.push(new WeakRef(segment)) - 1;
      open.push(segment);
    }
    homes[number] = at + 1;
    ordinals[number] = ordinal;
  }

  return {
    find(rows, held, { numbers, idOf }) {
      const found = new Map<Segment, number[]>();
      const open = segments.map((reference) => {
        const segment = reference.deref();
        return segment !== undefined && held.segments.includes(segment) ? segment : undefined;
      });
      const take = (segment: Segment, ordinal: number): void => {
        const some = found.get(segment);
        if (some === undefined) found.set(segment, [ordinal]);
        else some.push(ordinal);
      };
      for (let i = 0; i < numbers.length; i++) {
        const number = numbers[i]!;
        const home = number < homes.length ? homes[number]! : nowhere;
        const known = home === nowhere ? undefined : open[home - 1];
        if (known?.live[ordinals[number]!] === 1) {
          take(known, ordinals[number]!);
          continue;
        }
        const id = idOf(number);
        const row = id === undefined ? undefined : rows.chunkById(held.row.key, id);
        const place = row && findPlace(held, row.key);
        if (place === undefined) continue;
        const segment = place.segment ?? held.tail;
        take(segment, place.ordinal);
        remember(number, segment, place.ordinal, open);
      }
      return found;
    },
    forget(number) {
      if (number < homes.length) homes[number] = nowhere;
    },
  };
}
