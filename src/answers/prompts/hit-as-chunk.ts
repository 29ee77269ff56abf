import type { Chunk } from "../../contracts/chunk.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { placeLabels } from "../../text/place-labels.ts";

/**
 * Converts a hit to the chunk that it shows, for a prompt.
 *
 * **Shape** facts that a hit lacks are marked: `index` is -1, `sectionId` is `""`. `text` is the canonical text, without the additions of transformers.
 */
export function hitAsChunk(hit: Hit): Chunk {
  const { source } = hit;
  return {
    type: "text-chunk",
    id: hit.chunkId,
    documentId: hit.documentId,
    uri: source.uri,
    title: source.title,
    text: hit.text,
    urtext: hit.text,
    start: source.start,
    end: source.end,
    index: -1,
    sectionId: "",
    headings: source.headings,
    ...placeLabels(source),
    ...(source.language !== undefined && { language: source.language }),
    metadata: hit.metadata,
    origin: hit.origin,
  };
}
