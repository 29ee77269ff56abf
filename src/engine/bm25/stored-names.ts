import { createByteReader, createByteWriter, decodeText, type RowNumbers, torn } from "../segments/bytes.ts";
import type { AnalysedNames, NameTerms, StoredNames, StoredTerms } from "./name-lists.ts";

/**
 * Name of the file in which a segment keeps the names of its documents. Its part is the number of documents that had got other names by then; see `renamesSetting`. Another
 * way of making words of paths needs another name here.
 */
export const namesFile = "names";

/** A number whose sign is its lowest bit. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/**
 * Keeps the documents of a segment's chunks, and the names of these documents as terms.
 *
 * **Shape** runs of chunks of one document; then the languages, the terms and the entries. **Cost** about 20 bytes a document.
 */
export function encodeNames(documents: RowNumbers, { entries, vocabulary, title, file }: AnalysedNames): Uint8Array {
  const writer = createByteWriter(1024);
  let last = 0;
  for (let at = 0, to = 0; at < documents.length; at = to) {
    while (to < documents.length && documents[to] === documents[at]) to++;
    writer.varint(to - at);
    writer.varint(zigzag(documents[at]! - last));
    last = documents[at]!;
  }
  const languages = new Map([...new Set(entries.languageOf)].map((language, place) => [language, place]));
  writer.varint(languages.size);
  for (const language of languages.keys()) writer.text(language);
  writer.varint(vocabulary.count());
  for (let term = 0; term < vocabulary.count(); term++) {
    const bytes = vocabulary.slice(term);
    writer.varint(bytes.length);
    writer.bytes(bytes);
  }
  writer.varint(entries.documentOf.length);
  last = 0;
  for (const [entry, document] of entries.documentOf.entries()) {
    const row = entries.rows[document]!;
    writer.varint(zigzag(row - last));
    writer.varint(languages.get(entries.languageOf[entry]!)!);
    last = row;
    for (const { lengths, starts, terms, counts } of [title, file]) {
      const [from, to] = [starts[entry]!, starts[entry + 1]!];
      writer.varint(lengths[entry]!);
      writer.varint(to - from);
      for (let at = from; at < to; at++) writer.varint(terms[at]!);
      // Mostly every term stands there once.
      if (lengths[entry]! > to - from) for (let at = from; at < to; at++) writer.varint(counts[at]!);
    }
  }
  return writer.take();
}

/** Row of each chunk's document, by ordinal. */
export function readStoredDocuments(bytes: Uint8Array, size: number): Float64Array {
  const documents = new Float64Array(size);
  skipDocuments(bytes, size, (from, to, document) => documents.fill(document, from, to));
  return documents;
}

function skipDocuments(
  bytes: Uint8Array,
  size: number,
  each: (from: number, to: number, document: number) => void,
): ReturnType<typeof createByteReader> {
  const reader = createByteReader(bytes);
  for (let at = 0, document = 0; at < size;) {
    const run = reader.varint();
    document += unzigzag(reader.varint());
    if (!(run > 0 && at + run <= size)) throw torn();
    each(at, at + run, document);
    at += run;
  }
  return reader;
}

/** The names of a segment of so many chunks. **Errors** `store-corrupt` for bytes that {@link encodeNames} did not write. */
export function readStoredNames(bytes: Uint8Array, size: number): StoredNames {
  const reader = skipDocuments(bytes, size, () => {});
  const languages = Array.from({ length: reader.count() }, () => reader.text());
  const terms = readTerms(bytes, reader);
  const count = reader.count();
  const places = new Map<number, number>();
  const documentOf = new Uint32Array(count);
  const languageOf: string[] = [];
  const lists = [createTermReader(count), createTermReader(count)] as const;
  let row = 0;
  for (let entry = 0; entry < count; entry++) {
    row += unzigzag(reader.varint());
    let document = places.get(row);
    if (document === undefined) places.set(row, (document = places.size));
    documentOf[entry] = document;
    languageOf.push(languages[reader.varint()] ?? "");
    for (const list of lists) list.add(reader, terms.starts.length);
  }
  const [title, file] = [lists[0].build(), lists[1].build()];
  return { entries: { documentOf, languageOf, rows: [...places.keys()] }, terms, title, file };
}

function readTerms(bytes: Uint8Array, reader: ReturnType<typeof createByteReader>): StoredTerms {
  const size = reader.count();
  const [starts, ends] = [new Uint32Array(size), new Uint32Array(size)];
  for (let term = 0; term < size; term++) {
    const length = reader.count();
    starts[term] = reader.position;
    reader.skip(length);
    ends[term] = reader.position;
  }
  return { bytes, starts, ends };
}

/** Whether each entry of some names has the same terms among others, which may have more entries. */
export function isNamedAs(names: StoredNames, others: StoredNames): boolean {
  const termsOf = ({ terms, title, file }: StoredNames, entry: number): string =>
    JSON.stringify(
      [title, file].map((list) => {
        const counts = list.counts.subarray(list.starts[entry], list.starts[entry + 1]);
        return [
          list.lengths[entry],
          Array.from(counts, (count, at) => [textOf(terms, list.terms[list.starts[entry]! + at]!), count]),
        ];
      }),
    );
  const textOf = ({ bytes, starts, ends }: StoredTerms, term: number): string =>
    decodeText(bytes.subarray(starts[term], ends[term]));
  const keyOf = ({ entries: { rows, documentOf, languageOf } }: StoredNames, entry: number): string =>
    `${rows[documentOf[entry]!]} ${languageOf[entry]}`;
  const known = new Map(others.entries.languageOf.map((_, entry) => [keyOf(others, entry), termsOf(others, entry)]));
  return names.entries.languageOf.every((_, entry) => known.get(keyOf(names, entry)) === termsOf(names, entry));
}

function createTermReader(entries: number) {
  const lengths = new Uint32Array(entries);
  const starts = new Uint32Array(entries + 1);
  const terms: number[] = [];
  const counts: number[] = [];
  let entry = 0;
  return {
    add({ varint, count }: Pick<ReturnType<typeof createByteReader>, "varint" | "count">, known: number): void {
      const length = (lengths[entry++] = varint());
      const distinct = count();
      for (let i = 0; i < distinct; i++) {
        const term = varint();
        if (term >= known) throw torn();
        terms.push(term);
      }
      for (let i = 0; i < distinct; i++) counts.push(length > distinct ? varint() : 1);
      starts[entry] = terms.length;
    },
    build: (): NameTerms => ({ lengths, starts, terms: Uint32Array.from(terms), counts: Uint32Array.from(counts) }),
  };
}
