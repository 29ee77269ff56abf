import { createByteReader, createByteWriter, decodeText, encodeText, startsWith, torn } from "./bytes.ts";
import type { Postings } from "./segment.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** One term on its way into a segment. Terms ascend by UTF-16 code unit. */
export interface TermPostings extends Postings {
  readonly term: string;
}

export interface PostingsFile {
  readonly blocks: readonly Uint8Array[];
  /** First term of each block, as a JSON list. */
  readonly index: Uint8Array;
}

/** A look-up reads one block; smaller blocks make longer indexes. A kilobyte beyond two pages of SQLite fills both, and the rest shares a third with others. */
const defaultBlockBytes = 17_408;

/**
 * Writes postings as blocks of terms, each term beside its list: a segment costs a few rows rather than one per term.
 *
 * **Shape** per term: the term, the list's length in bytes, the list. A list begins with its number of entries,
 * doubled, plus 1 when names have the term. An entry begins with the step from the last ordinal, doubled, plus 1 when
 * the text has the term once and the names do not. Without that 1 the text's count follows and, where names have the
 * term at all, theirs.
 * **Source** the block tree of Lucene's term dictionary, without the tree.
 */
export function writePostings(terms: Iterable<TermPostings>, blockBytes = defaultBlockBytes): PostingsFile {
  const blocks: Uint8Array[] = [];
  const firsts: string[] = [];
  const block = createByteWriter(blockBytes * 2);
  for (const { term, ...list } of terms) {
    if (block.length >= blockBytes) blocks.push(block.take());
    if (block.length === 0) firsts.push(term);
    const bytes = encodeList(list);
    block.text(term);
    block.varint(bytes.length);
    block.bytes(bytes);
  }
  if (block.length > 0) blocks.push(block.take());
  return { blocks, index: encodeText(JSON.stringify(firsts)) };
}

/** Room for lists on their way into a block; one is copied out before the next is written. */
let scratch = new Uint8Array(1024);

/** Written out by hand: most of the time that a segment costs is spent here. Ordinals are below 2^30, so that 32 bits hold a step and its flag. */
function encodeList({ ordinals, counts, names }: Postings): Uint8Array {
  const most = 5 + ordinals.length * 15;
  if (scratch.length < most) scratch = new Uint8Array(most * 2);
  const bytes = scratch;
  let at = writeVarint(bytes, 0, ordinals.length * 2 + (names === undefined ? 0 : 1));
  let last = 0;
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!;
    const count = counts[i]!;
    const named = names === undefined ? 0 : names[i]!;
    const step = (ordinal - last) << 1;
    last = ordinal;
    if (count === 1 && named === 0) {
      at = writeVarint(bytes, at, step | 1);
      continue;
    }
    at = writeVarint(bytes, writeVarint(bytes, at, step), count);
    if (names !== undefined) at = writeVarint(bytes, at, named);
  }
  return bytes.subarray(0, at);
}

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

function readList(bytes: Uint8Array, start: number): Postings {
  let at = start;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      if (at >= bytes.length) throw torn();
    }
  };
  const head = varint();
  const length = head >>> 1;
  const ordinals = new Uint32Array(length);
  const counts = new Uint32Array(length);
  const names = (head & 1) === 1 ? new Uint32Array(length) : undefined;
  let last = 0;
  for (let i = 0; i < length; i++) {
    const step = varint();
    last += step >>> 1;
    ordinals[i] = last;
    if ((step & 1) === 1) {
      counts[i] = 1;
      continue;
    }
    counts[i] = varint();
    if (names !== undefined) names[i] = varint();
  }
  return { ordinals, counts, names };
}

export function readIndex(index: Uint8Array): readonly string[] {
  return parseStored(decodeText(index)) as string[];
}

/** The block that holds `term` if any does; -1 when it comes before them all. */
export function findBlock(firsts: readonly string[], term: string): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firsts[middle]! <= term) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** **Cost** one pass over the block without making a string. */
export function findPostings(block: Uint8Array, term: string): Postings | undefined {
  const wanted = encodeText(term);
  const reader = createByteReader(block);
  while (!reader.done) {
    const length = reader.varint();
    const found = length === wanted.length && startsWith(block, reader.position, wanted);
    reader.skip(length);
    const bytes = reader.varint();
    if (found) return readList(block, reader.position);
    reader.skip(bytes);
  }
  return undefined;
}

/** The terms of a block that begin with `prefix`, in order. **Shape** `undefined` at the end when a later block may have more. */
export function* termsOf(block: Uint8Array, prefix: string): Generator<string, "done" | undefined> {
  const reader = createByteReader(block);
  while (!reader.done) {
    const term = reader.text();
    reader.skip(reader.varint());
    if (term.startsWith(prefix)) yield term;
    else if (term > prefix) return "done";
  }
  return undefined;
}

/** Every term of the blocks, in order; for merging. */
export function* readTerms(blocks: Iterable<Uint8Array>): Generator<TermPostings, undefined> {
  for (const block of blocks) {
    const reader = createByteReader(block);
    while (!reader.done) {
      const term = reader.text();
      const bytes = reader.varint();
      const list = readList(block, reader.position);
      reader.skip(bytes);
      yield { term, ...list };
    }
  }
  return undefined;
}
