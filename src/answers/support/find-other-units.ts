import type { Counterpart } from "./compare-sentences.ts";
import { type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";

/**
 * Units of a claim's numbers that the evidence never has beside that number, though it has others there: `90 weeks` where it says `90 days`.
 *
 * **Cost** the places of the claim's numbers.
 */
export function findOtherUnits({ all }: ReadClaim, { places, sentences }: SupportEvidence): readonly Veto[] {
  return all.flatMap((word, at): readonly Veto[] => {
    const own = isFigure(word) ? unitBeside(all, at) : undefined;
    if (own === undefined) return [];
    const holders = new Set(places.get(word.key)?.map((place) => Math.floor(place / sentenceStride)));
    const found = [...holders].flatMap((holder) => {
      const { words } = sentences[holder]!;
      return words.flatMap(({ key }, place) => (key === word.key ? [unitBeside(words, place)?.unit ?? ""] : []));
    });
    const isOther = found.length > 0 && !found.includes(own.unit) && !found.includes("");
    // A sign has no place of its own.
    const { start, end } = own.start === own.end ? word : own;
    return isOther ? [{ kind: "unit", start, end }] : [];
  });
}

/**
 * Numbers that count one thing in a claim and another in its evidence: `1,204 hospitals` where it says `1,204 patients in 31
 * hospitals`.
 */
export function findOtherCounts({ all }: ReadClaim, { places, sentences }: SupportEvidence): readonly Veto[] {
  const isCounted = (word: ReadWord | undefined): word is ReadWord =>
    word !== undefined && word.isContent && word.unit === "" && !word.isNumber && !word.isBehindSign;
  return all.flatMap((word, at): readonly Veto[] => {
    const own = all[at + 1];
    if (!isFigure(word) || isOrdinal(word) || !isCounted(own)) return [];
    const holders = new Set(places.get(word.key)?.map((place) => Math.floor(place / sentenceStride)));
    const isOther = [...holders].map((holder) => {
      const { words } = sentences[holder]!;
      const counted = (key: string): readonly string[] =>
        words.flatMap((other, place) =>
          other.key === key && isCounted(words[place + 1]) ? [words[place + 1]!.key] : [],
        );
      const things = counted(word.key);
      const isAlone = things.length > 0 && !things.includes(own.key);
      return (
        isAlone &&
        words.some((other) => isFigure(other) && other.key !== word.key && counted(other.key).includes(own.key))
      );
    });
    return isOther.length > 0 && isOther.every(Boolean) ? [vetoOf("number", word)] : [];
  });
}

const isOrdinal = ({ word }: ReadWord): boolean => /(?:st|nd|rd|th)$/u.test(word);

/** From here on a sentence is the claim, with some of its words left out. */
const nearlyVerbatim = 0.75;
/** Between these a sentence goes on with another thing. */
const joining: ReadonlySet<string> = new Set(["and", "but", "then", "or", "und", "aber", "dann", "oder"]);

/**
 * Numbers of a claim before which a nearly verbatim sentence has another one of the same unit, which a clause of the claim leaves out.
 *
 * `Bake at 240 °C for forty minutes` leaves out a number of `Bake at 240 °C for fifteen minutes, then at 190 °C for forty minutes`.
 */
export function findSkippedNumbers({ all }: ReadClaim, counterparts: readonly Counterpart[]): readonly Veto[] {
  return counterparts.flatMap(({ gaps }) =>
    gaps.flatMap(({ own, other, isBounded, anchor, whole }): readonly Veto[] => {
      if (!isBounded || whole < nearlyVerbatim || !isFigure(anchor)) return [];
      if (own.some(({ isNumber, word }) => isNumber || joining.has(word))) return [];
      const unit = unitBeside(all, all.indexOf(anchor))?.unit ?? "";
      const isSkipped = other.some((word, at) => unit !== "" && isFigure(word) && unitBeside(other, at)?.unit === unit);
      return isSkipped ? [vetoOf("number", anchor)] : [];
    }),
  );
}

const isFigure = ({ key }: ReadWord): boolean => /^#-?[\d.]+$/u.test(key);

/** Words behind a number within which its unit stands: `ninety consecutive days`. */
const reach = 2;

/** The unit of a number: the first behind it, else one right before it, such as `EUR 40`. */
function unitBeside(words: readonly ReadWord[], at: number): ReadWord | undefined {
  for (let next = at + 1; next <= at + reach && next < words.length; next += 1) {
    const word = words[next]!;
    if (word.unit !== "") return word;
    if (word.isNumber || word.opensClause || !word.isContent) break;
  }
  const before = words[at - 1];
  return before !== undefined && before.unit !== "" && !isFigureBefore(words, at - 1) ? before : undefined;
}

/** Whether a unit belongs to the number before it. */
function isFigureBefore(words: readonly ReadWord[], at: number): boolean {
  return words[at - 1] !== undefined && isFigure(words[at - 1]!);
}
