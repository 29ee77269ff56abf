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
 * "Refused at 5 %" takes the threshold at which the set itself has 5 % false refusals. "At the threshold" takes the one of the model.
 */
export async function measureRelevance(data: string): Promise<readonly Figure[]> {
  return measureRows(await readRelevanceRows(data));
}

export function measureRows(rows: readonly RelevanceRow[]): readonly Figure[] {
  const runs = Array.from({ length: repeats }, (_, seed) => crossValidateRelevance(rows, seed + 1));
  const mean = (of: (run: readonly JudgedRow[]) => number): number =>
    runs.reduce((total, run) => total + of(run), 0) / runs.length;
  return [...new Set(rows.map(({ set }) => set))].flatMap((set) => {
    const kinds = (run: readonly JudgedRow[], ...wanted: readonly string[]): readonly JudgedRow[] =>
      run.filter(({ row }) => row.set === set && wanted.includes(row.kind));
    const size = (...wanted: readonly string[]): number =>
      new Set(kinds(runs[0]!, ...wanted).map(({ row }) => row.text)).size;
    const figure = (
      name: string,
      wanted: readonly string[],
      of: (own: readonly JudgedRow[], run: readonly JudgedRow[]) => number,
      bar: Pick<Figure, "atLeast" | "atMost"> = {},
    ): Figure => ({
      name,
      set: `${set}, 10-fold, mean of ${repeats}`,
      size: size(...wanted),
      value: mean((run) => of(kinds(run, ...wanted), run)),
      ...bar,
    });
    const bar = bars[set];
    const figures = [
      figure("AUC", ["answerable", "unanswerable"], meanArea, bar && { atLeast: bar.auc }),
      figure(
        "unanswerable, refused at 5 %",
        ["unanswerable"],
        (own, run) =>
          shareBelow(
            own,
            quantile(
              kinds(run, "answerable").map(({ value }) => value),
              0.05,
            ),
          ),
        bar && { atLeast: bar.refused },
      ),
      figure("answerable, refused at the threshold", ["answerable"], refused, bar && { atMost: 0.05 }),
      figure("unanswerable, refused at the threshold", ["unanswerable"], refused),
      figure("off topic, refused at 5 %", ["offTopic"], (own, run) =>
        shareBelow(
          own,
          quantile(
            kinds(run, "answerable").map(({ value }) => value),
            0.05,
          ),
        ),
      ),
      figure("off topic, refused at the threshold", ["offTopic"], refused),
    ];
    if (!askedSets.includes(set)) return figures;
    const isManual = set === "docs-qa/haystack";
    const everyday = (own: readonly JudgedRow[]): readonly JudgedRow[] => own.filter(({ row }) => row.isEveryday);
    return [
      ...figures,
      {
        ...figure("everyday questions, refused at the threshold", ["offTopic"], (own) => refused(everyday(own)), {
          ...(isManual && { atLeast: 0.95 }),
        }),
        size: new Set(everyday(runs[0]!).map(({ row }) => row.text)).size,
      },
      figure("calibration error, off topic included", ["answerable", "unanswerable", "offTopic"], (own) =>
        calibrationError(
          own.map(({ value }) => value),
          own.map(({ row }) => toLabel(row)),
        ),
      ),
    ];
  });
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
