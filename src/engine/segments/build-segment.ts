import { bytesOf } from "./bytes.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import { joinPostings } from "./join-postings.ts";
import { encodeLanguages } from "./language-column.ts";
import type { LiveSegment } from "./live-segment.ts";
import { readTerms, type TermPostings, writePostings } from "./postings-file.ts";
import type { Postings, SegmentSource, StoredPlace } from "./segment.ts";
import { createTermCollector } from "./term-collector.ts";
import type { TermNumbers } from "./term-numbers.ts";
import { packState, type SealedSegment, type SegmentRow } from "./sealed-segment.ts";
import { decodeVectors, type StoredVector } from "../vectors/stored-vector.ts";
import { formOf } from "../vectors/dense-rows.ts";
import {
  type ColumnFile,
  columnName,
  type ColumnWriter,
  createColumnWriter,
  eachVector,
} from "../vectors/vector-column.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** A sealed segment that has no row yet. */
export interface BuiltSegment {
  readonly row: Omit<SegmentRow, "key" | "scope" | "stamp">;
  readonly files: readonly ColumnFile[];
}

/** A chunk that waits to be sealed. Terms and vectors are asked for once, in the segment's order. */
export interface SealingChunk {
  readonly key: number;
  readonly id: string;
  readonly live: boolean;
  /** As `encodeTerms` writes them. */
  readonly terms: () => Uint8Array;
  readonly vectors: () => readonly StoredVector[];
}

/** One chunk on its way into a segment, and where it comes from. */
interface Member {
  readonly key: number;
  readonly id: string;
  readonly live: boolean;
  /** Index of the source, and the ordinal in it. */
  readonly source: number;
  readonly ordinal: number;
}

/** Lexical parts of a segment, by ordinal. */
interface LexicalParts {
  readonly lengths: readonly FieldLengths[];
  readonly languages: readonly string[];
  readonly terms: Iterable<TermPostings>;
}

/** All that a live segment holds, the restorable included. */
export function* chunksToSeal(live: LiveSegment): Generator<SealingChunk, undefined> {
  for (const [, row] of live.rows()) {
    yield { ...row, terms: () => row.terms, vectors: () => decodeVectors(row.vectors) };
  }
  return undefined;
}

/** Makes a sealed segment of chunks, in order of uri and start: chunks of a document stand together, and their words are alike. */
export function sealSegment(
  chunks: Iterable<SealingChunk>,
  source: Pick<SegmentSource, "chunkPlaces">,
  numbers?: TermNumbers,
): BuiltSegment {
  const members = inPlace([...chunks], (all) => source.chunkPlaces(all.map(({ key }) => key)));
  const terms = createTermCollector(numbers);
  const columns = new Map<string, ColumnWriter>();
  const languages: string[] = [];
  const lengths: FieldLengths[] = [];
  members.forEach((member, ordinal) => {
    const own = terms.add(ordinal, member.terms());
    languages.push(own.language);
    lengths.push(own.lengths);
    for (const vector of member.vectors()) addVector(columns, ordinal, vector);
  });
  return assemble(members, { lengths, languages, terms: terms.inOrder() }, columns);
}

/** Makes one sealed segment of several, without what has no row any more. **Cost** linear in their postings and vectors. */
export function mergeSegments(segments: readonly SealedSegment[]): BuiltSegment {
  const unordered: Member[] = [];
  segments.forEach((segment, source) => {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      if (segment.present[ordinal] === 0) continue;
      unordered.push({
        key: segment.key(ordinal),
        id: segment.chunkId(ordinal),
        live: segment.live[ordinal] === 1,
        source,
        ordinal,
      });
    }
  });
  const members = inPlace(unordered, (all) =>
    segments.flatMap((segment, source) =>
      segment.places(all.filter((member) => member.source === source).map(({ ordinal }) => ordinal)),
    ),
  );
  /** Where each old ordinal went; `gone` for what has no row. */
  const moved = segments.map(({ size }) => new Uint32Array(size).fill(gone));
  members.forEach(({ source, ordinal }, place) => {
    moved[source]![ordinal] = place;
  });

  const columns = new Map<string, ColumnWriter>();
  const rows: { place: number; vector: StoredVector }[] = [];
  segments.forEach((segment, source) => {
    for (const column of segment.columns()) {
      let row = 0;
      for (const vector of eachVector(column)) {
        const place = moved[source]![column.ordinals[row++]!]!;
        if (place !== gone) rows.push({ place, vector });
      }
    }
  });
  rows.sort((a, b) => a.place - b.place);
  for (const { place, vector } of rows) addVector(columns, place, vector);
  const lengths = members.map(({ source, ordinal }) => ({
    text: segments[source]!.textLengths[ordinal]!,
    names: segments[source]!.nameLengths[ordinal]!,
  }));
  const languages = members.map(({ source, ordinal }) => segments[source]!.languageOf(ordinal));
  return assemble(members, { lengths, languages, terms: mergeTerms(segments, moved) }, columns);
}

const gone = 0xffff_ffff;

/** The terms of all segments in one order, each once, its lists joined. */
function* mergeTerms(segments: readonly SealedSegment[], moved: readonly Uint32Array[]): Generator<TermPostings> {
  const streams = segments.map((segment) => readTerms(segment.blocks()));
  const heads = streams.map((stream) => stream.next().value);
  for (;;) {
    let term: string | undefined;
    for (const head of heads) if (head !== undefined && (term === undefined || head.term < term)) term = head.term;
    if (term === undefined) return;
    const lists: Postings[] = [];
    heads.forEach((head, source) => {
      if (head?.term !== term) return;
      const list = renumber(head, moved[source]!);
      if (list.ordinals.length > 0) lists.push(list);
      heads[source] = streams[source]!.next().value;
    });
    if (lists.length > 0) yield { term, ...lists.reduce(joinPostings) };
  }
}

/** New ordinals in the place of the old, without what is gone. They ascend, also where a document moved or an earlier version had another order. */
function renumber(list: Postings, moved: Uint32Array): Postings {
  const { ordinals, counts, names } = list;
  const newOrdinals = new Uint32Array(ordinals.length);
  const newCounts = new Uint32Array(ordinals.length);
  const newNames = names && new Uint32Array(ordinals.length);
  let length = 0;
  // Those whose names had the term may all be gone.
  let named = false;
  let last = -1;
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = moved[ordinals[i]!]!;
    if (ordinal === gone) continue;
    if (ordinal < last) return renumber(inOrderOf(list, moved), moved);
    last = ordinal;
    newOrdinals[length] = ordinal;
    if (newNames !== undefined) {
      newNames[length] = names![i]!;
      named ||= names![i]! > 0;
    }
    newCounts[length++] = counts[i]!;
  }
  return {
    ordinals: newOrdinals.subarray(0, length),
    counts: newCounts.subarray(0, length),
    names: named ? newNames?.subarray(0, length) : undefined,
  };
}

function addVector(columns: Map<string, ColumnWriter>, ordinal: number, vector: StoredVector): void {
  const name = columnName(vector);
  let column = columns.get(name);
  if (column === undefined) {
    const { version, kind, dense } = vector;
    columns.set(name, (column = createColumnWriter(version, kind, dense.length, formOf(dense))));
  }
  column.add(ordinal, vector);
}

function assemble(
  members: readonly Pick<Member, "key" | "live">[],
  { lengths, languages, terms }: LexicalParts,
  columns: ReadonlyMap<string, ColumnWriter>,
): BuiltSegment {
  const size = members.length;
  const live = Uint8Array.from(members, (member) => (member.live ? 1 : 0));
  const { blocks, index } = writePostings(terms);
  const finished = [...columns.values()].map((column, i) => column.finish(i));
  return {
    row: {
      size,
      keys: bytesOf(Float64Array.from(members, ({ key }) => key)),
      lengths: bytesOf(Uint32Array.from([...lengths.map(({ text }) => text), ...lengths.map(({ names }) => names)])),
      state: packState(live, new Uint8Array(size).fill(1), size),
      columns: JSON.stringify(finished.map(({ header }) => header)),
    },
    files: [
      { name: "terms", part: 0, data: index },
      { name: "languages", part: 0, data: encodeLanguages(languages) },
      ...blocks.map((data, part) => ({ name: "postings", part, data })),
      ...finished.flatMap(({ files }) => files),
    ],
  };
}

/** A list in the order that it will have. */
function inOrderOf({ ordinals, counts, names }: Postings, moved: Uint32Array): Postings {
  const order = ordinals.map((_, i) => i).sort((a, b) => moved[ordinals[a]!]! - moved[ordinals[b]!]!);
  return {
    ordinals: order.map((i) => ordinals[i]!),
    counts: order.map((i) => counts[i]!),
    names: names && order.map((i) => names[i]!),
  };
}

/** By uri, then start, then id. **Cost** one read of all places, and a sort. */
function inPlace<Item extends { readonly id: string }>(
  items: readonly Item[],
  read: (items: readonly Item[]) => readonly StoredPlace[],
): readonly Item[] {
  const places = read(items);
  const ranks = new Map([...new Set(places.map(({ uri }) => uri))].sort(compareCodePoints).map((uri, i) => [uri, i]));
  const rankOf = places.map(({ uri }) => ranks.get(uri)!);
  const order = items.map((_, i) => i);
  order.sort(
    (a, b) =>
      rankOf[a]! - rankOf[b]! || places[a]!.start - places[b]!.start || compareCodePoints(items[a]!.id, items[b]!.id),
  );
  return order.map((i) => items[i]!);
}
