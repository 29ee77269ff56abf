import { IbidError } from "../../contracts/errors.ts";
import type {
  BytesInput,
  IngestOptions,
  IngestResult,
  KnowledgeBase,
  TextInput,
} from "../../contracts/knowledge-base.ts";
import { archivesOf } from "../../readers/archives/archive-kind.ts";

/** So many failures within an archive stand in its notes; of more, how many. */
const maxListed = 20;

/**
 * Ingests one document or address, to the end of its run; an archive counts as one, with the sum of its documents.
 *
 * **Shape** an archive's result has its own uri, the id of its first document, and all chunks. Its `notes` count the documents and give the reasons of the others.
 * **Errors** those that end an ingestion; a document's own error is in its result. An archive of which nothing came in has the first error.
 */
export async function ingestOnly(
  kb: KnowledgeBase,
  input: TextInput | BytesInput | string,
  options: IngestOptions,
): Promise<IngestResult> {
  const uri = typeof input === "string" ? input : input.uri;
  const results: IngestResult[] = [];
  let unread = 0;
  const onSkip: IngestOptions["onSkip"] = (uri, kind) => {
    if (kind === "unread") unread++;
    options.onSkip?.(uri, kind);
  };
  for await (const result of kb.ingest(input, { ...options, onSkip })) results.push(result);
  const [only, ...others] = results;
  const isArchive = only !== undefined && archivesOf(only.uri).includes(uri);
  if (only !== undefined && others.length === 0 && !isArchive) return only;
  const came = results.filter(({ status }) => status !== "failed" && status !== "removed");
  const failed = results.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const [first] = came;
  if (first === undefined) {
    const error = failed[0] ?? nothingRead(uri);
    const { scope, documentId } = only ?? { scope: options.scope ?? "deployment", documentId: "" };
    return { uri, scope, status: "failed", documentId, chunks: 0, error };
  }
  const has = (status: IngestResult["status"]): boolean => results.some((result) => result.status === status);
  const isNew = came.every(({ status }) => status === "added");
  return {
    ...first,
    uri,
    status: isNew ? "added" : has("added") || has("updated") || has("removed") ? "updated" : "unchanged",
    chunks: came.reduce((sum, { chunks }) => sum + chunks, 0),
    notes: [
      `${came.length.toLocaleString("en")} ${came.length === 1 ? "document" : "documents"} of the archive came in.`,
      ...(unread === 0 ? [] : [`${unread.toLocaleString("en")} of a kind that is not read.`]),
      ...failed.slice(0, maxListed).map(({ message }) => message),
      ...(failed.length > maxListed ? [`${failed.length - maxListed} more could not be read.`] : []),
    ],
  };
}

function nothingRead(uri: string): IbidError {
  return new IbidError("unsupported-media", `${uri} is an archive, and no reader accepts any file in it.`, {
    uri,
    hint: "Unpack it, and give the files in a format that is read.",
  });
}
