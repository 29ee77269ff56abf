import type { AnswerEvent } from "../../contracts/answer.ts";
import type { Drafting } from "../answer-draft.ts";
import { createAddressFilter } from "./address-filter.ts";
import { findAddresses } from "./find-addresses.ts";

/**
 * Removes from an answer every address that stands in none of its source texts.
 *
 * A page may load the pictures of an answer, and some chats look up every address. An invented address could carry the model's input to
 * its owner. An address is a claim too, and needs a source.
 *
 * **Shape** as the draft; text comes late by as much as an unfinished address, link or tag is long. Markers of citations stay.
 */
export async function* removeAddresses(draft: Drafting, texts: readonly string[]): Drafting {
  const known = new Set(texts.flatMap((text) => [...findAddresses(text)]));
  const filter = createAddressFilter(known);
  const held: AnswerEvent[] = [];
  let text = "";
  function* say(delta: string): Generator<AnswerEvent> {
    if (delta !== "") {
      text += delta;
      yield { type: "text", delta };
    }
    // A citation follows the text that its marker stands in.
    if (!filter.isWaiting()) yield* held.splice(0);
  }
  try {
    for (;;) {
      const step = await draft.next();
      if (step.done === true) {
        yield* say(filter.finish());
        return { ...step.value, text, removedAddresses: filter.removed() };
      }
      if (step.value.type === "text") yield* say(filter.push(step.value.delta));
      else if (!filter.isWaiting()) yield step.value;
      else held.push(step.value);
    }
  } finally {
    await draft.return(undefined as never);
  }
}
