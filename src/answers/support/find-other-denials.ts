import { placeSenses } from "./compare-sentences.ts";
import { readShortPart } from "./find-crossed.ts";
import { mostAligned } from "./features.ts";
import { type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";
import { type Part, partsOf } from "./sentence-parts.ts";

/** Share of the claim's words that a sentence must hold to speak of the same. */
const sameMatter = 0.6;
/** Another sentence that holds so much of what the fullest one holds may affirm what that one denies. */
const equallyGood = 0.9;

/**
 * A word that only one of a claim and a sentence on the same matter denies, wherever it stands in them: `Parcels that were picked up can be cancelled`, where `it cancels parcels that
 * were not yet picked up`.
 *
 * A denial belongs to the next word that tells, within its clause.
 *
 * **Cost** the claim times the given sentences.
 */
export function findOtherDenials(
  claim: ReadClaim,
  { sentences }: SupportEvidence,
  beside: readonly number[],
): readonly Veto[] {
  if (claim.all.length > mostAligned) return [];
  const own = readDenials(claim.all);
  const held = beside
    .map((at) => ({
      words: sentences[at]!.words.slice(0, mostAligned),
      count: claim.words.filter(({ heldBy }) => heldBy.has(at)).length,
    }))
    .filter(({ count }) => count >= sameMatter * claim.words.length);
  const most = Math.max(0, ...held.map(({ count }) => count));
  const found = held
    .filter(({ count }) => count >= equallyGood * most)
    .map(({ words }) => {
      const other = readDenials(partWith(words, claim));
      if (denyAlike(own, other) || readShortPart(claim, partsOf(words)) === "alike") return [];
      return claim.all.filter(({ key }) => {
        if (other.denied.has(key)) return own.affirmed.has(key) && !own.denied.has(key) && !other.affirmed.has(key);
        return own.denied.has(key) && !own.affirmed.has(key) && other.affirmed.has(key);
      });
    });
  const [first = [], ...others] = found;
  return first.filter((each) => others.every((list) => list.includes(each))).map((word) => vetoOf("negation", word));
}

/** The only part of a sentence that holds a claim whole, else the sentence. */
function partWith(words: readonly ReadWord[], claim: ReadClaim): readonly ReadWord[] {
  const holders = partsOf(words).filter(({ keys }) => claim.words.every(({ word }) => keys.has(word.key)));
  return holders.length === 1 ? holders[0]!.words : words;
}

/** Whether two sentences with one denial each deny the same word. */
export function deniesAlike(one: readonly ReadWord[], other: readonly ReadWord[]): boolean {
  return denyAlike(readDenials(one), readDenials(other));
}

function denyAlike(one: Denials, other: Denials): boolean {
  if (one.count !== 1 || other.count !== 1) return false;
  return [...one.denied].some((key) => other.scope.has(key)) || [...other.denied].some((key) => one.scope.has(key));
}

/**
 * Whether a sentence denies nothing of an affirming claim, to which another of its parts gives words: `Vinegar
 * damages seals`, where `do not use vinegar: it damages seals`.
 */
export function deniesApart(claim: readonly ReadWord[], sentence: readonly ReadWord[]): boolean {
  if (claim.some(({ impliesDenial }) => impliesDenial)) return false;
  const keys = new Set(claim.filter(({ isContent }) => isContent).map(({ key }) => key));
  const parts = partsOf(sentence);
  const denying = parts.filter(({ words }) => words.some(({ isDenial }) => isDenial));
  const others = parts.filter((part) => !denying.includes(part));
  const gives = (part: Part, but: readonly Part[]): boolean =>
    [...part.keys].some((key) => keys.has(key) && !but.some((each) => each.keys.has(key)));
  if (denying.length !== 1 || !others.some((part) => gives(part, denying))) return false;
  return [...readDenials(denying[0]!.words).denied].every((key) => !keys.has(key));
}

/** Keys of the words that a sentence denies, and of those that it affirms. */
interface Denials {
  readonly count: number;
  readonly denied: ReadonlySet<string>;
  /** These, and what follows them in their clause. */
  readonly scope: ReadonlySet<string>;
  readonly affirmed: ReadonlySet<string>;
}

/** Between a denial and its word these tell nothing: `not yet`, `no longer`. */
const passing: ReadonlySet<string> = new Set(["yet", "ever", "even", "longer", "anymore", "noch", "mehr"]);

/** They begin no clause that a denial before them leaves out. */
const within: ReadonlySet<string> = new Set(["with", "by", "for", "after", "before", "because"]);
/** They tell something where they are denied. */
const using: ReadonlySet<string> = new Set(["use", "uses", "used", "using"]);

function readDenials(words: readonly ReadWord[]): Denials {
  // "No later than" is a limit, and no denial.
  const limits = new Set(placeSenses(words).flatMap((sense) => sense.words));
  const denied = new Set<string>();
  const scope = new Set<string>();
  const affirmed = new Set<string>();
  let count = 0;
  let isDenied = false;
  let isNear = false;
  let isBehind = false;
  let clause: ReadWord[] = [];
  const endClause = (): void => {
    // "Das Gerät speichert die Daten nicht": a denial at the end is one of the whole clause.
    for (const { key } of isDenied ? clause : []) {
      denied.add(key);
      scope.add(key);
      affirmed.delete(key);
    }
    isDenied = isNear = isBehind = false;
    clause = [];
  };
  for (const word of words) {
    if (word.isBehindSign || (word.opensClause && !within.has(word.word))) endClause();
    if (word.isDenial && !limits.has(word)) {
      isDenied = isBehind = true;
      count += 1;
    } else if (word.impliesDenial) isNear = true;
    if ((!word.isContent && !using.has(word.word)) || passing.has(word.word)) continue;
    if (isBehind) scope.add(word.key);
    if (isDenied) denied.add(word.key);
    // Words like "fail" and "lack" may deny what follows them.
    else if (!isNear) affirmed.add(word.key);
    isDenied = false;
    clause.push(word);
  }
  endClause();
  return { count, denied, scope, affirmed };
}
