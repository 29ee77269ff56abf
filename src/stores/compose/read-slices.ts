import type { StoredChunkSpan, StoredStructure, StructureOptions } from "../../contracts/document-store.ts";
import type { DocumentStore } from "../../contracts/store.ts";
import type { Scope } from "../../contracts/scope.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** A document without its text, from a store that may not have the verb. **Cost** without it, the whole document, and its chunks where they are asked for. */
export async function readStructure(
  store: DocumentStore,
  scopes: readonly Scope[],
  id: string,
  options: StructureOptions,
): Promise<StoredStructure | undefined> {
  if (store.structure !== undefined) return store.structure(scopes, id, options);
  const stored = await store.document(scopes, id);
  if (stored === undefined) return undefined;
  const { summary } = stored;
  const { text: _text, blocks: _blocks, ...document } = stored.document;
  if (options.chunks !== true) return { summary, document };
  const chunks: StoredChunkSpan[] = [];
  for await (const { chunk } of store.chunks([summary.scope], { documentId: id })) {
    const { index, start, end } = chunk;
    chunks.push({ id: chunk.id, index, start, end });
  }
  return { summary, document, chunks: chunks.sort(compareSpans) };
}

/** A slice of a document's text, from a store that may not have the verb. **Cost** without it, the whole document. */
export async function readSlice(
  store: DocumentStore,
  scopes: readonly Scope[],
  id: string,
  start: number,
  end: number,
): Promise<string | undefined> {
  if (store.readText !== undefined) return store.readText(scopes, id, start, end);
  return (await store.document(scopes, id))?.document.text.slice(start, end);
}

function compareSpans(a: StoredChunkSpan, b: StoredChunkSpan): number {
  return a.index - b.index || a.start - b.start || compareCodePoints(a.id, b.id);
}
