import type { Scope } from "../../contracts/scope.ts";
import { type BuiltSegment, chunksToSeal, sealSegment } from "../../engine/segments/build-segment.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import type { DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

/** Makes a sealed segment of the tail when it holds at least `atLeast` chunks. **Shape** whether it did. */
export function sealTail(rows: DirectoryWriter, view: IndexView, scope: Scope, atLeast: number): boolean {
  const held = view.scope(rows, scope);
  if (held === undefined || held.tail.presentCount < Math.max(1, atLeast)) return false;
  const stamp = rows.stamp() + 1;
  const sealed = sealSegment(chunksToSeal(held.tail), rows);
  // The pages of the rows that go are written once more in any case: the segment takes them.
  rows.deleteAllPending(held.row.key);
  addSegment(rows, held.row.key, stamp, sealed);
  finishRewrite(rows, held, stamp, true);
  return true;
}

/** A segment made of chunks that wait, while they wait. */
export interface BuiltTail {
  readonly scope: Scope;
  /** The scope's row: one that was wiped and came back has another. */
  readonly key: number;
  /** Its chunks with their stamps, by row. */
  readonly stamps: ReadonlyMap<number, number>;
  readonly segment: BuiltSegment;
}

/** Reads the chunks that wait. **Shape** a function that makes the segment, outside the transaction; `undefined` for less than `atLeast` chunks. */
export function readTail(
  rows: DirectoryReader,
  view: IndexView,
  scope: Scope,
  atLeast: number,
): (() => BuiltTail) | undefined {
  const held = view.scope(rows, scope);
  if (held === undefined || held.tail.presentCount < Math.max(1, atLeast)) return undefined;
  const { key } = held.row;
  const stamps = new Map(Array.from(held.tail.rows(), ([, row]) => [row.key, row.stamp]));
  const chunks = [...chunksToSeal(held.tail)];
  const places = rows.chunkPlaces(chunks.map((chunk) => chunk.key));
  return () => ({ scope, key, stamps, segment: sealSegment(chunks, { chunkPlaces: () => places }) });
}

/** Puts a segment in the place of the chunks that it was made of. **Shape** false, and no change, where one of them has changed or gone since. */
export function placeTail(rows: DirectoryWriter, { scope, key, stamps, segment }: BuiltTail): boolean {
  const row = rows.scope(scope);
  if (row?.key !== key) return false;
  const waiting = rows.pendingStamps(key).filter((one) => stamps.get(one.key) === one.stamp);
  if (waiting.length < stamps.size) return false;
  const stamp = rows.stamp() + 1;
  rows.deletePendingRows(waiting.map((one) => one.key));
  addSegment(rows, key, stamp, segment);
  finishRewrite(rows, { row }, stamp, true);
  return true;
}

export function addSegment(rows: DirectoryWriter, scope: number, stamp: number, { row, files }: BuiltSegment): void {
  const key = rows.addSegment({ ...row, scope, stamp });
  for (const { name, part, data } of files) rows.addFile(key, name, part, data);
}

/** Notes that a scope's segments are others; `rewritten` where chunks have moved between the tail and them. */
export function finishRewrite(
  rows: DirectoryWriter,
  { row }: Pick<ScopeView, "row">,
  stamp: number,
  rewritten: boolean,
): void {
  rows.putScope({ ...row, stamp, rewrites: row.rewrites + (rewritten ? 1 : 0) });
  rows.setStamp(stamp);
}
