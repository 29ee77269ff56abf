import type { ChunkRef, ReadChunk } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DocumentStore } from "../../contracts/store.ts";
import { createChunkReader } from "./chunk-rows.ts";
import { createCopySearch } from "./copies.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { embeddingsOf } from "./list-rows.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import { openMoment, placesOf } from "./segment-moment.ts";

/**
 * Live chunks by their references, in the order asked.
 *
 * **Cost** one read for all rows and one for all unknown names of documents. One count for each document that was not
 * counted. The parts of texts that the slices lie in.
 */
export function readChunks(
  rows: DirectoryReader,
  view: IndexView,
  refs: readonly ChunkRef[],
  { moment, embeddings = false, totals = false, copiesIn }: Parameters<DocumentStore["readChunks"]>[1],
): readonly (ReadChunk | undefined)[] {
  const held = new Map<Scope, ScopeView | undefined>();
  for (const { scope } of refs) if (!held.has(scope)) held.set(scope, view.scope(rows, scope));
  const { at, stale } = openMoment(rows, view, { scopes: [...held.keys()], moment });
  const places = placesOf(rows, at, refs);
  const keys: number[] = [];
  for (const place of places) if (place !== undefined) keys.push(place.key);
  const found = rows.chunks(keys);
  const documents: number[] = [];
  for (const row of found) if (row !== undefined) documents.push(row.document);
  const homes = view.homes(rows, documents);
  const reader = createChunkReader(rows, view, homes);
  const findCopies = copiesIn && createCopySearch(rows, view, copiesIn);
  let next = 0;
  return refs.map(({ scope }, i): ReadChunk | undefined => {
    const place = places[i];
    const row = place && found[next++];
    const home = held.get(scope);
    if (place === undefined || row === undefined || home === undefined) return undefined;
    if (row.deletedAt !== null || row.scope !== home.row.key) return undefined;
    const chunk = reader.chunk(row);
    const named = homes.get(row.document);
    const document = totals ? named : undefined;
    return {
      chunk,
      revision: row.key,
      language: chunk.language === undefined ? place.segment.languageOf(place.ordinal) : undefined,
      rootLabel: named?.rootLabel,
      path: named?.path,
      total: document && (document.total ??= rows.liveChunksOf(row.scope, row.documentId)),
      embeddings: embeddings ? embeddingsOf(home, row) : undefined,
      copies: findCopies?.(row, scope),
      stale,
    };
  });
}
