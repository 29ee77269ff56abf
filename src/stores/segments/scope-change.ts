import type { Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { type BuiltSegment, sealSegment } from "../../engine/segments/build-segment.ts";
import { type ChunkTerms, encodeTerms } from "../../engine/segments/chunk-terms.ts";
import { chooseMerge, type SegmentPolicy } from "../../engine/segments/merge-policy.ts";
import { packState, type SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { decodeVectors, encodeVectors, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import { hashParts } from "../../runtime/hash.ts";
import { findPlace, type IndexView, type ScopeView } from "./index-view.ts";
import { noteDeparture } from "./fit-members.ts";
import { fittedOn, type LatentLeg } from "./latent-leg.ts";
import { addSegment } from "./seal-tail.ts";
import type { ChunkRow, DirectoryReader, DirectoryWriter, PendingRow } from "./segment-directory.ts";
import { boardBytes } from "./shelf.ts";

/**
 * The changes of one transaction to one scope: rows at once, the index's bookkeeping in `finish`.
 *
 * The view shows the scope as it was before. It must not be updated until the transaction is over, or it might keep a change that is rolled
 * back.
 */
export interface ScopeChange {
  readonly rows: DirectoryWriter;
  /** As it was before; `undefined` when the scope held nothing. */
  readonly before: ScopeView | undefined;
  /** The scope's row; made when first asked for. */
  scopeKey(): number;
  add(row: Omit<ChunkRow, "key" | "scope">, said: SaidOfChunk): void;
  /** As `add`, with terms and all of its vectors as their bytes. */
  addEncoded(row: Omit<ChunkRow, "key" | "scope">, terms: Uint8Array, vectors: Uint8Array): void;
  /** Adds the row alone of a chunk that comes with `putSegment`. */
  addSealed(row: Omit<ChunkRow, "key" | "scope">): void;
  putSegment(segment: BuiltSegment): void;
  /** For good: the row goes, and what the index has of it cannot be found any more. */
  remove(row: ChunkRow): void;
  /** Out of sight, until restored or removed. */
  hide(row: ChunkRow, deletedAt: number): void;
  unhide(row: ChunkRow): void;
  /** Changes the row of a live chunk whose terms and vectors stay; `facts` when it is of what filters see. */
  update(row: ChunkRow, facts: boolean): void;
  /** Something that the index does not know of was changed. */
  touch(): void;
  /** Says that a document leaves those who read the scope: a fit that is made of it is set aside. */
  depart(): void;
  /** Marks content as removed for good: the receipt's `life` changes, so that nothing derived from the content is kept. */
  forget(): void;
  /** **Shape** whether anything changed. */
  finish(): boolean;
  /** The receipt of the commit, once it is finished. */
  receipt(): Receipt;
  /** Chunks of the live segment, once this is done. */
  waiting(): number;
  /** Whether, once this is done, there may be something to seal or to merge. */
  isUntidy(policy: SegmentPolicy): boolean;
}

/** Terms and vectors of a chunk as `encodeTerms` and `encodeVectors` write them. */
export interface EncodedChunk {
  readonly terms: Uint8Array;
  /** Absent where they are none yet. */
  readonly vectors?: Uint8Array | undefined;
}

/** Terms and given vectors of a chunk that is added; `encoded` where they are bytes already. */
interface SaidOfChunk {
  readonly terms: () => ChunkTerms;
  readonly vectors: readonly StoredVector[];
  readonly encoded?: EncodedChunk | undefined;
}

/** Keys of scopes are never used again, so what is left of a scope that went counts for no other. */
function changesSetting(scope: number): string {
  return `changes of ${scope}`;
}

function livesSetting(scope: number): string {
  return `lives of ${scope}`;
}

/**
 * The state of a scope, as a receipt of its newest commit.
 *
 * **Shape** `stamp` counts calls that changed the scope. `life` changes when something in the scope is removed for good.
 * `life` is a hash, because a row key would reveal the number of other scopes; it begins with one of the base. `"none"` for a scope that holds nothing.
 */
export function readReceipt(rows: DirectoryReader, scope: Scope): Receipt {
  return receiptOf(rows, scope, rows.scope(scope)?.key);
}

function receiptOf(rows: DirectoryReader, scope: Scope, key: number | undefined): Receipt {
  if (key === undefined) return { scope, life: "none", stamp: 0 };
  const secret = rows.setting("secret") ?? "";
  const life = hashParts(secret, String(key), rows.setting(livesSetting(key)) ?? "0").slice(0, 16);
  return { scope, life: `${nameOfBase(secret)}${life}`, stamp: count(rows, changesSetting(key)) };
}

/** Names of bases that were read last, by their secrets. */
const baseNames = new Map<string, string>();

function nameOfBase(secret: string): string {
  let name = baseNames.get(secret);
  if (name === undefined) {
    if (baseNames.size > 64) baseNames.clear();
    baseNames.set(secret, (name = hashParts(secret, "base").slice(0, 8)));
  }
  return name;
}

/** Whether a receipt is of another base. Shorter lives, of earlier versions, say nothing of it. */
export function isOfOtherBase(rows: DirectoryReader, { life }: Receipt): boolean {
  return life.length === 24 && !life.startsWith(nameOfBase(rows.setting("secret") ?? ""));
}

/** Whether the commit of a receipt is in this state. Another life began with a purge, a vacuum or a reset after the commit. */
export function isReached(rows: DirectoryReader, { scope, life, stamp }: Receipt): boolean {
  const now = readReceipt(rows, scope);
  return now.life !== life || now.stamp >= stamp;
}

/** Says that something in the scope changed; and, where what was made of it must go, that it lives anew. */
export function countRevision(rows: DirectoryWriter, scope: number, forgotten: boolean): void {
  for (const setting of forgotten ? [livesSetting(scope), changesSetting(scope)] : [changesSetting(scope)]) {
    rows.setSetting(setting, String(count(rows, setting) + 1));
  }
}

function count(rows: DirectoryReader, setting: string): number {
  return Number(rows.setting(setting) ?? 0);
}

/** Says that whatever was derived from the scope's chunks must go. */
export function startNewLife(rows: DirectoryWriter, scope: number): void {
  countRevision(rows, scope, true);
}

/** A chunk that was added, as it waits: bytes take less room than what they say. */
type ArrivingChunk = Pick<PendingRow, "key" | "id" | "terms" | "vectors">;

interface ChangedSegment {
  readonly live: Uint8Array;
  readonly present: Uint8Array;
}

/** Options of {@link changeScope}. */
export interface ScopeChangeOptions {
  readonly latent?: LatentLeg | undefined;
  /** Chunks that come in one change and are sealed at once, never waiting together in memory: a large document has as many as a corpus. */
  readonly sealAt?: number;
}

/** Chunks that wait each by themselves. */
const fewArriving = 64;

/** **Units** bytes. */
const leastBoard = 64 * 1024;

/** A place for the terms of chunks that are sealed together. Each by itself would outlive the young, and its bytes stay until there are many. */
function createBoard(): { put(bytes: Uint8Array): Uint8Array; clear(): void } {
  let board = new Uint8Array(0);
  let used = 0;
  return {
    put(bytes) {
      if (used + bytes.length > board.length) {
        board = new Uint8Array(Math.max(bytes.length, Math.min(boardBytes, 2 * board.length || leastBoard)));
        used = 0;
      }
      board.set(bytes, used);
      used += bytes.length;
      return board.subarray(used - bytes.length, used);
    },
    clear() {
      used = 0;
    },
  };
}

export function changeScope(
  rows: DirectoryWriter,
  view: IndexView,
  scope: Scope,
  { latent, sealAt = Infinity }: ScopeChangeOptions = {},
): ScopeChange {
  const before = view.scope(rows, scope);
  const stamp = rows.stamp() + 1;
  const segments = new Map<SealedSegment, ChangedSegment>();
  /** Chunks that were added and are in the index nowhere yet, by row. */
  const arriving = new Map<number, ArrivingChunk>();
  const board = createBoard();
  let key = before?.row.key;
  let added = before?.segments.reduce((sum, { liveCount }) => sum + liveCount, 0) ?? 0;
  let rewritten = false;
  let changed = false;
  let forgotten = false;
  let departed = false;
  /** Documents of which a chunk has gone or says something else. */
  const reworded = new Set<number>();
  let sealed = false;

  function changeSegment(segment: SealedSegment): ChangedSegment {
    let state = segments.get(segment);
    if (state === undefined) {
      segments.set(segment, (state = { live: segment.live.slice(), present: segment.present.slice() }));
    }
    return state;
  }

  function scopeKey(): number {
    changed = true;
    return (key ??= rows.addScope(scope, stamp));
  }

  function sealArriving(scopeRow: number): void {
    const sealing = Array.from(arriving.values(), ({ key, id, terms, vectors }) => ({
      key,
      id,
      live: true,
      terms: () => terms,
      vectors: () => decodeVectors(vectors),
    }));
    putSegment(scopeRow, sealSegment(sealing, rows));
    arriving.clear();
    board.clear();
  }

  function putSegment(scopeRow: number, segment: BuiltSegment): void {
    addSegment(rows, scopeRow, stamp, segment);
    sealed = true;
  }

  const waiting = (): number => (before?.tail.presentCount ?? 0) + arriving.size;

  const addRow = (row: Omit<ChunkRow, "key" | "scope">): number => rows.addChunk({ ...row, scope: scopeKey() });

  function arrive(chunk: ArrivingChunk): void {
    arriving.set(chunk.key, arriving.size < fewArriving ? chunk : { ...chunk, terms: board.put(chunk.terms) });
    if (arriving.size >= sealAt) sealArriving(scopeKey());
  }

  /** Sets whether a chunk can be found. */
  function setLive(row: ChunkRow, live: boolean): void {
    changed = true;
    const place = before && findPlace(before, row.key);
    if (place === undefined) return;
    if (place.segment === undefined) {
      rows.markPending(row.key, live, stamp);
      rewritten = true;
    } else {
      changeSegment(place.segment).live[place.ordinal] = live ? 1 : 0;
    }
  }

  return {
    rows,
    before,
    scopeKey,
    add(row, { terms, vectors, encoded }) {
      const chunk = addRow(row);
      const own = latent?.embed(rows, terms, added++) ?? [];
      arrive({
        key: chunk,
        id: row.id,
        terms: encoded?.terms ?? encodeTerms(terms()),
        vectors: (own.length === 0 ? encoded?.vectors : undefined) ?? encodeVectors([...vectors, ...own]),
      });
    },
    addEncoded(row, terms, vectors) {
      arrive({ key: addRow(row), id: row.id, terms, vectors });
    },
    addSealed: (row) => void addRow(row),
    putSegment: (segment) => putSegment(scopeKey(), segment),
    remove(row) {
      changed = true;
      const place = before && findPlace(before, row.key);
      if (arriving.delete(row.key)) {
        // It came in this very change.
      } else if (place?.segment === undefined) {
        rows.deletePending(row.key);
        rewritten = true;
      } else {
        const state = changeSegment(place.segment);
        state.live[place.ordinal] = 0;
        state.present[place.ordinal] = 0;
      }
      rows.deleteChunk(row.key);
      reworded.add(row.document);
    },
    hide(row, deletedAt) {
      setLive(row, false);
      rows.putChunk({ ...row, deletedAt });
    },
    unhide(row) {
      setLive(row, true);
      rows.putChunk({ ...row, deletedAt: null });
    },
    update(row, facts) {
      changed = true;
      if (facts) setLive(row, true);
      rows.putChunk(row);
      reworded.add(row.document);
    },
    touch() {
      changed = true;
    },
    depart() {
      departed = true;
    },
    forget() {
      forgotten = true;
    },
    finish() {
      if (!changed) return false;
      for (const document of reworded) rows.forgetSayings(document);
      for (const chunk of arriving.values()) rows.addPending(scopeKey(), { ...chunk, stamp, live: true });
      for (const [segment, { live, present }] of segments) {
        if (present.includes(1)) rows.putSegmentState(segment.row, packState(live, present, segment.size), stamp);
        else rows.deleteSegment(segment.row);
      }
      const rewrites = (before?.row.rewrites ?? 0) + (rewritten ? 1 : 0);
      if (key !== undefined) {
        rows.putScope({ key, scope, stamp, rewrites });
        countRevision(rows, key, forgotten);
      }
      if (departed && scope === fittedOn) noteDeparture(rows);
      rows.setStamp(stamp);
      return true;
    },
    receipt: () => receiptOf(rows, scope, key),
    waiting,
    isUntidy: (policy) =>
      sealed ||
      segments.size > 0 ||
      waiting() >= policy.sealAt ||
      chooseMerge(before?.sealed ?? [], policy) !== undefined,
  };
}
