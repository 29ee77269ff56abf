import type { BlobStore } from "../contracts/blob-store.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { IngestStages } from "./stages.ts";
import { fromBase64 } from "../text/base64.ts";
import type { Incoming } from "./write-document.ts";

/** Key of the places of a text on its pages, by the hash of the file that it was read from. */
export const placesKey = (contentHash: string): string => `places/${contentHash}`;

/** Keeps packed places of a document. They go again where a purge took the document meanwhile. **Errors** `files` and `isHeld` give theirs. */
export async function keepPlaces(
  files: BlobStore,
  contentHash: string,
  places: Uint8Array,
  isHeld: () => Promise<boolean>,
): Promise<void> {
  const key = placesKey(contentHash);
  await files.put(key, places);
  if (!(await isHeld())) await files.delete(key);
}

/** Keeps where a text that was ingested stands on its pages. Places that cannot be kept are read from the original when they are wanted. */
export async function keepPlacesOf(
  { openKept, store }: IngestStages,
  from: AuthorizedScopes,
  { contentHash, document: { id } }: Incoming["facts"],
  places: string,
): Promise<void> {
  const isHeld = async (): Promise<boolean> => (await store.structure(from, id))?.summary.contentHash === contentHash;
  try {
    const files = await openKept?.(true);
    if (files !== undefined) await keepPlaces(files, contentHash, fromBase64(places), isHeld);
  } catch {
    // The document stands; its places are not worth its failure.
  }
}
