import type { Usage } from "./chat.ts";
import type { Hit, SearchOptions } from "./retriever.ts";

/**
 * What to do when the documents say little: answer anyway, prefer them, or answer only from them and refuse otherwise.
 *
 * **Source** ToolUp `GroundingMode` (T48).
 */
export type Grounding = "permissive" | "preferred" | "strict";

/**
 * Where a claim comes from: words that stand in the document, verbatim, in a place that the asker may read (law 2).
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

/** A question answered: the text, where each claim in it comes from, and whether it stands. */
export interface Answer {
  readonly question: string;
  /** With the markers of `citations` in it, and no other markers. */
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Every sentence of the text is supported by a citation. */
  readonly grounded: boolean;
  /** Nothing was said because nothing was found to say it from. */
  readonly refused: boolean;
  /** What was retrieved to answer from, best first. */
  readonly hits: readonly Hit[];
  /** `provider/model`, or `null` when the answer is made of the documents' own sentences. */
  readonly model: string | null;
  readonly usage?: Usage;
  /** Markers that the model wrote and that did not resolve; they were taken out of the text. */
  readonly removedMarkers: readonly string[];
  readonly ms: number;
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
}
