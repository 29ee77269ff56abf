import {
  claimFeatureNames,
  describeClaim,
  describeWords,
  tokenFeatureNames,
} from "../../src/answers/support/features.ts";
import { findVetoes } from "../../src/answers/support/find-vetoes.ts";
import { judgeClaim, logistic, scoreOf, type WordsVerdict } from "../../src/answers/support/judge-by-words.ts";
import { readClaim, type ReadClaim } from "../../src/answers/support/read-claim.ts";
import { readEvidence, type SupportEvidence, type SupportOptions } from "../../src/answers/support/read-evidence.ts";
import type { LinearModel, SupportModels } from "../../src/answers/support/weights.ts";
import { areaUnder, fitLogistic, type Logistic } from "./logistic.ts";
import { shuffle } from "./random.ts";
import type { Wice, WiceRow, WiceTokens } from "./wice.ts";

/** A row of WiCE, read. */
export interface Example {
  readonly row: WiceRow;
  readonly claim: ReadClaim;
  readonly evidence: SupportEvidence;
  readonly words: readonly Float64Array[];
}

/** A part of a claim with a label for each content word. */
export interface TokenExample {
  readonly tokens: WiceTokens;
  readonly words: readonly Float64Array[];
  /** 1 for an unsupported word. */
  readonly labels: readonly number[];
}

export interface Examples {
  readonly rows: readonly Example[];
  readonly tokens: readonly TokenExample[];
}

export const tokenRidge = 10;
export const claimRidge = 20;
/** At most this share of the partly supported claims may count as supported. **Source** our own choice: of claims that no fold has seen, a tenth then does. */
const mostPartly = 0.088;
/** Calibrated support below which a claim is unsupported. */
const unsupported = 0.2;

export function readExamples({ rows, tokens }: Wice, options: SupportOptions): Examples {
  return {
    rows: rows.map((row) => {
      const evidence = readEvidence(row.evidence, options);
      const claim = readClaim(row.claim, evidence);
      return { row, claim, evidence, words: describeWords(claim, evidence) };
    }),
    tokens: tokens.map((each) => {
      const evidence = readEvidence(each.evidence, options);
      const claim = readClaim(each.claim, evidence);
      return {
        tokens: each,
        words: describeWords(claim, evidence),
        labels: claim.words.map(({ word }) =>
          each.unsupported.some(([start, end]) => start < word.end && end > word.start) ? 1 : 0,
        ),
      };
    }),
  };
}

/** Folds by claim: no two contain parts of the same claim. */
export function foldClaims({ rows, tokens }: Examples, count: number, seed: number): ReadonlyMap<string, number> {
  const ids = [...new Set([...rows.map(({ row }) => row.id), ...tokens.map((each) => each.tokens.id)])];
  return new Map(shuffle(ids, seed).map((id, at) => [id, at % count]));
}

export function fitTokens(tokens: readonly TokenExample[]): LinearModel {
  return asTable(
    fitLogistic(
      tokens.flatMap(({ words }) => words),
      tokens.flatMap(({ labels }) => labels),
      { ridge: tokenRidge },
    ),
    tokenFeatureNames,
  );
}

/** Features of a row, its words judged by a model that has not seen its claim. */
interface Described {
  readonly example: Example;
  readonly features: Float64Array;
}

function describe(example: Example, token: LinearModel): Described {
  const probabilities = example.words.map((features) => logistic(scoreOf(token, features)));
  return { example, features: describeClaim(example.claim, example.evidence, probabilities) };
}

function fitClaims(described: readonly Described[]): LinearModel {
  const counts = new Map<string, number>();
  for (const { example } of described) counts.set(example.row.id, (counts.get(example.row.id) ?? 0) + 1);
  return asTable(
    fitLogistic(
      described.map(({ features }) => features),
      described.map(({ example }) => (example.row.label === "supported" ? 1 : 0)),
      { ridge: claimRidge, weights: described.map(({ example }) => 1 / counts.get(example.row.id)!) },
    ),
    claimFeatureNames,
  );
}

/** A claim's score: the greatest of its rows. */
interface Scored {
  readonly label: WiceRow["label"];
  readonly score: number;
  readonly example: Example;
}

function scoreClaims(described: readonly Described[], model: LinearModel): readonly Scored[] {
  const best = new Map<string, Scored>();
  for (const { example, features } of described) {
    const score = scoreOf(model, features);
    const { id, label } = example.row;
    if (score > (best.get(id)?.score ?? Number.NEGATIVE_INFINITY)) best.set(id, { label, score, example });
  }
  return [...best.values()];
}

/**
 * Fits a token model, a claim model, calibration and thresholds.
 *
 * The claim model sees words as judged by a token model that has not seen their claim. Calibration and thresholds come from scores of claims that neither has seen.
 */
export function fitSupport(examples: Examples, folds: ReadonlyMap<string, number>): SupportModels {
  const numbers = [...new Set(folds.values())];
  const foldOf = (id: string): number => folds.get(id) ?? -1;
  const described = numbers.flatMap((fold) => {
    const own = examples.rows.filter(({ row }) => foldOf(row.id) === fold);
    if (own.length === 0) return [];
    const token = fitTokens(examples.tokens.filter(({ tokens }) => foldOf(tokens.id) !== fold));
    return own.map((example) => describe(example, token));
  });
  const scored = numbers.flatMap((fold) => {
    const own = described.filter(({ example }) => foldOf(example.row.id) === fold);
    const others = described.filter(({ example }) => foldOf(example.row.id) !== fold);
    return own.length === 0 ? [] : scoreClaims(own, fitClaims(others));
  });
  const judged = scored.map(({ label, score, example }) => ({
    label,
    score,
    isVetoed: findVetoes(example.claim, example.evidence).length > 0,
  }));
  const platt = fitLogistic(
    judged.map(({ score, isVetoed }) => [score, isVetoed ? 1 : 0]),
    judged.map(({ label }) => (label === "supported" ? 1 : 0)),
    { ridge: 1 },
  );
  const [slope = 1, veto = 0] = platt.weights.map((weight, at) => weight / platt.deviations[at]!);
  const calibration = {
    slope,
    intercept: platt.intercept - slope * platt.means[0]! - veto * platt.means[1]!,
    veto: Math.min(0, veto),
  };
  return {
    token: fitTokens(examples.tokens),
    claim: fitClaims(described),
    calibration,
    supported: chooseThreshold(
      judged.map(({ label, score, isVetoed }) => ({
        label,
        isVetoed,
        support: logistic(calibration.slope * score + calibration.intercept),
      })),
    ),
    unsupported,
  };
}

/** The least support at which no more than {@link mostPartly} of the partly supported claims count as supported. */
export function chooseThreshold(
  judged: readonly { readonly label: WiceRow["label"]; readonly support: number; readonly isVetoed: boolean }[],
): number {
  const partly = judged.filter(({ label }) => label === "partially_supported");
  const passed = partly.filter(({ isVetoed }) => !isVetoed).toSorted((a, b) => b.support - a.support);
  return (passed[Math.floor(mostPartly * partly.length)]?.support ?? 0.5) + 1e-6;
}

/** A claim as models judge it that have not seen it. */
export interface CrossValidated {
  readonly id: string;
  readonly label: WiceRow["label"];
  readonly verdict: WordsVerdict;
  readonly example: Example;
  readonly models: SupportModels;
}

/** Judges each claim by models that are fitted, calibrated and given thresholds without its fold. */
export function crossValidate(examples: Examples, folds: ReadonlyMap<string, number>): readonly CrossValidated[] {
  return [...new Set(folds.values())].flatMap((fold) => {
    const isOwn = (id: string): boolean => folds.get(id) === fold;
    const models = fitSupport(
      {
        rows: examples.rows.filter(({ row }) => !isOwn(row.id)),
        tokens: examples.tokens.filter(({ tokens }) => !isOwn(tokens.id)),
      },
      new Map([...folds].filter(([id]) => !isOwn(id))),
    );
    const best = new Map<string, CrossValidated>();
    for (const example of examples.rows.filter(({ row }) => isOwn(row.id))) {
      const verdict = judgeClaim(example.claim, example.evidence, models);
      const { id, label } = example.row;
      const before = best.get(id);
      if (before === undefined || rank(verdict) > rank(before.verdict))
        best.set(id, { id, label, verdict, example, models });
    }
    return [...best.values()];
  });
}

/** The row of most support speaks for its claim; among rows that a veto lowers, any verdict above counts more. */
function rank({ support, verdict }: WordsVerdict): number {
  return support + (verdict === "supported" ? 1 : 0);
}

/** Area under the curve for unsupported words, each judged by a model that has not seen its claim. */
export function crossValidateTokens({ tokens }: Examples, folds: ReadonlyMap<string, number>): number {
  const scores: number[] = [];
  const labels: number[] = [];
  for (const fold of new Set(folds.values())) {
    const model = fitTokens(tokens.filter((each) => folds.get(each.tokens.id) !== fold));
    for (const each of tokens.filter(({ tokens: { id } }) => folds.get(id) === fold)) {
      scores.push(...each.words.map((features) => scoreOf(model, features)));
      labels.push(...each.labels);
    }
  }
  return areaUnder(scores, labels);
}

function asTable({ intercept, means, deviations, weights }: Logistic, names: readonly string[]): LinearModel {
  return { intercept, features: names.map((name, at) => [name, means[at]!, deviations[at]!, weights[at]!]) };
}
