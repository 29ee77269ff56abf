import { IbidError } from "../contracts/errors.ts";
import { defaultQuestionMetrics, type QuestionEvaluation } from "../eval/evaluate-questions.ts";
import type { Question } from "../eval/questions.ts";
import type { Evaluation } from "../eval/score-run.ts";
import { type Baseline, checkPlace } from "./eval-files.ts";
import {
  applyConditions,
  chooseMetrics,
  describeLatency,
  type EvalCommandOptions,
  conditionsOf,
  judge,
  type Judged,
  latencyJson,
  metricsJson,
  readAgainst,
  saveBaseline,
  writeMetrics,
  writeNote,
} from "./eval-report.ts";
import { describeSettings, readVersus, settingsOf } from "./eval-settings.ts";
import { findQueryWords } from "./mark-words.ts";
import { type Context, withKnowledgeBase } from "./open.ts";
import { createProgressLine, type ProgressLine } from "./progress.ts";
import { count, neutralise, shorten } from "./text-layout.ts";
import { readText, writeText } from "./read-text.ts";

const metricsPerCutoff = ["success", "document", "page", "span", "recall", "mrr"];
/** Lines of problems that are printed. */
const mostProblems = 20;

/** `ibid eval <questions.jsonl>`: asks the knowledge base questions with known answers. */
export async function evaluateOwnQuestions(
  context: Context,
  path: string,
  options: EvalCommandOptions,
): Promise<number> {
  const { output } = context;
  const { run, readRun, variant } = options;
  refuseOption("--run", run);
  refuseOption("--read-run", readRun);
  refuseOption("--variant", variant);
  const other = readVersus(options);
  refuseOption("--versus variant", other?.variant);
  await checkPlace("--save-baseline", options.saveBaseline);
  await checkPlace("--html", options.html);
  await checkPlace("--junit", options.junit);
  const { parseQuestions } = await import("../eval/questions.ts");
  const questions = parseQuestions(await readText(path), { file: path });
  const baseline = await readAgainst(options);

  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  const evaluation = await askQuestions(context, questions, options, line);
  const versus: Baseline | undefined = other && {
    how: describeAsking(other),
    ...(await askQuestions(context, questions, other, line)),
  };
  const judged = await judge(evaluation, options, versus ?? baseline);
  const conditions = conditionsOf(judged, options);
  await saveBaseline(options, `${path}, ${describeAsking(options)}`, evaluation);
  if (options.html !== undefined) await writeHtml(options.html, path, evaluation, judged, options, conditions);
  if (options.junit !== undefined) {
    const { formatJUnit } = await import("../eval/format-junit.ts");
    await writeText(options.junit, formatJUnit(evaluation, { title: path, conditions }));
  }
  await printEvaluation(context, path, questions, evaluation, judged, options);
  return await applyConditions(output, conditions);
}

/** Opens the knowledge base with the models of the options, and asks. */
async function askQuestions(
  { signal }: Context,
  questions: readonly Question[],
  options: EvalCommandOptions,
  line: ProgressLine,
): Promise<QuestionEvaluation> {
  const { mode = "hybrid", depth } = options;
  const { evaluateQuestions } = await import("../eval/evaluate-questions.ts");
  return await withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
    let shown = 0;
    return await evaluateQuestions(kb, questions, {
      mode,
      signal,
      search: settingsOf(options),
      metrics: chooseMetrics(defaultQuestionMetrics, metricsPerCutoff, options),
      ...(depth === undefined ? {} : { depth }),
      onQuestion(done, total) {
        if (performance.now() - shown < 100) return;
        shown = performance.now();
        line.say(`Asking ${done.toLocaleString("en")}/${total.toLocaleString("en")} …`);
      },
    }).finally(() => line.clear());
  });
}

/** Mode, settings and models in words. */
function describeAsking(options: EvalCommandOptions): string {
  const { mode = "hybrid", embeddingModel, reranker } = options;
  const settings = describeSettings(options);
  return [
    mode,
    ...(settings === "" ? [] : [settings]),
    ...(embeddingModel === undefined || mode === "lexical" ? [] : [`model ${embeddingModel}`]),
    ...(reranker === undefined ? [] : [`reranker ${reranker}`]),
  ].join(", ");
}

async function writeHtml(
  file: string,
  path: string,
  evaluation: QuestionEvaluation,
  { baseline }: Judged,
  options: EvalCommandOptions,
  conditions: ReturnType<typeof conditionsOf>,
): Promise<void> {
  const { formatReport } = await import("../eval/format-report.ts");
  const { languageAnalyzer } = await import("../text/languages/snowball/language-analyzer.ts");
  const page = formatReport(evaluation, {
    title: path,
    how: describeAsking(options),
    conditions,
    ...(baseline !== undefined && { baseline }),
    findWords(text, question, language) {
      const terms = new Set(languageAnalyzer.analyze(question, language));
      return findQueryWords(text, terms, languageAnalyzer, language);
    },
  });
  await writeText(file, page);
}

async function printEvaluation(
  { output }: Context,
  path: string,
  questions: readonly Question[],
  { latencyMs, kinds, lost, stale, answeredWrongly, problems }: QuestionEvaluation,
  judged: Judged,
  options: EvalCommandOptions,
): Promise<void> {
  const unanswerable = questions.filter(({ answerable }) => !answerable).length;
  const lineNumbers = (list: readonly Question[]): readonly number[] => list.map((question) => question.line);
  const byKind = await Promise.all(
    Array.from(kinds, async ([kind, own]) => [kind, await judgeKind(own, options, judged.baseline)] as const),
  );
  if (output.json) {
    const { metrics, baseline: compared } = metricsJson(judged);
    await output.object({
      mode: options.mode ?? "hybrid",
      questions: questions.length,
      unanswerable,
      metrics,
      ...(byKind.length > 0 && { kinds: Object.fromEntries(byKind.map(([kind, own]) => [kind, kindJson(own)])) }),
      latencyMs: latencyJson(latencyMs),
      lost: lineNumbers(lost),
      stale: lineNumbers(stale),
      answeredWrongly: lineNumbers(answeredWrongly),
      ...(problems.length > 0 && { problems }),
      ...(compared === undefined ? {} : { baseline: compared }),
    });
    return;
  }
  const { style } = output;
  const without = unanswerable === 0 ? "" : `, ${unanswerable.toLocaleString("en")} without an answer`;
  await output.line(style.bold(shorten(neutralise(path), output.columns)));
  await output.line(`${describeAsking(options)} · ${count(questions.length, "question")}${without}`);
  await output.line();
  await writeMetrics(output, judged);
  for (const [kind, own] of byKind) {
    await output.line();
    await output.line(`${style.bold(neutralise(kind))} · ${count(own.evaluation.queries.size, "question")}`);
    await writeMetrics(output, { ...own, baseline: undefined });
  }
  await output.line();
  await output.line(`${style.dim("a search")}  ${describeLatency(latencyMs)}`);
  const lists = [
    ["Not found", lost],
    ["Out of date (the document, or the words in it, are not in the knowledge base)", stale],
    ["Answered, and should not have been", answeredWrongly],
  ] as const;
  if (lists.some(([, list]) => list.length > 0)) await output.line();
  for (const [what, list] of lists) if (list.length > 0) await writeNote(output, `${what}: ${describeLines(list)}.`);
  for (const { line, problem } of problems.slice(0, mostProblems))
    await writeNote(output, `${neutralise(path)}, line ${line}: ${neutralise(problem)}.`);
  if (problems.length > mostProblems) await writeNote(output, `And ${problems.length - mostProblems} more such lines.`);
}

/** A kind beside the same questions of the baseline; without one where it has none of them. */
async function judgeKind(
  own: Evaluation,
  options: EvalCommandOptions,
  baseline: Baseline | undefined,
): Promise<Judged> {
  const isShared = baseline !== undefined && [...own.queries.keys()].some((id) => baseline.queries.has(id));
  return await judge(own, options, isShared ? baseline : undefined);
}

/** How many questions of a kind there are, and its metrics. */
function kindJson(judged: Judged): object {
  return { questions: judged.evaluation.queries.size, ...metricsJson(judged) };
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
