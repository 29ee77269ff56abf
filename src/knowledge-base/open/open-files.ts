import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../../contracts/blob-store.ts";
import { openFileBlobStore } from "../../stores/blobs/open-file-blob-store.ts";
import { partFiles } from "../../stores/sqlite/knowledge-base-folder.ts";
import { openBesidePostgres } from "../../stores/postgres/beside-postgres.ts";
import { folderOf } from "./location.ts";

/** Bytes of the files of a knowledge base in a folder, by part; `undefined` for one in a database. */
export function openPartSizes(location: string): (() => Promise<Readonly<Record<string, number>>>) | undefined {
  const folder = folderOf(location);
  if (folder === undefined) return undefined;
  const sizeOf = (path: string): Promise<number> =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  return async () => {
    const sizes: Record<string, number> = {};
    for (const [part, files] of Object.entries(partFiles(folder)))
      sizes[part] = (await Promise.all(files.map(sizeOf))).reduce((sum, size) => sum + size, 0);
    return sizes;
  };
}

/** The files that a service keeps beside a knowledge base: uploads as they came, and threads. */
export function openFiles(location: string): BlobStore {
  const folder = folderOf(location);
  return folder === undefined ? openBesidePostgres(location).files : openFileBlobStore(join(folder, "files"));
}
