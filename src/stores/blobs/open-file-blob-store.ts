import { join, resolve } from "node:path";
import { createFileBlobStore, type FileBlobStoreOptions } from "./file-blob-store.ts";
import { createTurns } from "../sqlite/take-turns.ts";
import type { BlobStore } from "../../contracts/blob-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

/**
 * A {@link BlobStore} in a folder, made when something is put into it; of as many processes as have it.
 *
 * @experimental
 */
export function openFileBlobStore(folder: string, options: FileBlobStoreOptions = {}): BlobStore {
  checkGiven("openFileBlobStore", "folder", folder, "text");
  checkOptions("openFileBlobStore", options, { maxBytes: true });
  if (folder.trim() === "" || /^[a-z][a-z0-9+.-]+:\/\//iu.test(folder)) {
    throw new IbidError("invalid-argument", "openFileBlobStore: that is not a folder.", {
      hint: "Name a folder on a local file system; for a bucket there is openS3BlobStore.",
    });
  }
  const place = resolve(folder);
  return createFileBlobStore(place, createTurns(join(place, ".turns")), options);
}
