import type { Chunk } from "../../contracts/chunk.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { placeLabels } from "../../text/place-labels.ts";

/**
 * A hit as the chunk that it shows, to stand in a prompt.
 *
 * **Shape** what a hit does not carry is said to be unknown: `index` is -1, `sectionId` is `""`. `text` is the canonical text, without what transformers wrote around it.
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
