import { maxTermLength } from "./languages/fold-word.ts";
import type { WordList } from "./words.ts";

/** Words of a language that are worth keeping. A keeper that has more forgets them all. */
export const mostWordsKept = 20_000;
const fewestSlots = 1024;

/**
 * A map from words to values, which looks a word up in the text without making a string of it: most words have occurred before.
 *
 * **Shape** words of up to 64 code units; longer ones are not stored. **Cost** a comparison of the word's code units.
 * **Source** open addressing with linear probing: Knuth, The Art of Computer Programming 3, 6.4.
 */
export class WordMap<Value> {
  #values: Value[] = [];
  /**
   * An entry has its hash, the place of its word in `#units`, its length, and its place in `#values`. A length of 0 is
   * an empty slot. An entry lies in one line of the processor's cache.
   */
  #slots = new Int32Array(4 * fewestSlots);
  #units = new Uint16Array(8 * fewestSlots);
  #used = 0;

  get size(): number {
    return this.#values.length;
  }

  /** Value of the word at `i`. */
  get(words: WordList, i: number): Value | undefined {
    return this.#values[this.find(words, i)];
  }

  /** Number of the word at `i`, in the order in which words were stored; -1 for a word of which nothing is kept. */
  find(words: WordList, i: number): number {
    const hash = words.hashes[i]!;
    const start = words.starts[i]!;
    const length = words.ends[i]! - start;
    const slots = this.#slots;
    for (let slot = hash << 2; ; slot += 4) {
      slot &= slots.length - 1;
      if (slots[slot + 2] === 0) return -1;
      if (slots[slot] !== hash || slots[slot + 2] !== length) continue;
      if (this.#is(slots[slot + 1]!, words.units, start, length)) return slots[slot + 3]!;
    }
  }

  /** Value of the word with this number. */
  value(number: number): Value {
    return this.#values[number]!;
  }

  /** For a word of which nothing is kept. */
  set(words: WordList, i: number, value: Value): void {
    const start = words.starts[i]!;
    const length = words.ends[i]! - start;
    if (length > maxTermLength) return;
    if (8 * (this.size + 1) > this.#slots.length) this.#grow();
    if (this.#used + length > this.#units.length) this.#units = enlarged(this.#units);
    this.#units.set(words.units.subarray(start, start + length), this.#used);
    this.#enter(words.hashes[i]!, this.#used, length, this.size);
    this.#used += length;
    this.#values.push(value);
  }

  clear(): void {
    this.#values = [];
    this.#slots.fill(0);
    this.#used = 0;
  }

  #is(at: number, other: Uint16Array, start: number, length: number): boolean {
    const own = this.#units;
    for (let i = 0; i < length; i++) if (own[at + i] !== other[start + i]) return false;
    return true;
  }

  #enter(hash: number, at: number, length: number, value: number): void {
    const slots = this.#slots;
    let slot = (hash << 2) & (slots.length - 1);
    while (slots[slot + 2] !== 0) slot = (slot + 4) & (slots.length - 1);
    slots[slot] = hash;
    slots[slot + 1] = at;
    slots[slot + 2] = length;
    slots[slot + 3] = value;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    for (let slot = 0; slot < before.length; slot += 4) {
      const [hash = 0, at = 0, length = 0, value = 0] = before.subarray(slot, slot + 4);
      if (length > 0) this.#enter(hash, at, length, value);
    }
  }
}

function enlarged(units: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(2 * units.length);
  larger.set(units);
  return larger;
}
