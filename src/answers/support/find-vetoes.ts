import { mostAligned } from "./features.ts";
import { type ClaimWord, type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";
import { findMissingNames } from "./find-missing-names.ts";
import { findOtherSenses, findStrayOpposites, findStraySenses, isSameGroup, kindOfSense } from "./find-other-senses.ts";
import { findOtherUnits } from "./find-other-units.ts";
import { findOtherRoles } from "./find-other-roles.ts";
import { findSeam } from "./find-seam.ts";
import { isMonth, type ReadWord } from "./read-words.ts";
import { exclude, oppositesOfWord, readSenses, type Sense } from "./senses.ts";
import { dimensionOfUnit } from "./units.ts";
import { strongKinds } from "./word-lists.ts";

/** Share of the words around a detail that a sentence must hold to tell of it. **Source** these shares are chosen on generated edits; see `bench/answers`. */
const leastShared = 0.3;
/** From here on both speak of the same thing. */
const sameMatter = 0.55;
/** From here on one is the other with a detail changed. */
const nearlyVerbatim = 0.75;
/** From here on a name or a number that the sentence lacks was put into it. */
const addedShare = 0.75;
/** Another sentence that shares so much of what the best one shares may affirm what that one denies. */
const equallyGood = 0.9;
/** Content words on each side of a detail that tell which sentence speaks of it. */
const window = 4;
/** Words that a sentence may have more than the claim between two anchors. */
const mostInserted = 6;
/** Words that may stand in the place of one quantifier. */
const mostReplaced = 3;
/** Content words before and behind a word in which a denial belongs to it. */
const reachBefore = 3;
const reachBehind = 1;

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
 *
 * **Cost** the claim times the three sentences that cover it best, and the places of its words.
 */
export function findVetoes(claim: ReadClaim, evidence: SupportEvidence): readonly Veto[] {
  const counterparts = counterpartsOf(claim, evidence);
  const vetoes = [
    ...findMissingNumbers(claim),
    ...findMissingNames(claim, evidence),
    ...findOtherDates(claim, evidence),
    ...findContradictions(counterparts, ({ kind, start }) => isElsewhere(claim, evidence, kind, start)),
    ...findStrayDenials(claim, evidence, counterparts),
    ...findStrayQuantifiers(claim, evidence, counterparts),
    ...findOtherUnits(claim, evidence),
    ...findOtherSenses(claim, evidence, sentencesBeside(claim)),
    ...findStraySenses(claim, evidence),
    ...findStrayOpposites(claim, evidence),
    ...findOtherRoles(claim, evidence, sentencesBeside(claim), mostAligned),
    ...findSeam(claim, evidence),
  ];
  const seen = new Set<string>();
  return vetoes
    .filter(({ kind, start }) => !seen.has(`${kind}${start}`) && seen.add(`${kind}${start}`))
    .toSorted((a, b) => a.start - b.start);
}

/** Words of both sides between the same two anchors. */
interface Gap {
  readonly own: readonly ReadWord[];
  readonly other: readonly ReadWord[];
  /** Whether an anchor stands on either side. */
  readonly isBounded: boolean;
  /** The claim's anchor behind it, else the one before. */
  readonly anchor: ReadWord;
  readonly isLast: boolean;
  /** Share of the claim's words around it that are anchors. */
  readonly share: number;
  /** Share of all of the claim's words outside the gap that are. */
  readonly whole: number;
  /** Relations, limits and modals of either side. */
  readonly senses: { readonly own: readonly PlacedSense[]; readonly other: readonly PlacedSense[] };
}

/** A sense, and the words that it is made of. */
interface PlacedSense extends Pick<Sense, "readings"> {
  readonly words: readonly ReadWord[];
  /** The word behind it. */
  readonly next: ReadWord | undefined;
}

function placeSenses(words: readonly ReadWord[]): readonly PlacedSense[] {
  return readSenses(words).map(({ from, to, readings }) => ({
    readings,
    words: words.slice(from, to),
    next: words[to],
  }));
}

/** A sentence that holds a part of the claim, compared with it word by word. */
interface Counterpart {
  readonly gaps: readonly Gap[];
  /** Keys of the claim's words. */
  readonly keys: ReadonlySet<string>;
  /** Keys of the sentence's words. */
  readonly others: ReadonlySet<string>;
  /** Share of the claim's words around one of its words that are anchors. */
  readonly shareAround: (start: number) => number;
}

function counterpartsOf(claim: ReadClaim, evidence: SupportEvidence): readonly Counterpart[] {
  const own = claim.all.slice(0, mostAligned);
  return sentencesBeside(claim).map((at) => compare(own, evidence.sentences[at]!.words.slice(0, mostAligned)));
}

/** Places of the sentences that hold most of a claim. */
function sentencesBeside({ words, best }: ReadClaim): readonly number[] {
  const held = new Map<number, number>();
  for (const { heldBy, rarity } of words) for (const at of heldBy) held.set(at, (held.get(at) ?? 0) + rarity);
  const fullest = [...held].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 3);
  return [...new Set([...fullest.map(([at]) => at), ...best])];
}

function compare(own: readonly ReadWord[], other: readonly ReadWord[]): Counterpart {
  const anchors = align(own, other);
  const anchored = new Set(anchors.map(([at]) => own[at]!));
  const content = own.filter(({ isContent }) => isContent);
  const shareBetween = (from: number, to: number): number => {
    const near = [
      ...content.filter(({ end }) => end <= from).slice(-window),
      ...content.filter(({ start }) => start >= to).slice(0, window),
    ];
    return near.length === 0 ? 0 : near.filter((word) => anchored.has(word)).length / near.length;
  };
  const [ownSenses, otherSenses] = [placeSenses(own), placeSenses(other)];
  const within = (senses: readonly PlacedSense[], words: readonly ReadWord[]): readonly PlacedSense[] => {
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined) return [];
    return senses.filter((each) => each.words.every(({ start }) => start >= first.start && start <= last.start));
  };
  const gaps: Gap[] = [];
  for (let at = 0; at <= anchors.length && anchors.length > 0; at += 1) {
    const [left, right] = [anchors[at - 1], anchors[at]];
    const words = own.slice(left ? left[0] + 1 : 0, right ? right[0] : own.length);
    // A sentence may begin and end with more than the claim takes from it.
    const slack = words.length + 2;
    let from = left ? left[1] + 1 : 0;
    let to = right ? right[1] : other.length;
    if (!left) from = Math.max(from, to - slack);
    if (!right) to = Math.min(to, from + slack);
    // Only the ends of a long insertion stand beside the anchors.
    const most = words.length + mostInserted;
    const facing =
      to - from <= most
        ? other.slice(from, to)
        : [...other.slice(from, from + (most >> 1)), ...other.slice(to - (most >> 1), to)];
    gaps.push({
      own: words,
      other: facing,
      isBounded: left !== undefined && right !== undefined,
      anchor: own[(right ?? left)![0]]!,
      isLast: right === undefined,
      share: shareBetween(left ? own[left[0]]!.end : 0, right ? own[right[0]]!.start : Number.POSITIVE_INFINITY),
      whole: anchors.length / Math.max(1, content.length - words.filter(({ isContent }) => isContent).length),
      senses: { own: within(ownSenses, words), other: within(otherSenses, facing) },
    });
  }
  return {
    gaps,
    keys: new Set(own.map(({ key }) => key)),
    others: new Set(other.map(({ key }) => key)),
    shareAround(start) {
      const at = own.findIndex((each) => each.start === start);
      if (at < 0) return 0;
      // A whole name is one detail.
      let [first, last] = [at, at];
      while (own[at]!.isName && own[first - 1]?.isName === true) first -= 1;
      while (own[at]!.isName && own[last + 1]?.isName === true) last += 1;
      return shareBetween(own[first]!.start, own[last]!.end);
    },
  };
}

/** Longest common subsequence of content words. */
function align(own: readonly ReadWord[], other: readonly ReadWord[]): readonly (readonly [number, number])[] {
  const width = other.length + 1;
  const table = new Uint16Array((own.length + 1) * width);
  const isPair = (i: number, j: number): boolean => own[i]!.key === other[j]!.key && own[i]!.isContent;
  for (let i = own.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      table[i * width + j] = isPair(i, j)
        ? table[(i + 1) * width + j + 1]! + 1
        : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  const anchors: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < own.length && j < other.length;) {
    if (isPair(i, j) && table[i * width + j] === table[(i + 1) * width + j + 1]! + 1) anchors.push([i++, j++]);
    else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return anchors;
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

const isYear = (key: string): boolean => /^#\d{4}$/u.test(key);

/** Details that each sentence on the same matter has otherwise. */
function findContradictions(
  counterparts: readonly Counterpart[],
  isSaidElsewhere: (veto: Veto) => boolean,
): readonly Veto[] {
  const found = counterparts.map(({ gaps, keys, others }) =>
    gaps.flatMap((gap) => [
      ...[...findSubstitutes(gap, keys), ...findDenials(gap), ...findQuantifiers(gap), ...findSenses(gap)].filter(
        (veto) => gap.whole >= nearlyVerbatim || !isSaidElsewhere(veto),
      ),
      ...findAdditions(gap, others).filter((veto) => !isSaidElsewhere(veto)),
    ]),
  );
  return found.flat().filter(({ kind, start }) => {
    const shares = counterparts.map((each) => each.shareAround(start));
    const most = Math.max(...shares);
    return found.every(
      (list, at) => shares[at]! < equallyGood * most || list.some((each) => each.kind === kind && each.start === start),
    );
  });
}

/** Whether the evidence says elsewhere what one sentence says otherwise. */
function isElsewhere(claim: ReadClaim, evidence: SupportEvidence, kind: Veto["kind"], start: number): boolean {
  if (kind === "number" || kind === "name" || kind === "unit") return hasNeighbour(claim, start, evidence);
  const at = claim.all.findIndex((word) => word.start === start);
  return kind === "quantifier" && claim.all[at]!.quantifier !== "" && isQuantified(claim, at, evidence);
}

/** Whether some sentence has a word of the claim beside the word that stands beside it, or beside its name, in the claim. */
function hasNeighbour({ words, text }: ReadClaim, start: number, { places }: SupportEvidence): boolean {
  const at = words.findIndex(({ word }) => word.start === start);
  const isRow = (left: number): boolean => {
    const [one, other] = [words[left]?.word, words[left + 1]?.word];
    return one?.isName === true && other?.isName === true && /^\s+$/u.test(text.slice(one.end, other.start));
  };
  let [first, last] = [at, at];
  while (isRow(first - 1)) first -= 1;
  while (isRow(last)) last += 1;
  const stands = (own: number, beside: number): boolean => {
    const others = new Set(places.get(words[beside]?.word.key ?? ""));
    return (places.get(words[own]?.word.key ?? "") ?? []).some(
      (place) => others.has(place - 1) || others.has(place + 1),
    );
  };
  return (
    stands(first, first - 1) ||
    stands(last, last + 1) ||
    (last > first && isRowOf(words.slice(first, last + 1), words, places))
  );
}

/** Whether a sentence has a whole name of several words, and others of the claim's words besides. */
function isRowOf(name: readonly ClaimWord[], words: readonly ClaimWord[], places: SupportEvidence["places"]): boolean {
  let starts = places.get(name[0]!.word.key) ?? [];
  for (const [at, { word }] of name.entries()) {
    const others = new Set(places.get(word.key));
    starts = starts.filter((place) => others.has(place + at));
  }
  return starts.some((place) => {
    const sentence = Math.floor(place / sentenceStride);
    return words.filter((each) => !name.includes(each) && each.heldBy.has(sentence)).length >= leastBesides;
  });
}

/** Content words besides a name that tie its sentence to the claim. */
const leastBesides = 2;

/** Numbers and names that stand where the counterpart has others. */
function findSubstitutes({ own, other, isBounded, share, whole }: Gap, claimed: ReadonlySet<string>): readonly Veto[] {
  if (share < (isBounded ? leastShared : sameMatter) || (!isBounded && whole < sameMatter)) return [];
  const keys = new Set(other.map(({ key }) => key));
  // A name that the claim has elsewhere is in another order rather than another name.
  const facing = whole >= nearlyVerbatim ? other : other.filter(({ key }) => !claimed.has(key));
  return own.flatMap((word): readonly Veto[] => {
    if (keys.has(word.key)) return [];
    if (isMonth(word)) return other.some((each) => isMonth(each)) ? [vetoOf("number", word)] : [];
    if (
      word.unit !== "" &&
      word.start < word.end &&
      other.some((each) => isOtherUnit(word, each)) &&
      !other.some(({ unit }) => unit === word.unit)
    )
      return [vetoOf("unit", word)];
    if (other.some((each) => oppositesOfWord(word.word).has(each.word))) return [vetoOf("role", word)];
    if (word.isNumber)
      return other.some((each) => each.isNumber || (isRank(each) && share >= sameMatter))
        ? [vetoOf("number", word)]
        : [];
    const mayBegin = !isBounded || word.mayBeName;
    return isNamed(word, mayBegin) && facing.some((each) => isNamed(each, mayBegin)) ? [vetoOf("name", word)] : [];
  });
}

function isOtherUnit({ unit }: ReadWord, other: ReadWord): boolean {
  return other.unit !== "" && other.unit !== unit && dimensionOfUnit(other.unit) === dimensionOfUnit(unit);
}

/** Relations, limits and modals in whose place the counterpart has others, or that only one of two nearly verbatim sentences has. */
function findSenses({ own, senses, isBounded, share, whole }: Gap): readonly Veto[] {
  if (share < sameMatter) return [];
  return senses.own
    .flatMap((sense): readonly Veto[] => {
      const others = senses.other.filter(({ readings }) => isSameGroup(readings, sense.readings));
      const isOther = others.length > 0 && others.every(({ readings }) => exclude(sense.readings, readings));
      const isAdded = others.length === 0 && isBounded && whole >= nearlyVerbatim && isBinding(sense);
      return isOther || isAdded ? [vetoOf(kindOfSense(sense.readings), sense.words[0]!)] : [];
    })
    .concat(
      senses.other
        .filter(({ readings }) => isBounded && whole >= nearlyVerbatim && readings.some((each) => kept.has(each)))
        .filter(({ readings }) => !senses.own.some((sense) => isSameGroup(sense.readings, readings)))
        .flatMap(({ readings, next }) => {
          const word = own[0] ?? next;
          return word === undefined ? [] : vetoOf(kindOfSense(readings), word);
        }),
    );
}

/** A duty, an exception, a place outside, and a limit before a number say something by themselves. */
function isBinding({ readings, next }: PlacedSense): boolean {
  return readings.some((reading) => binding.has(reading) || (reading.startsWith("limit/") && next?.isNumber === true));
}

const binding: ReadonlySet<string> = new Set(["modal/must", "scope/except", "place/outside"]);
/** These must not get lost either. */
const kept: ReadonlySet<string> = new Set(["modal/may", "scope/except"]);

/** Numbers and names that a nearly verbatim sentence lacks; its date may well stand elsewhere. */
function findAdditions({ own, share, whole }: Gap, present: ReadonlySet<string>): readonly Veto[] {
  if (whole < addedShare || share < nearlyVerbatim) return [];
  return own
    .filter(({ key, isNumber, isName }) => !present.has(key) && (isName || (isNumber && !isYear(key))))
    .map((word) => vetoOf(word.isName ? "name" : "number", word));
}

const isRank = ({ quantifier }: ReadWord): boolean => quantifier === "first" || quantifier === "last";

/** An exception answers a denial; limits and relations do not. */
const isLimit = ({ readings }: PlacedSense): boolean => !readings.includes("scope/except");

function findDenials({ own: given, other: facing, anchor, isLast, share, whole, senses }: Gap): readonly Veto[] {
  if (share < sameMatter) return [];
  // "No later than" is a limit, and no denial.
  const limits = new Set([...senses.own, ...senses.other].filter(isLimit).flatMap(({ words }) => words));
  const own = given.filter((word) => !limits.has(word));
  const other = facing.filter((word) => !limits.has(word));
  const denied = own.find(({ isDenial }) => isDenial);
  const count = (words: readonly ReadWord[]): number => words.filter(({ isDenial }) => isDenial).length;
  if (denied && whole >= nearlyVerbatim && count(own) === 2 && count(other) === 1) return [vetoOf("negation", denied)];
  const known = new Set(own.map(({ word }) => word));
  const isAnswered = other.some(({ isDenial, impliesDenial, word }) => isDenial || (impliesDenial && !known.has(word)));
  if (denied && !isAnswered) return [vetoOf("negation", denied)];
  const isDenied = other.some(({ isDenial }) => isDenial) && !isLast;
  const words = new Set(other.map(({ word }) => word));
  if (isDenied && !own.some(({ isDenial, impliesDenial, word }) => isDenial || (impliesDenial && !words.has(word))))
    return [vetoOf("negation", anchor)];
  return [];
}

function findQuantifiers({ own: given, other, isBounded, share, whole, senses }: Gap): readonly Veto[] {
  if (share < sameMatter) return [];
  // "At most" is a limit, and no "most".
  const limits = new Set(senses.own.flatMap(({ words }) => words));
  const own = given.filter((word) => !limits.has(word));
  const said = new Set(other.map(({ quantifier }) => quantifier).filter((kind) => kind !== ""));
  const found = own
    .filter(({ quantifier }) => quantifier !== "" && !said.has(quantifier))
    .filter(({ quantifier }) => said.size > 0 || strongKinds.has(quantifier) || whole >= nearlyVerbatim);
  if (found.length > 0) return found.map((word) => vetoOf("quantifier", word));
  const kinds = new Set(own.map(({ quantifier }) => quantifier));
  const keys = new Set(other.map(({ key }) => key));
  const instead = own.find(({ key, isContent, word }) => !keys.has(key) && (isContent || word === "any"));
  const isLost =
    isBounded &&
    own.length <= mostReplaced &&
    whole >= nearlyVerbatim &&
    [...said].some((kind) => !kinds.has(kind) && kind !== "more" && kind !== "less");
  return isLost && instead ? [vetoOf("quantifier", instead)] : [];
}

function isNamed(word: ReadWord, mayBegin: boolean): boolean {
  return (word.isName || (mayBegin && word.isCapital)) && !word.isTitle && !word.isNumber && !isMonth(word);
}

/** Denials of a claim without a counterpart that no sentence answers, and words that deny by their meaning where one sentence says the rest. */
function findStrayDenials(
  claim: ReadClaim,
  { sentences }: SupportEvidence,
  counterparts: readonly Counterpart[],
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

/** Keys of the content words that a denial or a quantifier may belong to: two behind it, else the one before. */
function headsOf(words: readonly ReadWord[], at: number): ReadonlySet<string> {
  const keys = new Set<string>();
  for (let next = at + 1; next < words.length && keys.size < 2; next += 1)
    if (words[next]!.isContent) keys.add(words[next]!.key);
  for (let before = at - 1; before >= 0 && keys.size < 1; before -= 1)
    if (words[before]!.isContent) keys.add(words[before]!.key);
  return keys;
}

function isDeniedAt(words: readonly ReadWord[], at: number): boolean {
  return around(words, at).some(({ impliesDenial, key }) => impliesDenial && key !== words[at]!.key);
}

/** Words around a place, with at most so many content words between. */
function around(words: readonly ReadWord[], at: number): readonly ReadWord[] {
  let [from, to] = [at, at];
  for (let passed = 0; from > 0 && passed < reachBefore; from -= 1) if (words[from - 1]!.isContent) passed += 1;
  for (let passed = 0; to + 1 < words.length && passed < reachBehind; to += 1)
    if (words[to + 1]!.isContent) passed += 1;
  return words.slice(from, to + 1);
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

/** Whether a sentence that covers the claim quantifies the same thing alike. */
function isQuantified({ all, best }: ReadClaim, at: number, { sentences }: SupportEvidence): boolean {
  const heads = headsOf(all, at);
  return best.some((place) => {
    const { words } = sentences[place]!;
    return words.some(
      ({ quantifier }, other) =>
        quantifier === all[at]!.quantifier && around(words, other).some(({ key }) => heads.has(key)),
    );
  });
}
