import { IbidError } from "../../contracts/errors.ts";
import type { RawKnowledgeStore } from "./raw-store.ts";
import type { DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

/**
 * A purge is several transactions: rows go in the first, and searches find nothing of them from then on; postings, fitted terms and the bytes in the files follow.
 * That it was begun is written with the first and struck out after the last, so that whoever opens the files after a crash knows that there is something to finish.
 */
export const owedSetting = "purge owed since";

/** Notes, in the transaction that removes the rows, that the rest must follow. **Shape** whether an earlier one is still unfinished. */
export function owePurge(rows: DirectoryWriter): boolean {
  const before = rows.setting(owedSetting);
  rows.setSetting(owedSetting, String(rows.stamp() + 1));
  return before !== undefined;
}

/** Since when something is owed; `undefined` when nothing is. */
export function readOwed(rows: DirectoryReader): string | undefined {
  return rows.setting(owedSetting);
}

export function isPurgeOwed(rows: DirectoryReader): boolean {
  return readOwed(rows) !== undefined;
}

/** Strikes it out, unless another purge was begun meanwhile. */
export function strikeOwed(rows: DirectoryWriter, since: string): void {
  if (rows.setting(owedSetting) === since) rows.deleteSetting(owedSetting);
}

/** For whoever opens a store: a process that was killed while it purged left the rest to them; where it cannot be done now, to whoever opens it next. */
export async function finishPurges(raw: RawKnowledgeStore): Promise<void> {
  try {
    await raw.doScrub?.();
  } catch (error) {
    if (!IbidError.isInstance(error, "store-busy") && !IbidError.isInstance(error, "store-failed")) throw error;
  }
}
