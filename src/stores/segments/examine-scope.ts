import type { Analyzer } from "../../contracts/analyzer.ts";
import type { TermCounts } from "../../contracts/corpus-model.ts";
import type { Finding, FindingKind } from "../../contracts/diagnosis.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { analyzeChunk, decodeTerms } from "../../engine/segments/chunk-terms.ts";
import { collectTerms, totalCounts } from "../../engine/segments/forward-terms.ts";
import { readTerms } from "../../engine/segments/postings-file.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { nameSegment } from "../../engine/bm25/document-fields.ts";
import { isNamedAs, readStoredDocuments, readStoredNames } from "../../engine/bm25/stored-names.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { decodeVectors, parseVersionKey, type StoredVector } from "../../engine/vectors/stored-vector.ts";
import { vectorsAt } from "../../engine/vectors/vector-column.ts";
import type { ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import { createUncachedReader } from "./replace-document.ts";
import { knowsVersion } from "./read-versions.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";
import { textKey } from "../../text/text-key.ts";
import { openTrigrams, trigramFile } from "../../engine/patterns/trigram-file.ts";
import { trigramKinds } from "../../engine/patterns/trigrams.ts";
import { collectSegmentTrigrams } from "./trigram-keeper.ts";
import { readNames } from "./word-indexes.ts";

/** One chunk as the index has it, gathered from all parts of the index. */
interface Indexed {
  readonly key: number;
  readonly id: string;
  readonly live: boolean;
  readonly terms: { readonly terms: readonly string[]; readonly counts: readonly number[] };
  readonly vectors: readonly StoredVector[];
}

/** One scope, looked through. */
export interface ScopeExamination {
  readonly findings: readonly Finding[];
  readonly chunks: number;
  readonly vectors: number;
  /** Every distinct term of what is held, and those that only chunks without a row have. */
  readonly terms: ReadonlySet<string>;
  readonly residue: ReadonlySet<string>;
}

/** The store's own model by version, for those that are searched or about to be: the vector of a chunk's terms. */
export type OwnVectors = ReadonlyMap<string, (terms: TermCounts) => StoredVector>;

/** Kinds of finding that a rebuild of the scope's index can fix. */
export const mendedByRebuilding: ReadonlySet<FindingKind> = new Set([
  "unindexed",
  "indexed-wrongly",
  "wrong-dimensions",
  "stale-version",
]);

/**
 * Compares the index of one scope with its rows. Every chunk must be in it once, with the terms that the analyzer gives now and vectors of the
 * length that their version states. Vectors of the store's own model must be those that it gives now. Nothing else may be in it.
 *
 * **Cost** analyses every chunk and reads every posting, vector and trigram.
 */
export function examineScope(
  rows: DirectoryReader,
  view: ScopeView,
  analyzer: Analyzer,
  own: OwnVectors | undefined,
): ScopeExamination {
  const { scope, key: scopeKey } = view.row;
  const note = createNotes(scope);
  const chunks = new Map<number, ChunkRow>();
  for (const row of rows.scanChunks(scopeKey)) chunks.set(row.key, row);
  for (const row of rows.deletedChunks(scopeKey, Number.MAX_SAFE_INTEGER)) chunks.set(row.key, row);

  const seen = new Set<number>();
  const withVectors = new Set<string>();
  const without: ChunkRow[] = [];
  const terms = new Set<string>();
  const reader = createUncachedReader(rows);
  const isKnown = knowsVersion(rows, view);
  let vectors = 0;
  let foreign = 0;

  const look = (indexed: Indexed): void => {
    const row = chunks.get(indexed.key);
    if (row === undefined) return note("indexed-wrongly", "The index has chunks that are not there.");
    if (seen.has(row.key)) note("indexed-wrongly", "The index has chunks twice.");
    seen.add(row.key);
    if (row.id !== indexed.id) note("indexed-wrongly", "The index has chunks under another id.");
    if (indexed.live !== (row.deletedAt === null)) {
      note("indexed-wrongly", "The index takes deleted chunks for live ones, or live ones for deleted.");
    }
    if (row.isDamaged || row.textKey !== textKey(reader.urtext(row)))
      note("damaged", "Chunks do not say what they said when they were written.");
    if (row.isDamaged) return;
    const expected = totalCounts(analyzeChunk(analyzer, reader.chunk(row)));
    for (const term of expected.terms) terms.add(term);
    if (!sameCounts(expected, indexed.terms))
      note("indexed-wrongly", "The index has other words of chunks than they say.");
    for (const vector of indexed.vectors) {
      if (!fits(vector)) note("wrong-dimensions", "Vectors are not as long as their version says.");
      else if (!isKnown(vector.version)) foreign++;
      if (own === undefined || !isOwnVersion(vector.version)) continue;
      const place = own.get(vector.version);
      if (place === undefined) note("stale-version", "Vectors are of a fit that is not there any more.");
      else if (!sameNumbers(place(expected).dense, vector.dense))
        note("indexed-wrongly", "Vectors are not those that the store's own model gives.");
    }
    vectors += indexed.vectors.length;
    if (row.deletedAt !== null) return;
    if (indexed.vectors.some(({ version }) => !isOwnVersion(version))) withVectors.add(row.documentId);
    else without.push(row);
  };

  const unreadable = "Parts of the index cannot be read.";
  for (const segment of view.sealed) {
    guarded(note, unreadable, () => {
      for (const indexed of readSealed(segment)) look(indexed);
      if (!hasRightTrigrams(rows, segment))
        note("indexed-wrongly", "The index for patterns has other letters of chunks.");
      if (!hasRightNames(rows, segment, analyzer))
        note("indexed-wrongly", "The index has other names of documents than they bear.");
    });
  }
  for (const [, row] of view.tail.rows()) {
    guarded(note, unreadable, () => {
      look({ ...row, terms: totalCounts(decodeTerms(row.terms)), vectors: decodeVectors(row.vectors) });
    });
  }
  for (const key of chunks.keys()) if (!seen.has(key)) note("unindexed", "Chunks are not in the index.");
  for (const { documentId } of without) {
    if (withVectors.has(documentId))
      note("missing-vectors", "Chunks have no vector, and others of their documents have.");
  }
  const findings = [...note.findings(), ...(foreign === 0 ? [] : [findForeign(scope, foreign)])];
  return { findings, chunks: chunks.size, vectors, terms, residue: findResidue(view.sealed, terms) };
}

/** Two models in one scope, and nobody changed from the one to the other. */
function findForeign(scope: Scope, count: number): Finding {
  const message = "Vectors are of a model that the scope is neither searched by, nor on its way to, nor has left.";
  const hint = "Embed the scope anew (kb.reembed, ibid reembed); a vacuum then takes them out.";
  return { kind: "stale-version", message, scope, count, fixed: false, hint };
}

function* readSealed(segment: SealedSegment): Generator<Indexed> {
  const terms = collectTerms(segment, (ordinal) => segment.present[ordinal] === 1);
  if (segment.languageColumn().places.length !== segment.size)
    throw corrupt("The languages of a segment are not as many as its chunks.");
  for (const [ordinal, counted] of terms) {
    const key = segment.key(ordinal);
    yield {
      key,
      // An index may name a chunk that is not there: then its id cannot be asked for.
      get id() {
        return segment.chunkId(ordinal);
      },
      live: segment.live[ordinal] === 1,
      terms: counted,
      vectors: vectorsAt(segment, ordinal),
    };
  }
}

/** Terms that stand in postings and that none of the chunks has that are held. */
function findResidue(segments: readonly SealedSegment[], held: ReadonlySet<string>): ReadonlySet<string> {
  const residue = new Set<string>();
  for (const segment of segments) {
    if (segment.presentCount === segment.size) continue;
    try {
      for (const { term } of readTerms(segment.blocks())) if (!held.has(term)) residue.add(term);
    } catch (error) {
      // The examination reported this already, when it read the segment's chunks.
      if (!IbidError.isInstance(error)) throw error;
    }
  }
  return residue;
}

function fits({ version, dense, indices, values, kind }: StoredVector): boolean {
  const { dimensions } = parseVersionKey(version);
  if (indices.length !== values.length) return false;
  return kind === "sparse" || dense.length === dimensions;
}

function sameCounts(
  a: { readonly terms: readonly string[]; readonly counts: readonly number[] },
  b: { readonly terms: readonly string[]; readonly counts: readonly number[] },
): boolean {
  if (a.terms.length !== b.terms.length) return false;
  const counts = new Map(a.terms.map((term, i) => [term, a.counts[i]]));
  return b.terms.every((term, i) => counts.get(term) === b.counts[i]);
}

function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

type Note = ((kind: FindingKind, message: string) => void) & { findings(): readonly Finding[] };

/** Says the same thing once, and how often. */
function createNotes(scope: Scope): Note {
  const counts = new Map<string, { kind: FindingKind; message: string; count: number }>();
  const note = (kind: FindingKind, message: string): void => {
    const known = counts.get(message);
    if (known === undefined) counts.set(message, { kind, message, count: 1 });
    else known.count++;
  };
  return Object.assign(note, {
    findings: () => [...counts.values()].map((one): Finding => ({ ...one, scope, fixed: false })),
  });
}

/** Bytes that were not written by us can fail in any way when they are read. */
function guarded(note: Note, message: string, work: () => void): void {
  try {
    work();
  } catch {
    note("indexed-wrongly", message);
  }
}

function corrupt(message: string): IbidError {
  return new IbidError("store-corrupt", message);
}

/**
 * Whether a segment's trigram index agrees with the texts of its chunks. A segment without one counts as right: the next pattern search makes it.
 *
 * **Errors** whatever unreadable bytes cause. **Cost** collects the trigrams of every chunk anew.
 */
function hasRightTrigrams(rows: DirectoryReader, segment: SealedSegment): boolean {
  const stored = openTrigrams(segment.size, (part) => rows.file(segment.row, trigramFile, part));
  if (stored === undefined) return true;
  const files = collectSegmentTrigrams(rows, segment);
  const anew = openTrigrams(segment.size, (part) => files[part]?.data)!;
  const length = (segment.size + 7) >> 3;
  const [said, seen] = [new Uint8Array(length), new Uint8Array(length)];
  for (let trigram = 0; trigram < trigramKinds; trigram++) {
    stored.mark(trigram, said.fill(0));
    anew.mark(trigram, seen.fill(0));
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      // Removed chunks are skipped: no search returns them.
      const differs = (said[ordinal >> 3]! ^ seen[ordinal >> 3]!) & (1 << (ordinal & 7));
      if (differs !== 0 && segment.present[ordinal] === 1) return false;
    }
  }
  return true;
}

/**
 * Whether the names that a segment keeps are those of its chunks' documents. A segment that keeps none counts as right: a search reads the documents then.
 *
 * **Errors** whatever unreadable bytes cause. **Cost** reads and analyses the names of every document anew.
 */
function hasRightNames(rows: DirectoryReader, segment: SealedSegment, analyzer: Analyzer): boolean {
  const kept = rows.names?.(segment.row);
  if (kept === undefined) return true;
  const documents = readStoredDocuments(kept, segment.size);
  const keys = Array.from(documents, (_, ordinal) => segment.key(ordinal));
  const owners = rows.chunkDocuments(keys);
  // Removed chunks are skipped: no search returns them.
  if (owners.some((owner, ordinal) => segment.present[ordinal] === 1 && owner !== documents[ordinal])) return false;
  const anew = finishSteps(nameSegment(segment, (some) => readNames(rows, some), analyzer));
  return isNamedAs(readStoredNames(anew, segment.size), readStoredNames(kept, segment.size));
}
