import { narrowProof } from "../access/gate.ts";
import type { Hit } from "../contracts/retriever.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { isTime } from "../runtime/read-time.ts";
import { endOf, noteUri, placeVersions, presentOf, readNoteUri, subjectPrefix } from "../text/note-timeline.ts";

const isOfNote = ({ origin, source }: Hit): boolean => origin === "note" && source.uri.startsWith("note:");

/**
 * Says of each hit of a note that holds no longer when it ended, and which note replaced it.
 *
 * **Cost** a listing of the rows of each statement; only notes that begin later than now are read.
 */
export async function markReplaced(
  store: Pick<Store, "documents" | "document">,
  scopes: AuthorizedScopes,
  hits: readonly Hit[],
  now: number,
): Promise<readonly Hit[]> {
  const time = new Date(now).toISOString();
  const ends = new Map<string, Hit["replaced"]>();
  const listed = new Set<string>();
  for (const { scope, source } of hits.filter(isOfNote)) {
    const subject = readNoteUri(source.uri)?.subject;
    if (subject === undefined || listed.has(`${scope} ${subject}`)) continue;
    listed.add(`${scope} ${subject}`);
    const versions = [];
    for await (const row of store.documents(narrowProof(scopes, [scope]), { under: subjectPrefix(subject) })) {
      const { id: document, uri, validFrom, validTo } = row;
      const id = readNoteUri(uri)?.id;
      // Anybody who writes chooses the metadata: a text that is no time is shown to nobody.
      if (id === undefined || !isTime(validFrom) || (validTo !== undefined && !isTime(validTo))) continue;
      if (validFrom !== undefined)
        versions.push({ document, uri, id, validFrom, ...(validTo !== undefined && { validTo }) });
    }
    const present = await presentOf(
      versions,
      time,
      async ({ document }) =>
        (await store.document(narrowProof(scopes, [scope]), document))?.document.metadata["noteRecordedAt"],
    );
    for (const version of placeVersions(versions)) {
      const at = endOf(version);
      if (at === undefined || at > present) continue;
      const by = version.supersededBy;
      ends.set(`${scope} ${version.uri}`, { at, ...(by !== undefined && { by: noteUri(subject, by) }) });
    }
  }
  return hits.map((hit) => {
    const replaced = ends.get(`${hit.scope} ${hit.source.uri}`);
    return replaced === undefined ? hit : { ...hit, replaced };
  });
}
