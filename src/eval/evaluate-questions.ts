import { IbidError } from "../contracts/errors.ts";
import type { DocumentView, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Hit } from "../contracts/retriever.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { type LatencyQuantiles, latencyQuantiles } from "./collect-run.ts";
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
  readonly depth?: number;
  /** Default `"hybrid"`. */
  readonly mode?: "hybrid" | "dense" | "lexical";
  /** `success@k`, `document@k`, `recall@k`, `mrr@k`, `answered`, `refused`. Default `success@1`, `success@5`, `recall@10`, `mrr@10`, `answered`, `refused`. */
  readonly metrics?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called before each question, for a display. */
  readonly onQuestion?: (done: number, total: number) => void;
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
  /** Answerable questions none of whose places was found. */
  readonly lost: readonly Question[];
  /** Outdated questions: their document, or the quote in it, is not in the knowledge base. */
  readonly stale: readonly Question[];
  /** Questions without an answer that were answered all the same. */
  readonly answeredWrongly: readonly Question[];
}

/** Default metrics of questions. */
const defaultQuestionMetrics: readonly string[] = [
  "success@1",
  "success@5",
  "recall@10",
  "mrr@10",
  "answered",
  "refused",
];

type Asked = Pick<KnowledgeBase, "search" | "ask" | "document">;

/**
 * Asks a knowledge base questions with known answers, to notice when a change of chunker, model or documents makes it worse.
 *
 * **Shape** answerable questions give `success@k` (the first k hits hold an expected place) and `recall@k` (the share of places that
 * they hold). `document@k` asks for the document alone. They also give `mrr@k` (the reciprocal rank) and `answered` (whether a strict answer without a model is not refused). The others give
 * `refused`. A hit holds a place when it has the named uri, if any, and its text has the quote, if any, white space aside.
 * A quote that the chunker cut in two is in no hit. A metric without a question is absent.
 * **Errors** `invalid-argument` for another metric; errors of searching and asking; `aborted`.
 * **Source** `success`, `recall`, `recip_rank` of trec_eval, with places for documents.
 *
 * @experimental
 */
export async function evaluateQuestions(
  kb: Asked,
  questions: readonly Question[],
  options: QuestionOptions = {},
): Promise<QuestionEvaluation> {
  checkOptions("evaluateQuestions", options, {
    depth: true,
    mode: true,
    metrics: true,
    signal: true,
    onQuestion: true,
  });
  const { mode = "hybrid", signal, onQuestion } = options;
  const metrics = (options.metrics ?? defaultQuestionMetrics).map(parseQuestionMetric);
  const cutoffs = metrics.flatMap(({ cutoff }) => (cutoff === Infinity ? [] : [cutoff]));
  const depth = options.depth ?? Math.max(100, ...cutoffs);
  const shared = { mode, ...(signal === undefined ? {} : { signal }) };

  const scores = new Map<string, Readonly<Record<string, number>>>();
  const times: number[] = [];
  const lost: Question[] = [];
  const stale: Question[] = [];
  const answeredWrongly: Question[] = [];
  for (const [index, question] of questions.entries()) {
    throwIfAborted(signal, "The evaluation");
    onQuestion?.(index, questions.length);
    const search = (): Promise<readonly Hit[]> => kb.search(question.question, { ...shared, topK: depth });
    // Loading at the first use does not count.
    if (index === 0) await search();
    const started = performance.now();
    const hits = await search();
    times.push(performance.now() - started);

    const places = await findPlaces(kb, question);
    const ranks = places.map((isPlace) => hits.findIndex(isPlace) + 1);
    const documents = (await findDocuments(kb, question)).map((isOf) => hits.findIndex(isOf) + 1);
    if (question.answerable && ranks.every((rank) => rank === 0)) {
      lost.push(question);
      if (await isStale(kb, question)) stale.push(question);
    }
    const { kind } = await kb.ask(question.question, { ...shared, grounding: "strict" });
    const refused = kind === "refused";
    if (!question.answerable && !refused) answeredWrongly.push(question);
    const own = metrics.filter(({ of }) => of === (question.answerable ? "answerable" : "unanswerable"));
    scores.set(
      question.id,
      Object.fromEntries(own.map(({ name, measure }) => [name, measure(ranks, refused, documents)])),
    );
  }
  const kinds = new Map(
    [...Map.groupBy(questions, ({ kind }) => kind)].flatMap(([kind, those]) => {
      if (kind === undefined) return [];
      const own = new Map(those.map(({ id }) => [id, scores.get(id) ?? {}]));
      return [[kind, inOrder(summarise(own), metrics)] as const];
    }),
  );
  const latencyMs = latencyQuantiles(times);
  return { ...inOrder(summarise(scores), metrics), latencyMs, kinds, lost, stale, answeredWrongly };
}

interface QuestionMetric {
  readonly name: string;
  readonly of: "answerable" | "unanswerable";
  readonly cutoff: number;
  /** Measures the rank of the first hit that holds each place (0: none), whether the answer was refused, and the ranks of the documents. */
  readonly measure: (ranks: readonly number[], refused: boolean, documents: readonly number[]) => number;
}

/** **Errors** `invalid-argument` for a metric that says nothing of a question. */
function parseQuestionMetric(name: string): QuestionMetric {
  if (name === "answered") return { name, of: "answerable", cutoff: 0, measure: (_, refused) => (refused ? 0 : 1) };
  if (name === "refused") return { name, of: "unanswerable", cutoff: 0, measure: (_, refused) => (refused ? 1 : 0) };
  const formula = /^(success|document|recall|mrr)(?:@|$)/u.exec(name)?.[1];
  if (formula === undefined) {
    throw new IbidError("invalid-argument", `There is no metric "${name}" of questions.`, {
      hint: "Known metrics: success@k, document@k, recall@k, mrr@k, answered, refused.",
    });
  }
  const { cutoff } = parseMetric(formula === "document" ? name.replace("document", "success") : name);
  return {
    name,
    of: "answerable",
    cutoff,
    measure(places, _, documents) {
      const ranks = formula === "document" ? documents : places;
      const found = ranks.filter((rank) => rank > 0 && rank <= cutoff);
      if (formula === "recall") return found.length / ranks.length;
      if (found.length === 0) return 0;
      return formula === "mrr" ? 1 / Math.min(...found) : 1;
    },
  };
}

type IsPlace = (hit: Hit) => boolean;

/** How to tell a hit of a document. A path counts as well as the uri itself, and so does the end of a uri, from a slash on. */
async function isOfDocument(kb: Asked, uri: string): Promise<IsPlace> {
  const found = await findDocument(kb, uri);
  const resolved = found === undefined || found === "ambiguous" ? uri : found.uri;
  return ({ source }) => source.uri === uri || source.uri === resolved || source.uri.endsWith(`/${uri}`);
}

/** For each document of which one must be found, how to tell a hit of it. */
async function findDocuments(kb: Asked, { uri, uris, spans = [] }: Question): Promise<readonly IsPlace[]> {
  const named = uris ?? (uri === undefined ? spans.map((span) => span.uri) : [uri]);
  return Promise.all([...new Set(named)].map((one) => isOfDocument(kb, one)));
}

/** For each place that must be found, how to tell a hit that holds it. */
async function findPlaces(kb: Asked, question: Question): Promise<readonly IsPlace[]> {
  const { uri, quotes, spans = [] } = question;
  if (spans.length > 0) {
    return Promise.all(
      spans.map(async ({ uri: document, quote }): Promise<IsPlace> => {
        const [isOf, words] = [await isOfDocument(kb, document), onOneLine(quote)];
        return (hit) => isOf(hit) && onOneLine(hit.text).includes(words);
      }),
    );
  }
  if (quotes.length === 0) return findDocuments(kb, question);
  const isOfUri: IsPlace = uri === undefined ? () => true : await isOfDocument(kb, uri);
  return quotes.map((quote) => {
    const words = onOneLine(quote);
    return (hit) => isOfUri(hit) && onOneLine(hit.text).includes(words);
  });
}

/** Where several scopes hold the uri, nobody can say which was meant, and the question is taken to be right. */
async function isStale(kb: Asked, { uri, quotes }: Question): Promise<boolean> {
  if (uri === undefined) return false;
  const found = await findDocument(kb, uri);
  if (found === "ambiguous") return false;
  const text = onOneLine(found?.text ?? "");
  return found === undefined || (quotes.length > 0 && !quotes.some((quote) => text.includes(onOneLine(quote))));
}

/** The document that a person means by a uri or a path. */
async function findDocument(kb: Asked, uri: string): Promise<DocumentView | "ambiguous" | undefined> {
  try {
    return await kb.document(uri);
  } catch (error) {
    if (IbidError.isInstance(error, "ambiguous")) return "ambiguous";
    throw error;
  }
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

/** Metrics in the order in which they were asked for, whichever kind of question came first. */
function inOrder(evaluation: Evaluation, wanted: readonly QuestionMetric[]): Evaluation {
  const metrics = wanted.flatMap(({ name }) => {
    const estimate = evaluation.metrics[name];
    return estimate === undefined ? [] : [[name, estimate] as const];
  });
  return { ...evaluation, metrics: Object.fromEntries(metrics) };
}
