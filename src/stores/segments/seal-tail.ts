import type { Scope } from "../../contracts/scope.ts";
import { type BuiltSegment, chunksToSeal, sealSegment } from "../../engine/segments/build-segment.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import type { DirectoryWriter } from "./segment-directory.ts";

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

export function addSegment(rows: DirectoryWriter, scope: number, stamp: number, { row, files }: BuiltSegment): void {
  const key = rows.addSegment({ ...row, scope, stamp });
  for (const { name, part, data } of files) rows.addFile(key, name, part, data);
}

/** Notes that a scope's segments are others; `rewritten` where chunks have moved between the tail and them. */
export function finishRewrite(rows: DirectoryWriter, view: ScopeView, stamp: number, rewritten: boolean): void {
  const { row } = view;
  rows.putScope({ ...row, stamp, rewrites: row.rewrites + (rewritten ? 1 : 0) });
  rows.setStamp(stamp);
}
