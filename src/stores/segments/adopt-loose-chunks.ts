import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { hashParts, sha256 } from "../../runtime/hash.ts";
import { composedMediaType, joinParts, sectionsOf, sharedMetadata } from "../../text/compose-chunks.ts";
import { createLocator } from "../../text/locate.ts";
import { type ChunkDetails, toDocumentBody } from "./chunk-rows.ts";
import { createIndexView } from "./index-view.ts";
import { changeScope, type ScopeChange } from "./scope-change.ts";
import type { ChunkRow, DirectoryWriter } from "./segment-directory.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** A chunk without a document, as earlier versions kept it. */
interface LooseChunk {
  readonly row: ChunkRow;
  readonly details: ChunkDetails;
}

const always = Number.MAX_SAFE_INTEGER;

/**
 * Gives documents to the chunks of one scope that have none, as earlier versions kept chunks which were cut elsewhere.
 *
 * Ids, vectors and terms stay, so a search finds what it found before; positions are those in the composed document. Chunks that were deleted together
 * get a deleted document, which can be restored. A uri that another document has gets a suffix.
 *
 * **Cost** one look at each chunk; memory for the chunks of one document.
 */
export function adoptLooseChunks(rows: DirectoryWriter, scope: Scope, now: number): void {
  const key = rows.scope(scope)?.key;
  if (key === undefined) return;
  const ids = new Set<string>();
  for (const row of rows.scanChunks(key)) if (row.document === 0) ids.add(row.documentId);
  for (const row of rows.deletedChunks(key, always)) if (row.document === 0) ids.add(row.documentId);
  if (ids.size === 0) return;
  const change = changeScope(rows, createIndexView(), scope);
  const deleted = new Set(rows.deletedDocuments(key, always).map(({ uri }) => uri));
  for (const id of ids) {
    const loose = rows
      .chunksOfDocument(key, id)
      .filter(({ document }) => document === 0)
      .map((row): LooseChunk => ({ row, details: parseStored(row.details) as ChunkDetails }))
      .toSorted(
        (a, b) => a.row.start - b.row.start || a.row.index - b.row.index || compareCodePoints(a.row.id, b.row.id),
      );
    const groups = Map.groupBy(loose, ({ row, details }) => `${row.deletedAt} ${details.uri}`);
    const live = [...groups.values()].toSorted((a, b) => Number(isDeleted(a)) - Number(isDeleted(b)));
    for (const group of live) deleted.add(adoptGroup(change, key, group, deleted, now));
  }
  change.finish();
  rows.forgetSayings(0);
}

const isDeleted = ([first]: readonly LooseChunk[]): boolean => first!.row.deletedAt !== null;

/** **Shape** the uri of the document. */
function adoptGroup(
  change: ScopeChange,
  scope: number,
  group: readonly LooseChunk[],
  taken: ReadonlySet<string>,
  now: number,
): string {
  const { rows } = change;
  const { row: first, details } = group[0]!;
  const wanted = details.uri?.trim() ? details.uri : `chunks:${hashParts(...group.map(({ row }) => row.id))}`;
  const isTaken = (uri: string): boolean => taken.has(uri) || rows.documentsByUri(scope, uri).length > 0;
  let uri = wanted;
  for (let copy = 1; isTaken(uri); copy++) uri = `${wanted}#chunks${copy === 1 ? "" : `-${copy}`}`;
  const isFree = rows.documentById(scope, first.documentId) === undefined;
  const id = isFree ? first.documentId : hashParts(first.documentId, uri);
  const title = details.title ?? "";
  const { text, places } = joinParts(group.map(({ row }) => row.urtext!));
  const spans = group.map((each, i) => ({ ...places[i]!, headings: each.details.headings }));
  const [language, ...otherLanguages] = new Set(group.map((each) => each.details.language));
  const { origin, deletedAt } = first;
  const document = {
    type: "text",
    id,
    uri,
    title,
    mediaType: composedMediaType,
    ...(language !== undefined && otherLanguages.length === 0 && { language }),
    text,
    metadata: sharedMetadata(group.map(({ row }) => parseStored(row.metadata) as Metadata)),
    origin,
    root: sectionsOf(text, title, spans),
    sourceMap: { lines: "none" },
  } as const;
  const key = rows.addDocument(
    {
      scope,
      id,
      uri,
      title,
      mediaType: composedMediaType,
      origin,
      contentHash: sha256(text),
      metadataHash: "",
      fingerprint: "",
      bytes: new TextEncoder().encode(text).length,
      folder: null,
      ingestedAt: new Date(now).toISOString(),
      checkedAt: null,
      etag: null,
      lastModified: null,
      deletedAt,
      readers: null,
      validFrom: null,
      validTo: null,
      supersedes: null,
    },
    toDocumentBody(document),
  );
  const locate = createLocator(document);
  for (const [index, each] of group.entries()) {
    const { start, end } = places[index]!;
    const { uri: _, title: own, isInContainer: __, ...rest } = each.details;
    const { sectionId, isInContainer } = locate(start, end);
    const kept: ChunkDetails = {
      ...(own !== undefined && own !== title && { title: own }),
      ...rest,
      sectionId,
      ...(isInContainer && { isInContainer }),
    };
    const moved = { document: key, documentId: id, start, end, index, urtext: null, details: JSON.stringify(kept) };
    change.update({ ...each.row, ...moved }, false);
  }
  return uri;
}
