import type { AnswerEvent, Citation, Support } from "../contracts/answer.ts";
import type { Usage } from "../contracts/chat.ts";
import { refusal } from "./citations/grounding.ts";

/** An answer's own part: all but what was asked, what was found, and how long it took. */
export interface AnswerDraft {
  /** The `text` events, joined. */
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly grounded: boolean;
  readonly support?: Support;
  readonly refused: boolean;
  readonly removedMarkers: readonly string[];
  readonly removedAddresses?: readonly string[];
  readonly removedQuotes: readonly string[];
  readonly usage?: Usage;
}

/** Events as they land; the draft at the end. */
export type Drafting = AsyncGenerator<AnswerEvent, AnswerDraft>;

/**
 * Says that nothing was found to say.
 *
 * **Shape** a refusal claims nothing, so it cites nothing and is not grounded.
 */
export async function* refuse({
  removedMarkers = [],
  removedQuotes = [],
  usage,
}: Partial<Pick<AnswerDraft, "removedMarkers" | "removedQuotes" | "usage">> = {}): Drafting {
  yield { type: "text", delta: refusal };
  const rest = { removedMarkers, removedQuotes, ...(usage && { usage }) };
  return { ...rest, text: refusal, citations: [], grounded: false, refused: true };
}
