import { type LuceneClause, parseLucene } from "../../src/text/parse-lucene.ts";
import type { Fields } from "./plain-bm25.ts";

/** What a query in Lucene's syntax asks of a chunk, looked up in its words one by one. */
export interface PlainLucene {
  /** Words that score, and in how many chunks' words a prefix or a near word was found. */
  readonly words: readonly string[];
  admits(chunk: Fields): boolean;
}

export function readPlainLucene(
  query: string,
  analyze: (text: string) => readonly string[],
  faults: { readonly must?: boolean; readonly not?: boolean; readonly order?: boolean },
): PlainLucene {
  const clauses = parseLucene(query);
  const has = ({ kind, text, nearness = 2 }: LuceneClause, { text: body, names }: Fields): boolean => {
    const all = [...body, ...names];
    const words = analyze(text);
    if (kind === "prefix") return all.some((word) => word.startsWith(text.toLowerCase()));
    if (kind === "fuzzy") {
      const limit = nearness >= 1 ? nearness : Math.floor((1 - nearness) * text.length);
      return all.some((word) => distance(text.toLowerCase(), word) <= limit);
    }
    if (kind === "word" || faults.order === true) return words.every((word) => all.includes(word));
    const joined = ` ${words.join(" ")} `;
    return ` ${body.join(" ")} `.includes(joined) || ` ${names.join(" ")} `.includes(joined);
  };
  return {
    words: clauses
      .filter(({ occurs, kind }) => occurs !== "not" && kind === "word")
      .flatMap(({ text }) => analyze(text)),
    admits: (chunk) =>
      clauses.some((clause) => clause.occurs !== "not" && has(clause, chunk)) &&
      clauses.every((clause) => clause.occurs !== "must" || faults.must === true || has(clause, chunk)) &&
      clauses.every((clause) => clause.occurs !== "not" || faults.not === true || !has(clause, chunk)),
  };
}

/** Letters added, left out or taken for others, as Levenshtein counts them (1966). */
export function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(restA, restB);
  if (Math.abs(a.length - b.length) > 2) return 3;
  const swapped = a[0] === b[1] && a[1] === b[0] ? 1 + distance(a.slice(2), b.slice(2)) : Infinity;
  return Math.min(swapped, 1 + Math.min(distance(restA, b), distance(a, restB), distance(restA, restB)));
}
