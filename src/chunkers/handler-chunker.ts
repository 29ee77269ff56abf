import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { MediaTypeHandler } from "../contracts/media-type-handler.ts";
import { matchesMediaType } from "../runtime/matches-media-type.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";

/**
 * The cutting half of handlers: one chunk for each block of a handler's document. All other documents go to the given chunker.
 *
 * **Shape** its fingerprint is that chunker's: a handler is in the fingerprint as the reader of its own documents.
 */
export function withHandlers<Part extends Chunker | AsyncChunker>(
  chunker: Part,
  handlers: readonly MediaTypeHandler[],
): Part {
  if (handlers.length === 0) return chunker;
  const mediaTypes = handlers.flatMap((handler) => handler.mediaTypes);
  const byBlock = createPiecesChunker(["blocks", 1], ({ blocks = [] }) =>
    blocks.map(({ start, end }) => ({ start, end, header: "" })),
  );
  const isHandled = ({ mediaType, blocks }: TextDocument): boolean =>
    blocks !== undefined && matchesMediaType(mediaTypes, mediaType);
  return {
    ...chunker,
    chunk: (document: TextDocument, options) => (isHandled(document) ? byBlock : chunker).chunk(document, options),
  };
}
