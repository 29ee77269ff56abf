import type { AnswerEvent, AnswerSentence, Citation } from "../../contracts/answer.ts";
import type { AnswerDraft, Drafting } from "../answer-draft.ts";
import { type AnswerFilter, cleanText, createAnswerFilter } from "./answer-filter.ts";

/**
 * Passes every text of an answer through the rules of {@link createAnswerFilter}: the streamed text, its sentences, and whatever reports words of the model.
 *
 * A page may load the pictures of an answer, and some chats look up every address. An invented address could carry the model's input to
 * its owner. An address is a claim too, and needs a source.
 *
 * **Shape** as the draft; text comes late by as much as an unfinished address, link or tag is long. Markers of citations stay.
 */
export async function* passLast(draft: Drafting, known: ReadonlySet<string>): AsyncGenerator<AnswerEvent, AnswerDraft> {
  const filter = createAnswerFilter(known);
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
        if (text === "") yield* say("…");
        const removed = new Set(filter.removed());
        const { sentences, withheld, removedQuotes } = step.value;
        return {
          ...step.value,
          text,
          sentences: moveSentences(sentences, filter, text),
          withheld: withheld.map((sentence) => ({ ...sentence, text: cleanText(sentence.text, known, removed) })),
          removedQuotes: removedQuotes.map((words) => cleanText(words, known, removed)),
          removedAddresses: [...removed],
        };
      }
      const event = step.value;
      if (event.type === "pause") yield* say(filter.pause());
      else if (event.type === "text") {
        const delta = filter.push(event.delta) + (event.marker === undefined ? "" : filter.mark(event.marker));
        yield* say(delta + (event.isEnd === true ? filter.pause() : ""));
      } else if (!filter.isWaiting()) yield event;
      else held.push(event);
    }
  } finally {
    await draft.return(undefined as never);
  }
}

/**
 * Sentences where they stand after the pass. Two sentences that share what stands for something that went become one, with the lesser verdict.
 *
 * So do those of one block or span of code. They have its fences: without these a page that shows the sentence alone would take code for tags.
 */
function moveSentences(
  sentences: readonly AnswerSentence[],
  filter: AnswerFilter,
  text: string,
): readonly AnswerSentence[] {
  const moved: AnswerSentence[] = [];
  for (const sentence of sentences) {
    const [from, to] = filter.aroundCode(filter.placeOf(sentence.start), filter.placeOf(sentence.end));
    const said = text.slice(from, to);
    const start = from + said.length - said.trimStart().length;
    const end = from + said.trimEnd().length;
    if (start >= end) continue;
    const unsupportedWords = sentence.unsupportedWords
      .map(([a, b]) => [Math.max(start, filter.placeOf(a)), Math.min(end, filter.placeOf(b))] as const)
      .filter(([a, b]) => a < b);
    const before = moved.at(-1);
    if (before !== undefined && before.end > start) moved[moved.length - 1] = joinSentences(before, sentence, end);
    else moved.push({ ...sentence, text: text.slice(start, end), start, end, unsupportedWords });
  }
  return moved;

  function joinSentences(one: AnswerSentence, other: AnswerSentence, to: number): AnswerSentence {
    const end = Math.max(one.end, to);
    const lesser = rank(other) < rank(one) ? other : one;
    return {
      ...lesser,
      text: text.slice(one.start, end),
      start: one.start,
      end,
      unsupportedWords: [],
      quotes: mostQuotes(one.quotes, other.quotes),
    };
  }
}

const order = ["unsupported", "uncited", "partly", "supported"] as const;
function rank({ verdict }: AnswerSentence): number {
  return verdict === undefined ? order.length : order.indexOf(verdict);
}

function mostQuotes(one: readonly Citation[], other: readonly Citation[]): readonly Citation[] {
  return [...new Set([...one, ...other])].slice(0, 2);
}
