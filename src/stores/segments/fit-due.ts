import type { CorpusModel } from "../../contracts/corpus-model.ts";
import { versionKey } from "../../contracts/embedding.ts";
import type { FitStatus } from "../../contracts/store.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { decodeVectors } from "../../engine/vectors/stored-vector.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { isWholeInSteps, membersToInSteps, readMembers } from "./fit-members.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { fittedOn, type LatentLeg } from "./latent-leg.ts";
import type { DirectoryReader, FitRow } from "./segment-directory.ts";

/**
 * The state of the fit beside the corpus.
 *
 * **Shape** `members` is the number of chunks that a fit of the present corpus is made of; 0 when there are too few. `due` is `"fit"` when the fit is made of
 * others, `"drop"` when there is one and there are too few.
 */
export interface FitState {
  readonly fit: FitRow | undefined;
  readonly live: number;
  readonly members: number;
  readonly due: "fit" | "drop" | undefined;
}

/** **Cost** as `membersTo`, unless the counts differ already. */
export function readFitState(rows: DirectoryReader, view: IndexView, leg: LatentLeg): FitState {
  return finishSteps(readFitStateInSteps(rows, view, leg));
}

function* readFitStateInSteps(
  rows: DirectoryReader,
  view: IndexView,
  { model }: LatentLeg,
): Generator<undefined, FitState> {
  const held = view.scope(rows, fittedOn);
  const live = held?.segments.reduce((sum, segment) => sum + segment.liveCount, 0) ?? 0;
  const fit = rows.fits().find(({ current }) => current);
  const members = live < model.leastChunks ? 0 : model.corpusOf(live);
  // A model that never fits leaves another process's fit alone.
  if (model.leastChunks === Infinity) return { fit, live, members, due: undefined };
  if (members === 0 || held === undefined) return { fit, live, members, due: fit === undefined ? undefined : "drop" };
  const isCurrent = fit !== undefined && fit.corpus === members && (yield* isWholeInSteps(rows, held, fit));
  return { fit, live, members, due: isCurrent ? undefined : "fit" };
}

/** **Shape** `undefined` for a model that never fits, and where there is nothing to fit, so that documents of other scopes stay untold. */
export function* describeFit(
  rows: DirectoryReader,
  view: IndexView,
  leg: LatentLeg,
): Generator<undefined, FitStatus | undefined> {
  const { model } = leg;
  if (model.leastChunks === Infinity) return undefined;
  const { fit, live, due } = yield* readFitStateInSteps(rows, view, leg);
  if (live === 0 && fit === undefined) return undefined;
  const then = fit && readMembers(rows, fit);
  const held = view.scope(rows, fittedOn);
  // A chunk that has left is in the fit still; one that came, or came back, is not.
  const stays = then === undefined || held === undefined ? 0 : (yield* membersToInSteps(held, then.last)).count;
  return {
    madeOf: fit?.corpus ?? 0,
    foldedIn: fit === undefined ? 0 : Math.max(0, live - Math.min(stays, fit.corpus)),
    refitAt: nextCorpus(model, live),
    isDue: due !== undefined,
    isSetAside: fit !== undefined && leg.space(rows) === model.unfitted,
  };
}

/** The least number of live chunks, above the present one, that another fit is made of. */
function nextCorpus(model: CorpusModel, live: number): number {
  if (live < model.leastChunks) return model.leastChunks;
  const now = model.corpusOf(live);
  let [low, high] = [live, live + 1];
  for (; model.corpusOf(high) === now; high = 2 * high) low = high;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (model.corpusOf(middle) === now) low = middle;
    else high = middle;
  }
  return high;
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
