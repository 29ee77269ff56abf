import { maxTermLength } from "./fold-word.ts";
import type { WordList } from "./words.ts";

/** So many words of a language are worth keeping; when there are more, who keeps them forgets them all. */
export const mostWordsKept = 20_000;
const fewestSlots = 1024;

/**
 * What is known of words, asked for a word as it stands in a text without making a string of it: most words of a text have stood in one before.
 *
 * **Shape** words of up to 64 code units; for longer ones nothing is kept. **Cost** a comparison of the word's code units.
 * **Source** open addressing with linear probing: Knuth, The Art of Computer Programming 3, 6.4.
 */
export class WordMap<Value> {
  #values: Value[] = [];
  #hashes = new Int32Array(fewestSlots >> 1);
  /** Where the word of each value ends in `#units`; it begins where the one before ends. */
  #ends = new Int32Array(fewestSlots >> 1);
  #units = new Uint16Array(8 * fewestSlots);
  /** Places in `#values`, counted from 1; 0 where there is none. */
  #slots = new Int32Array(fewestSlots);

  get size(): number {
    return this.#values.length;
  }

  /** What is kept of the word at `i`. */
  get(words: WordList, i: number): Value | undefined {
    const hash = words.hashes[i]!;
    const slots = this.#slots;
    for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const place = slots[slot]! - 1;
      if (place < 0) return undefined;
      if (this.#hashes[place] === hash && this.#is(place, words, i)) return this.#values[place];
    }
  }

  /** For a word of which nothing is kept. */
  set(words: WordList, i: number, value: Value): void {
    const start = words.starts[i]!;
    const length = words.ends[i]! - start;
    if (length > maxTermLength) return;
    const place = this.#values.length;
    if (2 * (place + 1) > this.#slots.length) this.#grow();
    const from = place === 0 ? 0 : this.#ends[place - 1]!;
    if (from + length > this.#units.length) this.#units = enlarged(this.#units);
    for (let at = 0; at < length; at++) this.#units[from + at] = words.units[start + at]!;
    this.#ends[place] = from + length;
    this.#hashes[place] = words.hashes[i]!;
    this.#values.push(value);
    this.#enter(place);
  }

  clear(): void {
    this.#values = [];
    this.#slots.fill(0);
  }

  #is(place: number, words: WordList, i: number): boolean {
    const own = this.#units;
    const { units } = words;
    const end = this.#ends[place]!;
    let at = place === 0 ? 0 : this.#ends[place - 1]!;
    let other = words.starts[i]!;
    if (end - at !== words.ends[i]! - other) return false;
    while (at < end) if (own[at++] !== units[other++]) return false;
    return true;
  }

  #enter(place: number): void {
    const slots = this.#slots;
    let slot = this.#hashes[place]! & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = place + 1;
  }

  #grow(): void {
    this.#hashes = enlarged(this.#hashes);
    this.#ends = enlarged(this.#ends);
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let place = 0; place < this.#values.length; place++) this.#enter(place);
  }
}

function enlarged<Numbers extends Int32Array | Uint16Array>(numbers: Numbers): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
