import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import { encodeVectors, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { decodeRows, encodeRows, type SnapshotRow } from "../snapshot/snapshot-rows.ts";
import type { ChunkRow, DirectoryReader, DirectoryWriter, DocumentBody, DocumentRow } from "./segment-directory.ts";

/** Says, once it is set, since when former versions are kept. **Units** milliseconds since 1970, as text. */
const historySetting = "former versions since";

/** Says since when the past of one scope is whole: a vacuum removed what ended before. Keys of scopes are never used again. */
const wholeSetting = (scope: number): string => `past of ${scope} since`;

export function keepsHistory(rows: DirectoryReader): boolean {
  return rows.setting(historySetting) !== undefined;
}

/** The time from which the past of a scope is whole; `undefined` where no former versions are kept. */
export function historySince(rows: DirectoryReader, scope: number): number | undefined {
  const since = rows.setting(historySetting);
  if (since === undefined) return undefined;
  return Math.max(Number(since), Number(rows.setting(wholeSetting(scope)) ?? 0));
}

/** Keeps former versions from now on, unless they are kept already. A store that holds nothing has lost nothing, so its past is whole. */
export function beginHistory(rows: DirectoryWriter, now: number): void {
  rows.keepFormers();
  if (!keepsHistory(rows)) rows.setSetting(historySetting, rows.scopes().length === 0 ? "0" : String(now));
}

/** Erases every former version, and keeps none from now on. */
export function endHistory(rows: DirectoryWriter): void {
  if (!keepsHistory(rows)) return;
  for (const { key } of rows.scopes()) {
    for (const former of rows.formers(key)) rows.deleteFormer(former.key);
    rows.deleteSetting(wholeSetting(key));
  }
  rows.deleteSetting(historySetting);
}

/** A chunk as a former version keeps it. */
export interface FormerChunk extends Omit<ChunkRow, "scope" | "document" | "documentId" | "textKey"> {
  /** See `encodeVectors`; without the store's own. */
  readonly vectors: Uint8Array;
}

/** The data of a row of the past: a version, or a time in which a document or some of its chunks were deleted. */
export type FormerContent =
  | { readonly row: DocumentRow; readonly body: DocumentBody; readonly chunks: readonly FormerChunk[] }
  | {
      /** When the document was deleted; `null` where it was not. */
      readonly documentSince: number | null;
      /** When each chunk was deleted, by id. */
      readonly chunksSince: readonly (readonly [id: string, since: number])[];
    };

/** **Shape** the rows of a snapshot, under names of their own. */
function encodeFormer(content: FormerContent): Uint8Array {
  if ("documentSince" in content) return encodeRows([["absence", 0, content]]);
  const { row, body, chunks } = content;
  const rows: SnapshotRow[] = [["version", 0, { row, body }]];
  for (const chunk of chunks) rows.push(["chunk", chunk.key, chunk]);
  return encodeRows(rows);
}

export function decodeFormer(data: Uint8Array): FormerContent {
  const [first, ...chunks] = decodeRows(data);
  const [kind, , head] = first!;
  if (kind === "absence") return head as FormerContent;
  return {
    ...(head as { readonly row: DocumentRow; readonly body: DocumentBody }),
    chunks: chunks.map(([, , chunk]) => chunk as FormerChunk),
  };
}

export const timeOf = ({ ingestedAt }: Pick<DocumentRow, "ingestedAt">): number => Date.parse(ingestedAt);

/** The time of a write, but never before the document's last: a clock that goes back must not let two versions stand at once. */
export function notBefore(ingestedAt: string, before: DocumentRow): string {
  const last = Math.max(timeOf(before), before.deletedAt ?? 0);
  return Date.parse(ingestedAt) >= last ? ingestedAt : new Date(last).toISOString();
}

/**
 * Keeps a document that is about to be replaced. A damaged one is not kept. It could be shown at no time, and the next one can be written.
 *
 * **Cost** its chunks and its text are read once, and held while they are encoded.
 */
export function keepFormer(
  rows: DirectoryWriter,
  before: DocumentRow,
  replacedAt: string,
  vectorsOf: (row: ChunkRow) => readonly StoredVector[],
): void {
  const { scope, id, deletedAt } = before;
  const [from, to] = [timeOf(before), deletedAt ?? Date.parse(replacedAt)];
  // Nobody could have seen it.
  if (from >= to) return;
  const held = rows.chunksOfDocument(scope, id);
  const body = bodyOf(rows, before.key);
  if (body === undefined || before.isMisnamed === true || held.some(({ isDamaged }) => isDamaged)) return;
  const chunks = held.map((row): FormerChunk => {
    const { scope: _scope, document: _document, documentId: _id, textKey: _key, ...kept } = row;
    return { ...kept, vectors: encodeVectors(vectorsOf(row)) };
  });
  const content: FormerContent = { row: before, body, chunks };
  rows.addFormer({ scope, documentId: id, from, to, chunks: chunks.length, data: encodeFormer(content) });
}

/** `undefined` where it is damaged. */
function bodyOf(rows: DirectoryReader, document: number): DocumentBody | undefined {
  try {
    return rows.documentBody(document);
  } catch (error) {
    if (IbidError.isInstance(error, "store-corrupt")) return undefined;
    throw error;
  }
}

/** Notes when a document and some of its chunks were deleted, before they are restored. */
export function keepAbsence(
  rows: DirectoryWriter,
  document: DocumentRow,
  chunks: readonly ChunkRow[],
  restoredAt: number,
): void {
  const chunksSince = chunks.map(({ id, deletedAt }) => [id, deletedAt!] as const);
  const times = chunksSince.map(([, since]) => since);
  const from = Math.min(...times, document.deletedAt ?? Infinity);
  if (from >= restoredAt) return;
  const data = encodeFormer({ documentSince: document.deletedAt, chunksSince });
  rows.addFormer({ scope: document.scope, documentId: document.id, from, to: restoredAt, chunks: 0, data });
}

/** Purges single chunks from the past of a scope. **Cost** reads every former version of the scope. */
export function forgetFormerChunks(
  rows: DirectoryWriter,
  scope: number,
  isPurged: (chunk: { readonly id: string; readonly metadata: Metadata }) => boolean,
): void {
  for (const documentId of new Set(rows.formers(scope).map((former) => former.documentId))) {
    for (const former of rows.formersOf(scope, documentId)) {
      const content = decodeFormer(former.data);
      if (!("chunks" in content)) continue;
      const chunks = content.chunks.filter(
        ({ id, metadata }) => !isPurged({ id, metadata: parseStored(metadata) as Metadata }),
      );
      if (chunks.length === content.chunks.length) continue;
      rows.putFormer({ ...former, chunks: chunks.length, data: encodeFormer({ ...content, chunks }) });
    }
  }
}

/**
 * Removes the past that ended at or before a time, and notes that the past is whole only after what was removed. `ended` is when the other things that are removed with
 * it ended.
 *
 * **Shape** how many chunks went.
 */
export function vacuumFormers(rows: DirectoryWriter, scope: number, until: number, ended: readonly number[]): number {
  if (!keepsHistory(rows)) return 0;
  let gone = 0;
  let last = ended.reduce((most, each) => Math.max(most, each), -Infinity);
  for (const { key, to, chunks } of rows.formers(scope)) {
    if (to > until) continue;
    rows.deleteFormer(key);
    gone += chunks;
    last = Math.max(last, to);
  }
  if (last > Number(rows.setting(wholeSetting(scope)) ?? 0)) rows.setSetting(wholeSetting(scope), String(last));
  return gone;
}
