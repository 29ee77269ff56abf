import type { IbidError } from "../../contracts/errors.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { decodeText, encodeText, torn } from "./bytes.ts";

const [quote, backslash, comma, closing] = [0x22, 0x5c, 0x2c, 0x5d];

/** Numbers of terms in the order in which they were first seen. */
export interface TermNumbers {
  /** The number of each term of a JSON list that begins at `from`. **Errors** `store-corrupt` for anything else. */
  of(bytes: Uint8Array, from: number, size: number): Uint32Array;
  /** The number of a term by its bytes; -1 where it has none. */
  find(this: void, bytes: Uint8Array, from: number, to: number): number;
  /** **Cost** made when first asked for, and then the same text each time. */
  text(number: number): string;
  /** How many terms have a number. */
  count(): number;
}

/**
 * Terms with the same bytes have one number, by a table with open addresses. **Shape** with `remembers`, numbers of a list are kept for as long as its bytes
 * live.
 */
export function createTermNumbers({ remembers = true } = {}): TermNumbers {
  let slots = new Int32Array(1 << 14).fill(-1);
  let arena = new Uint8Array(1 << 16);
  const starts: number[] = [0];
  const hashes: number[] = [];
  const made: string[] = [];
  const known = new WeakMap<Uint8Array, Uint32Array>();

  function place(hash: number): number {
    return (hash ^ (hash >>> 15)) & (slots.length - 1);
  }

  function grow(): void {
    slots = new Int32Array(2 * slots.length).fill(-1);
    hashes.forEach((hash, number) => {
      let slot = place(hash);
      while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = number;
    });
  }

  function isAt(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = starts[number]!;
    if (starts[number + 1]! - start !== to - from) return false;
    for (let i = from, at = start; i < to; i++, at++) if (bytes[i] !== arena[at]) return false;
    return true;
  }

  /** Where the term's number is, or its place. */
  function findSlot(hash: number, bytes: Uint8Array, from: number, to: number): number {
    let slot = place(hash);
    for (let number; (number = slots[slot]!) !== -1; slot = (slot + 1) & (slots.length - 1))
      if (hashes[number] === hash && isAt(number, bytes, from, to)) break;
    return slot;
  }

  /** @param hash FNV-1a of the bytes. */
  function numberOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const slot = findSlot(hash, bytes, from, to);
    if (slots[slot] !== -1) return slots[slot]!;
    const number = hashes.push(hash) - 1;
    const [start, end] = [starts[number]!, starts[number]! + to - from];
    starts.push(end);
    if (end > arena.length) {
      const grown = new Uint8Array(Math.max(end, 2 * arena.length));
      grown.set(arena);
      arena = grown;
    }
    arena.set(bytes.subarray(from, to), start);
    slots[slot] = number;
    if (2 * hashes.length > slots.length) grow();
    return number;
  }

  /** The same for a list in which a term has escapes, or that is none. */
  function readParsed(bytes: Uint8Array, from: number, size: number): Uint32Array {
    const terms = (parseStored(decodeText(bytes.subarray(from))) as readonly string[]).slice(0, size);
    return Uint32Array.from(terms, (term) => {
      const own = encodeText(term);
      return numberOf(own.reduce(mix, basis), own, 0, own.length);
    });
  }

  function read(bytes: Uint8Array, from: number, size: number): Uint32Array {
    // Escapes are rare: the list is looked through for them first, so that no term is counted twice.
    if (bytes.indexOf(backslash, from) !== -1) return readParsed(bytes, from, size);
    const found = new Uint32Array(size);
    let at = from + 1;
    for (let i = 0; i < size; i++) {
      if (bytes[at] !== quote) throw notAList(bytes, from);
      const start = ++at;
      let hash = basis;
      for (let byte; (byte = bytes[at]) !== quote; at++) {
        if (byte === undefined) throw notAList(bytes, from);
        hash = mix(hash, byte);
      }
      found[i] = numberOf(hash, bytes, start, at);
      if (bytes[++at] !== (i < size - 1 ? comma : closing)) throw notAList(bytes, from);
      at++;
    }
    return found;
  }

  return {
    text: (number) => (made[number] ??= decodeText(arena.subarray(starts[number], starts[number + 1]))),
    count: () => hashes.length,
    find(bytes, from, to) {
      let hash = basis;
      for (let i = from; i < to; i++) hash = mix(hash, bytes[i]!);
      return slots[findSlot(hash, bytes, from, to)]!;
    },
    of(bytes, from, size) {
      if (!remembers) return read(bytes, from, size);
      let numbers = known.get(bytes);
      if (numbers === undefined) known.set(bytes, (numbers = read(bytes, from, size)));
      return numbers;
    },
  };
}

/** An error for bytes that are no list of so many terms. */
function notAList(bytes: Uint8Array, from: number): IbidError {
  parseStored(decodeText(bytes.subarray(from)));
  return torn();
}

/** **Source** FNV-1a, 32 bits. */
const basis = 0x811c_9dc5 | 0;
const mix = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x0100_0193);
