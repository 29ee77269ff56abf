import { IbidError } from "../../contracts/errors.ts";
import { unicodeVersion } from "../../text/patterns/unicode-version.ts";
import { createByteReader, createByteWriter, decodeText, encodeText } from "../segments/bytes.ts";
import type { TrigramQuery } from "./trigram-query.ts";
import { collectTrigrams, trigramKinds } from "./trigrams.ts";
import type { ColumnFile } from "../vectors/vector-column.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** Name of the file in which a segment has its trigrams. Part 0 is the index, the others are blocks of lists. */
export const trigramFile = "trigrams";

/** Trigrams of the chunks of a segment. */
export interface TrigramIndex {
  /** One bit per ordinal, set where a chunk has what the query asks for; `undefined` when it asks for nothing. */
  find(query: TrigramQuery): Uint8Array | undefined;
  /** Sets the bits of the chunks that have a trigram. */
  mark(trigram: number, bits: Uint8Array): void;
}

/** Facts about the index. With other tables of letters, characters are folded in another way. */
interface Header {
  readonly version: 1;
  readonly unicode: number;
  /** The first trigram of each block. */
  readonly firsts: readonly number[];
}

/** A look-up reads one block. */
const blockBytes = 16_384;
/** Divisor for "few" chunks. A list is a read of some 16 KB, a chunk's text about as much. */
const fewOf = 1024;

/** Collects the trigrams of a segment's chunks, in any order of ordinals. */
export interface TrigramCollector {
  add(ordinal: number, text: string): void;
  finish(): readonly ColumnFile[];
}

/** **Cost** 512 bytes per chunk while collecting. */
export function createTrigramCollector(size: number): TrigramCollector {
  // A byte for each trigram and eight ordinals; those of one chunk lie together, since they are written together.
  const bits = new Uint8Array(((size + 7) >> 3) * trigramKinds);
  let found = new Uint16Array(4096);
  return {
    add(ordinal, text) {
      if (found.length < text.length * 2) found = new Uint16Array(text.length * 3);
      const count = collectTrigrams(text, found);
      const base = (ordinal >> 3) * trigramKinds;
      const bit = 1 << (ordinal & 7);
      for (let i = 0; i < count; i++) bits[base + found[i]!]! |= bit;
    },
    finish: () =>
      writeTrigrams(size, (trigram, into) => {
        for (let i = 0, at = trigram; i < into.length; i++, at += trigramKinds) into[i] = bits[at]!;
      }),
  };
}

/**
 * Makes one index of several, for the segment that they become.
 *
 * **Shape** `moved[i][o]` is the new ordinal of what was `o` in the `i`-th; `size` or more for what is gone.
 */
export function mergeTrigrams(
  indexes: readonly TrigramIndex[],
  moved: readonly Uint32Array[],
  size: number,
): readonly ColumnFile[] {
  const scratch = moved.map((ordinals) => new Uint8Array((ordinals.length + 7) >> 3));
  return writeTrigrams(size, (trigram, into) => {
    indexes.forEach((index, source) => {
      const bits = scratch[source]!.fill(0);
      index.mark(trigram, bits);
      forEachBit(bits, (ordinal) => {
        const place = moved[source]![ordinal]!;
        if (place < size) into[place >> 3]! |= 1 << (place & 7);
      });
    });
  });
}

/**
 * Writes, for each trigram in turn, the list of chunks that have it.
 *
 * **Shape** a list is its length in bytes (0 when it is empty), a byte `k`, and a Rice code for each chunk. The code
 * counts the chunks skipped before it. It has the number over `2^k` as so many zeros and a one, then its `k` lowest
 * bits. Bits fill bytes from the lowest. With `k` 0 that is a bit set.
 * **Source** Golomb, Run-length encodings (1966), with Rice's powers of two. Lists of frequent trigrams take about a bit per chunk.
 */
function writeTrigrams(size: number, fill: (trigram: number, into: Uint8Array) => void): readonly ColumnFile[] {
  const blocks: Uint8Array[] = [];
  const firsts: number[] = [];
  const block = createByteWriter(blockBytes * 2);
  const bits = new Uint8Array((size + 7) >> 3);
  for (let trigram = 0; trigram < trigramKinds; trigram++) {
    if (block.length >= blockBytes) blocks.push(block.take());
    if (block.length === 0) firsts.push(trigram);
    bits.fill(0);
    fill(trigram, bits);
    const list = encodeList(bits, size);
    block.varint(list.length);
    block.bytes(list);
  }
  blocks.push(block.take());
  const header: Header = { version: 1, unicode: unicodeVersion(), firsts };
  return [encodeText(JSON.stringify(header)), ...blocks].map((data, part) => ({ name: trigramFile, part, data }));
}

function encodeList(bits: Uint8Array, size: number): Uint8Array {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += bitCount[bits[i]!]!;
  if (count === 0) return new Uint8Array(0);
  let k = 0;
  // The best power of two is the one next to 0.69 of the mean step.
  while ((2 << k) * count * 16 <= size * 11) k++;
  if (k === 0) {
    const list = new Uint8Array(bits.length + 1);
    list.set(bits, 1);
    return list;
  }
  const list = new Uint8Array(2 + ((count * (k + 1) + (size >> k)) >> 3));
  list[0] = k;
  let at = 8;
  let last = -1;
  forEachBit(bits, (ordinal) => {
    const skipped = ordinal - last - 1;
    last = ordinal;
    at += skipped >> k;
    list[at >> 3]! |= 1 << (at & 7);
    at++;
    for (let left = k, rest = skipped; left > 0;) {
      const room = Math.min(8 - (at & 7), left);
      list[at >> 3]! |= (rest & ((1 << room) - 1)) << (at & 7);
      rest >>= room;
      left -= room;
      at += room;
    }
  });
  return list.subarray(0, (at + 7) >> 3);
}

function decodeList(list: Uint8Array, into: Uint8Array): void {
  const k = list[0]!;
  if (k === 0) {
    for (let i = 1; i < list.length; i++) into[i - 1]! |= list[i]!;
    return;
  }
  const end = list.length * 8;
  let ordinal = -1;
  for (let at = 8; ;) {
    let skipped = 0;
    let byte = list[at >> 3]! >> (at & 7);
    while (byte === 0) {
      const step = 8 - (at & 7);
      skipped += step;
      at += step;
      if (at >= end) return;
      byte = list[at >> 3]!;
    }
    const zeros = 31 - Math.clz32(byte & -byte);
    at += zeros + 1;
    skipped = (skipped + zeros) << k;
    for (let got = 0; got < k;) {
      const room = Math.min(8 - (at & 7), k - got);
      skipped |= ((list[at >> 3]! >> (at & 7)) & ((1 << room) - 1)) << got;
      got += room;
      at += room;
    }
    ordinal += skipped + 1;
    into[ordinal >> 3]! |= 1 << (ordinal & 7);
    if (at >= end) return;
  }
}

const bitCount = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** Calls with the place of each bit that is set, ascending. */
export function forEachBit(bits: Uint8Array, call: (place: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let byte = bits[i]!; byte !== 0; byte &= byte - 1) call((i << 3) + 31 - Math.clz32(byte & -byte));
  }
}

/**
 * Opens what {@link createTrigramCollector} or {@link mergeTrigrams} made for a segment of `size` ordinals.
 *
 * **Shape** `undefined` when there is no such file, or it was made with other tables of letters than this runtime's: then it cannot be relied on.
 */
export function openTrigrams(size: number, read: (part: number) => Uint8Array | undefined): TrigramIndex | undefined {
  const first = read(0);
  if (first === undefined) return undefined;
  const { version, unicode, firsts } = parseStored(decodeText(first)) as Header;
  if (version !== 1 || unicode !== unicodeVersion()) return undefined;
  const readPart = (part: number): Uint8Array => {
    const data = read(part);
    if (data !== undefined) return data;
    throw new IbidError("store-corrupt", `A part of the index is missing: ${trigramFile}, part ${part}.`, {
      hint: "Restore the file from a backup, or ingest the documents again into a new one.",
    });
  };
  const length = (size + 7) >> 3;

  // The lists of the block that was read last, and where each begins in it: a merge asks for one after the other.
  let held = -1;
  let lists: Uint8Array = new Uint8Array(0);
  let starts: number[] = [];

  function mark(trigram: number, bits: Uint8Array): void {
    let block = firsts.length - 1;
    while (firsts[block]! > trigram) block--;
    if (block !== held) {
      lists = readPart(block + 1);
      starts = [];
      for (const reader = createByteReader(lists); !reader.done; reader.skip(reader.varint())) {
        starts.push(reader.position);
      }
      held = block;
    }
    const reader = createByteReader(lists, starts[trigram - firsts[block]!]);
    const list = reader.bytes(reader.varint());
    if (list.length > 0) decodeList(list, bits);
  }

  function find(query: TrigramQuery): Uint8Array | undefined {
    switch (query.kind) {
      case "any":
        return undefined;
      case "none":
        return new Uint8Array(length);
      case "trigram": {
        const bits = new Uint8Array(length);
        mark(query.trigram, bits);
        return bits;
      }
      case "every":
        return findEvery(query.parts);
      case "some": {
        const bits = new Uint8Array(length);
        for (const part of query.parts) {
          const more = find(part)!;
          for (let i = 0; i < length; i++) bits[i]! |= more[i]!;
        }
        return bits;
      }
    }
  }

  /** Stops when so few are left that to look at their texts costs less than to read on. */
  function findEvery(parts: readonly TrigramQuery[]): Uint8Array {
    const bits = new Uint8Array(length).fill(0xff);
    for (const part of parts) {
      const more = find(part)!;
      let left = 0;
      for (let i = 0; i < length; i++) left += bitCount[(bits[i]! &= more[i]!)]!;
      if (left * fewOf <= size) break;
    }
    return bits;
  }

  return { find, mark };
}
