import type { StoredPlace } from "../../engine/segments/segment.ts";
import { type BuiltSegment, sealSegment } from "../../engine/segments/build-segment.ts";
import { createTermNumbers, type TermNumbers } from "../../engine/segments/term-numbers.ts";
import { decodeVectors } from "../../engine/vectors/stored-vector.ts";

/** A chunk that a copy has received, on its way into a segment. */
export interface Arrived {
  readonly key: number;
  readonly id: string;
  readonly place: StoredPlace;
  /** As `encodeTerms` writes them. */
  readonly terms: Uint8Array;
  /** As `encodeVectors` writes them. */
  readonly vectors: Uint8Array;
}

/** Chunks of one segment as a thread receives them: one array holds the bytes of all. */
export interface ArrivedBytes {
  readonly keys: readonly number[];
  readonly ids: readonly string[];
  readonly uris: readonly string[];
  readonly starts: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where terms begin and end, and where vectors begin and end, of one chunk after the other. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/** Numbers of a vector are read in place where they begin at a multiple of this. */
const alignment = 4;

const toAligned = (length: number): number => Math.ceil(length / alignment) * alignment;

export function packArrived(chunks: readonly Arrived[]): ArrivedBytes {
  const ends = new Uint32Array(4 * chunks.length);
  let length = 0;
  chunks.forEach(({ terms, vectors }, i) => {
    for (const [place, part] of [terms, vectors].entries()) {
      ends[4 * i + 2 * place] = length;
      ends[4 * i + 2 * place + 1] = length + part.length;
      length = toAligned(length + part.length);
    }
  });
  const bytes = new Uint8Array(length);
  chunks.forEach(({ terms, vectors }, i) => {
    bytes.set(terms, ends[4 * i]);
    bytes.set(vectors, ends[4 * i + 2]);
  });
  return {
    keys: chunks.map(({ key }) => key),
    ids: chunks.map(({ id }) => id),
    uris: chunks.map(({ place }) => place.uri),
    starts: chunks.map(({ place }) => place.start),
    bytes,
    ends,
  };
}

export function unpackArrived({ keys, ids, uris, starts, bytes, ends }: ArrivedBytes): readonly Arrived[] {
  return keys.map((key, i) => ({
    key,
    id: ids[i]!,
    place: { uri: uris[i]!, start: starts[i]! },
    terms: bytes.subarray(ends[4 * i], ends[4 * i + 1]),
    vectors: bytes.subarray(ends[4 * i + 2], ends[4 * i + 3]),
  }));
}

/** Terms that a sealer remembers from one segment to the next, at most. */
const mostTerms = 65_536;

/** Makes segments of chunks that a copy has received. **Cost** a term is looked up by its bytes, and gets a text once for many segments. */
export function createArrivalSealer(): (chunks: readonly Arrived[], known?: TermNumbers) => BuiltSegment {
  let own = createTermNumbers();
  return (chunks, known) => {
    if (own.count() > mostTerms) own = createTermNumbers();
    const sealing = chunks.map(({ key, id, terms, vectors }) => ({
      key,
      id,
      live: true,
      terms: () => terms,
      vectors: () => decodeVectors(vectors),
    }));
    return sealSegment(sealing, { chunkPlaces: () => chunks.map(({ place }) => place) }, known ?? own);
  };
}
