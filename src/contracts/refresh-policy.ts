import type { TextDocument } from "./document.ts";
import type { DocumentSummary } from "./document-store.ts";
import type { SaidOfIt } from "./reader.ts";

/**
 * Decides when a stored document is read again, and whether the new version replaces it.
 *
 * **Shape** called once for each document of an ingestion; `kept` is the scope's version under that uri. A document that is not read again is `unchanged`.
 * A policy only saves work: even without one, the same bytes under the same pipeline write nothing.
 * **Source** Embabel `ContentRefreshPolicy`.
 *
 * @experimental
 */
export interface RefreshPolicy {
  /**
   * Before anything is read. `kept` is `undefined` for what is not there; `said` is what its source says of it without fetching it; `at` is the time of
   * the knowledge base, in milliseconds since 1970.
   */
  shouldReread(
    uri: string,
    kept: DocumentSummary | undefined,
    said?: SaidOfIt,
    at?: number,
  ): boolean | Promise<boolean>;
  /** After it was read and found to be another, before anything is written. Default: yes. */
  shouldRefreshDocument?(document: TextDocument, kept: DocumentSummary | undefined): boolean | Promise<boolean>;
}
