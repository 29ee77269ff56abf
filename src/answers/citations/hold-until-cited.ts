import type { AnswerEvent } from "../../contracts/answer.ts";
import { type Drafting, refuse } from "../answer-draft.ts";

/**
 * Lets an answer out once it has cited something, and refuses in its place when it ends without a citation: in strict mode, what no document supports is
 * nobody's to say.
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
    // Whoever stops listening stops the model too.
    await draft.return(undefined as never);
  }
}
