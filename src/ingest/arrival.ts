import type { EmbeddingVersion } from "../contracts/embedding.ts";
import type { IbidError } from "../contracts/errors.ts";
import type { ChunkInput, InvalidChunk } from "../contracts/knowledge-base.ts";
import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import type { MediaDocument, Origin, Section, TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { SourceItem, Validators } from "../contracts/reader.ts";
import type { Span } from "../text/sentences.ts";
import type { Incoming } from "./write-document.ts";

/** A document on its way in, whatever form it has. Bytes are read, text is cut, chunks are embedded: each enters the one sequence further down. */
export interface Arrival {
  /** Name in results, errors and the store. */
  readonly uri: string;
  readonly title?: string | undefined;
  readonly metadata: Metadata;
  /** The folder whose walk found it; `null` for a document that was named outright. */
  readonly folder: string | null;
  /** Whether it lies in an archive: a file of a kind that nobody reads is passed by there, as in a walk. */
  readonly isMember?: boolean;
  readonly validators?: Validators | undefined;
  readonly content: ArrivalContent;
}

export type ArrivalContent =
  | BytesContent
  | TextContent
  | ChunksContent
  | MediaContent
  | UnchangedContent
  | RefusedContent;

/** A picture, a recording or a file that is kept whole. */
export interface MediaContent {
  readonly kind: "media";
  readonly document: MediaDocument;
}

export interface BytesContent {
  readonly kind: "bytes";
  readonly item: SourceItem;
}

/** A document that is read already. */
export interface TextContent {
  readonly kind: "text";
  readonly document: TextDocument;
  /** Default: the knowledge base's own. */
  readonly chunker?: Chunker | AsyncChunker | undefined;
  /** The value that the text was composed from. Default: the text and its tree. */
  readonly source?: string | undefined;
  /** Fingerprint of the composition. */
  readonly composedBy?: string | undefined;
}

/** Chunks that were cut elsewhere, in the text that they belong to. */
export interface ChunksContent {
  readonly kind: "chunks";
  /** Default: a hash of scope and uri. */
  readonly id?: string | undefined;
  readonly title: string;
  readonly mediaType: string;
  readonly text: string;
  readonly root: Section;
  readonly chunks: readonly PlacedChunk[];
  /** Default: that of the ingestion. */
  readonly origin?: Origin | undefined;
}

/** A chunk that was cut elsewhere, and its place in the text. */
export interface PlacedChunk extends Omit<ChunkInput, keyof Span | "metadata" | "embeddingVersion">, Span {
  readonly embeddingVersion?: EmbeddingVersion | undefined;
  /** Place in the given list, of a chunk that brought a vector. */
  readonly given?: number | undefined;
  /** Fault of the vector that it brought. */
  readonly fault?: IbidError | undefined;
  readonly metadata: Metadata;
  readonly title?: string | undefined;
  readonly origin?: Origin | undefined;
}

/** A document that its source did not fetch, because nothing of it has changed. */
export interface UnchangedContent {
  readonly kind: "unchanged";
}

/** An input that its source found and refused. */
export interface RefusedContent {
  readonly kind: "refused";
  readonly error: unknown;
  /** Whether the caller named it: then the ingestion rejects, after the rest is done. */
  readonly named: boolean;
  /** Whether it is skipped and counted, because it is too large for a walk. */
  readonly oversized?: boolean | undefined;
}

/** An arrival that was looked at once: hashes of it, and how to make a document of it. */
export interface Seen {
  readonly contentHash: string;
  readonly metadataHash: string;
  /** Chunks that are left out. */
  readonly invalid?: readonly InvalidChunk[];
  /** Size of the source, in bytes. */
  readonly bytes: number;
  /** Where the caller says it; else the reader finds it. */
  readonly mediaType?: string;
  /** Fingerprint for the pipeline that makes a document of that media type. */
  fingerprint(mediaType: string): string;
  /** To be called once. */
  read(id: string): Promise<{
    readonly document: TextDocument;
    readonly chunks?: (document: TextDocument) => Incoming["chunks"];
    readonly notes?: readonly string[] | undefined;
    /** See `ReadResult.places`. */
    readonly places?: string | undefined;
  }>;
  readonly chunker?: Incoming["chunker"] | undefined;
}

/** Weight in flight at once: while one document waits for its model or the disk, others are read and cut. Twice the small ones that share a commit. */
export const mostInFlight = 64;
/** Weight of a larger document, or of one whose size is unknown. */
const largeWeight = 4;
/** **Units** bytes of a file, UTF-16 code units of a text. */
const smallSize = 64 * 1024;

/** Weight of an arrival among those in flight. */
export function weighArrival({ content }: Arrival): number {
  const size =
    content.kind === "bytes"
      ? content.item.size
      : content.kind === "text"
        ? content.document.text.length
        : content.kind === "chunks"
          ? content.text.length
          : 0;
  return size !== undefined && size <= smallSize ? 1 : largeWeight;
}
