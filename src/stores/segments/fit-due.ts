import { versionKey } from "../../contracts/embedding.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { decodeVectors } from "../../engine/vectors/stored-vector.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { fittedOn, type LatentLeg } from "./latent-leg.ts";
import type { DirectoryReader } from "./segment-directory.ts";

/** Growth of a corpus that calls for a new fit, as a factor. **Source** docs/decisions/0015-the-stores-own-model.md. */
const outgrown = 2;

/** Number of live chunks to fit on. It is 0 when no fit is due: too few for a first, or fewer than twice the last. */
export function corpusToFit(rows: DirectoryReader, view: IndexView, leg: LatentLeg): number {
  const live = liveCount(view.scope(rows, fittedOn));
  const fit = rows.fits().find(({ current }) => current);
  return live >= leg.model.leastChunks && (fit === undefined || live >= outgrown * fit.corpus) ? live : 0;
}

function liveCount(held: ScopeView | undefined): number {
  return held?.segments.reduce((sum, segment) => sum + segment.liveCount, 0) ?? 0;
}

/** Whether some chunk has no vector in the current space: it was written without the model, or by an earlier version of ours. */
export function isAnyLacking(rows: DirectoryReader, view: IndexView, leg: LatentLeg): boolean {
  const version = versionKey(leg.versionOf(leg.space(rows)));
  return rows.scopes().some(({ scope }) => isLacking(view.scope(rows, scope), version));
}

function isLacking(held: ScopeView | undefined, version: string): boolean {
  if (held === undefined) return false;
  if (held.sealed.some((segment) => !hasColumn(segment, version))) return true;
  for (const [, row] of held.tail.rows()) {
    if (!decodeVectors(row.vectors).some((vector) => vector.version === version)) return true;
  }
  return false;
}

/** Whether every chunk of the segment has a vector of that version. */
export function hasColumn(segment: SealedSegment, version: string): boolean {
  const header = segment.headers().find((one) => one.version === version);
  if (header === undefined || header.rows < segment.presentCount) return false;
  if (header.rows === segment.size) return true;
  // Rows of chunks that are gone are still counted: only a look tells whether the others have theirs.
  for (const { version: other, ordinals } of segment.columns()) {
    if (other !== version) continue;
    let present = 0;
    for (const ordinal of ordinals) present += segment.present[ordinal]!;
    return present >= segment.presentCount;
  }
  return false;
}
