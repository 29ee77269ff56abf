import type { ReadLimits, ReadResult } from "../../src/contracts/reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { createReaders } from "../../src/readers/create-readers.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../../src/testing/tree-checks.ts";

const readers = createReaders();

/** Through all built-in readers, as the pipeline does it; what comes of it is held against the contract. */
export async function readAny(
  uri: string,
  content: string | Uint8Array,
  extra: { readonly limits?: Partial<ReadLimits>; readonly mediaType?: string; readonly signal?: AbortSignal } = {},
): Promise<ReadResult & { mediaType: string }> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const result = await readDocument(readers, { uri, bytes, ...extra });
  checkTree(result.root, result.text);
  checkBlocks(result.blocks, result.text);
  checkSourceMap(result.sourceMap, result.text);
  return result;
}
