import type { Analyzer } from "../contracts/analyzer.ts";
import type { AnswerContext, AnswerEvent, ContextOptions, Grounding } from "../contracts/answer.ts";
import type { ChatMessage, ChatModel, Prompt } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit } from "../contracts/retriever.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { type Drafting, refuse } from "./answer-draft.ts";
import { answerFromModel } from "./answer-from-model.ts";
import { answerFromPassages, findNearest } from "./answer-from-passages.ts";
import { checkContext, fitContext, type FittedContext, renderNumbered } from "./prompts/fit-context.ts";
import { findSuspicions } from "./untrusted/find-suspicions.ts";
import { toPlainMarkdown } from "../text/untrusted/plain-markdown.ts";
import { neutraliseSource } from "../text/untrusted/neutralise-source.ts";
import { findAddresses } from "./untrusted/find-addresses.ts";
import { passLast } from "./untrusted/last-pass.ts";
import { addUsage, usageOf } from "../models/price-usage.ts";
import { renderPrompt } from "../models/render-prompt.ts";
import type { DocumentSlices } from "./citations/cite-quote.ts";
import { readTables } from "./citations/hit-tables.ts";
import { judgeRelevance } from "./relevance/judge-relevance.ts";
import { type Answerability, judgeAnswerability } from "./judge-answerability.ts";
import { asksNothing, noQuestionText } from "./no-question.ts";
import { throwIfAborted } from "../runtime/abort.ts";

export interface AnswerQuestionOptions {
  readonly question: string;
  /** The question as it stands alone, by which relevance is judged. Default: `question`. */
  readonly asked?: string | undefined;
  /** The question is a regular expression, and the hits are its matches. Default false. */
  readonly isPattern?: boolean | undefined;
  /** Quotations stand within the texts of the hits, such as those of a filtered search. Default false: anywhere in their documents. */
  readonly isWithinHits?: boolean | undefined;
  /** Best first. Retrieved with `explain: true`, they say whether they are evidence; hits that do not say count as evidence. */
  readonly hits: readonly Hit[];
  readonly grounding: Grounding;
  /** Without one, the answer quotes passages of the hits' documents. */
  readonly model?: ChatModel | undefined;
  /** Instructions of the application, before ibid's own rules. */
  readonly instructions?: string | Prompt | undefined;
  /** How much of the hits a model is shown. */
  readonly context?: ContextOptions | undefined;
  /** Origin of the hits. Default `"search"`. */
  readonly from?: AnswerContext["from"] | undefined;
  /** Beside the hits: by what else than their numbers a model may cite them; all of them fit then. */
  readonly labels?: readonly string[] | undefined;
  /** Earlier turns for the model, as {@link readHistory} gives them. Default: none. */
  readonly history?: readonly ChatMessage[] | undefined;
  /** Compares each sentence with its quotations. Default: words decide. */
  readonly judge?: ChatModel | undefined;
  /** Documents in the asker's scopes: every citation is verified against their text. */
  readonly documents: DocumentSlices;
  readonly minSupport?: number | undefined;
  readonly minRelevance?: number | undefined;
  /** Default: the one that stores use by default. */
  readonly analyzer?: Analyzer | undefined;
  readonly signal?: AbortSignal | undefined;
}

const known = {
  question: true,
  asked: true,
  isPattern: true,
  isWithinHits: true,
  hits: true,
  grounding: true,
  model: true,
  instructions: true,
  context: true,
  from: true,
  labels: true,
  history: true,
  judge: true,
  documents: true,
  minSupport: true,
  minRelevance: true,
  analyzer: true,
  signal: true,
} as const;

const groundings: readonly Grounding[] = ["permissive", "preferred", "strict"];

/**
 * Answers a question from hits, with every citation checked.
 *
 * - With a model: it answers as `grounding` demands, and its sentences are judged as they stream.
 * - Without a model: the best passages, verbatim. `"preferred"` refuses where none has a word of the question; `"permissive"` shows the nearest, and says so where there is none.
 * - Where words are in doubt whether the hits answer, a judge decides before the answer is written, but under `"permissive"`. That is one more call.
 * - Under `"strict"` a relevance below the threshold is a refusal before the model that answers is called. A question that asks nothing is one in every mode.
 *
 * **Shape** `hits`, then `text` and `citation` as they arrive, then `answer`; the texts, joined, are the answer's.
 * **Errors** `invalid-argument` before anything else; errors of the model and of `documents`; `aborted`.
 * **Source** ToolUp, Ballerina.
 */
export async function* answerQuestion(options: AnswerQuestionOptions): AsyncGenerator<AnswerEvent, void> {
  checkOptions("answerQuestion", options, known);
  const { question, hits, grounding, model, documents, analyzer = defaultAnalyzer, signal } = options;
  const {
    instructions,
    context = {},
    from = "search",
    labels,
    history,
    judge,
    minSupport,
    isPattern = false,
    isWithinHits = false,
  } = options;
  if (typeof question !== "string") {
    throw new IbidError("invalid-argument", `The question is no text but ${typeof question}.`, {
      hint: "Give a question as a string.",
    });
  }
  if (!groundings.includes(grounding)) {
    throw new IbidError("invalid-argument", `grounding is not one of the modes: "${grounding as string}".`, {
      hint: `Choose from ${groundings.join(", ")}.`,
    });
  }
  checkContext(context);
  throwIfAborted(signal, "The answer");

  const started = performance.now();
  const byWords = judgeRelevance(options.asked ?? question, hits, { analyzer, minRelevance: options.minRelevance });
  const tableOf = await readTables(hits, documents);
  const fitted = model && fitContext(hits, context, renderNumbered(tableOf));
  const shown = fitted?.hits ?? hits;
  const suspicions = findSuspicions(shown);
  yield { type: "hits", hits };
  const isIdle = !isPattern && asksNothing(question);
  // Documents that were not searched have no best hits that a judge could read.
  const isRanked = !isPattern && from === "search";
  const isAsked = judge !== undefined && grounding !== "permissive" && isRanked && !isIdle;
  const { relevance, usage: ofRelevance }: Answerability = isAsked
    ? await judgeAnswerability(question, shown, byWords, judge, signal)
    : { relevance: byWords };
  const texts = [question, instructions === undefined ? "" : renderPrompt(instructions)];
  // An address that readers of a source do not see does not stand in it.
  for (const { text, source } of shown) texts.push(neutraliseSource(text), source.uri, source.title);
  const addresses = new Set(texts.flatMap((text) => [...findAddresses(toPlainMarkdown(text))]));
  for (const { source } of shown) addresses.add(source.uri);
  const asked = { question, hits, analyzer, documents, isWithinHits };
  let isModelAsked = false;
  const draft = yield* passLast(draftAnswer(), addresses);
  yield {
    type: "answer",
    answer: {
      question,
      ...draft,
      ...usageOf(addUsage(draft.usage ?? (isModelAsked ? {} : undefined), ofRelevance)),
      removedAddresses: draft.removedAddresses ?? [],
      ...(draft.refusal !== "no-question" && { relevance }),
      nearest: draft.kind === "refused" && draft.refusal !== "no-question" ? await findNearest(asked, mostNearest) : [],
      hits,
      model: model ? `${model.provider}/${model.model}` : null,
      ...(fitted && { context: toReport(from, fitted) }),
      ...(suspicions.length > 0 && { suspicions }),
      ms: Math.round(performance.now() - started),
    },
  };

  function draftAnswer(): Drafting {
    const isOpen = grounding === "permissive";
    const showPassages = (): Drafting => answerFromPassages({ ...asked, isPattern, anything: isOpen, addresses });
    if (isIdle) return refuse("no-question", { text: noQuestionText });
    const isRelevant = relevance.value >= relevance.threshold;
    if (grounding === "strict" && !isRelevant) return refuse("no-evidence");
    if (model) {
      isModelAsked = true;
      const input = {
        question,
        hits: shown,
        grounding,
        model,
        history,
        judge,
        analyzer,
        documents,
        addresses,
        signal,
        tableOf,
      };
      return answerFromModel({ ...input, instructions, labels, minSupport, ...(isOpen && { instead: showPassages }) });
    }
    return showPassages();
  }
}

/** Passages that a refusal shows. */
const mostNearest = 3;

function toReport(from: AnswerContext["from"], fitted: FittedContext): AnswerContext {
  const { tokens, maxTokens, cut, leftOut } = fitted;
  return { from, tokens, maxTokens, cut, leftOut };
}

/** Whether any hit is evidence. The retriever decides for each hit, in `explain`; hits of a custom retriever without that field all count. */
export function hasEvidence(hits: readonly Hit[]): boolean {
  return hits.some((hit) => hit.evidence ?? true);
}
