import type { Analyzer } from "../../contracts/analyzer.ts";
import type { CorpusModel, NumberedTerms, TermCounts, TermRow, TermSpace } from "../../contracts/corpus-model.ts";
import { type EmbeddingVersion, versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { QueryWord } from "../../engine/bm25/bm25-scoring.ts";
import type { ChunkTerms } from "../../engine/segments/chunk-terms.ts";
import { totalCounts } from "../../engine/segments/forward-terms.ts";
import { readSpace } from "../../engine/vectors/space-file.ts";
import { type StoredVector, toStoredVector } from "../../engine/vectors/stored-vector.ts";
import { hasDeparture, isWhole } from "./fit-members.ts";
import type { IndexView } from "./index-view.ts";
import { ownModel } from "./own-version.ts";
import type { DirectoryReader, FitRow } from "./segment-directory.ts";

/** A space as it is stored: its terms can be listed. */
export type StoredSpace = ReturnType<typeof readSpace>;

/** The model that a store keeps fitted on its own terms, and the space that it is in at the moment. */
export interface LatentLeg {
  readonly model: CorpusModel;
  readonly analyzer: Analyzer;
  /**
   * The space that searches use: none that is made of a document that has left its readers. Must be called inside a transaction of the directory.
   *
   * **Cost** after a delete, one look at each chunk's row.
   */
  space(rows: DirectoryReader): TermSpace;
  /** A space that was fitted, current or not. */
  spaceOf(rows: DirectoryReader, fit: FitRow): StoredSpace;
  versionOf(space: TermSpace): EmbeddingVersion;
  /** The vector in `space` that the store adds to a chunk's given ones. */
  vectorOf(space: TermSpace, terms: TermCounts): StoredVector;
  /** {@link vectorOf} for many chunks. */
  vectorsOf(space: TermSpace): (terms: TermCounts) => StoredVector;
  /** The same for terms that have numbers already. */
  numberedVectorsOf(
    space: TermSpace,
    textOf: (number: number) => string,
    find?: (number: number) => TermRow | undefined,
  ): (terms: NumberedTerms) => StoredVector;
  /**
   * {@link vectorOf} in the current space, for a chunk on its way into a scope that holds so many. None where the first fit is due: it places them all, and
   * a large first ingestion would place them twice.
   */
  embed(rows: DirectoryReader, terms: () => ChunkTerms, held: number): readonly StoredVector[];
  /** Term counts of a query: each word counts in its first form that the space knows, or else in its first. */
  queryCounts(space: TermSpace, words: readonly QueryWord[]): TermCounts;
  /** Forgets what it has read: some of it has been taken back. */
  forget(): void;
}

/** A model is fitted on what all its readers may read; other scopes are folded in. */
export const fittedOn: Scope = "deployment";

export function createLatentLeg(model: CorpusModel, analyzer: Analyzer, view: IndexView): LatentLeg {
  const spaces = new Map<number, StoredSpace>();

  function spaceOf(rows: DirectoryReader, fit: FitRow): StoredSpace {
    let space = spaces.get(fit.key);
    if (space === undefined) {
      // Spaces of deleted fits are dropped from memory. At most two fits exist, one of them under way.
      for (const key of spaces.keys()) if (!rows.fits().some((other) => other.key === key)) spaces.delete(key);
      space = readSpace(fit, (part) => rows.fitPart(fit.key, part) ?? missing(part));
      spaces.set(fit.key, space);
    }
    return space;
  }

  const versionOf = ({ dimensions, fingerprint }: TermSpace): EmbeddingVersion => ({
    ...ownModel,
    dimensions: model.vectorLength(dimensions),
    fingerprint,
  });
  let looked: { readonly stamp: number; readonly fit: number; readonly isWhole: boolean } | undefined;
  /** Whether a document that it is made of was deleted, purged or moved to another scope since. */
  function isSetAside(rows: DirectoryReader, fit: FitRow): boolean {
    if (!hasDeparture(rows)) return false;
    const stamp = rows.stamp();
    if (looked?.stamp !== stamp || looked.fit !== fit.key)
      looked = { stamp, fit: fit.key, isWhole: isWhole(rows, view.scope(rows, fittedOn), fit) };
    return !looked.isWhole;
  }
  const currentSpace = (rows: DirectoryReader): TermSpace => {
    const fit = model.leastChunks === Infinity ? undefined : rows.fits().find(({ current }) => current);
    return fit === undefined || isSetAside(rows, fit) ? model.unfitted : spaceOf(rows, fit);
  };
  const vectorOf = (space: TermSpace, terms: TermCounts): StoredVector =>
    toStoredVector(versionKey(versionOf(space)), model.project(terms, space, "document").vector);

  const numberedVectorsOf: LatentLeg["numberedVectorsOf"] = (space, textOf, find) => {
    const [version, project] = [versionKey(versionOf(space)), model.projector(space, textOf, find)];
    return (terms) => toStoredVector(version, project(terms));
  };

  return {
    model,
    analyzer,
    space: currentSpace,
    spaceOf,
    versionOf,
    vectorOf,
    numberedVectorsOf,
    vectorsOf(space) {
      const texts: string[] = [];
      const numbers = new Map<string, number>();
      const vectors = numberedVectorsOf(space, (number) => texts[number]!);
      const numberOf = (term: string): number => {
        let number = numbers.get(term);
        if (number === undefined) numbers.set(term, (number = texts.push(term) - 1));
        return number;
      };
      return ({ terms, counts }) => vectors({ numbers: terms.map(numberOf), counts });
    },
    embed(rows, terms, held) {
      const space = currentSpace(rows);
      return space === model.unfitted && held >= model.leastChunks ? [] : [vectorOf(space, totalCounts(terms()))];
    },
    queryCounts: (space, words) => ({
      terms: words.map(({ terms }) => terms.find((term) => space.find(term) !== undefined) ?? terms[0]!),
      counts: words.map(({ count }) => count),
    }),
    forget() {
      spaces.clear();
      looked = undefined;
    },
  };
}

function missing(part: number): never {
  throw new IbidError("store-corrupt", `A part of the fitted space is missing: part ${part}.`, {
    hint: "Restore the file from a backup, or ingest the documents again into a new one.",
  });
}
