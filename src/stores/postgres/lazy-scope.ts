import type { Scope } from "../../contracts/scope.ts";
import { decodeVectors, encodeVectors, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import { asUint32, bytesOf } from "../../engine/segments/bytes.ts";
import { packState, type SegmentRow } from "../../engine/segments/sealed-segment.ts";
import { unpackBits } from "../../engine/kernels/bitset.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { unpackColumn } from "../segments/held-columns.ts";
import {
  type ChunkRow,
  type DocumentRow,
  type HomeRow,
  isRenamed,
  type PendingRow,
} from "../segments/segment-directory.ts";
import { toChunk, toDocument } from "./apply-page.ts";
import type { PageRow } from "./read-page.ts";
import { keyOf } from "./replica-stamps.ts";
import type { Placed, Retired } from "./row-log.ts";
import { type SharedIndex, type SharedSegment, textMark } from "./shared-index.ts";

/** A document's row as far as every search needs it. */
export type LazyHome = HomeRow & Pick<DocumentRow, "id" | "bytes" | "deletedAt">;

/** A segment of a shared index, with what has changed of its chunks since. */
export interface LazySegment {
  readonly key: number;
  readonly name: string;
  readonly scope: LazyScope;
  readonly size: number;
  readonly columns: string;
  readonly keys: Float64Array;
  readonly lengths: Uint8Array;
  readonly live: Uint8Array;
  readonly present: Uint8Array;
  readonly documents: readonly number[];
  readonly starts: readonly number[];
  readonly headings: readonly number[];
  readonly texts: Uint32Array;
  readonly terms: Uint8Array;
  readonly languages: Uint8Array;
  /** Live chunks by term; holds until a chunk or the name of a file changes. */
  readonly frequencies: readonly number[];
  /** Changes with the segment. */
  stamp: number;
  isChanged: boolean;
}

/** A chunk that no segment of the shared index holds. */
interface Outside {
  readonly terms: Uint8Array;
  readonly vectors: Uint8Array;
  readonly placed: Placed | null;
  stamp: number;
}

/** A scope as a process without a copy holds it: its shared index, and the rows that changed since. */
export interface LazyScope {
  readonly key: number;
  readonly name: Scope;
  /** The stamp in the database, and the name of its commit. */
  stamp: number;
  commit: string | null;
  /** Counts changes, as `ScopeRow` has them. */
  seen: number;
  rewrites: number;
  /** The stamp of the shared index; 0 without one. */
  readonly shared: number;
  readonly segments: readonly LazySegment[];
  readonly headings: readonly string[];
  /** Place of each term in the frequencies of a segment. */
  readonly terms: ReadonlyMap<string, number>;
  readonly documents: Map<number, LazyHome>;
  /** Rows that changed since the shared index. */
  readonly changed: Map<number, ChunkRow>;
  readonly outside: Map<number, Outside>;
  retired: Retired;
}

/** Where a chunk's row is in a shared index. */
export interface LazyPlace {
  readonly segment: LazySegment;
  readonly ordinal: number;
}

let lastSegment = 0;

export function openLazyScope(
  { key, name, shared }: Pick<LazyScope, "key" | "name" | "shared">,
  index: SharedIndex | undefined,
): LazyScope {
  const documents = new Map<number, LazyHome>();
  const byPlace = (index?.documents ?? []).map(([number, id, uri, title, folder, bytes, deletedAt]) => {
    const home = { key: keyOf(key, number), id, uri, title, folder, bytes, deletedAt };
    documents.set(home.key, home);
    return home.key;
  });
  const segments: LazySegment[] = [];
  const scope: LazyScope = {
    key,
    name,
    stamp: shared,
    commit: null,
    seen: 0,
    rewrites: 0,
    shared,
    segments,
    headings: index?.headings ?? [],
    terms: new Map((index?.terms ?? []).map((term, i) => [term, i])),
    documents,
    changed: new Map(),
    outside: new Map(),
    retired: {},
  };
  for (const one of index?.segments ?? []) segments.push(openSegment(scope, one, byPlace));
  return scope;
}

function openSegment(scope: LazyScope, shared: SharedSegment, byPlace: readonly number[]): LazySegment {
  const { name, size, columns, state, terms, languages } = shared;
  const lengths = [...unpackColumn(shared.textLengths), ...unpackColumn(shared.nameLengths)];
  return {
    key: ++lastSegment,
    name,
    scope,
    size,
    columns,
    keys: Float64Array.from(unpackColumn(shared.keys), (number) => keyOf(scope.key, number)),
    lengths: bytesOf(Uint32Array.from(lengths)),
    live: unpackBits(state, size),
    present: unpackBits(state.subarray((size + 7) >> 3), size),
    documents: unpackColumn(shared.documents).map((place) => byPlace[place - 1] ?? 0),
    starts: unpackColumn(shared.starts),
    headings: unpackColumn(shared.headings),
    texts: asUint32(shared.texts),
    terms,
    languages,
    frequencies: unpackColumn(shared.frequencies),
    stamp: 1,
    isChanged: false,
  };
}

/** As `SegmentDirectory` gives it. */
export function toSegmentRow({
  key,
  scope,
  size,
  stamp,
  keys,
  lengths,
  live,
  present,
  columns,
}: LazySegment): SegmentRow {
  const state = packState(live, present, size);
  return { key, scope: scope.key, size, stamp, keys: bytesOf(keys), lengths, state, columns };
}

/** Finds the place of a chunk in a scope's shared index, by its row. */
export function createPlaceFinder(): (scope: LazyScope, key: number) => LazyPlace | undefined {
  const known = new WeakMap<LazyScope, ReadonlyMap<number, LazyPlace>>();
  return (scope, key) => {
    let places = known.get(scope);
    if (places === undefined) {
      const made = new Map<number, LazyPlace>();
      for (const segment of scope.segments) segment.keys.forEach((row, ordinal) => made.set(row, { segment, ordinal }));
      known.set(scope, (places = made));
    }
    return places.get(key);
  };
}

/** Changes of a page beside the scope itself. */
export interface LazyChange {
  /** Rows whose cached content no longer holds. */
  readonly chunks: readonly number[];
  readonly documents: ReadonlyMap<number, DocumentRow | undefined>;
  readonly texts: ReadonlyMap<number, string>;
  readonly renamed: boolean;
}

/** Takes over rows that changed. `stamp` is a number that no change had before. */
export function changeLazyScope(
  scope: LazyScope,
  rows: readonly PageRow[],
  stamp: number,
  find: (scope: LazyScope, key: number) => LazyPlace | undefined,
): LazyChange {
  const chunks: number[] = [];
  const documents = new Map<number, DocumentRow | undefined>();
  const texts = new Map<number, string>();
  let renamed = false;
  for (const row of rows) {
    if (row.kind !== "d") continue;
    const before = scope.documents.get(row.key);
    if (row.gone) {
      scope.documents.delete(row.key);
      documents.set(row.key, undefined);
      continue;
    }
    const document = toDocument(row);
    renamed ||= before !== undefined && isRenamed(before, document);
    const { key, id, uri, title, folder, bytes, deletedAt } = document;
    scope.documents.set(key, { key, id, uri, title, folder, bytes, deletedAt });
    documents.set(key, document);
    if (row.x !== null) texts.set(key, Buffer.from(row.x).toString());
  }
  // Files have other names, which counts of terms are made of.
  if (renamed) for (const segment of scope.segments) segment.isChanged = true;
  let last = 0;
  for (const key of scope.outside.keys()) last = Math.max(last, key);
  const highest = last;
  for (const row of rows) {
    if (row.kind !== "c") continue;
    const { key } = row;
    chunks.push(key);
    const place = find(scope, key);
    const known = scope.outside.get(key);
    if (row.gone) {
      scope.changed.delete(key);
      if (scope.outside.delete(key)) scope.rewrites++;
      if (place !== undefined) mark(place, false, false, stamp);
      continue;
    }
    const chunk = toChunk(row);
    scope.changed.set(key, chunk);
    if (place !== undefined) mark(place, chunk.deletedAt === null, true, stamp);
    else if (known !== undefined) {
      known.stamp = stamp;
      scope.rewrites++;
    } else {
      const placed = row.c === null || row.c === "null" ? null : (parseStored(row.c) as Placed);
      scope.outside.set(key, { terms: own(row.x), vectors: own(row.y), placed, stamp });
      // The index looks for rows past the last one that it has: those that come before it are announced.
      if (key < highest) scope.rewrites++;
    }
  }
  scope.seen = stamp;
  return { chunks, documents, texts, renamed };
}

function mark({ segment, ordinal }: LazyPlace, live: boolean, present: boolean, stamp: number): void {
  if ((segment.live[ordinal] === 1) !== live) segment.isChanged = true;
  segment.live[ordinal] = live ? 1 : 0;
  segment.present[ordinal] = present ? 1 : 0;
  segment.stamp = stamp;
}

/** A driver's bytes may be a part of a larger array that it uses again. */
function own(bytes: Uint8Array | null): Uint8Array {
  return new Uint8Array(bytes ?? []);
}

/** The waiting row of a chunk. Its vectors are made when they are first read: a search by words needs none. */
export function toPending(
  scope: LazyScope,
  key: number,
  { terms, vectors, placed, stamp }: Outside,
  place: (terms: Uint8Array, placed: Placed | null) => readonly StoredVector[],
): PendingRow {
  const { id, deletedAt } = scope.changed.get(key)!;
  let made: Uint8Array | undefined;
  return {
    key,
    id,
    stamp,
    live: deletedAt === null,
    terms,
    get vectors() {
      if (made !== undefined) return made;
      const isKept = (version: string): boolean => !(keyOf(scope.key, scope.retired[version] ?? 0) > key);
      const given = decodeVectors(vectors).filter(({ version }) => isKept(version));
      return (made = encodeVectors([...given, ...place(terms, placed)]));
    },
  };
}

/** Finds the chunks of a scope that may have a text, by the mark of its key. */
export function createCopyFinder(): (scope: LazyScope, mark: number) => readonly number[] {
  const known = new WeakMap<LazyScope, ReadonlyMap<number, readonly number[]>>();
  return (scope, mark) => {
    let shared = known.get(scope);
    if (shared === undefined) {
      const all = new Map<number, number[]>();
      for (const segment of scope.segments)
        segment.texts.forEach((text, i) => {
          const keys = all.get(text);
          if (keys === undefined) all.set(text, [segment.keys[i]!]);
          else keys.push(segment.keys[i]!);
        });
      known.set(scope, (shared = all));
    }
    const outside = [...scope.outside.keys()].filter((key) => textMark(scope.changed.get(key)!.textKey) === mark);
    return [...(shared.get(mark) ?? []), ...outside];
  };
}
