import { mostAligned } from "./features.ts";
import { type ClaimWord, type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import { compare, type Counterpart, placeSenses } from "./compare-sentences.ts";
import {
  findContradictions,
  headsOf,
  isDeniedAt,
  isQuantified,
  isYear,
  nearlyVerbatim,
  type ReadCounterpart,
  sameMatter,
} from "./find-contradictions.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";
import { findCrossed, isSaid, readShortPart } from "./find-crossed.ts";
import { findMissingNames } from "./find-missing-names.ts";
import { deniesAlike, deniesApart, findOtherDenials } from "./find-other-denials.ts";
import { findOtherSenses, findStrayOpposites, findStraySenses } from "./find-other-senses.ts";
import { findOtherCounts, findOtherUnits, findSkippedNumbers } from "./find-other-units.ts";
import { findOtherRoles } from "./find-other-roles.ts";
import { findJoinedOtherwise, findOtherWording } from "./find-other-wording.ts";
import { findUnreal } from "./find-unreal.ts";
import { findSeam } from "./find-seam.ts";
import { isMonth, type ReadWord } from "./read-words.ts";
import { partsOf } from "./sentence-parts.ts";
import { strongKinds } from "./word-lists.ts";

/**
 * Finds details of a claim that its evidence contradicts or lacks.
 *
 * - A number, a date or a name that no sentence has, or in whose place the sentence on the same matter has another.
 * - A denial on one side only.
 * - A quantifier such as `all`, `only` or `most` that no source uses of the same thing, or in whose place it uses another.
 * - A unit, a relation of time, a limit or a modal in whose place the sentence on the same matter has another.
 * - Two sides of a verb that the sentence on the same matter has the other way round.
 * - A part that the sentence on the same matter calls by its opposite.
 * - A clause whose facts come from two sentences that do not speak of the same subject.
 * - Words of one part of a sentence in the place of those of another part.
 * - A condition, a plan or a former state in the place of a fact.
 * - A word that no source has, in the place of another of a nearly verbatim sentence.
 *
 * **Cost** the claim times the three sentences that cover it best, and the places of its words.
 */
export function findVetoes(claim: ReadClaim, evidence: SupportEvidence): readonly Veto[] {
  const counterparts = counterpartsOf(claim, evidence);
  const vetoes = [
    ...findMissingNumbers(claim),
    ...findMissingNames(claim, evidence),
    ...findOtherDates(claim, evidence),
    ...findContradictions(claim, evidence, counterparts),
    ...findStrayDenials(claim, evidence, counterparts),
    ...findOtherDenials(claim, evidence, sentencesBeside(claim)),
    ...findStrayQuantifiers(claim, evidence, counterparts),
    ...findOtherUnits(claim, evidence),
    ...findOtherCounts(claim, evidence),
    ...findSkippedNumbers(
      claim,
      counterparts.filter(({ saysInPart }) => !saysInPart),
    ),
    ...findOtherSenses(claim, evidence, sentencesBeside(claim)),
    ...findStraySenses(claim, evidence),
    ...findStrayOpposites(claim, evidence),
    ...findOtherRoles(claim, evidence, sentencesBeside(claim), mostAligned),
    ...findSeam(claim, evidence),
    ...findCrossed(claim, evidence),
    ...findOtherWording(claim, counterparts),
    ...findJoinedOtherwise(counterparts),
    ...findUnreal(claim, evidence),
  ];
  const seen = new Set<string>();
  return vetoes
    .filter(({ kind, start }) => !seen.has(`${kind}${start}`) && seen.add(`${kind}${start}`))
    .toSorted((a, b) => a.start - b.start);
}

function counterpartsOf(claim: ReadClaim, evidence: SupportEvidence): readonly ReadCounterpart[] {
  const own = claim.all.slice(0, mostAligned);
  return sentencesBeside(claim).map((at) => {
    const other = evidence.sentences[at]!.words.slice(0, mostAligned);
    const parts = own.length < claim.all.length ? [] : partsOf(other);
    const holdsAll = claim.words.every(({ heldBy }) => heldBy.has(at));
    const isShort = readShortPart(claim, parts) === "alike";
    return {
      ...compare(own, other),
      leavesAffirmed: isShort || deniesAlike(own, other) || deniesApart(own, other),
      saysInPart: holdsAll && parts.length > 1 && isSaid(claim, parts),
      parts: holdsAll ? parts : [],
    };
  });
}

/** Places of the sentences that hold most of a claim. */
function sentencesBeside({ words, best }: ReadClaim): readonly number[] {
  const held = new Map<number, number>();
  for (const { heldBy, rarity } of words) for (const at of heldBy) held.set(at, (held.get(at) ?? 0) + rarity);
  const fullest = [...held].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 3);
  return [...new Set([...fullest.map(([at]) => at), ...best])];
}

function findMissingNumbers({ words }: ReadClaim): readonly Veto[] {
  return words.flatMap(({ word, isMissing, isInTitle }) =>
    isMissing && !isInTitle && (word.isNumber || isMonth(word)) ? [vetoOf("number", word)] : [],
  );
}

/** A month beside a day or a year that the evidence never has beside it, though it has others there. */
function findOtherDates({ all }: ReadClaim, { places, sentences }: SupportEvidence): readonly Veto[] {
  return all.flatMap((word, at) => {
    if (!isMonth(word)) return [];
    const wanted = datesBeside(all, at);
    const found = new Set<string>();
    const holders = new Set(places.get(word.key)?.map((place) => Math.floor(place / sentenceStride)));
    for (const holder of holders) {
      const { words } = sentences[holder]!;
      for (const [other, { key }] of words.entries())
        if (key === word.key) for (const date of datesBeside(words, other)) found.add(date.key);
    }
    return wanted
      .filter(({ key }) => !found.has(key) && [...found].some((each) => isYear(each) === isYear(key)))
      .map((date) => vetoOf("number", date));
  });
}

/** Numbers within two words of a month, such as the day and the year in `May 7, 2018`. */
function datesBeside(words: readonly ReadWord[], at: number): readonly ReadWord[] {
  const found: ReadWord[] = [];
  for (const side of [-1, 1])
    for (let next = at + side; Math.abs(next - at) <= 2 && words[next]?.key.startsWith("#") === true; next += side)
      found.push(words[next]!);
  return found;
}

/** Denials of a claim without a counterpart that no sentence answers, and words that deny by their meaning where one sentence says the rest. */
function findStrayDenials(
  claim: ReadClaim,
  { sentences }: SupportEvidence,
  counterparts: readonly ReadCounterpart[],
): readonly Veto[] {
  const limits = new Set(placeSenses(claim.all).flatMap(({ words }) => words));
  const [first] = claim.best;
  const isDenied = claim.best.some((best) => sentences[best]!.words.some(({ impliesDenial }) => impliesDenial));
  const implied = claim.words.filter(
    (each) =>
      each.word.impliesDenial &&
      !each.word.isDenial &&
      each.isMissing &&
      !each.isInTitle &&
      !isDenied &&
      first !== undefined &&
      shareOfOthers(claim, each, first) >= nearlyVerbatim,
  );
  return implied
    .map(({ word }) => vetoOf("negation", word))
    .concat(
      claim.all.flatMap((word, at) => {
        if (!word.isDenial || hasCounterpart(word, counterparts) || limits.has(word)) return [];
        if (counterparts.some(({ leavesAffirmed }) => leavesAffirmed)) return [];
        const denied = headsOf(claim.all, at);
        const isAnswered = claim.best.some((best) => {
          const { words } = sentences[best]!;
          return words.some(({ key }, place) => denied.has(key) && isDeniedAt(words, place));
        });
        return isAnswered ? [] : [vetoOf("negation", word)];
      }),
    );
}

/** Share of the claim's other words that a sentence holds. */
function shareOfOthers({ words }: ReadClaim, but: ClaimWord, sentence: number): number {
  const others = words.filter((each) => each !== but);
  return others.filter(({ heldBy }) => heldBy.has(sentence)).length / Math.max(1, others.length);
}

function hasCounterpart({ start }: ReadWord, counterparts: readonly Counterpart[]): boolean {
  return counterparts.some(({ shareAround }) => shareAround(start) >= sameMatter);
}

/** Strong quantifiers of a claim without a counterpart that no sentence uses of the same thing. */
function findStrayQuantifiers(
  claim: ReadClaim,
  evidence: SupportEvidence,
  counterparts: readonly Counterpart[],
): readonly Veto[] {
  const limits = new Set(placeSenses(claim.all).flatMap(({ words }) => words));
  return claim.all.flatMap((word, at) => {
    if (!strongKinds.has(word.quantifier) || hasCounterpart(word, counterparts) || limits.has(word)) return [];
    return isQuantified(claim, at, evidence) ? [] : [vetoOf("quantifier", word)];
  });
}
