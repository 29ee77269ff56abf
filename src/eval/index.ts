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
export { evaluateQuestions, type QuestionEvaluation, type QuestionOptions } from "./evaluate-questions.ts";
export { parseQrels, type Qrels } from "./qrels.ts";
export { parseQuestions, type Question, type QuestionSpan } from "./questions.ts";
export { formatRun, parseRun, type RankedDocument, type Run as TrecRun } from "./run.ts";
export { type Evaluation, type QueryScores, type ScoreOptions, scoreRun } from "./score-run.ts";
