import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Scope } from "../../contracts/scope.ts";
import { mergeSegments, type SealingChunk, sealSegment } from "../../engine/segments/build-segment.ts";
import { analyzeChunk, encodeTerms } from "../../engine/segments/chunk-terms.ts";
import { chooseMerge, type SegmentPolicy } from "../../engine/segments/merge-policy.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { decodeVectors, encodeVectors, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import { vectorsAt } from "../../engine/vectors/vector-column.ts";
import { deleteFit } from "./fit-members.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import { createUncachedReader } from "./replace-document.ts";
import { addSegment, finishRewrite } from "./seal-tail.ts";
import type { DirectoryWriter } from "./segment-directory.ts";
import { mergeSegmentTrigrams } from "./trigram-keeper.ts";

/** Each of these is the work of one transaction, and changes nothing that a search could tell. */

/** One merge, when the policy wants one. **Shape** whether it did: then there may be another to do. */
export function mergeOnce(rows: DirectoryWriter, view: IndexView, scope: Scope, policy: SegmentPolicy): boolean {
  const held = view.scope(rows, scope);
  const chosen = held && chooseMerge(held.sealed, policy);
  if (held === undefined || chosen === undefined) return false;
  const stamp = rows.stamp() + 1;
  rewrite(rows, held, stamp, chosen);
  finishRewrite(rows, held, stamp, false);
  return true;
}

/** Rewrites every segment that still has something of a chunk without a row: after a purge, nothing of it is left. */
export function rewriteHollow(rows: DirectoryWriter, view: IndexView, scope: Scope): void {
  const held = view.scope(rows, scope);
  const hollow = held?.sealed.filter(({ size, presentCount }) => presentCount < size) ?? [];
  if (held === undefined || hollow.length === 0) return;
  const stamp = rows.stamp() + 1;
  for (const segment of hollow) rewrite(rows, held, stamp, [segment]);
  finishRewrite(rows, held, stamp, false);
}

function rewrite(rows: DirectoryWriter, view: ScopeView, stamp: number, segments: readonly SealedSegment[]): void {
  if (segments.some(({ presentCount }) => presentCount > 0)) {
    const merged = mergeSegments(segments);
    const trigrams = mergeSegmentTrigrams(rows, segments, merged);
    addSegment(rows, view.row.key, stamp, { ...merged, files: [...merged.files, ...trigrams] });
  }
  for (const segment of segments) rows.deleteSegment(segment.row);
}

/** Vectors without the store's own, which are made of terms. */
function givenVectors(vectors: readonly StoredVector[]): StoredVector[] {
  return vectors.filter(({ version }) => !isOwnVersion(version));
}

/**
 * Computes the terms of every chunk again: with another analyzer, the old ones would never be found (or the wrong ones would). Fits on
 * the old terms are deleted with the store's own vectors; the next settling makes both again.
 */
export function reanalyze(rows: DirectoryWriter, view: IndexView, analyzer: Analyzer): void {
  for (const fit of rows.fits()) deleteFit(rows, fit);
  const reader = createUncachedReader(rows);
  const stamp = rows.stamp() + 1;
  const analyzeAgain = (key: number): Uint8Array => encodeTerms(analyzeChunk(analyzer, reader.chunk(rows.chunk(key))));
  for (const { scope } of rows.scopes()) {
    const held = view.scope(rows, scope);
    if (held === undefined) continue;
    for (const segment of held.sealed) {
      const sealing: SealingChunk[] = [];
      for (let ordinal = 0; ordinal < segment.size; ordinal++) {
        if (segment.present[ordinal] === 0) continue;
        const key = segment.key(ordinal);
        sealing.push({
          key,
          id: segment.chunkId(ordinal),
          live: segment.live[ordinal] === 1,
          terms: () => analyzeAgain(key),
          vectors: () => givenVectors(vectorsAt(segment, ordinal)),
        });
      }
      if (sealing.length > 0) addSegment(rows, held.row.key, stamp, sealSegment(sealing, rows));
      rows.deleteSegment(segment.row);
    }
    for (const [, row] of held.tail.rows()) {
      rows.deletePending(row.key);
      const vectors = encodeVectors(givenVectors(decodeVectors(row.vectors)));
      rows.addPending(held.row.key, { ...row, stamp, vectors, terms: analyzeAgain(row.key) });
    }
    rows.putScope({ ...held.row, stamp, rewrites: held.row.rewrites + 1 });
  }
  rows.setStamp(stamp);
}
