import { type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";
import { isMonth, type ReadWord } from "./read-words.ts";

/** A name that differs by its ending alone, such as `Australian` for `Australia`. */
const derived = 0.6;

/**
 * Names without any word in the evidence, and names in which another word stands beside the known one: `Mark Stewart` for `Tony Stewart`. A longer form of a known
 * name (`Shizuoka Prefecture`) is none of them.
 */
export function findMissingNames(claim: ReadClaim, evidence: SupportEvidence): readonly Veto[] {
  const known = new Map(claim.words.map((each) => [each.word, each]));
  const isKnown = (word: ReadWord): boolean => {
    const each = known.get(word);
    return each !== undefined && (!each.isMissing || each.isInTitle || each.softness >= derived);
  };
  return namesOf(claim).flatMap((row) => {
    const missing = row.filter((word) => word.isName && !isKnown(word));
    if (missing.length === row.length) return missing.map((word) => vetoOf("name", word));
    return missing
      .filter((word) => {
        const at = row.indexOf(word);
        return [-1, 1].some((side) => {
          const beside = row[at - side];
          return beside !== undefined && isKnown(beside) && isNamedOtherwise(beside, side, evidence);
        });
      })
      .map((word) => vetoOf("name", word));
  });
}

/** Rows of names with nothing but white space between them. */
function namesOf({ all, text }: ReadClaim): readonly (readonly ReadWord[])[] {
  const rows: ReadWord[][] = [];
  let last: ReadWord | undefined;
  for (const word of all) {
    if (word.isTitle) last = undefined;
    else if (word.isName || (word.isCapital && !word.isNumber && !isMonth(word) && last === undefined)) {
      if (last && /^\s+$/u.test(text.slice(last.end, word.start))) rows.at(-1)!.push(word);
      else rows.push([word]);
      last = word;
    } else last = undefined;
  }
  return rows.filter((row) => row.some(({ isName }) => isName));
}

/** Whether a name always has another name on this side where the evidence uses it. */
function isNamedOtherwise(name: ReadWord, side: number, { places, sentences }: SupportEvidence): boolean {
  const holders = new Set((places.get(name.key) ?? []).map((place) => Math.floor(place / sentenceStride)));
  let count = 0;
  for (const holder of holders) {
    const { words } = sentences[holder]!;
    for (const [at, { key }] of words.entries()) {
      if (key !== name.key) continue;
      count += 1;
      const beside = words[at + side];
      if (!beside?.isCapital || beside.isNumber || isMonth(beside)) return false;
    }
  }
  return count > 0;
}
