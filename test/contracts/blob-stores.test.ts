import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { createFileBlobStore } from "../../src/stores/blobs/file-blob-store.ts";
import { openS3BlobStore } from "../../src/stores/blobs/s3-blob-store.ts";
import { createTurns } from "../../src/stores/sqlite/take-turns.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { createBlobStorePack } from "../../src/testing/blob-store-pack.ts";
import { s3Credentials, type S3Server, startS3Server } from "../support/s3-server.ts";
import { runPack } from "./run-pack.ts";

const limit = (maxBytes: number | undefined): { maxBytes?: number } => (maxBytes === undefined ? {} : { maxBytes });

describe("the blob store in memory", () => {
  runPack(createBlobStorePack({ create: (maxBytes) => createMemoryBlobStore(limit(maxBytes)) }));
});

describe("the blob store in a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-blobs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  runPack(
    createBlobStorePack({
      create(maxBytes) {
        const place = join(folder, String(count++));
        return createFileBlobStore(place, createTurns(join(place, ".turns")), limit(maxBytes));
      },
    }),
  );
});

describe("the blob store in a bucket", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server.close());
  let count = 0;
  runPack(
    createBlobStorePack({
      create: (maxBytes) => {
        server.clear();
        // Now with a prefix, now without.
        const prefix = count++ % 2 === 0 ? "" : "some where/";
        const { endpoint } = server;
        return openS3BlobStore({
          bucket: "bucket",
          endpoint,
          credentials: s3Credentials,
          prefix,
          retryDelayMs: 1,
          ...limit(maxBytes),
        });
      },
    }),
  );
});
