import type { ReadClaim, Veto } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";

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
    const turned = findTurnedDirection(own, others) ?? findTurnedParties(own, others) ?? findTurnedVerb(own, others);
    if (turned !== undefined) found.push(turned);
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

/** Parties that two prepositions introduce, each of which the other sentence has behind the other preposition. */
function findTurnedParties(own: readonly ReadWord[], others: readonly ReadWord[]): Veto | undefined {
  const [mine, theirs] = [partiesOf(own), partiesOf(others)];
  for (const [one, [head]] of mine) {
    if (head === undefined) continue;
    for (const [other, [counter]] of mine) {
      if (one === other || counter === undefined) continue;
      const [same, turned] = [theirs.get(one), theirs.get(other)];
      const stands = (party: readonly ReadWord[] | undefined, { key }: ReadWord): boolean =>
        party?.some((each) => each.key === key) ?? false;
      if (stands(turned, head) && !stands(same, head) && stands(same, counter) && !stands(turned, counter))
        return { kind: "role", start: head.start, end: head.end };
    }
  }
  return undefined;
}

/** Content words behind each preposition that introduces a party. */
function partiesOf(words: readonly ReadWord[]): ReadonlyMap<string, readonly ReadWord[]> {
  const parties = new Map<string, ReadWord[]>();
  let party: ReadWord[] | undefined;
  let count = 0;
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
