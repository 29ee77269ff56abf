import { IbidError } from "../contracts/errors.ts";
import type { IngestProgress } from "../contracts/knowledge-base.ts";
import type { Store } from "../contracts/store.ts";

/** Tells a display, if there is one. One that fails must not fail the work that it displays. */
export function createReport(
  onProgress: ((progress: IngestProgress) => void) | undefined,
): (progress: IngestProgress) => void {
  return (progress) => {
    try {
      onProgress?.(progress);
    } catch {
      // A display that fails does not end the work.
    }
  };
}

/**
 * Lets the store finish what it put off, after all that was asked for is written.
 *
 * The documents are written and can be found, so a failed settling does not fail the ingestion: the next one tries again. A stop does stop.
 *
 * **Errors** `aborted`, `timeout`; `store-closed`, `store-corrupt`; `dependency-missing` for an engine without its package.
 */
export async function settleStore(
  store: Pick<Store, "upkeep">,
  signal: AbortSignal | undefined,
  onFit?: (share: number) => void,
): Promise<void> {
  try {
    await store.upkeep?.settle({ signal, onProgress: onFit });
  } catch (error) {
    if (isWorthStopping(error)) throw error;
  }
}

/** A stop was asked for; a store that is closed or broken will answer nothing else either, nor an engine without its package. */
function isWorthStopping(error: unknown): boolean {
  return (
    IbidError.isInstance(error) &&
    (["aborted", "timeout", "store-closed", "store-corrupt", "dependency-missing"] as string[]).includes(error.code)
  );
}
