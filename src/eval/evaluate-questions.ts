import { IbidError } from "../contracts/errors.ts";
import type { Hit, RetrieveOptions } from "../contracts/retriever.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { type LatencyQuantiles, latencyQuantiles } from "./collect-run.ts";
import {
  type AskedKnowledgeBase,
  createPlaceFinder,
  type ExpectedPlace,
  type FindPlaces,
  type Place,
  type TellHit,
} from "./expected-places.ts";
import type { Question } from "./questions.ts";
import { parseMetric } from "./ranking-metric.ts";
import { type Evaluation, summarise } from "./score-run.ts";

/**
 * How questions are asked and scored.
 *
 * @experimental
 */
export interface QuestionOptions {
  /** Hits a question. Default 100, or as far as the metrics look. */
  readonly depth?: number | undefined;
  /** Default `"hybrid"`. */
  readonly mode?: "hybrid" | "dense" | "lexical" | undefined;
  /** Further options of each search and each answer, such as `fusion`; depth, mode and signal win. */
  readonly search?: RetrieveOptions | undefined;
  /**
   * `success@k`, `document@k`, `page@k`, `span@k`, `recall@k`, `mrr@k`, `answered`, `refused`. Default `success@1`, `success@5`, `document@5`, `page@5`, `recall@10`,
   * `mrr@10`, `answered`, `refused`.
   */
  readonly metrics?: readonly string[] | undefined;
  /** Hits that each outcome keeps, to show them. Default 5. */
  readonly keep?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each question, for a display. */
  readonly onQuestion?: ((done: number, total: number) => void) | undefined;
}

/**
 * A hit as an outcome keeps it.
 *
 * @experimental
 */
export interface FoundPlace {
  /** From 1. */
  readonly rank: number;
  readonly score: number;
  readonly uri: string;
  readonly title: string;
  readonly headings: readonly string[];
  /** From 1; the slide, in a presentation. */
  readonly page?: number;
  readonly line?: number;
  readonly start: number;
  readonly end: number;
  /** The part of the chunk that answers best; for display only. */
  readonly snippet: string;
  readonly language?: string;
  /** Whether it holds an expected place. */
  readonly isRight: boolean;
}

/**
 * One question: the places that it expects, and the first hits.
 *
 * @experimental
 */
export interface QuestionOutcome {
  readonly question: Question;
  /** Values of the metrics that say something of it. */
  readonly scores: Readonly<Record<string, number>>;
  readonly expected: readonly ExpectedPlace[];
  readonly found: readonly FoundPlace[];
  /** Rank of the first hit that holds an expected place; 0 for none. */
  readonly rank: number;
  /** Whether a strict answer without a model was refused. */
  readonly refused: boolean;
}

/**
 * How well a knowledge base does on questions of one's own.
 *
 * @experimental
 */
export interface QuestionEvaluation extends Evaluation {
  readonly latencyMs: LatencyQuantiles;
  /** The same metrics over the questions of each kind, in the order of the file; empty where no question has one. */
  readonly kinds: ReadonlyMap<string, Evaluation>;
  /** Each question with its places and hits, in the order of the file. */
  readonly outcomes: readonly QuestionOutcome[];
  /** Answerable questions none of whose places was found. */
  readonly lost: readonly Question[];
  /** Outdated questions: none of their places is in the knowledge base. */
  readonly stale: readonly Question[];
  /** Questions without an answer that were answered all the same. */
  readonly answeredWrongly: readonly Question[];
  /** Places that no search can find, each with its question's line and the reason. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** Default metrics of questions. */
export const defaultQuestionMetrics: readonly string[] = [
  "success@1",
  "success@5",
  "document@5",
  "page@5",
  "recall@10",
  "mrr@10",
  "answered",
  "refused",
];

/**
 * Asks a knowledge base questions with known answers, to notice when a change of chunker, model or documents makes it worse.
 *
 * **Shape** answerable questions give `success@k` (the first k hits hold an expected place), `recall@k` (the share of places that they hold) and `mrr@k` (the
 * reciprocal rank). `document@k` asks for the document alone, `page@k` for an expected page, `span@k` for an expected quote. `answered` says whether a strict
 * answer without a model is not refused. The other questions give `refused`. A hit holds a place when it is of the named document and page,
 * and its text has the quote, white space aside. Parts that a question does not name do not count.
 * A quote that the chunker cut in two is in no hit. A metric without a question is absent.
 * **Errors** `invalid-argument` for another metric; errors of searching and asking; `aborted`.
 * **Source** `success`, `recall`, `recip_rank` of trec_eval, with places for documents.
 *
 * @experimental
 */
export async function evaluateQuestions(
  kb: AskedKnowledgeBase,
  questions: readonly Question[],
  options: QuestionOptions = {},
): Promise<QuestionEvaluation> {
  checkGiven("evaluateQuestions", "kb", kb, "object", { search: "function", ask: "function" });
  checkGiven("evaluateQuestions", "questions", questions, "list", { id: "text", question: "text" });
  checkOptions("evaluateQuestions", options, {
    depth: true,
    mode: true,
    search: true,
    metrics: true,
    keep: true,
    signal: true,
    onQuestion: true,
  });
  const { mode = "hybrid", search: more, keep = 5, signal, onQuestion } = options;
  const metrics = (options.metrics ?? defaultQuestionMetrics).map(parseQuestionMetric);
  if (!Number.isSafeInteger(keep) || keep < 0)
    throw new IbidError("invalid-argument", `keep is ${keep}.`, { hint: "Give a whole number from 0." });
  const cutoffs = metrics.flatMap(({ cutoff }) => (cutoff === Infinity ? [] : [cutoff]));
  const depth = options.depth ?? Math.max(100, ...cutoffs);
  const shared = { ...more, mode, ...(signal === undefined ? {} : { signal }) };
  const findPlaces = createPlaceFinder(kb);

  const outcomes: QuestionOutcome[] = [];
  const times: number[] = [];
  for (const [index, question] of questions.entries()) {
    throwIfAborted(signal, "The evaluation");
    onQuestion?.(index, questions.length);
    const search = (): Promise<readonly Hit[]> => kb.search(question.question, { ...shared, topK: depth });
    // Loading at the first use does not count.
    if (index === 0) await search();
    const started = performance.now();
    const hits = await search();
    times.push(performance.now() - started);
    const wanted = await findPlaces(question);
    const { kind } = await kb.ask(question.question, { ...shared, grounding: "strict" });
    outcomes.push(judgeQuestion(question, wanted, hits, kind === "refused", metrics, keep));
  }
  const scores = new Map(outcomes.map(({ question, scores: own }) => [question.id, own]));
  const kinds = new Map(
    [...Map.groupBy(questions, ({ kind }) => kind)].flatMap(([kind, those]) => {
      if (kind === undefined) return [];
      const own = new Map(those.map(({ id }) => [id, scores.get(id) ?? {}]));
      return [[kind, inOrder(summarise(own), metrics)] as const];
    }),
  );
  const lost = outcomes.filter(({ question, rank }) => question.answerable && rank === 0);
  return {
    ...inOrder(summarise(scores), metrics),
    latencyMs: latencyQuantiles(times),
    kinds,
    outcomes,
    lost: lost.map(({ question }) => question),
    stale: lost.flatMap(({ question, expected }) =>
      expected.every(({ problem }) => problem !== undefined) ? [question] : [],
    ),
    answeredWrongly: outcomes.flatMap(({ question, refused }) => (question.answerable || refused ? [] : [question])),
    problems: outcomes.flatMap(({ question, expected }) =>
      expected.flatMap(({ problem }) => (problem === undefined ? [] : [{ line: question.line, problem }])),
    ),
  };
}

function judgeQuestion(
  question: Question,
  { places, documents }: Awaited<ReturnType<FindPlaces>>,
  hits: readonly Hit[],
  refused: boolean,
  metrics: readonly QuestionMetric[],
  keep: number,
): QuestionOutcome {
  const rankOf = (isRight: TellHit): number => hits.findIndex(isRight) + 1;
  const expected = places.map(({ shown, isHeldBy }): ExpectedPlace => ({ ...shown, rank: rankOf(isHeldBy) }));
  const ranks: Ranks = {
    places: expected.map(({ rank }) => rank),
    spans: expected.flatMap(({ quote, rank }) => (quote === undefined ? [] : [rank])),
    pages: places.flatMap(({ isPageOf }) => (isPageOf === undefined ? [] : [rankOf(isPageOf)])),
    documents: documents.map(rankOf),
    refused,
  };
  const own = metrics.filter(({ of }) => of === (question.answerable ? "answerable" : "unanswerable"));
  const scores = own.flatMap(({ name, measure }) => {
    const value = measure(ranks);
    return value === undefined ? [] : [[name, value] as const];
  });
  const found = ranks.places.filter((rank) => rank > 0);
  return {
    question,
    scores: Object.fromEntries(scores),
    expected,
    found: hits.slice(0, keep).map((hit) => toFound(hit, places)),
    rank: found.length === 0 ? 0 : Math.min(...found),
    refused,
  };
}

function toFound(hit: Hit, places: readonly Place[]): FoundPlace {
  const { rank, score, snippet, text, source } = hit;
  const { uri, title, headings, start, end, line, language, page = source.slide } = source;
  return {
    rank,
    score,
    uri,
    title,
    headings,
    ...(page !== undefined && { page }),
    ...(line !== undefined && { line }),
    start,
    end,
    snippet: snippet === "" ? text.slice(0, 240).toWellFormed() : snippet,
    ...(language !== undefined && { language }),
    isRight: places.some(({ isHeldBy }) => isHeldBy(hit)),
  };
}

/** Ranks of the first hits that hold each expected place, quote, page and document; 0: none. */
interface Ranks {
  readonly places: readonly number[];
  readonly spans: readonly number[];
  readonly pages: readonly number[];
  readonly documents: readonly number[];
  readonly refused: boolean;
}

interface QuestionMetric {
  readonly name: string;
  readonly of: "answerable" | "unanswerable";
  readonly cutoff: number;
  /** `undefined` for a question that expects nothing of the sort. */
  readonly measure: (ranks: Ranks) => number | undefined;
}

/** The ranks that each formula looks at. */
const lookedAt = {
  success: "places",
  recall: "places",
  mrr: "places",
  document: "documents",
  page: "pages",
  span: "spans",
} as const;

/** **Errors** `invalid-argument` for a metric that says nothing of a question. */
function parseQuestionMetric(name: string): QuestionMetric {
  if (name === "answered") return { name, of: "answerable", cutoff: 0, measure: ({ refused }) => (refused ? 0 : 1) };
  if (name === "refused") return { name, of: "unanswerable", cutoff: 0, measure: ({ refused }) => (refused ? 1 : 0) };
  const formula = /^(success|document|page|span|recall|mrr)(?:@|$)/u.exec(name)?.[1] as
    | keyof typeof lookedAt
    | undefined;
  if (formula === undefined) {
    throw new IbidError("invalid-argument", `There is no metric "${name}" of questions.`, {
      hint: "Known metrics: success@k, document@k, page@k, span@k, recall@k, mrr@k, answered, refused.",
    });
  }
  const { cutoff } = parseMetric(name.replace(/^(?:document|page|span)/u, "success"));
  return {
    name,
    of: "answerable",
    cutoff,
    measure(all) {
      const ranks = all[lookedAt[formula]];
      if (ranks.length === 0) return undefined;
      const found = ranks.filter((rank) => rank > 0 && rank <= cutoff);
      if (formula === "recall") return found.length / ranks.length;
      if (found.length === 0) return 0;
      return formula === "mrr" ? 1 / Math.min(...found) : 1;
    },
  };
}

/** Metrics in the order in which they were asked for, whichever kind of question came first. */
function inOrder(evaluation: Evaluation, wanted: readonly QuestionMetric[]): Evaluation {
  const metrics = wanted.flatMap(({ name }) => {
    const estimate = evaluation.metrics[name];
    return estimate === undefined ? [] : [[name, estimate] as const];
  });
  return { ...evaluation, metrics: Object.fromEntries(metrics) };
}
