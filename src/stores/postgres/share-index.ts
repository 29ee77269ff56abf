import { createHash } from "node:crypto";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { strideOf, tableBytes } from "../../engine/kernels/code-layout.ts";
import { bytesOf } from "../../engine/segments/bytes.ts";
import { codeBlockBytes, type ColumnHeader, rowsPerBlock } from "../../engine/segments/column-header.ts";
import { readTerms, writePostings } from "../../engine/segments/postings-file.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { joinFiles } from "../../engine/bm25/document-fields.ts";
import { countLive, postingsOf } from "../../engine/bm25/word-index.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { packColumn, writeHeld } from "../segments/held-columns.ts";
import { innermostHeading, type ScopeView } from "../segments/index-view.ts";
import { lookInSlices } from "../segments/look-in-slices.ts";
import { isPurgeUnfinished } from "../segments/purge.ts";
import { sealTail } from "../segments/seal-tail.ts";
import type { SegmentCore } from "../segments/segment-core.ts";
import type { DirectoryReader } from "../segments/segment-directory.ts";
import type { Postgres } from "./postgres-client.ts";
import type { Placement } from "./placement.ts";
import { isOfThisPast } from "./read-page.ts";
import { baseScope, keyInScope, type ReplicaStamps } from "./replica-stamps.ts";
import { retiredSetting } from "./row-log.ts";
import { placingSetting } from "../segments/fit-members.ts";
import { factsFile, packIndex, type SharedDocument, type SharedIndex, textMark } from "./shared-index.ts";

/** Chunks that may wait outside of a shared index: a process without a copy reads them one by one. */
const mostOutside = 64;

/** Commits during a share after which it is left to the next settling. */
const mostTries = 4;

/** Bytes that one statement carries. */
const bytesAtOnce = 4_000_000;

/** Size of a block of words in a shared index: a question reads a block for each of its words. */
const sharedPostingsBytes = 4_096;

/** Block size of 32-bit rows in a shared index: a process without a copy fetches the blocks of the rows that it scores. */
const sharedBlockBytes = 8_192;

/** Chunks whose rows one step reads. */
const rowsAtOnce = 1_024;

/** Terms that one step counts. */
const termsAtOnce = 256;

/** The parts of a node that it shares an index from. */
export interface Sharing {
  readonly core: SegmentCore;
  readonly stamps: ReplicaStamps;
  readonly db: Postgres;
  readonly schema: string;
  readonly placement: Placement;
}

/** A file of a segment: how many parts it has, and how to read one of them. */
interface SharedFile {
  readonly name: string;
  readonly parts: number;
  /** **Shape** `undefined` once the segment is gone. */
  readonly read: (rows: DirectoryReader, part: number) => Uint8Array | undefined;
}

/** A segment on its way: its files have no name yet. */
interface ReadSegment {
  readonly shared: Omit<SharedIndex["segments"][number], "name">;
  readonly files: readonly SharedFile[];
}

interface ReadScope extends Omit<SharedIndex, "segments"> {
  readonly segments: readonly ReadSegment[];
  readonly key: number;
  readonly stamp: number;
  readonly base: number;
  /** Names the commits of both stamps. */
  readonly commits: string;
}

/**
 * Writes the index of each scope to the database where it lacks more than {@link mostOutside} chunks, a file, or a change that makes it wrong. Files that are
 * there already are not sent again.
 *
 * **Errors** `store-failed`. **Cost** reads the index of a scope once; its pages are sent in statements of 4 MB.
 */
export async function shareIndexes(sharing: Sharing, signal?: AbortSignal): Promise<void> {
  const due = await findDue(sharing);
  for (const scope of due) {
    signal?.throwIfAborted();
    for (let tries = 0; tries < mostTries; tries++) if (await shareScope(sharing, scope, tries > 0)) break;
  }
  await sweepIndexes(sharing);
}

/**
 * Removes indexes that are older than a purge, and files that no index names.
 *
 * **Shape** the first file of a segment decides over all. Sharing writes its row again, and here only the row goes that this statement saw. Whichever of
 * two statements comes second therefore sees the work of the first.
 */
export async function sweepIndexes({ db, schema }: Pick<Sharing, "db" | "schema">): Promise<void> {
  await db.query(
    "removing old indexes",
    `WITH old AS (DELETE FROM ${schema}.indexes i WHERE NOT EXISTS (SELECT FROM ${schema}.scopes s WHERE s.key = i.scope AND NOT s.gone)
  OR EXISTS (SELECT FROM ${schema}.settings o WHERE o.scope = i.scope AND o.name = 'lives of ' || i.scope AND o.changed > i.stamp) RETURNING i.scope),
loose AS (SELECT f.scope, f.segment, f.xmin AS written FROM ${schema}.index_files f WHERE f.name = '${factsFile}' AND (f.scope IN (SELECT scope FROM old)
  OR NOT EXISTS (SELECT FROM ${schema}.indexes i WHERE i.scope = f.scope AND f.segment = ANY (i.segments)))),
gone AS (DELETE FROM ${schema}.index_files f USING loose l WHERE f.scope = l.scope AND f.segment = l.segment AND f.name = '${factsFile}' AND f.xmin = l.written
  RETURNING f.scope, f.segment)
DELETE FROM ${schema}.index_files f WHERE f.name <> '${factsFile}' AND (EXISTS (SELECT FROM gone g WHERE g.scope = f.scope AND g.segment = f.segment)
  OR NOT EXISTS (SELECT FROM ${schema}.index_files a WHERE a.scope = f.scope AND a.segment = f.segment AND a.name = '${factsFile}'))`,
  );
}

async function findDue({ core, db, schema, placement }: Sharing): Promise<readonly Scope[]> {
  const held = new Set(await core.look((rows) => rows.scopes().map(({ scope }) => scope)));
  const found = await db.query<{ readonly name: Scope }>(
    "asking for indexes",
    `SELECT s.name FROM ${schema}.scopes s LEFT JOIN ${schema}.indexes i ON i.scope = s.key AND ${isOfThisPast(schema, "i", "s")}
WHERE s.key > ${baseScope} AND NOT s.gone AND s.stamp > coalesce(i.stamp, 0) AND (i.stamp IS NULL AND EXISTS (SELECT FROM ${schema}.documents d WHERE d.scope = s.key)
  OR (SELECT count(*) FROM (SELECT FROM ${schema}.chunks c WHERE c.scope = s.key AND c.changed > i.stamp LIMIT ${mostOutside + 1}) n) > ${mostOutside}
  OR EXISTS (SELECT FROM ${schema}.settings o WHERE o.scope = s.key AND o.name = '${retiredSetting(0).slice(0, -1)}' || s.key AND o.changed > i.stamp))
OR s.key > ${baseScope} AND NOT s.gone AND (EXISTS (SELECT FROM unnest(i.segments) n
    WHERE (SELECT count(*) FROM ${schema}.index_files f WHERE f.scope = i.scope AND f.segment = n) < nullif(split_part(n, '-', 2), '')::int)
  OR EXISTS (SELECT FROM ${schema}.fits f WHERE f.scope = ${baseScope} AND f.changed > i.base)
  OR EXISTS (SELECT FROM ${schema}.settings o WHERE o.scope = ${baseScope} AND o.name = '${placingSetting}' AND o.changed > i.base))
ORDER BY s.name`,
  );
  return found.map(({ name }) => name).filter((name) => held.has(name) && placement.holds(name));
}

/** @param all whether files that are there are sent too: one may have gone. **Shape** false where a commit, a purge or a removal of files came between. */
async function shareScope(sharing: Sharing, scope: Scope, all: boolean): Promise<boolean> {
  const { core, db, schema } = sharing;
  await core.write((rows) => void sealTail(rows, core.view, scope, 1));
  const read = await lookInSlices(core, { scopes: [scope], signal: undefined }, (rows) =>
    readScope(rows, sharing, scope),
  );
  if (read === undefined) return false;
  const [known] = await db.query<{ readonly segments: readonly string[] }>(
    "asking for an index",
    `SELECT segments FROM ${schema}.indexes WHERE scope = $1`,
    [read.key],
  );
  const there = new Set(all ? [] : known?.segments);
  const segments: SharedIndex["segments"][number][] = [];
  let files = 0;
  for (const { shared, files: own } of read.segments) {
    const name = await nameOf(core, own);
    if (name === undefined) return false;
    if (!there.has(name) && !(await send(sharing, read, name, own))) return false;
    segments.push({ name, ...shared });
    files += own.reduce((sum, { parts }) => sum + parts, 0);
  }
  const { documents, headings, terms, key, stamp, base, commits } = read;
  const data = await packIndex({ segments, documents, headings, terms });
  const names = segments.map(({ name }) => name);
  const [put] = await db.query<{ readonly ok: boolean }>(
    "sharing an index",
    `WITH seen AS (SELECT s.stamp FROM ${schema}.scopes s WHERE s.key = $1),
held AS (SELECT s.key, s.stamp FROM ${schema}.scopes s WHERE s.key = $1 AND NOT s.gone FOR SHARE OF s),
kept AS (UPDATE ${schema}.index_files f SET part = f.part FROM held WHERE f.scope = held.key AND f.segment IN (SELECT json_array_elements_text($4::json))
  AND f.name = '${factsFile}' RETURNING 1),
put AS (INSERT INTO ${schema}.indexes AS t (scope, stamp, base, segments, data, last_commit) SELECT held.key, $2, $3, ARRAY(SELECT json_array_elements_text($4::json)), $5, $7 FROM held, seen
  WHERE held.stamp = seen.stamp AND (SELECT count(*) FROM kept) = json_array_length($4::json)
    AND (SELECT count(*) FROM ${schema}.index_files f WHERE f.scope = $1 AND f.segment IN (SELECT json_array_elements_text($4::json))) = $6
    AND NOT EXISTS (SELECT FROM ${schema}.settings o WHERE o.scope = $1 AND o.name = 'lives of ' || $1 AND o.changed > $2)
  ON CONFLICT (scope) DO UPDATE SET stamp = excluded.stamp, base = excluded.base, segments = excluded.segments, data = excluded.data, last_commit = excluded.last_commit
    WHERE (t.stamp, t.base) <= (excluded.stamp, excluded.base)
      OR NOT EXISTS (SELECT FROM ${schema}.scopes s WHERE s.key = t.scope AND ${isOfThisPast(schema, "t", "s")}) RETURNING 1)
SELECT count(*) > 0 OR EXISTS (SELECT FROM ${schema}.indexes i JOIN ${schema}.scopes s ON s.key = i.scope AND ${isOfThisPast(schema, "i", "s")} WHERE i.scope = $1 AND i.stamp >= $2 AND i.base >= $3 AND (i.stamp > $2 OR i.base > $3)) AS ok FROM put`,
    [key, stamp, base, JSON.stringify(names), data, files, commits],
  );
  return put?.ok === true;
}

/** Everything but the files, as of one moment. **Shape** `undefined` where there is something to seal or to purge first. */
function* readScope(
  rows: DirectoryReader,
  { core, stamps }: Sharing,
  scope: Scope,
): Generator<undefined, ReadScope | undefined> {
  const { view, options } = core;
  const held = view.scope(rows, scope);
  const [at, base] = [held && stamps.get(held.row.key), stamps.get(baseScope)];
  if (held === undefined || at === undefined || base === undefined) return undefined;
  if (held.tail.presentCount > 0 || isPurgeUnfinished(rows)) return undefined;
  const documents = new Map<number, SharedDocument>();
  const places = new Map<number, number>();
  const headings = new Map<string, number>();
  const said = new Set<string>();
  const read: ReadRows[] = [];
  for (const segment of held.sealed) read.push(yield* readRows(rows, held, segment));
  for (const { document } of read.flatMap((each) => each.chunks)) {
    if (document === 0 || places.has(document)) continue;
    places.set(document, places.size + 1);
  }
  for (const document of documentsOf(rows, held, places)) documents.set(document[0], document);
  yield undefined;
  for (const { chunks } of read) {
    for (const { heading, language } of chunks) {
      if (!headings.has(heading)) headings.set(heading, headings.size);
      const saying = `${language}\n${heading}`;
      if (heading !== "") said.add(saying);
    }
  }
  const terms = [
    ...new Set(
      [...said].flatMap((saying) => {
        const [language = "", ...words] = saying.split("\n");
        return [...options.analyzer.analyze(words.join("\n"), language)];
      }),
    ),
  ].toSorted();
  const index = yield* view.words(rows, [scope], options.analyzer, options.bm25);
  const segments: ReadSegment[] = [];
  for (const [i, segment] of held.sealed.entries()) {
    const frequencies: number[] = [];
    for (const term of terms) {
      const files = index.fields?.filePostings(segment, [term]);
      frequencies.push(countLive(joinFiles(postingsOf(segment, { terms: [term] }), files), segment));
      if (frequencies.length % termsAtOnce === 0) yield undefined;
    }
    segments.push(describe(rows, held, segment, read[i]!, { frequencies, places, headings }));
  }
  return {
    key: held.row.key,
    stamp: at.stamp,
    base: base.stamp,
    commits: `${at.commit ?? ""} ${base.commit ?? ""}`,
    segments,
    documents: [...documents.values()],
    headings: [...headings.keys()],
    terms,
  };
}

/** Documents of the chunks in the order of their places, and those without a chunk. */
function* documentsOf(
  rows: DirectoryReader,
  held: ScopeView,
  places: ReadonlyMap<number, number>,
): Generator<SharedDocument> {
  const toShared = (key: number): SharedDocument => {
    const { id, uri, title, folder, bytes, deletedAt } = rows.document(key);
    return [keyInScope(key), id, uri, title, folder, bytes, deletedAt];
  };
  for (const key of places.keys()) yield toShared(key);
  for (const { key } of everyDocument(rows, held.row.key)) if (!places.has(key)) yield toShared(key);
}

function* everyDocument(rows: DirectoryReader, scope: number): Generator<{ readonly key: number }> {
  yield* rows.deletedDocuments(scope, Number.MAX_SAFE_INTEGER);
  let [uri, id] = ["", ""];
  for (;;) {
    const page = rows.documentsAfter(scope, uri, id, rowsAtOnce);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsAtOnce) return;
    ({ uri, id } = last);
  }
}

/** A chunk's part of an index. */
interface ReadChunk {
  readonly document: number;
  readonly start: number;
  readonly heading: string;
  readonly language: string;
  readonly text: number;
  readonly saying: number;
}

interface ReadRows {
  readonly chunks: readonly ReadChunk[];
  readonly sayings: readonly (readonly [metadata: string, origin: string])[];
}

function* readRows(rows: DirectoryReader, held: ScopeView, segment: SealedSegment): Generator<undefined, ReadRows> {
  const chunks: ReadChunk[] = [];
  const sayings = new Map<string, readonly [string, string]>();
  const places = new Map<string, number>();
  for (let from = 0; from < segment.size; from += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, segment.size - from);
    const found = rows.chunks(Array.from({ length: count }, (_, i) => segment.key(from + i)));
    for (const [i, row] of found.entries()) {
      if (row === undefined || row.scope !== held.row.key) {
        chunks.push({ document: 0, start: 0, heading: "", language: "", text: 0, saying: 0 });
        continue;
      }
      const saying = `${row.origin} ${row.metadata}`;
      if (!places.has(saying)) {
        places.set(saying, places.size);
        sayings.set(saying, [row.metadata, row.origin]);
      }
      chunks.push({
        document: row.document,
        start: row.start,
        heading: innermostHeading(row.details, () => rows.document(row.document).uri),
        language: segment.languageOf(from + i),
        text: textMark(row.textKey),
        saying: places.get(saying)!,
      });
    }
    yield undefined;
  }
  return { chunks, sayings: [...sayings.values()] };
}

function describe(
  rows: DirectoryReader,
  { row: { key: scope } }: ScopeView,
  segment: SealedSegment,
  { chunks, sayings }: ReadRows,
  {
    frequencies,
    places,
    headings,
  }: {
    readonly frequencies: readonly number[];
    readonly places: ReadonlyMap<number, number>;
    readonly headings: ReadonlyMap<string, number>;
  },
): ReadSegment {
  const { row: key, size } = segment;
  const { state } = rows.segmentState(key);
  const headers = segment.headers().map(shrinkBlocks);
  const languages = rows.file(key, "languages", 0);
  if (languages === undefined) throw lost(scope);
  const postings = writePostings(readTerms(segment.blocks()), sharedPostingsBytes);
  const facts = writeHeld({ sayings, chunks: packColumn(chunks.map(({ saying }) => saying)) });
  return {
    shared: {
      size,
      columns: JSON.stringify(headers),
      state,
      keys: packColumn(Array.from({ length: size }, (_, i) => keyInScope(segment.key(i)))),
      textLengths: packColumn(segment.textLengths.subarray(0, size)),
      nameLengths: packColumn(segment.nameLengths.subarray(0, size)),
      documents: packColumn(chunks.map(({ document }) => places.get(document) ?? 0)),
      starts: packColumn(chunks.map(({ start }) => start)),
      headings: packColumn(chunks.map(({ heading }) => headings.get(heading) ?? 0)),
      texts: bytesOf(Uint32Array.from(chunks, ({ text }) => text)),
      frequencies: packColumn(frequencies),
      terms: postings.index,
      languages,
    },
    files: [
      { name: "postings", parts: postings.blocks.length, read: (_, part) => postings.blocks[part] },
      { name: factsFile, parts: 1, read: () => facts },
      ...segment.headers().flatMap((header, column) => columnFiles(header, headers[column]!, key, column)),
    ],
  };
}

function lost(scope: number): IbidError {
  return new IbidError("store-corrupt", `A segment of the scope ${scope} has no languages.`, {
    hint: "Delete this machine's copy: it is fetched anew.",
  });
}

/** The column with smaller blocks of rows: parts of those that it has, where such a part is not too small. */
function shrinkBlocks(header: ColumnHeader): ColumnHeader {
  const { dimensions, rowsPerBlock: perBlock } = header;
  if (perBlock === undefined) return header;
  const wanted = Math.min(perBlock, rowsPerBlock(dimensions, sharedBlockBytes));
  let shared = wanted;
  while (perBlock % shared !== 0) shared--;
  return { ...header, rowsPerBlock: shared * 2 < wanted ? wanted : shared };
}

function columnFiles(
  { version, kind, form = "float32", dimensions, rows, rowsPerBlock: perBlock }: ColumnHeader,
  { rowsPerBlock: shared = 1 }: ColumnHeader,
  key: number,
  column: number,
): readonly SharedFile[] {
  if (version === "") return [];
  const plain = (name: string, parts = 1): SharedFile => ({
    name: `${name}/${column}`,
    parts,
    read: (reader, part) => reader.file(key, `${name}/${column}`, part),
  });
  const rowBytes = 4 * dimensions;
  const floats: SharedFile = {
    name: `dense/${column}`,
    parts: Math.ceil(rows / shared),
    read(reader, part) {
      const first = part * shared;
      const from = (first % perBlock!) * rowBytes;
      const at = Math.floor(first / perBlock!);
      const block = reader.file(key, `dense/${column}`, at)?.slice(from, from + shared * rowBytes);
      const lacking = (Math.min(first + shared, rows) - first) * rowBytes - (block?.length ?? 0);
      const next = lacking > 0 ? reader.file(key, `dense/${column}`, at + 1) : undefined;
      return block === undefined || next === undefined ? block : Buffer.concat([block, next.subarray(0, lacking)]);
    },
  };
  return [
    plain("rows"),
    ...(dimensions > 0 ? [plain("codes", Math.ceil(tableBytes(strideOf(dimensions), rows) / codeBlockBytes))] : []),
    ...(dimensions > 0 && form === "float32" ? [floats] : []),
    ...(kind === "dense" ? [] : ["starts", "indices", "values"].map((name) => plain(name))),
  ];
}

/** Parts that one look reads. */
const partsAtOnce = 16;

/** Every part in order, read in looks of some. **Shape** ends with `undefined` where the segment is gone. */
async function* eachPart(
  { look }: SegmentCore,
  files: readonly SharedFile[],
): AsyncGenerator<{ readonly name: string; readonly part: number; readonly bytes: Uint8Array } | undefined> {
  for (const { name, parts, read } of files) {
    for (let from = 0; from < parts; from += partsAtOnce) {
      const count = Math.min(partsAtOnce, parts - from);
      const found = await look((rows) => Array.from({ length: count }, (_, i) => read(rows, from + i)?.slice()));
      for (const [i, bytes] of found.entries()) {
        if (bytes === undefined) {
          yield undefined;
          return;
        }
        yield { name, part: from + i, bytes };
      }
    }
  }
}

/** A hash of all parts, and their number, by which a lost one is noticed. */
async function nameOf(core: SegmentCore, files: readonly SharedFile[]): Promise<string | undefined> {
  const hash = createHash("sha256");
  for await (const part of eachPart(core, files)) {
    if (part === undefined) return undefined;
    hash.update(`${part.name} ${part.part} ${part.bytes.length}\n`).update(part.bytes);
  }
  const parts = files.reduce((sum, each) => sum + each.parts, 0);
  return `${hash.digest("hex").slice(0, 32)}-${parts}`;
}

/** **Shape** false where the segment is gone, and where a purge came since it was read: no word of it is sent then. */
async function send(
  { core, db, schema }: Sharing,
  { key: scope, stamp }: Pick<ReadScope, "key" | "stamp">,
  segment: string,
  files: readonly SharedFile[],
): Promise<boolean> {
  let group: { readonly name: string; readonly part: number; readonly bytes: Uint8Array }[] = [];
  let size = 0;
  const flush = async (): Promise<boolean> => {
    let at = 1;
    const rows = group.map(({ name, part, bytes }) => {
      const row = { name, part, at, size: bytes.length };
      at += bytes.length;
      return row;
    });
    // A commit that the statement waited for may be a purge, whose note it does not see: then it is sent again, and sees it.
    const put = async (): Promise<{ readonly moved: boolean; readonly purged: boolean } | undefined> => {
      const [answer] = await db.query<{ readonly moved: boolean; readonly purged: boolean }>(
        "sending a part of an index",
        `WITH seen AS (SELECT s.stamp FROM ${schema}.scopes s WHERE s.key = $1),
held AS (SELECT s.stamp FROM ${schema}.scopes s WHERE s.key = $1 AND NOT s.gone FOR SHARE OF s),
state AS MATERIALIZED (SELECT held.stamp <> seen.stamp AS moved, EXISTS (SELECT FROM ${schema}.settings o
  WHERE o.scope = $1 AND o.name = 'lives of ' || $1 AND o.changed > $5) AS purged FROM held, seen),
put AS (INSERT INTO ${schema}.index_files (scope, segment, name, part, bytes) SELECT $1, $2, r.name, r.part, substring($4::bytea FROM r.at FOR r.size)
  FROM json_to_recordset($3::json) AS r(name text, part int, at int, size int), state WHERE NOT state.moved AND NOT state.purged ON CONFLICT DO NOTHING)
SELECT moved, purged FROM state`,
        [scope, segment, JSON.stringify(rows), bytes, stamp],
      );
      return answer;
    };
    const bytes = Buffer.concat(group.map((part) => part.bytes));
    let answer = await put();
    for (let tries = 1; answer?.moved === true && !answer.purged && tries < mostTries; tries++) answer = await put();
    group = [];
    size = 0;
    return answer !== undefined && !answer.moved && !answer.purged;
  };
  // A removal of files begins with this one.
  const first = files.toSorted((a, b) => Number(b.name === factsFile) - Number(a.name === factsFile));
  for await (const part of eachPart(core, first)) {
    if (part === undefined) return false;
    group.push(part);
    size += part.bytes.length;
    if (size >= bytesAtOnce && !(await flush())) return false;
  }
  return group.length === 0 || flush();
}

/** The headers in the columns of a shared segment. */
export function readHeaders(columns: string): readonly ColumnHeader[] {
  return parseStored(columns) as readonly ColumnHeader[];
}
