import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";

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
  /** The base itself, with an empty name, and those of these scopes that the copy has. */
  named(scopes: readonly string[]): readonly (ReplicaStamp & { readonly name: string })[];
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

export function createReplicaStamps(db: SqliteConnection): ReplicaStamps {
  const get = (scope: number): ReplicaStamp | undefined =>
    db.get<ReplicaStamp>(`SELECT ${columns} FROM replica WHERE scope = ?`, scope);
  const put = ({ scope, stamp, next, commit }: ReplicaStamp): void =>
    void db.run(`INSERT OR REPLACE INTO replica (${columns}) VALUES (?, ?, ?, ?)`, scope, stamp, next, commit);
  return {
    all: () => db.all<ReplicaStamp>(`SELECT ${columns} FROM replica WHERE scope >= 0`),
    get,
    named: (scopes) =>
      db.all(
        `SELECT '' AS name, ${columns} FROM replica WHERE scope = ${baseScope}
UNION ALL SELECT s.scope, r.scope, r.stamp, r.next, r."commit" FROM scopes s JOIN replica r ON r.scope = s.key WHERE s.scope IN (SELECT value FROM json_each(?))`,
        JSON.stringify(scopes),
      ),
    put,
    add: (scope) => put({ scope, stamp: 0, next: 1, commit: null }),
    remove: (scope) => void db.run("DELETE FROM replica WHERE scope = ?", scope),
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
