import type { ChatModel } from "../../contracts/chat.ts";
import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";
import type { RetrieveOptions } from "../../contracts/retriever.ts";
import { anySignal, throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { wholeCharacter } from "../../text/widen-span.ts";
import { tellUsage } from "../../runtime/tell-usage.ts";

/**
 * Options of a model that rewrites questions.
 *
 * @experimental
 */
export interface QueryWriterOptions {
  readonly model: ChatModel;
  /** Instructions for the model, in place of the default ones. The question is the message after them. */
  readonly instructions?: string | undefined;
  /** Longer than that it is not waited for, and the question itself is searched. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Limit for each text of the model; a longer one is cut. **Units** UTF-16 code units. Default 1,000. */
  readonly maxLength?: number | undefined;
  /** Called with the reason when the model's text was not used, for logs; never with the text. Throwing in it fails nothing. */
  readonly onFallback?: ((reason: IbidErrorCode | "empty") => void) | undefined;
}

/** Names of {@link QueryWriterOptions}, for `checkOptions`. */
export const queryWriterOptions = {
  model: true,
  instructions: true,
  timeoutMs: true,
  maxLength: true,
  onFallback: true,
} as const;

/** The texts that a model wrote, or the reason why it wrote none. */
export type Written = { readonly texts: readonly string[] } | { readonly fallback: IbidErrorCode | "empty" };

const defaultTimeoutMs = 10_000;
const defaultMaxLength = 1000;

/**
 * **Errors** `configuration-missing` without a model, `invalid-argument` for bounds that are none; when the retriever is made, not when it is asked.
 */
export function checkQueryWriter(where: string, options: QueryWriterOptions): void {
  if (typeof options.model?.chat !== "function") {
    throw new IbidError("configuration-missing", `${where} needs a language model.`, {
      hint: "Give model: any ChatModel, such as the one that writes the answers.",
    });
  }
  checkCount(where, "timeoutMs", options.timeoutMs);
  checkCount(where, "maxLength", options.maxLength);
}

/** **Errors** `invalid-argument` for what is no whole number from 1 (to `most`). */
export function checkCount(where: string, name: string, value: number | undefined, most = Infinity): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= most)) return;
  throw new IbidError("invalid-argument", `${where}: ${name} is ${String(value)}.`, {
    hint: `Give a whole number from 1 ${most === Infinity ? "up" : `to ${most}`}.`,
  });
}

/**
 * Asks a model once to put a question differently, and takes as many texts of what it says as `read` finds.
 *
 * **Shape** at most `most` texts, none blank, none longer than `maxLength`. A model that fails, is late or says nothing is a fallback, not an error: the question can
 * be searched as it is.
 * **Errors** `aborted`, when the caller's own signal has fired.
 */
export async function writeQueries(
  writer: QueryWriterOptions,
  instructions: string,
  query: string,
  read: (said: string) => readonly string[],
  most: number,
  { signal, onUsage }: Pick<RetrieveOptions, "signal" | "onUsage">,
): Promise<Written> {
  const { model, timeoutMs = defaultTimeoutMs, maxLength = defaultMaxLength } = writer;
  const clock = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? clock : anySignal([signal, clock]);
  const fallBack = (fallback: IbidErrorCode | "empty"): Written => {
    try {
      writer.onFallback?.(fallback);
    } catch {
      // An error of `onFallback` must not fail the search.
    }
    return { fallback };
  };
  try {
    const asked = model.chat(
      [
        { role: "system", content: writer.instructions ?? instructions },
        { role: "user", content: query },
      ],
      // Two characters a token is little in any script: room for what is kept, and an end to what is not.
      { maxOutputTokens: Math.ceil((most * maxLength) / 2), temperature: 0, signal: either },
    );
    const { message, usage } = await untilAborted(asked, either, "The model");
    tellUsage(onUsage, usage, model);
    const texts = read(message.content ?? "")
      .map((text) => text.slice(0, wholeCharacter(text, Math.min(text.length, maxLength))).trim())
      .filter((text) => text !== "");
    return texts.length > 0 ? { texts: texts.slice(0, most) } : fallBack("empty");
  } catch (error) {
    throwIfAborted(signal, "The search", { cause: error });
    if (clock.aborted) return fallBack("timeout");
    return fallBack(IbidError.isInstance(error) ? error.code : "model-failed");
  }
}

/** One text of what a model said: without the white space and the quotation marks around it, on one line. */
export function readOneText(said: string): readonly string[] {
  return [plainLine(said)];
}

/** A text for each line, without numbers and signs of a list before it. */
export function readLines(said: string): readonly string[] {
  return said
    .split("\n")
    .map((line) => plainLine(line.replace(/^\s*(?:[-*•]|\d{1,3}[.):])\s+/u, "")))
    .filter((line) => line !== "");
}

function plainLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return /^(["'“„«「]).*["'”“»」]$/u.test(line) ? line.slice(1, -1).trim() : line;
}
