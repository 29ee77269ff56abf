import type { CorpusFit, CorpusModel, FitChunk, TermCounts, TermSpace } from "../../contracts/corpus-model.ts";
import { versionKey } from "../../contracts/embedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import { collectLiveTerms, collectTerms } from "../../engine/segments/forward-terms.ts";
import { decodeTerms } from "../../engine/segments/chunk-terms.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { writeSpace } from "../../engine/vectors/space-file.ts";
import { decodeVectors, encodeVectors } from "../../engine/vectors/stored-vector.ts";
import type { ColumnHeader } from "../../engine/segments/column-header.ts";
import { createColumnWriter } from "../../engine/vectors/vector-column.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { dropColumnFiles, dropColumns, droppedColumn } from "./drop-columns.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { corpusToFit, hasColumn, isAnyLacking } from "./fit-due.ts";
import { fittedOn, type LatentLeg } from "./latent-leg.ts";
import { isOwnVersion } from "./own-version.ts";
import type { DirectoryReader, DirectoryWriter, FitRow } from "./segment-directory.ts";

/** Looks and writes of the directory, checked. */
export interface RefitAccess {
  look<Result>(work: (rows: DirectoryReader) => Result): Promise<Result>;
  write<Result>(work: (rows: DirectoryWriter) => Result): Promise<Result>;
}

export interface RefitOptions {
  readonly signal?: AbortSignal | undefined;
  /** **Units** the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Fits the store's model when a fit is due ({@link corpusToFit}), and moves every chunk into the new space.
 *
 * Searches go on in the old space until every chunk has a vector in the new one, and then change over in one transaction. Chunks that came meanwhile get theirs
 * in that transaction.
 *
 * **Shape** whether it did. **Cost** the fit; one pass over the postings; one vector a chunk.
 */
export async function refit(
  access: RefitAccess,
  view: IndexView,
  leg: LatentLeg,
  { signal, onProgress }: RefitOptions = {},
): Promise<boolean> {
  const corpus = await access.look((rows) => corpusToFit(rows, view, leg));
  if (corpus === 0) return catchUp(access, view, leg);
  const { chunks, stays } = await access.look((rows) => {
    const held = view.scope(rows, fittedOn);
    return { chunks: sampleChunks(held, leg), stays: rememberPresent(held) };
  });
  const fitted = await runFit(leg.model.fit(chunks), signal, onProgress);
  if (fitted.dimensions === 0) return catchUp(access, view, leg);
  const fit = await access.write((rows) => {
    for (const { key, current } of rows.fits()) if (!current) rows.deleteFit(key);
    const { fingerprint, dimensions, energy } = fitted;
    const row = { fingerprint, dimensions, corpus, chunks: fitted.chunks, energy, current: false };
    // Terms purged since the sample was taken must not come back.
    const held = view.scope(rows, fittedOn);
    const isHeld = stays(held) ? () => true : termsHeld(held);
    const terms = fitted.terms.filter(({ term }) => isHeld(term));
    return { ...row, key: rows.addFit(row, writeSpace({ terms })) };
  });
  const space = spaceIn(fitted);
  const scopes = await access.look((rows) => rows.scopes().map(({ scope }) => scope));
  for (const scope of scopes) await moveSegments(access, view, leg, scope, space, signal);
  return access.write((rows) => changeOver(rows, view, leg, fit, space));
}

/** Chunks that were written without the model, or by an earlier version of ours, get their vectors. */
async function catchUp(access: RefitAccess, view: IndexView, leg: LatentLeg): Promise<boolean> {
  const lacking = await access.look((rows) => isAnyLacking(rows, view, leg));
  return lacking && access.write((rows) => changeOver(rows, view, leg, undefined, leg.space(rows)));
}

/**
 * Drops from the fitted space the terms that its scope does not hold any more: what was purged is gone from every vocabulary. Whether another scope
 * has such a term must not matter.
 */
export function forgetTerms(rows: DirectoryWriter, view: IndexView, leg: LatentLeg): void {
  const held = view.scope(rows, fittedOn);
  if (held === undefined || [...held.sealed, held.tail].every(({ presentCount }) => presentCount === 0)) {
    dropFits(rows, view, leg);
    return;
  }
  const isHeld = termsHeld(held);
  for (const fit of rows.fits()) {
    const terms = [...leg.spaceOf(rows, fit).terms()];
    const kept = terms.filter(({ term }) => isHeld(term));
    if (kept.length === terms.length) continue;
    rows.deleteFit(fit.key);
    rows.addFit(fit, writeSpace({ terms: kept }));
  }
}

/** Removes all that was fitted, when what it was fitted on is wiped: the other scopes go back to where nothing is fitted. */
export function dropFits(rows: DirectoryWriter, view: IndexView, leg: LatentLeg): void {
  const fits = rows.fits();
  if (fits.length === 0) return;
  for (const { key } of fits) rows.deleteFit(key);
  changeOver(rows, view, leg, undefined, leg.model.unfitted);
}

/** Remembers what is there. **Shape** whether all of it still is, so that none of its terms can have gone; `false` where that takes a closer look. */
function rememberPresent(before: ScopeView | undefined): (now: ScopeView | undefined) => boolean {
  const counts = new Map(before?.sealed.map((segment) => [segment, segment.presentCount]));
  const rewrites = before?.row.rewrites;
  return (now) =>
    now !== undefined &&
    now.row.rewrites === rewrites &&
    [...counts].every(([segment, count]) => now.sealed.includes(segment) && segment.presentCount === count);
}

/** Whether a chunk has a term, live or restorable. Postings alone do not tell: they outlive the chunk. */
function termsHeld(held: ScopeView | undefined): (term: string) => boolean {
  if (held === undefined) return () => false;
  const inTail = new Set<string>();
  for (const { terms } of collectLiveTerms(held.tail, () => true).values()) for (const term of terms) inTail.add(term);
  const isIn = (segment: SealedSegment, term: string): boolean =>
    segment.postings(term)?.ordinals.some((ordinal) => segment.present[ordinal] === 1) ?? false;
  return (term) => inTail.has(term) || held.sealed.some((segment) => isIn(segment, term));
}

/** The terms of the chunks that the model chooses. */
function sampleChunks(held: ScopeView | undefined, { model }: LatentLeg): readonly FitChunk[] {
  if (held === undefined) return [];
  const known: { readonly id: string; readonly language: string }[] = [];
  for (const segment of held.sealed) {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      if (segment.live[ordinal] === 1)
        known.push({ id: segment.chunkId(ordinal), language: segment.languageOf(ordinal) });
    }
  }
  for (const [, row] of held.tail.rows()) {
    if (row.live) known.push({ id: row.id, language: decodeTerms(row.terms).language });
  }
  const chosen = new Set(model.sample(known));
  const chunks: FitChunk[] = [];
  const take = (terms: Map<number, TermCounts>, idOf: (ordinal: number) => string): void => {
    for (const [ordinal, counts] of terms) chunks.push({ id: idOf(ordinal), terms: counts });
  };
  for (const segment of held.sealed) {
    const isChosen = (ordinal: number): boolean => segment.live[ordinal] === 1 && chosen.has(segment.chunkId(ordinal));
    take(collectTerms(segment, isChosen), (ordinal) => segment.chunkId(ordinal));
  }
  const { tail } = held;
  const isChosen = (ordinal: number): boolean => tail.live[ordinal] === 1 && chosen.has(tail.chunkId(ordinal));
  take(collectLiveTerms(tail, isChosen), (ordinal) => tail.chunkId(ordinal));
  return chunks;
}

async function runFit(
  steps: ReturnType<CorpusModel["fit"]>,
  signal: AbortSignal | undefined,
  onProgress: RefitOptions["onProgress"],
): Promise<CorpusFit> {
  for (;;) {
    throwIfAborted(signal, "The fit");
    const step = await steps.next();
    if (step.done === true) return step.value;
    onProgress?.(step.value);
    await nextTurn();
  }
}

function spaceIn({ fingerprint, dimensions, terms }: CorpusFit): TermSpace {
  const rows = new Map(terms.map(({ term, ...row }) => [term, row]));
  return { fingerprint, dimensions, find: (term) => rows.get(term) };
}

/** Gives every sealed segment of a scope a column in the new space, one transaction each. */
async function moveSegments(
  access: RefitAccess,
  view: IndexView,
  leg: LatentLeg,
  scope: Scope,
  space: TermSpace,
  signal: AbortSignal | undefined,
): Promise<void> {
  const keys = await access.look((rows) => view.scope(rows, scope)?.sealed.map(({ row }) => row) ?? []);
  for (const key of keys) {
    throwIfAborted(signal, "The fit");
    await access.write((rows) => {
      const held = view.scope(rows, scope);
      const segment = held?.sealed.find(({ row }) => row === key);
      if (held === undefined || segment === undefined) return;
      const stamp = rows.stamp() + 1;
      if (!moveSegment(rows, segment, leg, space, stamp)) return;
      rows.putScope({ ...held.row, stamp });
      rows.setStamp(stamp);
    });
  }
}

/** **Shape** whether there was anything to do. */
function moveSegment(
  rows: DirectoryWriter,
  segment: SealedSegment,
  leg: LatentLeg,
  space: TermSpace,
  stamp: number,
): boolean {
  const version = versionKey(leg.versionOf(space));
  if (hasColumn(segment, version)) return false;
  const headers = segment.headers();
  const writer = createColumnWriter(version, "dense", leg.versionOf(space).dimensions, "int8");
  const terms = collectTerms(segment, (ordinal) => segment.present[ordinal] === 1);
  for (const [ordinal, counts] of terms) writer.add(ordinal, leg.vectorOf(space, counts));
  // A column that some chunks lack is not written over: who has read it must see that it is another.
  const isPartial = (one: ColumnHeader): boolean => one.version === version;
  headers.forEach((one, column) => {
    if (isPartial(one)) dropColumnFiles(rows, segment.row, column);
  });
  const { header, files } = writer.finish(headers.length);
  for (const { name, part, data } of files) rows.addFile(segment.row, name, part, data);
  const columns = [...headers.map((one) => (isPartial(one) ? droppedColumn : one)), header];
  rows.putSegmentColumns(segment.row, JSON.stringify(columns), stamp);
  return true;
}

/** Moves what came meanwhile, makes the new space the current one, and drops the old. */
function changeOver(
  rows: DirectoryWriter,
  view: IndexView,
  leg: LatentLeg,
  fit: FitRow | undefined,
  space: TermSpace,
): boolean {
  // The fit has another key where terms were forgotten meanwhile. A missing fit means that another process changed over first.
  const ours = fit && rows.fits().find(({ current, fingerprint }) => !current && fingerprint === fit.fingerprint);
  if (fit !== undefined && ours === undefined) return false;
  const stamp = rows.stamp() + 1;
  const version = versionKey(leg.versionOf(space));
  for (const { scope } of rows.scopes()) {
    const held = view.scope(rows, scope);
    if (held === undefined) continue;
    for (const segment of held.sealed) moveSegment(rows, segment, leg, space, stamp);
    const terms = collectLiveTerms(held.tail, () => true);
    for (const [ordinal, row] of held.tail.rows()) {
      const given = decodeVectors(row.vectors).filter((vector) => !isOwnVersion(vector.version));
      const vectors = encodeVectors([...given, leg.vectorOf(space, terms.get(ordinal)!)]);
      rows.deletePending(row.key);
      rows.addPending(held.row.key, { ...row, stamp, vectors });
    }
    for (const { key } of rows.segmentStamps(held.row.key))
      dropColumns(rows, key, (other) => other !== version && isOwnVersion(other), stamp);
    rows.putScope({ ...held.row, stamp, rewrites: held.row.rewrites + 1 });
  }
  if (ours !== undefined) {
    for (const other of rows.fits()) if (other.key !== ours.key) rows.deleteFit(other.key);
    rows.putFit({ ...ours, current: true });
  }
  rows.setStamp(stamp);
  return true;
}
