import { compileFilter } from "../../engine/filters/compile-filter.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DeleteOptions, DeleteTarget } from "../../contracts/store.ts";
import { type Removal, type Removed, type RestoreTarget, worthAThread } from "./errands.ts";
import { forgetFormerChunks, keepAbsence, keepsHistory, vacuumFormers } from "./former-versions.ts";
import type { ScopeView } from "./index-view.ts";
import { fittedOn } from "./latent-leg.ts";
import { beginPurge } from "./purge.ts";
import { readReceipt, type ScopeChange } from "./scope-change.ts";
import { retireVersions } from "./scope-versions.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { ChunkRow, DirectoryReader, DocumentRow } from "./segment-directory.ts";

/** Deletes in one transaction. **Errors** as {@link deleteTargets}. */
export async function removeChunks(core: SegmentCore, { scope, target, options, now }: Removal): Promise<Removed> {
  if ("scope" in target) return emptyScope(core, scope);
  const matches = "filter" in target ? compileFilter(target.filter) : () => false;
  let resumes = false;
  const { result: chunks, receipt } = await core.change(scope, (changes) => {
    if (options.purge === true) {
      changes.forget();
      resumes = beginPurge(changes.rows, scope);
    }
    return deleteTargets(changes, target, options, now, (held) => findByMetadata(held, matches));
  });
  return { chunks, receipt, resumes };
}

async function emptyScope({ write, view, latent }: SegmentCore, scope: Scope): Promise<Removed> {
  const { dropFits } = await import("./refit.ts");
  return write((rows) => {
    const held = view.scope(rows, scope);
    if (held === undefined) return { chunks: 0, receipt: readReceipt(rows, scope), resumes: true };
    beginPurge(rows, scope);
    rows.deleteScope(held.row.key);
    if (latent !== undefined && scope === fittedOn) dropFits(rows, view, latent);
    rows.setStamp(rows.stamp() + 1);
    const chunks = held.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
    return { chunks, receipt: readReceipt(rows, scope), resumes: true };
  });
}

/** Takes back a delete in one transaction. **Shape** as {@link restoreTargets}. */
export async function restoreChunks(
  { change }: SegmentCore,
  { scope, target, now }: { readonly scope: Scope; readonly target: RestoreTarget; readonly now: number },
): Promise<number> {
  return (await change(scope, (changes) => restoreTargets(changes, target, now))).result;
}

/** Removes for good what was deleted at or before `until`. **Shape** how many chunks went. */
export async function vacuumChunks(
  { change, write, view }: SegmentCore,
  { scope, until, now }: { readonly scope: Scope; readonly until: number; readonly now: number },
): Promise<number> {
  const { result } = await change(scope, (changes) => {
    changes.forget();
    beginPurge(changes.rows, scope);
    return vacuumScope(changes, until);
  });
  await write((rows) => retireVersions(rows, view, scope, until, now));
  return result;
}

/** A document of these bytes may have as many chunks as are worth a thread, where they are short. */
const worthAThreadInBytes = worthAThread * 250;

/** Whether a target may have so many chunks that another thread had better change them. **Cost** a look at the documents' rows, never at their chunks. */
export function isLargeTarget(
  rows: DirectoryReader,
  { view }: Pick<SegmentCore, "view">,
  scope: Scope,
  target: DeleteTarget,
): boolean {
  const held = view.scope(rows, scope);
  const all = held?.segments.reduce((sum, { size }) => sum + size, 0) ?? 0;
  if (held === undefined || all < worthAThread) return false;
  if ("scope" in target) return true;
  if ("filter" in target) return findByMetadata(held, compileFilter(target.filter)).length >= worthAThread;
  if ("ids" in target) return target.ids.length >= worthAThread;
  let bytes = 0;
  for (const id of target.documentIds) bytes += rows.documentById(held.row.key, id)?.bytes ?? 0;
  return target.documentIds.length >= worthAThread || bytes >= worthAThreadInBytes;
}

/** The rows that a delete or a restore applies to. */
interface Targets {
  readonly chunks: readonly ChunkRow[];
  readonly documents: readonly DocumentRow[];
  /** Ids that nothing live answers to. */
  readonly missing: readonly string[];
}

/** Chunks of the scope whose metadata a filter admits, restorable ones included. */
type FindByFilter = (view: ScopeView) => readonly number[];

/**
 * Deletes what `target` names in one scope; the whole scope is not handled here.
 *
 * **Shape** how many live chunks went. Purging also takes what was deleted before.
 * **Errors** `not-found` for an unknown id, when that is an error; then nothing was deleted.
 */
function deleteTargets(
  change: ScopeChange,
  target: Exclude<DeleteTarget, { readonly scope: true }>,
  options: DeleteOptions,
  now: number,
  findByFilter: FindByFilter,
): number {
  const targets = findTargets(change, target, findByFilter);
  if (options.onMissing === "error" && targets.missing.length > 0) {
    const what = "documentIds" in target ? "document" : "chunk";
    throw new IbidError("not-found", `There is no ${what} with the id "${targets.missing[0]}".`, {
      hint: "Nothing was deleted. Leave the id out, or ignore what is missing.",
      details: { missing: targets.missing },
    });
  }
  let gone = 0;
  for (const row of targets.chunks) {
    if (row.deletedAt === null) gone++;
    if (options.purge === true) change.remove(row);
    else if (row.deletedAt === null) change.hide(row, now);
  }
  if (options.purge === true && !("documentIds" in target)) purgeFromPast(change, target);
  if (gone > 0) change.depart();
  for (const document of targets.documents) {
    if (options.purge === true) change.rows.deleteDocument(document.key);
    else if (document.deletedAt === null) change.rows.putDocument({ ...document, deletedAt: now });
    else continue;
    change.touch();
  }
  return gone;
}

/** The past of a purged document goes with its row; that of a purged chunk is in versions of its document. */
function purgeFromPast(
  change: ScopeChange,
  target: Exclude<DeleteTarget, { readonly scope: true } | { readonly documentIds: readonly string[] }>,
): void {
  const { rows, before } = change;
  if (before === undefined || !keepsHistory(rows)) return;
  change.touch();
  if ("filter" in target) {
    const matches = compileFilter(target.filter);
    forgetFormerChunks(rows, before.row.key, ({ metadata }) => matches(metadata));
  } else {
    const ids = new Set(target.ids);
    forgetFormerChunks(rows, before.row.key, ({ id }) => ids.has(id));
  }
}

function findTargets(
  { rows, before }: ScopeChange,
  target: Exclude<DeleteTarget, { readonly scope: true }>,
  findByFilter: FindByFilter,
): Targets {
  if (before === undefined) {
    const missing = "ids" in target ? target.ids : "documentIds" in target ? target.documentIds : [];
    return { chunks: [], documents: [], missing };
  }
  if ("filter" in target)
    return { chunks: findByFilter(before).map((key) => rows.chunk(key)), documents: [], missing: [] };
  return "ids" in target
    ? targetsById(rows, before.row.key, target.ids)
    : targetsByDocument(rows, before.row.key, target.documentIds);
}

function targetsById(rows: DirectoryReader, scope: number, ids: readonly string[]): Targets {
  const chunks: ChunkRow[] = [];
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const row = rows.chunkById(scope, id);
    if (row !== undefined) chunks.push(row);
    if (row === undefined || row.deletedAt !== null) missing.push(id);
  }
  return { chunks, documents: [], missing };
}

function targetsByDocument(rows: DirectoryReader, scope: number, ids: readonly string[]): Targets {
  const chunks: ChunkRow[] = [];
  const documents: DocumentRow[] = [];
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const found = rows.chunksOfDocument(scope, id);
    const document = rows.documentById(scope, id);
    for (const chunk of found) chunks.push(chunk);
    if (document !== undefined) documents.push(document);
    if (document?.deletedAt !== null && !found.some(({ deletedAt }) => deletedAt === null)) missing.push(id);
  }
  return { chunks, documents, missing };
}

/**
 * Takes back a delete.
 *
 * **Shape** the number of chunks restored. A document is restored with the chunks deleted together with it, not with chunks deleted earlier.
 * A restored chunk restores its document too, so that it can be cited.
 */
function restoreTargets(change: ScopeChange, target: RestoreTarget, now: number): number {
  const { before, rows } = change;
  if (before === undefined) return 0;
  const scope = before.row.key;
  const { chunks, documents } =
    "ids" in target ? targetsById(rows, scope, target.ids) : targetsByDocument(rows, scope, target.documentIds);
  const homes = new Map<string, DocumentRow | undefined>(documents.map((document) => [document.id, document]));
  const when = new Map(documents.map(({ id, deletedAt }) => [id, deletedAt]));
  const back = new Map<string, ChunkRow[]>();
  let restored = 0;
  for (const row of chunks) {
    if (row.deletedAt === null) continue;
    const deleted = when.get(row.documentId) ?? null;
    if (deleted !== null && deleted !== row.deletedAt) continue;
    change.unhide(row);
    restored++;
    const others = back.get(row.documentId);
    if (others === undefined) back.set(row.documentId, [row]);
    else others.push(row);
    if (!homes.has(row.documentId)) homes.set(row.documentId, rows.documentById(scope, row.documentId));
  }
  const isKept = keepsHistory(rows);
  for (const document of homes.values()) {
    if (document === undefined) continue;
    const own = back.get(document.id) ?? [];
    if (isKept && (own.length > 0 || document.deletedAt !== null)) keepAbsence(rows, document, own, now);
    if (document.deletedAt === null) continue;
    rows.putDocument({ ...document, deletedAt: null });
    change.touch();
  }
  return restored;
}

/** Removes for good what was deleted at or before a time. **Shape** how many chunks went. */
function vacuumScope(change: ScopeChange, until: number): number {
  const { before, rows } = change;
  if (before === undefined) return 0;
  const chunks = rows.deletedChunks(before.row.key, until);
  const ended = chunks.map(({ deletedAt }) => deletedAt!);
  for (const row of chunks) change.remove(row);
  for (const document of rows.deletedDocuments(before.row.key, until)) {
    // A chunk that still takes its words from the document needs it.
    if (rows.chunksOfDocument(before.row.key, document.id).some((row) => row.document === document.key)) continue;
    rows.deleteDocument(document.key);
    ended.push(document.deletedAt!);
    change.touch();
  }
  const former = vacuumFormers(rows, before.row.key, until, ended);
  if (former > 0) change.touch();
  return chunks.length + former;
}

/** Live chunks and restorable ones, whose metadata is admitted. */
function findByMetadata(view: ScopeView, matches: (metadata: Metadata) => boolean): number[] {
  const keys: number[] = [];
  const look = (
    key: number,
    at: number,
    facts: { readonly index: Uint32Array },
    verdicts: readonly boolean[],
  ): void => {
    if (verdicts[facts.index[at]!] === true) keys.push(key);
  };
  for (const segment of view.sealed) {
    const facts = segment.facts();
    const verdicts = facts.values.map(({ metadata }) => matches(metadata));
    for (let i = 0; i < segment.size; i++) if (segment.present[i] === 1) look(segment.key(i), i, facts, verdicts);
  }
  const facts = view.tail.facts();
  const verdicts = facts.values.map(({ metadata }) => matches(metadata));
  for (const [ordinal, row] of view.tail.rows()) look(row.key, ordinal, facts, verdicts);
  return keys;
}
