import type { Scope } from "../../contracts/scope.ts";
import { nameSegment } from "../../engine/bm25/document-fields.ts";
import { namesFile } from "../../engine/bm25/stored-names.ts";
import { lookInSlices } from "./look-in-slices.ts";
import type { SegmentCore } from "./segment-core.ts";
import { type DirectoryReader, renamesSetting } from "./segment-directory.ts";
import { readNames } from "./word-indexes.ts";

/**
 * Keeps the names of documents in the files of sealed segments that have none. The first search of a process reads numbers of terms then, and neither names nor rows of
 * chunks. A directory that gives no names back keeps none.
 *
 * **Shape** a segment keeps them until a document of its scope gets another name. A kill leaves a segment with or without them.
 * **Cost** linear in the segments of at least `leastSize` chunks that have none, in slices of some milliseconds; one transaction each.
 */
export async function keepNames(
  { look, write, view, options: { analyzer } }: Pick<SegmentCore, "look" | "write" | "view" | "options">,
  scope: Scope,
  leastSize: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const tried = new Set<number>();
  for (;;) {
    const made = await lookInSlices({ look, view }, { scopes: [scope], signal }, function* (rows) {
      const segment = view
        .scope(rows, scope)
        ?.sealed.find(({ row, liveCount }) => liveCount >= leastSize && !tried.has(row) && lacksNames(rows, row));
      if (segment === undefined) return undefined;
      const renames = Number(rows.setting(renamesSetting) ?? 0);
      const data = yield* nameSegment(segment, (documents) => readNames(rows, documents), analyzer);
      return { row: segment.row, renames, data };
    });
    if (made === undefined) return;
    tried.add(made.row);
    await write((rows) => {
      const key = rows.scope(scope)?.key;
      const stands = key !== undefined && rows.segmentStamps(key).some((segment) => segment.key === made.row);
      const isRenamed = Number(rows.setting(renamesSetting) ?? 0) !== made.renames;
      if (!stands || isRenamed || !lacksNames(rows, made.row)) return;
      rows.deleteFile(made.row, namesFile);
      rows.addFile(made.row, namesFile, made.renames, made.data);
    });
  }
}

function lacksNames(rows: DirectoryReader, segment: number): boolean {
  return rows.names !== undefined && rows.names(segment) === undefined;
}
