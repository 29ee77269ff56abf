import type { Chunk } from "../../contracts/chunk.ts";
import { type EmbeddingVersion, versionKey } from "../../contracts/embedding.ts";
import type { AddedVector, VersionChange } from "../../contracts/reembedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { ChunkTerms } from "../../engine/segments/chunk-terms.ts";
import { decodeVectors, encodeVectors, toStoredVector } from "../../engine/vectors/stored-vector.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { rowOf, vectorsAt } from "../../engine/vectors/vector-column.ts";
import { createChunkReader } from "./chunk-rows.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import { dropColumns } from "./drop-columns.ts";
import { findPlace, type IndexView, type ScopeView } from "./index-view.ts";
import type { Look } from "./list-rows.ts";
import { isOwnVersion } from "./own-version.ts";
import { createUncachedReader } from "./replace-document.ts";
import { countRevision, type ScopeChange } from "./scope-change.ts";
import { countByVersion, currentOf, knowsVersion, noteSetting, readNote, type VersionNote } from "./read-versions.ts";
import type { ChunkRow, DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

/** Rows that one transaction reads before the caller has a turn. */
const pageSize = 256;

/** For {@link VersionSwitch.lacking}. */
export async function* listLacking(
  look: Look,
  view: IndexView,
  scope: Scope,
  version: EmbeddingVersion,
): AsyncGenerator<Chunk> {
  const key = versionKey(version);
  for (let last: string | undefined = ""; last !== undefined;) {
    const after: string = last;
    const page = await look((rows) => {
      const held = view.scope(rows, scope);
      if (held === undefined) return { chunks: [], next: undefined };
      const reader = createChunkReader(rows, view);
      const found = rows.chunksAfter(held.row.key, after, pageSize);
      const chunks = found.filter((row) => !hasVersion(held, row, key)).map((row) => reader.chunk(row));
      return { chunks, next: found.length === pageSize ? found[pageSize - 1]!.id : undefined };
    });
    yield* page.chunks;
    last = page.next;
  }
}

function hasVersion(held: ScopeView, row: ChunkRow, version: string): boolean {
  const place = findPlace(held, row.key);
  if (place === undefined) return false;
  const segment: Segment = place.segment ?? held.tail;
  for (const column of segment.columns()) {
    if (column.version === version && rowOf(column, place.ordinal) >= 0) return true;
  }
  return false;
}

function countLacking(held: ScopeView, version: string): number {
  let lacking = 0;
  for (const segment of held.segments) {
    const has = new Uint8Array(segment.size);
    for (const column of segment.columns()) {
      if (column.version !== version) continue;
      for (const ordinal of column.ordinals) has[ordinal] = 1;
    }
    for (let i = 0; i < segment.size; i++) if (segment.live[i] === 1 && has[i] === 0) lacking++;
  }
  return lacking;
}

/** A chunk that will get a vector. `row` is its row key when `terms` were made; a chunk with another text has another row. */
export interface WaitingChunk {
  readonly row: number;
  readonly vector: AddedVector;
  readonly terms: ChunkTerms;
}

/** The vectors whose chunk still has the same text and lacks the version, with its terms. Called before the write, so that no write waits for the analysis. */
export function prepareVectors(
  rows: DirectoryReader,
  held: ScopeView | undefined,
  version: string,
  vectors: readonly AddedVector[],
  analyze: (chunk: Chunk) => ChunkTerms,
): WaitingChunk[] {
  if (held === undefined) return [];
  const reader = createUncachedReader(rows);
  return [...new Map(vectors.map((vector) => [vector.chunkId, vector])).values()].flatMap((vector) => {
    const row = rows.chunkById(held.row.key, vector.chunkId);
    if (row === undefined || row.deletedAt !== null || hasVersion(held, row, version)) return [];
    const chunk = reader.chunk(row);
    return chunk.text === vector.text ? [{ row: row.key, vector, terms: analyze(chunk) }] : [];
  });
}

/**
 * Gives chunks their vectors of another version. A chunk is written the one way in which chunks are written: its row goes and comes again, beside it what it had.
 *
 * **Shape** how many.
 */
export function addVectors(
  change: ScopeChange,
  version: EmbeddingVersion,
  waiting: readonly WaitingChunk[],
  now: number,
): number {
  const { rows, before } = change;
  if (before === undefined || waiting.length === 0) return 0;
  const key = versionKey(version);
  let added = 0;
  for (const { row: rowKey, vector, terms } of waiting) {
    const row = rows.chunkById(before.row.key, vector.chunkId);
    if (row === undefined || row.key !== rowKey || row.deletedAt !== null) continue;
    const place = findPlace(before, row.key);
    if (place === undefined || hasVersion(before, row, key)) continue;
    const kept = vectorsAt(place.segment ?? before.tail, place.ordinal, (version) => !isOwnVersion(version));
    const { key: _, scope: __, ...content } = row;
    change.remove(row);
    change.add(content, { terms: () => terms, vectors: [...kept, toStoredVector(key, vector.embedding)] });
    added++;
  }
  if (added > 0) noteNext(rows, before, key, now);
  return added;
}

/** Notes the current version before more chunks have the new one. */
function noteNext(rows: DirectoryWriter, held: ScopeView, next: string, now: number): void {
  const note = readNote(rows, held.row.key);
  const current = currentOf(held, note);
  if (note.current === current && (note.next === next || current === next)) return;
  const givenUp = note.next === undefined || note.next === next || note.next === current ? undefined : note.next;
  const old = [
    ...note.old.filter(({ version }) => version !== next),
    ...(givenUp === undefined ? [] : [{ version: givenUp, since: now, wasCurrent: false }]),
  ];
  writeNote(rows, held.row.key, { current, next: current === next ? undefined : next, old });
}

function writeNote(
  rows: DirectoryWriter,
  scope: number,
  { current, next, old }: { current: string | undefined; next: string | undefined; old: VersionNote["old"] },
): void {
  rows.setSetting(noteSetting(scope), JSON.stringify({ current, next, old }));
}

/** For {@link VersionSwitch.changeVersion}, in one transaction. */
export function changeVersion(
  rows: DirectoryWriter,
  view: IndexView,
  scope: Scope,
  version: EmbeddingVersion,
  { partial, now }: { readonly partial: boolean; readonly now: number },
): VersionChange {
  const held = view.scope(rows, scope);
  if (held === undefined) return { changed: false, lacking: 0 };
  const to = versionKey(version);
  const lacking = countLacking(held, to);
  const note = readNote(rows, held.row.key);
  const current = currentOf(held, note);
  if (lacking > 0 && !partial) return { changed: false, lacking };
  if (current === to && note.next === undefined) return { changed: false, lacking };
  const kept = note.old.filter(({ version: other }) => other !== to && other !== current);
  const left = (other: string | undefined, wasCurrent: boolean): VersionNote["old"] =>
    other === undefined || other === to ? [] : [{ version: other, since: now, wasCurrent }];
  const old = [...kept, ...(note.next === current ? [] : left(note.next, false)), ...left(current, true)];
  writeNote(rows, held.row.key, { current: to, next: undefined, old });
  return { changed: current !== to, lacking };
}

/** Notes versions that came by no change of model as left, so that they go in their time as others do. */
function adoptVersions(rows: DirectoryWriter, held: ScopeView, now: number): VersionNote {
  const note = readNote(rows, held.row.key);
  const isKnown = knowsVersion(rows, held);
  const found = [...countByVersion(held).keys()].filter((version) => !isKnown(version));
  if (found.length === 0) return note;
  const adopted = found.toSorted(compareCodePoints).map((version) => ({ version, since: now, wasCurrent: false }));
  const old = [...note.old, ...adopted];
  writeNote(rows, held.row.key, { current: currentOf(held, note), next: note.next, old });
  return { ...note, old };
}

/** Takes vectors of these versions from every chunk of a scope. */
export function dropVersions(rows: DirectoryWriter, held: ScopeView, gone: ReadonlySet<string>, stamp: number): void {
  for (const { row } of held.sealed) dropColumns(rows, row, (version) => gone.has(version), stamp);
  for (const [, row] of held.tail.rows()) {
    const vectors = decodeVectors(row.vectors);
    const left = vectors.filter(({ version }) => !gone.has(version));
    if (left.length === vectors.length) continue;
    rows.deletePending(row.key);
    rows.addPending(held.row.key, { ...row, stamp, vectors: encodeVectors(left) });
  }
}

/**
 * Takes the vectors of versions that nobody has searched since `until`. As long as a live chunk lacks a vector of the current version, none goes:
 * its old one may be all that it has. Versions that the scope does not know are noted as left at `now`.
 */
export function retireVersions(rows: DirectoryWriter, view: IndexView, scope: Scope, until: number, now: number): void {
  const held = view.scope(rows, scope);
  if (held === undefined) return;
  const note = adoptVersions(rows, held, now);
  const current = currentOf(held, note);
  const left = note.old.filter(({ version }) => version !== current && version !== note.next);
  const gone = new Set(left.filter(({ since }) => since <= until).map(({ version }) => version));
  if (gone.size === 0 || current === undefined || countLacking(held, current) > 0) return;
  const stamp = rows.stamp() + 1;
  dropVersions(rows, held, gone, stamp);
  rows.retireVectors?.(held.row.key, [...gone]);
  writeNote(rows, held.row.key, {
    current,
    next: note.next,
    old: note.old.filter(({ version }) => !gone.has(version)),
  });
  rows.putScope({ ...held.row, stamp, rewrites: held.row.rewrites + 1 });
  countRevision(rows, held.row.key, true);
  rows.setStamp(stamp);
}
