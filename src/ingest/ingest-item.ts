import type { MediaDocument, TextDocument } from "../contracts/document.ts";
import type { SourceItem, SourceRefusal, SourceUnchanged } from "../contracts/reader.ts";

/** What one ingestion takes in: things to read, things already read, and things that a source could not give. */
export type IngestItem = SourceItem | SourceRefusal | SourceUnchanged | TextDocument | MediaDocument;

/** What is in flight at once: while one document waits for its model or the disk, others are read and cut. Of small ones twice what shares a commit, so that the next are prepared meanwhile. */
export const mostInFlight = 64;
/** Of a larger document, or one whose size nobody knows yet. */
const largeWeight = 4;
/** **Units** bytes of a file, UTF-16 code units of a text. */
const smallSize = 64 * 1024;

/** What an item counts for among those in flight. */
export function weighItem(item: IngestItem): number {
  const size = "bytes" in item ? item.size : "text" in item ? item.text.length : 0;
  return size !== undefined && size <= smallSize ? 1 : largeWeight;
}

/** What an item goes by in results and errors. */
export function uriOf(item: IngestItem): string {
  if ("uri" in item) return item.uri;
  const name = item.metadata.fileName;
  return typeof name === "string" ? name : `(${item.type})`;
}
