/** A chunk's words, by field. */
export interface Fields {
  readonly text: readonly string[];
  readonly names: readonly string[];
}

export interface PlainBm25Options {
  readonly logOdds?: boolean;
  readonly flat?: boolean;
  readonly nameWeight?: number;
  readonly oneLength?: boolean;
}

/** BM25F as it is written down: k1 = 1.2, b = 0.5 for both fields, a name's word twice a text's. Bit for bit: each in the order that the engine adds in. */
export function createPlainBm25(
  pool: readonly Fields[],
  { logOdds, flat, nameWeight = 2, oneLength }: PlainBm25Options = {},
): {
  idf(term: string): number;
  share(chunk: Fields, term: string, count: number): number;
} {
  const lengthOf = (chunk: Fields, field: keyof Fields): number =>
    oneLength === true ? chunk.text.length + chunk.names.length : chunk[field].length;
  const average = (field: keyof Fields): number =>
    pool.reduce((sum, chunk) => sum + lengthOf(chunk, field), 0) / Math.max(1, pool.length);
  const averages = { text: average("text"), names: average("names") };
  const idf = (term: string): number => {
    const having = pool.filter(({ text, names }) => text.includes(term) || names.includes(term)).length;
    const odds = (pool.length - having + 0.5) / (having + 0.5);
    return Math.log(logOdds === true ? odds : 1 + odds);
  };
  const normalised = (chunk: Fields, field: keyof Fields, term: string): number => {
    const frequency = chunk[field].filter((word) => word === term).length;
    if (frequency === 0 || flat === true) return frequency;
    const weight = field === "names" ? nameWeight : 1;
    return frequency * (weight * (1 / (0.5 + (0.5 * lengthOf(chunk, field)) / averages[field])));
  };
  return {
    idf,
    share(chunk, term, count) {
      const frequency = normalised(chunk, "text", term) + normalised(chunk, "names", term);
      return count * idf(term) * ((2.2 * frequency) / (1.2 + frequency));
    },
  };
}

/** Distinct words in order of appearance, with how often each occurs. */
export function countWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
