import type { Scope } from "../../contracts/scope.ts";
import type { DeleteOptions, DeleteResult, DocumentStore, Trash } from "../../contracts/store.ts";
import { compileFilter } from "../../engine/filters/compile-filter.ts";
import { isDiskFull, purgeFailed, withReserve } from "./disk-full.ts";
import { createDocumentWriter } from "./document-writer.ts";
import { fittedOn } from "./latent-leg.ts";
import { markRow } from "./mark-row.ts";
import { beginPurge, type Purge } from "./purge.ts";
import { readReceipt } from "./scope-change.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { DirectoryReader } from "./segment-directory.ts";

type Writes = Pick<DocumentStore, "replace" | "delete" | "touch"> & Pick<Trash, "restore">;

/** Writes to a segment store: each is one transaction; sealing and merging follow it. */
export function segmentWrites(core: SegmentCore, purge: Purge): Writes {
  const { directory, look, write, change, tidy, view, latent } = core;
  const { now } = core.options;
  const replace = createDocumentWriter(core);

  async function deleteScope(scope: Scope): Promise<DeleteResult> {
    const { dropFits } = await import("./refit.ts");
    const empty = (): Promise<DeleteResult> =>
      write((rows) => {
        const held = view.scope(rows, scope);
        if (held === undefined) return { chunks: 0, receipt: readReceipt(rows, scope) };
        beginPurge(rows);
        rows.deleteScope(held.row.key);
        if (latent !== undefined && scope === fittedOn) dropFits(rows, view, latent);
        rows.setStamp(rows.stamp() + 1);
        const chunks = held.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
        return { chunks, receipt: readReceipt(rows, scope) };
      });
    const gone = await withReserve(directory, empty).catch((error: unknown) => {
      throw purgeFailed(error, false);
    });
    await purge.resume();
    return gone;
  }

  return {
    // Chained, not awaited in one function: the written chunks need not stay in memory while segments are merged.
    replace: (scope, entry) => replace(scope, entry).then((done) => tidy(scope).then(() => done)),

    async delete(scope, target, deleteOptions = {}) {
      if ("scope" in target) return deleteScope(scope);
      const { deleteTargets, findByMetadata } = await import("./delete-chunks.ts");
      const matches = "filter" in target ? compileFilter(target.filter) : () => false;
      let resumes = false;
      const remove = (how: DeleteOptions) => () =>
        change(scope, (changes) => {
          if (how.purge === true) {
            changes.forget();
            resumes = beginPurge(changes.rows);
          }
          return deleteTargets(changes, target, how, now(), (held) => findByMetadata(held, matches));
        });
      const { result: chunks, receipt } = await withReserve(directory, remove(deleteOptions)).catch(async (error) => {
        if (deleteOptions.purge !== true || !isDiskFull(error)) throw error;
        // To hide takes less room than to remove.
        const isHidden = await remove({ ...deleteOptions, purge: false })().then(
          () => true,
          () => false,
        );
        throw purgeFailed(error, isHidden);
      });
      if (deleteOptions.purge === true) await (resumes ? purge.resume() : purge.finish([scope]));
      await tidy(scope);
      return { chunks, receipt };
    },

    async restore(scope, target) {
      const { restoreTargets } = await import("./delete-chunks.ts");
      return (await change(scope, (changes) => restoreTargets(changes, target))).result;
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
