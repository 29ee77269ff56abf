import type { Scope } from "../../contracts/scope.ts";
import type { DeleteOptions, DeleteTarget, DocumentStore, Trash } from "../../contracts/store.ts";
import { isDiskFull, purgeFailed, withReserve } from "./disk-full.ts";
import { createDocumentWriter } from "./document-writer.ts";
import { type Removed, sendErrand } from "./errands.ts";
import type { Purge } from "./purge.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { DirectoryReader, SegmentDirectory, DocumentRow } from "./segment-directory.ts";
import type { FreshnessMark } from "../../contracts/document-store.ts";

type Writes = Pick<DocumentStore, "replace" | "delete" | "touch"> & Pick<Trash, "restore">;

/** Writes to a segment store: each is one transaction; sealing and merging follow it. */
export function segmentWrites(core: SegmentCore, purge: Purge): Writes {
  const { directory, look, write, tidy } = core;
  const { now } = core.options;
  const replace = createDocumentWriter(core);

  /** Where a target is changed: in the directory's thread when it may have many chunks. */
  const threadFor = async (scope: Scope, target: DeleteTarget): Promise<SegmentDirectory["thread"]> => {
    const { thread } = directory;
    if (thread === undefined) return undefined;
    const { isLargeTarget } = await import("./delete-chunks.ts");
    return (await look((rows) => isLargeTarget(rows, core, scope, target))) ? thread : undefined;
  };

  async function remove(scope: Scope, target: DeleteTarget, options: DeleteOptions): Promise<Removed> {
    const { removeChunks } = await import("./delete-chunks.ts");
    const given = { scope, target, options, now: now() };
    const thread = await threadFor(scope, target);
    return withReserve(directory, () => sendErrand(thread, "remove", given, () => removeChunks(core, given)));
  }

  return {
    // Chained, not awaited in one function: the written chunks need not stay in memory while segments are merged.
    replace: (scope, entry) => replace(scope, entry).then((done) => tidy(scope).then(() => done)),

    async delete(scope, target, options = {}) {
      const isPurge = "scope" in target || options.purge === true;
      const { chunks, receipt, resumes } = await remove(scope, target, options).catch(async (error: unknown) => {
        if (!isPurge || !isDiskFull(error)) throw error;
        // To hide takes less room than to remove.
        const isHidden =
          !("scope" in target) &&
          (await remove(scope, target, { ...options, purge: false }).then(
            () => true,
            () => false,
          ));
        throw purgeFailed(error, isHidden);
      });
      if (isPurge) await (resumes ? purge.resume() : purge.finish([scope]));
      await tidy(scope);
      return { chunks, receipt };
    },

    async restore(scope, target) {
      const { restoreChunks } = await import("./delete-chunks.ts");
      const given = { scope, target, now: now() };
      return sendErrand(await threadFor(scope, target), "restore", given, () => restoreChunks(core, given));
    },

    async touch(scope, id, mark) {
      const stale = (rows: DirectoryReader) => {
        const held = rows.scope(scope);
        const row = held && rows.documentById(held.key, id);
        return row === undefined || row.deletedAt !== null ? undefined : markRow(row, mark);
      };
      if ((await look(stale)) === undefined) return;
      await write((rows) => {
        const row = stale(rows);
        if (row !== undefined) rows.putDocument(row);
      });
    },
  };
}

/** The row with its mark; `undefined` when that changes nothing. */
function markRow(row: DocumentRow, mark: FreshnessMark): DocumentRow | undefined {
  const { folder, checkedAt, validators, fingerprint } = mark;
  const marked: DocumentRow = {
    ...row,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(folder === undefined ? {} : { folder }),
    ...(checkedAt === undefined || checkedAt < row.ingestedAt ? {} : { checkedAt }),
    ...(validators && { etag: validators.etag ?? null, lastModified: validators.lastModified ?? null }),
  };
  const keys = ["folder", "checkedAt", "etag", "lastModified", "fingerprint"] as const;
  return keys.some((key) => marked[key] !== row[key]) ? marked : undefined;
}
