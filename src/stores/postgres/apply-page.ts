import { setImmediate as nextTurn } from "node:timers/promises";
import type { TermRow } from "../../contracts/corpus-model.ts";
import type { Scope } from "../../contracts/scope.ts";
import { createCountsReader } from "../../engine/segments/forward-terms.ts";
import { createTermNumbers, type TermNumbers } from "../../engine/segments/term-numbers.ts";
import {
  decodeVectors,
  encodeVectors,
  parseVersionKey,
  type StoredVector,
} from "../../engine/vectors/stored-vector.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { placingSetting, readPlacing } from "../segments/fit-members.ts";
import type { LatentLeg, StoredSpace } from "../segments/latent-leg.ts";
import { dropVersions } from "../segments/scope-versions.ts";
import { changeScope } from "../segments/scope-change.ts";
import { purgeSetting } from "../segments/purge.ts";
import { changeOver, placeAgain } from "../segments/refit.ts";
import type { SegmentCore } from "../segments/segment-core.ts";
import type { ChunkRow, DirectoryReader, DirectoryWriter, DocumentRow, FitRow } from "../segments/segment-directory.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import type { SqliteRows } from "../sqlite/sqlite-rows.ts";
import { type ChunkFacts, type DocumentFacts, type FitFacts, splitParts } from "./commit-rows.ts";
import type { Page, PageRow, PageScope } from "./read-page.ts";
import { baseScope, keyOf, type ReplicaStamps } from "./replica-stamps.ts";
import { insertFit, type Placed, readRetired, type Retired, retiredSetting } from "./row-log.ts";
import type { Arrived } from "./seal-arrivals.ts";
import type { SealThread } from "./seal-thread.ts";

/** The parts of a copy that a page is applied to. */
export interface Replica {
  readonly db: SqliteConnection;
  readonly rows: SqliteRows;
  readonly stamps: ReplicaStamps;
  readonly core: Pick<SegmentCore, "view" | "latent" | "options">;
  /** Kept from one page to the next of a catch-up. */
  readonly kept: { place?: Placing | undefined };
  readonly sealing: SealThread;
}

/** A scope whose index may now have something to seal or to merge, and whether words of it were purged. */
export interface Applied {
  readonly scopes: readonly Scope[];
  readonly purged: boolean;
}

/**
 * Brings the copy to the page's stamps, in the transaction under way. Terms and given vectors come with the rows. Segments, and vectors of the store's own
 * model, are made here of the same terms and the same fit as everywhere.
 *
 * **Shape** `undefined` when the copy is not where the page begins, because another process of this node was faster; nothing is changed then.
 */
export async function applyPage(replica: Replica, { scopes, rows: all }: Page): Promise<Applied | undefined> {
  const { rows, stamps, kept } = replica;
  if (scopes.some(({ scope, have }) => (stamps.get(scope)?.stamp ?? 0) !== have)) {
    kept.place = undefined;
    return undefined;
  }
  const byScope = Map.groupBy(all, ({ scope }) => scope);
  // The spaces come first: chunks are placed in them.
  const base = scopes.find(({ scope }) => scope === baseScope);
  if (base !== undefined) {
    const own = byScope.get(baseScope) ?? [];
    applyFits(replica, own);
    applySettings(rows, own);
    rows.setStamp(rows.stamp() + 1);
  }
  if (base !== undefined || (kept.place?.numbers.count() ?? 0) > mostTerms) kept.place = undefined;
  kept.place ??= createPlacing(rows, replica.core.latent);
  const touched: Scope[] = [];
  let purged = false;
  // The name of a scope that has gone becomes free before another takes it, which may have a lower key.
  for (const { scope } of scopes.filter(({ gone }) => gone)) {
    rows.deleteScope(scope);
    stamps.remove(scope);
    rows.setStamp(rows.stamp() + 1);
    purged = true;
  }
  for (const scope of scopes) {
    if (scope.gone || scope.scope === baseScope) continue;
    const own = byScope.get(scope.scope) ?? [];
    await applyScope(replica, kept.place, scope, own);
    purged = applySettings(rows, own) || purged;
    touched.push(scope.name as Scope);
  }
  for (const { scope, upto, next, gone, commit } of scopes) if (!gone) stamps.put({ scope, stamp: upto, next, commit });
  if (purged) rows.setSetting(purgeSetting, String(rows.stamp()));
  return { scopes: touched, purged };
}

/** **Shape** whether something in a scope was removed for good. */
function applySettings(rows: SqliteRows, own: readonly PageRow[]): boolean {
  let purged = false;
  for (const { kind, a: name, b: value } of own) {
    if (kind !== "o" || name === null) continue;
    if (name.startsWith("lives of ") && rows.setting(name) !== (value ?? undefined)) purged = true;
    if (value === null) rows.deleteSetting(name);
    else rows.setSetting(name, value);
  }
  return purged;
}

export function toDocument({ scope, key, a, b }: PageRow): DocumentRow {
  const [id, uri] = parseStored(a ?? "") as [string, string];
  return Object.assign(parseStored(b ?? "") as DocumentFacts, { key, scope, id, uri });
}

export function toChunk({ scope, key, a, b }: PageRow): ChunkRow {
  const [id, document] = parseStored(a ?? "") as [string, number];
  return Object.assign(parseStored(b ?? "") as ChunkFacts, { key, scope, id, document });
}

/** Rows that are written before the driver may take over some of the next page. The database waits for it once the socket is full. */
const [chunksInTurn, documentsInTurn] = [512, 64];

/** A chunk that the copy lacks, as the page has it. */
interface Arrival extends Arrived {
  readonly row: ChunkRow;
  readonly placed: Placed | null;
}

async function applyScope(
  { db, rows, stamps, core, sealing }: Replica,
  { vectorsOf, numbers }: Placing,
  { scope, name, have, upto, stamp }: PageScope,
  own: readonly PageRow[],
): Promise<void> {
  if (stamps.get(scope) === undefined) {
    db.run("INSERT INTO scopes (key, scope, stamp, rewrites) VALUES (?, ?, ?, 0)", scope, name, rows.stamp());
  }
  let arriving = 0;
  const last = lastKey(db, "chunks", scope);
  /** Rows come under their keys; settings come from the page. */
  const writer: DirectoryWriter = {
    ...rows,
    addChunk(row) {
      rows.copyChunk({ ...row, key: arriving });
      return arriving;
    },
    setSetting() {},
    deleteSetting() {},
  };
  const newest = own.find(({ kind, a }) => kind === "o" && a === retiredSetting(scope))?.b ?? null;
  const retired = newest === null ? readRetired(rows, scope) : (parseStored(newest) as Retired);
  // Chunks that come now may have such a vector anew.
  dropRetired(writer, core.view, name as Scope, retired);
  const changes = changeScope(writer, core.view, name as Scope);
  changes.scopeKey();
  const chunks = own.filter(({ kind }) => kind === "c");
  const known = chunks.flatMap(({ key }) => (key <= last ? [key] : []));
  const held = new Map(rows.chunks(known).flatMap((row) => (row === undefined ? [] : [[row.key, row]])));
  const documents = own.flatMap((row) => (row.kind === "d" && !row.gone ? [{ row, document: toDocument(row) }] : []));
  const uriOf = createUris(rows, documents);
  const readPlaced = createPlacedReader();
  const coming = chunks
    .filter(({ gone, key }) => !gone && !held.has(key))
    .map((row) => {
      const chunk = toChunk(row);
      const place = { uri: uriOf(chunk.document), start: chunk.start };
      const { key, id } = chunk;
      return { key, id, place, row: chunk, placed: readPlaced(row.c), terms: bytesOf(row.x), vectors: bytesOf(row.y) };
    });
  const mayLack = Object.keys(retired).length > 0;
  const isKept = (key: number, version: string): boolean => !(keyOf(scope, retired[version] ?? 0) > key);
  const arrivals = withOwnVectors(coming, vectorsOf, mayLack ? isKept : undefined);
  const { sealAt, settleAt, maxMerged } = core.options.policy;
  // A copy on its way seals the rest of a page too: written as waiting chunks, it would be read, sealed and merged again.
  const sealRest = have === 0 || upto < stamp ? settleAt : Math.ceil(sealAt / 4);
  const sealed: ReturnType<SealThread["seal"]>[] = [];
  const waiting = new Map(arrivals.map((arrival) => [arrival.key, arrival]));
  const least = Math.max(1, Math.min(sealAt, sealRest));
  // A segment of this size is never merged.
  const whole = Math.max(sealAt, maxMerged);
  for (let from = 0; arrivals.length - from >= least; from += whole) {
    const together = arrivals.slice(from, from + whole);
    for (const { key } of together) waiting.delete(key);
    sealed.push(sealing.seal(together, numbers));
  }
  // Ids become free before others take them.
  for (const { key, gone } of chunks) {
    const before = held.get(key);
    if (gone && before !== undefined) changes.remove(before);
  }
  await applyDocuments({ db, rows }, scope, own, documents);
  for (const [i, { key, row, terms, vectors }] of arrivals.entries()) {
    if (i % chunksInTurn === chunksInTurn - 1) await nextTurn();
    arriving = key;
    const shown = row.deletedAt === null ? row : { ...row, deletedAt: null };
    if (waiting.has(key)) changes.addEncoded(shown, terms, vectors);
    else changes.addSealed(shown);
  }
  for (const row of chunks) {
    const before = held.get(row.key);
    if (row.gone || before === undefined) continue;
    const chunk = toChunk(row);
    if (before.deletedAt === null && chunk.deletedAt !== null) changes.hide(chunk, chunk.deletedAt);
    else if (before.deletedAt !== null && chunk.deletedAt === null) changes.unhide(chunk);
    else {
      const isSeen = before.metadata !== chunk.metadata || before.origin !== chunk.origin;
      changes.update(chunk, isSeen && chunk.deletedAt === null);
    }
  }
  for (const segment of sealed) changes.putSegment(await segment());
  changes.finish();
  // The index looks for rows past the last one that it has: those that come before it are announced.
  if (arrivals.some(({ key }) => key < last)) db.run("UPDATE scopes SET rewrites = rewrites + 1 WHERE key = ?", scope);
  const hidden = arrivals.filter(({ row }) => row.deletedAt !== null);
  if (hidden.length > 0) {
    const hiding = changeScope(writer, core.view, name as Scope);
    for (const { row } of hidden) hiding.hide(row, row.deletedAt!);
    hiding.finish();
  }
}

interface ArrivedDocument {
  readonly row: PageRow;
  readonly document: DocumentRow;
}

/** Documents by their keys, those of the page first. **Shape** their uris, by which a segment is put in order. */
function createUris(rows: DirectoryReader, documents: readonly ArrivedDocument[]): (document: number) => string {
  const uris = new Map(documents.map(({ document: { key, uri } }) => [key, uri]));
  return (document) => {
    let uri = uris.get(document);
    if (uri === undefined) uris.set(document, (uri = rows.document(document)?.uri ?? ""));
    return uri;
  };
}

/** Chunks with the vectors that they have here: given ones whose version has not gone, and those of the store's own model. */
function withOwnVectors(
  coming: readonly Arrival[],
  vectorsOf: Placing["vectorsOf"],
  isKept: ((key: number, version: string) => boolean) | undefined,
): readonly Arrival[] {
  // All vectors at once: between other work, rows of the fit would leave the processor's caches.
  const own = vectorsOf(coming);
  return coming.map((arrival, i) => {
    const more = own[i]!;
    if (more.length === 0 && isKept === undefined) return arrival;
    const given = decodeVectors(arrival.vectors);
    const kept = given.filter(({ version }) => isKept?.(arrival.key, version) ?? true);
    return more.length === 0 && kept.length === given.length
      ? arrival
      : { ...arrival, vectors: encodeVectors([...kept, ...more]) };
  });
}

async function applyDocuments(
  { db, rows }: Pick<Replica, "db" | "rows">,
  scope: number,
  own: readonly PageRow[],
  documents: readonly ArrivedDocument[],
): Promise<void> {
  const last = lastKey(db, "documents", scope);
  const isThere = (key: number): boolean =>
    key <= last && db.get("SELECT 1 FROM documents WHERE key = ?", key) !== undefined;
  // Ids become free before others take them.
  for (const { kind, key, gone } of own) if (kind === "d" && gone && isThere(key)) rows.deleteDocument(key);
  for (const [i, { row, document }] of documents.entries()) {
    if (i % documentsInTurn === documentsInTurn - 1) await nextTurn();
    const { key, c, x } = row;
    const body = c === null || x === null ? undefined : { structure: c, text: Buffer.from(x).toString() };
    if (isThere(key)) rows.putDocument(document, body);
    else if (body !== undefined) rows.copyDocument(document, body);
  }
}

/** Reads where chunks were placed: most of a page are in the same space. */
function createPlacedReader(): (json: string | null) => Placed | null {
  let last: { readonly json: string; readonly placed: Placed } | undefined;
  return (json) => {
    if (json === null || json === "null") return null;
    if (last?.json !== json) last = { json, placed: parseStored(json) as Placed };
    return last.placed;
  };
}

/** Takes vectors of versions that the scope has lost since from the chunks that the copy holds. */
function dropRetired(rows: DirectoryWriter, view: SegmentCore["view"], scope: Scope, retired: Retired): void {
  const held = view.scope(rows, scope);
  if (held === undefined) return;
  const before = readRetired(rows, held.row.key);
  const gone = new Set(Object.keys(retired).filter((version) => before[version] !== retired[version]));
  if (gone.size === 0) return;
  const stamp = rows.stamp() + 1;
  dropVersions(rows, held, gone, stamp);
  rows.putScope({ ...held.row, stamp, rewrites: held.row.rewrites + 1 });
  rows.setStamp(stamp);
}

/** Terms that a placing remembers from one page to the next, at most. */
const mostTerms = 65_536;

/** Gives chunks the vector of the store's own model that they have on every node. To be made anew where a fit or the placing has changed. */
export interface Placing {
  /** **Shape** the vectors of each of them. */
  readonly vectorsOf: (chunks: readonly Pick<Arrival, "terms" | "placed">[]) => readonly (readonly StoredVector[])[];
  readonly numbers: TermNumbers;
}

export function createPlacing(rows: DirectoryReader, latent: LatentLeg | undefined): Placing {
  const numbers = createTermNumbers();
  if (latent === undefined) return { vectorsOf: (chunks) => chunks.map(() => []), numbers };
  const { count, space: newest } = readPlacing(rows);
  const counts = createCountsReader(numbers);
  const kept = new Map<string | undefined, ReturnType<LatentLeg["numberedVectorsOf"]>>();
  /** Vectors in the space with that fingerprint. */
  const vectorsIn = (name: string | undefined): ReturnType<LatentLeg["numberedVectorsOf"]> => {
    let vectors = kept.get(name);
    if (vectors === undefined) {
      const fit = rows.fits().find(({ fingerprint }) => fingerprint === name);
      vectors =
        fit === undefined
          ? latent.numberedVectorsOf(latent.model.unfitted, counts.text)
          : latent.numberedVectorsOf(
              latent.spaceOf(rows, fit),
              counts.text,
              findRows(latent.spaceOf(rows, fit), numbers),
            );
      kept.set(name, vectors);
    }
    return vectors;
  };
  return {
    numbers,
    vectorsOf(chunks) {
      // One kind of work at a time: each has its own tables in the processor's caches.
      const read = chunks.map(({ terms }) => counts.read(terms));
      return chunks.map(({ placed }, i) => {
        const isMoved = placed === null || placed.count < count;
        if (!isMoved && placed.space === null) return [];
        const own =
          placed?.space === undefined || placed.space === null ? undefined : parseVersionKey(placed.space).fingerprint;
        return [vectorsIn(isMoved ? newest : own)(read[i]!)];
      });
    },
  };
}

/** Terms that have come since the rows were listed, and are looked up one by one. */
const fewTerms = 2048;

/** Finds rows of a fit by the numbers of terms. They are listed by their bytes where many are asked for: a look-up by text costs ten times as much. */
function findRows(space: StoredSpace, numbers: TermNumbers): (number: number) => TermRow | undefined {
  let listed = 0;
  let found: ReadonlyMap<number, TermRow> = new Map();
  return (number) => {
    if (numbers.count() - listed > fewTerms) {
      found = space.rowsOf(numbers.find);
      listed = numbers.count();
    }
    return number < listed ? found.get(number) : space.find(numbers.text(number));
  };
}

/** The last key of a scope's rows; 0 where there are none. **Cost** one look: an index by scope would be read whole. */
function lastKey(db: SqliteConnection, table: "chunks" | "documents", scope: number): number {
  const within = `SELECT max(key) AS key FROM ${table} WHERE key >= ? AND key < ?`;
  return db.get<{ key: number | null }>(within, keyOf(scope, 0), keyOf(scope + 1, 0))?.key ?? 0;
}

/** Bytes of a row, without the methods of a `Buffer`. */
function bytesOf(bytes: Uint8Array | null): Uint8Array {
  return bytes === null ? new Uint8Array(0) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Takes over fits. Where every chunk was moved into another space meanwhile, those of this copy are moved too. */
function applyFits({ db, rows, core }: Replica, own: readonly PageRow[]): void {
  const { view, latent } = core;
  const moved = own.find(({ kind, a }) => kind === "o" && a === placingSetting)?.b;
  const isMoved =
    latent !== undefined && moved !== undefined && moved !== null && moved !== rows.setting(placingSetting);
  const former = new Map(
    latent === undefined ? [] : rows.fits().map((fit) => [fit.fingerprint, [...latent.spaceOf(rows, fit).terms()]]),
  );
  for (const { kind, gone, key } of own) if (kind === "f" && gone) rows.deleteFit(key);
  let arrived: FitRow | undefined;
  for (const { kind, gone, key, a, x } of own) {
    if (kind !== "f" || gone) continue;
    const row: FitRow = { ...(parseStored(a ?? "") as FitFacts), key };
    const before = rows.fits().find((fit) => fit.key === key);
    // The move makes it the current one.
    const waits = isMoved && row.current && before?.current !== true;
    if (waits) arrived = row;
    if (before === undefined) insertFit(db, { ...row, current: row.current && !waits }, splitParts(bytesOf(x)));
    else if (!waits) rows.putFit(row);
    const terms = former.get(row.fingerprint);
    if (latent === undefined || before !== undefined || terms === undefined) continue;
    const space = latent.spaceOf(rows, row);
    const forgotten = terms.map(({ term }) => term).filter((term) => space.find(term) === undefined);
    if (forgotten.length > 0) placeAgain(rows, view, latent, space, forgotten);
  }
  if (!isMoved) return;
  // Settings, and what has gone, come with the page.
  const writer: DirectoryWriter = { ...rows, setSetting() {}, deleteSetting() {} };
  const name = moved.slice(moved.indexOf(" ") + 1);
  const fit = rows.fits().find(({ fingerprint }) => fingerprint === name);
  changeOver(writer, view, latent, arrived, fit === undefined ? latent.model.unfitted : latent.spaceOf(rows, fit));
}
