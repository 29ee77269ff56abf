import { foldAscii, foldWord } from "./fold-word.ts";

/** Languages of each function word. */
export interface FunctionWordIndex {
  readonly languages: readonly string[];
  /** Places in `languages`, ascending. **Shape** takes a word as it stands; what an apostrophe elides is left out: `c'est` counts as `est`. */
  languagesOf(word: string, ascii: boolean): readonly number[];
}

const none: readonly number[] = [];
const indexes = new WeakMap<Readonly<Record<string, string>>, FunctionWordIndex>();

/** The words of `function-words.ts`, or of a list like it, the other way round. **Cost** some milliseconds, once for each list. */
export function indexFunctionWords(functionWords: Readonly<Record<string, string>>): FunctionWordIndex {
  let index = indexes.get(functionWords);
  if (index === undefined) indexes.set(functionWords, (index = createIndex(functionWords)));
  return index;
}

function createIndex(functionWords: Readonly<Record<string, string>>): FunctionWordIndex {
  const languages = Object.keys(functionWords);
  const holders = new Map<string, number[]>();
  for (const [at, language] of languages.entries()) {
    for (const word of (functionWords[language] ?? "").trim().split(/\s+/u)) {
      const folded = foldAny(word);
      const held = holders.get(folded);
      if (held === undefined) holders.set(folded, [at]);
      else if (held.at(-1) !== at) held.push(at);
    }
  }
  return {
    languages,
    languagesOf(word, isAscii) {
      const said = withoutElided(word);
      return holders.get(isAscii ? foldAscii(said) : foldWord(said)) ?? none;
    },
  };
}

// oxlint-disable-next-line no-control-regex -- ASCII includes its control characters
const ascii = /^[\u0000-\u007f]*$/u;

function foldAny(word: string): string {
  return ascii.test(word) ? foldAscii(word) : foldWord(word);
}

/** `c'est` and `dell'arte` say what stands behind the apostrophe; `don't` is a word of its own. */
function withoutElided(word: string): string {
  let at = word.indexOf("'");
  if (at < 0) at = word.indexOf("’");
  return at > 0 && word.length - at > 2 ? word.slice(at + 1) : word;
}
