import { IbidError } from "../../contracts/errors.ts";
import type { BuiltSegment } from "../../engine/segments/build-segment.ts";
import { asFloat64 } from "../../engine/segments/bytes.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import {
  createTrigramCollector,
  mergeTrigrams,
  openTrigrams,
  trigramFile,
  type TrigramIndex,
} from "../../engine/patterns/trigram-file.ts";
import type { ColumnFile } from "../../engine/vectors/vector-column.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { createChunkReader } from "./chunk-rows.ts";
import { createUncachedReader } from "./replace-document.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import type { DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

/**
 * Makes trigram indexes of sealed segments when a pattern is first looked for, and keeps them.
 *
 * Ingestion makes none, because most knowledge bases are never searched by a pattern. The index would cost a tenth of ingestion time and a fifth of
 * the text's bytes.
 */
export interface TrigramKeeper {
  /** The indexes of the scope's sealed segments, made now where there is none; empty when the scope is too small to gain by them. */
  indexes(rows: DirectoryReader, held: ScopeView): ReadonlyMap<Segment, TrigramIndex>;
  /** Sealed segments that have none yet, where the scope is large enough to gain by them. */
  lacking(rows: DirectoryReader, held: ScopeView): readonly SealedSegment[];
  /** Collects the trigrams of a segment in slices, as {@link collectSegmentTrigrams} does in one go. **Shape** none when the segment has gone meanwhile. */
  collect(look: Look, view: IndexView, segment: SealedSegment): Promise<readonly ColumnFile[]>;
  /** Keeps an index that was made elsewhere, as {@link collectSegmentTrigrams} makes it. */
  keep(segment: SealedSegment, files: readonly ColumnFile[]): void;
  /**
   * Writes the indexes that were made, beside their segments, where those are still there.
   *
   * The search that made them has its answer already. When another process writes for long, or the directory is read-only, they stay in memory.
   */
  save(write: Write): Promise<void>;
}

type Look = <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
type Write = (work: (rows: DirectoryWriter) => void) => Promise<void>;

/** **Shape** `worthIndexing` is how many sealed chunks a scope must have; of fewer, every one is looked at. */
export function createTrigramKeeper(worthIndexing: number): TrigramKeeper {
  const made = new Map<SealedSegment, readonly ColumnFile[]>();
  const unsaved = new Set<SealedSegment>();
  const stored = new WeakSet<SealedSegment>();

  function forget(segment: SealedSegment): void {
    made.delete(segment);
    unsaved.delete(segment);
  }

  function keep(segment: SealedSegment, files: readonly ColumnFile[]): void {
    made.set(segment, files);
    unsaved.add(segment);
  }

  function find(rows: DirectoryReader, segment: SealedSegment): TrigramIndex {
    const known = openTrigrams(segment.size, (part) => rows.file(segment.row, trigramFile, part));
    if (known !== undefined) {
      forget(segment);
      return known;
    }
    let files = made.get(segment);
    if (files === undefined) keep(segment, (files = collectSegmentTrigrams(rows, segment)));
    return openTrigrams(segment.size, (part) => files[part]?.data)!;
  }

  const isWorth = ({ sealed }: ScopeView): boolean =>
    sealed.reduce((sum, { presentCount }) => sum + presentCount, 0) >= worthIndexing;

  function hasIndex(rows: DirectoryReader, segment: SealedSegment): boolean {
    if (made.has(segment) || stored.has(segment)) return true;
    if (rows.file(segment.row, trigramFile, 0) === undefined) return false;
    stored.add(segment);
    return true;
  }

  return {
    collect: collectInSlices,
    keep,
    lacking: (rows, held) => (isWorth(held) ? held.sealed.filter((segment) => !hasIndex(rows, segment)) : []),
    indexes(rows, held) {
      for (const segment of made.keys()) {
        if (segment.scope === held.row.scope && !held.sealed.includes(segment)) forget(segment);
      }
      return new Map(!isWorth(held) ? [] : held.sealed.map((segment) => [segment, find(rows, segment)]));
    },
    async save(write) {
      const segments = [...unsaved];
      unsaved.clear();
      if (segments.length === 0) return;
      try {
        await write((rows) => {
          for (const segment of segments) saveOne(rows, segment, made.get(segment) ?? []);
        });
        segments.forEach(forget);
      } catch (error) {
        if (!IbidError.isInstance(error, "store-busy") && !IbidError.isInstance(error, "store-failed")) throw error;
      }
    },
  };
}

function saveOne(rows: DirectoryWriter, segment: SealedSegment, files: readonly ColumnFile[]): void {
  const scope = rows.scope(segment.scope);
  const stands = scope !== undefined && rows.segmentStamps(scope.key).some(({ key }) => key === segment.row);
  // Another process may have been faster, or has made one with other tables of letters.
  if (!stands || rows.file(segment.row, trigramFile, 0) !== undefined) return;
  for (const { name, part, data } of files) rows.addFile(segment.row, name, part, data);
}

/** Chunks whose texts are read together. */
const readTogether = 16;
/** **Units** milliseconds. */
const longestSlice = 5;

async function collectInSlices(look: Look, view: IndexView, segment: SealedSegment): Promise<readonly ColumnFile[]> {
  const collector = createTrigramCollector(segment.size);
  let ordinal = 0;
  /** **Shape** whether the segment is still there. */
  const collectSlice = (rows: DirectoryReader): boolean => {
    if (view.scope(rows, segment.scope)?.sealed.includes(segment) !== true) return false;
    const reader = createChunkReader(rows, view);
    const until = performance.now() + longestSlice;
    while (ordinal < segment.size && performance.now() < until) {
      const to = Math.min(segment.size, ordinal + readTogether);
      const ordinals: number[] = [];
      for (; ordinal < to; ordinal++) if (segment.present[ordinal] === 1) ordinals.push(ordinal);
      rows
        .chunks(ordinals.map((each) => segment.key(each)))
        .forEach((row, i) => row && collector.add(ordinals[i]!, reader.urtext(row)));
    }
    return true;
  };
  while (ordinal < segment.size) {
    if (!(await look(collectSlice))) return [];
    await nextTurn();
  }
  return collector.finish();
}

/** The index of every chunk that has a row, for what is deleted may be restored. Texts of one document are read together. */
export function collectSegmentTrigrams(rows: DirectoryReader, segment: SealedSegment): readonly ColumnFile[] {
  const reader = createUncachedReader(rows);
  const collector = createTrigramCollector(segment.size);
  const members = Array.from({ length: segment.size }, (_, ordinal) => ordinal)
    .filter((ordinal) => segment.present[ordinal] === 1)
    .map((ordinal) => ({ ordinal, row: rows.chunk(segment.key(ordinal)) }));
  for (const { ordinal, row } of members) collector.add(ordinal, reader.urtext(row));
  return collector.finish();
}

/** The trigram index of a merged segment, when all of its parts had one. */
export function mergeSegmentTrigrams(
  rows: DirectoryReader,
  segments: readonly SealedSegment[],
  { row: { size, keys } }: BuiltSegment,
): readonly ColumnFile[] {
  const indexes: TrigramIndex[] = [];
  for (const segment of segments) {
    const index = openTrigrams(segment.size, (part) => rows.file(segment.row, trigramFile, part));
    if (index === undefined) return [];
    indexes.push(index);
  }
  const places = new Map(Array.from(asFloat64(keys), (key, ordinal) => [key, ordinal]));
  const moved = segments.map((segment) =>
    Uint32Array.from({ length: segment.size }, (_, ordinal) => places.get(segment.key(ordinal)) ?? size),
  );
  return mergeTrigrams(indexes, moved, size);
}
