import type { Counterpart } from "./compare-sentences.ts";
import { type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import type { ReadWord } from "./read-words.ts";

/** Share of a claim's other words that a sentence holds in order, so that it is the claim with words replaced. **Source** this and the next figures are chosen on WiCE and CLAPNQ. */
const nearlyVerbatim = 0.75;
/** Words that may stand in the place of a few others. */
const mostReplacing = 2;
const mostReplaced = 3;
/** A word so like one of the evidence is a form of it. */
const derived = 0.6;

/**
 * Words of a claim that no source has, where a nearly verbatim sentence has others in their place: `Backups are deleted every night` for `Backups run every night`.
 *
 * Words cannot tell such a word from a synonym, so a judge may find that it says the same.
 */
export function findOtherWording({ words, text }: ReadClaim, counterparts: readonly Counterpart[]): readonly Veto[] {
  const unknown = new Set(
    words
      .filter(({ word, isMissing, isInTitle, softness }) => {
        const isPlain = !word.isNumber && !word.isName && !word.mayBeName && !word.isTitle && word.unit === "";
        return isMissing && isPlain && !isInTitle && softness < derived && !introducesQuote(word, text);
      })
      .map(({ word }) => word.start),
  );
  return counterparts.flatMap(({ gaps, keys }) =>
    gaps.flatMap(({ own, other, isLast, whole }): readonly Veto[] => {
      const replacing = own.filter(({ isContent }) => isContent);
      const replaced = other.filter(({ key, isTitle }) => !keys.has(key) && !isTitle);
      const last = replacing.at(-1);
      if (last === undefined || !unknown.has(last.start) || replacing.length > mostReplacing) return [];
      if (whole < nearlyVerbatim || replaced.length === 0 || replaced.length > mostReplaced) return [];
      // Before the same word or the same anchor, or behind the same word. The end of a sentence tells nothing.
      const behind = keyBehind(own, last);
      const isSamePlace =
        (behind === keyBehind(other, replaced.at(-1)!) && !(isLast && behind === undefined)) ||
        isBehindSame(own, replacing[0]!, other, replaced[0]!);
      return isSamePlace
        ? replacing.filter(({ start }) => unknown.has(start)).map((word) => vetoOf("wording", word))
        : [];
    }),
  );
}

/**
 * The word behind `and` of a claim, where a nearly verbatim sentence has a clause of another verb there: `A reset deletes settings and the firmware` for `A reset deletes settings but
 * keeps the firmware`.
 */
export function findJoinedOtherwise(counterparts: readonly Counterpart[]): readonly Veto[] {
  return counterparts.flatMap(({ gaps, keys }) =>
    gaps.flatMap(({ own, other, anchor, isBounded, whole }): readonly Veto[] => {
      if (!isBounded || whole < nearlyVerbatim || own.some(({ isContent }) => isContent)) return [];
      const isJoined = own.some(({ word }) => adding.has(word)) && !own.some(({ word }) => opposing.has(word));
      const isOpposed = other.some(({ word }) => opposing.has(word));
      return isJoined && isOpposed && other.some(({ key, isContent }) => isContent && !keys.has(key))
        ? [vetoOf("exchange", anchor)]
        : [];
    }),
  );
}

const adding: ReadonlySet<string> = new Set(["and", "or", "und", "oder"]);
const opposing: ReadonlySet<string> = new Set(["but", "while", "whereas", "yet", "aber", "sondern", "während"]);

function keyBehind(words: readonly ReadWord[], word: ReadWord): string | undefined {
  return words.slice(words.indexOf(word) + 1).find(({ word: behind }) => !particles.has(behind))?.key;
}

function isBehindSame(own: readonly ReadWord[], word: ReadWord, other: readonly ReadWord[], facing: ReadWord): boolean {
  const [before, otherBefore] = [own[own.indexOf(word) - 1], other[other.indexOf(facing) - 1]];
  return before !== undefined && before.key === otherBefore?.key;
}

/** Whether a word says no more than that its source has the quotation behind it: `The handbook says "27 days of leave"`. */
function introducesQuote({ word, end }: ReadWord, text: string): boolean {
  return reporting.has(word) && /^[\s:,]*["“„«]/u.test(text.slice(end));
}

/** **Source** ibid's own choice, in English and German. */
const reporting: ReadonlySet<string> = new Set(
  "say says said state states stated note notes noted read reads write writes mention mentions explain explains describe describes list lists specify specifies sagt sagen besagt nennt schreibt steht beschreibt erklärt".split(
    " ",
  ),
);

/** Behind a verb these belong to it: `paid out`. **Source** ibid's own choice, in English. */
const particles: ReadonlySet<string> = new Set(["away", "back", "down", "off", "out", "up"]);
