import { describeClaim, describeWords } from "./features.ts";
import { leastAdded } from "./find-seam.ts";
import { findVetoes } from "./find-vetoes.ts";
import { readClaim, type ReadClaim, type Veto } from "./read-claim.ts";
import {
  type EvidenceSentence,
  readEvidence,
  sentenceStride,
  type SupportEvidence,
  type SupportOptions,
} from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";
import { type LinearModel, supportModels as shipped, type SupportModels } from "./weights.ts";

export interface JudgeInput extends SupportOptions {
  readonly sentence: string;
  /** Sentences of the sources, or the same read once by {@link readEvidence}, whose options then count. */
  readonly evidence: readonly EvidenceSentence[] | SupportEvidence;
  /** Support from which on a sentence without a veto counts as supported. Default: `supported` of the weights. */
  readonly minSupport?: number | undefined;
}

/** How far evidence carries a sentence, judged without a model. */
export interface WordsVerdict {
  /** Calibrated probability that the evidence supports the whole sentence; 1 for a verbatim one. */
  readonly support: number;
  readonly verdict: "supported" | "partly" | "unsupported";
  readonly isVerbatim: boolean;
  /** Words that no source supports, in order. **Units** UTF-16 code units of the sentence, half open. */
  readonly unsupportedWords: readonly { readonly start: number; readonly end: number }[];
  /** Places, among the evidence, of the at most two sentences that carry the sentence, the better one first. */
  readonly carriedBy: readonly number[];
  readonly vetoes: readonly Veto[];
}

/** A word is unsupported from this probability on. */
const unsupportedWord = 0.5;
/** Fewer words tell nothing of a sentence that has others besides. */
const leastHeld = 3;
/** A shorter stretch may stand in a sentence that says something else. */
const leastVerbatim = 4;
/** Words before a verbatim stretch that may turn its meaning. */
const weakeningReach = 8;

/**
 * Judges by words how far evidence carries a sentence.
 *
 * A sentence that stands in the evidence word for word is supported. Otherwise one logistic model estimates for each content word whether it is unsupported. A second
 * one estimates, from those words and from coverage, order and context, whether the whole sentence is supported. A veto lowers a verdict and never raises it.
 *
 * **Shape** deterministic; `supported` is at least the threshold without a veto, `unsupported` below the lower threshold, `partly` between.
 * **Cost** linear in the evidence, which {@link readEvidence} reads once for several sentences.
 * **Source** trained and measured on WiCE by `scripts/train-support.ts`: Kamoi et al., WiCE: Real-World Entailment for Claims in Wikipedia (EMNLP 2023).
 * Calibrated as in Platt, Probabilistic Outputs for Support Vector Machines (1999). Figures: `docs/decisions/0096-support-by-words.md`.
 */
export function judgeByWords(input: JudgeInput): WordsVerdict {
  const evidence = "reader" in input.evidence ? input.evidence : readEvidence(input.evidence, input);
  const models = input.minSupport === undefined ? shipped : { ...shipped, supported: input.minSupport };
  return judgeClaim(readClaim(input.sentence, evidence), evidence, models);
}

/** {@link judgeByWords} with models given, for training and measuring. */
export function judgeClaim(claim: ReadClaim, evidence: SupportEvidence, models: SupportModels): WordsVerdict {
  const verbatim = findVerbatim(claim, evidence);
  if (verbatim !== undefined)
    return {
      support: 1,
      verdict: "supported",
      isVerbatim: true,
      unsupportedWords: [],
      carriedBy: [verbatim],
      vetoes: [],
    };

  const { calibration, supported, unsupported } = models;
  const tokens = describeWords(claim, evidence).map((features) => logistic(scoreOf(models.token, features)));
  const isNothing = claim.words.length === 0 || claim.best.length === 0;
  const score = scoreOf(models.claim, describeClaim(claim, evidence, tokens));
  const vetoes = findVetoes(claim, evidence);
  const odds = calibration.slope * score + calibration.intercept + (vetoes.length > 0 ? calibration.veto : 0);
  // The names of its columns are held with a row.
  const isRow = evidence.rows[claim.best[0] ?? -1] === true;
  const held = claim.words.filter(({ isMissing, isInTitle }) => !isMissing || (isRow && isInTitle)).length;
  const isThin = held < leastHeld && held < claim.words.length;
  const most = isThin ? 0.9 * supported : 1;
  const estimated = isNothing ? 0 : Math.min(most, logistic(odds));
  const verdict =
    vetoes.length === 0 && estimated >= supported ? "supported" : estimated < unsupported ? "unsupported" : "partly";
  return {
    support: vetoes.length === 0 ? estimated : Math.min(estimated, 0.9 * supported),
    verdict,
    isVerbatim: false,
    unsupportedWords: joinSpans([
      ...claim.words.flatMap(({ word }, at) => (tokens[at]! >= unsupportedWord ? [word] : [])),
      ...vetoes,
    ]),
    carriedBy: verdict === "unsupported" ? [] : carriersOf(claim),
    vetoes,
  };
}

/** Log-odds by a model. */
export function scoreOf({ intercept, features }: LinearModel, values: Float64Array): number {
  let score = intercept;
  for (const [at, [, mean, deviation, weight]] of features.entries())
    score += (weight * (values[at]! - mean)) / deviation;
  return score;
}

export function logistic(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

function carriersOf({ best, covered }: ReadClaim): readonly number[] {
  return best.slice(0, covered[1] - covered[0] >= leastAdded ? 2 : 1);
}

/** The sentence that has the claim word for word, with nothing beside it there that denies or weakens it. */
function findVerbatim({ all }: ReadClaim, { sentences, places }: SupportEvidence): number | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const candidates = new Set(places.get(first.key)?.map((place) => Math.floor(place / sentenceStride)));
  for (const candidate of candidates) {
    const { words } = sentences[candidate]!;
    if (words.length !== all.length && all.length < leastVerbatim) continue;
    for (let from = 0; from + all.length <= words.length; from += 1)
      if (all.every((word, at) => areSame(word, words[from + at]!)) && !isWeakened(words, from, from + all.length))
        return candidate;
  }
  return undefined;
}

/** Whether a word before a stretch, in its clause, denies, hedges or quantifies what begins there, or a word behind it denies the clause. */
function isWeakened(words: readonly ReadWord[], from: number, to: number): boolean {
  let clause = from;
  while (clause > 0 && from - clause < weakeningReach && words[clause]?.opensClause === false) clause -= 1;
  let end = to;
  while (end < words.length && end - to < weakeningReach && words[end]?.opensClause === false) end += 1;
  return words.slice(clause, from).some(isWeakening) || words.slice(to, end).some(({ isDenial }) => isDenial);
}

/** **Source** conditions are ibid's own choice, in English and German. */
const conditions: ReadonlySet<string> = new Set("if unless whether when whenever wenn falls ob sofern".split(" "));

function isWeakening({ impliesDenial, isHedge, quantifier, word }: ReadWord): boolean {
  return impliesDenial || isHedge || quantifier !== "" || conditions.has(word);
}

function areSame(own: ReadWord, other: ReadWord): boolean {
  return own.key === other.key && (own.word === other.word || /^[#@]/u.test(own.key));
}

/** Spans in order, neighbours joined. */
function joinSpans(
  spans: readonly { readonly start: number; readonly end: number }[],
): readonly { readonly start: number; readonly end: number }[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && start <= last.end + 1) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
