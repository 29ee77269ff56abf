import type { Chunk } from "../contracts/chunk.ts";
import { createChunkFactory } from "../chunkers/create-chunk.ts";
import type { MediaDocument, Origin, TextDocument } from "../contracts/document.ts";
import { type Embedding, type EmbeddingVersion, pictureFingerprint } from "../contracts/embedding.ts";
import type { ImageEmbedder } from "../contracts/extraction.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { ReadResult } from "../contracts/reader.ts";
import type { Scope } from "../contracts/scope.ts";
import { readPictureFacts } from "../readers/picture-facts.ts";
import { hashParts } from "../runtime/hash.ts";
import { toMetadata } from "../runtime/to-json.ts";
import type { Arrival, MediaContent, Seen } from "./arrival.ts";
import { fingerprintPipeline } from "./fingerprint.ts";
import { hashBytes, hashMetadata, seeItem } from "./prepare-document.ts";
import type { IngestStages } from "./stages.ts";

/** Prefix of the keys under which the bytes of media documents lie. */
export const mediaPrefix = "media/";

/** Version of the vectors of an embedder of pictures. */
export function versionOfPictures({ providerId, modelId, dimensions }: ImageEmbedder): EmbeddingVersion {
  return { provider: providerId, model: modelId, dimensions, fingerprint: pictureFingerprint };
}

/** The options of an ingestion that media documents follow. */
interface MediaJob {
  readonly scope: Scope;
  readonly metadata: Metadata;
  readonly origin: Origin;
  readonly password?: string | undefined;
  readonly charset?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface MediaWork {
  readonly stages: IngestStages;
  readonly job: MediaJob;
}

/**
 * Takes in a picture, a recording or a file. Its bytes go into the blob store, and the words that a reader finds are its text.
 *
 * **Shape** without such words its title, name and metadata are the text, in one chunk, and a note says so. Its metadata are those that it was given, and those
 * that a picture states about itself. A model that embeds pictures gives that chunk its vector.
 */
export async function seeMedia({ stages, job }: MediaWork, arrival: Arrival, content: MediaContent): Promise<Seen> {
  const { uri } = arrival;
  const { document } = content;
  const { type } = document;
  const given = { ...arrival.metadata, ...job.metadata };
  const whole = document.content;
  const bytes = whole instanceof Uint8Array ? whole : new TextEncoder().encode(referenceOf(whole));
  const contentHash = hashParts(type, document.mediaType ?? "", await hashBytes(bytes));
  const { imageEmbedder } = stages;
  const model = imageEmbedder === undefined ? "" : JSON.stringify(versionOfPictures(imageEmbedder));
  return {
    contentHash,
    metadataHash: hashMetadata(given, job.origin, type),
    bytes: bytes.byteLength,
    fingerprint: (mediaType) => hashParts("media/2", fingerprintPipeline(stages, mediaType), model),
    async read(before) {
      const id = before || hashParts(job.scope, uri);
      const mediaType = document.mediaType ?? usualTypes[type];
      const stated = type === "image" && whole instanceof Uint8Array ? readPictureFacts(whole) : {};
      const metadata = { ...stated, ...given };
      const read = whole instanceof Uint8Array ? await readText(stages, job, uri, mediaType, whole) : undefined;
      const place = await keepContent(stages, whole, `${mediaPrefix}${id}/${contentHash}`);
      const facts = { ...toMetadata(read?.metadata, uri), ...metadata, ...place, _media: type, mimeType: mediaType };
      const kept = read === undefined ? describe(uri, metadata) : read;
      const vector = await embedMedia(stages, document, mediaType, job.signal);
      const text: TextDocument = {
        type: "text",
        id,
        uri,
        title: titleOf(metadata) ?? read?.title ?? "",
        mediaType,
        text: kept.text,
        metadata: facts,
        origin: job.origin,
        root: kept.root,
        sourceMap: kept.sourceMap,
        ...(read?.blocks && { blocks: read.blocks }),
      };
      const isOne = vector !== undefined || read === undefined;
      return {
        document: text,
        ...(isOne && { chunks: (one: TextDocument) => [{ ...oneChunk(one), ...vector }] }),
        notes: [...(read?.notes ?? []), ...(read === undefined ? [noteOf(uri, type, vector !== undefined)] : [])],
      };
    },
  };
}

const usualTypes = {
  image: "image/*",
  audio: "audio/*",
  file: "application/octet-stream",
  binary: "application/octet-stream",
} as const;

const referenceOf = (content: URL | { readonly fileId: string }): string =>
  content instanceof URL ? content.href : content.fileId;

/** Words that a reader of this media type finds. `undefined` where nobody reads it, and where there are none. */
async function readText(
  stages: IngestStages,
  job: MediaJob,
  uri: string,
  mediaType: string,
  bytes: Uint8Array,
): Promise<ReadResult | undefined> {
  if (!stages.readers.some((reader) => reader.accepts(mediaType))) return undefined;
  try {
    const item = { uri, mediaType, size: bytes.byteLength, bytes: () => Promise.resolve(bytes) };
    return await (await seeItem(stages, item, job.signal)).read(job);
  } catch (error) {
    if (IbidError.isInstance(error, "empty") || IbidError.isInstance(error, "unsupported-media")) return undefined;
    throw error;
  }
}

async function keepContent(stages: IngestStages, content: MediaDocument["content"], key: string): Promise<Metadata> {
  if (content instanceof URL) return { _mediaUrl: content.href };
  if (!(content instanceof Uint8Array)) return { _mediaFileId: content.fileId };
  if (stages.blobs === undefined) {
    throw new IbidError("unsupported", "This knowledge base has no place for bytes.", {
      hint: "Open it with blobs: createMemoryBlobStore().",
    });
  }
  await (await stages.blobs()).put(key, content);
  return { _mediaKey: key };
}

const titleOf = ({ title }: Metadata): string | undefined => (typeof title === "string" ? title : undefined);

/** Title, name and metadata as a text of one section. */
function describe(uri: string, metadata: Metadata): Pick<ReadResult, "text" | "root" | "sourceMap"> {
  const { title, fileName = uri, mimeType: _, fileSize: __, modifiedAt: ___, ...others } = metadata;
  const words = [title, fileName, ...Object.values(others)]
    .map((value) => (Array.isArray(value) ? value.join(", ") : value))
    .filter((value) => typeof value === "string");
  const text = [...new Set(words)].join("\n");
  const root = { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] };
  return { text, root, sourceMap: { lines: "none" } };
}

const oneChunk = (document: TextDocument): Chunk => createChunkFactory(document)(0, document.text.length);

/** The vector of a picture, or of whatever else the embedding model takes. */
async function embedMedia(
  { imageEmbedder, embedder }: IngestStages,
  document: MediaDocument,
  mediaType: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly embedding: Embedding; readonly embeddingVersion?: EmbeddingVersion } | undefined> {
  const { type, content } = document;
  const stop = signal === undefined ? {} : { signal };
  if (type === "image" && imageEmbedder !== undefined && content instanceof Uint8Array) {
    const embedding = await imageEmbedder.embedImage(content, { mediaType, ...stop });
    return { embedding, embeddingVersion: versionOfPictures(imageEmbedder) };
  }
  if (embedder?.model.media?.includes(type) !== true) return undefined;
  const { embeddings } = await embedder.embed([document], { purpose: "document", ...stop });
  const [embedding] = embeddings;
  return embedding && { embedding };
}

function noteOf(uri: string, type: string, isEmbedded: boolean): string {
  const found = isEmbedded
    ? "by its vector, its title, its name and its metadata"
    : "by its title, its name and its metadata alone";
  return `The ${type} ${uri} has no text that is read; it is found ${found}.`;
}
