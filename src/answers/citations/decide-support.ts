import type { Support } from "../../contracts/answer.ts";
import type { ChatModel, Usage } from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { isSupported, type PlacedCitation, readClaims } from "./check-grounded.ts";
import type { Evidence } from "./find-quote.ts";
import { judgeClaims, type Judgement } from "./judge-claims.ts";

export interface SupportInput {
  /** The answer without its markers. */
  readonly words: string;
  readonly placed: readonly PlacedCitation[];
  readonly hits: readonly Hit[];
  readonly evidence: Evidence;
  readonly judge?: ChatModel | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether an answer stands, why, and what it cost to tell. */
export interface SupportDecision {
  readonly grounded: boolean;
  readonly support: Support;
  /** Absent where no judge answered; nothing in it where the judge does not count. */
  readonly usage?: Usage;
}

/**
 * Decides whether every sentence of an answer is supported by what it cites: by a judge where there is one, else by words.
 *
 * A sentence that cites nothing is supported by nothing, so a judge is not asked about an answer that has one. A judge that fails, or whose verdicts cannot be read,
 * leaves the decision to the words, and `support` says so.
 *
 * **Shape** not grounded when nothing is claimed. **Errors** `aborted`; a judge's failure is a value.
 */
export async function decideSupport(input: SupportInput): Promise<SupportDecision> {
  const { words, placed, hits, evidence, judge, signal } = input;
  const claims = readClaims(words, placed, evidence);
  const byWords = claims.map((claim) => isSupported(claim, hits, evidence));
  const conclude = (supported: readonly boolean[], rest: Omit<Support, "unsupported">, usage?: Usage) => ({
    grounded: claims.length > 0 && supported.every(Boolean),
    support: { ...rest, unsupported: claims.filter((_, index) => !supported[index]).map(({ text }) => text) },
    ...(usage && { usage }),
  });
  if (judge === undefined || claims.length === 0 || claims.some(({ cited }) => cited.length === 0))
    return conclude(byWords, { by: "words" });

  let judgement: Judgement;
  try {
    judgement = await judgeClaims(claims, hits, judge, signal);
  } catch (cause) {
    if (signal?.aborted) throw new IbidError("aborted", "The answer was stopped.", { cause: signal.reason });
    return conclude(byWords, {
      by: "words",
      judgeFailure: IbidError.isInstance(cause) ? cause.code : "model-failed",
    });
  }
  const { supported, usage } = judgement;
  if (supported === undefined) return conclude(byWords, { by: "words", judgeFailure: "invalid-response" }, usage);
  return conclude(supported, { by: "judge" }, usage);
}
