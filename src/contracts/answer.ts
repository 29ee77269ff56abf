import type { ChatMessage, ChatModel, Prompt, Usage } from "./chat.ts";
import type { LengthFunction } from "./chunker.ts";
import type { IbidErrorCode } from "./errors.ts";
import type { Hit, SearchOptions } from "./retriever.ts";
import type { DocumentSuspicion } from "./suspicion.ts";

/**
 * What to do when the documents say little: answer anyway, prefer them, or answer only from them and refuse otherwise.
 *
 * **Source** ToolUp `GroundingMode`.
 */
export type Grounding = "permissive" | "preferred" | "strict";

/**
 * Where a claim comes from: words that stand in the document, verbatim, in a place that the asker may read.
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
  /** What was retrieved to answer from, best first. */
  readonly hits: readonly Hit[];
  /** `provider/model`, or `null` when the answer is made of the documents' own sentences. */
  readonly model: string | null;
  /**
   * Of every call that the answer took together: putting the question, what retrievers ask of models, answering, judging; for the operator the query's embedding too,
   * where its provider counts. What one of them does not say, the sum does not say.
   */
  readonly usage?: Usage;
  /** What was searched for in place of the question, where that follows up on the history. */
  readonly searchedFor?: string;
  /** Markers that the model wrote and that did not resolve; they were taken out of the text. */
  readonly removedMarkers: readonly string[];
  /** Addresses that stand in no source and not in the question either: whoever loads one tells its owner what stands in it. They were taken out of the text. */
  readonly removedAddresses: readonly string[];
  /** What the model was shown. Absent where none was asked. */
  readonly context?: AnswerContext;
  /** What in the sources speaks to models rather than to readers; the model was not shown it as it stands. Absent when there is nothing. */
  readonly suspicions?: readonly DocumentSuspicion[];
  /** What the model put in quotation marks as the words of a source that does not have them. The words stayed in the text, the quotation marks did not. */
  readonly removedQuotes: readonly string[];
  readonly ms: number;
}

/** What of the documents a model was shown to answer from. */
export interface AnswerContext {
  /** `"whole-corpus"`: everything that the asker may read, because it fits. `"search"`: what was found. */
  readonly from: "search" | "whole-corpus";
  /** Of the sources, delimiters included. **Units** tokens, by the counter that was given. */
  readonly tokens: number;
  readonly maxTokens: number;
  /** Ids of chunks of which only the first sentences fitted. */
  readonly cut: readonly string[];
  /** Ids of chunks that did not fit. */
  readonly leftOut: readonly string[];
}

/** How much of the documents a model is shown. */
export interface ContextOptions {
  /** Of the sources, delimiters included; instructions, question and answer come on top. **Units** tokens. Default 8,000. */
  readonly maxTokens?: number;
  /** Default: one token for four characters, which is right for English; other scripts have more. */
  readonly count?: LengthFunction;
  /** Send everything that the asker may read, and `filter` and `origins` let through, when it fits; search when it does not. Default false. */
  readonly wholeCorpus?: boolean;
}

/** What happens while an answer is made, in order: `hits`, then `text` and `citation` as they land, then `answer`. */
export type AnswerEvent =
  | { readonly type: "hits"; readonly hits: readonly Hit[] }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "citation"; readonly citation: Citation }
  | { readonly type: "answer"; readonly answer: Answer };

/** How a question is answered: how its evidence is searched for, and what to do when there is little. */
export interface AskOptions extends Omit<SearchOptions, "mode" | "includeEmbeddings"> {
  readonly mode?: "hybrid" | "dense" | "lexical";
  /** Default `"preferred"`. */
  readonly grounding?: Grounding;
  /** What the application tells the model before our own rules, which hold whatever it says. Never hand through what a user wrote. */
  readonly instructions?: string | Prompt;
  readonly context?: ContextOptions;
  /**
   * What was said before, oldest first: the question is understood as its continuation. It comes from the application; a system message in it is an error, and what
   * tools said is left out. Of long histories the last messages count.
   */
  readonly history?: readonly ChatMessage[];
  /** Reads what a model answered beside what it cites, and decides whether the answer is grounded. Default: the knowledge base's; `null` for none. */
  readonly judge?: ChatModel | null;
}
