import type { Analyzer } from "../contracts/analyzer.ts";
import type { AnswerContext, AnswerEvent, ContextOptions, Grounding } from "../contracts/answer.ts";
import type { ChatMessage, ChatModel, Prompt } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit } from "../contracts/retriever.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { type Drafting, refuse } from "./answer-draft.ts";
import { answerFromModel } from "./answer-from-model.ts";
import { answerFromSentences } from "./answer-from-sentences.ts";
import { checkContext, fitContext, type FittedContext } from "./prompts/fit-context.ts";
import { holdUntilCited } from "./citations/hold-until-cited.ts";
import { findSuspicions } from "./untrusted/find-suspicions.ts";
import { neutraliseSource } from "../text/untrusted/neutralise-source.ts";
import { removeAddresses } from "./untrusted/remove-addresses.ts";
import { renderPrompt } from "../models/render-prompt.ts";
import type { DocumentText } from "./citations/cite-quote.ts";

export interface AnswerQuestionOptions {
  readonly question: string;
  /** Best first. Retrieved with `explain: true`, they say whether they are evidence; hits that do not say count as evidence. */
  readonly hits: readonly Hit[];
  readonly grounding: Grounding;
  /** Without one, the answer is made of the hits' own sentences. */
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
  /** Decides whether what the model says is grounded. Default: words decide. */
  readonly judge?: ChatModel | undefined;
  /** A document's canonical text, read in the asker's scopes: against it every citation is verified. */
  readonly documentText: DocumentText;
  /** Default: the one that stores use by default. */
  readonly analyzer?: Analyzer | undefined;
  readonly signal?: AbortSignal | undefined;
}

const known = [
  "question",
  "hits",
  "grounding",
  "model",
  "instructions",
  "context",
  "from",
  "labels",
  "history",
  "judge",
  "documentText",
  "analyzer",
  "signal",
] as const satisfies readonly (keyof AnswerQuestionOptions)[];

const groundings: readonly Grounding[] = ["permissive", "preferred", "strict"];

/**
 * Answers a question from hits, with every citation checked.
 *
 * - With a model: it answers as `grounding` demands, and its markers are resolved as they stream. `"strict"` refuses before any call when no hit is evidence.
 * - Without a model: the best sentences, verbatim. `"strict"` and `"preferred"` refuse when no hit is evidence; `"permissive"` shows the nearest.
 *
 * **Shape** `hits`, then `text` and `citation` as they arrive, then `answer`; the texts, joined, are the answer's.
 * **Errors** `invalid-argument` before anything else; errors of the model and of `documentText`; `aborted`.
 * **Source** ToolUp, Ballerina.
 */
export async function* answerQuestion(options: AnswerQuestionOptions): AsyncGenerator<AnswerEvent, void> {
  checkOptions("answerQuestion", options, known);
  const { question, hits, grounding, model, documentText, analyzer = defaultAnalyzer, signal } = options;
  const { instructions, context = {}, from = "search", labels, history, judge } = options;
  if (typeof question !== "string" || question.trim() === "") {
    throw new IbidError("invalid-argument", "The question is blank.", {
      hint: "Give a question with at least one word.",
    });
  }
  if (!groundings.includes(grounding)) {
    throw new IbidError("invalid-argument", `grounding is not one of the modes: "${grounding as string}".`, {
      hint: `Choose from ${groundings.join(", ")}.`,
    });
  }
  checkContext(context);
  if (signal?.aborted) throw new IbidError("aborted", "The answer was stopped.", { cause: signal.reason });

  const started = performance.now();
  const fitted = model && fitContext(hits, context);
  const shown = fitted?.hits ?? hits;
  const suspicions = findSuspicions(shown);
  yield { type: "hits", hits };
  const texts = [question, instructions === undefined ? "" : renderPrompt(instructions)];
  // An address that readers of a source do not see does not stand in it.
  for (const { text, source } of shown) texts.push(neutraliseSource(text), source.uri);
  const draft = yield* removeAddresses(draftAnswer(), texts);
  yield {
    type: "answer",
    answer: {
      question,
      ...draft,
      removedAddresses: draft.removedAddresses ?? [],
      hits,
      model: model ? `${model.provider}/${model.model}` : null,
      ...(fitted && { context: toReport(from, fitted) }),
      ...(suspicions.length > 0 && { suspicions }),
      ms: Math.round(performance.now() - started),
    },
  };

  function draftAnswer(): Drafting {
    const evidence = hasEvidence(hits);
    if (model) {
      if (grounding === "strict" && !evidence) return refuse();
      const input = { question, hits: shown, grounding, model, history, judge, analyzer, documentText, signal };
      const draft = answerFromModel({ ...input, instructions, labels });
      return grounding === "strict" ? holdUntilCited(draft) : draft;
    }
    if (grounding !== "permissive" && !evidence) return refuse();
    return answerFromSentences(question, hits, analyzer, documentText);
  }
}

function toReport(from: AnswerContext["from"], fitted: FittedContext): AnswerContext {
  const { tokens, maxTokens, cut, leftOut } = fitted;
  return { from, tokens, maxTokens, cut, leftOut };
}

/** Whether any hit is evidence. The retriever decides for each hit, in `explain`; hits of a custom retriever without that field all count. */
export function hasEvidence(hits: readonly Hit[]): boolean {
  return hits.some((hit) => hit.evidence ?? true);
}
