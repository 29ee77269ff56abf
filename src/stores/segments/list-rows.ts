import type {
  CountFoldersOptions,
  DocumentSummary,
  FolderCount,
  ListDocumentsOptions,
} from "../../contracts/document-store.ts";
import { type EmbeddingVersion, type VersionedEmbedding, versionKey } from "../../contracts/embedding.ts";
import type { DeletedSummary, ListChunksOptions, StoreStatus, StoredChunk } from "../../contracts/store.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { LatentLeg } from "./latent-leg.ts";
import { isOwnVersion } from "./own-version.ts";
import { createRestriction, uriOfEntry } from "../../engine/filters/create-restriction.ts";
import { parseVersionKey, toEmbedding } from "../../engine/vectors/stored-vector.ts";
import type { LiveSegment } from "../../engine/segments/live-segment.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { vectorsAt } from "../../engine/vectors/vector-column.ts";
import { createChunkReader, createRowFilter, toSummary } from "./chunk-rows.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import { compareInOrder, toFolderCount } from "../compose/document-order.ts";
import { findPlace, type IndexView, type ScopeView } from "./index-view.ts";
import type { ChunkRow, DirectoryReader, DocumentRow, HomeRow, KeptOrder, RowPlace } from "./segment-directory.ts";

/** Rows that one transaction reads before the caller has a turn. */
const pageSize = 256;

/** One look into the directory, in a transaction of its own. */
export type Look = <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;

/** Live chunks by scope, then id, and the deleted ones among them on request; no transaction is open while the caller works. */
export async function* listChunks(
  look: Look,
  view: IndexView,
  scopes: readonly Scope[],
  options: ListChunksOptions,
): AsyncGenerator<StoredChunk> {
  const { filter, documentId, ids, includeEmbeddings = false, includeDeleted = false } = options;
  const admits = createRowFilter(createRestriction(filter, undefined));
  const byKey = documentId === undefined && ids === undefined;
  for (const scope of scopes) {
    const gone = includeDeleted && byKey ? await look((rows) => deletedIds(rows, scope)) : [];
    for (let last: string | undefined = ""; last !== undefined;) {
      const after: string = last;
      const page = await look((rows) => {
        const held = view.scope(rows, scope);
        if (held === undefined) return { chunks: [], next: undefined };
        const reader = createChunkReader(rows, view);
        const live = byKey ? rows.chunksAfter(held.row.key, after, pageSize) : [];
        const next = live.length === pageSize ? live[pageSize - 1]!.id : undefined;
        const among = gone.filter(
          (id) => compareCodePoints(id, after) > 0 && (next === undefined || compareCodePoints(id, next) < 0),
        );
        const named = byKey ? { ids: among } : { documentId, ids };
        const found = [...live, ...namedChunks(rows, held.row.key, named)]
          .filter(({ deletedAt }) => deletedAt === null || includeDeleted)
          .sort((a, b) => compareCodePoints(a.id, b.id));
        const chunks = found.filter(admits).map((row): StoredChunk => ({
          scope,
          chunk: reader.chunk(row),
          ...(includeEmbeddings && { embeddings: embeddingsOf(held, row) }),
          ...(row.deletedAt !== null && { deletedAt: new Date(row.deletedAt).toISOString() }),
        }));
        return { chunks, next };
      });
      yield* page.chunks;
      last = page.next;
    }
  }
}

/** Chunks of a document, of ids, or of both, in no order. */
function namedChunks(
  rows: DirectoryReader,
  scope: number,
  { documentId, ids }: Pick<ListChunksOptions, "documentId" | "ids">,
): readonly ChunkRow[] {
  const found =
    ids === undefined ? rows.chunksOfDocument(scope, documentId ?? "") : rows.chunksById(scope, [...new Set(ids)]);
  return found.filter((row) => documentId === undefined || row.documentId === documentId);
}

/** Ids of the chunks of a scope that can be restored. **Cost** all of them are held at once: a vacuum keeps them few. */
function deletedIds(rows: DirectoryReader, scope: Scope): readonly string[] {
  const held = rows.scope(scope);
  return held === undefined ? [] : rows.deletedChunks(held.key, Number.MAX_SAFE_INTEGER).map(({ id }) => id);
}

/** Every vector of a chunk but the store's own, by version. */
export function embeddingsOf(view: ScopeView, row: Pick<ChunkRow, "key">): VersionedEmbedding[] {
  const place = findPlace(view, row.key);
  if (place === undefined) return [];
  return (
    vectorsAt(place.segment ?? view.tail, place.ordinal, (version) => !isOwnVersion(version))
      // In which order they lie depends on what was merged with what.
      .sort((a, b) => compareCodePoints(a.version, b.version))
      .map((vector) => ({ version: parseVersionKey(vector.version), embedding: toEmbedding(vector) }))
  );
}

/** A document of a list. One whose names are damaged is left out, as the doctor says; asked for by its uri, it is refused. */
function summaryOf(rows: DirectoryReader, scope: Scope, row: DocumentRow, under = ""): readonly DocumentSummary[] {
  if (row.isMisnamed === true && row.uri !== under) return [];
  return [toSummary(rows, scope, row)];
}

/** Live documents by uri, then scope, then id. */
export async function* listDocuments(
  look: Look,
  scopes: readonly Scope[],
  { after: from, limit = Infinity, ...only }: Omit<ListDocumentsOptions, "order"> = {},
): AsyncGenerator<DocumentSummary> {
  if (limit < 1) return;
  const { under = "" } = only;
  let last: { readonly uri: string; readonly scope: Scope; readonly id?: string } | undefined;
  // A place before the prefix says no more than the prefix itself.
  if (from !== undefined && compareCodePoints(from.uri, under) >= 0) last = { uri: from.uri, scope: from.scope };
  let left = limit;
  for (;;) {
    const size = Math.min(left, pageSize);
    const after = last;
    const { page, isLast, end } = await look((rows) => {
      const found = scopes.flatMap((scope) => {
        const held = rows.scope(scope);
        if (held === undefined) return [];
        // Documents of the same uri follow in scopes that come later, not in scopes that came before.
        const turn = after === undefined ? 0 : compareCodePoints(scope, after.scope);
        const id = after === undefined || turn > 0 ? "" : turn < 0 ? undefined : after.id;
        return rows.documentsAfter(held.key, after?.uri ?? under, id, size, only).map((row) => ({ scope, row }));
      });
      found.sort(
        (a, b) =>
          compareCodePoints(a.row.uri, b.row.uri) ||
          compareCodePoints(a.scope, b.scope) ||
          compareCodePoints(a.row.id, b.row.id),
      );
      const taken = found.slice(0, size);
      const page = taken.flatMap(({ scope, row }) => summaryOf(rows, scope, row, under));
      return { page, isLast: taken.length < size, end: taken.at(-1) };
    });
    yield* page;
    last = end && { uri: end.row.uri, scope: end.scope, id: end.row.id };
    left -= page.length;
    if (isLast || left === 0) return;
  }
}

/** Live documents in an order that the directory keeps. **Cost** the rows that are given, of as many in every scope. */
export async function* listInOrder(
  look: Look,
  scopes: readonly Scope[],
  order: KeptOrder,
  { after, limit = Infinity, ...only }: Omit<ListDocumentsOptions, "order"> = {},
): AsyncGenerator<DocumentSummary> {
  const compare = compareInOrder(order);
  let last: (Omit<RowPlace, "id"> & { readonly scope: Scope; readonly id?: string }) | undefined = after && {
    ingestedAt: "",
    bytes: 0,
    title: "",
    ...after,
  };
  for (let left = limit; left > 0;) {
    const size = Math.min(left, pageSize);
    const place = last;
    const { page, next } = await look((rows) => {
      const found = scopes.flatMap((scope) => {
        const held = rows.scope(scope);
        if (held === undefined) return [];
        // Documents that are equal, and of the same uri, follow in scopes that come later.
        const turn = place === undefined ? 0 : compareCodePoints(scope, place.scope);
        const id = turn > 0 ? "" : turn < 0 ? undefined : place?.id;
        const from = place && { ...place, id };
        return rows.documentsInOrder(held.key, order, from, size, only).map((row) => ({ ...row, scope, row }));
      });
      const listed = found.sort(compare).slice(0, size);
      return {
        page: listed.flatMap(({ scope, row }) => summaryOf(rows, scope, row)),
        next: listed.length < size ? undefined : listed.at(-1),
      };
    });
    yield* page;
    left -= page.length;
    if (next === undefined) return;
    last = next;
  }
}

/** Live documents, counted by scope, folder and kind. **Cost** a row for each folder and kind; with a time, the documents of that time. */
export function countFolders(
  rows: DirectoryReader,
  scopes: readonly Scope[],
  options: CountFoldersOptions = {},
): readonly FolderCount[] {
  return scopes.flatMap((scope) => {
    const held = rows.scope(scope);
    if (held === undefined) return [];
    return rows.folders(held.key, options).map((row) => toFolderCount(scope, row));
  });
}

/** Rows of live documents below the prefixes and of the whole uris, by their keys; a step for each page. **Cost** these rows, or a look at each name where all are at hand. */
export function* documentsUnder(
  rows: DirectoryReader,
  scopes: readonly number[],
  under: readonly string[],
): Generator<undefined, ReadonlySet<number>> {
  const found = new Set<number>();
  const whole = new Set(under.flatMap((prefix) => uriOfEntry(prefix) ?? []));
  const prefixes = under.filter((prefix) => uriOfEntry(prefix) === undefined);
  const isUnder = ({ uri }: HomeRow): boolean => whole.has(uri) || prefixes.some((prefix) => uri.startsWith(prefix));
  for (const scope of scopes) {
    const homes = rows.liveHomes?.(scope);
    if (homes !== undefined) {
      for (const home of homes) if (isUnder(home)) found.add(home.key);
      continue;
    }
    for (const uri of whole) for (const { key } of rows.documentsByUri(scope, uri)) found.add(key);
    for (const prefix of prefixes) {
      let [uri, id] = [prefix, ""];
      for (let isMore = true; isMore;) {
        const page = rows.documentsAfter(scope, uri, id, pageSize, { under: prefix });
        for (const { key } of page) found.add(key);
        isMore = page.length === pageSize;
        if (isMore) yield;
        ({ uri, id } = page.at(-1) ?? { uri, id });
      }
    }
  }
  return found;
}

/** Documents that can be restored. **Cost** all of them are held at once: a vacuum keeps them few. */
export async function* listDeleted(
  look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>,
  scopes: readonly Scope[],
): AsyncGenerator<DeletedSummary> {
  const found = await look((rows) =>
    scopes.flatMap((scope) => {
      const held = rows.scope(scope);
      if (held === undefined) return [];
      return rows.deletedDocuments(held.key, Number.MAX_SAFE_INTEGER).flatMap((row) =>
        summaryOf(rows, scope, row).map((summary) => ({
          ...summary,
          chunks: rows.chunksOfDocument(held.key, row.id).filter(({ deletedAt }) => deletedAt === row.deletedAt).length,
          deletedAt: new Date(row.deletedAt ?? 0).toISOString(),
        })),
      );
    }),
  );
  yield* found.sort((a, b) => compareCodePoints(a.uri, b.uri) || compareCodePoints(a.scope, b.scope));
}

/** Scopes with something live in them, sorted. A document may have nothing to cut. */
export function listScopes(rows: DirectoryReader, view: IndexView): readonly Scope[] {
  const live = rows
    .scopes()
    .filter(
      ({ scope, key }) =>
        view.scope(rows, scope)?.segments.some(({ liveCount }) => liveCount > 0) === true ||
        rows.documentsAfter(key, "", "", 1).length > 0,
    );
  return live.map(({ scope }) => scope).toSorted(compareCodePoints);
}

/** Counts the live chunks that have vectors, by version and form. **Cost** nothing by chunk in a sealed segment where all have one, or all are live. */
function* countVectors(
  segment: SealedSegment | LiveSegment,
  count: (version: string, live: number) => void,
): Generator<undefined, void> {
  const { size, live, liveCount } = segment;
  const isCounted = (rows: number): boolean => rows === size || liveCount === size;
  const headers = "headers" in segment ? segment.headers().filter(({ version }) => version !== "") : undefined;
  if (headers?.every(({ rows }) => isCounted(rows)) === true) {
    for (const { version, rows } of headers) count(version, rows === size ? liveCount : rows);
    return;
  }
  for (const { version, ordinals } of segment.columns()) {
    let found = 0;
    for (const ordinal of ordinals) found += live[ordinal]!;
    count(version, found);
  }
  yield undefined;
}

/** Live documents and chunks of some scopes. **Shape** a step for each segment whose vectors are looked at one by one. */
export function* countRows(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  latent: LatentLeg | undefined,
): Generator<undefined, StoreStatus> {
  const counted: { scope: Scope; documents: number; chunks: number }[] = [];
  const versions = new Map<string, number>();
  let totalBytes = 0;
  // A space that is not searched, not yet or not any more, has no vectors for anybody to count.
  const searched = latent && versionKey(latent.versionOf(latent.space(rows)));
  const fits = rows.fits();
  const underWay = new Set(fits.filter(({ current }) => !current).map(({ fingerprint }) => fingerprint));
  for (const { current, fingerprint } of fits) if (current) underWay.delete(fingerprint);
  const isUnsearched = (version: string): boolean =>
    isOwnVersion(version) &&
    (searched === undefined ? underWay.has(parseVersionKey(version).fingerprint) : version !== searched);
  for (const scope of scopes) {
    const held = view.scope(rows, scope);
    if (held === undefined) continue;
    const { documents, bytes } = rows.totals(held.row.key);
    const chunks = held.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
    if (documents === 0 && chunks === 0) continue;
    counted.push({ scope, documents, chunks });
    totalBytes += bytes;
    for (const segment of [...held.sealed, held.tail]) yield* countVectors(segment, count);
  }

  function count(version: string, live: number): void {
    if (live > 0 && !isUnsearched(version)) versions.set(version, (versions.get(version) ?? 0) + live);
  }
  return {
    documents: counted.reduce((sum, { documents }) => sum + documents, 0),
    chunks: counted.reduce((sum, { chunks }) => sum + chunks, 0),
    bytes: totalBytes,
    scopes: counted,
    embeddingVersions: [...versions]
      .toSorted(([a], [b]) => compareCodePoints(a, b))
      .map(([version, chunks]): EmbeddingVersion & { chunks: number } => ({ ...parseVersionKey(version), chunks })),
  };
}
