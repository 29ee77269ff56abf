import { type ByteWriter, createByteReader, createByteWriter, decodeText, encodeText } from "./bytes.ts";
import type { Postings } from "./segment.ts";

/** One term on its way into a segment. Terms ascend by UTF-16 code unit. */
export interface TermPostings extends Postings {
  readonly term: string;
}

export interface PostingsFile {
  readonly blocks: readonly Uint8Array[];
  /** First term of each block, as a JSON list. */
  readonly index: Uint8Array;
}

/** A look-up reads one block; smaller blocks make longer indexes. */
const blockBytes = 16_384;

/**
 * Writes postings as blocks of terms, each term beside its list, so that a segment costs a few rows rather than one per term.
 *
 * **Shape** per term: the term, the list's length in bytes, the list. A list: its number of entries; per entry the step from the last
 * ordinal, doubled, plus 1 when the count is 1; the count otherwise.
 * **Source** the block tree of Lucene's term dictionary, without the tree.
 */
export function writePostings(terms: Iterable<TermPostings>): PostingsFile {
  const blocks: Uint8Array[] = [];
  const firsts: string[] = [];
  const block = createByteWriter(blockBytes * 2);
  const list = createByteWriter(1024);
  for (const { term, ordinals, counts } of terms) {
    if (block.length >= blockBytes) blocks.push(block.take());
    if (block.length === 0) firsts.push(term);
    writeList(list, ordinals, counts);
    const bytes = list.take();
    block.text(term);
    block.varint(bytes.length);
    block.bytes(bytes);
  }
  if (block.length > 0) blocks.push(block.take());
  return { blocks, index: encodeText(JSON.stringify(firsts)) };
}

function writeList(list: ByteWriter, ordinals: Uint32Array, counts: Uint32Array): void {
  list.varint(ordinals.length);
  let last = 0;
  for (let i = 0; i < ordinals.length; i++) {
    const step = ordinals[i]! - last;
    last = ordinals[i]!;
    if (counts[i] === 1) {
      list.varint(step * 2 + 1);
    } else {
      list.varint(step * 2);
      list.varint(counts[i]!);
    }
  }
}

function readList(bytes: Uint8Array, start: number): Postings {
  const reader = createByteReader(bytes, start);
  const length = reader.varint();
  const ordinals = new Uint32Array(length);
  const counts = new Uint32Array(length);
  let last = 0;
  for (let i = 0; i < length; i++) {
    const step = reader.varint();
    last += Math.floor(step / 2);
    ordinals[i] = last;
    counts[i] = step % 2 === 1 ? 1 : reader.varint();
  }
  return { ordinals, counts };
}

export function readIndex(index: Uint8Array): readonly string[] {
  return JSON.parse(decodeText(index)) as string[];
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

function startsWith(bytes: Uint8Array, position: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[position + i] !== wanted[i]) return false;
  return true;
}

/** Every term of the blocks, in order; for merging. */
export function* readTerms(blocks: Iterable<Uint8Array>): Generator<TermPostings, undefined> {
  for (const block of blocks) {
    const reader = createByteReader(block);
    while (!reader.done) {
      const term = reader.text();
      const bytes = reader.varint();
      const { ordinals, counts } = readList(block, reader.position);
      reader.skip(bytes);
      yield { term, ordinals, counts };
    }
  }
  return undefined;
}
