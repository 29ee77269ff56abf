import { checkGiven } from "../runtime/check-options.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Section, TextDocument } from "../contracts/document.ts";

/**
 * The sections around a chunk, from the root to the innermost that holds it whole.
 *
 * **Shape** at least the root; `undefined` when the chunk is of another document, or its section is no longer there.
 * **Source** Embabel `pathFromRoot`.
 *
 * @experimental
 */
export function pathFromRoot(document: TextDocument, chunk: Chunk): readonly Section[] | undefined {
  checkGiven("pathFromRoot", "document", document, "object");
  checkGiven("pathFromRoot", "chunk", chunk, "object");
  if (chunk.documentId !== document.id) return undefined;
  const path: Section[] = [];
  let section: Section | undefined = document.root;
  while (section !== undefined) {
    path.push(section);
    if (section.id === chunk.sectionId) return path;
    section = section.children.find((child) => child.start <= chunk.start && chunk.end <= child.end);
  }
  return undefined;
}
