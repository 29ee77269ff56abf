import type { IbidError } from "../../contracts/errors.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { createGrowingNumbers } from "../kernels/growing-numbers.ts";
import { decodeText, encodeInto, encodeText, torn } from "./bytes.ts";

const [quote, backslash, comma, closing] = [0x22, 0x5c, 0x2c, 0x5d];

/** Numbers of terms in the order in which they were first seen. */
export interface TermNumbers {
  /** The number of each term of a JSON list that begins at `from`. **Errors** `store-corrupt` for anything else. */
  of(bytes: Uint8Array, from: number, size: number): Uint32Array;
  /** The number of a term by its bytes; -1 where it has none. */
  find(this: void, bytes: Uint8Array, from: number, to: number): number;
  /** The same of a term as text. */
  findText(this: void, term: string): number;
  /** The number of a term by its bytes, which gets the next one where it has none. */
  number(this: void, bytes: Uint8Array, from: number, to: number): number;
  /** The same of a term as text. **Shape** lone surrogates are one character, as they are in files. */
  numberText(this: void, term: string): number;
  /** **Cost** made when first asked for, and then the same text each time. */
  text(number: number): string;
  /** The bytes of a term. **Shape** a view, which holds until another term gets a number. */
  slice(number: number): Uint8Array;
  /** How many terms have a number. */
  count(): number;
  /** Memory of the table. */
  readonly bytes: number;
}

/**
 * Terms with the same bytes have one number, by a table with open addresses. **Shape** with `remembers`, numbers of a list are kept for as long as its bytes
 * live.
 */
export function createTermNumbers({ remembers = true } = {}): TermNumbers {
  let slots = new Int32Array(1 << 14).fill(-1);
  let arena = new Uint8Array(1 << 16);
  /** Where each term begins in the arena, and where the last one ends. */
  const starts = createGrowingNumbers();
  starts.push(0);
  let count = 0;
  const made: string[] = [];
  const known = new WeakMap<Uint8Array, Uint32Array>();

  function place(hash: number): number {
    return (hash ^ (hash >>> 15)) & (slots.length - 1);
  }

  function grow(): void {
    slots = new Int32Array(2 * slots.length).fill(-1);
    for (let number = 0; number < count; number++) {
      let slot = place(hashOf(arena, starts.at(number), starts.at(number + 1)));
      while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = number;
    }
  }

  function isAt(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = starts.at(number);
    if (starts.at(number + 1) - start !== to - from) return false;
    for (let i = from, at = start; i < to; i++, at++) if (bytes[i] !== arena[at]) return false;
    return true;
  }

  /** Where the term's number is, or its place. */
  function findSlot(hash: number, bytes: Uint8Array, from: number, to: number): number {
    let slot = place(hash);
    for (let number; (number = slots[slot]!) !== -1; slot = (slot + 1) & (slots.length - 1))
      if (isAt(number, bytes, from, to)) break;
    return slot;
  }

  /** @param hash {@link hashOf} the bytes. */
  function numberOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const slot = findSlot(hash, bytes, from, to);
    if (slots[slot] !== -1) return slots[slot]!;
    const number = count++;
    const start = starts.at(number);
    const end = start + to - from;
    starts.push(end);
    if (end > arena.length) {
      const grown = new Uint8Array(Math.max(end, 2 * arena.length));
      grown.set(arena);
      arena = grown;
    }
    for (let i = from, at = start; i < to; i++, at++) arena[at] = bytes[i]!;
    slots[slot] = number;
    if (4 * count > 3 * slots.length) grow();
    return number;
  }

  const find = (bytes: Uint8Array, from: number, to: number): number =>
    slots[findSlot(hashOf(bytes, from, to), bytes, from, to)]!;
  const number = (bytes: Uint8Array, from: number, to: number): number =>
    numberOf(hashOf(bytes, from, to), bytes, from, to);
  const slice = (term: number): Uint8Array => arena.subarray(starts.at(term), starts.at(term + 1));

  /** The same for a list in which a term has escapes, or that is none. */
  function readParsed(bytes: Uint8Array, from: number, size: number): Uint32Array {
    const terms = (parseStored(decodeText(bytes.subarray(from))) as readonly string[]).slice(0, size);
    return Uint32Array.from(terms, (term) => {
      const own = encodeText(term);
      return number(own, 0, own.length);
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
    text: (term) => (made[term] ??= decodeText(slice(term))),
    slice,
    count: () => count,
    find,
    findText(term) {
      const length = spell(term);
      return find(spelled, 0, length);
    },
    number,
    numberText(term) {
      const length = spell(term);
      return number(spelled, 0, length);
    },
    get bytes() {
      return slots.byteLength + arena.byteLength + 4 * starts.length;
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

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = basis;
  for (let i = from; i < to; i++) hash = mix(hash, bytes[i]!);
  return hash;
}

/** The bytes of the term that was spelled last. */
let spelled = new Uint8Array(256);

/** Spells a term in UTF-8. **Shape** its length in bytes. **Cost** a plain term takes a third of what the platform's encoder does. */
function spell(term: string): number {
  const { length } = term;
  if (3 * length > spelled.length) spelled = new Uint8Array(6 * length);
  for (let i = 0; i < length; i++) {
    const unit = term.charCodeAt(i);
    if (unit > 0x7f) return encodeInto(term, spelled);
    spelled[i] = unit;
  }
  return length;
}
