import type { Analyzer } from "../contracts/analyzer.ts";
import { IbidError } from "../contracts/errors.ts";
import { ownCopy } from "./analyzer.ts";
import { classOf, dense, mark } from "./patterns/character-class.ts";
import { mostWordsKept, WordMap } from "./word-map.ts";
import { WordList } from "./words.ts";

/** Mark for text beyond the snippet. */
const ellipsis = "…";

/** Terms of what texts of one language hold, whatever the query: most has occurred in another text. */
interface Known {
  readonly words: WordMap<readonly string[]>;
  /** Numbers of the words that hold a term. */
  readonly byTerm: Map<string, number[]>;
  /** Pairs of characters in runs. */
  readonly pairs: Map<string, readonly string[]>;
}

const knownTerms = new WeakMap<Analyzer, Map<string, Known>>();

/** Words of the text that is cut. */
const list = new WordList();

/** A word that holds some of the query's terms. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly terms: readonly string[];
}

/**
 * Cuts the stretch of a text with the most different terms of a query; the first such stretch, or the beginning.
 *
 * Cuts fall between words (between characters in scripts without spaces) and are marked by `…`. Only a word longer than the whole snippet is cut inside.
 *
 * **Shape** a slice of the text without white space around it, and marks; with them never longer than `length`. `terms` are the query's, as `analyzer`
 * gives them, and `language` the text's. Never half a surrogate pair.
 * **Units** UTF-16 code units. **Errors** `invalid-argument` for a length that is not a whole number above 0. **Cost** linear in the text; terms of some
 * ten thousand words a language are remembered.
 */
export function cutSnippet(
  text: string,
  terms: ReadonlySet<string>,
  analyzer: Analyzer,
  length: number,
  language = "",
): string {
  if (!Number.isInteger(length) || length < 1) {
    throw new IbidError("invalid-argument", `A snippet cannot be ${length} characters long.`, {
      hint: "Give a whole number above 0.",
    });
  }
  const visible = text.trim();
  if (visible.length <= length) return visible;
  // Too short for two marks and a character between them.
  if (length < 4) return visible.slice(0, toBoundary(visible, length));

  const budget = length - 2 * ellipsis.length;
  const best = findBest(findTerms(visible, terms, analyzer, language), budget);
  const spare = Math.max(0, budget - (best.end - best.start));
  // A third of what is left goes before the terms: people read on from them.
  let start = Math.max(0, best.start - Math.floor(spare / 3));
  let end = Math.min(visible.length, start + budget);
  start = Math.min(start, Math.max(0, Math.min(best.start, end - budget)));
  while (start < best.start && !isCut(visible, start)) start++;
  const furthest = toBoundary(visible, Math.min(end, start + budget));
  end = furthest;
  while (end > best.end && !isCut(visible, end)) end--;
  // A word that is longer than the snippet is cut inside.
  if (end <= start) end = furthest;

  const slice = visible.slice(start, end);
  return `${start > 0 ? ellipsis : ""}${slice.trim()}${end < visible.length ? ellipsis : ""}`;
}

/**
 * Words that hold a term; of a run, pairs of neighbouring characters.
 *
 * **Cost** for a known word, its place among the known ones: its terms lie elsewhere in memory, and are read for the query's words alone.
 */
function findTerms(text: string, terms: ReadonlySet<string>, analyzer: Analyzer, language: string): Found[] {
  const found: Found[] = [];
  if (terms.size === 0) return found;
  const add = (start: number, end: number, held: readonly string[]): void => {
    const own = held.every((term) => terms.has(term)) ? held : held.filter((term) => terms.has(term));
    if (own.length > 0) found.push({ start, end, terms: own });
  };
  const known = knownTo(analyzer, language);
  const { words, byTerm, pairs } = known;
  const wanted = new Set<number>();
  for (const term of terms) for (const word of byTerm.get(term) ?? []) wanted.add(word);
  const addPair = (start: number, end: number): void => {
    const pair = text.slice(start, end);
    let held = pairs.get(pair);
    if (held === undefined) pairs.set(pair, (held = analyzer.analyze(pair, language)));
    add(start, end, held);
  };
  list.read(text);
  for (let i = 0; i < list.count; i++) {
    const start = list.starts[i]!;
    const end = list.ends[i]!;
    if (list.isRun(i)) {
      const cuts = [...characterStarts(text, start, end), end];
      if (cuts.length === 2) addPair(start, end);
      for (let at = 2; at < cuts.length; at++) addPair(cuts[at - 2]!, cuts[at]!);
      continue;
    }
    const word = words.find(list, i);
    if (word < 0) {
      const held = analyzer.analyze(ownCopy(text.slice(start, end)), language);
      wanted.add(keep(known, i, held));
      add(start, end, held);
    } else if (wanted.has(word)) add(start, end, words.value(word));
  }
  return found;
}

function knownTo(analyzer: Analyzer, language: string): Known {
  let byLanguage = knownTerms.get(analyzer);
  if (byLanguage === undefined) knownTerms.set(analyzer, (byLanguage = new Map()));
  let known = byLanguage.get(language);
  if (known === undefined)
    byLanguage.set(language, (known = { words: new WordMap(), byTerm: new Map(), pairs: new Map() }));
  if (known.words.size >= mostWordsKept) {
    known.words.clear();
    known.byTerm.clear();
  }
  if (known.pairs.size >= mostWordsKept) known.pairs.clear();
  return known;
}

/** Keeps the terms of a word of the list. **Shape** its number; -1 where it is too long, or there is no room. */
function keep({ words, byTerm }: Known, i: number, terms: readonly string[]): number {
  const number = words.size;
  if (number < mostWordsKept) words.set(list, i, terms);
  if (words.size === number) return -1;
  for (const term of terms) {
    const others = byTerm.get(term);
    if (others === undefined) byTerm.set(term, [number]);
    else others.push(number);
  }
  return number;
}

/** The first stretch of at most `budget` with the most different terms; empty at the front when there are none. */
function findBest(found: readonly Found[], budget: number): { readonly start: number; readonly end: number } {
  const counts = new Map<string, number>();
  let best = { start: 0, end: 0 };
  let most = 0;
  let last = -1;
  for (let first = 0; first < found.length; first++) {
    const { start, terms } = found[first]!;
    while (last + 1 < found.length && found[last + 1]!.end - start <= budget) {
      last++;
      for (const term of found[last]!.terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    if (last < first) {
      // The word alone is longer than the snippet.
      last = first;
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    if (counts.size > most) {
      most = counts.size;
      best = { start, end: found[last]!.end };
    }
    for (const term of terms) {
      const left = counts.get(term)! - 1;
      if (left === 0) counts.delete(term);
      else counts.set(term, left);
    }
  }
  return best;
}

function* characterStarts(text: string, start: number, end: number): Generator<number> {
  for (let at = start; at < end; at += text.codePointAt(at)! > 0xffff ? 2 : 1) {
    if (at === start || classOf(text.codePointAt(at)!) !== mark) yield at;
  }
}

/** Whether a text may be cut here: at white space, or between characters of a script that has none. */
function isCut(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (toBoundary(text, at) !== at) return false;
  if (/\s/.test(text[at - 1]!) || /\s/.test(text[at]!)) return true;
  const behind = classOf(text.codePointAt(at)!);
  const before = classOf(text.codePointAt(toBoundary(text, at - 1))!);
  return behind !== mark && ((behind | before) & dense) !== 0;
}

/** The position itself, or the one before when it would split a surrogate pair. */
function toBoundary(text: string, at: number): number {
  const inside = /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");
  return inside ? at - 1 : at;
}

/** The beginning of a document without its front matter; the whole text where there is nothing else. **Cost** linear in the front matter. */
export function withoutFrontMatter(text: string): string {
  const opening = /^---[ \t]*\r?\n/u.exec(text)?.[0];
  if (opening === undefined) return text;
  for (let start = opening.length; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (text.slice(start, end).trimEnd() === "---") {
      const rest = text.slice(end).trimStart();
      return rest === "" ? text : rest;
    }
    start = end + 1;
  }
  return text;
}
