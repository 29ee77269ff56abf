import { IbidError } from "../../contracts/errors.ts";
import { packState } from "../../engine/segments/sealed-segment.ts";
import type { StoredVector } from "../../engine/vectors/stored-vector.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import { compareInOrder, createFolderCounter, isBehind, narrowTo } from "../compose/document-order.ts";
import { readHeld, unpackColumn } from "../segments/held-columns.ts";
import { isOwnVersion } from "../segments/own-version.ts";
import {
  type ChunkRow,
  type DirectoryReader,
  type DocumentRow,
  type Narrowing,
  renamesSetting,
} from "../segments/segment-directory.ts";
import { createPlacing } from "./apply-page.ts";
import type { LazyNews } from "./lazy-news.ts";
import { likelyText } from "./lazy-page.ts";
import { createCopyFinder, type LazyScope, type LazySegment, toPending, toSegmentRow } from "./lazy-scope.ts";
import { fileKey, type LazySupplies, nothing, type Wanted } from "./lazy-supplies.ts";
import { scopeOfKey } from "./replica-stamps.ts";
import type { Placed } from "./row-log.ts";
import { readHeaders } from "./share-index.ts";
import { factsFile, type SharedFacts, textMark } from "./shared-index.ts";

/** Chunks of the same text that come with one of them. */
const mostCopies = 20;

/** Thrown inside of a read that lacks something. The read is repeated once it is there. */
const lacking = new Error("Something of the base was not read yet.");

type Facts = Pick<ChunkRow, "metadata" | "origin">;

/** Rows of a base without a copy. **Errors** one without a meaning where a call lacks something; the lack is noted. */
export interface LazyRows {
  readonly rows: DirectoryReader;
  /** Everything that calls lacked since this was asked last. */
  readonly takeWanted: () => Wanted;
}

export function createLazyRows(news: LazyNews, supplies: LazySupplies, schema: string): LazyRows {
  const { held, byKey, segments, settings, fitParts, find: findPlace } = news;
  const { files, searched, chunks, documents, texts, lists } = supplies;
  const parsedFacts = new WeakMap<Uint8Array, readonly Facts[]>();
  const findCopies = createCopyFinder();
  let wanted = nothing();

  function want(note: (into: Wanted) => void): never {
    note(wanted);
    throw lacking;
  }

  const scopeOf = (key: number): LazyScope => byKey.get(key) ?? missing();
  const homeOf = (key: number): LazyScope => scopeOf(scopeOfKey(key));

  /** Rows by their keys; all that are lacking are wanted at once. */
  function rowsByKey(keys: readonly number[]): readonly ChunkRow[] {
    const unknown: number[] = [];
    const rows = keys.map((key) => {
      const row = homeOf(key).changed.get(key) ?? chunks.get(key);
      if (row === undefined) unknown.push(key);
      return row!;
    });
    if (unknown.length > 0) want((into) => wantChunks(into, unknown));
    return rows;
  }

  function wantChunks(into: Wanted, keys: readonly number[]): void {
    for (const key of keys) {
      into.chunks.add(key);
      wantRows(into, key);
      wantCopies(into, key);
    }
  }

  /** Wants the vectors of a candidate of another leg in columns that a search has read: fusion scores it by them. */
  function wantRows(into: Wanted, key: number): void {
    const place = findPlace(homeOf(key), key);
    if (place === undefined) return;
    const { segment, ordinal } = place;
    readHeaders(segment.columns).forEach(({ version, rowsPerBlock, rows }, column) => {
      const ordinals = files.get(fileKey(segment.name, `rows/${column}`, 0));
      if (version === "" || rowsPerBlock === undefined || ordinals === undefined) return;
      if (!searched.has(fileKey(segment.name, `codes/${column}`, 0))) return;
      const row = rows === segment.size ? ordinal : new Uint32Array(ordinals.slice().buffer).indexOf(ordinal);
      if (row >= 0) wantPart(into, segment, `dense/${column}`, Math.floor(row / rowsPerBlock));
    });
  }

  /** Wants the rows of chunks that may have the same text: a hit names them. */
  function wantCopies(into: Wanted, key: number): void {
    const place = findPlace(homeOf(key), key);
    if (place === undefined) return;
    const mark = place.segment.texts[place.ordinal]!;
    const like = [...news.recent].flatMap((name) => {
      const scope = held.get(name);
      return scope === undefined ? [] : findCopies(scope, mark);
    });
    if (like.length > mostCopies) return;
    for (const other of like)
      if (isHere(other) && !chunks.has(other) && !homeOf(other).changed.has(other)) into.chunks.add(other);
  }

  const isHere = (key: number): boolean => {
    const scope = byKey.get(scopeOfKey(key));
    if (scope === undefined) return false;
    if (scope.outside.has(key)) return true;
    const place = findPlace(scope, key);
    return place !== undefined && place.segment.present[place.ordinal] === 1;
  };

  function wantPart(into: Wanted, { name: segment, scope }: LazySegment, name: string, part?: number): void {
    const key = part === undefined ? `${segment} ${name}` : fileKey(segment, name, part);
    if (part === undefined || !files.has(key)) into.parts.set(key, { scope: scope.key, segment, name, part });
  }

  /** Wants all files of a column but its 32-bit rows. */
  function wantColumn(into: Wanted, segment: LazySegment, column: number): void {
    const { kind, dimensions } = readHeaders(segment.columns)[column]!;
    const names = [
      "rows",
      ...(dimensions > 0 ? ["codes"] : []),
      ...(kind === "dense" ? [] : ["starts", "indices", "values"]),
    ];
    for (const name of names)
      if (!files.has(fileKey(segment.name, `${name}/${column}`, 0))) wantPart(into, segment, `${name}/${column}`);
  }

  /** Segments of the scopes that were asked for last. */
  const recentSegments = (): readonly LazySegment[] =>
    [...news.recent].flatMap((name) => held.get(name)?.segments ?? []);

  /** The same of every segment that has the version. */
  function wantVersion(into: Wanted, isIt: (version: string) => boolean): void {
    for (const segment of recentSegments())
      readHeaders(segment.columns).forEach(({ version }, column) => {
        if (version === "" || !isIt(version) || searched.has(fileKey(segment.name, `codes/${column}`, 0))) return;
        wantColumn(into, segment, column);
      });
  }

  function file(key: number, name: string, part: number): Uint8Array | undefined {
    const segment = segments.get(key) ?? missing();
    if (name === "terms") return segment.terms;
    if (name === "languages") return segment.languages;
    const known = files.get(fileKey(segment.name, name, part));
    const [kind = "", column] = name.split("/");
    if (known !== undefined) {
      if (kind === "codes") searched.add(fileKey(segment.name, name, 0));
      return known;
    }
    if (kind === "postings" || kind === "dense") return want((into) => wantPart(into, segment, name, part));
    if (column === undefined) return undefined;
    const { version } = readHeaders(segment.columns)[Number(column)]!;
    return want((into) => {
      wantColumn(into, segment, Number(column));
      wantVersion(into, (other) => other === version);
    });
  }

  /** Metadata and origins of the chunks of a segment, by ordinal. */
  function factsOf(segment: LazySegment): readonly Facts[] {
    const bytes = files.get(fileKey(segment.name, factsFile, 0));
    if (bytes === undefined) {
      return want((into) => {
        for (const each of [segment, ...recentSegments()]) wantPart(into, each, factsFile, 0);
      });
    }
    let parsed = parsedFacts.get(bytes);
    if (parsed === undefined) {
      const { sayings, chunks: places } = readHeld(bytes) as SharedFacts;
      const said = sayings.map(([metadata, origin]): Facts => ({ metadata, origin: origin as ChunkRow["origin"] }));
      parsed = unpackColumn(places).map((place) => said[place] ?? { metadata: "{}", origin: "user-content" });
      parsedFacts.set(bytes, parsed);
    }
    return parsed;
  }

  function chunkFacts(keys: readonly number[]) {
    return keys.map((key) => {
      const scope = homeOf(key);
      const place = findPlace(scope, key);
      return scope.changed.get(key) ?? (place === undefined ? missing() : factsOf(place.segment)[place.ordinal]!);
    });
  }

  /** Rows that a condition finds, as of this state. */
  function list(scope: LazyScope, name: string, text: string, values: readonly unknown[]): readonly ChunkRow[] {
    const key = `${scope.key} ${name}`;
    const found = lists.get(key);
    if (found === undefined) {
      const columns =
        "'c' AS kind, scope, key, gone, json_build_array(id, document)::text AS a, facts AS b, NULL AS c, NULL AS x, NULL AS y, changed";
      const condition = `SELECT ${columns} FROM ${schema}.chunks WHERE scope = $1 AND NOT gone AND ${text}`;
      return want((into) => into.lists.set(key, { scope, condition, values: [scope.key, ...values] }));
    }
    return rowsByKey(found);
  }

  /** All documents of a scope. */
  function everyDocument(scope: LazyScope): readonly DocumentRow[] {
    const known = [...scope.documents.keys()].map((key) => documents.get(key));
    if (known.every((row) => row !== undefined)) return known;
    const columns =
      "'d' AS kind, scope, key, gone, json_build_array(id, uri)::text AS a, facts AS b, NULL AS c, NULL AS x, NULL AS y, changed";
    const condition = `SELECT ${columns} FROM ${schema}.documents WHERE scope = $1 AND NOT gone`;
    return want((into) => into.lists.set(`${scope.key} documents`, { scope, condition, values: [scope.key] }));
  }

  function documentRows(keys: readonly number[]): readonly DocumentRow[] {
    const unknown = keys.filter((key) => !documents.has(key));
    if (unknown.length > 0)
      want((into) => {
        for (const key of unknown) if (!into.documents.has(key)) into.documents.set(key, false);
      });
    return keys.map((key) => documents.get(key)!);
  }

  function textOf(key: number): string {
    return texts.get(key)?.text ?? want((into) => into.documents.set(key, true));
  }

  function structureOf(key: number): string {
    return texts.get(key)?.structure ?? want((into) => into.documents.set(key, true));
  }

  const liveDocuments = (scope: number): readonly DocumentRow[] =>
    everyDocument(scopeOf(scope)).filter(({ deletedAt }) => deletedAt === null);

  /** Keys of the chunks of a document, ascending. */
  function keysOfDocument(scope: LazyScope, documentId: string): readonly number[] {
    const homes = new Set<number>();
    for (const { key, id } of scope.documents.values()) if (id === documentId) homes.add(key);
    const keys: number[] = [];
    for (const segment of scope.segments)
      segment.documents.forEach((document, i) => {
        if (homes.has(document) && segment.present[i] === 1) keys.push(segment.keys[i]!);
      });
    for (const key of scope.outside.keys()) if (homes.has(scope.changed.get(key)!.document)) keys.push(key);
    return keys.sort((a, b) => a - b);
  }

  const ofDocument = (scope: number, documentId: string): readonly ChunkRow[] =>
    rowsByKey(keysOfDocument(scopeOf(scope), documentId));
  const byIds = (scope: number, ids: readonly string[]): readonly ChunkRow[] => {
    const asked = new Set(ids);
    const known = new Map<string, ChunkRow>();
    const seen = scopeOf(scope);
    for (const row of [...seen.changed.values(), ...chunks.values()])
      if (row.scope === scope && asked.has(row.id) && isHere(row.key)) known.set(row.id, row);
    const rest = [...asked].filter((id) => !known.has(id)).toSorted();
    const found = rest.length === 0 ? [] : list(seen, `ids ${JSON.stringify(rest)}`, "id = ANY ($2::text[])", [rest]);
    return [...known.values(), ...found];
  };

  const isLive = ({ deletedAt }: { readonly deletedAt: number | null }): boolean => deletedAt === null;
  const isLiveChunk = (key: number): boolean => {
    const scope = homeOf(key);
    const place = findPlace(scope, key);
    return place === undefined ? isLive(scope.changed.get(key)!) : place.segment.live[place.ordinal] === 1;
  };
  const deleted = "(facts::json->>'deletedAt') IS NOT NULL";

  const narrowed = (scope: number, only: Narrowing = {}): readonly DocumentRow[] =>
    liveDocuments(scope).filter(narrowTo(only) ?? (() => true));

  const rows: DirectoryReader = {
    unsliced: true,
    stamp: () => news.stamp,
    setting(name) {
      return name === renamesSetting ? String(news.renames) : settings.get(name);
    },
    scope(name) {
      const scope = held.get(name);
      if (scope === undefined) return news.isKnown(name) ? undefined : want((into) => into.scopes.add(name));
      return { key: scope.key, scope: name, stamp: scope.seen, rewrites: scope.rewrites };
    },
    scopes() {
      if (!news.hasAll) want((into) => (into.every = true));
      return [...held.values()].map(({ key, name, seen, rewrites }) => ({ key, scope: name, stamp: seen, rewrites }));
    },
    segmentStamps: (scope) => scopeOf(scope).segments.map(({ key, stamp: own }) => ({ key, stamp: own })),
    segment: (key) => toSegmentRow(segments.get(key) ?? missing()),
    segmentState(key) {
      const { live, present: there, size, columns } = segments.get(key) ?? missing();
      return { state: packState(live, there, size), columns };
    },
    fits: () => news.fits,
    fitPart(key, part) {
      const known = fitParts.get(key);
      if (known !== undefined) return known[part];
      return want((into) => {
        into.fits.add(key);
        wantVersion(into, isOwnVersion);
      });
    },
    file,
    expect(key, name, parts) {
      const segment = segments.get(key) ?? missing();
      for (const part of parts) wantPart(wanted, segment, name, part);
    },
    expectChunks(keys) {
      const known = (key: number): ChunkRow | undefined => homeOf(key).changed.get(key) ?? chunks.get(key);
      wantChunks(
        wanted,
        keys.filter((key) => known(key) === undefined),
      );
      // News bring chunks outside of the index without the documents that their texts are parts of.
      for (const row of keys.map(known)) {
        if (row?.urtext !== null || texts.get(row.document)?.text !== undefined) continue;
        if ((documents.get(row.document)?.bytes ?? 0) <= likelyText) wanted.documents.set(row.document, true);
      }
    },
    frequency(key, term) {
      const { isChanged, scope, frequencies } = segments.get(key) ?? missing();
      const at = isChanged ? undefined : scope.terms.get(term);
      return at === undefined ? undefined : frequencies[at];
    },
    pendingAfter(key, after) {
      const scope = scopeOf(key);
      const keys = [...scope.outside.keys()].filter((own) => own > after).sort((a, b) => a - b);
      return keys.map((own) => toPending(scope, own, scope.outside.get(own)!, placeIn));
    },
    pendingStamps: (key) => Array.from(scopeOf(key).outside, ([own, { stamp: at }]) => ({ key: own, stamp: at })),
    pending(key) {
      const scope = homeOf(key);
      return toPending(scope, key, scope.outside.get(key) ?? missing(), placeIn);
    },
    chunk: (key) => rowsByKey([key])[0]!,
    chunks(keys) {
      const there = keys.filter(isHere);
      const found = new Map(rowsByKey(there).map((row) => [row.key, row]));
      return keys.map((key) => found.get(key));
    },
    // A search reads the innermost heading of a candidate's details, and nothing else of them.
    chunkDetails: (keys) =>
      keys.map((key) => {
        const scope = homeOf(key);
        const known = scope.changed.get(key)?.details;
        if (known !== undefined) return known;
        const { segment, ordinal } = findPlace(scope, key) ?? missing();
        const heading = scope.headings[segment.headings[ordinal]!] ?? "";
        return JSON.stringify({ headings: heading === "" ? [] : [heading] });
      }),
    chunkId: (key) => rowsByKey([key])[0]!.id,
    chunkIds: (keys) => rowsByKey(keys).map(({ id }) => id),
    chunkDocuments: (keys) =>
      keys.map((key) => {
        const scope = homeOf(key);
        const known = scope.changed.get(key)?.document;
        if (known !== undefined) return known;
        const place = findPlace(scope, key);
        if (place === undefined || place.segment.present[place.ordinal] !== 1) return 0;
        return place.segment.documents[place.ordinal]!;
      }),
    chunkPlaces: (keys) =>
      keys.map((key) => {
        const scope = homeOf(key);
        const row = scope.changed.get(key);
        const place = row === undefined ? (findPlace(scope, key) ?? missing()) : undefined;
        const document = row?.document ?? place!.segment.documents[place!.ordinal]!;
        return {
          uri: scope.documents.get(document)?.uri ?? "",
          start: row?.start ?? place!.segment.starts[place!.ordinal]!,
        };
      }),
    chunkFacts,
    chunkById: (scope, id) => byIds(scope, [id])[0],
    chunkKeysById: byIds,
    chunksById: byIds,
    chunksOfDocument: ofDocument,
    copiesOf: (scope, textKey, key) =>
      rowsByKey(
        findCopies(scopeOf(scope), textMark(textKey)).filter((other) => other !== key && isLiveChunk(other)),
      ).filter((row) => row.textKey === textKey),
    chunkKeysOf: ofDocument,
    liveChunksOf(scope, documentId) {
      const own = scopeOf(scope);
      return keysOfDocument(own, documentId).filter(isLiveChunk).length;
    },
    chunkSpansOf: (scope, documentId) =>
      ofDocument(scope, documentId)
        .filter(isLive)
        .map(({ id, index, start, end }) => ({ id, index, start, end }))
        .sort((a, b) => a.index - b.index || a.start - b.start || compareCodePoints(a.id, b.id)),
    chunksAfter: (scope, id, limit) =>
      list(scopeOf(scope), `after ${limit} ${id}`, `id > $2 AND NOT ${deleted} ORDER BY id LIMIT $3`, [id, limit]),
    scanChunks: (scope) =>
      list(scopeOf(scope), "all", `NOT ${deleted}`, []).toSorted(
        (a, b) => a.document - b.document || a.start - b.start || a.key - b.key,
      ),
    deletedChunks: (scope, until) =>
      list(scopeOf(scope), "deleted", deleted, []).filter((row) => row.deletedAt! <= until),
    document: (key) => documentRows([key])[0]!,
    homesOf: (keys) => keys.flatMap((key) => homeOf(key).documents.get(key) ?? []),
    liveHomes: (scope) => [...scopeOf(scope).documents.values()].filter(isLive),
    documentBody: (key) => ({ text: textOf(key), structure: structureOf(key) }),
    documentStructure: structureOf,
    documentText: textOf,
    documentPart: (key, part) => (part === 0 ? textOf(key) : undefined),
    documentEnds: () => [],
    documentById(scope, id) {
      for (const home of scopeOf(scope).documents.values()) if (home.id === id) return documentRows([home.key])[0];
      return undefined;
    },
    documentsByUri: (scope, uri) =>
      documentRows([...scopeOf(scope).documents.values()].filter((home) => home.uri === uri).map(({ key }) => key)),
    documentsAfter: (scope, uri, id, limit, only) =>
      narrowed(scope, only)
        .filter((row) => {
          const turn = compareCodePoints(row.uri, uri);
          return turn > 0 || (turn === 0 && id !== undefined && compareCodePoints(row.id, id) > 0);
        })
        .sort((a, b) => compareCodePoints(a.uri, b.uri) || compareCodePoints(a.id, b.id))
        .slice(0, limit),
    documentsInOrder: (scope, order, place, limit, only) =>
      narrowed(scope, only)
        .filter((row) => place === undefined || isBehind(order, row, place))
        .sort(compareInOrder(order))
        .slice(0, limit),
    folders(scope, only) {
      const counter = createFolderCounter();
      for (const row of narrowed(scope, only)) counter.add(row);
      return counter.rows();
    },
    deletedDocuments: (scope, until) =>
      everyDocument(scopeOf(scope)).filter(({ deletedAt }) => deletedAt !== null && deletedAt <= until),
    formers: () => [],
    formersOf: () => [],
    orphans: () => [],
    totals(scope) {
      const live = [...scopeOf(scope).documents.values()].filter(isLive);
      return { documents: live.length, bytes: live.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
  };

  function placeIn(terms: Uint8Array, placed: Placed | null): readonly StoredVector[] {
    return createPlacing(rows, news.core?.latent).vectorsOf([{ terms, placed }])[0]!;
  }

  return {
    rows,
    takeWanted() {
      const taken = wanted;
      wanted = nothing();
      return taken;
    },
  };
}

function missing(): never {
  throw new IbidError("internal", "A row that the index refers to is not there.");
}
