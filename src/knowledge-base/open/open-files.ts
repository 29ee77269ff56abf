import { join } from "node:path";
import type { BlobStore } from "../../contracts/blob-store.ts";
import { openFileBlobStore } from "../../stores/blobs/open-file-blob-store.ts";
import { openBesidePostgres } from "../../stores/postgres/beside-postgres.ts";
import { folderOf } from "./location.ts";

/** The files that a service keeps beside a knowledge base: uploads as they came, and threads. */
export function openFiles(location: string): BlobStore {
  const folder = folderOf(location);
  return folder === undefined ? openBesidePostgres(location).files : openFileBlobStore(join(folder, "files"));
}
