import type { ReadClaim, Veto } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";
import { linksBefore } from "./sentence-parts.ts";

/** Content words on a side of a verb among which its subject or object stands. */
const reach = 3;
/** Share of the claim's words that a sentence must hold to speak of the same. **Source** chosen on generated edits; see `bench/answers`. */
const sameMatter = 0.6;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** Before the other side of a verb or a noun, these turn it round: `is paid by B`, `the capital of B`. */
const turning = words("by of von durch");
/** Behind these stands a circumstance, and no side. */
const circumstances = words(
  "in on at for with during since until till before after within under over about as like into onto via per im am um bei mit für während seit bis vor nach auf als per",
);
/** Verbs whose sides may change places. */
const symmetric = words(
  "and or borders border meets met meet marries married marry equals equal resembles resemble matches match joins versus vs neighbours neighbors differs differ trifft traf heiratet heiratete gleicht",
);

/**
 * Sides that a sentence on the same matter has the other way round: `B pays A` for `A pays B`, and `from B to A` for `from A to B`.
 *
 * Two parties that prepositions introduce may be turned too: `lent by B to A` for `lent by A to B`. A side that `by` or `of` introduces on one side only is the passive of
 * the same.
 *
 * **Cost** the claim times the given sentences, each of them up to `most` words.
 */
export function findOtherRoles(
  claim: ReadClaim,
  evidence: SupportEvidence,
  beside: readonly number[],
  most: number,
): readonly Veto[] {
  const own = claim.all.slice(0, most);
  const found: Veto[] = [];
  const spoken: (readonly ReadWord[])[] = [];
  for (const at of beside) {
    const others = evidence.sentences[at]!.words.slice(0, most);
    const held = claim.words.filter(({ heldBy }) => heldBy.has(at));
    if (held.length < sameMatter * claim.words.length) continue;
    spoken.push(others);
    const turned =
      findTurnedDirection(own, others) ??
      findTurnedParties(own, others) ??
      findTurnedVerb(own, others) ??
      findOtherSubject(own, others);
    if (turned !== undefined) found.push(turned);
    const voice = findTurnedVoice(own, others) ?? findTurnedComparison(own, others);
    if (voice !== undefined) return [voice];
  }
  // A sentence that has the claim's words in the claim's order carries it.
  const keys = own.filter(({ isContent }) => isContent).map(({ key }) => key);
  const isSaid = spoken.some((others) => {
    let at = 0;
    for (const { key } of others) if (key === keys[at]) at += 1;
    return at === keys.length;
  });
  return isSaid ? [] : found.slice(0, 1);
}

function findTurnedVerb(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  for (const [at, verb] of own.entries()) {
    if (!verb.isContent || verb.isNumber || verb.isName || symmetric.has(verb.word)) continue;
    const place = onlyPlace(others, verb.key);
    if (place === undefined || onlyPlace(own, verb.key) === undefined) continue;
    const [before, behind] = [sidesBefore(own, at), sidesBehind(own, at)];
    const [otherBefore, otherBehind] = [sidesBefore(others, place), sidesBehind(others, place)];
    for (const left of before) {
      const turnedLeft = otherBehind.find(({ word }) => word.key === left.word.key);
      if (turnedLeft === undefined || otherBefore.some(({ word }) => word.key === left.word.key)) continue;
      for (const right of behind) {
        const turnedRight = otherBefore.find(({ word }) => word.key === right.word.key);
        if (turnedRight === undefined || otherBehind.some(({ word }) => word.key === right.word.key)) continue;
        if (left.word.key !== right.word.key && right.isTurned === turnedLeft.isTurned) {
          const { start, end } = right.word;
          return { kind: "role", start, end };
        }
      }
    }
  }
  return undefined;
}

/**
 * The subject of a claim that a sentence has behind the verb, as its object or in a circumstance beside another subject: `Her father founded the museum`, where `Clara founded the museum with
 * paintings of her father`.
 */
function findOtherSubject(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  const content = own.filter(({ isContent }) => isContent);
  // The last word of a name stands for it.
  const name = content.findIndex(({ isName }, at) => at > 0 && !isName) - 1;
  const [subject, verb] = [content[Math.max(0, name)], content[Math.max(0, name) + 1]];
  if (subject === undefined || verb === undefined || subject.isNumber) return undefined;
  const [place, verbPlace] = [onlyPlace(others, subject.key), onlyPlace(others, verb.key)];
  if (place === undefined || verbPlace === undefined || place < verbPlace || isPassive(own, own.indexOf(verb)))
    return undefined;
  const clause = others.slice(0, verbPlace).findLastIndex(({ opensClause }) => opensClause);
  const before = others.slice(Math.max(0, clause), verbPlace).filter(({ isContent }) => isContent);
  const isOther = before.length > 0 && before.every(({ key }) => own.every((word) => word.key !== key));
  const links = linksBefore(others, others[place]!);
  const isAgent = isPassive(others, verbPlace) || links.some((link) => turning.has(link));
  const isAside = isOther && links.some((link) => circumstances.has(link) || origins.has(link));
  const between = others.slice(verbPlace + 1, place).filter((word) => word.isContent);
  const isObject =
    links.length === 0 && between.every((word) => word.isTitle || word.isCapital) && others[place]!.isName;
  if (isAgent || !(isAside || isObject)) return undefined;
  return { kind: "role", start: subject.start, end: subject.end };
}

/** The subject of a passive claim that does something to another in a sentence: `Followers are elected`, where `followers elect a leader`. */
function findTurnedVoice(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  for (const [at, verb] of own.entries()) {
    if (!verb.isContent || verb.isNumber || verb.isName || !isPassive(own, at)) continue;
    const place = onlyPlace(others, verb.key);
    const subject = own.slice(0, at).findLast(({ isContent }) => isContent);
    if (place === undefined || subject === undefined || isPassive(others, place)) continue;
    const [before, behind] = [others[place - 1], others[place + 1]];
    const hasObject = behind !== undefined && !behind.isBehindSign && articles.has(behind.word);
    if (before?.key === subject.key && hasObject) return { kind: "role", start: verb.start, end: verb.end };
  }
  return undefined;
}

/** A word of a claim before `than` that a sentence with the same comparative has behind it: `rarer with A than with B`. */
function findTurnedComparison(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  const [at, place] = [own, others].map((list) => list.findIndex(({ word }) => word === "than" || word === "als"));
  if (at === undefined || place === undefined || at < 0 || place < 0) return undefined;
  const isLess = (list: readonly ReadWord[]): boolean => list.some(({ quantifier }) => quantifier === "less");
  const [before, behind] = [own.slice(0, at), own.slice(at + 1)];
  const [otherBefore, otherBehind] = [others.slice(0, place), others.slice(place + 1)];
  const isIn = (list: readonly ReadWord[], { key }: ReadWord): boolean => list.some((word) => word.key === key);
  const moved = before.find((word) => word.isContent && isIn(otherBehind, word) && !isIn(otherBefore, word));
  const back = behind.some((word) => word.isContent && isIn(otherBefore, word) && !isIn(otherBehind, word));
  // "A is dearer than B" and "B is cheaper than A" say the same.
  const isSame =
    isLess(before) === isLess(otherBefore) &&
    before.some((word) => !word.isName && word.isContent && isIn(otherBefore, word));
  return moved !== undefined && back && isSame ? { kind: "role", start: moved.start, end: moved.end } : undefined;
}

/** Whether a form of `to be` stands before a verb, with nothing between but words that tell nothing and an adverb. */
function isPassive(words: readonly ReadWord[], at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - 3); before -= 1) {
    const { word, isContent } = words[before]!;
    if (being.has(word)) return true;
    if (isContent && !word.endsWith("ly")) return false;
  }
  return false;
}

const being = words("is are was were be been being gets got wird werden wurde wurden worden");

/** A word that may be a side, and whether a word that turns the verb round introduces it. */
interface Side {
  readonly word: ReadWord;
  readonly isTurned: boolean;
}

function sidesBefore(words: readonly ReadWord[], at: number): readonly Side[] {
  const sides: Side[] = [];
  for (let before = at - 1; before >= 0 && sides.length < reach; before -= 1) {
    // Right before its verb a noun is its subject: "after Acme paid Beta".
    const side = sideAt(words, before, before === at - 1);
    if (side !== undefined) sides.push(side);
    if (words[before]!.opensClause) break;
  }
  return sides;
}

function sidesBehind(words: readonly ReadWord[], at: number): readonly Side[] {
  const sides: Side[] = [];
  for (let behind = at + 1; behind < words.length && sides.length < reach; behind += 1) {
    if (words[behind]!.opensClause) break;
    const side = sideAt(words, behind);
    if (side !== undefined) sides.push(side);
  }
  return sides;
}

/** A side has a name or a noun, and no number, and no circumstance's preposition before its first word. */
function sideAt(words: readonly ReadWord[], at: number, isSubject = false): Side | undefined {
  const word = words[at]!;
  if (!word.isContent || word.isNumber || word.key.startsWith("@") || word.unit !== "" || word.quantifier !== "")
    return undefined;
  let before = at - 1;
  while (before >= 0 && words[before]!.isContent && !words[before]!.opensClause) before -= 1;
  const article = words[before];
  const introduced = article && articles.has(article.word) ? words[before - 1] : article;
  if (!isSubject && introduced !== undefined && circumstances.has(introduced.word)) return undefined;
  return { word, isTurned: introduced !== undefined && turning.has(introduced.word) };
}

const articles = words(
  "the a an this that its their his her our your every each der die das den dem des ein eine einen einem einer",
);

/** Heads of `from … to …`, read by the prepositions alone. */
function findTurnedDirection(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  const [from, to] = [headBehind(own, origins), headBehind(own, goals)];
  const [otherFrom, otherTo] = [headBehind(others, origins), headBehind(others, goals)];
  if (!from || !to || !otherFrom || !otherTo || from.key === to.key) return undefined;
  if (from.key !== otherTo.key && to.key !== otherFrom.key) return undefined;
  if (from.key === otherFrom.key || to.key === otherTo.key) return undefined;
  return { kind: "role", start: from.start, end: from.end };
}

/** Parties that two prepositions introduce, or an object and one of them, each of which the other sentence has behind the other preposition. */
function findTurnedParties(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  const [mine, theirs] = [partiesOf(own), partiesOf(others)];
  const stands = (party: readonly ReadWord[] | undefined, { key }: ReadWord): boolean =>
    party?.some((each) => each.key === key) ?? false;
  for (const [one, party] of mine)
    for (const [other, [counter]] of mine) {
      if (one === other || counter === undefined) continue;
      const [same, turned] = [theirs.get(one), theirs.get(other)];
      if (!stands(same, counter) || stands(turned, counter)) continue;
      // The object stands anywhere before the first preposition.
      const head = (one === object ? party : party.slice(0, 1)).find(
        (word) => stands(turned, word) && !stands(same, word),
      );
      if (head !== undefined) return { kind: "role", start: head.start, end: head.end };
    }
  return undefined;
}

/** Stands for the preposition of an object, which has none. */
const object = "";

/** Content words behind each preposition that introduces a party, and those before the first. */
function partiesOf(words: readonly ReadWord[]): ReadonlyMap<string, readonly ReadWord[]> {
  const parties = new Map<string, ReadWord[]>();
  let party: ReadWord[] | undefined;
  let count = 0;
  const first = words.findIndex(({ word }) => introducing.has(word));
  if (first > 0)
    parties.set(
      object,
      words
        .slice(0, first)
        .filter(({ isContent }) => isContent)
        .slice(-reach),
    );
  for (const word of words) {
    if (introducing.has(word.word)) {
      party = parties.get(word.word) ?? [];
      parties.set(word.word, party);
      count = 0;
    } else if (word.opensClause || circumstances.has(word.word)) party = undefined;
    else if (word.isContent && party !== undefined && count < reach) {
      party.push(word);
      count += 1;
    }
  }
  return parties;
}

const introducing = words("by to from for with von an für durch mit");
const origins = words("from von aus");
const goals = words("to into nach zu zum zur an in bis");

function headBehind(words: readonly ReadWord[], prepositions: ReadonlySet<string>): ReadWord | undefined {
  for (const [at, { word }] of words.entries()) {
    if (!prepositions.has(word)) continue;
    const head = words.slice(at + 1, at + 4).find(({ isContent }) => isContent);
    if (head !== undefined) return head;
  }
  return undefined;
}

/** The place of a word that stands once. */
function onlyPlace(words: readonly ReadWord[], key: string): number | undefined {
  const first = words.findIndex((word) => word.key === key);
  return first >= 0 && words.findLastIndex((word) => word.key === key) === first ? first : undefined;
}
