import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { IbidError, type IbidErrorCode } from "../../src/contracts/errors.ts";
import type { Reader } from "../../src/contracts/reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../../src/testing/tree-checks.ts";
import type { FuzzFile } from "./families.ts";

/** How a file may be refused. Anything else is a fault of ours. */
const refusals: readonly IbidErrorCode[] = [
  "unreadable",
  "unsupported-media",
  "binary",
  "empty",
  "encrypted",
  "too-large",
];
const chunker = createSectionChunker();

/** What came of a file that nothing is wrong with. */
export interface Verdict {
  readonly outcome: "read" | IbidErrorCode;
  /** What the reader stumbled over, when it was no refusal of its own: `TypeError: …`. */
  readonly stumbled?: string;
}

/**
 * Reads a file and holds what comes of it against what is promised: a tree, blocks and a map that fit, chunks that are slices of the text and cover it,
 * or a refusal.
 *
 * **Errors** whatever breaks the promise.
 */
export async function judge(readers: readonly Reader[], { uri, bytes }: FuzzFile): Promise<Verdict> {
  const result = await readDocument(readers, { uri, bytes }).catch((error: unknown) => {
    if (!IbidError.isInstance(error) || !refusals.includes(error.code)) throw error;
    if (error.uri !== uri && !error.message.includes(uri))
      throw new Error(`the refusal does not name ${uri}: ${error.message}`, { cause: error });
    if (error.hint?.startsWith("This is a fault of the reader") === true) throw error;
    return error;
  });
  if (result instanceof IbidError) {
    const { code, cause } = result;
    const isFault = cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError;
    return { outcome: code, ...(isFault && { stumbled: `${cause.name}: ${cause.message.slice(0, 80)}` }) };
  }
  const { text, root, blocks, sourceMap } = result;
  checkTree(root, text);
  checkBlocks(blocks, text);
  checkSourceMap(sourceMap, text);
  let reached = 0;
  for (const { start, end, urtext } of chunker.chunk({
    type: "text",
    id: "f",
    uri,
    origin: "user-content",
    ...result,
  })) {
    if (text.slice(start, end) !== urtext) throw new Error(`the chunk from ${start} to ${end} is not its slice`);
    if (start > reached && text.slice(reached, start).trim() !== "")
      throw new Error(`what stands from ${reached} to ${start} is in no chunk`);
    reached = Math.max(reached, end);
  }
  if (text.slice(reached).trim() !== "") throw new Error(`what stands after ${reached} is in no chunk`);
  return { outcome: "read" };
}
