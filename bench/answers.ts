/**
 * Measures answers, section by section: each figure with its set, its size and its bar.
 *
 *     npm run bench:answers -- --data <folder> [--only support,relevance,calibration,follow-ups,quotations,long]
 *
 * `<folder>` holds `answers/` (WiCE, CLAPNQ and MTRAG-UN), `docs-qa/`, `docs/` and `retrieval/`. Ends with exit code 1 when a bar is missed.
 */
import { parseArgs } from "node:util";

import { measureCalibration } from "./answers/calibration.ts";
import { measureQuotations } from "./answers/quotations.ts";
import { type Figure, formatFigure } from "./answers/report.ts";
import { measureFollowUps } from "./answers/follow-ups.ts";
import { measureLongAnswers } from "./answers/long-answers.ts";
import { measureRelevance } from "./answers/relevance.ts";
import { measureSupport } from "./answers/support.ts";

const sections: Readonly<Record<string, (data: string) => readonly Figure[] | Promise<readonly Figure[]>>> = {
  support: measureSupport,
  relevance: measureRelevance,
  calibration: measureCalibration,
  "follow-ups": measureFollowUps,
  quotations: measureQuotations,
  long: measureLongAnswers,
};

const { data, only } = parseArgs({ options: { data: { type: "string" }, only: { type: "string" } } }).values;
const chosen = only === undefined ? Object.keys(sections) : only.split(",");
const unknown = chosen.filter((name) => !(name in sections));
if (data === undefined || unknown.length > 0) {
  console.error(`usage: npm run bench:answers -- --data <folder> [--only ${Object.keys(sections).join(",")}]`);
  process.exit(2);
}

for (const name of chosen) {
  console.log(`\n## ${name}\n\n| figure | value | bar | met | set (size) |\n|---|---|---|---|---|`);
  const lines = (await sections[name]!(data)).map((figure) => formatFigure(figure));
  for (const line of lines) console.log(line);
  if (lines.some((line) => line.includes("| no |"))) process.exitCode = 1;
}
