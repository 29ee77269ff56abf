import type { Grounding, IncompleteReason } from "../contracts/answer.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { ChatMessage, ChatModel, ChatResult, Prompt } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit } from "../contracts/retriever.ts";
import { type Drafting, refuse, refused } from "./answer-draft.ts";
import { createCiter, type DocumentSlices } from "./citations/cite-quote.ts";
import { createQuoteChecker } from "./citations/check-quotes.ts";
import { createGroundedMessages, refusal } from "./citations/grounding.ts";
import type { TableOf } from "./citations/hit-tables.ts";
import { locateWords } from "./citations/locate-words.ts";
import { createSentenceWriter } from "./sentences/write-sentences.ts";
import { addUsage, usageOf } from "../models/price-usage.ts";
import { createPlainMarkdown, type PlainPiece, toPlainMarkdown } from "../text/untrusted/plain-markdown.ts";
import { createMarkerScanner } from "../text/untrusted/scan-markers.ts";
import { throwIfAborted } from "../runtime/abort.ts";

export interface ModelAnswerInput {
  readonly question: string;
  readonly hits: readonly Hit[];
  readonly grounding: Grounding;
  readonly model: ChatModel;
  /** Between how to answer and what to answer. Default: nothing. */
  readonly history?: readonly ChatMessage[] | undefined;
  readonly judge?: ChatModel | undefined;
  readonly minSupport?: number | undefined;
  /** Addresses of the sources and of the question. */
  readonly addresses: ReadonlySet<string>;
  readonly analyzer: Analyzer;
  readonly documents: DocumentSlices;
  readonly tableOf: TableOf;
  /** Said before our own rules. */
  readonly instructions?: string | Prompt | undefined;
  /** Beside the hits: by what else than their numbers they may be cited. */
  readonly labels?: readonly string[] | undefined;
  /** Shown where the model says nothing, or says no more than that it found nothing. Default: a refusal. */
  readonly instead?: (() => Drafting) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Streams a model's answer sentence by sentence, with every citation marker and every quotation checked first.
 *
 * The model cites hits by number; the answer cites quotations. A marker whose hit does not support its sentence is removed. Any other becomes
 * the numbers of the quotations that do.
 *
 * **Shape** the `text` events, joined, are the answer's text: trimmed, with the markers of its citations alone.
 * **Errors** errors of the model; `model-failed` around any other; `invalid-response` for a stream that breaks off; `aborted`.
 */
export async function* answerFromModel(input: ModelAnswerInput): Drafting {
  const { model, signal } = input;
  const messages = withHistory(
    createGroundedMessages(input.question, input.hits, input.grounding, {
      instructions: input.instructions,
      tableOf: input.tableOf,
    }),
    input.history ?? [],
  );
  const scanner = createMarkerScanner(input.labels);
  // Words of the question are a quote of the asker.
  const asked = toPlainMarkdown(input.question);
  const plainTexts = input.hits.map((hit) => toPlainMarkdown(hit.text));
  const checker = createQuoteChecker((number, quote) => {
    const indices = number === undefined ? [...input.hits.keys()] : [number - 1];
    const texts = indices.flatMap((at) => [input.hits[at]?.text ?? "", plainTexts[at] ?? ""]);
    return [...texts, asked].some((text) =>
      [quote, quote.replaceAll(/[*_`]/gu, "")].some((words) => locateWords(text, words) !== undefined),
    );
  });
  const plain = createPlainMarkdown({ trims: true });
  const read = (pieces: Iterable<PlainPiece>): string => Array.from(pieces, ({ text }) => text).join("");
  const citer = createCiter(input.documents);
  const { hits, analyzer, judge, minSupport, addresses } = input;
  const isStrict = input.grounding === "strict";
  const { tableOf } = input;
  const writer = createSentenceWriter({
    hits,
    citer,
    analyzer,
    tableOf,
    isStrict,
    minSupport,
    judge,
    addresses,
    signal,
  });

  let result: ChatResult | undefined;
  let streamed = false;
  try {
    for await (const part of model.stream(messages, signal ? { signal } : {})) {
      if (part.type === "finish") {
        result = part.result;
      } else {
        streamed ||= part.delta !== "";
        yield* writer.write(checker.push(scanner.push(read(plain.push(part.delta)))));
      }
      throwIfAborted(signal, "The answer");
    }
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    throwIfAborted(signal, "The answer");
    throw new IbidError("model-failed", `The model ${model.provider}/${model.model} failed.`, {
      hint: "Look at the cause.",
      cause,
    });
  }
  if (!result) {
    throw new IbidError(
      "invalid-response",
      `The model ${model.provider}/${model.model} ended its answer without a finish.`,
      {
        hint: "Ask again.",
      },
    );
  }
  if (!streamed) yield* writer.write(checker.push(scanner.push(read(plain.push(result.message.content ?? "")))));
  yield* writer.write(checker.push(scanner.push(read(plain.finish()))));
  yield* writer.write(checker.push(scanner.finish()));
  yield* writer.write(checker.finish());

  const {
    text,
    sentences,
    withheld,
    removedMarkers,
    usage: spent,
    judgeFailure,
  } = yield* writer.finish(incompleteOf(result).incomplete !== undefined);
  const usage = usageOf(addUsage(result.usage ?? {}, spent));
  const facts = { removedMarkers, removedQuotes: checker.removed, ...usage, ...incompleteOf(result) };
  const claims = sentences.filter((sentence) => sentence.claims);
  const said = [...claims, ...withheld.filter(({ verdict }) => verdict !== undefined)];
  // A heading, a question or a greeting alone is no answer.
  const isDeclined = citer.citations.length === 0 && said.every((sentence) => isRefusal(sentence.text));
  if (text === "" && input.instead !== undefined) return { ...(yield* input.instead()), ...facts };
  if (text === "") {
    const reason = isDeclined ? "model-declined" : "nothing-supported";
    return yield* refuse(reason, { ...facts, withheld: isDeclined ? [] : withheld });
  }
  if (isDeclined && input.instead === undefined) return { ...refused("model-declined"), ...facts, text };
  return {
    ...facts,
    kind: "written",
    text,
    citations: [...citer.citations],
    sentences,
    grounded: claims.length > 0 && claims.every(({ verdict }) => verdict === "supported"),
    support: {
      by: claims.some(({ by }) => by === "judge") ? "judge" : "words",
      ...(judge && { judge: `${judge.provider}/${judge.model}` }),
      ...(judgeFailure !== undefined && { judgeFailure }),
    },
    withheld,
  };
}

/** History stands between instructions and question: only the last message has sources. */
function withHistory(messages: readonly ChatMessage[], history: readonly ChatMessage[]): readonly ChatMessage[] {
  return history.length === 0 ? messages : [...messages.slice(0, -1), ...history, ...messages.slice(-1)];
}

/** Reasons other than these are an end. */
const incompleteReasons: ReadonlySet<string> = new Set<IncompleteReason>(["length", "content-filter", "error"]);

function incompleteOf({ finishReason = "stop" }: ChatResult): { readonly incomplete?: IncompleteReason } {
  return incompleteReasons.has(finishReason) ? { incomplete: finishReason as IncompleteReason } : {};
}

/** Models bend apostrophes and forget full stops. */
function isRefusal(text: string): boolean {
  const plain = (line: string): string => line.replaceAll("’", "'").replace(/\.$/u, "").trim().toLowerCase();
  return plain(text) === plain(refusal);
}
