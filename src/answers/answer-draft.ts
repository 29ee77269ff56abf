import type {
  AnswerEvent,
  AnswerKind,
  AnswerSentence,
  Citation,
  IncompleteReason,
  RefusalReason,
  Support,
  WithheldSentence,
} from "../contracts/answer.ts";
import type { Usage } from "../contracts/chat.ts";
import { refusal } from "./citations/grounding.ts";

/** An answer's own part: all but what was asked, what was found, and how long it took. */
export interface AnswerDraft {
  readonly kind: AnswerKind;
  /** The `text` events, joined. */
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly sentences: readonly AnswerSentence[];
  readonly grounded?: boolean;
  readonly verbatim?: true;
  readonly support?: Support;
  readonly refusal?: RefusalReason;
  readonly incomplete?: IncompleteReason;
  readonly withheld: readonly WithheldSentence[];
  readonly removedMarkers: readonly string[];
  readonly removedAddresses?: readonly string[];
  readonly removedQuotes: readonly string[];
  readonly usage?: Usage;
}

/** An event before the last pass. A checked citation's marker stands behind its text, apart, so that no text passes for one. */
export type DraftEvent =
  | Exclude<AnswerEvent, { readonly type: "text" }>
  | {
      readonly type: "text";
      readonly delta: string;
      readonly marker?: string;
      /** A sentence is complete with it. */
      readonly isEnd?: boolean;
    }
  | { readonly type: "pause" };

/** Events as they land; the draft at the end. */
export type Drafting = AsyncGenerator<DraftEvent, AnswerDraft>;

/** Facts that a refusal shares with an answer. */
export type RefusalFacts = Partial<
  Pick<AnswerDraft, "removedMarkers" | "removedQuotes" | "usage" | "withheld" | "text" | "incomplete">
>;

/**
 * The draft of a refusal.
 *
 * **Shape** it claims nothing, so it cites nothing.
 */
export function refused(reason: RefusalReason, facts: RefusalFacts = {}): AnswerDraft {
  return {
    removedMarkers: [],
    removedQuotes: [],
    withheld: [],
    text: refusal,
    ...facts,
    kind: "refused",
    citations: [],
    sentences: [],
    refusal: reason,
  };
}

/** Says that nothing was found to say. */
export async function* refuse(reason: RefusalReason, facts: RefusalFacts = {}): Drafting {
  const draft = refused(reason, facts);
  yield { type: "text", delta: draft.text, isEnd: true };
  return draft;
}
