/** Gives each term a number, from 0; says what is new, so that whoever has the numbers can have the terms. */
export interface TermNumbers {
  /** Adds the numbers of `terms` to `numbers`, and to `added` the terms that had none. */
  number(terms: readonly string[], numbers: number[], added: string[]): void;
  /** Begins anew when there are too many. */
  bound(): boolean;
}

/** Some ten megabytes on either side. */
const mostTerms = 100_000;

export function createTermNumbers(most = mostTerms): TermNumbers {
  const known = new Map<string, number>();
  return {
    number(terms, numbers, added) {
      for (const term of terms) {
        let number = known.get(term);
        if (number === undefined) {
          known.set(term, (number = known.size));
          added.push(term);
        }
        numbers.push(number);
      }
    },
    bound() {
      const isFull = known.size > most;
      if (isFull) known.clear();
      return isFull;
    },
  };
}
