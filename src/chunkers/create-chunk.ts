import { checkGiven } from "../runtime/check-options.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { TextDocument } from "../contracts/document.ts";
import { hashParts } from "../runtime/hash.ts";
import { createLocator } from "../text/locate.ts";
import { placeLabels } from "../text/place-labels.ts";

/** Makes the next chunk of one document from where it starts and ends, and from another `text` where a chunker writes more than the slice. */
export type ChunkFactory = (start: number, end: number, text?: string) => Chunk;

/**
 * Makes the chunks of one document, in order of `start`.
 *
 * **Shape** `urtext` is the slice. The id is a hash of document id, urtext and the number of earlier occurrences. So a repeated
 * paragraph stays two chunks, and an edit elsewhere changes no id. Place and headings come from the innermost section that holds the whole chunk;
 * each chunk has its own copy of the document's metadata.
 * **Cost** O(length + log sections) a chunk.
 * **Source** Ballerina, Embabel's `urtext`.
 *
 * @experimental
 */
export function createChunkFactory(document: TextDocument): ChunkFactory {
  checkGiven("createChunkFactory", "document", document, "object");
  const locate = createLocator(document);
  const occurrences = new Map<string, number>();
  let index = 0;
  return (start, end, text) => {
    const urtext = document.text.slice(start, end);
    const occurrence = occurrences.get(urtext) ?? 0;
    occurrences.set(urtext, occurrence + 1);
    const place = locate(start, end);
    const chunk: Chunk = {
      type: "text-chunk",
      id: hashParts(document.id, urtext, String(occurrence)),
      documentId: document.id,
      uri: document.uri,
      title: document.title,
      text: text ?? urtext,
      urtext,
      start,
      end,
      index,
      sectionId: place.sectionId,
      headings: place.headings,
      ...(place.isInContainer && { isInContainer: true as const }),
      ...placeLabels(place),
      ...(document.language === undefined ? {} : { language: document.language }),
      metadata: { ...document.metadata },
      origin: document.origin,
    };
    index += 1;
    return chunk;
  };
}
