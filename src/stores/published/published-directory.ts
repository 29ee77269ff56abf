import { IbidError } from "../../contracts/errors.ts";
import { compareInOrder, createFolderCounter, isBehind, narrowTo } from "../compose/document-order.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Scope } from "../../contracts/scope.ts";
import { bytesOf, encodeText } from "../../engine/segments/bytes.ts";
import { liveLanguages, readLanguages } from "../../engine/segments/language-column.ts";
import { findBlock } from "../../engine/segments/postings-file.ts";
import { packState } from "../../engine/segments/sealed-segment.ts";
import { unpack, unpackColumn } from "../segments/held-columns.ts";
import { analyzerSetting } from "../segments/segment-core.ts";
import type {
  ChunkRow,
  DirectoryReader,
  DocumentRow,
  ScopeRow,
  SegmentDirectory,
} from "../segments/segment-directory.ts";
import {
  isNamed,
  manifestName,
  type PublishedChunk,
  type PublishedFacts,
  readManifest,
  termsOfHeadings,
} from "./published-format.ts";

/**
 * Reads a file of the publication by its name; `undefined` where there is none.
 *
 * @experimental
 */
export type ReadPublished = (name: string) => Promise<Uint8Array | undefined>;

/** A published directory, and what a store over it knows beside the rows. */
export interface PublishedDirectory extends SegmentDirectory {
  readonly scope: Scope;
  /** Languages of its chunks, sorted. */
  readonly languages: readonly string[];
  /** Factor of the scores of a chunk, by its id. */
  weightOf(id: string): number;
  /** The document of a chunk, by the chunk's id. */
  documentOf(id: string): string;
  /** Reads the postings of some terms side by side, before a search asks for one after the other. */
  expect(terms: Iterable<string>): Promise<void>;
}

/** Thrown inside of a read that needs a file. The read is repeated once the file is there. */
const absent = new Error("A file of the publication is not loaded.");

const scopeKey = 1;
const segmentKey = 1;
const stamp = 1;

/**
 * A directory over static files. A read runs on what is loaded; where a file is missing, it is loaded and the read runs again.
 *
 * **Errors** `store-corrupt` for a file that is missing or damaged; errors of `read`. Every write is `unsupported`.
 */
export async function openPublishedDirectory(read: ReadPublished, analyzer: Analyzer): Promise<PublishedDirectory> {
  const manifest = readManifest(await load(manifestName));
  const { documents, scope, firsts } = manifest;
  const size = manifest.headings.length;
  /** Ordinal of each document's first chunk, by its number less 1. */
  const begins: number[] = [];
  /** Number of the document of each chunk. */
  const ofDocument: number[] = [];
  for (const { chunks } of documents) {
    begins.push(ofDocument.length);
    for (let i = 0; i < chunks; i++) ofDocument.push(begins.length);
  }
  const headings: string[] = [];
  manifest.headings.forEach((heading, ordinal) => {
    headings.push(
      heading === 0 ? (headings.at(-1) ?? "") : heading === 1 ? documents[ofDocument[ordinal]! - 1]!.title : heading,
    );
  });
  const languages = readLanguages(manifest.languages);
  const groups = unpackColumn(manifest.copies);
  const copies = Map.groupBy(groups.keys(), (ordinal) => groups[ordinal]!);
  const byUri = new Map(documents.map(({ uri }, i) => [uri, i + 1]));
  const all = new Uint8Array(size).fill(1);
  const segment = {
    key: segmentKey,
    scope: scopeKey,
    size,
    stamp,
    keys: bytesOf(Float64Array.from(ofDocument, (_, ordinal) => ordinal + 1)),
    lengths: bytesOf(Uint32Array.from([...unpackColumn(manifest.textLengths), ...unpackColumn(manifest.nameLengths)])),
    state: packState(all, all, size),
    columns: "[]",
  };
  const terms = encodeText(JSON.stringify(firsts));
  let frequencies: ReadonlyMap<string, number> | undefined;

  /** Files that are there, and those that a read wanted. */
  const loaded = new Map<string, Uint8Array>();
  const parsed = new Map<number, PublishedFacts>();
  const loading = new Map<string, Promise<void>>();
  const wanted = new Set<string>();

  async function load(name: string): Promise<Uint8Array> {
    const packed = await read(name);
    if (packed === undefined || (name !== manifestName && !isNamed(packed, name))) {
      throw new IbidError("store-corrupt", `The publication's file ${name} is ${packed ? "damaged" : "not there"}.`, {
        uri: name,
        hint: "Copy all files of one publication together, or publish the documents again.",
      });
    }
    return unpack(packed);
  }

  /** Loads a file that is not there yet; two that want it at once share the load. */
  function fetchOne(name: string): Promise<void> {
    let under = loading.get(name);
    if (under === undefined) {
      under = load(name)
        .then((bytes) => void loaded.set(name, bytes))
        .finally(() => loading.delete(name));
      loading.set(name, under);
    }
    return under;
  }

  async function fetchAll(names: readonly string[]): Promise<void> {
    await Promise.all(names.filter((name) => !loaded.has(name)).map(fetchOne));
  }

  function bytesIn(name: string): Uint8Array {
    const bytes = loaded.get(name);
    if (bytes !== undefined) return bytes;
    wanted.add(name);
    throw absent;
  }

  const textIn = (name: string): string => new TextDecoder().decode(bytesIn(name));

  function facts(document: number): PublishedFacts {
    let known = parsed.get(document);
    if (known === undefined) {
      known = JSON.parse(textIn(documents[document - 1]!.facts)) as PublishedFacts;
      parsed.set(document, known);
    }
    return known;
  }

  /** A chunk as the facts of its document have it. */
  function published(ordinal: number): PublishedChunk {
    const document = ofDocument[ordinal]!;
    return facts(document).chunks[ordinal - begins[document - 1]!]!;
  }

  function part(document: number, number: number): string | undefined {
    const { text, parts } = facts(document);
    if (number === 0) return text;
    const name = parts[number - 1];
    return name === undefined ? undefined : textIn(name);
  }

  /** Wants the files that chunks lie in, all at once. */
  function wantChunks(keys: readonly number[], withText: boolean): void {
    const before = wanted.size;
    const want = (name: string): void => void (loaded.has(name) || wanted.add(name));
    for (const key of keys) {
      const document = ofDocument[key - 1]!;
      const name = documents[document - 1]!.facts;
      want(name);
      if (!withText || !loaded.has(name)) continue;
      const { parts, ends } = facts(document);
      const [start, end] = published(key - 1);
      parts.forEach((more, i) => {
        if (start < ends[i + 1]! && end > ends[i]!) want(more);
      });
    }
    if (wanted.size > before) throw absent;
  }

  function countTerms(): ReadonlyMap<string, number> {
    const counts = unpackColumn(manifest.frequencies);
    return new Map(termsOfHeadings(analyzer, headings, languages).map((term, i) => [term, counts[i]!]));
  }

  const scopeRow: ScopeRow = { key: scopeKey, scope, stamp, rewrites: 0 };
  /** Place of a chunk among those of its document. */
  const rankOf = (ordinal: number): number => ordinal - begins[ofDocument[ordinal]! - 1]!;
  const idOf = (ordinal: number): string => `${ofDocument[ordinal]!}.${rankOf(ordinal)}`;
  const byId = new Map(Array.from(ofDocument, (_, ordinal) => [idOf(ordinal), ordinal + 1]));
  const isHere = (key: number): boolean => key >= 1 && key <= size;

  function chunkRow(key: number): ChunkRow {
    const ordinal = key - 1;
    const document = ofDocument[ordinal]!;
    const [start, end, index, details, said, urtext, text] = published(ordinal);
    return {
      key,
      scope: scopeKey,
      id: idOf(ordinal),
      documentId: String(document),
      document,
      start,
      end,
      index,
      details,
      metadata: facts(document).metadata[said]!,
      origin: "user-content",
      urtext,
      text,
      textKey: groups[ordinal] === 0 ? `one ${key}` : `group ${groups[ordinal]}`,
      deletedAt: null,
    };
  }

  function documentRow(key: number): DocumentRow {
    const { uri, title, mediaType, bytes } = documents[key - 1]!;
    return {
      key,
      scope: scopeKey,
      id: String(key),
      uri,
      title,
      mediaType,
      origin: "user-content",
      contentHash: "",
      metadataHash: "",
      fingerprint: "",
      bytes,
      folder: null,
      ingestedAt: manifest.publishedAt,
      checkedAt: null,
      etag: null,
      lastModified: null,
      deletedAt: null,
      readers: null,
      validFrom: null,
      validTo: null,
      supersedes: null,
    };
  }

  const keysOf = (documentId: string): readonly number[] => {
    const number = Number(documentId) - 1;
    const begin = begins[number];
    return begin === undefined ? [] : Array.from({ length: documents[number]!.chunks }, (_, i) => begin + i + 1);
  };
  const rowsOf = (keys: readonly number[]): readonly ChunkRow[] => {
    wantChunks(keys, false);
    return keys.map(chunkRow);
  };
  const known = (ids: readonly string[]): readonly number[] => ids.flatMap((id) => byId.get(id) ?? []);
  const everyKey = (): readonly number[] => Array.from(ofDocument, (_, ordinal) => ordinal + 1);
  const wholeText = (key: number): string => {
    const { text, parts } = facts(key);
    for (const name of parts) if (!loaded.has(name)) wanted.add(name);
    return text + parts.map(textIn).join("");
  };
  const byUriAndId = (): readonly DocumentRow[] => documents.map((_, i) => documentRow(i + 1));

  const rows: DirectoryReader = {
    stamp: () => stamp,
    setting: (name) => (name === analyzerSetting ? manifest.analyzer : undefined),
    scope: (asked) => (asked === scope ? scopeRow : undefined),
    scopes: () => [scopeRow],
    segmentStamps: () => (size === 0 ? [] : [{ key: segmentKey, stamp }]),
    segment: () => segment,
    segmentState: () => segment,
    fits: () => [],
    fitPart: () => undefined,
    file(_segment, name, number) {
      if (name === "terms") return terms;
      if (name === "languages") return manifest.languages;
      const file = name === "postings" ? manifest.postings[number] : undefined;
      return file === undefined ? undefined : bytesIn(file);
    },
    frequency: (_segment, term) => (frequencies ??= countTerms()).get(term),
    pendingAfter: () => [],
    pendingStamps: () => [],
    pending: () => missing(),
    chunk: (key) => (isHere(key) ? rowsOf([key])[0]! : missing()),
    chunks(keys) {
      wantChunks(keys.filter(isHere), true);
      return keys.map((key) => (isHere(key) ? chunkRow(key) : undefined));
    },
    // A search reads the innermost heading of a candidate's details, and nothing else of them.
    chunkDetails: (keys) => keys.map((key) => JSON.stringify({ headings: [headings[key - 1]] })),
    chunkId: (key) => idOf(key - 1),
    chunkIds: (keys) => keys.map((key) => idOf(key - 1)),
    chunkDocuments: (keys) => keys.map((key) => ofDocument[key - 1] ?? 0),
    // Places order equal scores. The rank of a chunk in its document orders as its start does, which only its facts have.
    chunkPlaces: (keys) =>
      keys.map((key) => ({ uri: documents[ofDocument[key - 1]! - 1]!.uri, start: rankOf(key - 1) })),
    chunkFacts: rowsOf,
    chunkById: (_scope, id) => rowsOf(known([id]))[0],
    chunkKeysById: (_scope, ids) => known(ids).map((key) => ({ key, id: idOf(key - 1), deletedAt: null })),
    chunksById: (_scope, ids) => rowsOf(known(ids)),
    chunksOfDocument: (_scope, documentId) => rowsOf(keysOf(documentId)),
    copiesOf(_scope, textKey, own) {
      const [, group] = /^group (\d+)$/u.exec(textKey) ?? [];
      const others = (copies.get(Number(group ?? -1)) ?? []).map((ordinal) => ordinal + 1);
      return rowsOf(others.filter((key) => key !== own));
    },
    chunkKeysOf: (_scope, documentId) => keysOf(documentId).map((key) => ({ key, id: idOf(key - 1), deletedAt: null })),
    liveChunksOf: (_scope, documentId) => keysOf(documentId).length,
    chunkSpansOf: (_scope, documentId) =>
      keysOf(documentId)
        .map((key) => {
          const [start, end, index] = published(key - 1);
          return { id: idOf(key - 1), index, start, end };
        })
        .sort((a, b) => a.index - b.index || a.start - b.start),
    chunksAfter: (_scope, id, limit) =>
      rowsOf(
        [...byId]
          .filter(([other]) => other > id)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, limit)
          .map(([, key]) => key),
      ),
    scanChunks: () => rowsOf(everyKey()),
    deletedChunks: () => [],
    document: (key) => (key >= 1 && key <= documents.length ? documentRow(key) : missing()),
    homesOf: (keys) => keys.map(documentRow),
    documentBody(key) {
      const { structure } = facts(key);
      if (!loaded.has(structure)) wanted.add(structure);
      return { text: wholeText(key), structure: textIn(structure) };
    },
    documentStructure: (key) => textIn(facts(key).structure),
    documentText: wholeText,
    documentPart: part,
    documentEnds: (key) => facts(key).ends,
    documentById: (_scope, id) => (documents[Number(id) - 1] === undefined ? undefined : documentRow(Number(id))),
    documentsByUri(_scope, uri) {
      const key = byUri.get(uri);
      return key === undefined ? [] : [documentRow(key)];
    },
    documentsAfter: (_scope, uri, id, limit, only = {}) =>
      byUriAndId()
        .filter((row) => row.uri > uri || (row.uri === uri && id !== undefined && row.id > id))
        .filter(narrowTo(only) ?? (() => true))
        .slice(0, limit),
    documentsInOrder: (_scope, order, place, limit, only = {}) =>
      byUriAndId()
        .filter((row) => place === undefined || isBehind(order, row, place))
        .filter(narrowTo(only) ?? (() => true))
        .sort(compareInOrder(order))
        .slice(0, limit),
    folders(_scope, only = {}) {
      const counter = createFolderCounter();
      for (const row of byUriAndId().filter(narrowTo(only) ?? (() => true))) counter.add(row);
      return counter.rows();
    },
    deletedDocuments: () => [],
    formers: () => [],
    formersOf: () => [],
    orphans: () => [],
    totals: () => ({ documents: documents.length, bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0) }),
  };

  return {
    scope,
    languages: size === 0 ? [] : [...liveLanguages(languages, all)].sort(),
    durability: "snapshot",
    weightOf: (id) => documents[Number.parseInt(id, 10) - 1]!.weight,
    documentOf: (id) => id.slice(0, id.indexOf(".")),
    async expect(said) {
      const blocks = new Set<string>();
      for (const term of said) {
        const block = findBlock(firsts, term);
        if (block >= 0) blocks.add(manifest.postings[block]!);
      }
      await fetchAll([...blocks]);
    },
    peek: () => stamp,
    async read(work) {
      for (;;) {
        wanted.clear();
        let outcome: { readonly result: ReturnType<typeof work> } | { readonly error: unknown };
        try {
          outcome = { result: work(rows) };
        } catch (error) {
          outcome = { error };
        }
        // A work may have caught the error itself, so that the list of wanted files decides.
        if (wanted.size > 0) await fetchAll([...wanted]);
        else if ("result" in outcome) return outcome.result;
        else throw outcome.error;
      }
    },
    write: async () => {
      throw new IbidError("internal", "A published directory is never written to.");
    },
    scrub: async () => true,
    close: async () => {},
  };
}

function missing(): never {
  throw new IbidError("internal", "A row that the index refers to is not there.");
}
