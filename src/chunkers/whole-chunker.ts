import type { Chunker } from "../contracts/chunker.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/**
 * Does not cut: each document is one chunk, however long. For documents that are chunks already.
 *
 * **Shape** the text without the white space around it; a blank document has no chunk. **Source** Ballerina's `DISABLE`.
 *
 * @experimental
 */
export function createWholeChunker(): Chunker {
  return createPiecesChunker(["whole", 1], ({ text }) => {
    const start = skipWhiteSpace(text, 0, text.length);
    return start === text.length ? [] : [{ start, end: trimEndAt(text, start, text.length), header: "" }];
  });
}
