import type { Chosen } from "../contracts/complete.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { BlobStore } from "../contracts/blob-store.ts";
import type { Prices } from "../contracts/chat.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, ChunkTransformer, Chunker } from "../contracts/chunker.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import type { Enhancer } from "../contracts/enhancer.ts";
import type { ImageEmbedder } from "../contracts/extraction.ts";
import type { Store } from "../contracts/store.ts";
import type { Reader, ReadLimits } from "../contracts/reader.ts";
import type { ArchiveInput, ArchiveMember } from "../readers/archives/unpack-archive.ts";

/** A model beside the knowledge base's own, for some chunks alone. Its version is set apart. */
export interface ApartEmbedder {
  readonly embedder: Embedder;
  readonly embeds: (chunk: Chunk) => boolean;
}

/** The stages that a document walks through, chosen once when the knowledge base is opened. */
export interface IngestStages {
  readonly readers: readonly Reader[];
  /** Opens archives. Default: none; an archive is a file like others, and refused. */
  readonly unpack?: ((input: ArchiveInput) => AsyncIterable<ArchiveMember>) | undefined;
  /** How much one file may ask for. Default: `defaultReadLimits`. */
  readonly limits?: Chosen<ReadLimits> | undefined;
  /** Whether a file without text is a document without text. Default: it is refused. */
  readonly keepsEmpty?: boolean | undefined;
  readonly chunker: Chunker | AsyncChunker;
  readonly transformers: readonly ChunkTransformer[];
  /** Add to the metadata of documents; their transformers are among `transformers`. Default: none. */
  readonly enhancers?: readonly Enhancer[] | undefined;
  /** Without one, documents are found by their words alone. */
  readonly embedder?: Embedder | undefined;
  /** Embedders for models that were used before, as long as scopes may be searched by their vectors. */
  readonly formerEmbedders?: readonly Embedder[] | undefined;
  /** Texts that count as embedded: those sent, or those that needed a vector, whether or not the cache had it. Default `"sent"`. */
  readonly counts?: "sent" | "needed" | undefined;
  /** Prices by `provider/model`. Default: unknown. */
  readonly prices?: Prices | undefined;
  /** Models beside the knowledge base's own, for some chunks alone. */
  readonly apart?: readonly ApartEmbedder[] | undefined;
  readonly store: Store;
  /** Where the bytes of pictures, recordings and files go. Default: nowhere, and they are refused. */
  readonly blobs?: (() => Promise<BlobStore>) | undefined;
  /** Opens the files that are kept beside the knowledge base: originals, places on pages, and threads. Where there are none, only if something is written. Default: nothing is kept. */
  readonly openKept?: ((isWritten?: boolean) => Promise<BlobStore | undefined>) | undefined;
  /** Embeds pictures. Default: none. */
  readonly imageEmbedder?: ImageEmbedder | undefined;
  /** Clock of the looks at documents. **Units** milliseconds since 1970. Default: the machine's. */
  readonly now?: (() => number) | undefined;
  /** The store's own, for the languages that it knows. Without one, a document is in the language that it says. */
  readonly analyzer?: Analyzer | undefined;
}
