import type { ChunkRef, Moment, ReadChunk, ReadChunksOptions } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { createChunkReader } from "./chunk-rows.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { embeddingsOf } from "./list-rows.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import { openMoment, placesOf } from "./segment-moment.ts";

/**
 * Live chunks by their references, in the order asked.
 *
 * **Cost** one read for all rows, one for each distinct document, and the parts of texts that the slices lie in.
 */
export function readChunks(
  rows: DirectoryReader,
  view: IndexView,
  refs: readonly ChunkRef[],
  { moment, embeddings = false }: ReadChunksOptions & { readonly moment?: Moment | undefined },
): readonly (ReadChunk | undefined)[] {
  const scopes = [...new Set(refs.map(({ scope }) => scope))];
  const { at, stale } = openMoment(rows, view, { scopes, moment });
  const places = placesOf(rows, at, refs);
  const held = new Map<number, ScopeView>();
  const keys = new Map<Scope, number>();
  for (const scope of scopes) {
    const found = view.scope(rows, scope);
    if (found === undefined) continue;
    held.set(found.row.key, found);
    keys.set(scope, found.row.key);
  }
  const found = rows.chunks(places.flatMap((place) => place?.key ?? []));
  const homes = new Set(found.flatMap((row) => (row === undefined || row.document === 0 ? [] : [row.document])));
  const documents = new Map(rows.documentsOf([...homes]).map((row) => [row.key, row]));
  const reader = createChunkReader(rows, view, documents);
  const read = found.values();
  return places.map((place, i): ReadChunk | undefined => {
    if (place === undefined) return undefined;
    const row = read.next().value;
    if (row === undefined || row.deletedAt !== null || row.scope !== keys.get(refs[i]!.scope)) return undefined;
    const chunk = reader.chunk(row);
    return {
      chunk,
      revision: row.key,
      language: chunk.language === undefined ? place.segment.languageOf(place.ordinal) : undefined,
      embeddings: embeddings ? embeddingsOf(held.get(row.scope)!, row) : undefined,
      stale,
    };
  });
}
