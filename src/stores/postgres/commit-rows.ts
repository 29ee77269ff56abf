import type { ChunkRow, DocumentRow, FitRow } from "../segments/segment-directory.ts";
import { baseScope, commitOf, nameOfCommit, type ReplicaStamps } from "./replica-stamps.ts";
import { isBase, isOtherCommit } from "./read-page.ts";
import { type RowChange, scopeOfLives, scopeOfSetting } from "./row-log.ts";

/** Bytes of all rows of a statement, one after the other. A row names its stretch. */
interface Packed {
  readonly at: number;
  readonly size: number;
}

/** A statement that writes all changes or none. */
export interface CommitStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Names this attempt in the table of changes. */
  readonly writer: string;
  readonly scopes: readonly number[];
}

/** The columns of a chunk's row that are kept as JSON. */
export type ChunkFacts = Omit<ChunkRow, "key" | "scope" | "id" | "document">;
/** The columns of a document's row that are kept as JSON. */
export type DocumentFacts = Omit<DocumentRow, "key" | "scope" | "id" | "uri">;
export type FitFacts = Omit<FitRow, "key">;

function createPacker(): { pack(bytes: Uint8Array | undefined): Packed | undefined; bytes(): Buffer } {
  const parts: Uint8Array[] = [];
  let at = 0;
  return {
    pack(bytes) {
      if (bytes === undefined) return undefined;
      const place = { at: at + 1, size: bytes.length };
      parts.push(bytes);
      at += bytes.length;
      return place;
    },
    bytes: () => Buffer.concat(parts),
  };
}

/** The last state of each row that changed. */
interface Rows {
  readonly scopes: Map<number, string>;
  readonly goneScopes: Set<number>;
  readonly documents: Map<number, Extract<RowChange, { kind: "document" | "document gone" }>>;
  readonly chunks: Map<number, Extract<RowChange, { kind: "chunk" | "chunk gone" }>>;
  readonly contents: Map<number, Extract<RowChange, { kind: "content" }>>;
  readonly settings: Map<string, string | undefined>;
  readonly fits: Map<number, Extract<RowChange, { kind: "fit" | "fit gone" }>>;
}

function fold(changes: readonly RowChange[]): Rows {
  const rows: Rows = {
    scopes: new Map(),
    goneScopes: new Set(),
    documents: new Map(),
    chunks: new Map(),
    contents: new Map(),
    settings: new Map(),
    fits: new Map(),
  };
  for (const change of changes) {
    switch (change.kind) {
      case "scope":
        rows.scopes.set(change.scope, change.name);
        break;
      case "scope gone":
        rows.goneScopes.add(change.scope);
        break;
      case "document": {
        const before = rows.documents.get(change.row.key);
        const body = change.body ?? (before?.kind === "document" ? before.body : undefined);
        rows.documents.set(change.row.key, { ...change, body });
        break;
      }
      case "document gone":
        rows.documents.set(change.key, change);
        break;
      case "chunk":
        rows.chunks.set(change.row.key, change);
        break;
      case "chunk gone":
        rows.chunks.set(change.key, change);
        rows.contents.delete(change.key);
        break;
      case "content":
        rows.contents.set(change.key, change);
        break;
      case "setting":
        rows.settings.set(change.name, change.value);
        break;
      case "fit": {
        const before = rows.fits.get(change.row.key);
        const parts = change.parts ?? (before?.kind === "fit" ? before.parts : undefined);
        rows.fits.set(change.row.key, { ...change, parts });
        break;
      }
      case "fit gone":
        rows.fits.set(change.key, change);
        break;
    }
  }
  return rows;
}

function scopesOf(rows: Rows): ReadonlySet<number> {
  const scopes = new Set<number>([...rows.scopes.keys(), ...rows.goneScopes]);
  for (const change of rows.documents.values())
    scopes.add(change.kind === "document" ? change.row.scope : change.scope);
  for (const change of rows.chunks.values()) scopes.add(change.kind === "chunk" ? change.row.scope : change.scope);
  for (const name of rows.settings.keys()) scopes.add(scopeOfSetting(name) ?? baseScope);
  if (rows.fits.size > 0) scopes.add(baseScope);
  return scopes;
}

/** Lengths of a fit's parts, then the parts. */
function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const lengths = new Uint32Array([parts.length, ...parts.map(({ length }) => length)]);
  return Buffer.concat([new Uint8Array(lengths.buffer), ...parts]);
}

export function splitParts(bytes: Uint8Array): readonly Uint8Array[] {
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = numbers.getUint32(0, true);
  let at = 4 * (count + 1);
  return Array.from({ length: count }, (_, i) => {
    const from = at;
    at += numbers.getUint32(4 * (i + 1), true);
    return bytes.slice(from, at);
  });
}

/**
 * Makes one statement of the changes, and puts the stamps that it leads to into the copy.
 *
 * The statement locks the scopes' rows in order of their keys and writes only if each has the stamp that the changes were computed from. It writes to the base
 * of that `mark` alone. It therefore gives
 * the same state however often it is sent: after an answer that was lost, it is sent again.
 */
export function commitStatement(
  schema: string,
  mark: string,
  changes: readonly RowChange[],
  stamps: ReplicaStamps,
): CommitStatement {
  const rows = fold(changes);
  const writer = crypto.randomUUID();
  const base = stamps.get(baseScope);
  const packer = createPacker();
  const pack = (bytes: Uint8Array | undefined): Packed | undefined => packer.pack(bytes);
  const stampOf = new Map<number, number>();
  const expected: object[] = [];
  const made: object[] = [];
  for (const scope of scopesOf(rows)) {
    const { stamp, next, commit } = stamps.get(scope) ?? { stamp: 0, next: 1, commit: null };
    stampOf.set(scope, stamp + 1);
    const name = rows.scopes.get(scope);
    if (name !== undefined) made.push({ key: scope, name, next });
    else expected.push({ key: scope, stamp, next, gone: rows.goneScopes.has(scope), commit });
    if (rows.goneScopes.has(scope)) stamps.remove(scope);
    else stamps.put({ scope, stamp: stamp + 1, next, commit: nameOfCommit(writer) });
  }
  const changed = (scope: number): number => stampOf.get(scope)!;
  const stays = (scope: number): boolean => !rows.goneScopes.has(scope);

  const documents = [...rows.documents.values()].flatMap((change) => {
    if (change.kind === "document gone")
      return stays(change.scope)
        ? [{ scope: change.scope, key: change.key, changed: changed(change.scope), gone: true }]
        : [];
    const { key, scope, id, uri, ...facts } = change.row;
    if (!stays(scope)) return [];
    return [
      {
        scope,
        key,
        changed: changed(scope),
        gone: false,
        id,
        uri,
        facts: JSON.stringify(facts satisfies DocumentFacts),
        ...(change.body && { structure: change.body.structure, ...pack(Buffer.from(change.body.text)) }),
      },
    ];
  });
  const chunks = [...rows.chunks.values()].flatMap((change) => {
    if (change.kind === "chunk gone")
      return stays(change.scope)
        ? [{ scope: change.scope, key: change.key, changed: changed(change.scope), gone: true }]
        : [];
    const { key, scope, id, document, ...facts } = change.row;
    if (!stays(scope)) return [];
    const content = rows.contents.get(key);
    const vectors = pack(content?.vectors);
    return [
      {
        scope,
        key,
        changed: changed(scope),
        gone: false,
        document,
        id,
        facts: JSON.stringify(facts satisfies ChunkFacts),
        ...pack(content?.terms),
        ...(vectors && { vectors_at: vectors.at, vectors_size: vectors.size }),
        ...(content && { placed: JSON.stringify(content.placed) }),
      },
    ];
  });
  const settings = [...rows.settings].flatMap(([name, value]) => {
    const scope = scopeOfSetting(name) ?? baseScope;
    return stays(scope) ? [{ scope, name, changed: changed(scope), value: value ?? null }] : [];
  });
  const fits = [...rows.fits.values()].map((change) => {
    if (change.kind === "fit gone") return { key: change.key, changed: changed(baseScope), gone: true };
    const { key, ...facts } = change.row;
    const parts = change.parts && pack(joinParts(change.parts));
    return { key, changed: changed(baseScope), gone: false, facts: JSON.stringify(facts satisfies FitFacts), ...parts };
  });
  /** Scopes whose shared index may hold words that are gone for good. */
  const purged = [...rows.goneScopes, ...[...rows.settings.keys()].flatMap((name) => scopeOfLives(name) ?? [])];
  const lists = { expected, made, documents, chunks, settings, fits, purged };
  const values: unknown[] = [packer.bytes(), writer, base?.stamp ?? 0, mark, base?.commit ?? null];
  const parameters: Record<string, string> = {};
  for (const [name, list] of Object.entries(lists)) {
    if (list.length > 0) parameters[name] = `$${values.push(JSON.stringify(list))}`;
  }
  const text = commitText(schema, parameters, rows.goneScopes.size > 0);
  return { text, values, writer, scopes: [...stampOf.keys()] };
}

const slice = (at: string, size: string): string =>
  `CASE WHEN r.${at} IS NOT NULL THEN substring(($1::bytea) FROM r.${at} FOR r.${size}) END`;

/** Lists that a statement has, with the parameters that hold them. Each part costs time in the planner, so that a list without rows has none. */
type Parameters = Readonly<
  Partial<Record<"expected" | "made" | "documents" | "chunks" | "settings" | "fits" | "purged", string>>
>;

/**
 * The one statement of a write. Its parts all run, and see the same state; `go.ok` says whether they may write. `ready` says the same once new scopes are
 * there: where row-level security is on, it checks that a row's scope is one of the role's. A write to scopes was computed on the base's own rows too, such
 * as the fit: it is refused where those have moved on.
 */
function commitText(schema: string, given: Parameters, isEmptied: boolean): string {
  const { expected = "'[]'", made, documents, chunks, settings, fits, purged } = given;
  const recordset = (parameter: string, alias: string, columns: string): string =>
    `json_to_recordset(${parameter}::json) AS ${alias}(${columns})`;
  const purge = (table: string): string =>
    `purged_${table} AS (DELETE FROM ${schema}.${table} t USING json_array_elements_text(${purged}::json) AS p(scope), go WHERE go.ok AND t.scope = p.scope::bigint)`;
  const empty = (table: string): string =>
    `emptied_${table} AS (DELETE FROM ${schema}.${table} t USING expected e, go WHERE go.ok AND e.gone AND t.scope = e.key)`;
  const base = `(SELECT s.stamp <= $3::bigint AND NOT (s.stamp = $3::bigint AND ${isOtherCommit("s", "$5::text")}) FROM ${schema}.scopes s WHERE s.key = ${baseScope})`;
  const commit = commitOf("$2::uuid");
  const parts = [
    `expected AS (SELECT * FROM ${recordset(expected, "e", "key bigint, stamp bigint, next bigint, gone boolean, commit text")})`,
    `locked AS (SELECT s.key FROM ${schema}.scopes s JOIN expected e ON s.key = e.key AND s.stamp = e.stamp WHERE NOT s.gone AND NOT ${isOtherCommit("s", "e.commit")} ORDER BY s.key FOR UPDATE OF s)`,
    `go AS MATERIALIZED (SELECT (SELECT count(*) FROM locked) = (SELECT count(*) FROM expected) AND coalesce(${base}, true) AND ${isBase(schema, "$4")} AND $1::bytea IS NOT NULL AS ok)`,
    `moved AS (UPDATE ${schema}.scopes s SET stamp = e.stamp + 1, next_key = e.next, gone = e.gone, last_commit = (e.stamp + 1) || ' ' || ${commit} FROM expected e, go WHERE s.key = e.key AND go.ok RETURNING s.key, s.stamp)`,
    made === undefined
      ? "ready AS (SELECT ok FROM go)"
      : `made AS (INSERT INTO ${schema}.scopes (key, name, stamp, next_key, last_commit) SELECT r.key, r.name, 1, r.next, '1 ' || ${commit}
  FROM ${recordset(made, "r", "key bigint, name text, next bigint")}, go WHERE go.ok RETURNING key, stamp),
ready AS MATERIALIZED (SELECT go.ok AND (SELECT count(*) FROM made) >= 0 AS ok FROM go)`,
    ...(isEmptied ? ["documents", "chunks", "settings"].map(empty) : []),
    ...(purged === undefined ? [] : ["indexes", "index_files"].map(purge)),
    documents &&
      `put_documents AS (INSERT INTO ${schema}.documents AS t (scope, key, changed, written, gone, id, uri, facts, structure, text)
  SELECT r.scope, r.key, r.changed, r.changed, r.gone, r.id, r.uri, r.facts, r.structure, ${slice("at", "size")}
  FROM ${recordset(documents, "r", "scope bigint, key bigint, changed bigint, gone boolean, id text, uri text, facts text, structure text, at int, size int")}, ready WHERE ready.ok
  ON CONFLICT (scope, key) DO UPDATE SET changed = excluded.changed, gone = excluded.gone, id = excluded.id, uri = excluded.uri, facts = excluded.facts,
    written = CASE WHEN excluded.text IS NULL AND NOT excluded.gone THEN t.written ELSE excluded.written END,
    structure = CASE WHEN excluded.gone THEN NULL ELSE coalesce(excluded.structure, t.structure) END,
    text = CASE WHEN excluded.gone THEN NULL ELSE coalesce(excluded.text, t.text) END)`,
    chunks &&
      `put_chunks AS (INSERT INTO ${schema}.chunks AS t (scope, key, changed, written, gone, document, id, facts, placed, terms, vectors)
  SELECT r.scope, r.key, r.changed, r.changed, r.gone, r.document, r.id, r.facts, r.placed, ${slice("at", "size")}, ${slice("vectors_at", "vectors_size")}
  FROM ${recordset(chunks, "r", "scope bigint, key bigint, changed bigint, gone boolean, document bigint, id text, facts text, placed text, at int, size int, vectors_at int, vectors_size int")}, ready WHERE ready.ok
  ON CONFLICT (scope, key) DO UPDATE SET changed = excluded.changed, gone = excluded.gone, document = excluded.document, id = excluded.id, facts = excluded.facts,
    written = CASE WHEN excluded.terms IS NULL AND NOT excluded.gone THEN t.written ELSE excluded.written END,
    placed = CASE WHEN excluded.gone THEN NULL ELSE coalesce(excluded.placed, t.placed) END,
    terms = CASE WHEN excluded.gone THEN NULL ELSE coalesce(excluded.terms, t.terms) END,
    vectors = CASE WHEN excluded.gone THEN NULL ELSE coalesce(excluded.vectors, t.vectors) END)`,
    settings &&
      `put_settings AS (INSERT INTO ${schema}.settings AS t (scope, name, changed, value) SELECT r.scope, r.name, r.changed, r.value
  FROM ${recordset(settings, "r", "scope bigint, name text, changed bigint, value text")}, ready WHERE ready.ok
  ON CONFLICT (scope, name) DO UPDATE SET changed = excluded.changed, value = excluded.value)`,
    fits &&
      `put_fits AS (INSERT INTO ${schema}.fits AS t (scope, key, changed, written, gone, facts, parts)
  SELECT 0, r.key, r.changed, r.changed, r.gone, r.facts, ${slice("at", "size")}
  FROM ${recordset(fits, "r", "key bigint, changed bigint, gone boolean, facts text, at int, size int")}, ready WHERE ready.ok
  ON CONFLICT (scope, key) DO UPDATE SET changed = excluded.changed, gone = excluded.gone, facts = excluded.facts,
    written = CASE WHEN excluded.parts IS NULL AND NOT excluded.gone THEN t.written ELSE excluded.written END,
    parts = CASE WHEN excluded.gone THEN NULL ELSE coalesce(excluded.parts, t.parts) END)`,
    `noted AS (INSERT INTO ${schema}.changes (scope, stamp, writer) SELECT key, stamp, $2::uuid FROM moved${made === undefined ? "" : " UNION ALL SELECT key, stamp, $2::uuid FROM made"})`,
  ].filter((part) => part !== undefined);
  return `WITH ${parts.join(",\n")}
SELECT ok, EXISTS (SELECT 1 FROM ${schema}.nodes WHERE listens AND lease_until > now()) AS heard FROM go`;
}
