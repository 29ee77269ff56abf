import { decodeVectors, encodeVectors } from "../../engine/vectors/stored-vector.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { readPlacing } from "../segments/fit-members.ts";
import { isOwnVersion } from "../segments/own-version.ts";
import { purgeSetting } from "../segments/purge.ts";
import type { ChunkRow, DirectoryWriter, DocumentBody, DocumentRow, FitRow } from "../segments/segment-directory.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import type { SqliteRows } from "../sqlite/sqlite-rows.ts";
import type { Scope } from "../../contracts/scope.ts";
import { baseScope, type ReplicaStamps } from "./replica-stamps.ts";

/**
 * The space of the store's own model that a chunk was in when it came; `null` for none. `count` is how often every chunk had been moved before: chunks of an
 * earlier count were moved since.
 */
export interface Placed {
  readonly space: string | null;
  readonly count: number;
}

/** One change of a row that all nodes share. Segments, files and waiting rows are each node's own. */
export type RowChange =
  | { readonly kind: "scope"; readonly scope: number; readonly name: Scope }
  | { readonly kind: "scope gone"; readonly scope: number }
  | { readonly kind: "document"; readonly row: DocumentRow; readonly body: DocumentBody | undefined }
  | { readonly kind: "document gone"; readonly scope: number; readonly key: number }
  | { readonly kind: "chunk"; readonly row: ChunkRow }
  | {
      readonly kind: "content";
      readonly key: number;
      readonly terms: Uint8Array;
      readonly vectors: Uint8Array;
      readonly placed: Placed;
    }
  | { readonly kind: "chunk gone"; readonly scope: number; readonly key: number }
  | { readonly kind: "setting"; readonly name: string; readonly value: string | undefined }
  | { readonly kind: "fit"; readonly row: FitRow; readonly parts: readonly Uint8Array[] | undefined }
  | { readonly kind: "fit gone"; readonly key: number };

/** Settings of a base that each node has for itself, or that never change. */
const ownSettings: ReadonlySet<string> = new Set([
  purgeSetting,
  "secret",
  "analyzer",
  "chunks have documents",
  "chunks have text keys",
]);

/** The scope that a setting belongs to; `undefined` for a node's own. */
export function scopeOfSetting(name: string): number | undefined {
  if (ownSettings.has(name)) return undefined;
  const found = /^(?:changes|lives|versions|retired) of (\d+)$/u.exec(name);
  return found === null ? baseScope : Number(found[1]);
}

/** The scope that a setting counts the lives of. Each purge begins another life. */
export function scopeOfLives(name: string): number | undefined {
  const found = /^lives of (\d+)$/u.exec(name);
  return found === null ? undefined : Number(found[1]);
}

/** Versions whose vectors a scope has lost, with the number that its next row had then: later rows may have such vectors again. */
export type Retired = Readonly<Record<string, number>>;

export function retiredSetting(scope: number): string {
  return `retired of ${scope}`;
}

export function readRetired(rows: Pick<DirectoryWriter, "setting">, scope: number): Retired {
  return parseStored(rows.setting(retiredSetting(scope)) ?? "{}") as Retired;
}

/** Keys of scopes that this node may give. */
export interface ScopeKeys {
  /** **Errors** {@link noScopeKey} when there is none left. */
  take(): number;
}

/** Thrown where a scope is to be made and no key is at hand: one is fetched, and the work runs again. */
export const noScopeKey = new Error("no scope key");

export interface RowLog {
  readonly writer: DirectoryWriter;
  readonly changes: RowChange[];
  /** Forgets everything: another transaction begins. */
  clear(): void;
}

/**
 * Rows that can be changed, with a log of those that other nodes must see. Keys of new rows are taken from the scope's counter, so that they are the same
 * on every node.
 */
export function createRowLog(
  db: SqliteConnection,
  rows: SqliteRows,
  stamps: ReplicaStamps,
  scopeKeys: ScopeKeys,
): RowLog {
  const changes: RowChange[] = [];
  /** Chunks that came in this transaction: only theirs is the content that others lack. */
  const arrived = new Set<number>();

  const note = (name: string, value: string | undefined): void => {
    if (scopeOfSetting(name) !== undefined) changes.push({ kind: "setting", name, value });
  };

  const writer: DirectoryWriter = {
    ...rows,
    setSetting(name, value) {
      rows.setSetting(name, value);
      note(name, value);
    },
    deleteSetting(name) {
      rows.deleteSetting(name);
      note(name, undefined);
    },
    addScope(scope, stamp) {
      const key = scopeKeys.take();
      db.run("INSERT INTO scopes (key, scope, stamp, rewrites) VALUES (?, ?, ?, 0)", key, scope, stamp);
      stamps.add(key);
      changes.push({ kind: "scope", scope: key, name: scope });
      return key;
    },
    deleteScope(scope) {
      rows.deleteScope(scope);
      changes.push({ kind: "scope gone", scope });
    },
    addDocument(row, body) {
      const added = { ...row, key: stamps.nextKey(row.scope) };
      rows.copyDocument(added, body);
      changes.push({ kind: "document", row: added, body });
      return added.key;
    },
    putDocument(row, body) {
      rows.putDocument(row, body);
      changes.push({ kind: "document", row, body });
    },
    deleteDocument(key) {
      const { scope } = rows.document(key);
      rows.deleteDocument(key);
      changes.push({ kind: "document gone", scope, key });
    },
    addChunk(row) {
      const added = { ...row, key: stamps.nextKey(row.scope) };
      rows.copyChunk(added);
      arrived.add(added.key);
      changes.push({ kind: "chunk", row: added });
      return added.key;
    },
    putChunk(row) {
      rows.putChunk(row);
      changes.push({ kind: "chunk", row });
    },
    deleteChunk(key) {
      const { scope } = rows.chunk(key);
      rows.deleteChunk(key);
      changes.push({ kind: "chunk gone", scope, key });
    },
    addPending(scope, row) {
      rows.addPending(scope, row);
      if (!arrived.has(row.key)) return;
      // Vectors of the store's own model follow from the terms and the fit.
      const all = decodeVectors(row.vectors);
      const given = all.filter(({ version }) => !isOwnVersion(version));
      const own = all.find(({ version }) => isOwnVersion(version));
      const placed = { space: own?.version ?? null, count: readPlacing(rows).count };
      changes.push({ kind: "content", key: row.key, terms: row.terms, vectors: encodeVectors(given), placed });
    },
    retireVectors(scope, versions) {
      const before = readRetired(rows, scope);
      const { next } = stamps.get(scope)!;
      const retired = { ...before, ...Object.fromEntries(versions.map((version) => [version, next])) };
      writer.setSetting(retiredSetting(scope), JSON.stringify(retired));
    },
    addFit(row, parts) {
      const added = { ...row, key: stamps.nextKey(baseScope) };
      insertFit(db, added, parts);
      changes.push({ kind: "fit", row: added, parts });
      return added.key;
    },
    putFit(row) {
      rows.putFit(row);
      changes.push({ kind: "fit", row, parts: undefined });
    },
    deleteFit(key) {
      rows.deleteFit(key);
      changes.push({ kind: "fit gone", key });
    },
  };

  return {
    writer,
    changes,
    clear() {
      changes.length = 0;
      arrived.clear();
    },
  };
}

/** Adds a fit under a key that it has already. */
export function insertFit(db: SqliteConnection, row: FitRow, parts: readonly Uint8Array[]): void {
  db.run(
    "INSERT INTO fits (key, fingerprint, dimensions, corpus, chunks, energy, current) VALUES (?, ?, ?, ?, ?, ?, ?)",
    row.key,
    row.fingerprint,
    row.dimensions,
    row.corpus,
    row.chunks,
    row.energy,
    row.current ? 1 : 0,
  );
  for (const [part, data] of parts.entries()) db.run("INSERT INTO fit_parts VALUES (?, ?, ?)", row.key, part, data);
}
