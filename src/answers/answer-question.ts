import type { Analyzer } from "../contracts/analyzer.ts";
import type { AnswerEvent, Grounding } from "../contracts/answer.ts";
import type { ChatMessage, ChatModel } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit } from "../contracts/retriever.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../text/check-options.ts";
import { type Drafting, refuse } from "./answer-draft.ts";
import { answerFromModel } from "./answer-from-model.ts";
import { answerFromSentences } from "./answer-from-sentences.ts";
import { holdUntilCited } from "./hold-until-cited.ts";
import type { DocumentText } from "./cite-quote.ts";

export interface AnswerQuestionOptions {
  readonly question: string;
  /** Best first. Retrieved with `explain: true`, they say whether they are evidence; hits that do not say count as evidence. */
  readonly hits: readonly Hit[];
  readonly grounding: Grounding;
  /** Without one, the answer is made of the hits' own sentences. */
  readonly model?: ChatModel | undefined;
  /** What was said before, for the model: as {@link readHistory} gives it. Default: nothing. */
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
  "history",
  "judge",
  "documentText",
  "analyzer",
  "signal",
] as const satisfies readonly (keyof AnswerQuestionOptions)[];

const groundings: readonly Grounding[] = ["permissive", "preferred", "strict"];

/**
 * Hits to an answer whose every citation has been checked.
 *
 * - With a model: it answers as `grounding` says, and its markers are resolved as they stream. `"strict"` refuses before any call when no hit is evidence.
 * - Without: the sentences that answer best, verbatim. `"strict"` and `"preferred"` refuse when no hit is evidence, `"permissive"` shows the nearest there is.
 *
 * **Shape** `hits`, then `text` and `citation` as they land, then `answer`; the texts, joined, are the answer's.
 * **Errors** `invalid-argument` before anything happens; otherwise those of the model and of `documentText`; `aborted`.
 * **Source** ToolUp (T46, T48), Ballerina (B46), laws 2, 5 and 12.
 */
export async function* answerQuestion(options: AnswerQuestionOptions): AsyncGenerator<AnswerEvent, void> {
  checkOptions("answerQuestion", options, known);
  const {
    question,
    hits,
    grounding,
    model,
    history,
    judge,
    documentText,
    analyzer = defaultAnalyzer,
    signal,
  } = options;
  if (typeof question !== "string" || question.trim() === "") {
    throw new IbidError("invalid-argument", "The question is blank.", { mend: "Ask for something." });
  }
  if (!groundings.includes(grounding)) {
    throw new IbidError("invalid-argument", `grounding cannot be "${grounding as string}".`, {
      mend: `Choose from ${groundings.join(", ")}.`,
    });
  }
  if (signal?.aborted) throw new IbidError("aborted", "The answer was stopped.", { cause: signal.reason });

  const started = performance.now();
  yield { type: "hits", hits };
  const draft = yield* draftAnswer();
  yield {
    type: "answer",
    answer: {
      question,
      ...draft,
      hits,
      model: model ? `${model.provider}/${model.model}` : null,
      ms: Math.round(performance.now() - started),
    },
  };

  function draftAnswer(): Drafting {
    const evidence = hasEvidence(hits);
    if (model) {
      if (grounding === "strict" && !evidence) return refuse();
      const draft = answerFromModel({
        question,
        hits,
        grounding,
        model,
        history,
        judge,
        analyzer,
        documentText,
        signal,
      });
      return grounding === "strict" ? holdUntilCited(draft) : draft;
    }
    if (grounding !== "permissive" && !evidence) return refuse();
    return answerFromSentences(question, hits, analyzer, documentText);
  }
}

/**
 * Whether there is anything to answer from (law 5). The retriever decides it hit by hit and says so in `explain`; a retriever of one's own that does not say
 * stands by what it found.
 */
export function hasEvidence(hits: readonly Hit[]): boolean {
  return hits.some((hit) => hit.explain?.evidence ?? true);
}
