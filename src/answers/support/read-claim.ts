import type { ReadWord } from "./read-words.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";

/** A content word of a claim beside the evidence. */
export interface ClaimWord {
  readonly word: ReadWord;
  readonly rarity: number;
  /** Sentences that hold it, ascending. */
  readonly heldBy: ReadonlySet<number>;
  readonly isMissing: boolean;
  readonly isInTitle: boolean;
  /** From 0 to 1: held, or as like a word of the evidence as this. */
  readonly softness: number;
}

/** A claim beside the evidence: its words, and the sentences that cover it best. */
export interface ReadClaim {
  readonly text: string;
  readonly all: readonly ReadWord[];
  readonly words: readonly ClaimWord[];
  /** Sum of rarities. */
  readonly mass: number;
  /** Sentences that cover most, chosen one after the other; at most three. */
  readonly best: readonly number[];
  /** Share of the mass that the first one, two and three of `best` hold. */
  readonly covered: readonly [number, number, number];
}

/** A reason for which a claim cannot count as supported, and the word of it. **Units** UTF-16 code units of the claim, half open. */
export interface Veto {
  readonly kind:
    | "number"
    | "name"
    | "negation"
    | "quantifier"
    | "unit"
    | "relation"
    | "modal"
    | "role"
    | "connection"
    | "exchange"
    | "wording";
  readonly start: number;
  readonly end: number;
}

export function vetoOf(kind: Veto["kind"], { start, end }: ReadWord): Veto {
  return { kind, start, end };
}

const longestPrefix = 5;

/** Reads a claim against evidence. **Cost** the claim's words, times the places that they have in the evidence. */
export function readClaim(text: string, evidence: SupportEvidence): ReadClaim {
  const { places, titleKeys, initials, likeness, weigh, sentences } = evidence;
  const all = evidence.reader.read(text);
  const spelledOut = acronymsHeld(all, text, places);
  const words = all
    .filter(({ isContent }) => isContent)
    .map((word): ClaimWord => {
      const held = places.get(word.key) ?? (spelledOut.has(word) ? places.get(spelledOut.get(word)!) : undefined);
      const heldBy = new Set(held?.map((place) => Math.floor(place / sentenceStride)));
      const abbreviates =
        held === undefined && word.isCapital && /^\p{L}{2,6}$/u.test(word.word) && initials.has(word.word);
      const isInTitle = titleKeys.has(word.key);
      const isMissing = held === undefined && !abbreviates;
      let softness = 1;
      if (isMissing && word.isNumber) softness = isInTitle ? 0.6 : 0;
      else if (isMissing) {
        const like = likeness(word.word);
        softness = Math.max(isInTitle ? 0.6 : 0, like * like, hasPrefix(word.word, evidence) ? 0.7 : 0);
      }
      return { word, rarity: weigh(word), heldBy, isMissing, isInTitle, softness };
    });
  let mass = 0;
  for (const { rarity } of words) mass += rarity;
  const { best, covered } = chooseBest(words, mass, sentences);
  return { text, all, words, mass, best, covered };
}

/** Sentences that cover most of a claim, each chosen for what it adds. Equal gains go to the sentence with more of the claim's words side by side. */
function chooseBest(
  words: readonly ClaimWord[],
  mass: number,
  sentences: SupportEvidence["sentences"],
): Pick<ReadClaim, "best" | "covered"> {
  const count = sentences.length;
  const pairs = new Set(words.slice(1).map(({ word }, at) => `${words[at]!.word.key} ${word.key}`));
  const pairsOf = (at: number): number =>
    sentences[at]!.content.filter(({ key }, place, all) => pairs.has(`${all[place - 1]?.key ?? ""} ${key}`)).length;
  const taken = new Set<ClaimWord>();
  const best: number[] = [];
  const covered: [number, number, number] = [0, 0, 0];
  let sum = 0;
  const gains = new Float64Array(count);
  for (let round = 0; round < 3; round += 1) {
    gains.fill(0);
    for (const word of words) if (!taken.has(word)) for (const at of word.heldBy) gains[at]! += word.rarity;
    let found = -1;
    for (let at = 0; at < count; at += 1) {
      const more = gains[at]! - (found < 0 ? 0 : gains[found]!);
      if (more > 1e-12 || (found >= 0 && more > -1e-12 && pairsOf(at) > pairsOf(found))) found = at;
    }
    if (found >= 0) {
      best.push(found);
      sum += gains[found]!;
      for (const word of words) if (word.heldBy.has(found)) taken.add(word);
    }
    covered[round] = mass > 0 ? sum / mass : 0;
  }
  return { best, covered };
}

/** Words of a row of names whose initials the evidence has as a word: `United States` where it says `US`. */
function acronymsHeld(
  all: readonly ReadWord[],
  text: string,
  places: SupportEvidence["places"],
): ReadonlyMap<ReadWord, string> {
  const held = new Map<ReadWord, string>();
  for (let at = 0; at + 1 < all.length; at += 1) {
    let initials = "";
    const row: ReadWord[] = [];
    for (let next = at; next < all.length && row.length < 6; next += 1) {
      const word = all[next]!;
      if (!word.isCapital || (row.length > 0 && !/^\s+$/u.test(text.slice(row.at(-1)!.end, word.start)))) break;
      row.push(word);
      initials += word.word[0]!;
      if (row.length > 1 && places.has(initials)) for (const each of row) held.set(each, initials);
    }
  }
  return held;
}

function hasPrefix(word: string, { prefixes }: { readonly prefixes: ReadonlySet<string> }): boolean {
  return word.length >= longestPrefix && prefixes.has(word.slice(0, longestPrefix));
}
