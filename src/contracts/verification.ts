import type { AnswerSentence, Citation, Quotation, Support } from "./answer.ts";
import type { ChatModel, Usage } from "./chat.ts";
import type { SearchOptions, SearchWarning } from "./retriever.ts";

/**
 * Form in which an answer carries its citations: that of an API, ibid's own, or Markdown with markers and a list of sources.
 *
 * @experimental
 */
export type AnswerFormat = "ai-sdk" | "anthropic" | "cohere" | "ibid" | "markdown" | "openai" | "vertex";

/**
 * A citation of an answer, from wherever it comes. A {@link Citation} is one. Each field may be absent.
 *
 * **Shape** a citation with neither a marker nor a stretch of the text counts for each sentence that has no other.
 *
 * @experimental
 */
export interface GivenCitation {
  /** As it stands in the text, such as `[1]` or `[^note]`. */
  readonly marker?: string | undefined;
  /** Stretch of the answer's text that it is for. **Units** UTF-16 code units, half open. */
  readonly textStart?: number | undefined;
  readonly textEnd?: number | undefined;
  /** Words that it claims to quote. */
  readonly quote?: string | undefined;
  readonly uri?: string | undefined;
  /** Title, file name, id, or any text that names the source. */
  readonly title?: string | undefined;
}

/**
 * An answer with its citations in one form.
 *
 * @experimental
 */
export interface GivenAnswer {
  readonly text: string;
  readonly citations: readonly GivenCitation[];
  readonly format: AnswerFormat;
  /** Stretches of the text that are no part of the answer, such as its list of sources. */
  readonly asides: readonly (readonly [start: number, end: number])[];
}

/**
 * Options of `kb.verify`.
 *
 * @experimental
 */
export interface VerifyOptions extends Pick<SearchOptions, "scopes" | "strategy" | "signal"> {
  /** Citations of a text that has none in itself: ibid's own form, or that of an API. */
  readonly citations?: readonly object[] | undefined;
  /** Form of the answer. Default: detected by its shape; a text is Markdown. */
  readonly format?: AnswerFormat | undefined;
  /** Least support of a sentence that counts as supported. **Units** 0 to 1. Default: as in answers. */
  readonly minSupport?: number | undefined;
  /** Chat model that gives each sentence its verdict; words may lower it. `null` for none. Default: the knowledge base's. */
  readonly judge?: ChatModel | null | undefined;
  /** Sentences, citations and quotations of the answer together; one with more is refused before anything is looked up. Default: any number. */
  readonly maxChecks?: number | undefined;
}

/**
 * Whether quoted words stand where the answer says.
 *
 * **Shape** `"found"`: in the source that it names, or anywhere where it names none. `"found-elsewhere"`: in another document alone.
 * `"not-found"`: in no document that the caller may read.
 *
 * @experimental
 */
export type QuotationStatus = "found" | "found-elsewhere" | "not-found";

/**
 * Quoted words of an answer, and where they stand.
 *
 * @experimental
 */
export interface CheckedQuotation {
  /** As the answer has them. */
  readonly quote: string;
  readonly status: QuotationStatus;
  /** Source that the answer names. */
  readonly source?: string;
  readonly marker?: string;
  /** Document and place in it. Absent where the words are not found. */
  readonly place?: Quotation;
}

/**
 * Result of `kb.verify`: sentences of an answer that ibid did not write, with the verdicts that its own answers have.
 *
 * @experimental
 */
export interface Verification {
  /** Every claim is supported, and every quotation is found in the source that the answer names. A text without claims and quotations is not verified. */
  readonly verified: boolean;
  /** It claims something, and quotations in `citations` support every claim. */
  readonly grounded: boolean;
  readonly format: AnswerFormat;
  /** The answer's text as given. */
  readonly text: string;
  /** Sentences in order, without the list of sources. Positions are those of `text`. */
  readonly sentences: readonly AnswerSentence[];
  readonly quotations: readonly CheckedQuotation[];
  /** Passages of the documents that carry the verdicts. **Shape** the marker is the answer's own, or `""` for a passage that it does not mark. */
  readonly citations: readonly Citation[];
  /** Sources that name no document that the caller may read. */
  readonly unknownSources: readonly string[];
  /** Origin of the evidence: the answer's citations, or a search for each sentence of an answer without any. */
  readonly evidence: "citations" | "search";
  readonly support: Support;
  /** Usage of all model calls. */
  readonly usage?: Usage;
  readonly warnings?: readonly SearchWarning[];
  readonly ms: number;
}
