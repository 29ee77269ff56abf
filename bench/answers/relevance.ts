import { manualName } from "./answerable-sets.ts";
import { everydayQuestions, furtherEverydayQuestions } from "./everyday-questions.ts";
import {
  askedSets,
  crossValidateRelevance,
  type JudgedRow,
  quantile,
  readRelevanceRows,
  type RelevanceRow,
  toLabel,
} from "./fit-relevance.ts";
import { areaUnder, calibrationError } from "./logistic.ts";
import type { Figure } from "./report.ts";

const repeats = 3;

/** Bars of the sets that people's questions come from. */
const bars: Readonly<Record<string, { readonly auc: number; readonly refused: number }>> = {
  clapnq: { auc: 0.78, refused: 0.2 },
  "docs-qa/haystack": { auc: 0.71, refused: 0.24 },
};

/**
 * Relevance by words, each question judged by a model that has not seen it. Documents are ingested in shuffled order.
 *
 * "Refused at 5 %" takes the threshold at which the set itself has 5 % false refusals. "At the threshold" takes the one of the model. The further everyday
 * questions and those about the manual of this repository are in no training.
 */
export async function measureRelevance(data: string): Promise<readonly Figure[]> {
  return measureRows(await readRelevanceRows(data));
}

export function measureRows(rows: readonly RelevanceRow[]): readonly Figure[] {
  const runs = Array.from({ length: repeats }, (_, seed) => crossValidateRelevance(rows, seed + 1));
  return [...new Set(rows.map(({ set }) => set))].flatMap((set) => measureSet(set, runs));
}

function measureSet(set: string, runs: readonly (readonly JudgedRow[])[]): readonly Figure[] {
  const own = runs.map((run) => run.filter(({ row }) => row.set === set));
  /** The mean over the runs, or nothing where the set has no such question. */
  const figure = (
    name: string,
    isWanted: (row: RelevanceRow) => boolean,
    of: (wanted: readonly JudgedRow[], all: readonly JudgedRow[]) => number,
    bar: Pick<Figure, "atLeast" | "atMost"> = {},
  ): readonly Figure[] => {
    const wanted = own.map((run) => run.filter(({ row }) => isWanted(row)));
    const size = new Set(wanted[0]!.map(({ row }) => row.text)).size;
    if (size === 0) return [];
    const value = wanted.reduce((total, run, at) => total + of(run, own[at]!), 0) / runs.length;
    return [{ name, set: `${set}, 10-fold, mean of ${repeats}`, size, value, ...bar }];
  };
  const bar = bars[set];
  const isAsked = askedSets.includes(set);
  const isManual = set !== "clapnq";
  const hasNearMisses = own[0]!.some(({ row }) => row.kind === "unanswerable");
  return [
    ...figure("AUC", ({ kind }) => hasNearMisses && kind !== "offTopic", meanArea, bar && { atLeast: bar.auc }),
    ...figure(
      "unanswerable, refused at 5 %",
      ({ kind }) => kind === "unanswerable",
      (wanted, all) => shareBelow(wanted, atFivePercent(all)),
      bar && { atLeast: bar.refused },
    ),
    ...figure(
      "answerable, refused at the threshold",
      ({ kind }) => kind === "answerable",
      refused,
      bar && { atMost: 0.05 },
    ),
    ...figure("unanswerable, refused at the threshold", ({ kind }) => kind === "unanswerable", refused),
    ...figure("off topic, refused at 5 %", isOffTopic, (wanted, all) => shareBelow(wanted, atFivePercent(all))),
    ...figure("off topic, refused at the threshold", isOffTopic, refused),
    ...(isAsked || set === manualName
      ? [
          ...figure("everyday questions, refused at the threshold", isEveryday(everydayQuestions), refused, {
            ...(isManual && { atLeast: 0.95 }),
          }),
          ...figure(
            "further everyday questions, refused at the threshold",
            isEveryday(furtherEverydayQuestions),
            refused,
            {
              ...(isManual && { atLeast: 0.95 }),
            },
          ),
        ]
      : []),
    ...(isAsked
      ? figure(
          "calibration error, off topic included",
          ({ isHeldOut }) => !isHeldOut,
          (wanted) =>
            calibrationError(
              wanted.map(({ value }) => value),
              wanted.map(({ row }) => toLabel(row)),
            ),
        )
      : []),
  ];
}

const isOffTopic = ({ kind, isHeldOut }: RelevanceRow): boolean => kind === "offTopic" && !isHeldOut;

function isEveryday(questions: readonly string[]): (row: RelevanceRow) => boolean {
  const wanted = new Set(questions);
  return ({ kind, text }) => kind === "offTopic" && wanted.has(text);
}

/** Where the set itself has 5 % false refusals. */
function atFivePercent(own: readonly JudgedRow[]): number {
  return quantile(
    own.filter(({ row }) => row.kind === "answerable").map(({ value }) => value),
    0.05,
  );
}

/** Orders of ingestion are judged apart. */
function meanArea(own: readonly JudgedRow[]): number {
  const seeds = [...new Set(own.map(({ row }) => row.seed))];
  const areas = seeds.map((seed) => {
    const some = own.filter(({ row }) => row.seed === seed);
    return areaUnder(
      some.map(({ value }) => value),
      some.map(({ row }) => toLabel(row)),
    );
  });
  return areas.reduce((total, area) => total + area, 0) / areas.length;
}

const shareBelow = (own: readonly JudgedRow[], threshold: number): number =>
  own.filter(({ value }) => value < threshold).length / own.length;
const refused = (own: readonly JudgedRow[]): number => own.filter(({ isRefused }) => isRefused).length / own.length;
