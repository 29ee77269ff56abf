import type { AnswerEvent, Grounding } from "../contracts/answer.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { ChatMessage, ChatModel, ChatResult, Prompt } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit } from "../contracts/retriever.ts";
import { type Drafting, refuse } from "./answer-draft.ts";
import { createCiter, type DocumentText } from "./citations/cite-quote.ts";
import type { PlacedCitation } from "./citations/check-grounded.ts";
import { type CheckedPiece, createQuoteChecker } from "./citations/check-quotes.ts";
import { decideSupport, type SupportDecision } from "./citations/decide-support.ts";
import { findQuote, quoteAround, readEvidence } from "./citations/find-quote.ts";
import { findSentences } from "../text/find-sentences.ts";
import { createGroundedMessages, refusal } from "./citations/grounding.ts";
import { locateWords } from "./citations/locate-words.ts";
import { addUsage, usageOf } from "../models/price-usage.ts";
import { completeMarker, lastOpeningBefore } from "../text/untrusted/citation-marker.ts";
import { createMarkerScanner, type MarkerScanner } from "../text/untrusted/scan-markers.ts";

export interface ModelAnswerInput {
  readonly question: string;
  readonly hits: readonly Hit[];
  readonly grounding: Grounding;
  readonly model: ChatModel;
  /** Between how to answer and what to answer. Default: nothing. */
  readonly history?: readonly ChatMessage[] | undefined;
  readonly judge?: ChatModel | undefined;
  readonly analyzer: Analyzer;
  readonly documentText: DocumentText;
  /** Said before our own rules. */
  readonly instructions?: string | Prompt | undefined;
  /** Beside the hits: by what else than their numbers they may be cited. */
  readonly labels?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Streams a model's answer, with every citation marker and every quotation checked first.
 *
 * The model cites hits by number; the answer cites quotes. A marker without a verified source is removed. Any other becomes
 * the number of its quote: the sentence or two of that hit that best support the text just before the marker.
 *
 * **Shape** the `text` events, joined, are the answer's text: trimmed, with the markers of its citations alone.
 * **Errors** errors of the model; `model-failed` around any other; `invalid-response` for a stream that breaks off; `aborted`.
 */
export async function* answerFromModel(input: ModelAnswerInput): Drafting {
  const { model, signal } = input;
  const messages = withHistory(
    createGroundedMessages(input.question, input.hits, input.grounding, { instructions: input.instructions }),
    input.history ?? [],
  );
  const scanner = createMarkerScanner(input.labels);
  const checker = createQuoteChecker(
    (number, quote) =>
      locateWords(input.hits[number - 1]?.text ?? "", quote) !== undefined ||
      // Words of the question are a quote of the asker.
      locateWords(input.question, quote) !== undefined,
  );
  const writer = createAnswerWriter(input, scanner);

  let result: ChatResult | undefined;
  let streamed = false;
  try {
    for await (const part of model.stream(messages, signal ? { signal } : {})) {
      if (part.type === "finish") {
        result = part.result;
      } else {
        streamed ||= part.delta !== "";
        yield* writer.write(checker.push(scanner.push(part.delta)));
      }
      stopIfAborted(signal);
    }
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    stopIfAborted(signal);
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
  if (!streamed) yield* writer.write(checker.push(scanner.push(result.message.content ?? "")));
  yield* writer.write(checker.push(scanner.finish()));
  yield* writer.write(checker.finish());

  const { text, removedMarkers, citations, decide } = writer.finish();
  const rest = { removedMarkers, removedQuotes: checker.removed };
  if (text === "") return yield* refuse({ ...rest, ...usageOf(result.usage) });
  const refused = isRefusal(text);
  const decision = refused ? undefined : await decide();
  return {
    ...rest,
    ...usageOf(addUsage(result.usage ?? {}, decision?.usage)),
    ...(decision && { support: decision.support }),
    text,
    citations,
    grounded: decision?.grounded ?? false,
    refused,
  };
}

/** History stands between instructions and question: only the last message has sources. */
function withHistory(messages: readonly ChatMessage[], history: readonly ChatMessage[]): readonly ChatMessage[] {
  return history.length === 0 ? messages : [...messages.slice(0, -1), ...history, ...messages.slice(-1)];
}

interface AnswerWriter {
  write(pieces: Iterable<CheckedPiece>): AsyncGenerator<AnswerEvent, void>;
  finish(): {
    readonly text: string;
    readonly citations: ReturnType<typeof createCiter>["citations"];
    readonly decide: () => Promise<SupportDecision>;
    readonly removedMarkers: readonly string[];
  };
}

/** How far back the claim before a marker is looked for. **Units** UTF-16. */
const claimReach = 2000;

function createAnswerWriter(
  { hits, question, analyzer, documentText, judge, signal }: ModelAnswerInput,
  scanner: MarkerScanner,
): AnswerWriter {
  const citer = createCiter(documentText);
  const evidence = readEvidence(hits, analyzer);
  const placed: (PlacedCitation & { readonly marker: string })[] = [];
  const removed = new Set<string>();
  let text = "";
  // The same text without markers: what is said.
  let words = "";
  // White space waits until something follows it: an answer does not end in it, and a marker that is taken out takes it along.
  let held = "";
  let justRemoved = false;
  /** Where the last marker that went would have stood; -1 before any has. */
  let removedAt = -1;

  /** In `[1[3]]`, `[1` and `]` stay when `[3]` goes: together they would form an unchecked marker. */
  const unjoin = (delta: string): string => {
    const from = removedAt > 0 ? lastOpeningBefore(text, removedAt) : -1;
    const marker = from < 0 ? undefined : completeMarker.exec((text + delta).slice(from))?.[0];
    if (marker === undefined || from + marker.length <= removedAt) return delta;
    const bracket = from + marker.length - 1 - text.length;
    return delta.slice(0, bracket) + delta.slice(bracket + 1);
  };

  const sayWords = (piece: string): string => {
    // White space on both sides of what went is one too many; a line break is kept, for what follows it may be code. Ticks must not join.
    if (justRemoved && !held.includes("\n") && /^[\s\p{P}]/u.test(piece)) held = "";
    if (justRemoved && held === "" && text.endsWith("`") && piece.startsWith("`")) held = " ";
    justRemoved = false;
    const body = piece.trimEnd();
    const tail = piece.slice(body.length);
    if (body === "") {
      held += tail;
      return "";
    }
    const delta = unjoin(text === "" ? body.trimStart() : held + body);
    // White space before a marker that a full stop follows is the marker's.
    words = (/^\p{P}/u.test(delta) ? words.trimEnd() : words) + delta;
    text += delta;
    held = tail;
    return delta;
  };

  const remove = (marker: string): void => {
    removed.add(marker);
    justRemoved = true;
    removedAt = text.length;
  };

  async function* resolve(
    number: number,
    { quoted, refuted }: Extract<CheckedPiece, { type: "marker" }>,
  ): AsyncGenerator<AnswerEvent, void> {
    const hitIndex = number - 1;
    const hit = refuted ? undefined : hits[hitIndex];
    const quote =
      hit &&
      (quoteAround(
        evidence,
        hitIndex,
        quoted.map((said) => locateWords(hit.text, said)),
      ) ??
        findQuote(evidence, hitIndex, claimBefore(words), question));
    const cited = hit && quote && (await citer.cite(hit, quote));
    if (!cited) {
      remove(`[${number}]`);
      return;
    }
    const { marker } = cited.citation;
    if (placed.some((other) => other.offset === words.length && other.marker === marker && held === "")) return;
    const delta = (text === "" ? "" : held) + marker;
    if (text !== "") words += held;
    held = "";
    justRemoved = false;
    text += delta;
    placed.push({ hitIndex, offset: words.length, marker });
    yield { type: "text", delta };
    if (cited.fresh) yield { type: "citation", citation: cited.citation };
  }

  return {
    async *write(pieces) {
      for (const piece of pieces) {
        if (piece.type === "marker") {
          const before = text.length;
          for (const number of piece.numbers) yield* resolve(number, piece);
          if (piece.numbers.length === 0) remove(piece.raw);
          if (text.length === before && !piece.late) scanner.drop();
          continue;
        }
        const delta = sayWords(piece.text);
        if (delta !== "") yield { type: "text", delta };
      }
    },
    finish: () => ({
      text,
      citations: [...citer.citations],
      decide: () => decideSupport({ words, placed, hits, evidence, judge, signal }),
      removedMarkers: [...removed],
    }),
  };
}

/** The sentence that a marker stands behind. */
function claimBefore(words: string): string {
  const tail = words.slice(-claimReach);
  const last = findSentences(tail).at(-1);
  return last ? tail.slice(last.start, last.end) : "";
}

/** Models bend apostrophes and forget full stops. */
function isRefusal(text: string): boolean {
  const plain = (line: string): string => line.replaceAll("’", "'").replace(/\.$/u, "").trim().toLowerCase();
  return plain(text) === plain(refusal);
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new IbidError("aborted", "The answer was stopped.", { cause: signal.reason });
}
