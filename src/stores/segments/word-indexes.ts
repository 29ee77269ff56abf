import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import { buildDocumentFields, type DocumentFields, type DocumentNames } from "../../engine/bm25/document-fields.ts";
import { createWordIndex, type WordIndex } from "../../engine/bm25/word-index.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { documentPath, pathWords } from "../../text/document-path.ts";
import type { DirectoryReader } from "./segment-directory.ts";

/** Words of scopes that were searched together, kept until the next commit. */
export interface WordIndexes {
  /** See `IndexView.words`. */
  index(rows: DirectoryReader, scopes: readonly Scope[], analyzer: Analyzer, settings: Bm25Settings): WordIndex;
  /** See `IndexView.prepareWords`. */
  prepare(
    rows: DirectoryReader,
    scopes: readonly Scope[],
    analyzer: Analyzer,
    settings: Bm25Settings,
  ): "begun" | "more" | "ready";
  forget(): void;
}

/** Bytes of words and names that are kept. */
const wordBudget = 128_000_000;

/** Whether names of documents count at all. */
function hasNames({ variant, fileWeight, naming, document, heading }: Bm25Settings): boolean {
  return variant === "bm25f" && fileWeight + naming + document + heading > 0;
}

function readNames(rows: DirectoryReader, documents: readonly number[]): ReadonlyMap<number, DocumentNames> {
  const homes = rows.homesOf(documents.filter((document) => document !== 0));
  return new Map(
    homes.map(({ key, uri, title, folder }) => [key, { title, file: pathWords(documentPath(uri, folder).path) }]),
  );
}

/** The names of some scopes on their way into an index. */
interface Building {
  readonly stamp: number;
  readonly settings: Bm25Settings;
  readonly segments: readonly Segment[];
  /** Rows of the transaction that goes on with it. */
  readonly source: { rows: DirectoryReader };
  readonly steps: Iterator<undefined, DocumentFields> | undefined;
}

/** Steps that are all done. */
const finished = (value: DocumentFields): Iterator<undefined, DocumentFields> => ({
  next: () => ({ done: true, value }),
});

/** Sets of scopes whose names are built side by side. */
const mostBuildings = 16;
/** Names of fewer chunks are built at once. */
const fewChunks = 2048;
/** **Units** milliseconds. */
const longestSlice = 5;

export function createWordIndexes(
  segmentsOf: (rows: DirectoryReader, scopes: readonly Scope[]) => readonly Segment[],
): WordIndexes {
  /** By the scopes that were searched together. */
  const indexes = new Map<string, WordIndex>();
  let indexStamp = -1;
  /** Names for an index that is on its way, by the scopes. */
  const buildings = new Map<string, Building>();

  /** The names that are on their way at this commit, or their beginning. */
  function buildWords(
    rows: DirectoryReader,
    scopes: readonly Scope[],
    analyzer: Analyzer,
    settings: Bm25Settings,
  ): Building & { readonly isNew: boolean } {
    const key = scopes.join("\n");
    const stamp = rows.stamp();
    const known = buildings.get(key);
    if (known?.stamp === stamp && known.settings === settings) {
      known.source.rows = rows;
      return { ...known, isNew: false };
    }
    const segments = segmentsOf(rows, scopes);
    const source = { rows };
    const read = (documents: readonly number[]) => readNames(source.rows, documents);
    const steps = hasNames(settings) ? buildDocumentFields(segments, read, analyzer) : undefined;
    const building: Building = { stamp, settings, segments, source, steps };
    if (buildings.size >= mostBuildings) buildings.clear();
    buildings.set(key, building);
    return { ...building, isNew: true };
  }

  return {
    prepare(rows, scopes, analyzer, settings) {
      const key = scopes.join("\n");
      if (rows.stamp() === indexStamp && indexes.get(key)?.settings === settings) return "ready";
      const { steps, isNew, segments } = buildWords(rows, scopes, analyzer, settings);
      if (steps === undefined || segments.reduce((sum, { size }) => sum + size, 0) < fewChunks) return "ready";
      const until = performance.now() + longestSlice;
      while (performance.now() < until) {
        const step = steps.next();
        if (step.done !== true) continue;
        // `words` takes the value from a generator of its own.
        buildings.set(key, { ...buildings.get(key)!, steps: finished(step.value) });
        return "ready";
      }
      return isNew ? "begun" : "more";
    },
    index(rows, scopes, analyzer, settings) {
      const stamp = rows.stamp();
      if (stamp !== indexStamp) indexes.clear();
      indexStamp = stamp;
      const key = scopes.join("\n");
      let made = indexes.get(key);
      if (made === undefined || made.settings !== settings) {
        const building = buildWords(rows, scopes, analyzer, settings);
        let step = building.steps?.next();
        while (step?.done === false) step = building.steps!.next();
        made = createWordIndex(building.segments, settings, step?.value);
        buildings.delete(key);
      }
      // The one that was asked for last stands last, and goes last.
      indexes.delete(key);
      indexes.set(key, made);
      const bytesOf = (index: WordIndex): number => index.bytes + (index.fields?.bytes ?? 0);
      let bytes = 0;
      for (const each of indexes.values()) bytes += bytesOf(each);
      for (const [other, each] of indexes) {
        if (bytes <= wordBudget || other === key) break;
        indexes.delete(other);
        bytes -= bytesOf(each);
      }
      return made;
    },
    forget() {
      indexes.clear();
      buildings.clear();
    },
  };
}
