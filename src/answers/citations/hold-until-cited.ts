import type { AnswerEvent } from "../../contracts/answer.ts";
import { type Drafting, refuse } from "../answer-draft.ts";

/**
 * Holds an answer back until its first citation, and refuses instead if it ends without one: strict mode allows no text without a document.
 *
 * **Shape** as the draft that is held; text comes late by as much as its first citation does.
 */
export async function* holdUntilCited(draft: Drafting): Drafting {
  const held: AnswerEvent[] = [];
  let cited = false;
  try {
    for (;;) {
      const step = await draft.next();
      if (step.done === true) {
        if (cited) return step.value;
        return yield* refuse(step.value);
      }
      cited ||= step.value.type === "citation";
      held.push(step.value);
      if (cited) yield* held.splice(0);
    }
  } finally {
    // A consumer that stops also stops the model.
    await draft.return(undefined as never);
  }
}
