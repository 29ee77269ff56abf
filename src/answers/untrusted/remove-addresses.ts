import type { AnswerEvent, AnswerSentence, Citation } from "../../contracts/answer.ts";
import type { Drafting } from "../answer-draft.ts";
import { createAddressFilter } from "./address-filter.ts";

/**
 * Removes from an answer every address but the known ones: those of its source texts.
 *
 * A page may load the pictures of an answer, and some chats look up every address. An invented address could carry the model's input to
 * its owner. An address is a claim too, and needs a source.
 *
 * **Shape** as the draft; text comes late by as much as an unfinished address, link or tag is long. Markers of citations stay.
 */
export async function* removeAddresses(draft: Drafting, known: ReadonlySet<string>): Drafting {
  const filter = createAddressFilter(known);
  const held: AnswerEvent[] = [];
  let text = "";
  /** Characters of the draft so far. */
  let said = 0;
  /** Places of the draft, and where they stand in the text: `[in the draft, in the text]`, ascending. */
  const bounds: Bound[] = [[0, 0]];
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
        bounds.push([said, text.length]);
        const { sentences, withheld } = step.value;
        const removed = new Set<string>();
        return {
          ...step.value,
          text,
          sentences: moveSentences(sentences, bounds, text),
          withheld: withheld.map((sentence) => ({
            ...sentence,
            text: withoutAddresses(sentence.text, known, removed),
          })),
          removedAddresses: [...new Set([...filter.removed(), ...removed])],
        };
      }
      if (step.value.type === "text") {
        said += step.value.delta.length;
        yield* say(filter.push(step.value.delta));
        if (!filter.isWaiting()) bounds.push([said, text.length]);
      } else if (!filter.isWaiting()) yield step.value;
      else held.push(step.value);
    }
  } finally {
    await draft.return(undefined as never);
  }
}

type Bound = readonly [said: number, at: number];

/** A complete text without unknown addresses, which go to `removed`. */
function withoutAddresses(text: string, known: ReadonlySet<string>, removed: Set<string>): string {
  const filter = createAddressFilter(known);
  const clean = filter.push(text) + filter.finish();
  for (const address of filter.removed()) removed.add(address);
  return clean;
}

/** Sentences where they stand after addresses went. Two sentences between which an address reaches become one, with the lesser verdict. */
function moveSentences(
  sentences: readonly AnswerSentence[],
  bounds: readonly Bound[],
  text: string,
): readonly AnswerSentence[] {
  const moved: AnswerSentence[] = [];
  for (const sentence of sentences) {
    const from = placeOf(sentence.start, bounds, text.length, "first");
    const to = placeOf(sentence.end, bounds, text.length, "last");
    const said = text.slice(from, to);
    const start = from + said.length - said.trimStart().length;
    const end = from + said.trimEnd().length;
    const before = moved.at(-1);
    const isWhole = end - start === sentence.end - sentence.start && text.slice(start, end) === sentence.text;
    const place = { text: text.slice(start, end), start, end };
    const unsupportedWords = isWhole
      ? sentence.unsupportedWords.map(([a, b]) => [a - sentence.start + start, b - sentence.start + start] as const)
      : [];
    if (before !== undefined && before.end > start) moved[moved.length - 1] = joinSentences(before, sentence, text);
    else if (start < end) moved.push({ ...sentence, ...place, unsupportedWords });
  }
  return moved;

  function joinSentences(one: AnswerSentence, other: AnswerSentence, whole: string): AnswerSentence {
    const end = Math.max(one.end, placeOf(other.end, bounds, whole.length, "last"));
    const lesser = rank(other) < rank(one) ? other : one;
    return {
      ...lesser,
      text: whole.slice(one.start, end),
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

function placeOf(position: number, bounds: readonly Bound[], length: number, which: "first" | "last"): number {
  // The first bound at or behind the position, by halves.
  let index = 0;
  for (let high = bounds.length; index < high;) {
    const middle = (index + high) >>> 1;
    if (bounds[middle]![0] < position) index = middle + 1;
    else high = middle;
  }
  const after = bounds[index];
  if (after?.[0] === position) return after[1];
  const before = bounds[index - 1] ?? [0, 0];
  // Between two places that are alike in both texts nothing was taken out.
  if (after !== undefined && after[0] - before[0] === after[1] - before[1]) return before[1] + position - before[0];
  return which === "first" ? before[1] : (after?.[1] ?? length);
}
