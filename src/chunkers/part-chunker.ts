import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { createChunkFactory } from "./create-chunk.ts";

/** A stretch of a document that no chunk crosses, and what its chunks say beside what the document says. */
export interface DocumentPart {
  readonly start: number;
  readonly end: number;
  readonly metadata: Metadata;
}

/**
 * Cuts each part of a document by itself, as another chunker cuts a text of that length: short parts stay whole.
 *
 * **Shape** as every chunker; of the document's own metadata, chunks have what `carries` says.
 */
export function createPartChunker(
  chunker: Chunker | AsyncChunker,
  parts: readonly DocumentPart[],
  carries: (metadata: Metadata) => Metadata,
): AsyncChunker {
  return {
    fingerprint: `parts(${chunker.fingerprint})`,
    async *chunk(document, options): AsyncGenerator<Chunk> {
      const create = createChunkFactory({ ...document, metadata: carries(document.metadata) });
      for (const part of parts) {
        for await (const cut of chunker.chunk(partOf(document, part), options)) {
          const text = cut.text === cut.urtext ? undefined : cut.text;
          const chunk = create(part.start + cut.start, part.start + cut.end, text);
          yield { ...chunk, metadata: { ...chunk.metadata, ...part.metadata } };
        }
      }
    },
  };
}

/** A part, as a document without a tree. */
function partOf(document: TextDocument, { start, end }: DocumentPart): TextDocument {
  const { blocks: _blocks, title, text: whole, ...rest } = document;
  const text = whole.slice(start, end);
  return {
    ...rest,
    title,
    text,
    root: { id: "0", title, level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
    sourceMap: { lines: "none" },
  };
}
