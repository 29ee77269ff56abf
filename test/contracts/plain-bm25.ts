/** A chunk's words, by field, and those of its document's names. */
export interface Fields {
  readonly text: readonly string[];
  /** Of title and headings. */
  readonly names: readonly string[];
  readonly title: readonly string[];
  /** Of the file's name. */
  readonly file: readonly string[];
  /** Of the innermost heading. */
  readonly heading: readonly string[];
  /** Which document it is of. */
  readonly home: string;
}

export interface PlainBm25Options {
  readonly logOdds?: boolean;
  readonly flat?: boolean;
  readonly nameWeight?: number;
  readonly fileWeight?: number;
  readonly naming?: number;
  readonly document?: number;
  readonly heading?: number;
  readonly oneLength?: boolean;
}

/** A chunk's score, and the parts that add up to it in this order. */
export interface PlainScore {
  readonly terms: readonly { readonly term: string; readonly frequency: number; readonly score: number }[];
  readonly name: number;
  readonly document: number;
  readonly heading: number;
  readonly score: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/**
 * BM25F as it is written down, with the parts of names, documents and headings. Constants: k1 = 1.2, every b = 0.5; names count twice and file names ten
 * times. Bit for bit: each in the order that the engine adds in.
 */
export function createPlainBm25(
  pool: readonly Fields[],
  {
    logOdds,
    flat,
    oneLength,
    nameWeight = 2,
    fileWeight = 10,
    naming = 0.5,
    document = 0.3,
    heading = 0.5,
  }: PlainBm25Options = {},
) {
  const lengthOf = (chunk: Fields, field: "text" | "names" | "file"): number =>
    oneLength === true ? chunk.text.length + chunk.names.length : chunk[field].length;
  const mean = (numbers: readonly number[]): number => sum(numbers) / Math.max(1, numbers.length);
  const average = (field: "text" | "names" | "file"): number => mean(pool.map((chunk) => lengthOf(chunk, field)));
  const averages = { text: average("text"), names: average("names"), file: average("file") };
  const rarity = (all: number, having: number): number => {
    const odds = (all - having + 0.5) / (having + 0.5);
    return Math.log(logOdds === true ? odds : 1 + odds);
  };
  const fieldsOf = ({ text, names, file }: Fields) => [...text, ...names, ...(fileWeight > 0 ? file : [])];
  const having = (term: string): number => pool.filter((chunk) => fieldsOf(chunk).includes(term)).length;
  const idf = (term: string): number => rarity(pool.length, having(term));
  const weights = { text: 1, names: nameWeight, file: fileWeight };
  const normalised = (chunk: Fields, field: "text" | "names" | "file", term: string): number => {
    const frequency = chunk[field].filter((word) => word === term).length;
    if (frequency === 0 || weights[field] === 0) return 0;
    if (flat === true) return frequency;
    return frequency * (weights[field] * (1 / (0.5 + (0.5 * lengthOf(chunk, field)) / averages[field])));
  };
  const share = (chunk: Fields, term: string, count: number): number => {
    const frequency =
      normalised(chunk, "text", term) + normalised(chunk, "names", term) + normalised(chunk, "file", term);
    return count * idf(term) * ((2.2 * frequency) / (1.2 + frequency));
  };

  const homes = [...new Set(pool.map(({ home }) => home))];
  const firstOf = new Map(pool.toReversed().map((chunk) => [chunk.home, chunk]));
  const textOf = new Map(
    homes.map((home) => [home, pool.filter((one) => one.home === home).flatMap(({ text }) => text)]),
  );
  const meanText = mean([...textOf.values()].map(({ length }) => length));
  const nameRarity = (term: string): number =>
    rarity(homes.length, [...firstOf.values()].filter(({ title, file }) => [...title, ...file].includes(term)).length);
  const nameOf = (chunk: Fields, asked: readonly string[]): number =>
    Math.max(
      ...[chunk.title, chunk.file].map((name) => {
        const said = sum(asked.filter((term) => name.includes(term)).map(nameRarity));
        return said === 0 ? 0 : naming * (said * (said / sum([...new Set(name)].map(nameRarity))));
      }),
    );
  const documentOf = (chunk: Fields, words: ReadonlyMap<string, number>): number => {
    let total = 0;
    for (const [term, count] of words) {
      const text = textOf.get(chunk.home)!;
      const often = text.filter((word) => word === term).length;
      if (often === 0) continue;
      const holding = homes.filter((home) => textOf.get(home)!.includes(term)).length;
      const frequency = often / (0.5 + (0.5 * text.length) / meanText);
      total += document * (rarity(homes.length, holding) * count) * ((2.2 * frequency) / (1.2 + frequency));
    }
    return total;
  };
  const headingOf = (chunk: Fields, asked: readonly string[]): number => {
    const terms = [...new Set(chunk.heading)];
    const said = sum(terms.filter((term) => asked.includes(term)).map(idf));
    const part = said / sum(terms.map(idf));
    return said === 0 ? 0 : heading * (said * (part * part));
  };

  return {
    idf,
    having,
    /** `undefined` for a chunk that has none of the words. */
    score(chunk: Fields, words: ReadonlyMap<string, number>): PlainScore | undefined {
      const terms = Array.from(words).flatMap(([term, count]) => {
        const frequency = fieldsOf(chunk).filter((word) => word === term).length;
        return frequency === 0 ? [] : [{ term, frequency, score: share(chunk, term, count) }];
      });
      if (terms.length === 0) return undefined;
      const asked = [...words.keys()];
      const parts = {
        name: nameOf(chunk, asked),
        document: documentOf(chunk, words),
        heading: headingOf(chunk, asked),
      };
      const lexical = sum(terms.map(({ score }) => score));
      return { terms, ...parts, score: lexical + parts.name + parts.document + parts.heading };
    },
  };
}

/** Distinct words in order of appearance, with how often each occurs. */
export function countWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The words of a file's name, which stands in no folder that was ingested. */
export function plainFile(uri: string): string {
  return uri.replace(/\.[^./]{1,8}$/u, "").replaceAll(/[/_.]+/gu, " ");
}

/**
 * Words that names have and a query does not say: a year of `FY2018`, and two or three neighbouring words as one.
 *
 * **Shape** `words` with these after them, once each. A joined word has five letters or more and stands in a file's name.
 */
export function addPlainWords(
  question: string,
  words: ReadonlyMap<string, number>,
  analyze: (text: string) => readonly string[],
  pool: readonly Fields[],
): ReadonlyMap<string, number> {
  const all = new Map(words);
  const add = (word: string, isHeld: (term: string) => boolean): void => {
    const [term, ...others] = analyze(word);
    if (term !== undefined && others.length === 0 && !all.has(term) && isHeld(term)) all.set(term, 1);
  };
  const hasFile = (term: string): boolean => pool.some(({ file }) => file.includes(term));
  for (const [, long, short] of question.matchAll(/\b[fc]y(?:(\d{4})|(\d{2}))\b/giu)) {
    add(
      long ?? `20${short}`,
      (term) => hasFile(term) || pool.some((one) => [...one.text, ...one.names].includes(term)),
    );
  }
  const spoken = question.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== "");
  for (const size of [2, 3]) {
    for (let at = 0; at + size <= spoken.length; at++) {
      const joined = spoken.slice(at, at + size).join("");
      if (joined.length >= 5) add(joined, hasFile);
    }
  }
  return all;
}
