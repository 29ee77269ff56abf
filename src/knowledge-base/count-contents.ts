import { narrowProof } from "../access/gate.ts";
import type { Section } from "../contracts/document.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { ContentInfo } from "../contracts/knowledge-base.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { compileFilter } from "../engine/filters/compile-filter.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { checkOptions } from "../runtime/check-options.ts";

/** Counts documents, sections and chunks. **Cost** the tree of each document. */
export async function countContents(
  store: Store,
  scopes: AuthorizedScopes,
  options: { readonly filter?: FilterInput | undefined } = {},
): Promise<ContentInfo> {
  checkOptions("info", options, { filter: true });
  const matches = options.filter === undefined ? () => true : compileFilter(parseFilter(options.filter));
  let [documents, sections, chunks] = [0, 0, 0];
  for await (const summary of store.documents(scopes)) {
    const structure = await store.structure(narrowProof(scopes, [summary.scope]), summary.id);
    if (structure === undefined || !matches(structure.document.metadata)) continue;
    documents++;
    sections += countSections(structure.document.root);
    chunks += summary.chunks;
  }
  const { embeddingVersions } = await store.status(scopes);
  return {
    documentCount: documents,
    sectionCount: sections,
    chunkCount: chunks,
    contentElementCount: documents + sections + chunks,
    hasEmbeddings: embeddingVersions.length > 0,
    isPersistent: store.capabilities.durability !== "none",
  };
}

/** Sections below a root. */
export function countSections({ children }: Section): number {
  return children.reduce((sum, child) => sum + 1 + countSections(child), 0);
}
