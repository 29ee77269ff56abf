// Whether our evaluator says what trec_eval says, per query and on average. Exits 1 when any number differs by more than trec_eval's rounding to four
// decimals explains.
//
//   npx node bench/trec-check.ts <runs> <collections>
//
// `<runs>` holds pairs `<collection>.<anything>.run.gz` and `<collection>.<anything>.trec_eval.txt` (what `trec_eval -q` printed of the run);
// `<collections>/<collection>/qrels.tsv` the judgements.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parseQrels } from "../src/eval/qrels.ts";
import { formatRun, parseRun } from "../src/eval/run.ts";
import { scoreRun } from "../src/eval/score-run.ts";

const [runs, collections] = process.argv.slice(2);
if (runs === undefined || collections === undefined) {
  console.error("Usage: npx node bench/trec-check.ts <runs> <collections>");
  process.exit(2);
}

let checked = 0;
let wrong = 0;
const names = readdirSync(runs).filter((name) => name.endsWith(".run.gz"));
for (const name of names) {
  const base = name.slice(0, -".run.gz".length);
  const judgements = join(collections, base.split(".")[0] ?? "", "qrels.tsv");
  const qrels = parseQrels(readFileSync(judgements, "utf8"), { file: judgements });
  const read = parseRun(gunzipSync(readFileSync(join(runs, name))).toString("utf8"), { file: name });
  const expected = readTrecEval(join(runs, `${base}.trec_eval.txt`));
  const metrics = [...new Set(expected.map(({ metric }) => metric))];
  // As it was read, and as it is after we have written it ourselves.
  for (const [how, run] of [
    ["read", read],
    ["written and read", parseRun(formatRun(read))],
  ] as const) {
    const evaluation = scoreRun(run, qrels, { metrics });
    let ofThese = 0;
    for (const { metric, query, value } of expected) {
      const ours = query === "all" ? evaluation.metrics[metric]?.mean : evaluation.queries.get(query)?.[metric];
      checked++;
      if (ours !== undefined && Math.abs(ours - value) <= 0.00005 + 1e-12) continue;
      ofThese++;
      console.log(`${base}, ${how}: ${metric} of query ${query} is ${value} by trec_eval and ${ours} by us`);
    }
    wrong += ofThese;
    console.log(
      `${base}, ${how}: ${expected.length} numbers of ${evaluation.queries.size} queries, ${ofThese} of them different`,
    );
  }
}
if (checked === 0 || wrong > 0) process.exitCode = 1;
if (checked === 0) console.error(`There is nothing to check in ${runs}.`);

interface Expected {
  readonly metric: string;
  readonly query: string;
  readonly value: number;
}

/** Lines of `metric query value`; metrics that we do not have are left out, and said. */
function readTrecEval(path: string): readonly Expected[] {
  const unknown = new Set<string>();
  const lines = readFileSync(path, "utf8").split("\n");
  const expected = lines.flatMap((line): Expected[] => {
    const [name, query, value] = line.trim().split(/\s+/u);
    if (name === undefined || query === undefined || value === undefined) return [];
    const metric = toOurName(name);
    if (metric !== undefined) return [{ metric, query, value: Number(value) }];
    unknown.add(name);
    return [];
  });
  if (unknown.size > 0) console.log(`${path}: not compared: ${[...unknown].join(", ")}`);
  return expected;
}

function toOurName(name: string): string | undefined {
  const whole = { map: "map", recip_rank: "mrr", ndcg: "ndcg", set_recall: "recall", set_P: "p" }[name];
  if (whole !== undefined) return whole;
  const [, formula, cutoff] = /^(P|recall|ndcg_cut|map_cut|success)_(\d+)$/u.exec(name) ?? [];
  if (formula === undefined) return undefined;
  return `${formula.toLowerCase().replace("_cut", "")}@${cutoff}`;
}
