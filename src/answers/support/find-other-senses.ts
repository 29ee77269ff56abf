import type { ReadClaim } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import { exclude, readSenses } from "./senses.ts";
import type { Veto } from "./veto.ts";

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

/** Whether two senses speak of the same: both of time, or both of a limit. */
export function isSameGroup(one: readonly string[], other: readonly string[]): boolean {
  const groups = new Set(one.map((reading) => reading.split("/", 1)[0]));
  return other.some((reading) => groups.has(reading.split("/", 1)[0]));
}

export function kindOfSense(readings: readonly string[]): Veto["kind"] {
  return readings.some((reading) => reading.startsWith("modal/")) ? "modal" : "relation";
}
