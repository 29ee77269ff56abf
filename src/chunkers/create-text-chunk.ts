import type { Chunk } from "../contracts/chunk.ts";
import type { MetadataInput } from "../contracts/metadata.ts";
import { checkOptions, checkText } from "../runtime/check-options.ts";
import { hashParts } from "../runtime/hash.ts";
import { toMetadata } from "../runtime/to-json.ts";

/**
 * Facts about a chunk of plain values; everything has a default.
 *
 * @experimental
 */
export interface TextChunkOptions {
  /** Default: a hash of uri and text. */
  readonly id?: string | undefined;
  /** Uri of its document. Default: `text:` and a hash of the text. */
  readonly uri?: string | undefined;
  readonly title?: string | undefined;
  readonly headings?: readonly string[] | undefined;
  readonly metadata?: MetadataInput | undefined;
}

/**
 * Makes a chunk of a text alone, as a document of one chunk.
 *
 * **Shape** an embedding model takes it, and `kb.ingest([chunk])` stores it. **Errors** `invalid-argument` for what is no text, and for metadata that are no JSON.
 * **Source** Ballerina `TextChunk`.
 *
 * @experimental
 */
export function createTextChunk(text: string, options: TextChunkOptions = {}): Chunk {
  checkText("createTextChunk", "text", text);
  checkOptions("createTextChunk", options, { id: true, uri: true, title: true, headings: true, metadata: true });
  const { uri = `text:${hashParts(text)}`, title = "", headings = [], metadata } = options;
  return {
    type: "text-chunk",
    id: options.id ?? hashParts(uri, text),
    documentId: hashParts(uri),
    uri,
    title,
    text,
    urtext: text,
    start: 0,
    end: text.length,
    index: 0,
    sectionId: "0",
    headings: [...headings],
    metadata: toMetadata(metadata, "createTextChunk"),
    origin: "user-content",
  };
}
