import type { ChatModel, ChatOptions, ChatResult } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";
import { anySignal, isDeadline } from "../runtime/abort.ts";

/** Limits of one answer of a chat model. */
export interface AnswerLimits {
  /** Most characters of an answer, arguments of tool calls included. **Units** UTF-16. Default 400,000. */
  readonly characters?: number | undefined;
  /** Longest wait for the first characters of a streamed answer, or for a whole one. **Units** milliseconds. Default 300,000: a local model may have to be loaded. */
  readonly startMs?: number | undefined;
  /** Longest wait between two parts of a streamed answer. **Units** milliseconds. Default 60,000. */
  readonly silenceMs?: number | undefined;
}

/** Defaults of {@link AnswerLimits}. */
export const answerLimits = { characters: 400_000, startMs: 300_000, silenceMs: 60_000 } as const;

/**
 * A model whose answers end at limits, whatever it does.
 *
 * **Shape** a part without characters ends no silence. The signal of the model fires at a limit, so that its connection closes; a model that ignores the signal is left alone.
 * **Errors** `invalid-argument` for a model without one of its parts; `invalid-response` for too many characters, `timeout` for a silence; `aborted` as soon as the caller's signal fires, or `timeout` for a deadline.
 */
export function limitAnswers(model: ChatModel, limits: AnswerLimits = {}): ChatModel {
  checkParts(model);
  const { characters = answerLimits.characters } = limits;
  const { startMs = answerLimits.startMs, silenceMs = answerLimits.silenceMs } = limits;
  const name = `${model.provider}/${model.model}`;
  const facts = { provider: model.provider, model: model.model, retryable: false };
  const tooLong = (): IbidError =>
    new IbidError("invalid-response", `${name} wrote more than ${characters} characters, so its answer was ended.`, {
      hint: "Use another model, or raise models.limits.characters.",
      details: { ...facts, maxCharacters: characters },
    });
  const tooSilent = (waitMs: number, option: string): IbidError =>
    new IbidError("timeout", `${name} wrote nothing for ${waitMs} ms, so its answer was ended.`, {
      hint: `Try again, use another model, or raise models.limits.${option}.`,
      details: { ...facts, waitMs },
    });
  const aborted = (cause: unknown): IbidError =>
    new IbidError(isDeadline(cause) ? "timeout" : "aborted", `The call to ${name} was aborted.`, {
      hint: "Call again without aborting, or with a longer time limit.",
      details: facts,
      cause,
    });

  /** Runs one call with a signal of its own. The signal fires when the call ends early. */
  const open = ({ signal, ...rest }: ChatOptions) => {
    const over = new AbortController();
    const own = signal === undefined ? over.signal : anySignal([signal, over.signal]);
    const until = async <Value>(work: Promise<Value>, deadline: number, late: () => IbidError): Promise<Value> => {
      const stopped = Promise.withResolvers<never>();
      const stop = (): void => stopped.reject(aborted(signal?.reason));
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", stop, { once: true });
      const timer = setTimeout(() => stopped.reject(late()), Math.max(0, deadline - performance.now()));
      try {
        return await Promise.race([work, stopped.promise]);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      }
    };
    return { options: { ...rest, signal: own }, until, end: (why?: unknown) => over.abort(why) };
  };

  return {
    provider: model.provider,
    model: model.model,
    async chat(messages, options = {}) {
      const { options: own, until, end } = open(options);
      try {
        const work = model.chat(messages, own);
        const result = await until(work, performance.now() + startMs, () => tooSilent(startMs, "startMs"));
        if (lengthOf(result) > characters) throw tooLong();
        return result;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    async *stream(messages, options = {}) {
      const { options: own, until, end } = open(options);
      let written = 0;
      let deadline = performance.now() + startMs;
      const late = (): IbidError => (written === 0 ? tooSilent(startMs, "startMs") : tooSilent(silenceMs, "silenceMs"));
      const parts = model.stream(messages, own)[Symbol.asyncIterator]();
      let isOver = false;
      try {
        for (;;) {
          const { done, value: part } = await until(parts.next(), deadline, late);
          isOver = done === true;
          if (isOver) return;
          const length = part.type === "text" ? part.delta.length : Math.max(0, lengthOf(part.result) - written);
          written += length;
          if (written > characters) throw tooLong();
          const taken = performance.now();
          if (length === 0 && part.type === "text" && taken > deadline) throw late();
          yield part;
          // The consumer's time does not count.
          deadline = length > 0 ? performance.now() + silenceMs : deadline + performance.now() - taken;
        }
      } finally {
        if (!isOver) {
          end();
          // Not awaited: a silent model may never answer.
          Promise.resolve(parts.return?.()).catch(() => {});
        }
      }
    },
  };
}

function lengthOf({ message }: ChatResult): number {
  const calls = message.toolCalls ?? [];
  return (message.content?.length ?? 0) + (calls.length === 0 ? 0 : JSON.stringify(calls).length);
}

const parts = { provider: "string", model: "string", chat: "function", stream: "function" } as const;

/** Without it, a model of an application's own that lacks a part fails at the first question, and without a name. */
function checkParts(model: ChatModel): void {
  for (const [name, kind] of Object.entries(parts)) {
    if (typeof model[name as keyof typeof parts] === kind) continue;
    throw new IbidError("invalid-argument", `The chat model has no ${name} that is a ${kind}.`, {
      hint: "A chat model of your own has the strings provider and model, and the functions chat and stream.",
    });
  }
}
