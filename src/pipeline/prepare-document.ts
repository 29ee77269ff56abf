import { checkChunkIds } from "../chunks/check-chunk-ids.ts";
import { transformChunks } from "../chunks/transform-chunks.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, ChunkTransformer, Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { ReadResult, SourceItem } from "../contracts/reader.ts";
import { readDocument } from "../documents/read-document.ts";
import { limitsOf, overLimit } from "../documents/read-limits.ts";
import { sha256 } from "../text/hash.ts";
import type { IngestStages } from "./stages.ts";

/** Bytes to text, tree and map, by the first reader that takes them. **Errors** as {@link Reader}, and `unsupported-media` when none does. */
export function readItem(
  { readers, limits }: Pick<IngestStages, "readers" | "limits">,
  item: SourceItem,
  bytes: Uint8Array,
  {
    password,
    signal,
    charset = item.charset,
  }: {
    readonly password?: string | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly charset?: string | undefined;
  },
): Promise<ReadResult & { readonly mediaType: string }> {
  const { uri, mediaType, metadata } = item;
  return readDocument(readers, { uri, bytes, mediaType, charset, password, limits, metadata, signal });
}

/** The bytes of an item. **Errors** the source's own, and `too-large` where the item's size says so before anything of it is in memory. */
export async function fetchBytes(
  { limits }: Pick<IngestStages, "limits">,
  item: SourceItem,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { maxBytes } = limitsOf({ ...(limits && { limits }) });
  const { uri, size = 0 } = item;
  if (size > maxBytes) throw overLimit(uri, "maxBytes", maxBytes, size);
  return item.bytes(signal);
}

/** Cuts and transforms a document. **Errors** `invalid-id` before anything is embedded (W16). */
export async function cutDocument(
  chunker: Chunker | AsyncChunker,
  transformers: readonly ChunkTransformer[],
  document: TextDocument,
  signal?: AbortSignal,
): Promise<readonly Chunk[]> {
  const options = signal === undefined ? {} : { signal };
  const chunks = await transformChunks(chunker.chunk(document, options), transformers, { document, ...options });
  checkChunkIds(chunks);
  return chunks;
}

/** Chunks that are embedded and handed on together. */
const batchSize = 512;

/**
 * Cuts a document that nothing is written around, some chunks at a time: the next are cut when the ones before have been taken.
 *
 * **Errors** as {@link cutDocument}.
 */
export async function* cutInBatches(
  chunker: Chunker | AsyncChunker,
  document: TextDocument,
  signal?: AbortSignal,
): AsyncGenerator<readonly Chunk[], undefined> {
  let batch: Chunk[] = [];
  for await (const chunk of chunker.chunk(document, signal === undefined ? {} : { signal })) {
    batch.push(chunk);
    if (batch.length < batchSize) continue;
    checkChunkIds(batch);
    yield batch;
    batch = [];
  }
  checkChunkIds(batch);
  if (batch.length > 0) yield batch;
  return undefined;
}

/** The platform copies what it hashes, so a large file is given to it in pieces. */
const hashedAtOnce = 16 * 1024 * 1024;

/** SHA-256, hexadecimal, by the platform's own code: files are hashed at every run. **Shape** beyond 16 MiB the hash of the hashes of its pieces. */
export async function hashBytes(bytes: Uint8Array): Promise<string> {
  if (bytes.length > hashedAtOnce) {
    const hashes: string[] = [];
    for (let at = 0; at < bytes.length; at += hashedAtOnce) {
      hashes.push(await hashBytes(bytes.subarray(at, at + hashedAtOnce)));
    }
    return sha256(hashes.join(" "));
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Dates change when a file is copied or checked out; by themselves they do not make a document another. */
const volatileKeys: ReadonlySet<string> = new Set(["createdAt", "modifiedAt"]);

/** A hash of metadata, and of what else the caller said of a document, that does not depend on the order of its keys, nor on dates. */
export function hashMetadata(metadata: Metadata, ...said: readonly string[]): string {
  const entries = Object.entries(metadata).filter(([key, value]) => value !== undefined && !volatileKeys.has(key));
  return sha256(JSON.stringify([said, entries.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}
