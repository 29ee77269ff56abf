import type { Chunk, ChunkStructure } from "../contracts/chunk.ts";

/**
 * Returns a chunk's place from the chunk alone. Its section's id begins with the ids of the sections around it, and its
 * headings are their titles.
 *
 * **Shape** with `totalChunks` where the chunks of its document were counted and it is among them. **Source** Embabel.
 */
export function chunkStructure(
  chunk: Pick<Chunk, "index" | "documentId" | "title" | "uri" | "sectionId" | "headings" | "isInContainer">,
  totalChunks?: number,
): ChunkStructure {
  const { index, documentId, title, uri, sectionId, headings, isInContainer = false } = chunk;
  const depth = headings.length;
  const steps = sectionId.split(".");
  const section = (level: number) => ({ id: steps.slice(0, level + 1).join("."), title: headings[level - 1] ?? "" });
  const container = isInContainer ? depth : depth - 1;
  const around = container > 0 ? section(container) : undefined;
  const leaf = !isInContainer && depth > 0 ? section(depth) : undefined;
  return {
    chunkIndex: index,
    sequenceNumber: index,
    rootDocumentId: documentId,
    rootDocumentTitle: title,
    ...(around && {
      containerSectionId: around.id,
      containerSectionTitle: around.title,
      containerSectionUrl: uri,
    }),
    // A document that was swapped between the search and the count may have fewer by now.
    ...(totalChunks !== undefined && totalChunks > index && { totalChunks }),
    ...(leaf && { leafSectionId: leaf.id, leafSectionTitle: leaf.title, leafSectionUrl: uri }),
  };
}
