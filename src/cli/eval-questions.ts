import { IbidError } from "../contracts/errors.ts";
import type { Question } from "../eval/questions.ts";
import type { Evaluation } from "../eval/score-run.ts";
import { checkPlace, readText } from "./eval-files.ts";
import {
  applyGates,
  chooseMetrics,
  describeLatency,
  type EvalCommandOptions,
  judge,
  latencyJson,
  metricsJson,
  readAgainst,
  saveBaseline,
  writeMetrics,
  writeNote,
} from "./eval-report.ts";
import { type Context, withKnowledgeBase } from "./open.ts";
import { createProgressLine } from "./progress.ts";
import { count, neutralise, shorten } from "./text-layout.ts";

const defaultMetrics = ["success@1", "success@5", "recall@10", "mrr@10", "answered", "refused"];
const metricsPerCutoff = ["success", "document", "recall", "mrr"];

/** `ibid eval <questions.jsonl>`: asks the knowledge base questions with known answers. */
export async function evaluateOwnQuestions(
  context: Context,
  path: string,
  options: EvalCommandOptions,
): Promise<number> {
  const { output, signal } = context;
  const { mode = "hybrid", depth, run, readRun, variant } = options;
  refuseOption("--run", run);
  refuseOption("--read-run", readRun);
  refuseOption("--variant", variant);
  await checkPlace("--save-baseline", options.saveBaseline);
  const { evaluateQuestions } = await import("../eval/evaluate-questions.ts");
  const { parseQuestions } = await import("../eval/questions.ts");
  const questions = parseQuestions(await readText(path), { file: path });
  const baseline = await readAgainst(options);

  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  return await withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
    let shown = 0;
    const evaluation = await evaluateQuestions(kb, questions, {
      mode,
      signal,
      metrics: chooseMetrics(defaultMetrics, metricsPerCutoff, options),
      ...(depth === undefined ? {} : { depth }),
      onQuestion(done, total) {
        if (performance.now() - shown < 100) return;
        shown = performance.now();
        line.say(`Asking ${done.toLocaleString("en")}/${total.toLocaleString("en")} …`);
      },
    }).finally(() => line.clear());
    const judged = await judge(evaluation, options, baseline);
    await saveBaseline(options, `${path}, ${mode}`, evaluation);

    const { latencyMs, kinds, lost, stale, answeredWrongly } = evaluation;
    const unanswerable = questions.filter(({ answerable }) => !answerable).length;
    const lineNumbers = (list: readonly Question[]): readonly number[] => list.map((question) => question.line);
    if (output.json) {
      const { metrics, baseline: compared } = metricsJson(judged);
      await output.object({
        mode,
        questions: questions.length,
        unanswerable,
        metrics,
        ...(kinds.size > 0 && { kinds: Object.fromEntries([...kinds].map(([kind, own]) => [kind, kindJson(own)])) }),
        latencyMs: latencyJson(latencyMs),
        lost: lineNumbers(lost),
        stale: lineNumbers(stale),
        answeredWrongly: lineNumbers(answeredWrongly),
        ...(compared === undefined ? {} : { baseline: compared }),
      });
    } else {
      const { style } = output;
      const without = unanswerable === 0 ? "" : `, ${unanswerable.toLocaleString("en")} without an answer`;
      await output.line(style.bold(shorten(neutralise(path), output.columns)));
      await output.line(`${mode} · ${count(questions.length, "question")}${without}`);
      await output.line();
      await writeMetrics(output, judged);
      for (const [kind, own] of kinds) {
        await output.line();
        await output.line(`${style.bold(neutralise(kind))} · ${count(own.queries.size, "question")}`);
        await writeMetrics(output, { evaluation: own, comparisons: undefined, baseline: undefined });
      }
      await output.line();
      await output.line(`${style.dim("a search")}  ${describeLatency(latencyMs)}`);
      const lists = [
        ["Not found", lost],
        ["Out of date (the document, or the words in it, are not in the knowledge base)", stale],
        ["Answered, and should not have been", answeredWrongly],
      ] as const;
      if (lists.some(([, list]) => list.length > 0)) await output.line();
      for (const [what, list] of lists)
        if (list.length > 0) await writeNote(output, `${what}: ${describeLines(list)}.`);
    }
    return await applyGates(output, judged, options);
  });
}

/** How many questions of a kind there are, and its metrics. */
function kindJson(evaluation: Evaluation): object {
  return {
    questions: evaluation.queries.size,
    ...metricsJson({ evaluation, comparisons: undefined, baseline: undefined }),
  };
}

function describeLines(list: readonly Question[]): string {
  const most = 20;
  const numbers = list.slice(0, most).map((question) => question.line);
  const more = list.length > most ? ` and ${list.length - most} more` : "";
  return `line${list.length === 1 ? "" : "s"} ${numbers.join(", ")}${more}`;
}

/** **Errors** `invalid-argument` for an option of test collections. */
function refuseOption(option: string, value: string | undefined): void {
  if (value === undefined) return;
  throw new IbidError("invalid-argument", `${option} is for test collections, and this is a file of questions.`, {
    hint: `Leave ${option} out, or name a folder with corpus.jsonl, queries.jsonl and qrels.tsv.`,
  });
}
