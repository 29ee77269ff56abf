import type { IbidError } from "../../contracts/errors.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { createByteReader, decodeText, encodeText, torn } from "./bytes.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import type { TermPostings } from "./postings-file.ts";

/** Inverts chunks that come in order of their ordinals. */
export interface TermCollector {
  /** Takes the terms of a chunk, as `encodeTerms` wrote them. */
  add(ordinal: number, encoded: Uint8Array): { readonly language: string; readonly lengths: FieldLengths };
  /** The terms in the order of a segment, each with its postings. */
  inOrder(): Generator<TermPostings>;
}

/**
 * Terms become numbers at once, by their bytes: a text is made of each term once, and not of each of its postings. All postings lie in one array, ordered by
 * counting; a list of objects per term would cost more than all the rest.
 */
export function createTermCollector(): TermCollector {
  const numbers = createTermNumbers();
  const perTerm: number[] = [];
  /** Number of the term, ordinal, count in the text and in the names, of one posting after the other. */
  let postings = new Uint32Array(4 * 4096);
  let length = 0;

  function reserve(more: number): void {
    const end = length + 4 * more;
    if (end <= postings.length) return;
    const grown = new Uint32Array(Math.max(end, 2 * postings.length));
    grown.set(postings);
    postings = grown;
  }

  return {
    add(ordinal, encoded) {
      const reader = createByteReader(encoded);
      const language = reader.text();
      const size = reader.varint();
      reserve(size);
      let [text, names] = [0, 0];
      for (let at = length, left = size; left > 0; left--, at += 4) {
        const count = reader.varint();
        const named = (count & 1) === 1 ? reader.varint() : 0;
        postings[at + 1] = ordinal;
        postings[at + 2] = count >>> 1;
        postings[at + 3] = named;
        text += count >>> 1;
        names += named;
      }
      numbers.each(encoded, reader.position, size, (number) => {
        postings[length] = number;
        length += 4;
        perTerm[number] = (perTerm[number] ?? 0) + 1;
      });
      return { language, lengths: { text, names } };
    },
    *inOrder() {
      const starts = new Uint32Array(perTerm.length + 1);
      for (let term = 0; term < perTerm.length; term++) starts[term + 1] = starts[term]! + perTerm[term]!;
      const next = starts.slice();
      const ordinals = new Uint32Array(length / 4);
      const counts = new Uint32Array(length / 4);
      const names = new Uint32Array(length / 4);
      const named = new Uint8Array(perTerm.length);
      for (let i = 0; i < length; i += 4) {
        const number = postings[i]!;
        const at = next[number]!++;
        ordinals[at] = postings[i + 1]!;
        counts[at] = postings[i + 2]!;
        names[at] = postings[i + 3]!;
        if (postings[i + 3]! > 0) named[number] = 1;
      }
      const texts = numbers.texts();
      const byText = new Map(texts.map((term, number) => [term, number]));
      for (const term of texts.sort()) {
        const number = byText.get(term)!;
        const [from, to] = [starts[number]!, starts[number + 1]!];
        yield {
          term,
          ordinals: ordinals.subarray(from, to),
          counts: counts.subarray(from, to),
          names: named[number] === 1 ? names.subarray(from, to) : undefined,
        };
      }
    },
  };
}

const [quote, backslash, comma, closing] = [0x22, 0x5c, 0x2c, 0x5d];

/** Numbers of terms in the order in which they were first seen, in a table with open addresses. */
function createTermNumbers(): {
  /** Gives the number of each term of a JSON list that begins at `from`. **Errors** `store-corrupt` for anything else. */
  each(bytes: Uint8Array, from: number, size: number, found: (number: number) => void): void;
  texts(): string[];
} {
  let slots = new Int32Array(1 << 14).fill(-1);
  let arena = new Uint8Array(1 << 16);
  const starts: number[] = [0];
  const hashes: number[] = [];

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

  /** @param hash FNV-1a of the bytes. */
  function numberOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
    let slot = place(hash);
    for (let number; (number = slots[slot]!) !== -1; slot = (slot + 1) & (slots.length - 1))
      if (hashes[number] === hash && isAt(number, bytes, from, to)) return number;
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
  function eachParsed(bytes: Uint8Array, from: number, size: number, found: (number: number) => void): void {
    const terms = (parseStored(decodeText(bytes.subarray(from))) as readonly string[]).slice(0, size);
    for (const term of terms) {
      const own = encodeText(term);
      found(numberOf(own.reduce(mix, basis), own, 0, own.length));
    }
  }

  return {
    each(bytes, from, size, found) {
      // Escapes are rare: the list is looked through for them first, so that no term is counted twice.
      if (bytes.indexOf(backslash, from) !== -1) return eachParsed(bytes, from, size, found);
      let at = from + 1;
      for (let left = size; left > 0; left--) {
        if (bytes[at] !== quote) throw notAList(bytes, from);
        const start = ++at;
        let hash = basis;
        for (let byte; (byte = bytes[at]) !== quote; at++) {
          if (byte === undefined) throw notAList(bytes, from);
          hash = mix(hash, byte);
        }
        found(numberOf(hash, bytes, start, at));
        if (bytes[++at] !== (left > 1 ? comma : closing)) throw notAList(bytes, from);
        at++;
      }
    },
    texts: () => hashes.map((_, number) => decodeText(arena.subarray(starts[number], starts[number + 1]))),
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
