import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";
import { isObject } from "../ai-sdk/ai-sdk-model.ts";
import { factsOf } from "./providers.ts";
import { quoteProvider } from "../ai-sdk/quote-provider.ts";
import { readProviderFailure, type ProviderFailure } from "./read-provider-failure.ts";

/** The call that an error came out of. */
export interface ModelCall {
  readonly kind: "chat" | "embedding" | "rerank";
  readonly provider: string;
  readonly model: string;
  /** Every text that the call sent, so that no error repeats one. */
  readonly sent: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whatever a model threw, as one of ibid's errors, without a word of what was sent.
 *
 * **Shape** `details` carry `provider`, `model`, `retryable` and, when known, `status`, `providerCode`, `retryAfterMs` and `tooLarge`. `cause` is a copy with the
 * original's name, network code and stack frames: the original holds the whole request, and loggers print causes.
 * **Errors** the value returned has the code `rate-limited`, `timeout`, `invalid-response`, `aborted`, `configuration-missing`, `unsupported-input`,
 * or else `model-failed` (chat, rerank) or `embedding-failed`.
 * **Source** Wesichain `EmbeddingError`: InvalidResponse, RateLimited, Timeout, Provider, Other.
 */
export function toModelError(error: unknown, call: ModelCall): IbidError {
  if (IbidError.isInstance(error)) return error;
  const name = `${call.provider}/${call.model}`;
  if (call.signal?.aborted === true) return abortedError(call);

  const failure = readProviderFailure(error);
  const words = failure.confidential ? undefined : quoteProvider(failure.message, call.sent);
  const cause = copyCause(error, failure, words);
  const providerCode = isEcho(failure.providerCode, call.sent) ? undefined : failure.providerCode;
  const details = {
    provider: call.provider,
    model: call.model,
    retryable: isRetryable(failure),
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    // A smaller batch may pass.
    ...(failure.kind === "too-long" ? { tooLarge: true } : {}),
  };
  const make = (code: IbidErrorCode, message: string, hint: string): IbidError =>
    new IbidError(code, message, { hint, details, cause });
  const failed: IbidErrorCode = call.kind === "embedding" ? "embedding-failed" : "model-failed";
  const facts = factsOf(call.provider);
  const key = facts?.keyVariable;
  const { status } = failure;

  switch (failure.kind) {
    case "aborted":
      return make("aborted", `The call to ${name} was aborted.`, "Call again.");
    case "timeout":
      return make(
        "timeout",
        `${name} did not answer in time${inBrackets(status, failure.networkCode)}.`,
        "Try again, or send less at once.",
      );
    case "rate-limited": {
      const wait = failure.retryAfterMs === undefined ? "" : ` ${Math.ceil(failure.retryAfterMs / 1000)} s`;
      const quota =
        providerCode === "insufficient_quota" ? " The account's quota is used up: check its plan and billing." : "";
      return make(
        "rate-limited",
        `${name} accepts no more requests for now${inBrackets(status, providerCode)}.`,
        `Wait${wait} and try again.${quota}`,
      );
    }
    case "key-missing":
      return make(
        "configuration-missing",
        `${name} has no API key.`,
        key === undefined ? "Give the provider its key." : `Set ${key} to your API key.`,
      );
    case "key-refused":
      // The provider's words are left out: some repeat the key.
      return make(
        failed,
        `${name} refused the API key or its permissions${inBrackets(status, providerCode)}.`,
        key === undefined
          ? "Check the API key of the model."
          : `Set ${key} to a valid API key that may use this model.`,
      );
    case "unreachable":
      return make(
        failed,
        `${name} cannot be reached${failure.origin === undefined ? "" : ` at ${failure.origin}`}${inBrackets(failure.networkCode)}.`,
        facts?.unreachable ?? "Check the network and the address of the model.",
      );
    case "connection-lost":
      return make(failed, `The connection to ${name} broke off${inBrackets(failure.networkCode)}.`, "Try again.");
    case "invalid-response":
      return make(
        "invalid-response",
        `${name} returned an answer that is empty, cut off or malformed.`,
        "Try again; if the error stays, check that the address belongs to an API of this kind.",
      );
    case "unsupported":
      return make("unsupported-input", `${name} does not support the request${inWords(words)}`, "Use another model.");
    case "unknown-model":
      return make(
        failed,
        `${name} is not known at its provider${inBrackets(status, providerCode)}${inWords(words)}`,
        call.provider === "ollama"
          ? `Run \`ollama pull ${call.model}\`, or check the name with \`ollama list\`.`
          : "Check the model's name, and that the address belongs to an API of this kind.",
      );
    case "too-long":
      return make(
        failed,
        `${name} got more text than it accepts${inBrackets(status, providerCode)}${inWords(words)}`,
        tooLongMends[call.kind],
      );
    case "other":
      return make(
        failed,
        `${name} failed${inBrackets(status, providerCode)}${inWords(words)}`,
        status !== undefined && status >= 500 ? "Try again later." : "Check the model's name and its options.",
      );
  }
}

const tooLongMends: Readonly<Record<ModelCall["kind"], string>> = {
  chat: "Ask with fewer hits (a smaller topK), or use a model with a longer context.",
  embedding: "Use a smaller chunk size.",
  rerank: "Use a smaller chunk size, or give the reranker a smaller maxBatchSize.",
};

/** The caller's own signal fired. */
export function abortedError(call: Pick<ModelCall, "provider" | "model" | "signal">): IbidError {
  return new IbidError("aborted", `The call to ${call.provider}/${call.model} was aborted.`, {
    hint: "Call again without aborting, or with a longer time limit.",
    details: { provider: call.provider, model: call.model, retryable: false },
    cause: call.signal?.reason,
  });
}

/** The answer came, and is not what was promised. `what` is ours, never the model's. */
export function invalidResponse(
  call: Pick<ModelCall, "provider" | "model">,
  what: string,
  details: object = {},
): IbidError {
  return new IbidError("invalid-response", `${call.provider}/${call.model} returned an unusable answer: ${what}.`, {
    hint: "Try again; if the error stays, use another model.",
    details: { provider: call.provider, model: call.model, retryable: true, ...details },
  });
}

/** A server may call its failure whatever it likes: also what was asked. */
function isEcho(code: string | undefined, sent: readonly string[]): boolean {
  return code !== undefined && sent.some((text) => text.includes(code));
}

function isRetryable(failure: ProviderFailure): boolean {
  const { status } = failure;
  if (status !== undefined && status >= 400) return status === 408 || status === 409 || status === 429 || status >= 500;
  return ["timeout", "rate-limited", "unreachable", "connection-lost", "invalid-response"].includes(failure.kind);
}

function copyCause(error: unknown, failure: ProviderFailure, words: string | undefined): Error {
  const copy = new Error(words ?? "The provider's own words are left out.");
  const name = error instanceof Error ? error.name : "Error";
  copy.name = name;
  copy.stack = `${name}: ${copy.message}${stackFrames(error)}`;
  if (failure.networkCode !== undefined) Object.assign(copy, { code: failure.networkCode });
  return copy;
}

/** The frames of a stack, without the message that precedes them. */
function stackFrames(error: unknown): string {
  if (!isObject(error) || typeof error["stack"] !== "string" || typeof error["message"] !== "string") return "";
  const { stack, message } = error as { stack: string; message: string };
  const at = stack.indexOf(message);
  return at === -1 ? "" : stack.slice(at + message.length);
}

function inBrackets(...parts: readonly (string | number | undefined)[]): string {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

function inWords(words: string | undefined): string {
  return words === undefined ? "." : `: ${words}`;
}
