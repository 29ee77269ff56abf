import type { Analyzer } from "../../contracts/analyzer.ts";
import type { SearchedSegment } from "./best-chunks.ts";
import type { QueryWord } from "./bm25-scoring.ts";
import type { DocumentFields } from "./document-fields.ts";
import { foldWord } from "../../text/languages/fold-word.ts";
import { analyzeQuery, heldLanguages } from "./query-words.ts";
import { countLive, postingsOf } from "./word-index.ts";

/** Letters that joined words have at least. */
const leastJoined = 5;

/** `FY2018`, `fy22`, `CY 2021`: years that stand in one word with a sign of their kind. */
const fiscalYear = /\b[fc]y['’]?(?:(\d{4})|(\d{2}))\b/giu;

/**
 * Adds words that a query does not say, and names do. A fiscal year adds its year, where a live chunk has it. Two or three neighbouring words are added as
 * one, where the name of a file has it: `data base` finds `database-guide.md`. Only joined words that begin with three letters as a file's term does are analysed.
 *
 * **Source** our own, measured over a folder of annual reports: docs/decisions/0107.
 */
export function addWords(
  analyzer: Analyzer,
  question: string,
  words: readonly QueryWord[],
  searched: readonly SearchedSegment[],
  fields: DocumentFields,
): QueryWord[] {
  const languages = heldLanguages(searched);
  const known = new Set(words.flatMap(({ terms }) => terms));
  const added: QueryWord[] = [];
  const add = (text: string, kind: "year" | "joined", isHeld: (terms: readonly string[]) => boolean): void => {
    const [terms, ...others] = analyzeQuery(analyzer, text, languages);
    if (terms === undefined || others.length > 0 || terms.some((term) => known.has(term)) || !isHeld(terms)) return;
    for (const term of terms) known.add(term);
    added.push({ terms, count: 1, added: kind });
  };
  // A deleted chunk stands in the postings until they are written again, and must not show.
  const isAnywhere = (terms: readonly string[]): boolean =>
    terms.some((term) => fields.hasFile(term)) ||
    searched.some(({ segment }) => countLive(postingsOf(segment, { terms }), segment) > 0);
  for (const [, long, short] of question.matchAll(fiscalYear)) add(long ?? `20${short}`, "year", isAnywhere);
  const raw = question.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  for (const size of [2, 3]) {
    for (let at = 0; at + size <= raw.length; at++) {
      const joined = raw.slice(at, at + size).join("");
      if (joined.length >= leastJoined && fields.mayHaveFile(foldWord(joined)))
        add(joined, "joined", (terms) => terms.some((term) => fields.hasFile(term)));
    }
  }
  return [...words, ...added];
}
