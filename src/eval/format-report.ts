import type { Complete } from "../contracts/complete.ts";
import { checkGiven, checkOptions, readingGiven } from "../runtime/check-options.ts";
import { type Condition, formatScore, isWorse, significant } from "./check-conditions.ts";
import { type Comparison, compareRuns } from "./compare-runs.ts";
import type { FoundPlace, QuestionEvaluation, QuestionOutcome } from "./evaluate-questions.ts";
import type { ExpectedPlace } from "./expected-places.ts";
import { reportStyle } from "./report-style.ts";
import type { Evaluation } from "./score-run.ts";

/**
 * Contents of a report beside the evaluation.
 *
 * @experimental
 */
export interface ReportOptions {
  /** The name of the questions. */
  readonly title: string;
  /** How was searched, in words. */
  readonly how?: string | undefined;
  /** An earlier evaluation of the same questions, or one of another configuration, with its name. */
  readonly baseline?: (Pick<Evaluation, "queries"> & { readonly how: string }) | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  /** The rank up to which a question counts as found. Default 5. */
  readonly within?: number | undefined;
  /**
   * The stretches of a text to mark for a question, in order and apart. Default: words that stand in the question.
   *
   * **Units** UTF-16 code units, half open.
   */
  readonly findWords?:
    | ((
        text: string,
        question: string,
        language: string,
      ) => readonly { readonly start: number; readonly end: number }[])
    | undefined;
}

type Needed = Complete<Pick<ReportOptions, "within" | "findWords">> & Pick<ReportOptions, "baseline">;

/**
 * An evaluation as a page: its figures, by kind and beside a baseline, and each miss with the expected place beside the first hits.
 *
 * **Shape** one HTML document that loads nothing and runs no script, for narrow and wide screens, light and dark. All text of documents and questions is escaped.
 * The same input gives the same page. **Cost** linear in the outcomes, and a comparison for each kind.
 *
 * @experimental
 */
export function formatReport(evaluation: QuestionEvaluation, options: ReportOptions): string {
  checkGiven("formatReport", "evaluation", evaluation, "object");
  checkGiven("formatReport", "options", options, "object", { title: "text" });
  checkOptions("formatReport", options, {
    title: true,
    how: true,
    baseline: true,
    conditions: true,
    within: true,
    findWords: true,
  });
  return readingGiven("formatReport", "evaluation, baseline or conditions", "an evaluation", () =>
    writePage(evaluation, options),
  );
}

function writePage(evaluation: QuestionEvaluation, options: ReportOptions): string {
  const { title, how = "", baseline, conditions = [], within = 5, findWords = findSameWords } = options;
  const { outcomes, problems } = evaluation;
  const answerable = outcomes.filter(({ question }) => question.answerable);
  const lost = answerable.filter(({ rank }) => rank === 0);
  const below = answerable.filter(({ rank }) => rank > within);
  const wrongly = outcomes.filter(({ question, refused }) => !question.answerable && !refused);
  const needed: Needed = { within, findWords, ...(baseline !== undefined && { baseline }) };
  const counts = `${count(outcomes.length, "question")}, ${outcomes.length - answerable.length} without an answer`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}: evaluation</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
<p class="dim">${escape([how, counts].filter((part) => part !== "").join(" · "))}</p>
${showConditions(conditions)}
<h2>Figures</h2>
${showFigures(evaluation, baseline)}
${showKinds(evaluation, baseline)}
${showCases("Not found", lost, needed)}
${showCases(`Found below rank ${within}`, below, needed)}
${showCases("Answered without an answer in the documents", wrongly, needed)}
${problems.length === 0 ? "" : `<h2>Out of date (${problems.length})</h2>\n<p>No search can find these places: correct the questions, or ingest the documents.</p>\n<ul>\n${problems.map(({ line, problem }) => `<li>Line ${line}: ${escape(problem)}.</li>`).join("\n")}\n</ul>`}
<h2>All questions</h2>
${showAll(outcomes)}
</main>
</body>
</html>
`;
}

function showConditions(conditions: readonly Condition[]): string {
  const failed = conditions.filter(({ passed }) => !passed);
  if (conditions.length === 0) return "";
  const list = (failed.length > 0 ? failed : conditions).map(({ message }) => `<li>${escape(message)}</li>`).join("\n");
  const said =
    failed.length > 0 ? `${failed.length} of ${conditions.length} conditions are not met` : "All conditions are met";
  return `<section class="conditions ${failed.length > 0 ? "bad" : "good"}">\n<p><strong>${said}</strong></p>\n<ul>\n${list}\n</ul>\n</section>`;
}

/** A table that scrolls by itself where the screen is narrow. */
function showTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string): string => row.map((cell) => `<${tag}>${cell}</${tag}>`).join("");
  const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
  return `<div class="scroll"><table>\n<thead><tr>${cells(head, "th")}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

function showFigures(evaluation: Evaluation, baseline: ReportOptions["baseline"]): string {
  const comparisons = compare(evaluation, baseline);
  const rows = Object.entries(evaluation.metrics).map(([metric, { mean, low, high, queries }]) => [
    escape(metric),
    `<strong>${formatScore(mean)}</strong>`,
    `${formatScore(low)} to ${formatScore(high)}`,
    String(queries),
    ...(comparisons === undefined ? [] : showComparison(comparisons[metric])),
  ]);
  const head = ["metric", "mean", "95 % interval", "questions"];
  if (comparisons === undefined || baseline === undefined) return showTable(head, rows);
  const note = `Baseline: ${baseline.how}. p is how often chance alone would differ as much (paired randomisation test); below ${significant} a change counts.`;
  return `${showTable([...head, "baseline", "change", "p"], rows)}\n<p class="dim">${escape(note)}</p>`;
}

/** Baseline, change and p. */
function showComparison(comparison: Comparison | undefined): readonly string[] {
  if (comparison === undefined) return ["", "", ""];
  const { baseline, difference, p } = comparison;
  const sign = difference < 0 ? "−" : "+";
  const verdict = isWorse(comparison) ? "bad" : p < significant ? "good" : "";
  return [
    formatScore(baseline),
    `<span class="${verdict}">${sign}${formatScore(Math.abs(difference))}</span>`,
    formatScore(p),
  ];
}

function showKinds({ kinds, metrics }: QuestionEvaluation, baseline: ReportOptions["baseline"]): string {
  if (kinds.size === 0) return "";
  const names = Object.keys(metrics);
  const rows = Array.from(kinds, ([kind, own]) => {
    const comparisons = compare(own, baseline);
    const cells = names.map((name) => {
      const estimate = own.metrics[name];
      if (estimate === undefined) return "";
      const compared = comparisons?.[name];
      const isSame = compared === undefined || compared.difference === 0;
      const change = isSame ? "" : ` <small>${showComparison(compared)[1]}</small>`;
      return formatScore(estimate.mean) + change;
    });
    return [escape(kind), String(own.queries.size), ...cells];
  });
  return `<h2>By kind</h2>\n${showTable(["kind", "questions", ...names.map(escape)], rows)}`;
}

/** **Shape** `undefined` without a baseline, and for one of other questions. */
function compare(evaluation: Evaluation, baseline: ReportOptions["baseline"]) {
  if (baseline === undefined || ![...evaluation.queries.keys()].some((id) => baseline.queries.has(id)))
    return undefined;
  return compareRuns(evaluation, baseline);
}

function showCases(heading: string, cases: readonly QuestionOutcome[], needed: Needed): string {
  if (cases.length === 0) return "";
  return `<h2>${escape(heading)} (${cases.length})</h2>\n${cases.map((one) => showCase(one, needed)).join("\n")}`;
}

function showCase({ question, expected, found, rank, refused }: QuestionOutcome, needed: Needed): string {
  const { kind, line, note, answerable } = question;
  const facts = [
    `line ${line}`,
    ...(kind === undefined ? [] : [kind]),
    ...(rank > 0 ? [`rank ${rank}`] : []),
    ...(answerable && !refused ? ["answered all the same"] : []),
    ...(foundBefore(question.id, needed) && answerable ? ["found in the baseline"] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const places = expected.map(showExpected).join("\n") || "<p>Nothing: the documents do not answer it.</p>";
  const hits = found.map((hit) => showFound(hit, question.question, needed)).join("\n") || "<p>Nothing was found.</p>";
  return `<article>
<h3>${escape(question.question)}</h3>
<p class="dim">${escape(facts.join(" · "))}</p>
<div class="pair">
<section><h4>Expected</h4>
${places}
</section>
<section><h4>Found</h4>
${hits}
</section>
</div>
</article>`;
}

/** Whether the baseline has a hit for the question among the first that count. */
function foundBefore(id: string, { baseline, within }: Needed): boolean {
  return baseline?.queries.get(id)?.[`success@${within}`] === 1;
}

function showExpected({ uri, page, text, before, after, rank, problem, quote }: ExpectedPlace): string {
  const place = [uri ?? "any document", ...(page === undefined ? [] : [`page ${page}`])].join(", ");
  const words = quote === undefined ? escape(text) : `${escape(before)}<mark>${escape(text)}</mark>${escape(after)}`;
  const said = problem === undefined ? (rank > 0 ? `rank ${rank}` : "") : `${problem}.`;
  return `<div class="place">
<p class="where">${escape(place)}${said === "" ? "" : ` <span class="${problem === undefined ? "dim" : "bad"}">${escape(said)}</span>`}</p>
<blockquote>${words}</blockquote>
</div>`;
}

function showFound(hit: FoundPlace, question: string, { findWords }: Needed): string {
  const { rank, uri, headings, page, line, snippet, language = "", isRight, score } = hit;
  const place = [
    uri,
    ...(page === undefined ? [] : [`page ${page}`]),
    ...(line === undefined || page !== undefined ? [] : [`line ${line}`]),
  ].join(", ");
  let shown = "";
  let from = 0;
  for (const { start, end } of findWords(snippet, question, language)) {
    shown += `${escape(snippet.slice(from, start))}<mark>${escape(snippet.slice(start, end))}</mark>`;
    from = end;
  }
  shown += escape(snippet.slice(from));
  const right = isRight ? ' <span class="good">expected</span>' : "";
  return `<div class="place">
<p class="where">${rank}. ${escape(place)} <span class="dim">${escape(headings.join(" › "))} ${score.toFixed(3)}</span>${right}</p>
<blockquote>${shown}</blockquote>
</div>`;
}

function showAll(outcomes: readonly QuestionOutcome[]): string {
  const rows = outcomes.map(({ question, rank, refused }) => {
    const { line, kind = "", answerable } = question;
    const result = answerable
      ? rank > 0
        ? `rank ${rank}`
        : '<span class="bad">not found</span>'
      : refused
        ? "refused"
        : '<span class="bad">answered</span>';
    return [String(line), escape(question.question), escape(kind), result];
  });
  return `<details>\n<summary>${count(outcomes.length, "question")}</summary>\n${showTable(["line", "question", "kind", "result"], rows)}\n</details>`;
}

/** Words of a text that stand in the question, of three letters at least. */
function findSameWords(text: string, question: string): readonly { readonly start: number; readonly end: number }[] {
  const words = /[\p{L}\p{N}]{3,}/gu;
  const asked = new Set(Array.from(question.matchAll(words), ([word]) => word.toLowerCase()));
  return Array.from(text.matchAll(words), ({ 0: word, index }) => ({ word, start: index, end: index + word.length }))
    .filter(({ word }) => asked.has(word.toLowerCase()))
    .map(({ start, end }) => ({ start, end }));
}

const count = (size: number, what: string): string => `${size} ${what}${size === 1 ? "" : "s"}`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for HTML and XML. Controls that XML forbids, and those that turn the direction of a line, go. */
export function escape(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are what is to be taken out
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu, "")
      .replaceAll(/[&<>"']/gu, (sign) => entities[sign]!)
  );
}
