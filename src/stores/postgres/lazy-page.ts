import { isPlaced } from "./placement.ts";
import { isBase, isForked, isOfThisPast, type PageRow } from "./read-page.ts";
import { commitOf } from "./replica-stamps.ts";

/** A scope as a process without a copy asks for its news. */
export interface AskedScope {
  readonly name: string;
  /** Absent for one that it has not seen. */
  readonly key?: number | undefined;
  readonly stamp?: number | undefined;
  /** Names the commit of that stamp. */
  readonly commit?: string | null | undefined;
  /** Stamp of the shared index that it reads; 0 without one. */
  readonly shared?: number | undefined;
  /** Whether to begin anew: with the index that is there, or without any. */
  readonly anew?: "index" | "rows" | undefined;
}

/** Facts of a scope in the answer. */
export interface NewsOfScope {
  readonly key: number;
  readonly name: string;
  readonly stamp: number;
  readonly commit: string | null;
  /** Rows after this stamp come with it. */
  readonly since: number;
  /** Whether the rows go on from the state that was named. */
  readonly goesOn: boolean;
  /** Stamp of its shared index, and the base's stamp of then; 0 without one. */
  readonly shared: number;
  readonly base: number;
  /** Chunks that come with it; {@link mostWaiting} and more do not come. */
  readonly waiting: number;
}

/** Chunks outside of a shared index that a process without a copy reads. */
export const mostWaiting = 20_000;

/** Texts that come with a changed document: its chunks may be hits of the question that asked. **Units** bytes. */
const smallText = 16_384;

/** Texts that come with the rows of candidates. **Units** bytes. */
export const likelyText = 65_536;

/**
 * The statement that asks for news of some scopes, or of all, in one snapshot. A scope that was not seen comes with its shared index. `$2` is the stamp of
 * the base that is known, and `$5` its commit. Settings and fits of the base come whole where it is another. `$6` is the mark of the base itself. `$7` are
 * parts of shared indexes that a search has lacked meanwhile.
 */
export function newsText(schema: string, withParts = false): string {
  const base = isForked(schema, "z", "$2::bigint", "$5::text");
  const named = (row: string): string =>
    `(SELECT ${commitOf("w.writer")} FROM ${schema}.changes w WHERE w.scope = ${row}.key AND w.stamp = ${row}.stamp)`;
  return `
WITH asked AS (SELECT * FROM json_to_recordset($1::json) AS a(name text, key bigint, stamp bigint, commit text, shared bigint, anew text)),
m AS (SELECT s.key, s.name, s.stamp, coalesce(i.stamp, 0) AS shared, coalesce(i.base, 0) AS base, a.stamp AS have, coalesce(a.anew, '') AS anew,
    coalesce(a.key = s.key AND a.anew IS NULL AND (a.shared = 0 OR i.stamp IS NOT NULL)
      AND NOT ${isForked(schema, "s", "a.stamp", "a.commit")}, false) AS goes_on
  FROM ${schema}.scopes s LEFT JOIN asked a ON a.name = s.name LEFT JOIN ${schema}.indexes i ON i.scope = s.key AND ${isOfThisPast(schema, "i", "s")}
  WHERE NOT s.gone AND s.key > 0 AND (a.name IS NOT NULL OR $3::boolean) AND ${isPlaced("s.name", "$4::json")}),
n AS (SELECT m.*, CASE WHEN goes_on THEN have WHEN anew = 'rows' THEN 0 ELSE shared END AS since, CASE WHEN goes_on THEN have ELSE -1 END AS known FROM m),
b AS MATERIALIZED (SELECT n.*, CASE WHEN stamp = since THEN 0 ELSE (SELECT count(*) FROM (SELECT FROM ${schema}.chunks c
  WHERE c.scope = n.key AND c.changed > n.since AND NOT (c.gone AND n.since = 0) LIMIT ${mostWaiting}) w) END AS waiting FROM n)
SELECT 's' AS kind, b.key AS scope, 0::bigint AS key, b.goes_on AS gone, b.name AS a, concat_ws(' ', b.stamp, b.since, b.shared, b.base, b.waiting) AS b, ${named("b")} AS c,
  (SELECT i.data FROM ${schema}.indexes i WHERE i.scope = b.key AND b.shared > 0 AND NOT b.goes_on AND b.anew <> 'rows') AS x, NULL::bytea AS y, 0::bigint AS changed FROM b
UNION ALL SELECT 'd', d.scope, d.key, d.gone, json_build_array(d.id, d.uri)::text, d.facts, NULL,
  CASE WHEN b.goes_on AND d.written > b.since AND octet_length(d.text) <= ${smallText} THEN d.text END, NULL, d.changed
  FROM b JOIN ${schema}.documents d ON d.scope = b.key AND d.changed > b.since WHERE b.waiting < ${mostWaiting} AND NOT (d.gone AND b.since = 0)
UNION ALL SELECT 'c', c.scope, c.key, c.gone, json_build_array(c.id, c.document)::text, c.facts, c.placed, CASE WHEN c.written > b.since THEN c.terms END,
  CASE WHEN c.written > b.since THEN c.vectors END, c.changed
  FROM b JOIN ${schema}.chunks c ON c.scope = b.key AND c.changed > b.since WHERE b.waiting < ${mostWaiting} AND NOT (c.gone AND b.since = 0)
UNION ALL SELECT 'o', o.scope, 0, o.value IS NULL, o.name, o.value, NULL, NULL, NULL, o.changed FROM b JOIN ${schema}.settings o ON o.scope = b.key AND o.changed > b.known
UNION ALL SELECT 'b', z.key, 0, NOT ${isBase(schema, "$6")}, CASE WHEN ${base} THEN 'forked' END, z.stamp::text, ${named("z")}, NULL, NULL, 0 FROM ${schema}.scopes z WHERE z.key = 0
UNION ALL SELECT 'o', o.scope, 0, o.value IS NULL, o.name, o.value, NULL, NULL, NULL, o.changed FROM ${schema}.scopes z JOIN ${schema}.settings o ON o.scope = 0
  WHERE z.key = 0 AND (z.stamp <> $2::bigint OR ${base})
UNION ALL SELECT 'f', f.scope, f.key, f.gone, f.facts, NULL, NULL, NULL, NULL, f.changed FROM ${schema}.scopes z JOIN ${schema}.fits f ON f.scope = 0
  WHERE z.key = 0 AND (z.stamp <> $2::bigint OR ${base})${withParts ? ` UNION ALL ${partsText(schema, "$7")}` : ""}
ORDER BY 1, 2, 3`;
}

/** Parts of files of shared indexes. */
function partsText(schema: string, parameter: string): string {
  return `SELECT 'p', f.scope, f.part, false, f.segment, f.name, NULL, f.bytes, NULL, 0
  FROM json_to_recordset(${parameter}::json) AS r(scope bigint, segment text, name text, part int) JOIN ${schema}.index_files f
  ON f.scope = r.scope AND f.segment = r.segment AND f.name = r.name AND (r.part IS NULL OR f.part = r.part)`;
}

/** A row of an answer. */
export interface LazyRow extends Omit<PageRow, "kind"> {
  readonly kind: PageRow["kind"] | "b" | "p" | "t";
  /** The stamp of the scope's commit that wrote it. */
  readonly changed: number;
}

type Sent = Omit<LazyRow, "scope" | "key" | "changed"> & Readonly<Record<"scope" | "key" | "changed", unknown>>;

/** Numbers as drivers give them become numbers. */
export function readRows(found: readonly unknown[]): readonly LazyRow[] {
  return (found as readonly Sent[]).map(({ scope, key, changed, ...row }) => ({
    ...row,
    scope: Number(scope),
    key: Number(key),
    changed: Number(changed),
  }));
}

export function readNews({ scope, gone, a, b, c: commit }: LazyRow): NewsOfScope {
  const [stamp = 0, since = 0, shared = 0, base = 0, waiting = 0] = (b ?? "").split(" ").map(Number);
  return { key: scope, name: a ?? "", stamp, commit, since, goesOn: gone, shared, base, waiting };
}

/** A part of a file of a shared index; without a number, all parts. */
export interface WantedPart {
  readonly scope: number;
  readonly segment: string;
  readonly name: string;
  readonly part?: number | undefined;
}

/** A row that is wanted by its key. */
export interface WantedRow {
  readonly scope: number;
  readonly key: number;
  /** Its text and structure too. */
  readonly whole?: boolean | undefined;
}

/**
 * The statement that brings everything that a read lacked: chunks (`$1`) with their documents, documents (`$2`), files of shared indexes (`$3`), fits (`$4`).
 * The texts of small documents come with their chunks.
 */
export function wantedText(schema: string): string {
  const document = (text: string, structure: string): string =>
    `d.scope, d.key, d.gone, json_build_array(d.id, d.uri)::text, d.facts, ${structure}, ${text}, NULL::bytea, d.changed`;
  return `
WITH c AS MATERIALIZED (SELECT t.* FROM json_to_recordset($1::json) AS r(scope bigint, key bigint) JOIN ${schema}.chunks t ON t.scope = r.scope AND t.key = r.key)
SELECT 'c' AS kind, c.scope, c.key, c.gone, json_build_array(c.id, c.document)::text AS a, c.facts AS b, NULL AS c, NULL::bytea AS x, NULL::bytea AS y, c.changed FROM c
UNION ALL SELECT 'd', ${document(`CASE WHEN octet_length(d.text) <= ${likelyText} THEN d.text END`, "NULL")}
  FROM (SELECT DISTINCT c.scope, c.document FROM c WHERE NOT c.gone) h JOIN ${schema}.documents d ON d.scope = h.scope AND d.key = h.document
UNION ALL SELECT 'd', ${document("CASE WHEN r.whole THEN d.text END", "CASE WHEN r.whole THEN d.structure END")}
  FROM json_to_recordset($2::json) AS r(scope bigint, key bigint, whole boolean) JOIN ${schema}.documents d ON d.scope = r.scope AND d.key = r.key
UNION ALL ${partsText(schema, "$3")}
UNION ALL SELECT 't', 0, f.key, f.gone, f.facts, NULL, NULL, f.parts, NULL, f.changed FROM ${schema}.fits f
  WHERE f.scope = 0 AND f.key IN (SELECT json_array_elements_text($4::json)::bigint)`;
}
