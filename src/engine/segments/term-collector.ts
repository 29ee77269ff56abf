import { letGo, markOwn } from "../../runtime/own-bytes.ts";
import { createByteReader } from "./bytes.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import type { TermPostings } from "./postings-file.ts";
import { createTermNumbers } from "./term-numbers.ts";

/** Inverts chunks that come in order of their ordinals. */
export interface TermCollector {
  /** Takes the terms of a chunk, as `encodeTerms` wrote them. */
  add(ordinal: number, encoded: Uint8Array): { readonly language: string; readonly lengths: FieldLengths };
  /** The terms in the order of a segment, each with its postings, which are good until the last was asked for. To be called once. */
  inOrder(): Generator<TermPostings>;
}

/**
 * Terms become numbers at once, by their bytes: a text is made of each term once, and not of each of its postings. All postings lie in one array, ordered by
 * counting; a list of objects per term would cost more than all the rest.
 */
export function createTermCollector(numbers = createTermNumbers({ remembers: false })): TermCollector {
  /** How many postings each term has here: the numbers may be of other segments too. */
  const perTerm: number[] = [];
  /** Number of the term, ordinal, count in the text and in the names, of one posting after the other. */
  let postings = new Uint32Array(4 * 4096);
  let length = 0;

  function reserve(more: number): void {
    const end = length + 4 * more;
    if (end <= postings.length) return;
    const grown = new Uint32Array(Math.max(end, 2 * postings.length));
    grown.set(postings);
    letGo(markOwn(postings));
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
      const own = numbers.of(encoded, reader.position, size);
      while (perTerm.length < numbers.count()) perTerm.push(0);
      for (let i = 0; i < size; i++, length += 4) {
        postings[length] = own[i]!;
        perTerm[own[i]!]!++;
      }
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
        if (postings[i + 3] === 0) continue;
        names[at] = postings[i + 3]!;
        named[number] = 1;
      }
      const byText = new Map<string, number>();
      perTerm.forEach((count, number) => count > 0 && byText.set(numbers.text(number), number));
      try {
        for (const term of [...byText.keys()].sort()) {
          const number = byText.get(term)!;
          const [from, to] = [starts[number]!, starts[number + 1]!];
          yield {
            term,
            ordinals: ordinals.subarray(from, to),
            counts: counts.subarray(from, to),
            names: named[number] === 1 ? names.subarray(from, to) : undefined,
          };
        }
      } finally {
        // A large document is sealed in dozens of segments, one after the other.
        for (const list of [postings, ordinals, counts, names]) letGo(markOwn(list));
      }
    },
  };
}
