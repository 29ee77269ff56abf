/**
 * Trains the models that judge support by words, and writes them to src/answers/support/weights.ts.
 *
 *     npx node scripts/train-support.ts --data <folder>
 *
 * `<folder>` holds `answers/wice`, the development part of WiCE with labels for claims and for words. No text of it gets into the weights. The same data give the same file.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { fitSupport, foldClaims, readExamples } from "../bench/answers/fit-support.ts";
import { readWice } from "../bench/answers/wice.ts";
import type { LinearModel } from "../src/answers/support/weights.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";

const { data } = parseArgs({ options: { data: { type: "string" } } }).values;
if (data === undefined) {
  console.error("usage: npx node scripts/train-support.ts --data <folder>");
  process.exit(2);
}

const examples = readExamples(readWice(data), { analyzer: languageAnalyzer, language: "en" });
const { token, claim, calibration, supported, unsupported } = fitSupport(examples, foldClaims(examples, 10, 1));
const round = (value: number): string => String(Number(value.toPrecision(6)));
const table = ({ intercept, features }: LinearModel): string =>
  [
    `{`,
    `    intercept: ${round(intercept)},`,
    `    features: [`,
    ...features.map(([name, ...numbers]) => `      [${JSON.stringify(name)}, ${numbers.map(round).join(", ")}],`),
    `    ],`,
    `  }`,
  ].join("\n");

writeFileSync(
  new URL("../src/answers/support/weights.ts", import.meta.url),
  `/** A logistic model over standardised features. */
export interface LinearModel {
  readonly intercept: number;
  /** Name, mean, standard deviation and weight. */
  readonly features: readonly (readonly [name: string, mean: number, deviation: number, weight: number])[];
}

/** Everything that judging by words has learned. */
export interface SupportModels {
  /** Whether a content word is unsupported. */
  readonly token: LinearModel;
  /** Whether a sentence is supported. */
  readonly claim: LinearModel;
  /** From the claim model's log-odds, and a veto's, to log-odds that hold on claims it has not seen. */
  readonly calibration: { readonly slope: number; readonly intercept: number; readonly veto: number };
  /** Least support of a supported sentence. */
  readonly supported: number;
  /** Support below which a sentence is unsupported. */
  readonly unsupported: number;
}

/**
 * Trained by \`scripts/train-support.ts\`, which writes this file; change the script, not the numbers.
 *
 * **Source** WiCE's development part (Kamoi et al., EMNLP 2023; annotations under ODC-BY).
 */
export const supportModels: SupportModels = {
  token: ${table(token)},
  claim: ${table(claim)},
  calibration: { slope: ${round(calibration.slope)}, intercept: ${round(calibration.intercept)}, veto: ${round(calibration.veto)} },
  supported: ${round(supported)},
  unsupported: ${round(unsupported)},
};
`,
);
console.log(
  `${examples.rows.length} rows, ${examples.tokens.length} parts of claims: supported from ${round(supported)} on. Written to src/answers/support/weights.ts.`,
);
