import { describeRelevance, type RelevanceFigures } from "../../src/answers/relevance/describe-relevance.ts";
import { toProbability } from "../../src/answers/relevance/judge-relevance.ts";
import type { RelevanceModel } from "../../src/answers/relevance/weights.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { findHits, manualName, readAnswerableSets, readManual, readXquad } from "./answerable-sets.ts";
import { furtherEverydayQuestions } from "./everyday-questions.ts";
import { fitLogistic, type Logistic, scoreLogistic } from "./logistic.ts";
import { shuffle } from "./random.ts";

/** A question with the figures of its hits. */
export interface RelevanceRow {
  readonly set: string;
  /** Order of ingestion. */
  readonly seed: number;
  readonly text: string;
  readonly kind: "answerable" | "unanswerable" | "offTopic";
  /** No weights and no threshold are fitted on it. */
  readonly isHeldOut: boolean;
  /** `undefined` where nothing was found. */
  readonly figures: RelevanceFigures | undefined;
}

/** Sets of questions that people asked; the threshold is chosen on them. */
export const askedSets = ["clapnq", "docs-qa/haystack"];
const languages = ["en", "de", "zh", "ar"];
/** Weight of XQuAD, whose questions were written about their passages, and of the quarters. */
const minorWeight = 0.2;
const ridge = 20;
const falseRefusals = 0.044;

/** Signs that a figure's weight may have: more coverage never lowers relevance. */
const signs: Readonly<Record<keyof RelevanceFigures, -1 | 0 | 1>> = {
  pair: 1,
  weightedPair: 1,
  topStrength: 1,
  strength: 1,
  terms: 0,
  unknown: -1,
  chunks: -1,
};
const names = Object.keys(signs) as (keyof RelevanceFigures)[];

/** Ingests every set, the passages of CLAPNQ in three orders, and measures its questions. */
export async function readRelevanceRows(data: string): Promise<readonly RelevanceRow[]> {
  const further = new Set(furtherEverydayQuestions);
  const rows: RelevanceRow[] = [];
  const sets = [...readAnswerableSets(data), readManual(), ...languages.map((language) => readXquad(data, language))];
  for (const set of sets) {
    for (const seed of set.name === "clapnq" ? [1, 2, 3] : [1]) {
      for (const { text, hits, isAnswerable, isOffTopic } of await findHits(set, seed)) {
        rows.push({
          set: set.name,
          seed,
          text,
          kind: isOffTopic ? "offTopic" : isAnswerable ? "answerable" : "unanswerable",
          isHeldOut: set.name === manualName || further.has(text),
          figures: hits.length === 0 ? undefined : describeRelevance(text, hits, languageAnalyzer),
        });
      }
    }
  }
  return rows;
}

/** Folds by question, so that a question asked of several orders or sets is in one. */
export function foldQuestions(
  rows: readonly RelevanceRow[],
  count: number,
  seed: number,
): readonly (readonly RelevanceRow[])[] {
  const questions = shuffle([...new Set(rows.map(({ text }) => text))], seed);
  const foldOf = new Map(questions.map((text, at) => [text, at % count]));
  return Array.from({ length: count }, (_, fold) => rows.filter(({ text }) => foldOf.get(text) === fold));
}

/** Weights under which sets count alike, and within each the answerable as much as the unanswerable and the off-topic ones together. */
function weighRows(rows: readonly RelevanceRow[]): readonly number[] {
  const key = ({ set, kind }: RelevanceRow): string => `${set} ${kind}`;
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return rows.map(
    (row) =>
      (150 * (askedSets.includes(row.set) ? 1 : minorWeight) * (row.kind === "answerable" ? 2 : 1)) /
      counts.get(key(row))!,
  );
}

function fitScores(rows: readonly RelevanceRow[]): Logistic {
  const fitted = fitLogistic(rows.map(toVector), rows.map(toLabel), { ridge, weights: weighRows(rows) });
  for (const [at, name] of names.entries()) {
    if (signs[name] * fitted.weights[at]! < 0) throw new Error(`The weight of ${name} has the wrong sign.`);
  }
  return fitted;
}

const toVector = ({ figures }: RelevanceRow): readonly number[] => names.map((name) => figures![name]);
export const toLabel = ({ kind }: RelevanceRow): number => (kind === "answerable" ? 1 : 0);

/** Fits weights on all rows, and calibration and threshold on scores of rows that the weights have not seen. */
export function fitRelevance(all: readonly RelevanceRow[], seed: number): RelevanceModel {
  const rows = all.filter(({ figures, isHeldOut }) => figures !== undefined && !isHeldOut);
  const folds = foldQuestions(rows, 10, seed);
  const unseen = folds.flatMap((own) => {
    const model = fitScores(folds.flatMap((fold) => (fold === own ? [] : fold)));
    return own.map((row) => ({ row, score: scoreLogistic(model, toVector(row)) }));
  });
  const platt = fitLogistic(
    unseen.map(({ score }) => [score]),
    unseen.map(({ row }) => toLabel(row)),
    { ridge: 1, weights: weighRows(unseen.map(({ row }) => row)) },
  );
  const slope = platt.weights[0]! / platt.deviations[0]!;
  const offset = platt.intercept - slope * platt.means[0]!;
  const { means, deviations, weights, intercept } = fitScores(rows);
  const odds = Math.min(
    ...askedSets.map((set) =>
      quantile(
        unseen.filter(({ row }) => row.set === set && row.kind === "answerable").map(({ score }) => score),
        falseRefusals,
      ),
    ),
  );
  return {
    intercept: slope * intercept + offset,
    features: names.map((name, at) => [name, means[at]!, deviations[at]!, slope * weights[at]!]),
    threshold: 1 / (1 + Math.exp(-(slope * odds + offset))),
  };
}

/** Value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * values.length)]!;
}

/** A question, judged by a model that has not seen it. */
export interface JudgedRow {
  readonly row: RelevanceRow;
  readonly value: number;
  readonly isRefused: boolean;
}

/** Judges each question by weights, calibration and threshold that are fitted without its fold. */
export function crossValidateRelevance(rows: readonly RelevanceRow[], seed: number): readonly JudgedRow[] {
  const folds = foldQuestions(rows, 10, seed);
  return folds.flatMap((own) => {
    const model = fitRelevance(
      folds.flatMap((fold) => (fold === own ? [] : fold)),
      seed,
    );
    return own.map((row) => {
      const value = row.figures === undefined ? 0 : toProbability(row.figures, model);
      return { row, value, isRefused: value < model.threshold };
    });
  });
}
