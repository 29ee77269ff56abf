import type { ChatMessage, ChatModel, Prompt, Usage } from "./chat.ts";
import type { LengthFunction } from "./chunker.ts";
import type { PlaceLabels } from "./document.ts";
import type { IbidErrorCode } from "./errors.ts";
import type { Hit, HitGroup, Replaced, SearchOptions, SearchWarning } from "./retriever.ts";
import type { DocumentSuspicion } from "./suspicion.ts";

/**
 * Rule for a question on which the documents say little.
 *
 * **Shape** `"permissive"` answers anyway, `"preferred"` prefers the documents, `"strict"` answers from them alone or refuses.
 * **Source** ToolUp `GroundingMode`.
 */
export type Grounding = "permissive" | "preferred" | "strict";

/**
 * Words of a document with their place: they stand there verbatim, and the asker may read them.
 *
 * **Shape** `document.text.slice(start, end) === quote`. Page, line, slide and cells are those of `start`, and `lastPage` of `end`, where the format has them.
 *
 * @experimental
 */
export interface Quotation extends PlaceLabels {
  readonly uri: string;
  readonly title: string;
  /** Titles of the sections around it, outermost first; the root is left out. */
  readonly headings: readonly string[];
  readonly documentId: string;
  /** The chunk that was found. Without a model, the quotation may stand elsewhere in its document. */
  readonly chunkId: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  /** Header of the table in whose body it begins, where the format names one: Markdown, CSV, pages, text documents, slides and books. **Shape** `document.text.slice(header.start, header.end) === header.quote`. */
  readonly header?: { readonly start: number; readonly end: number; readonly quote: string } | undefined;
  /** As in {@link Hit.replaced}. */
  readonly replaced?: Replaced | undefined;
}

/** A quotation that an answer cites. */
export interface Citation extends Quotation {
  /** As it stands in the answer's text, such as `[1]`. */
  readonly marker: string;
}

/**
 * Kind of an answer: quotations that may answer, sentences that a model wrote, or neither.
 *
 * @experimental
 */
export type AnswerKind = "quotes" | "written" | "refused";

/**
 * Reason of a refusal.
 *
 * **Shape** `"no-question"`: the text asks nothing. `"no-evidence"`: no passage answers well enough. `"nothing-supported"`: strict grounding withheld
 * every sentence. `"model-declined"`: the model said that the sources do not answer, or said nothing.
 *
 * @experimental
 */
export type RefusalReason = "no-question" | "no-evidence" | "nothing-supported" | "model-declined";

/**
 * How far its citations support a sentence. `"uncited"`: it claims something and cites nothing.
 *
 * @experimental
 */
export type Verdict = "supported" | "partly" | "unsupported" | "uncited";

/**
 * Judge of a figure: the documents' own words, the words of sentence and source held against each other, or a model that read both.
 *
 * @experimental
 */
export type JudgedBy = "verbatim" | "words" | "judge";

/**
 * Reason why a model stopped before its answer was complete: its limit of tokens, its provider's filter, or a failure that the provider reports.
 *
 * @experimental
 */
export type IncompleteReason = "length" | "content-filter" | "error";

/**
 * A sentence of an answer, and how far it is supported.
 *
 * @experimental
 */
export interface AnswerSentence {
  /** **Shape** `answer.text.slice(start, end)`, markers included, and the fences of the code that it stands in. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it claims anything. A greeting, a heading, a question and "here is what I found" do not. */
  readonly claims: boolean;
  /** Absent from a sentence that claims nothing. */
  readonly verdict?: Verdict;
  /** Calibrated probability that the quotations carry the whole sentence. **Units** 0 to 1. Absent from a sentence that claims nothing. */
  readonly support?: number;
  readonly by?: JudgedBy;
  /** The quotations that carried the verdict, at most two; all are among the answer's citations. */
  readonly quotes: readonly Citation[];
  /** Words that no source supports. **Shape** `[start, end)` into the answer's text. */
  readonly unsupportedWords: readonly (readonly [start: number, end: number])[];
}

/**
 * A sentence that strict grounding took out of the text.
 *
 * @experimental
 */
export interface WithheldSentence {
  /** Without markers and without addresses. */
  readonly text: string;
  /** Absent from a sentence that claims nothing. A supported one leans on another that was withheld. */
  readonly verdict?: Verdict;
  readonly support?: number;
}

/**
 * How well the sources answer the question.
 *
 * @experimental
 */
export interface Relevance {
  /** Calibrated probability that the sources hold an answer. **Units** 0 to 1. */
  readonly value: number;
  /** Below it, quotations "may not answer", and strict grounding refuses. */
  readonly threshold: number;
  readonly by: "words" | "judge";
  /** A judge was asked and gave no verdict: its error's code. The words decided. */
  readonly judgeFailure?: IbidErrorCode;
}

/** Judge of an answer as a whole. */
export interface Support {
  /** `"verbatim"`: the answer consists of quotations. `"words"`: its words were held against those of what it cites. `"judge"`: a model read both. */
  readonly by: JudgedBy;
  /** The judge that was asked: `provider/model`. */
  readonly judge?: string;
  /** A judge was asked and did not judge, or not every sentence: its error's code. The words decided there. */
  readonly judgeFailure?: IbidErrorCode;
}

/** A question answered: the text, where each claim in it comes from, and how far each is supported. */
export interface Answer {
  readonly kind: AnswerKind;
  readonly question: string;
  /** With the markers of `citations` in it, and no other markers. */
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Every sentence of the text, in order. Empty for a refusal. */
  readonly sentences: readonly AnswerSentence[];
  /** For a written answer: it claims something, and quotations in `citations` support every claim. */
  readonly grounded?: boolean;
  /** For quotations: the text is the documents' own words. Whether they answer is `relevance`. */
  readonly verbatim?: true;
  /** Absent from a refusal, which claims nothing. */
  readonly support?: Support;
  /** Absent where nothing was searched. */
  readonly relevance?: Relevance;
  /** For a refusal: its reason. */
  readonly refusal?: RefusalReason;
  /** The model stopped before its answer was complete. Absent where it came to an end. */
  readonly incomplete?: IncompleteReason;
  /** For a refusal: the passages nearest to the question. They are not an answer. */
  readonly nearest: readonly Quotation[];
  /** Sentences that strict grounding took out of the text. */
  readonly withheld: readonly WithheldSentence[];
  /** Retrieved evidence, best first. */
  readonly hits: readonly Hit[];
  /** With `groupBy`: the hits by document. */
  readonly groups?: readonly HitGroup[];
  /** `provider/model`, or `null` when the answer consists of quotations. */
  readonly model: string | null;
  /**
   * Usage of all model calls of the answer: query rewriting, retrieval, answering and judging. The operator also sees the query's embedding.
   * A sum leaves out a figure that one of its parts lacks.
   */
  readonly usage?: Usage;
  /** The rewritten query, for a question that continues the history. */
  readonly searchedFor?: string;
  /** Markers that the model wrote and that were taken out of the text: they name no source, or none of its quotations supports their sentence. */
  readonly removedMarkers: readonly string[];
  /** Addresses that stand neither in a source nor in the question; they were taken out of the text. Loading such an address would tell its owner what it contains. */
  readonly removedAddresses: readonly string[];
  /** The context that the model was shown. Absent without a model. */
  readonly context?: AnswerContext;
  /** Places in the sources that address models rather than readers; the model saw them neutralised. Absent when there are none. */
  readonly suspicions?: readonly DocumentSuspicion[];
  /** Quoted words that no source has. The words stayed in the text; their quotation marks were removed. */
  readonly removedQuotes: readonly string[];
  /** Reasons why the search may have found too little. Absent when there are none. */
  readonly warnings?: readonly SearchWarning[];
  readonly ms: number;
}

/**
 * The context that a model was shown.
 *
 * @experimental
 */
export interface AnswerContext {
  /** `"whole-corpus"`: everything that the asker may read, because it fits. `"search"`: what was found. */
  readonly from: "search" | "whole-corpus";
  /** Size of the sources, delimiters included. **Units** tokens, by the given counter. */
  readonly tokens: number;
  readonly maxTokens: number;
  /** Ids of chunks of which only the first sentences fitted. */
  readonly cut: readonly string[];
  /** Ids of chunks that did not fit. */
  readonly leftOut: readonly string[];
}

/**
 * How much of the documents a model is shown.
 *
 * @experimental
 */
export interface ContextOptions {
  /** Budget for the sources, delimiters included; instructions, question and answer come on top. **Units** tokens. Default 8,000. */
  readonly maxTokens?: number | undefined;
  /** Default: one token for four characters, which is right for English; other scripts have more. */
  readonly count?: LengthFunction | undefined;
  /** Send everything that the asker may read, and `filter` and `origins` let through, when it fits; search when it does not. Default false. */
  readonly wholeCorpus?: boolean | undefined;
}

/** An event of an answer in the making, in order: `hits`, then `text` and `citation` as they arrive, then `answer`. */
export type AnswerEvent =
  | { readonly type: "hits"; readonly hits: readonly Hit[] }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "citation"; readonly citation: Citation }
  | { readonly type: "answer"; readonly answer: Answer };

/** Options of a question: those of its search, and how the answer is made. */
export interface AskOptions extends SearchOptions {
  /** Rule for a question on which the documents say little. Default `"preferred"`. */
  readonly grounding?: Grounding | undefined;
  /** Least support of a sentence that counts as supported. **Units** 0 to 1. Default: where a tenth of what is partly supported passes. */
  readonly minSupport?: number | undefined;
  /** Least relevance of sources that count as an answer. **Units** 0 to 1. Default: where a twentieth of what can be answered is refused. */
  readonly minRelevance?: number | undefined;
  /** Instructions of the application; ibid's own rules override them. Never pass text that a user wrote. */
  readonly instructions?: string | Prompt | undefined;
  /** How much of the documents a model is shown. */
  readonly context?: ContextOptions | undefined;
  /**
   * Earlier turns, oldest first; the question continues them. They come from the application.
   *
   * **Shape** tool messages are left out; long histories keep their last messages. **Errors** `invalid-argument` for a system message.
   */
  readonly history?: readonly ChatMessage[] | undefined;
  /**
   * Chat model that compares each sentence with its quotations and gives the verdict; words may lower it. `null` for none.
   * Default: the knowledge base's; under strict grounding the model that answers.
   */
  readonly judge?: ChatModel | null | undefined;
}
