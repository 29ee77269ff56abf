import type { TextDocument } from "./document.ts";
import type { DocumentSummary } from "./document-store.ts";
import type { SaidOfIt } from "./reader.ts";

/**
 * When a document that is kept already is looked at again, and whether what was read then takes its place.
 *
 * **Shape** asked once for each document of an ingestion, `kept` being what the scope holds under that uri. What is not looked at is `unchanged`.
 * A policy says what is worth the work, not what is true: whatever it lets through, the same bytes under the same pipeline write nothing.
 * **Source** Embabel `ContentRefreshPolicy`.
 */
export interface RefreshPolicy {
  /** Before anything is read. `kept` is `undefined` for what is not there; `said` is what its source says of it without fetching it. */
  shouldReread(uri: string, kept: DocumentSummary | undefined, said?: SaidOfIt): boolean | Promise<boolean>;
  /** After it was read and found to be another, before anything is written. Default: yes. */
  shouldRefreshDocument?(document: TextDocument, kept: DocumentSummary | undefined): boolean | Promise<boolean>;
}
