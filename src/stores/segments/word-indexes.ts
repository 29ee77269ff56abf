import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import { buildDocumentFields, type DocumentFields } from "../../engine/bm25/document-fields.ts";
import type { DocumentNames } from "../../engine/bm25/name-lists.ts";
import { createWordIndex, type WordIndex } from "../../engine/bm25/word-index.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { documentPath, pathWords } from "../../text/document-path.ts";
import { type DirectoryReader, renamesSetting } from "./segment-directory.ts";

/** Words of scopes that were searched together, kept until one of the scopes changes. */
export interface WordIndexes {
  /** See `IndexView.words`. */
  index(
    rows: DirectoryReader,
    scopes: readonly Scope[],
    analyzer: Analyzer,
    settings: Bm25Settings,
  ): Generator<undefined, WordIndex>;
  /** Says that a scope is about to be seen in another state. Names of its documents serve the next index, unless one was changed. */
  outdate(scope: Scope): void;
  /** Forgets everything. */
  forget(): void;
}

/** Commits during a search after which the rest is done in one go. */
export const mostBeginnings = 3;

/** Bytes of words and names that are kept. */
const wordBudget = 128_000_000;

/** Bytes that an index takes beside its words and names, nearly. */
const ownBytes = 4096;

/** Whether names of documents count at all. */
function hasNames({ variant, fileWeight, naming, document, heading }: Bm25Settings): boolean {
  return variant === "bm25f" && fileWeight + naming + document + heading > 0;
}

export function readNames(rows: DirectoryReader, documents: readonly number[]): ReadonlyMap<number, DocumentNames> {
  const homes = rows.homesOf(documents.filter((document) => document !== 0));
  return new Map(
    homes.map(({ key, uri, title, folder }) => [key, { title, file: pathWords(documentPath(uri, folder).path) }]),
  );
}

/** An index as it was built. */
interface Built {
  readonly scopes: readonly Scope[];
  readonly index: WordIndex;
  /** How often a document had got another name under its row. */
  readonly renames: string | undefined;
  /** Whether one of its scopes has changed since. */
  isOld: boolean;
}

/** The names of some scopes on their way into an index. */
interface Building {
  readonly scopes: readonly Scope[];
  readonly settings: Bm25Settings;
  readonly segments: readonly Segment[];
  readonly renames: string | undefined;
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
  const indexes = new Map<string, Built>();
  /** Names for an index that is on its way, by the scopes. */
  const buildings = new Map<string, Building>();

  function recall(key: string, settings: Bm25Settings): Built | undefined {
    const made = indexes.get(key);
    return made?.isOld === false && made.index.settings === settings ? made : undefined;
  }

  /** Keeps the one that was asked for last, and others as long as there is room. */
  function keep(key: string, made: Built): WordIndex {
    // It stands last, and goes last.
    indexes.delete(key);
    indexes.set(key, made);
    const bytesOf = (index: WordIndex): number => ownBytes + index.bytes + (index.fields?.bytes ?? 0);
    let bytes = 0;
    for (const { index } of indexes.values()) bytes += bytesOf(index);
    for (const [other, { index }] of indexes) {
      if (bytes <= wordBudget || other === key) break;
      indexes.delete(other);
      bytes -= bytesOf(index);
    }
    return made.index;
  }

  /** The names that are on their way. */
  function underWay(rows: DirectoryReader, key: string, settings: Bm25Settings): Building | undefined {
    const known = buildings.get(key);
    if (known?.settings !== settings) return undefined;
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
    const key = scopes.join("\n");
    const renames = rows.setting(renamesSetting);
    const former = indexes.get(key);
    const before = former?.renames === renames ? former?.index.fields : undefined;
    const steps = hasNames(settings) ? buildDocumentFields(segments, read, analyzer, before) : [].values();
    if (buildings.size >= mostBuildings) buildings.clear();
    const building: Building = { scopes, settings, segments, renames, source, steps };
    buildings.set(key, building);
    return building;
  }

  return {
    *index(rows, scopes, analyzer, settings) {
      const key = scopes.join("\n");
      for (let begun = 0; ;) {
        // Brings the scopes up to date, so that words of another state are forgotten.
        segmentsOf(rows, scopes);
        const made = recall(key, settings);
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
        if (step.done === true) {
          const index = createWordIndex(building.segments, settings, step.value);
          return keep(key, { scopes, index, renames: building.renames, isOld: false });
        }
        if (begun <= mostBeginnings) yield undefined;
      }
    },
    outdate(scope) {
      for (const built of indexes.values()) if (built.scopes.includes(scope)) built.isOld = true;
      for (const [key, { scopes }] of buildings) if (scopes.includes(scope)) buildings.delete(key);
    },
    forget() {
      indexes.clear();
      buildings.clear();
    },
  };
}
