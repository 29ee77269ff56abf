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
  index(
    rows: DirectoryReader,
    scopes: readonly Scope[],
    analyzer: Analyzer,
    settings: Bm25Settings,
  ): Generator<undefined, WordIndex>;
  forget(): void;
}

/** Commits during a search after which the rest is done in one go. */
export const mostBeginnings = 3;

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
  readonly steps: Iterator<undefined, DocumentFields | undefined>;
}

/** Sets of scopes whose names are built side by side. */
const mostBuildings = 16;

export function createWordIndexes(
  segmentsOf: (rows: DirectoryReader, scopes: readonly Scope[]) => readonly Segment[],
): WordIndexes {
  /** By the scopes that were searched together. */
  const indexes = new Map<string, WordIndex>();
  let indexStamp = -1;
  /** Names for an index that is on its way, by the scopes. */
  const buildings = new Map<string, Building>();

  /** The index that was made since the last commit. */
  function recall(stamp: number, key: string, settings: Bm25Settings): WordIndex | undefined {
    if (stamp !== indexStamp) indexes.clear();
    indexStamp = stamp;
    const made = indexes.get(key);
    return made?.settings === settings ? made : undefined;
  }

  /** Keeps the one that was asked for last, and others as long as there is room. */
  function keep(key: string, made: WordIndex): WordIndex {
    // It stands last, and goes last.
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
  }

  /** The names that are on their way at this commit. */
  function underWay(rows: DirectoryReader, key: string, settings: Bm25Settings): Building | undefined {
    const known = buildings.get(key);
    if (known?.stamp !== rows.stamp() || known.settings !== settings) return undefined;
    known.source.rows = rows;
    return known;
  }

  function begin(
    rows: DirectoryReader,
    scopes: readonly Scope[],
    analyzer: Analyzer,
    settings: Bm25Settings,
  ): Building {
    const segments = segmentsOf(rows, scopes);
    const source = { rows };
    const read = (documents: readonly number[]) => readNames(source.rows, documents);
    const steps = hasNames(settings) ? buildDocumentFields(segments, read, analyzer) : [].values();
    if (buildings.size >= mostBuildings) buildings.clear();
    const building: Building = { stamp: rows.stamp(), settings, segments, source, steps };
    buildings.set(scopes.join("\n"), building);
    return building;
  }

  return {
    *index(rows, scopes, analyzer, settings) {
      const key = scopes.join("\n");
      for (let begun = 0; ;) {
        const made = recall(rows.stamp(), key, settings);
        if (made !== undefined) return keep(key, made);
        let building = underWay(rows, key, settings);
        if (building === undefined) {
          building = begin(rows, scopes, analyzer, settings);
          begun++;
        }
        let step: IteratorResult<undefined, DocumentFields | undefined> | undefined;
        try {
          step = building.steps.next();
        } finally {
          // Steps that failed are at their end, and would give an index without names.
          if (step?.done !== false) buildings.delete(key);
        }
        if (step.done === true) return keep(key, createWordIndex(building.segments, settings, step.value));
        if (begun <= mostBeginnings) yield undefined;
      }
    },
    forget() {
      indexes.clear();
      buildings.clear();
    },
  };
}
