/** `ibid/eval`. */
export { type CollectOptions, collectRun, type LatencyQuantiles, type RankDocuments } from "./collect-run.ts";
export {
  type Collection as TestCollection,
  type CollectionDocument,
  type CollectionFile,
  parseCollection,
} from "./collection.ts";
export { type CompareOptions, compareRuns, type Comparison } from "./compare-runs.ts";
export type { Estimate } from "./estimate-mean.ts";
export { checkConditions, type Condition, type ConditionOptions } from "./check-conditions.ts";
export {
  evaluateQuestions,
  type FoundPlace,
  type QuestionEvaluation,
  type QuestionOptions,
  type QuestionOutcome,
} from "./evaluate-questions.ts";
export type { ExpectedPlace } from "./expected-places.ts";
export { formatJUnit } from "./format-junit.ts";
export { formatReport, type ReportOptions } from "./format-report.ts";
export { parseQrels, type Qrels } from "./qrels.ts";
export { parseQuestions, type Question, type QuestionSpan } from "./questions.ts";
export { formatRun, parseRun, type RankedDocument, type Run as TrecRun } from "./run.ts";
export { type Evaluation, type QueryScores, type ScoreOptions, scoreRun } from "./score-run.ts";
export {
  formatQuestions,
  suggestQuestions,
  type SuggestedQuestions,
  type SuggestOptions,
} from "./suggest-questions.ts";
