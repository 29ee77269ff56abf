import type { CorpusFit, CorpusModel, FitChunk, TermCounts, TermSpace } from "../../contracts/corpus-model.ts";
import { type EmbeddingVersion, versionKey } from "../../contracts/embedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import { collectLiveTerms, collectTerms, collectTermsInSteps } from "../../engine/segments/forward-terms.ts";
import type { LiveSegment } from "../../engine/segments/live-segment.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { writeSpace } from "../../engine/vectors/space-file.ts";
import { decodeVectors, encodeVectors, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import type { ColumnHeader } from "../../engine/segments/column-header.ts";
import { createColumnWriter } from "../../engine/vectors/vector-column.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { dropColumnFiles, dropColumns, droppedColumn } from "./drop-columns.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { hasColumn, isAnyLacking, readFitState } from "./fit-due.ts";
import {
  chooseMembers,
  deleteFit,
  type FitMembers,
  forgetDeparture,
  isWhole,
  notePlacing,
  readMembers,
  writeMembers,
} from "./fit-members.ts";
import { fittedOn, type LatentLeg } from "./latent-leg.ts";
import { isOwnVersion } from "./own-version.ts";
import type { DirectoryReader, DirectoryWriter, FitRow } from "./segment-directory.ts";

/** Looks and writes of the directory, checked. */
export interface RefitAccess {
  look<Result>(work: (rows: DirectoryReader) => Result): Promise<Result>;
  write<Result>(work: (rows: DirectoryWriter) => Result): Promise<Result>;
}

/** Chunks that are placed in one slice: some milliseconds. */
const placedAtOnce = 256;

export interface RefitOptions {
  readonly signal?: AbortSignal | undefined;
  /** **Units** the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Fits the store's model when a fit is due ({@link readFitState}), and moves every chunk into the new space.
 *
 * Searches go on in the old space until every chunk has a vector in the new one, and then change over in one transaction. Chunks that came meanwhile get theirs
 * in that transaction.
 *
 * **Shape** whether it did. **Cost** the fit; two passes over the postings; one vector a chunk. Slices of some ten milliseconds, but for the
 * transactions. One writes a column, for each segment, and one changes over.
 */
export async function refit(
  access: RefitAccess,
  view: IndexView,
  leg: LatentLeg,
  { signal, onProgress }: RefitOptions = {},
): Promise<boolean> {
  const corpus = await access.look((rows) => {
    const { due, members: count } = readFitState(rows, view, leg);
    const held = view.scope(rows, fittedOn);
    if (due !== "fit" || held === undefined) return due === "drop" ? due : undefined;
    const pending = new Set(rows.fits().map(({ key }) => key));
    return { members: chooseMembers(held, count), stays: rememberPresent(held), before: currentOf(rows), pending };
  });
  if (corpus === "drop") return access.write((rows) => dropFits(rows, view, leg));
  if (corpus === undefined) return catchUp(access, view, leg);
  const { members, stays, before, pending } = corpus;
  const chosen = await chooseSample(access, view, members, leg, signal);
  // Something left or came back while the ids were read: the next settling has other members.
  if (chosen === undefined) return false;
  const sample = await readSample(access, view, chosen, signal);
  const fitted = await runFit(leg.model.fit(sample), signal, onProgress);
  // Chunks without a word in common make no space, and another corpus's space is not theirs.
  if (fitted.dimensions === 0) {
    return access.write(
      (rows) => currentOf(rows) === before && (dropFits(rows, view, leg) || catchUpIn(rows, view, leg)),
    );
  }
  const fit = await access.write((rows) => {
    if (currentOf(rows) !== before) return "overtaken";
    const others = rows.fits().filter(({ current }) => !current);
    // Another process began since, and its fit has chunks that ours lacks.
    if (others.some((other) => !pending.has(other.key) && (readMembers(rows, other)?.last ?? 0) > members.last))
      return undefined;
    for (const other of others) deleteFit(rows, other);
    const { fingerprint, dimensions, energy } = fitted;
    const row = { fingerprint, dimensions, corpus: members.count, chunks: fitted.chunks, energy, current: false };
    // Terms purged since the sample was taken must not come back.
    const held = view.scope(rows, fittedOn);
    const isHeld = stays(held) ? () => true : termsHeld(held);
    const terms = fitted.terms.filter(({ term }) => isHeld(term));
    // A chunk that went before its terms were read and came back is a member that the fit lacks.
    writeMembers(rows, fingerprint, sample.length === chosen.size ? members : { ...members, digest: "" });
    return { ...row, key: rows.addFit(row, writeSpace({ terms })) };
  });
  // Another process changed over meanwhile: what is due now is another matter.
  if (fit === "overtaken") return refit(access, view, leg, { signal, onProgress });
  if (fit === undefined) return false;
  const space = spaceIn(fitted);
  const scopes = await access.look((rows) => rows.scopes().map(({ scope }) => scope));
  for (const scope of scopes) await moveSegments(access, view, leg, scope, space, signal);
  return access.write((rows) => changeOver(rows, view, leg, fit, space));
}

/** Forgetting terms gives a fit another key, and leaves its fingerprint. */
const currentOf = (rows: DirectoryReader): string | undefined =>
  rows.fits().find(({ current }) => current)?.fingerprint;

/** Chunks that were written without the model, or by an earlier version of ours, get their vectors. */
async function catchUp(access: RefitAccess, view: IndexView, leg: LatentLeg): Promise<boolean> {
  const lacking = await access.look((rows) => isAnyLacking(rows, view, leg));
  return lacking && access.write((rows) => catchUpIn(rows, view, leg));
}

function catchUpIn(rows: DirectoryWriter, view: IndexView, leg: LatentLeg): boolean {
  return isAnyLacking(rows, view, leg) && changeOver(rows, view, leg, undefined, leg.space(rows));
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
    // The members stay what they were: the next settling sees that one has left.
    rows.deleteFit(fit.key);
    const key = rows.addFit(fit, writeSpace({ terms: kept }));
    const forgotten = terms.map(({ term }) => term).filter((term) => !isHeld(term));
    placeAgain(rows, view, leg, leg.spaceOf(rows, { ...fit, key }), forgotten);
  }
}

/**
 * Places the chunks that have forgotten terms again, by the words that are left. Another scope may still hold such words, and a copy made later knows no others.
 *
 * **Cost** one look-up a term and segment; the column of each segment that holds one.
 */
export function placeAgain(
  rows: DirectoryWriter,
  view: IndexView,
  leg: LatentLeg,
  space: TermSpace,
  forgotten: readonly string[],
): void {
  const version = leg.versionOf(space);
  const name = versionKey(version);
  const stamp = rows.stamp() + 1;
  const isForgotten = new Set(forgotten);
  for (const { scope } of rows.scopes()) {
    const held = view.scope(rows, scope);
    if (held === undefined) continue;
    const changed = held.sealed.filter((segment) => {
      const placed = [...segment.columns()].find((column) => column.version === name);
      if (placed === undefined || !forgotten.some((term) => segment.postings(term) !== undefined)) return false;
      const isPlaced = new Set(placed.ordinals);
      addColumn(
        rows,
        segment,
        version,
        placeChunks(segment, leg, space, (ordinal) => isPlaced.has(ordinal)),
        stamp,
      );
      return true;
    });
    const terms = collectLiveTerms(held.tail, () => true);
    const waiting = [...held.tail.rows()].filter(
      ([ordinal, row]) =>
        terms.get(ordinal)!.terms.some((term) => isForgotten.has(term)) &&
        decodeVectors(row.vectors).some((vector) => vector.version === name),
    );
    for (const [ordinal, row] of waiting) {
      const others = decodeVectors(row.vectors).filter((vector) => vector.version !== name);
      rows.deletePending(row.key);
      rows.addPending(held.row.key, {
        ...row,
        stamp,
        vectors: encodeVectors([...others, leg.vectorOf(space, terms.get(ordinal)!)]),
      });
    }
    if (changed.length + waiting.length > 0) rows.putScope({ ...held.row, stamp, rewrites: held.row.rewrites + 1 });
  }
  rows.setStamp(stamp);
}

/** Removes all that was fitted, when too little is left of what it was fitted on: everything goes back to where nothing is fitted. **Shape** whether it did. */
export function dropFits(rows: DirectoryWriter, view: IndexView, leg: LatentLeg): boolean {
  const fits = rows.fits();
  if (fits.length === 0) return false;
  for (const fit of fits) deleteFit(rows, fit);
  forgetDeparture(rows);
  return changeOver(rows, view, leg, undefined, leg.model.unfitted);
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

interface KnownChunk {
  readonly row: number;
  readonly id: string;
  readonly language: string;
}

/** Segments of the fitted scope, one in each look, and the tail in the first. Segments may be merged between two looks, so each begins with those that are there. */
async function lookAtEach(
  access: RefitAccess,
  view: IndexView,
  signal: AbortSignal | undefined,
  work: (segment: SealedSegment | LiveSegment) => void | (() => Promise<void>),
): Promise<void> {
  const tail = await access.look((rows) => {
    const held = view.scope(rows, fittedOn);
    return held && work(held.tail);
  });
  await tail?.();
  for (const seen = new Set<number>(); ;) {
    throwIfAborted(signal, "The fit");
    const next = await access.look((rows) => {
      const segment = view.scope(rows, fittedOn)?.sealed.find(({ row }) => !seen.has(row));
      if (segment === undefined) return undefined;
      seen.add(segment.row);
      return { after: work(segment) };
    });
    if (next === undefined) return;
    await next.after?.();
  }
}

/** Rows of the members that the model chooses, with their ids; `undefined` where they are not the members any more. */
async function chooseSample(
  access: RefitAccess,
  view: IndexView,
  { last, count }: FitMembers,
  { model }: LatentLeg,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, string> | undefined> {
  const known = new Map<number, KnownChunk>();
  await lookAtEach(access, view, signal, (segment) => {
    const ordinals: number[] = [];
    for (let ordinal = 0; ordinal < segment.size; ordinal++)
      if (segment.live[ordinal] === 1 && segment.key(ordinal) <= last) ordinals.push(ordinal);
    segment.chunkIds(ordinals).forEach((id, i) => {
      const ordinal = ordinals[i]!;
      const row = segment.key(ordinal);
      known.set(row, { row, id, language: segment.languageOf(ordinal) });
    });
  });
  if (known.size !== count) return undefined;
  const chosen = new Set(model.sample(known.values()));
  return new Map([...known.values()].flatMap(({ id, row }) => (chosen.has(id) ? [[row, id]] : [])));
}

/** Terms of chosen chunks, by row and id. A chunk that is gone meanwhile is left out. */
async function readSample(
  access: RefitAccess,
  view: IndexView,
  chosen: ReadonlyMap<number, string>,
  signal: AbortSignal | undefined,
): Promise<readonly FitChunk[]> {
  const chunks: FitChunk[] = [];
  const left = new Set(chosen.keys());
  const take = (row: number, terms: TermCounts): void => {
    if (left.delete(row)) chunks.push({ id: chosen.get(row)!, terms });
  };
  await lookAtEach(access, view, signal, (segment) => {
    if (!("blocks" in segment)) {
      const terms = collectLiveTerms(segment, (ordinal) => left.has(segment.key(ordinal)));
      for (const [ordinal, counts] of terms) take(segment.key(ordinal), counts);
      return undefined;
    }
    const isChosen = (ordinal: number): boolean => segment.live[ordinal] === 1 && left.has(segment.key(ordinal));
    const postings = takePostings(segment, isChosen);
    return async () => {
      for (const [ordinal, terms] of await collectInSlices(postings)) take(postings.key(ordinal), terms);
    };
  });
  return chunks;
}

/** A segment's postings, read whole, so that they can be gone through outside a transaction. */
interface TakenPostings {
  readonly size: number;
  readonly chosen: (ordinal: number) => boolean;
  readonly blocks: readonly Uint8Array[];
  readonly key: (ordinal: number) => number;
}

function takePostings(segment: SealedSegment, isChosen: (ordinal: number) => boolean): TakenPostings {
  const { size } = segment;
  const flags = Uint8Array.from({ length: size }, (_, ordinal) => Number(isChosen(ordinal)));
  return {
    size,
    chosen: (ordinal) => flags[ordinal] === 1,
    blocks: flags.includes(1) ? [...segment.blocks()] : [],
    key: (ordinal) => segment.key(ordinal),
  };
}

/** {@link collectTerms} with pauses for other work. */
async function collectInSlices({ size, chosen, blocks }: TakenPostings): Promise<ReadonlyMap<number, TermCounts>> {
  const steps = collectTermsInSteps(size, chosen, blocks);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
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
  const version = versionKey(leg.versionOf(space));
  const vectorOf = leg.vectorsOf(space);
  const find = (rows: DirectoryReader, key: number): SealedSegment | undefined =>
    view.scope(rows, scope)?.sealed.find(({ row }) => row === key);
  const keys = await access.look((rows) => view.scope(rows, scope)?.sealed.map(({ row }) => row) ?? []);
  for (const key of keys) {
    throwIfAborted(signal, "The fit");
    const taken = await access.look((rows) => {
      const segment = find(rows, key);
      if (segment === undefined || hasColumn(segment, version)) return undefined;
      return {
        present: segment.presentCount,
        postings: takePostings(segment, (ordinal) => segment.present[ordinal] === 1),
      };
    });
    if (taken === undefined) continue;
    const placed: [ordinal: number, vector: StoredVector][] = [];
    for (const [ordinal, counts] of await collectInSlices(taken.postings)) {
      placed.push([ordinal, vectorOf(counts)]);
      if (placed.length % placedAtOnce !== 0) continue;
      await nextTurn();
      throwIfAborted(signal, "The fit");
    }
    await access.write((rows) => {
      const held = view.scope(rows, scope);
      const segment = find(rows, key);
      // Purged words must not come back. The transaction that changes over places the chunks that are left.
      if (held === undefined || segment === undefined || segment.presentCount !== taken.present) return;
      if (hasColumn(segment, version)) return;
      const stamp = rows.stamp() + 1;
      addColumn(rows, segment, leg.versionOf(space), placed, stamp);
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
  if (hasColumn(segment, versionKey(leg.versionOf(space)))) return false;
  addColumn(
    rows,
    segment,
    leg.versionOf(space),
    placeChunks(segment, leg, space, () => true),
    stamp,
  );
  return true;
}

/** Vectors in a space, of those present chunks of a segment that are chosen. */
function placeChunks(
  segment: SealedSegment,
  leg: LatentLeg,
  space: TermSpace,
  isChosen: (ordinal: number) => boolean,
): readonly (readonly [ordinal: number, vector: StoredVector])[] {
  const terms = collectTerms(segment, (ordinal) => segment.present[ordinal] === 1 && isChosen(ordinal));
  const vectorOf = leg.vectorsOf(space);
  return Array.from(terms, ([ordinal, counts]) => [ordinal, vectorOf(counts)] as const);
}

function addColumn(
  rows: DirectoryWriter,
  segment: SealedSegment,
  { dimensions, ...version }: EmbeddingVersion,
  placed: readonly (readonly [ordinal: number, vector: StoredVector])[],
  stamp: number,
): void {
  const name = versionKey({ dimensions, ...version });
  const headers = segment.headers();
  const writer = createColumnWriter(name, "dense", dimensions, "int8");
  for (const [ordinal, vector] of placed) writer.add(ordinal, vector);
  // A column that some chunks lack is not written over: who has read it must see that it is another.
  const isPartial = (one: ColumnHeader): boolean => one.version === name;
  headers.forEach((one, column) => {
    if (isPartial(one)) dropColumnFiles(rows, segment.row, column);
  });
  const { header, files } = writer.finish(headers.length);
  for (const { name: file, part, data } of files) rows.addFile(segment.row, file, part, data);
  const columns = [...headers.map((one) => (isPartial(one) ? droppedColumn : one)), header];
  rows.putSegmentColumns(segment.row, JSON.stringify(columns), stamp);
}

/** Moves what came meanwhile, makes the new space the current one, and drops the old. */
export function changeOver(
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
    const vectorOf = leg.vectorsOf(space);
    for (const [ordinal, row] of held.tail.rows()) {
      const given = decodeVectors(row.vectors).filter((vector) => !isOwnVersion(vector.version));
      const vectors = encodeVectors([...given, vectorOf(terms.get(ordinal)!)]);
      rows.deletePending(row.key);
      rows.addPending(held.row.key, { ...row, stamp, vectors });
    }
    for (const { key } of rows.segmentStamps(held.row.key))
      dropColumns(rows, key, (other) => other !== version && isOwnVersion(other), stamp);
    rows.putScope({ ...held.row, stamp, rewrites: held.row.rewrites + 1 });
  }
  notePlacing(rows, space.fingerprint);
  if (ours !== undefined) {
    for (const other of rows.fits()) if (other.key !== ours.key) deleteFit(rows, other);
    rows.putFit({ ...ours, current: true });
    if (isWhole(rows, view.scope(rows, fittedOn), ours)) forgetDeparture(rows);
  }
  rows.setStamp(stamp);
  return true;
}
