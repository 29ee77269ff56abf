import type { Analyzer } from "../contracts/analyzer.ts";
import { foldWord } from "../text/languages/fold-word.ts";
import { functionWords } from "../text/languages/function-words.ts";
import { segmentWords } from "../text/words.ts";
import type { Turn } from "./read-history.ts";

/** Words that stand for something that was said before. **Source** our own choice, of the languages whose function words were measured; articles are left out. */
const anaphora = new Set(
  [
    "it its they them their theirs this that these those he him his she her hers there then one ones same former latter",
    "er ihn ihm ihr ihre ihren sie es dies diese dieser diesem diesen dieses dort davon dafür damit dabei dazu",
    "il ils elle elles lui leur leurs cela ça celui celle ceux celles cet cette ces",
    "él ella ellos ellas esto eso ese esa esos esas aquel aquella",
    "lui lei loro questo questa questi queste quello quella quelli quelle ciò",
    "ele eles elas isso isto esse essa esses essas aquele aquela",
    "hij zij hen hun dit dat deze die daar ervan ermee",
    "он она оно они его ее их этот эта это эти там",
  ]
    .join(" ")
    .split(" ")
    .map(foldWord),
);
const unspacedAnaphora = /[它他她这那其]|それ|これ|あれ|そこ|ここ/u;

/** A question with no more words of its own than this may well leave the rest to the conversation. */
const fewWords = 2;
/** So many words of a history are searched for beside the question. */
const mostHistoryWords = 8;
/** So far back they are looked for. */
const turnsBack = 3;

/** A question beside what was said before, as far as words tell. */
export interface FollowUp {
  /** Words of its own, function words left out. */
  readonly ownWords: number;
  /** Subject of the question beside its own words: words of the user's last turns, latest turn first. Empty when the question can stand alone. */
  readonly words: readonly string[];
}

/**
 * Detects without a model whether a question depends on earlier turns: it has a pronoun ("it", "diese"), or hardly a word of its own.
 *
 * **Cost** linear in the last turns.
 */
export function readFollowUp(question: string, turns: readonly Turn[], analyzer: Analyzer): FollowUp {
  const own = contentWords(question, analyzer);
  const all = [...segmentWords(question)].map(({ text }) => foldWord(text));
  const leans = own.length <= fewWords || all.some((word) => anaphora.has(word)) || unspacedAnaphora.test(question);
  if (!leans) return { ownWords: own.length, words: [] };

  const asked = turns.filter(({ role }) => role === "user").slice(-turnsBack);
  const said = new Set(own.map(foldWord));
  const words: string[] = [];
  for (const { content } of (asked.length > 0 ? asked : turns.slice(-1)).toReversed()) {
    for (const word of contentWords(content, analyzer)) {
      const folded = foldWord(word);
      if (words.length === mostHistoryWords) break;
      if (said.has(folded)) continue;
      said.add(folded);
      words.push(word);
    }
  }
  return { ownWords: own.length, words };
}

/** The words of a text without those that every text has; of a script without spaces, its stretches. */
function contentWords(text: string, analyzer: Analyzer): readonly string[] {
  const lists = analyzer.functionWords ?? functionWords;
  const language = analyzer.languageOf?.(text) ?? "";
  const filler = new Set(
    (language === "" ? Object.values(lists).join(" ") : (lists[language] ?? "")).split(/\s+/u).map(foldWord),
  );
  return [...segmentWords(text)].map((word) => word.text).filter((word) => !filler.has(foldWord(word)));
}
