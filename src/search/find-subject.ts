import type { Analyzer } from "../contracts/analyzer.ts";
import { foldWord } from "../text/languages/fold-word.ts";
import { indexFunctionWords } from "../text/languages/function-word-index.ts";
import { functionWords } from "../text/languages/function-words.ts";
import { segmentWords } from "../text/words.ts";

/** The subject of a question, apart from the words that it is asked with. */
export interface Subject {
  /** The query without its function words; the whole query when it is made of nothing else. */
  readonly text: string;
  /** Terms of function words in the query's language, in every form that documents may hold; empty when no language shows. */
  readonly functionTerms: ReadonlySet<string>;
}

/** A language shows when so many of its function words are in the query; one may be another language's word. */
const wordsThatShow = 2;
/** In these, a function word is a pair of characters, which hardly ever is anything else. */
const unspaced: ReadonlySet<string> = new Set(["zh", "ja", "th"]);

/**
 * Takes the function words out of a query, for the lexical leg.
 *
 * Documents state and questions ask: "how do I" is rare in documentation, and BM25 takes what is rare for what matters. Rarity alone also misleads in a small
 * collection, where everything is rare. Words in capitals (`WHO`, `IT`) and parts of identifiers stay; scripts without spaces stay as they are.
 *
 * **Source** our own, nDCG@10 of BM25 with and without them. CACM .440, .474; Vaswani .401, .407. XQuAD en .967, .969, de .922, .928, ar .947, .951.
 */
export function findSubject(query: string, analyzer: Analyzer): Subject {
  const lists = analyzer.functionWords ?? functionWords;
  const language = findLanguage(query, analyzer, lists);
  if (language === undefined) return { text: query, functionTerms: new Set() };
  const found = readFunctionWords(language, analyzer, lists);
  const shouted = query === query.toUpperCase();
  const kept = query.split(/\s+/u).filter((word) => {
    if (!shouted && /^\P{L}*\p{Lu}{2,}\P{L}*$/u.test(word)) return true;
    // A stem may be a function word's where the word is not: "canned" and "can".
    const bare = word.replaceAll(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "");
    if (/^[\p{L}\p{M}]+$/u.test(bare)) return !found.words.has(foldWord(bare));
    return !analyzer.analyze(word, "").every((term) => found.terms.has(term));
  });
  return { text: kept.length === 0 ? query : kept.join(" "), functionTerms: found.terms };
}

/** The language with most of its function words in the query, among equals the one that is named first. */
function findLanguage(query: string, analyzer: Analyzer, lists: Readonly<Record<string, string>>): string | undefined {
  const index = indexFunctionWords(lists);
  const found = new Map<string, Set<string>>();
  const count = (language: string, word: string): void => {
    const words = found.get(language);
    if (words === undefined) found.set(language, new Set([word]));
    else words.add(word);
  };
  let runs = false;
  for (const { text, kind } of segmentWords(query)) {
    if (kind === "run") runs = true;
    else for (const at of index.languagesOf(text, false)) count(index.languages[at]!, text.toLowerCase());
  }
  if (runs) {
    const asked = analyzer.analyze(query, "");
    for (const language of unspaced) {
      if (!Object.hasOwn(lists, language)) continue;
      const { terms } = readFunctionWords(language, analyzer, lists);
      for (const term of asked) if (terms.has(term)) count(language, term);
    }
  }
  let most = 0;
  let best: string | undefined;
  for (const language of index.languages) {
    const words = found.get(language)?.size ?? 0;
    if (words > most && words >= (unspaced.has(language) ? 1 : wordsThatShow)) {
      most = words;
      best = language;
    }
  }
  return best;
}

/** A language's function words, folded, and as terms: in text of no known language, and in its own besides. */
interface FunctionWords {
  readonly words: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
}

const read = new WeakMap<Analyzer, Map<string, FunctionWords>>();

/** Worked out once per analyzer and language, when the language first shows. */
function readFunctionWords(
  language: string,
  analyzer: Analyzer,
  lists: Readonly<Record<string, string>>,
): FunctionWords {
  const list = lists[language] ?? "";
  let known = read.get(analyzer);
  if (known === undefined) read.set(analyzer, (known = new Map<string, FunctionWords>()));
  let found = known.get(language);
  if (found === undefined) {
    found = {
      words: new Set(list.trim().split(/\s+/u).map(foldWord)),
      terms: new Set([...analyzer.analyze(list, ""), ...analyzer.analyze(list, language)]),
    };
    known.set(language, found);
  }
  return found;
}
