import { join } from "node:path";
import type { BlobStore } from "../../contracts/blob-store.ts";
import { openFileBlobStore } from "../../stores/blobs/open-file-blob-store.ts";
import { folderOf } from "./location.ts";

/** The files that a service keeps beside a knowledge base in a folder: uploads as they came, and threads. `undefined` for a knowledge base elsewhere. */
export function openFiles(location: string): BlobStore | undefined {
  const folder = folderOf(location);
  return folder === undefined ? undefined : openFileBlobStore(join(folder, "files"));
}
