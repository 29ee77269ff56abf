import { createByteReader, createByteWriter, decodeText, encodeText } from "./bytes.ts";
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
  for (const { term, ordinals, counts } of terms) {
    if (block.length >= blockBytes) blocks.push(block.take());
    if (block.length === 0) firsts.push(term);
    const bytes = encodeList({ ordinals, counts });
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
function encodeList({ ordinals, counts }: Postings): Uint8Array {
  const most = 5 + ordinals.length * 10;
  if (scratch.length < most) scratch = new Uint8Array(most * 2);
  const bytes = scratch;
  let at = writeVarint(bytes, 0, ordinals.length);
  let last = 0;
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!;
    const count = counts[i]!;
    const step = (ordinal - last) << 1;
    last = ordinal;
    at = writeVarint(bytes, at, count === 1 ? step | 1 : step);
    if (count !== 1) at = writeVarint(bytes, at, count);
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
    }
  };
  const length = varint();
  const ordinals = new Uint32Array(length);
  const counts = new Uint32Array(length);
  let last = 0;
  for (let i = 0; i < length; i++) {
    const step = varint();
    last += step >>> 1;
    ordinals[i] = last;
    counts[i] = (step & 1) === 1 ? 1 : varint();
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
