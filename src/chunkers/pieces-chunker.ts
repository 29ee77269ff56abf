import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import type { Piece } from "./split-range.ts";

/** A chunker from a name and the pieces that it takes a document into. **Errors** `unsupported-input` for a document without text. */
export function createPiecesChunker(
  fingerprint: readonly unknown[],
  piecesOf: (document: TextDocument) => Iterable<Pick<Piece, "start" | "end" | "header">>,
): Chunker {
  function* chunk(document: TextDocument): Generator<Chunk, undefined> {
    const makeChunk = createChunkFactory(document);
    for (const { start, end, header } of piecesOf(document)) {
      yield makeChunk(start, end, header === "" ? undefined : header + document.text.slice(start, end));
    }
  }
  return {
    fingerprint: JSON.stringify(fingerprint),
    chunk: (document) => {
      checkTextDocument(document);
      return { [Symbol.iterator]: () => chunk(document) };
    },
  };
}
