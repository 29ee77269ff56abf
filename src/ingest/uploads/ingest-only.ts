import { IbidError } from "../../contracts/errors.ts";
import type { IngestInput, IngestOptions, IngestResult, KnowledgeBase } from "../../contracts/knowledge-base.ts";

/** Ingests one document, to the end of its run. **Errors** those that end an ingestion; a document's own error is in its result. */
export async function ingestOnly(kb: KnowledgeBase, input: IngestInput, options: IngestOptions): Promise<IngestResult> {
  let only: IngestResult | undefined;
  for await (const result of kb.ingest(input, options)) only ??= result;
  if (only === undefined) throw new IbidError("internal", "An ingestion of one document gave no result.");
  return only;
}
