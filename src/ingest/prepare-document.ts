import { checkChunkIds } from "../chunkers/check-chunk-ids.ts";
import { transformChunks } from "../chunkers/transformers/transform-chunks.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, ChunkTransformer, Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { ReadInput, SourceItem } from "../contracts/reader.ts";
import { type FoundResult, readDocument } from "../readers/read-document.ts";
import { fileNameOf } from "../readers/file-name.ts";
import { mediaTypeOfName } from "../readers/media-type-names.ts";
import { limitsOf, overLimit } from "../readers/read-limits.ts";
import { sha256 } from "../runtime/hash.ts";
import { letGo, markOwn } from "../runtime/own-bytes.ts";
import { giveTurn, nextTurn } from "../runtime/next-turn.ts";
import type { IngestStages } from "./stages.ts";

/** A caller's options for an item, beside those of its source. */
interface Said {
  readonly password?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly charset?: string | undefined;
  readonly onPage?: ReadInput["onPage"] | undefined;
}

/** The stages that reading needs. */
type ReadingStages = Pick<IngestStages, "readers" | "limits" | "keepsEmpty">;

/** Bytes to text, tree and map, by the first reader that takes them. **Errors** as {@link Reader}, and `unsupported-media` when none does. */
export function readItem(
  { readers, limits }: ReadingStages,
  item: SourceItem,
  bytes: Uint8Array,
  { password, signal, charset = item.charset, onPage }: Said,
): Promise<FoundResult> {
  const { uri, mediaType, metadata } = item;
  return readDocument(readers, { uri, bytes, mediaType, charset, password, limits, metadata, signal, onPage });
}

/** The result of a reader; where empty documents are kept, one without text for a file that has none. */
async function orEmpty(
  { keepsEmpty = false }: ReadingStages,
  { uri, mediaType }: SourceItem,
  reading: Promise<FoundResult>,
): Promise<FoundResult> {
  if (!keepsEmpty) return reading;
  try {
    return await reading;
  } catch (error) {
    if (!IbidError.isInstance(error, "empty")) throw error;
    const name = fileNameOf(uri);
    const root = { id: "0", title: name, level: 0, start: 0, end: 0, contentStart: 0, children: [] };
    const type = mediaTypeOfName(name) ?? mediaType ?? "text/plain";
    return {
      title: name,
      text: "",
      root,
      sourceMap: { lines: "none" },
      metadata: {},
      mediaType: type,
      notes: [error.message],
    };
  }
}

/** An item whose bytes were seen once: what they hash to, and how to read them. */
export interface SeenItem {
  readonly contentHash: string;
  readonly bytes: number;
  /** To be called once. **Errors** as {@link readItem}; what {@link untilSteady} takes where the bytes are others by now. */
  read(said: Said): Promise<FoundResult>;
}

/** Items that are smaller come whole: nothing is gained by coming twice. **Units** bytes. */
const largeItem = 1024 * 1024;

/** Thrown where an item gives other bytes the second time. */
class ItemChanged extends Error {}

/** How often an item is read that is another each time, before it is left for the next ingestion. */
const attempts = 3;

/** Does again what found that its item had changed. **Errors** `unreadable` when that does not end. */
export async function untilSteady<Result>({ uri }: SourceItem, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ItemChanged)) throw error;
    }
  }
  throw new IbidError("unreadable", `${uri} was changed each of the ${attempts} times that it was read.`, {
    uri,
    hint: "Ingest it again when the program that writes it has finished.",
    details: { attempts },
  });
}

/**
 * Has a first look at an item's bytes. A large item is read piece by piece, so that an unchanged one is never whole in memory.
 *
 * **Errors** the source's own, and `too-large` where the item's size says so before anything of it is in memory.
 */
export async function seeItem(
  stages: ReadingStages,
  item: SourceItem,
  signal: AbortSignal | undefined,
): Promise<SeenItem> {
  const seen = await seeBytes(stages, item, signal);
  return { ...seen, read: (said) => orEmpty(stages, item, seen.read(said)) };
}

async function seeBytes(stages: ReadingStages, item: SourceItem, signal: AbortSignal | undefined): Promise<SeenItem> {
  const { maxBytes } = limitsOf({ ...(stages.limits && { limits: stages.limits }) });
  const { uri, size = 0 } = item;
  if (size > maxBytes) throw overLimit(uri, "maxBytes", maxBytes, size);
  const pieces = item.pieces?.bind(item);
  if (pieces === undefined || size < largeItem) {
    let bytes: Uint8Array | undefined = await item.bytes(signal);
    return {
      contentHash: await hashBytes(bytes),
      bytes: bytes.byteLength,
      read(said) {
        const given = bytes!;
        // Once the text is read nobody needs both.
        bytes = undefined;
        return readItem(stages, item, given, said);
      },
    };
  }
  const open = pieces;
  const first = createContentHash();
  for await (const piece of open(signal)) {
    await first.add(piece);
    if (first.bytes > maxBytes) throw overLimit(uri, "maxBytes", maxBytes, first.bytes);
  }
  const contentHash = await first.finish();

  /** All bytes, in a buffer of our own that goes when they are elsewhere. */
  async function readWhole(wanted: AbortSignal | undefined): Promise<Uint8Array> {
    const bytes = markOwn(new Uint8Array(first.bytes));
    const hash = createContentHash();
    let length = 0;
    for await (const piece of open(wanted)) {
      if (length + piece.length > bytes.length) throw new ItemChanged();
      bytes.set(piece, length);
      length += piece.length;
      await hash.add(piece);
    }
    if ((await hash.finish()) !== contentHash) throw new ItemChanged();
    return bytes;
  }

  return {
    contentHash,
    bytes: first.bytes,
    async read(said) {
      const { password, charset = item.charset } = said;
      const { mediaType, metadata } = item;
      const again = createContentHash();
      async function* hashed(): AsyncGenerator<Uint8Array> {
        for await (const piece of open(said.signal)) {
          await again.add(piece);
          yield piece;
        }
      }
      const { readers, limits } = stages;
      const input = {
        uri,
        pieces: hashed(),
        size: first.bytes,
        mediaType,
        charset,
        password,
        limits,
        metadata,
        signal: said.signal,
      };
      const { readTextPieces } = await import("../readers/text/read-text-pieces.ts");
      const result = await readTextPieces(readers, input);
      if (result === undefined) return readItem(stages, item, await readWhole(said.signal), said);
      if ((await again.finish()) !== contentHash) throw new ItemChanged();
      return result;
    },
  };
}

/** Cuts and transforms a document. **Errors** `invalid-id` before anything is embedded. */
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

/** Chunks that are handed on together. Where a model embeds them it gets more, in requests beside each other. */
const batchSizes = { embedded: 512, plain: 64 };

/** Chunks that are cut between two looks at the clock. */
const cutAtOnce = 8;

/**
 * Cuts a document that nothing is written around, some chunks at a time: the next are cut when the ones before have been taken.
 *
 * **Errors** as {@link cutDocument}.
 */
export async function* cutInBatches(
  chunker: Chunker | AsyncChunker,
  document: TextDocument,
  { signal, isEmbedded }: { readonly signal?: AbortSignal | undefined; readonly isEmbedded: boolean },
): AsyncGenerator<readonly Chunk[], undefined> {
  const batchSize = isEmbedded ? batchSizes.embedded : batchSizes.plain;
  let batch: Chunk[] = [];
  // The first chunk takes a look at the whole document.
  await nextTurn();
  for await (const chunk of chunker.chunk(document, signal === undefined ? {} : { signal })) {
    if (batch.push(chunk) % cutAtOnce === 0) await giveTurn();
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

/** Up to here it is hashed at once; what is longer, by the platform in a thread of its own. */
const hashedHere = 64 * 1024;

/** SHA-256, hexadecimal, of what is large by the platform's own code: files are hashed at every run. **Shape** beyond 16 MiB the hash of the hashes of its pieces. */
export async function hashBytes(bytes: Uint8Array): Promise<string> {
  const hashes: string[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += hashedAtOnce) {
    hashes.push(await digest(bytes.subarray(at, at + hashedAtOnce)));
  }
  return joinHashes(hashes);
}

/** {@link hashBytes} of bytes that come one after the other. **Cost** memory for 16 MiB of them, and the platform's copy. */
function createContentHash(): {
  /** So far. */
  readonly bytes: number;
  add(bytes: Uint8Array): Promise<void>;
  finish(): Promise<string>;
} {
  const hashes: string[] = [];
  const board = new Uint8Array(hashedAtOnce);
  let waiting = 0;
  let total = 0;
  return {
    get bytes() {
      return total;
    },
    async add(bytes) {
      total += bytes.length;
      for (let at = 0; at < bytes.length;) {
        if (waiting === board.length) {
          hashes.push(await digest(board));
          waiting = 0;
        }
        const part = bytes.subarray(at, at + board.length - waiting);
        board.set(part, waiting);
        waiting += part.length;
        at += part.length;
      }
    },
    async finish() {
      try {
        return joinHashes([...hashes, await digest(board.subarray(0, waiting))]);
      } finally {
        letGo(markOwn(board));
      }
    },
  };
}

async function digest(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= hashedHere) return sha256(bytes);
  const hashed = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hashed, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function joinHashes(hashes: readonly string[]): string {
  return hashes.length === 1 ? hashes[0]! : sha256(hashes.join(" "));
}

/** Dates change when a file is copied or checked out; by themselves they do not make a document another. */
const volatileKeys: ReadonlySet<string> = new Set(["createdAt", "modifiedAt"]);

/** A hash of metadata, and of the caller's other options for a document. The order of keys does not change it, nor do `createdAt` and `modifiedAt`. */
export function hashMetadata(metadata: Metadata, ...said: readonly string[]): string {
  const entries = Object.entries(metadata).filter(([key, value]) => value !== undefined && !volatileKeys.has(key));
  return sha256(JSON.stringify([said, entries.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}
