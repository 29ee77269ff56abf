import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { baseName, type HeldScope, type HeldScopes } from "./compare-commits.ts";

/** Key of the base itself: settings of all scopes, and fits. */
export const baseScope = 0;

/** Keys of one scope. With 2 ** 22 scopes, keys stay whole numbers of a double. */
const keysOfScope = 2 ** 31;

/** How far one scope of the copy has come. */
export interface ReplicaStamp {
  readonly scope: number;
  readonly stamp: number;
  /** The next key that a row of the scope gets, counted within the scope. */
  readonly next: number;
  /** Names the commit of that stamp: another past has another one. `null` where nobody knows it. */
  readonly commit: string | null;
}

/** Names a commit by its writer: 48 random bits. */
export function nameOfCommit(writer: string): string {
  return writer.slice(0, commitLength);
}

const commitLength = 13;

/** The same in SQL. */
export function commitOf(writer: string): string {
  return `left(${writer}::text, ${commitLength})`;
}

/** The copy's own table: how far each scope has come. It is written in the transaction that brings the rows. */
export interface ReplicaStamps {
  all(): readonly ReplicaStamp[];
  get(scope: number): ReplicaStamp | undefined;
  /**
   * The base itself, with an empty name, and those of these scopes that the copy has. They are kept until this object writes: another process may have
   * brought later commits.
   */
  named(scopes: readonly string[]): HeldScopes;
  /** Forgets what `named` keeps. */
  forget(): void;
  put(row: ReplicaStamp): void;
  add(scope: number): void;
  remove(scope: number): void;
  /** A key that no row of the base has, for a row of that scope. */
  nextKey(scope: number): number;
  /** Whether a catch-up was cut short: what is there is no state of the base. */
  isPartial(): boolean;
  setPartial(isPartial: boolean): void;
}

const columns = 'scope, stamp, next, "commit"';

/** Stands for the copy as a whole. */
const partialMark = -1;

/** Named scopes that are kept. */
const mostNamed = 4_096;

export function createReplicaStamps(db: SqliteConnection): ReplicaStamps {
  const kept = new Map<string, HeldScope | undefined>();
  const readNamed = (scopes: readonly string[]): void => {
    for (const name of [baseName, ...scopes]) kept.set(name, undefined);
    const found = db.all<HeldScope & { readonly name: string }>(
      `SELECT '' AS name, scope AS key, stamp, "commit" FROM replica WHERE scope = ${baseScope}
UNION ALL SELECT s.scope, r.scope, r.stamp, r."commit" FROM scopes s JOIN replica r ON r.scope = s.key WHERE s.scope IN (SELECT value FROM json_each(?))`,
      JSON.stringify(scopes),
    );
    for (const row of found) kept.set(row.name, row);
  };
  const get = (scope: number): ReplicaStamp | undefined =>
    db.get<ReplicaStamp>(`SELECT ${columns} FROM replica WHERE scope = ?`, scope);
  const put = ({ scope, stamp, next, commit }: ReplicaStamp): void => {
    kept.clear();
    db.run(`INSERT OR REPLACE INTO replica (${columns}) VALUES (?, ?, ?, ?)`, scope, stamp, next, commit);
  };
  return {
    all: () => db.all<ReplicaStamp>(`SELECT ${columns} FROM replica WHERE scope >= 0`),
    get,
    named(scopes) {
      if (kept.size > mostNamed) kept.clear();
      if (!kept.has(baseName) || !scopes.every((name) => kept.has(name))) readNamed(scopes);
      const held = [baseName, ...scopes].flatMap((name) => {
        const scope = kept.get(name);
        return scope === undefined ? [] : [[name, scope] as const];
      });
      return new Map(held);
    },
    forget: () => kept.clear(),
    put,
    add: (scope) => put({ scope, stamp: 0, next: 1, commit: null }),
    remove(scope) {
      kept.clear();
      db.run("DELETE FROM replica WHERE scope = ?", scope);
    },
    nextKey(scope) {
      const row = get(scope) ?? { scope, stamp: 0, next: 1, commit: null };
      put({ ...row, next: row.next + 1 });
      return keyOf(scope, row.next);
    },
    isPartial: () => get(partialMark) !== undefined,
    setPartial: (isPartial) =>
      isPartial
        ? put({ scope: partialMark, stamp: 0, next: 0, commit: null })
        : void db.run("DELETE FROM replica WHERE scope = ?", partialMark),
  };
}

/** The number of a row within its scope. */
export function keyInScope(key: number): number {
  return key % keysOfScope;
}

export function scopeOfKey(key: number): number {
  return Math.floor(key / keysOfScope);
}

/** A row's key on every node. */
export function keyOf(scope: number, number: number): number {
  return scope * keysOfScope + number;
}

/** Makes the table, and gives one of an earlier version the names of commits. */
export function makeReplicaTable(db: SqliteConnection): void {
  db.run(
    'CREATE TABLE IF NOT EXISTS replica (scope INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, next INTEGER NOT NULL, "commit" TEXT)',
  );
  const isNamed = db.get("SELECT 1 FROM pragma_table_info('replica') WHERE name = 'commit'") !== undefined;
  if (!isNamed) db.run('ALTER TABLE replica ADD COLUMN "commit" TEXT');
}
