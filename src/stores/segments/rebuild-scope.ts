import type { Analyzer } from "../../contracts/analyzer.ts";
import { sealSegment } from "../../engine/segments/build-segment.ts";
import { analyzeChunk, encodeTerms } from "../../engine/segments/chunk-terms.ts";
import { decodeVectors, parseVersionKey, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import { vectorsAt } from "../../engine/vectors/vector-column.ts";
import type { ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import { createUncachedReader } from "./replace-document.ts";
import { startNewLife } from "./scope-change.ts";
import { addSegment } from "./seal-tail.ts";
import { type ChunkRow, type DirectoryWriter, renamesSetting } from "./segment-directory.ts";

/** Chunks of one segment: few enough that as many are held in memory at once. */
const segmentSize = 4096;

/**
 * Makes the index of a scope again from its rows. The analyzer gives the terms; vectors come from the old index where they are readable and of the
 * right length. The store's own vectors are made again when it is settled.
 *
 * **Shape** must be called inside one transaction: searches see the old index or the new one.
 */
export function rebuildScope(rows: DirectoryWriter, view: ScopeView, analyzer: Analyzer): void {
  const { row } = view;
  const stamp = rows.stamp() + 1;
  const vectors = rescueVectors(view);
  const chunks: ChunkRow[] = [...rows.scanChunks(row.key), ...rows.deletedChunks(row.key, Number.MAX_SAFE_INTEGER)];
  for (const { key } of rows.segmentStamps(row.key)) rows.deleteSegment(key);
  rows.deleteAllPending(row.key);
  const reader = createUncachedReader(rows);
  for (let from = 0; from < chunks.length; from += segmentSize) {
    const sealing = chunks.slice(from, from + segmentSize).map((chunk) => ({
      key: chunk.key,
      id: chunk.id,
      live: chunk.deletedAt === null,
      terms: () => encodeTerms(analyzeChunk(analyzer, reader.chunk(chunk))),
      vectors: () => vectors.get(chunk.key) ?? [],
    }));
    addSegment(rows, row.key, stamp, sealSegment(sealing, rows));
  }
  rows.putScope({ ...row, stamp, rewrites: row.rewrites + 1 });
  startNewLife(rows, row.key);
  // Names that a process has read of the old index do not hold.
  rows.setSetting(renamesSetting, String(Number(rows.setting(renamesSetting) ?? 0) + 1));
  rows.setStamp(stamp);
}

function rescueVectors(view: ScopeView): Map<number, StoredVector[]> {
  const rescued = new Map<number, StoredVector[]>();
  const keep = (key: number, read: () => readonly StoredVector[]): void => {
    try {
      const sound = read().filter(isSound);
      if (sound.length > 0) rescued.set(key, sound);
    } catch {
      // An unreadable vector is lost; the next examination lists the chunks without one.
    }
  };
  for (const segment of view.sealed) {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      if (segment.present[ordinal] === 1) keep(segment.key(ordinal), () => vectorsAt(segment, ordinal));
    }
  }
  for (const [, row] of view.tail.rows()) keep(row.key, () => decodeVectors(row.vectors));
  return rescued;
}

/** Whether a vector was given with the chunk, and is as long as it says. */
function isSound({ version, kind, dense, indices, values }: StoredVector): boolean {
  if (isOwnVersion(version) || indices.length !== values.length) return false;
  return kind === "sparse" || dense.length === parseVersionKey(version).dimensions;
}
