import { type ClaimWord, type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";

/** The second sentence must add this share of the claim to carry it too. */
export const leastAdded = 0.08;

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Between these a sentence says two things, each of which may come from a sentence of its own. */
const joining = set("and but while whereas yet und aber während sondern");
/** A clause that begins with one of these is about the word before it. */
const relative = set("which who whose whom where");
/** A clause that begins with one of these, behind its conjunction, has a subject of its own. */
const determining = set(
  "the a an this that these those its their his her our your every each all both some no one two three there der die das ein eine dieser diese dieses sein ihr jeder jede jedes alle kein keine es gibt",
);
/** A sentence that begins with one of these speaks of the subject of the one before it. */
const referring = set(
  "it its they their theirs this these those he his she her hers such both er sie es sein seine ihr ihre dies diese dieser dieses beide",
);
/** A clause whose first content word follows one of these has the subject of the clause before. */
const going = set(
  "is are was were be been has have had can may must will should does did at in on for with by from to of not ist sind war waren hat haben kann muss wird werden in im am um bei mit für von zu",
);

/** A clause that begins with one of these tells of another case. */
const conceding = set("although though if unless until obwohl wenn falls bis");

/** From these shares on, of words held and of pairs in order, the rest of a clause was put into a sentence. */
const nearlyWhole = 0.9;
const nearlyInOrder = 0.7;
/** A shorter clause is too short to be another sentence with something put in. */
const leastHeld = 3;
/** Content words on each side that a denial reaches. */
const mostDenied = 4;
/** At most so many words stand in the place of at most so many others. */
const mostSwapped = 3;
/** Content words with which a sentence says what it is about. */
const subjectWords = 3;
/** Words among which a pronoun stands that speaks of the sentence before. */
const pronounWords = 4;

/**
 * A clause whose facts come from two sentences that do not speak of the same thing: nothing says that both are true of it.
 *
 * Each of two clauses that a conjunction or a relative pronoun joins may have a sentence of its own. Within a clause two sentences are apart in these cases:
 *
 * - One holds nearly all of it word for word, the other adds the rest, and they do not share the subject.
 * - They share no word of the clause but units, and neither holds the words with which the other begins.
 * - Words of one stand in the place of others of the second.
 * - The claim affirms, one denies a word of it, and all that this one gives stands close to the denial.
 * - Both are rows of a table.
 *
 * A pronoun that continues the sentence before connects both. So does a title, unless one of them begins with words of a heading of its own.
 *
 * **Shape** the words that only the second sentence holds. **Source** shares chosen on WiCE and on generated edits; see `docs/decisions/0230-vetoes-beyond-numbers.md`.
 */
export function findSeam(claim: ReadClaim, evidence: SupportEvidence): readonly Veto[] {
  const [first, second] = claim.best;
  if (first === undefined || second === undefined || claim.covered[1] - claim.covered[0] < leastAdded) return [];
  const appended = findAppended(claim, evidence);
  if (appended.length > 0) return appended;
  if (continues(first, second, evidence)) {
    const other = findOtherHolder(claim, evidence);
    return other.length > 0 ? other : findFormerState(claim, evidence);
  }
  const titleKeys = sharedTitleKeys(first, second, evidence);
  const isRowsBoth = evidence.rows[first]! && evidence.rows[second]!;
  const affirms = !claim.all.some(({ impliesDenial }) => impliesDenial);
  let subject: ClaimWord | undefined;
  for (const clause of clausesOf(claim)) {
    if (clause.hasSubject || subject === undefined)
      subject = clause.words.find(({ isMissing }) => !isMissing) ?? subject;
    const words = clause.hasSubject || subject === undefined ? clause.words : [subject, ...clause.words];
    const only = (own: number, other: number): readonly ClaimWord[] =>
      words.filter(
        ({ heldBy, word }) =>
          heldBy.has(own) && !heldBy.has(other) && !titleKeys.has(word.key) && !isColumn(word.key, other, evidence),
      );
    const [ofFirst, ofSecond] = [only(first, second), only(second, first)];
    const isAbout = (at: number): boolean => subject === undefined || subject.heldBy.has(at);
    const isSwapped =
      standsInPlace(clause.words, first, second, evidence, isAbout(second)) ||
      standsInPlace(clause.words, second, first, evidence, isAbout(first));
    // A title tells of whom its sentences speak, and takes no noun out of the place of another.
    const isTitled = ofFirst.length === 0 || ofSecond.length === 0;
    if (isTitled && (!isSwapped || clause.words.some(({ word }) => word.isName))) continue;
    if (subject === undefined) continue;
    const isShared = titleKeys.has(subject.word.key) || (subject.heldBy.has(first) && subject.heldBy.has(second));
    const isPutIn = !isShared && isNearlyVerbatim(words, first, second, evidence);
    const isDeniedThere =
      affirms && (isDenied(words, ofFirst, first, evidence) || isDenied(words, ofSecond, second, evidence));
    const isParted = isPutIn || isSwapped || isDeniedThere || isRowsBoth;
    if (isParted || isApart(words, first, second, titleKeys, evidence))
      return (ofSecond.length > 0 ? ofSecond : [subject]).map(({ word }) =>
        vetoOf(isSwapped || isDeniedThere ? "exchange" : "connection", word),
      );
  }
  return [];
}

/**
 * The end of a claim, which belongs to another subject of the second sentence: `Clara gave the tower`, where `Clara founded the museum. Her brother gave the
 * tower.`
 */
function findOtherHolder(
  { words, best: [one, other] }: ReadClaim,
  { sentences, positions }: SupportEvidence,
): readonly Veto[] {
  const [before, after] = positions[one!]! < positions[other!]! ? [one!, other!] : [other!, one!];
  const { words: own } = sentences[after]!;
  const at = own.slice(0, pronounWords).findIndex(({ word }) => possessive.has(word));
  const holder = own[at + 1];
  if (at < 0 || holder?.isContent !== true || words.some(({ word }) => word.key === holder.key)) return [];
  const end = words.slice(words.findLastIndex(({ heldBy }) => !heldBy.has(after)) + 1);
  const isOfFirst = words[0]!.heldBy.has(before) && !words[0]!.heldBy.has(after);
  return isOfFirst ? end.map(({ word }) => vetoOf("exchange", word)) : [];
}

const possessive = set("its their his her such sein seine ihr ihre dessen deren");

/**
 * A circumstance at the end of a clause, from a sentence on something else: `The pool closes at ten in winter`, where `in winter it
 * is heated`.
 */
function findAppended(claim: ReadClaim, evidence: SupportEvidence): readonly Veto[] {
  const [first, second] = claim.best;
  for (const { words } of clausesOf(claim)) {
    const given = words.findIndex(({ heldBy }) => heldBy.has(second!) && !heldBy.has(first!));
    if (given < 0 || !isNearlyVerbatim(words, first!, second!, evidence)) continue;
    let at = claim.all.indexOf(words[given]!.word) - 1;
    while (at >= 0 && !circumstantial.has(claim.all[at]!.word)) at -= 1;
    const from = words.findIndex(({ word }) => at >= 0 && word.start > claim.all[at]!.start);
    const appended = words.slice(Math.max(0, from));
    if (from < leastHeld || !appended.every(({ heldBy }) => heldBy.has(second!))) continue;
    const isTold = words.slice(subjectWords - 1, from).some(({ heldBy }) => heldBy.has(second!));
    if (!isTold) return appended.map(({ word }) => vetoOf("connection", word));
  }
  return [];
}

/** They begin a circumstance. */
const circumstantial = set(
  "at in on for with from by during near since until after before under over within without im am um bei mit für von seit bis nach vor während",
);

/** Whether the header of a row has a word. */
function isColumn(key: string, row: number, { rows, titles }: SupportEvidence): boolean {
  return rows[row]! && titles[row]!.some((line) => line.has(key));
}

/** Whether one sentence holds nearly all of a clause that the other does not add, and in its order. */
function isNearlyVerbatim(
  words: readonly ClaimWord[],
  first: number,
  second: number,
  { sentences }: SupportEvidence,
): boolean {
  const rest = words.filter(({ heldBy }) => heldBy.has(first) || !heldBy.has(second));
  const held = rest.filter(({ heldBy }) => heldBy.has(first));
  if (held.length < leastHeld || held.length < nearlyWhole * rest.length) return false;
  const { content } = sentences[first]!;
  const pairs = new Set(content.map(({ key }, at) => `${key} ${content[at + 1]?.key ?? ""}`));
  const inOrder = held.filter(({ word }, at) => at > 0 && pairs.has(`${held[at - 1]!.word.key} ${word.key}`)).length;
  return inOrder >= nearlyInOrder * (held.length - 1);
}

/** Keys of the title that two sentences share. **Shape** none where one of them begins with words of a heading of its own, and so is about that. */
function sharedTitleKeys(one: number, other: number, { titles, sentences }: SupportEvidence): ReadonlySet<string> {
  const isAboutItsHeading = (own: number, beside: number): boolean => {
    const begins = sentences[own]!.content.slice(0, subjectWords);
    const headings = titles[own]!.filter((line) => !titles[beside]!.includes(line));
    return headings.some((line) => begins.some(({ key }) => line.has(key)));
  };
  if (isAboutItsHeading(one, other) || isAboutItsHeading(other, one)) return new Set();
  const [title] = titles[one]!;
  return title !== undefined && titles[other]!.includes(title) ? title : new Set();
}

/**
 * Whether words of a clause that only one sentence holds stand where another, which holds the others, has words that the clause lacks. Where they end the clause, the
 * other may go on; only a sentence that speaks of something else takes a place so.
 */
function standsInPlace(
  words: readonly ClaimWord[],
  holder: number,
  giver: number,
  { sentences }: SupportEvidence,
  isGiverAbout: boolean,
): boolean {
  const isGiven = ({ heldBy }: ClaimWord): boolean => heldBy.has(giver) && !heldBy.has(holder);
  const from = words.findIndex(isGiven);
  const to = words.findLastIndex(isGiven) + 1;
  const others = [...words.slice(0, from), ...words.slice(to)];
  if (from < 0 || to - from > mostSwapped || others.length < 2 || !words.slice(from, to).every(isGiven)) return false;
  if (!others.every(({ heldBy }) => heldBy.has(holder))) return false;
  const { content } = sentences[holder]!;
  const placeOf = (each: ClaimWord | undefined): number => content.findIndex(({ key }) => key === each?.word.key);
  const [left, right] = [words[from - 1], words[to]];
  const start = left === undefined ? 0 : placeOf(left) + 1;
  const end = right === undefined ? content.length : placeOf(right);
  const keys = new Set(words.map(({ word }) => word.key));
  const facing = content.slice(start, right === undefined && !isGiverAbout ? start + mostSwapped : end);
  return facing.length > 0 && facing.length <= mostSwapped && !facing.some(({ key }) => keys.has(key));
}

/** Whether a sentence denies a word of a clause, and gives it nothing but words close to that denial. */
function isDenied(
  words: readonly ClaimWord[],
  given: readonly ClaimWord[],
  at: number,
  { sentences }: SupportEvidence,
): boolean {
  const { words: all } = sentences[at]!;
  const denial = all.findIndex(({ isDenial }) => isDenial);
  if (denial < 0) return false;
  const keysOf = (side: readonly ReadWord[]): readonly string[] =>
    side.filter(({ isContent }) => isContent).map(({ key }) => key);
  const opens = all.slice(0, denial).findLastIndex(({ word, opensClause }) => opensClause || conceding.has(word));
  const behind = keysOf(all.slice(denial + 1)).slice(0, mostDenied);
  const around = new Set([...keysOf(all.slice(Math.max(0, opens), denial)).slice(-mostDenied), ...behind]);
  const denied = new Set(behind);
  return given.every(({ word }) => around.has(word.key)) && words.some(({ word }) => denied.has(word.key));
}

/** Whether two sentences share no word of a clause and begin with words that the other lacks, names of titles and pronouns included. */
function isApart(
  words: readonly ClaimWord[],
  first: number,
  second: number,
  titleKeys: ReadonlySet<string>,
  { sentences }: SupportEvidence,
): boolean {
  if (words.some(({ heldBy, word }) => heldBy.has(first) && heldBy.has(second) && word.unit === "")) return false;
  const isOther = (own: number, other: number): boolean => {
    const { words: all, content } = sentences[own]!;
    const begins = content.slice(0, subjectWords);
    const others = new Set(sentences[other]!.words.map(({ key }) => key));
    // A date alone, as above an article, is about what stands below it.
    if (begins.every(({ key }) => /^[#@]/u.test(key))) return false;
    if (all.some(isReferring)) return false;
    return !begins.some(({ key }) => others.has(key) || titleKeys.has(key));
  };
  return isOther(first, second) && isOther(second, first);
}

/**
 * Words that only a sentence about the past gives, in the place of others of the sentence that it continues: `Tokens expire after a day` for `Tokens expire after an hour.
 * Before, they expired after a day.`
 */
function findFormerState({ all, words, best: [first, second] }: ReadClaim, evidence: SupportEvidence): readonly Veto[] {
  const tellsOfPast = (each: readonly ReadWord[]): boolean => each.some(({ word }) => past.has(word));
  const { sentences } = evidence;
  if (tellsOfPast(all) || first === undefined || second === undefined) return [];
  const isFormer = [first, second].map((at) => tellsOfPast(sentences[at]!.words));
  if (isFormer[0] === isFormer[1]) return [];
  const [holder, giver] = isFormer[0]! ? [second, first] : [first, second];
  const given = words.filter(({ heldBy }) => heldBy.has(giver) && !heldBy.has(holder));
  const before = all[all.indexOf(given[0]?.word ?? all[0]!) - 1];
  // Both say the same of one subject, by a word of both or by the same relation.
  const isSame =
    words.some(({ heldBy, word }) => heldBy.has(holder) && heldBy.has(giver) && word.unit === "") ||
    [holder, giver].every((at) => sentences[at]!.words.some(({ key }) => key === before?.key));
  if (!isSame || !standsInPlace(words, holder, giver, evidence, true)) return [];
  return given.map(({ word }) => vetoOf("exchange", word));
}

/** Words of a state that has ended. */
const past = set(
  "was were had before formerly previously earlier until originally once used war waren hatte hatten wurde wurden früher bisher vorher zuvor ehemals damals",
);

interface Clause {
  readonly words: readonly ClaimWord[];
  readonly hasSubject: boolean;
}

/** Parts of a claim between its conjunctions and semicolons. */
function clausesOf({ all, words, text }: ReadClaim): readonly Clause[] {
  const byWord = new Map(words.map((each) => [each.word, each]));
  const clauses: { words: ClaimWord[]; hasSubject: boolean }[] = [{ words: [], hasSubject: true }];
  for (const [at, word] of all.entries()) {
    const isJoined = at > 0 && (joining.has(word.word) || text.slice(all[at - 1]!.end, word.start).includes(";"));
    if (isJoined) clauses.push({ words: [], hasSubject: opensSubject(all, joining.has(word.word) ? at + 1 : at) });
    if (at > 0 && relative.has(word.word)) {
      const last = clauses.at(-1)!.words.at(-1);
      clauses.push({ words: last === undefined ? [] : [last], hasSubject: true });
    }
    const own = byWord.get(word);
    if (own) clauses.at(-1)!.words.push(own);
  }
  return clauses.filter((clause) => clause.words.length > 0);
}

function opensSubject(all: readonly ReadWord[], at: number): boolean {
  const word = all[at]?.word ?? "";
  // "… and starts the rotation" goes on with the subject before it.
  if (/(?:[^s]s|ed|t)$/u.test(word) && determining.has(all[at + 1]?.word ?? "")) return false;
  return determining.has(word) || (!going.has(word) && !referring.has(word));
}

const isReferring = ({ word, isContent }: ReadWord): boolean => referring.has(word) && !isContent;

/** Whether one of two sentences in a row speaks of the other's subject by a pronoun. */
function continues(one: number, other: number, { sentences, positions }: SupportEvidence): boolean {
  const [before, after] = positions[one]! < positions[other]! ? [one, other] : [other, one];
  if (positions[after]! - positions[before]! !== 1) return false;
  return sentences[after]!.words.slice(0, pronounWords).some(isReferring);
}
