/** `ibid/stores` on Node. */
export * from "./index.ts";
export { openS3BlobStore } from "./blobs/s3-blob-store.ts";
export { openFileBlobStore } from "./blobs/open-file-blob-store.ts";
