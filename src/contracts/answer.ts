import type { ChatMessage, ChatModel, Prompt, Usage } from "./chat.ts";
import type { LengthFunction } from "./chunker.ts";
import type { IbidErrorCode } from "./errors.ts";
import type { Hit, SearchOptions, SearchWarning } from "./retriever.ts";
import type { DocumentSuspicion } from "./suspicion.ts";

/**
 * Rule for a question on which the documents say little.
 *
 * **Shape** `"permissive"` answers anyway, `"preferred"` prefers the documents, `"strict"` answers from them alone or refuses.
 * **Source** ToolUp `GroundingMode`.
 */
export type Grounding = "permissive" | "preferred" | "strict";

/**
 * A verified quote with its place: the words stand there verbatim, and the asker may read them.
 *
 * **Shape** `document.text.slice(start, end) === quote`; two sentences at most.
 */
export interface Citation {
  /** As it stands in the answer's text, such as `[1]`. */
  readonly marker: string;
  readonly uri: string;
  readonly title: string;
  readonly documentId: string;
  readonly chunkId: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

/** How it was decided whether an answer stands. */
export interface Support {
  /** `"verbatim"`: the answer is the documents' own sentences. `"words"`: its words were held against those of what it cites. `"judge"`: a model read both. */
  readonly by: "verbatim" | "words" | "judge";
  /** The sentences that what they cite does not support, as they stand in the text but for markers. Empty when the answer is grounded. */
  readonly unsupported: readonly string[];
  /** A judge was asked and did not judge: its error's code. The words decided. */
  readonly judgeFailure?: IbidErrorCode;
}

/** A question answered: the text, where each claim in it comes from, and whether it stands. */
export interface Answer {
  readonly question: string;
  /** With the markers of `citations` in it, and no other markers. */
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Every sentence of the text is supported by a citation. */
  readonly grounded: boolean;
  /** Absent from a refusal, which claims nothing. */
  readonly support?: Support;
  /** Nothing was said because nothing was found to say it from. */
  readonly refused: boolean;
  /** Retrieved evidence, best first. */
  readonly hits: readonly Hit[];
  /** `provider/model`, or `null` when the answer is made of the documents' own sentences. */
  readonly model: string | null;
  /**
   * Usage of all model calls of the answer: query rewriting, retrieval, answering and judging. The operator also sees the query's embedding.
   * A sum leaves out a figure that one of its parts lacks.
   */
  readonly usage?: Usage;
  /** The rewritten query, for a question that continues the history. */
  readonly searchedFor?: string;
  /** Markers that the model wrote and that did not resolve; they were taken out of the text. */
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
  /** Chat model that compares the answer with its citations and decides whether it is grounded. Default: the knowledge base's; `null` for none. */
  readonly judge?: ChatModel | null | undefined;
}
