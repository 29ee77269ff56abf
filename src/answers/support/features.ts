import type { ClaimWord, ReadClaim } from "./read-claim.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";

/** Features of a content word, in the order of their weights. */
export const tokenFeatureNames = [
  "rarity if missing",
  "missing from the best two",
  "missing, no number, no name",
  "in the title",
  "rarity",
  "right neighbour near",
  "left neighbour near",
  "missing number",
  "number",
  "hedge",
  "disagreement of a number or name",
  "missing name",
  "left neighbour missing",
  "right neighbour missing",
  "name",
  "missing",
  "missing from the best",
  "likeness",
  "missing quantifier before",
  "share of the claim in its sentence",
  "agreement",
  "position",
] as const;

/** Features of a claim, in the order of their weights. */
export const claimFeatureNames = [
  "coverage",
  "soft coverage",
  "best one",
  "best two",
  "best three",
  "least clause",
  "least clause in one sentence",
  "bigrams",
  "trigrams",
  "longest common subsequence",
  "missing numbers",
  "missing names",
  "missing others",
  "least agreement",
  "mean agreement",
  "missing quantifiers",
  "words",
  "clauses",
  "highest token",
  "second token",
  "mean of four",
  "mean token",
  "sum of tokens",
  "noisy or",
  "names",
  "numbers",
] as const;

const around = 4;
/** Longer sentences are compared word by word up to here, so that the cost stays linear. */
export const mostAligned = 512;

/** Measures of a word's surroundings that several features share. */
interface Neighbourhood {
  /** Beside the words: agreement of a word's neighbours with the sentence that holds it. */
  readonly agreement: Float64Array;
  /** Largest share of the claim's mass in a sentence that holds the word. */
  readonly share: Float64Array;
}

/** Features of each content word of a claim. */
export function describeWords(claim: ReadClaim, evidence: SupportEvidence): readonly Float64Array[] {
  const { words, best } = claim;
  const { agreement, share } = describeNeighbours(claim);
  const [first = -1, second = -1] = best;
  const placeOf = new Map(claim.all.map((word, at) => [word, at]));
  return words.map((own, at) => {
    const { word, rarity, isMissing, isInTitle, softness, heldBy } = own;
    const [left, right] = [words[at - 1], words[at + 1]];
    const inFirst = heldBy.has(first);
    const isDetail = word.isNumber || word.isName;
    const flag = (is: boolean): number => (is ? 1 : 0);
    return Float64Array.of(
      isMissing ? rarity : 0,
      flag(!inFirst && !heldBy.has(second)),
      flag(isMissing && !isDetail),
      flag(isInTitle),
      rarity,
      right ? nearness(own, right, evidence) : 0,
      left ? nearness(own, left, evidence) : 0,
      flag(isMissing && word.isNumber),
      flag(word.isNumber),
      flag(word.isHedge),
      isDetail ? 1 - agreement[at]! : 0,
      flag(isMissing && word.isName),
      flag(left?.isMissing ?? false),
      flag(right?.isMissing ?? false),
      flag(word.isName),
      flag(isMissing),
      flag(!inFirst),
      softness,
      flag(lacksQuantifier(claim.all, placeOf.get(word)!, evidence)),
      share[at]!,
      agreement[at]!,
      at / Math.max(1, words.length - 1),
    );
  });
}

/** Features of a claim, given the probabilities that its words are unsupported. */
export function describeClaim(claim: ReadClaim, evidence: SupportEvidence, tokens: readonly number[]): Float64Array {
  const { words, mass, covered } = claim;
  const { agreement } = describeNeighbours(claim);
  const missing = words.filter(({ isMissing }) => isMissing);
  const numbers = missing.filter(({ word }) => word.isNumber).length;
  const names = missing.filter(({ word }) => word.isName && !word.isNumber).length;
  let [held, soft] = [0, 0];
  for (const { isMissing, rarity, softness } of words) {
    if (!isMissing) held += rarity;
    soft += rarity * softness;
  }
  const clauses = clausesOf(claim);
  const share = (of: readonly ClaimWord[], by: (word: ClaimWord) => boolean): number => {
    let [all, some] = [0, 0];
    for (const word of of) {
      all += word.rarity;
      if (by(word)) some += word.rarity;
    }
    return all > 0 ? some / all : 1;
  };
  const leastClause = Math.min(1, ...clauses.map((clause) => share(clause, ({ isMissing }) => !isMissing)));
  const leastInOne = Math.min(
    1,
    ...clauses.map((clause) => {
      const candidates = new Set(clause.flatMap(({ heldBy }) => [...heldBy]));
      let most = 0;
      for (const at of candidates)
        most = Math.max(
          most,
          share(clause, ({ heldBy }) => heldBy.has(at)),
        );
      return most;
    }),
  );
  const sorted = tokens.toSorted((a, b) => b - a);
  const sum = tokens.reduce((a, b) => a + b, 0);
  const meanOf = (some: readonly number[]): number => some.reduce((a, b) => a + b, 0) / Math.max(1, some.length);
  const agreements = words.length === 0 ? [1] : [...agreement];
  const lacking = claim.all.filter((word) => word.quantifier !== "" && !evidence.places.has(word.key)).length;
  return Float64Array.of(
    mass > 0 ? held / mass : 1,
    mass > 0 ? soft / mass : 1,
    ...covered,
    leastClause,
    leastInOne,
    grams(claim, evidence, 2),
    grams(claim, evidence, 3),
    commonSubsequence(claim, evidence) / Math.max(1, words.length),
    Math.log1p(numbers),
    Math.log1p(names),
    Math.log1p(missing.length - numbers - names),
    agreements.reduce((least, each) => Math.min(least, each)),
    meanOf(agreements),
    lacking,
    Math.log(Math.max(1, words.length)),
    clauses.length,
    sorted[0] ?? 0,
    sorted[1] ?? 0,
    meanOf(sorted.slice(0, 4)),
    sum / Math.max(1, words.length),
    sum,
    tokens.reduce((total, p) => total + Math.log(Math.max(1e-6, 1 - p)), 0),
    words.filter(({ word }) => word.isName).length,
    words.filter(({ word }) => word.isNumber).length,
  );
}

function describeNeighbours({ words, mass }: ReadClaim): Neighbourhood {
  const agreement = new Float64Array(words.length);
  const share = new Float64Array(words.length);
  const massOf = new Map<number, number>();
  for (const { heldBy, rarity } of words) for (const at of heldBy) massOf.set(at, (massOf.get(at) ?? 0) + rarity);
  for (const [at, { heldBy }] of words.entries()) {
    const window = [...words.slice(Math.max(0, at - around), at), ...words.slice(at + 1, at + 1 + around)];
    for (const sentence of heldBy) {
      let shared = 0;
      for (const other of window) if (other.heldBy.has(sentence)) shared += 1;
      agreement[at] = Math.max(agreement[at]!, window.length === 0 ? 1 : shared / window.length);
      share[at] = Math.max(share[at]!, mass > 0 ? massOf.get(sentence)! / mass : 0);
    }
  }
  return { agreement, share };
}

/** 1 for words that stand side by side in the evidence, less with each word between them, 0 where no sentence has both. */
function nearness({ word }: ClaimWord, other: ClaimWord, { places }: SupportEvidence): number {
  const [own, others] = [places.get(word.key) ?? [], places.get(other.word.key) ?? []];
  let least = Number.POSITIVE_INFINITY;
  for (let [i, j] = [0, 0]; i < own.length && j < others.length;) {
    const distance = own[i]! - others[j]!;
    if (distance !== 0) least = Math.min(least, Math.abs(distance) - 1);
    if (distance < 0) i += 1;
    else j += 1;
  }
  return least < sentenceStride / 2 ? 1 / (1 + least / 3) : 0;
}

/** Whether the claim quantifies a word by a word that the evidence lacks. */
function lacksQuantifier(all: ReadClaim["all"], at: number, { places }: SupportEvidence): boolean {
  const word = all[at]!;
  for (let before = at - 1; before >= Math.max(0, at - 2); before -= 1) {
    const each = all[before]!;
    if (each.isContent) break;
    if (each.quantifier !== "" && !places.has(each.key)) return true;
  }
  return word.quantifier !== "" && !places.has(word.key);
}

function clausesOf({ all, words }: ReadClaim): readonly (readonly ClaimWord[])[] {
  const byWord = new Map(words.map((each) => [each.word, each]));
  const clauses: ClaimWord[][] = [[]];
  for (const word of all) {
    if (word.opensClause) clauses.push([]);
    const own = byWord.get(word);
    if (own) clauses.at(-1)!.push(own);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/** Share of the claim's pairs or triples of neighbours that stand side by side, in order, in the evidence. */
function grams({ words }: ReadClaim, { places }: SupportEvidence, size: number): number {
  if (words.length < size) return words.every(({ isMissing }) => !isMissing) ? 1 : 0;
  let found = 0;
  for (let at = 0; at + size <= words.length; at += 1) {
    let starts = places.get(words[at]!.word.key) ?? [];
    for (let next = 1; next < size && starts.length > 0; next += 1)
      starts = startsBefore(starts, places.get(words[at + next]!.word.key) ?? [], next);
    if (starts.length > 0) found += 1;
  }
  return found / (words.length - size + 1);
}

/** The places that have one of the others so many words behind them. Both ascend. */
function startsBefore(starts: readonly number[], others: readonly number[], distance: number): readonly number[] {
  const found: number[] = [];
  for (let [i, j] = [0, 0]; i < starts.length && j < others.length;) {
    const rest = others[j]! - starts[i]! - distance;
    if (rest === 0) found.push(starts[i]!);
    if (rest <= 0) j += 1;
    if (rest >= 0) i += 1;
  }
  return found;
}

function commonSubsequence({ words, best }: ReadClaim, { sentences }: SupportEvidence): number {
  const other = sentences[best[0] ?? -1]?.content.slice(0, mostAligned) ?? [];
  let row = new Uint16Array(other.length + 1);
  for (const { word } of words.slice(0, mostAligned)) {
    const next = new Uint16Array(other.length + 1);
    for (let at = 0; at < other.length; at += 1)
      next[at + 1] = word.key === other[at]!.key ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!);
    row = next;
  }
  return row[other.length] ?? 0;
}
