import type { Chunk } from "../contracts/chunk.ts";
import { IbidError } from "../contracts/errors.ts";

/**
 * Refuses chunks without an id, before anything is embedded or stored.
 *
 * **Shape** the first chunk counts as number `first`. **Errors** `invalid-id` for an id that is empty, blank or not a string; `details.index` says which chunk. **Source** Wesichain's `Indexer`.
 */
export function checkChunkIds(chunks: Iterable<Pick<Chunk, "id" | "uri">>, first = 0): void {
  let index = first;
  for (const chunk of chunks) {
    if (typeof chunk.id !== "string" || chunk.id.trim() === "") {
      throw new IbidError(
        "invalid-id",
        `invalid document id: chunk ${index} has ${typeof chunk.id === "string" ? "a blank id" : "no id"}.`,
        {
          hint: "Give every chunk an id, or leave ids to a chunker.",
          uri: chunk.uri,
          details: { index },
        },
      );
    }
    index += 1;
  }
}
