/**
 * Trains the model that judges relevance by words, and writes it to src/answers/relevance/weights.ts.
 *
 *     npx node scripts/train-relevance.ts --data <folder>
 *
 * `<folder>` holds `answers/clapnq`, `docs-qa`, `docs/haystack-docs` and `retrieval/xquad-*`. No text of them gets into the weights. The same data give the same
 * file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { fitRelevance, readRelevanceRows } from "../bench/answers/fit-relevance.ts";

const { data } = parseArgs({ options: { data: { type: "string" } } }).values;
if (data === undefined) {
  console.error("usage: npx node scripts/train-relevance.ts --data <folder>");
  process.exit(2);
}

const rows = await readRelevanceRows(data);
const { intercept, features, threshold } = fitRelevance(rows, 1);
const round = (value: number): string => String(Number(value.toPrecision(5)));
const path = new URL("../src/answers/relevance/weights.ts", import.meta.url);
const before = readFileSync(path, "utf8");
const head = before.slice(0, before.indexOf("export const relevanceModel"));
writeFileSync(
  path,
  `${head}export const relevanceModel: RelevanceModel = {
  intercept: ${round(intercept)},
  features: [
${features.map(([name, ...numbers]) => `    [${JSON.stringify(name)}, ${numbers.map(round).join(", ")}],`).join("\n")}
  ],
  threshold: ${round(threshold)},
};
`,
);
console.log(
  `${rows.length} questions: relevant from ${round(threshold)} on. Written to src/answers/relevance/weights.ts.`,
);
