import type { BlobStore } from "../contracts/blob-store.ts";

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
