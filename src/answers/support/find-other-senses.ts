import { type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import { exclude, oppositesOfWord, readSenses } from "./senses.ts";

/** Content words between a sense and the word that it belongs to. */
const reachOfSense = 3;

/** Relations, limits and modals that each sentence beside the claim has otherwise of the same number, name or verb. */
export function findOtherSenses(
  { all }: ReadClaim,
  { sentences }: SupportEvidence,
  beside: readonly number[],
): readonly Veto[] {
  return readSenses(all).flatMap(({ from, to, readings }): readonly Veto[] => {
    const head = all.slice(to, to + reachOfSense).find(({ isContent }) => isContent);
    if (head === undefined) return [];
    const others = beside.flatMap((at) => {
      const { words } = sentences[at]!;
      const found = readSenses(words);
      return words.flatMap(({ key }, place) => {
        if (key !== head.key) return [];
        const before = found.findLast((sense) => sense.to <= place && isSameGroup(sense.readings, readings));
        return before && !words.slice(before.to, place).some(({ isContent }) => isContent) ? [before] : [];
      });
    });
    const isOther = others.length > 0 && others.every((sense) => exclude(readings, sense.readings));
    return isOther ? [{ kind: kindOfSense(readings), start: all[from]!.start, end: all[from]!.end }] : [];
  });
}

/** Share of the claim's mass that the sentence with another modal must hold, for a permission. */
const sameMatter = 0.7;

/**
 * Duties, permissions and orders of two events that the carriers of a claim have otherwise, wherever these stand in them. Exceptions that the carriers lack, too.
 *
 * A permission is vetoed only where one sentence holds most of the claim: `can` says little by itself.
 */
export function findStraySenses({ all, best, covered }: ReadClaim, { sentences }: SupportEvidence): readonly Veto[] {
  const words = best.slice(0, 2).map((at) => sentences[at]!.words);
  const carriers = words.flatMap((each) => readSenses(each));
  const isDenied = words.some((each) => each.some(({ impliesDenial }) => impliesDenial));
  return readSenses(all).flatMap(({ from, to, readings }): readonly Veto[] => {
    const isLone =
      readings.every((each) => lone.has(each)) && !carriers.some((sense) => isAlike(sense.readings, readings));
    if (isLone && words.length > 0 && !isDenied)
      return [{ kind: "relation", start: all[from]!.start, end: all[to - 1]!.end }];
    const isWeighed = readings.some((each) => telling.has(each)) || covered[0] >= sameMatter;
    if (!isWeighed || !readings.some((each) => telling.has(each) || each === "modal/may")) return [];
    const others = carriers.filter((sense) => isSameGroup(sense.readings, readings));
    const isOther = others.length > 0 && others.every((sense) => exclude(readings, sense.readings));
    return isOther ? [{ kind: kindOfSense(readings), start: all[from]!.start, end: all[to - 1]!.end }] : [];
  });
}

/** These turn a sentence round, so that one of its carriers must have them. */
const lone: ReadonlySet<string> = new Set(["scope/except", "place/outside"]);
const isAlike = (one: readonly string[], other: readonly string[]): boolean => one.some((each) => other.includes(each));

/** Words of a claim that its evidence lacks, where a carrier has their opposite close to the word beside them. */
export function findStrayOpposites({ words, best }: ReadClaim, { sentences }: SupportEvidence): readonly Veto[] {
  return words.flatMap(({ word, isMissing }, at): readonly Veto[] => {
    const opposites = isMissing ? oppositesOfWord(word.word) : none;
    if (opposites.size === 0) return [];
    const beside = [words[at - 1], words[at + 1]].flatMap((each) => each?.word.key ?? []);
    const isTurned = best.slice(0, 2).some((own) => {
      const { content } = sentences[own]!;
      const place = content.findIndex((each) => opposites.has(each.word));
      return (
        place >= 0 &&
        content
          .slice(Math.max(0, place - reachOfOpposite), place + reachOfOpposite + 1)
          .some(({ key }) => beside.includes(key))
      );
    });
    return isTurned ? [vetoOf("role", word)] : [];
  });
}

/** Content words between an opposite and the word beside it. */
const reachOfOpposite = 5;
const none: ReadonlySet<string> = new Set();

const telling: ReadonlySet<string> = new Set(["modal/must", "modal/should", "time/before", "time/after"]);

/** Whether two senses speak of the same: both of time, or both of a limit. */
export function isSameGroup(one: readonly string[], other: readonly string[]): boolean {
  const groups = new Set(one.map((reading) => reading.split("/", 1)[0]));
  return other.some((reading) => groups.has(reading.split("/", 1)[0]));
}

export function kindOfSense(readings: readonly string[]): Veto["kind"] {
  return readings.some((reading) => reading.startsWith("modal/")) ? "modal" : "relation";
}
