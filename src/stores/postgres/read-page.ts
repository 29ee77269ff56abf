import { createHash } from "node:crypto";
import { isPlaced } from "./placement.ts";
import { baseScope, commitOf, type ReplicaStamp } from "./replica-stamps.ts";

/** A row of a page, of any table. */
export interface PageRow {
  readonly kind: "s" | "d" | "c" | "o" | "f";
  /** Drivers give a `bigint` as a text, a number or a bigint. */
  readonly scope: number;
  readonly key: number;
  readonly gone: boolean;
  readonly a: string | null;
  readonly b: string | null;
  readonly c: string | null;
  readonly x: Uint8Array | null;
  readonly y: Uint8Array | null;
}

/** A scope in a page: it brings the scope from `have` to `upto`. */
export interface PageScope {
  readonly scope: number;
  readonly name: string;
  readonly have: number;
  readonly upto: number;
  /** The newest stamp. */
  readonly stamp: number;
  readonly next: number;
  readonly gone: boolean;
  /** Names the commit of `upto`. */
  readonly commit: string | null;
  /** Whether the commit that the copy stands at is not one of the base. */
  readonly isForked: boolean;
}

export interface Page {
  readonly scopes: readonly PageScope[];
  readonly rows: readonly PageRow[];
  /** Whether the copy is still behind once the page is applied. */
  readonly more: boolean;
}

/**
 * Scopes that one page brings at most, and chunks of each of them; the chunks of one commit stay together. A full page makes one segment of a scope. A scope
 * after `others` chunks waits for the next page, so that a page of many scopes has room in memory. Pages grow up to `most` chunks of a scope and about so many bytes.
 */
export const pageSize = { chunks: 4096, most: 16_384, bytes: 48_000_000, others: 8192, scopes: 64 } as const;

/**
 * Chunks of each scope that the page after this one brings. A copy that is far behind gets segments that are never merged.
 */
export function chunksOfNext({ rows }: Pick<Page, "rows">): number {
  let chunks = 0;
  let bytes = 0;
  for (const { kind, x, y } of rows) {
    if (kind === "c") chunks++;
    bytes += (x?.length ?? 0) + (y?.length ?? 0);
  }
  const { chunks: least, most, bytes: room } = pageSize;
  return chunks === 0 ? least : Math.min(most, Math.max(least, Math.floor((room * chunks) / bytes)));
}

/**
 * How a copy stands to the base. `behind`: it lacks commits. `ahead`: it has commits that the base has lost, by a restored backup or by a standby.
 * `other`: another base is in the place of its own.
 */
export type Standing = "behind" | "ahead" | "other";

/**
 * The statement that asks for each {@link Standing} that is so: none for a copy that is the base. It is planned in a fraction of the time that the page takes.
 */
export function probeText(schema: string): string {
  return `(SELECT 'behind' AS standing ${lacking(schema)} LIMIT 1)
UNION ALL (SELECT 'ahead' FROM json_to_recordset($1::json) AS h(scope bigint, stamp bigint, commit text) LEFT JOIN ${schema}.scopes s ON s.key = h.scope
  WHERE s.stamp IS NULL OR s.stamp < h.stamp OR (s.stamp = h.stamp AND ${isOtherCommit("s", "h.commit")}) LIMIT 1)
UNION ALL (SELECT 'other' WHERE NOT ${isBase(schema, "$3")})`;
}

/** Whether the base is the one of this mark. */
export function isBase(schema: string, parameter: string): string {
  return `EXISTS (SELECT FROM ${schema}.settings o WHERE o.scope = 0 AND o.name = 'secret' AND encode(sha256(convert_to(o.value, 'UTF8')), 'hex') = ${parameter}::text)`;
}

/**
 * Whether the last commit of a scope's row is another than the one of that name. `last_commit` has its stamp and its name: an earlier version of ibid writes
 * stamps alone.
 */
export function isOtherCommit(row: string, commit: string): string {
  return `coalesce(${row}.last_commit LIKE ${row}.stamp || ' %' AND ${row}.last_commit <> ${row}.stamp || ' ' || ${commit}, false)`;
}

/** Whether a state with that stamp and commit is none that the scope's row has come from. Commits are kept for as long as `prune` says. */
export function isForked(schema: string, row: string, stamp: string, commit: string): string {
  return `(CASE WHEN ${row}.stamp = ${stamp} THEN ${isOtherCommit(row, commit)} ELSE ${stamp} > 0 AND ${commit} IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${schema}.changes w WHERE w.scope = ${row}.key AND w.stamp = ${stamp} AND ${commitOf("w.writer")} = ${commit}) END)`;
}

/**
 * Whether a shared index is of a state that the rows of its scope and of the base have come from. `last_commit` names the commits of both, as far as they are
 * known: an index of an earlier version has the scope's, or none.
 */
export function isOfThisPast(schema: string, index: string, row: string): string {
  return `(${index}.stamp <= ${row}.stamp AND ${index}.base <= (SELECT z.stamp FROM ${schema}.scopes z WHERE z.key = ${baseScope})
    AND NOT EXISTS (SELECT FROM ${schema}.changes w WHERE (w.scope, w.stamp) IN ((${index}.scope, ${index}.stamp), (${baseScope}, ${index}.base))
    AND ${commitOf("w.writer")} <> nullif(split_part(${index}.last_commit, ' ', CASE w.scope WHEN ${baseScope} THEN 2 ELSE 1 END), '')))`;
}

/** Names a base in statements, which a server may log. */
export function markOfBase(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The statement that counts the commits that the copy lacks, over all scopes. */
export function distanceText(schema: string): string {
  return `SELECT coalesce(sum(s.stamp - coalesce(h.stamp, 0)), 0)::text AS commits ${lacking(schema)}`;
}

/** Scopes with commits that the copy lacks. */
function lacking(schema: string): string {
  return `FROM ${schema}.scopes s LEFT JOIN json_to_recordset($1::json) AS h(scope bigint, stamp bigint) ON h.scope = s.key
WHERE s.stamp > coalesce(h.stamp, 0) AND NOT (s.gone AND h.scope IS NULL) AND ${placed("$2")}`;
}

/** Whether the node holds the scope. The parameter is JSON with the patterns of its placement. */
function placed(parameter: string): string {
  return `(s.key = 0 OR ${isPlaced("s.name", `${parameter}::json`)})`;
}

/**
 * The statement that brings what the copy lacks.
 *
 * Rows that change between two pages come again with the later one. After a page that reaches every stamp, the copy is the base at that page's snapshot.
 * Versions whose vectors have gone come with the first page: a chunk of any page loses such a vector by its key.
 *
 * **Shape** bytes as base64: a driver decodes PostgreSQL's own form digit by digit, and it has half as many characters more. Rows come in no order, so that the
 * first is sent before the last is read.
 */
export function pageText(schema: string): string {
  const since = "b.key AND NOT b.gone";
  return `
WITH have AS (SELECT * FROM json_to_recordset($1::json) AS h(scope bigint, stamp bigint, commit text)),
moved AS (SELECT s.key, s.name, s.stamp, s.next_key, s.gone, coalesce(h.stamp, 0) AS have, coalesce(${isForked(schema, "s", "h.stamp", "h.commit")}, false) AS forked FROM ${schema}.scopes s LEFT JOIN have h ON h.scope = s.key
  WHERE s.stamp > coalesce(h.stamp, 0) AND NOT (s.gone AND h.scope IS NULL) AND ${placed("$4")} ORDER BY s.gone DESC, s.key LIMIT $3::int),
sized AS (SELECT m.*, (SELECT count(*) FROM (SELECT FROM ${schema}.chunks c WHERE c.scope = m.key AND c.changed > m.have LIMIT $2::int) n) AS size FROM moved m),
summed AS (SELECT z.*, sum(z.size) OVER (ORDER BY z.gone DESC, z.key) - z.size AS earlier, count(*) OVER () AS scopes FROM sized z),
b AS MATERIALIZED (SELECT m.*, CASE WHEN m.gone THEN m.stamp ELSE coalesce((SELECT c.changed FROM ${schema}.chunks c WHERE c.scope = m.key AND c.changed > m.have
  ORDER BY c.changed OFFSET $2::int LIMIT 1), m.stamp) END AS upto FROM summed m WHERE m.earlier < $5::int)
SELECT 's' AS kind, b.key AS scope, b.next_key AS key, b.gone, b.name AS a, b.upto::text AS b, concat_ws(' ', b.stamp, b.have, b.scopes, b.forked::int,
  (SELECT ${commitOf("w.writer")} FROM ${schema}.changes w WHERE w.scope = b.key AND w.stamp = b.upto)) AS c, NULL AS x, NULL AS y FROM b
UNION ALL SELECT 'd', d.scope, d.key, d.gone, json_build_array(d.id, d.uri)::text, d.facts, CASE WHEN d.written > b.have THEN d.structure END,
  CASE WHEN d.written > b.have THEN encode(d.text, 'base64') END, NULL FROM b JOIN ${schema}.documents d ON d.scope = ${since} AND d.changed > b.have AND d.changed <= b.upto
  WHERE NOT (d.gone AND b.have = 0)
UNION ALL SELECT 'c', c.scope, c.key, c.gone, json_build_array(c.id, c.document)::text, c.facts, c.placed, CASE WHEN c.written > b.have THEN encode(c.terms, 'base64') END,
  CASE WHEN c.written > b.have THEN encode(c.vectors, 'base64') END FROM b JOIN ${schema}.chunks c ON c.scope = ${since} AND c.changed > b.have AND c.changed <= b.upto
  WHERE NOT (c.gone AND b.have = 0)
UNION ALL SELECT 'o', o.scope, 0, o.value IS NULL, o.name, o.value, NULL, NULL, NULL FROM b
  JOIN ${schema}.settings o ON o.scope = ${since} AND o.changed > b.have AND (o.changed <= b.upto OR o.name LIKE 'retired of %')
UNION ALL SELECT 'f', f.scope, f.key, f.gone, f.facts, NULL, NULL, CASE WHEN f.written > b.have THEN encode(f.parts, 'base64') END, NULL FROM b
  JOIN ${schema}.fits f ON f.scope = ${since} AND f.changed > b.have AND f.changed <= b.upto`;
}

/** Stamps as the statements take them. */
export function sayStamps(have: readonly ReplicaStamp[]): string {
  return JSON.stringify(have.map(({ scope, stamp, commit }) => ({ scope, stamp, commit })));
}

/** Stamps of a copy that has applied the page. */
export function stampsAfter(have: readonly ReplicaStamp[], { scopes }: Page): readonly ReplicaStamp[] {
  const after = new Map(have.map((one) => [one.scope, one]));
  for (const { scope, upto, next, gone, commit } of scopes)
    if (gone) after.delete(scope);
    else after.set(scope, { scope, stamp: upto, next, commit });
  return [...after.values()];
}

/** A row as the statement gives it. */
type SentRow = Omit<PageRow, "scope" | "key" | "x" | "y"> &
  Readonly<Record<"scope" | "key", unknown> & Record<"x" | "y", string | null>>;

const fromBase64 = (text: string | null): Uint8Array | null => (text === null ? null : Buffer.from(text, "base64"));

/** Reads the answer of the statement. **Shape** scopes and rows by their keys. */
export function readPage(found: readonly SentRow[]): Page {
  const scopes: PageScope[] = [];
  const rows: PageRow[] = [];
  /** Scopes that the copy lacks something of, `pageSize.scopes` at most. */
  let lacking = 0;
  for (const row of found) {
    const [scope, key] = [Number(row.scope), Number(row.key)];
    if (row.kind !== "s") {
      // The driver made the row for this answer: it is not copied.
      rows.push(Object.assign(row, { scope, key, x: fromBase64(row.x), y: fromBase64(row.y) }));
      continue;
    }
    const [, commit = null] = /^(?:\d+ ){4}(.+)$/u.exec(row.c ?? "") ?? [];
    const [stamp = 0, have = 0, all = 0, forked = 0] = (row.c ?? "").split(" ", 4).map(Number);
    lacking = all;
    const place = { scope, name: row.a ?? "", have, upto: Number(row.b), stamp, next: key };
    scopes.push({ ...place, gone: row.gone, commit, isForked: forked === 1 });
  }
  const more = lacking >= pageSize.scopes || scopes.length < lacking || scopes.some(({ upto, stamp }) => upto < stamp);
  scopes.sort((a, b) => a.scope - b.scope);
  rows.sort((a, b) => a.scope - b.scope || a.key - b.key);
  return { scopes, rows, more };
}
