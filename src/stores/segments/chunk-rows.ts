import { IbidError } from "../../contracts/errors.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type {
  DocumentSummary,
  StoredDocument,
  StoredStructure,
  StructureOptions,
} from "../../contracts/document-store.ts";
import type { PlaceLabels, Section, SourceMap, TextDocument } from "../../contracts/document.ts";
import type { Restriction } from "../../contracts/leg.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { IndexView } from "./index-view.ts";
import {
  checkNames,
  type ChunkRow,
  type DirectoryReader,
  type DocumentBody,
  type DocumentRow,
  type HomeRow,
} from "./segment-directory.ts";
import { documentPath } from "../../text/document-path.ts";
import { placeLabels } from "../../text/place-labels.ts";
import { textKey } from "../../text/text-key.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** The part of a chunk that is kept as JSON. */
export interface ChunkDetails extends PlaceLabels {
  /** Absent when it is the document's. */
  readonly uri?: string;
  readonly title?: string;
  readonly sectionId: string;
  readonly headings: readonly string[];
  readonly isInContainer?: true;
  readonly language?: string;
}

/** A chunk's row without the columns that the store assigns when it adds the row. */
export type ChunkContent = Omit<ChunkRow, "key" | "scope" | "document" | "deletedAt">;

/** The document that a chunk is a slice of. */
export interface HomeDocument {
  readonly uri: string;
  readonly title: string;
  readonly text: string;
}

export function toChunkContent(chunk: Chunk, home: HomeDocument): ChunkContent {
  const { id, documentId, start, end, index, origin, text, urtext, uri, title, sectionId, headings, language } = chunk;
  const details: ChunkDetails = {
    ...(uri === home.uri ? {} : { uri }),
    ...(title === home.title ? {} : { title }),
    sectionId,
    headings,
    ...(chunk.isInContainer && { isInContainer: true as const }),
    ...placeLabels(chunk),
    ...(language === undefined ? {} : { language }),
  };
  return {
    id,
    documentId,
    start,
    end,
    index,
    details: JSON.stringify(details),
    metadata: JSON.stringify(chunk.metadata),
    origin,
    urtext: home.text.slice(start, end) === urtext ? null : urtext,
    text: text === urtext ? null : text,
    textKey: textKey(urtext),
  };
}

export function sameContent(a: ChunkContent, b: ChunkContent): boolean {
  return (
    a.start === b.start &&
    a.end === b.end &&
    a.index === b.index &&
    a.details === b.details &&
    a.metadata === b.metadata &&
    a.origin === b.origin &&
    a.urtext === b.urtext &&
    a.text === b.text
  );
}

/** Parsed JSON of chunk rows, by its text: chunks of one document mostly share it. Values are never changed, because the guard hands out copies. */
const sayings = new Map<string, unknown>();

/** Most entries in `sayings`; when it is full, all are dropped at once. */
const maxSayings = 4096;

function parseSaying(json: string): unknown {
  let saying = sayings.get(json);
  if (saying === undefined) {
    if (sayings.size >= maxSayings) sayings.clear();
    sayings.set(json, (saying = parseStored(json) as typeof saying));
  }
  return saying;
}

/** **Errors** `store-corrupt` where a field that every chunk has is not there: its name may be damaged, and JSON all the same. */
function parseDetails(json: string, { uri }: Pick<DocumentRow, "uri">): ChunkDetails {
  const details = parseSaying(json) as Partial<ChunkDetails>;
  const { sectionId, headings } = details;
  if (typeof sectionId === "string" && Array.isArray(headings)) return details as ChunkDetails;
  throw new IbidError("store-corrupt", `A chunk of "${uri}" has no section or no headings where it should.`, {
    uri,
    hint: "Run ibid doctor; restore the file from a backup, or delete the document and ingest it again.",
  });
}

/** Reads chunks back from their rows, within one transaction. **Shape** headings and metadata are shared, and not to be changed. */
export interface ChunkReader {
  urtext(row: ChunkRow): string;
  text(row: ChunkRow): string;
  chunk(row: ChunkRow): Chunk;
}

/** `names` are of documents that were read already. */
export function createChunkReader(
  rows: DirectoryReader,
  view: Pick<IndexView, "text"> & Partial<Pick<IndexView, "slice">>,
  names: ReadonlyMap<number, Pick<HomeRow, "uri" | "title" | "scope">> = new Map(),
): ChunkReader {
  const read = new Map<number, Pick<HomeRow, "uri" | "title" | "scope">>();
  function home(row: ChunkRow): Pick<DocumentRow, "uri" | "title"> {
    let document: Pick<HomeRow, "uri" | "title" | "scope"> | undefined =
      names.get(row.document) ?? read.get(row.document);
    if (document === undefined) read.set(row.document, (document = checkNames(rows.document(row.document))));
    if (document.scope !== undefined && document.scope !== row.scope) {
      throw new IbidError("store-corrupt", `Chunk ${row.id} names a document of another scope.`, {
        hint: "Run ibid doctor; restore the file from a backup.",
      });
    }
    return document;
  }

  function urtext(row: ChunkRow): string {
    if (row.isDamaged) throw damagedChunk();
    return (
      row.urtext ??
      view.slice?.(rows, row.document, row.start, row.end) ??
      view.text(rows, row.document).slice(row.start, row.end)
    );
  }

  return {
    urtext,
    text: (row) => row.text ?? urtext(row),
    chunk(row) {
      const document = home(row);
      if (row.isDamaged) throw damagedChunk(document.uri);
      const details = parseDetails(row.details, document);
      const words = urtext(row);
      return {
        type: "text-chunk",
        id: row.id,
        documentId: row.documentId,
        uri: document.uri,
        title: document.title,
        text: row.text ?? words,
        urtext: words,
        start: row.start,
        end: row.end,
        index: row.index,
        ...details,
        metadata: parseSaying(row.metadata) as Metadata,
        origin: row.origin,
      };
    },
  };
}

/** Says that a chunk's own texts, metadata or headings are not as they were written. **Shape** it quotes nothing of them. */
export function damagedChunk(uri = "a document"): IbidError {
  return new IbidError("store-corrupt", `A text, metadata or headings of ${uri} are not as they were written.`, {
    uri,
    hint: "Restore the file from a backup, or delete the document and ingest it again. Other documents are not affected.",
  });
}

/** A restriction over rows: evaluated once for chunks that say the same. */
export function createRowFilter(restriction: Restriction | undefined): (row: ChunkRow) => boolean {
  if (restriction === undefined) return () => true;
  const verdicts = new Map<string, boolean>();
  return ({ metadata, origin, isDamaged }) => {
    if (isDamaged) throw damagedChunk();
    const saying = `${origin} ${metadata}`;
    let verdict = verdicts.get(saying);
    if (verdict === undefined) {
      verdict = restriction.admits({ metadata: parseStored(metadata) as Metadata, origin });
      verdicts.set(saying, verdict);
    }
    return verdict;
  };
}

interface DocumentStructure {
  readonly root: Section;
  readonly sourceMap: SourceMap;
  readonly metadata: Metadata;
  readonly language?: string;
}

export function toDocumentBody({ text, root, sourceMap, metadata, language }: TextDocument): DocumentBody {
  const structure: DocumentStructure = {
    root,
    sourceMap,
    metadata,
    ...(language === undefined ? {} : { language }),
  };
  return { text, structure: JSON.stringify(structure) };
}

export function toSummary(rows: DirectoryReader, scope: Scope, row: DocumentRow): DocumentSummary {
  checkNames(row);
  const { id, uri, title, mediaType, contentHash, metadataHash, fingerprint, bytes, folder, ingestedAt } = row;
  const { checkedAt, etag, lastModified } = row;
  const chunks = row.liveChunks ?? rows.liveChunksOf(row.scope, id);
  return {
    scope,
    id,
    uri,
    ...documentPath(uri, folder),
    title,
    mediaType,
    chunks,
    contentHash,
    metadataHash,
    fingerprint,
    bytes,
    folder,
    ingestedAt,
    checkedAt: checkedAt ?? ingestedAt,
    ...toReserved(row),
    ...(etag === null && lastModified === null
      ? {}
      : { validators: { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) } }),
  };
}

/** Rows of an earlier snapshot lack the fields. */
function toReserved({ readers, validFrom, validTo, supersedes }: Partial<DocumentRow>): Partial<DocumentSummary> {
  return {
    ...(readers != null && { readers: parseStored(readers) as readonly string[] }),
    ...(validFrom != null && { validFrom }),
    ...(validTo != null && { validTo }),
    ...(supersedes != null && { supersedes }),
  };
}

export function* toStoredDocument(
  rows: DirectoryReader,
  scope: Scope,
  row: DocumentRow,
): Generator<undefined, StoredDocument> {
  const body =
    rows.documentBodyInSteps === undefined ? rows.documentBody(row.key) : yield* rows.documentBodyInSteps(row.key);
  return { summary: toSummary(rows, scope, row), document: toDocument(row, body) };
}

/** The document that a row and a body describe. */
export const toDocument = (row: DocumentRow, { structure, text }: DocumentBody): TextDocument => ({
  ...toBareDocument(row, structure),
  text,
});

export function toStoredStructure(
  rows: DirectoryReader,
  scope: Scope,
  row: DocumentRow,
  { chunks = false }: StructureOptions,
): StoredStructure {
  return {
    summary: toSummary(rows, scope, row),
    document: toBareDocument(row, rows.documentStructure(row.key)),
    ...(chunks && { chunks: rows.chunkSpansOf(row.scope, row.id) }),
  };
}

function toBareDocument(row: DocumentRow, structure: string): StoredStructure["document"] {
  const { root, sourceMap, metadata, language } = parseStored(structure) as DocumentStructure;
  const { id, uri, title, mediaType, origin } = checkNames(row);
  return {
    type: "text",
    id,
    uri,
    title,
    mediaType,
    ...(language === undefined ? {} : { language }),
    metadata,
    origin,
    root,
    sourceMap,
  };
}
