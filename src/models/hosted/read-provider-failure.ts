import { platformNow } from "../../runtime/platform-clock.ts";
import { isObject } from "../ai-sdk/ai-sdk-model.ts";

/** A provider's error, read by its structure: the packages that throw them come in many versions. */
export interface ProviderFailure {
  readonly kind:
    | "aborted"
    | "timeout"
    | "rate-limited"
    | "key-missing"
    | "key-refused"
    | "unreachable"
    | "connection-lost"
    | "invalid-response"
    | "unsupported"
    | "unknown-model"
    | "too-long"
    | "other";
  /** HTTP status, of a failure; the 200 of an answer that made no sense is left out. */
  readonly status?: number;
  /** A system's or fetch's own code, such as `ECONNREFUSED`. */
  readonly networkCode?: string;
  /** The provider's name for the failure, such as `context_length_exceeded`. */
  readonly providerCode?: string;
  readonly retryAfterMs?: number;
  /** Scheme, host and port of the address that was called. */
  readonly origin?: string;
  readonly message: string;
  /** The message may hold a key, or parts of the model's answer. */
  readonly confidential: boolean;
}

const timeouts = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
const unreachable = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ECONNABORTED",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);
const lost = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ConnectionClosed"]);
/** **Source** OpenAI's error codes for one text, and for all texts of a call together. */
const tooLongCodes = new Set(["context_length_exceeded", "max_tokens_per_request", "string_above_max_length"]);
const tooLongWords =
  /input length exceeds|maximum context length|max(?:imum)? \d+ tokens per request|at most \d+ requests can be in one batch|larger than the max context size|too large to process|batch size .{0,40}(?:exceeds|greater|larger)|maximum allowed batch size/iu;
/** Names of errors that say that the answer, not the request, was wrong. */
const wrongAnswers = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_NoContentGeneratedError",
]);

/**
 * Reads an error and its causes.
 *
 * **Cost** at most 10 causes are followed, so a ring of causes ends. Retry dates are read against the clock.
 * **Source** AI SDK `APICallError` (`statusCode`, `responseHeaders`, `data`, `url`); RFC 9110, 10.2.3 (`Retry-After`).
 */
export function readProviderFailure(error: unknown): ProviderFailure {
  const chain = followCauses(error);
  const names = new Set(chain.map((link) => link["name"]));
  const status = firstOf(chain, readStatus);
  const networkCode = firstOf(chain, (link) => (isNetworkCode(link["code"]) ? link["code"] : undefined));
  const providerCode = firstOf(chain, readProviderCode);
  const origin = firstOf(chain, readOrigin);
  const retryAfterMs = firstOf(chain, readRetryAfter);
  const kind = classify(chain, names, status, networkCode, providerCode);
  const shown = status !== undefined && status >= 400 ? status : undefined;
  return {
    kind,
    ...(shown === undefined ? {} : { status: shown }),
    ...(networkCode === undefined ? {} : { networkCode }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(origin === undefined ? {} : { origin }),
    message: readMessage(error),
    confidential: kind === "key-refused" || kind === "invalid-response",
  };
}

function classify(
  chain: readonly Link[],
  names: ReadonlySet<unknown>,
  status: number | undefined,
  networkCode: string | undefined,
  providerCode: string | undefined,
): ProviderFailure["kind"] {
  if (names.has("AI_LoadAPIKeyError")) return "key-missing";
  if (names.has("AI_UnsupportedFunctionalityError")) return "unsupported";
  if (status === 429) return "rate-limited";
  if (status === 408 || status === 504 || status === 524) return "timeout";
  if (status === 401 || status === 403) return "key-refused";
  if (
    status === 400 &&
    chain.some((link) => typeof link["responseBody"] === "string" && link["responseBody"].includes("API_KEY_INVALID"))
  ) {
    // Google answers a wrong key with 400.
    return "key-refused";
  }
  if (status === 404) return "unknown-model";
  if (status === 413 || (providerCode !== undefined && tooLongCodes.has(providerCode))) return "too-long";
  // Ollama answers 400 or 500 with words alone, Google 400 for a batch that has too many texts.
  if (status !== undefined && status >= 400 && chain.some((link) => tooLongWords.test(readMessage(link))))
    return "too-long";
  if (status !== undefined && status >= 400) return "other";
  if (networkCode !== undefined) {
    if (timeouts.has(networkCode)) return "timeout";
    return lost.has(networkCode) ? "connection-lost" : "unreachable";
  }
  if (names.has("TimeoutError")) return "timeout";
  if (names.has("AbortError") || names.has("ResponseAborted")) return "aborted";
  if ([...names].some((name) => wrongAnswers.has(String(name)))) return "invalid-response";
  // Codes that come inside a stream, where the status was 200 long ago.
  if (providerCode === "rate_limit_exceeded" || providerCode === "rate_limit_error") return "rate-limited";
  return "other";
}

type Link = Readonly<Record<string, unknown>>;

function followCauses(error: unknown): readonly Link[] {
  const chain: Link[] = [];
  let current = error;
  while (isObject(current) && chain.length < 10) {
    chain.push(current);
    const { lastError, cause, errors } = current as { lastError?: unknown; cause?: unknown; errors?: unknown };
    // Errors that retries and races collected: take the last attempt, the first address.
    current = lastError ?? cause ?? (Array.isArray(errors) ? (errors as unknown[])[0] : undefined);
  }
  return chain;
}

function firstOf<T>(chain: readonly Link[], read: (link: Link) => T | undefined): T | undefined {
  for (const link of chain) {
    const value = read(link);
    if (value !== undefined) return value;
  }
  return undefined;
}

function isNetworkCode(code: unknown): code is string {
  return typeof code === "string" && (timeouts.has(code) || unreachable.has(code) || lost.has(code));
}

function readStatus(link: Link): number | undefined {
  // Errors that come inside a stream are plain objects, some with the status as their code.
  for (const value of [link["statusCode"], link["status"], link["code"]]) {
    if (typeof value === "number" && Number.isInteger(value) && value >= 100 && value < 600) return value;
  }
  return undefined;
}

function readProviderCode(link: Link): string | undefined {
  const data = isObject(link["data"]) ? link["data"] : link;
  const inner = isObject(data["error"]) ? data["error"] : data;
  // Only inside a provider's own data: an Error's `type` or `status` may be anything.
  if (inner === link && link instanceof Error) return undefined;
  for (const value of [inner["code"], inner["status"], inner["type"]]) {
    if (typeof value === "string" && /^[\w.-]{1,64}$/u.test(value)) return value;
  }
  return undefined;
}

function readOrigin(link: Link): string | undefined {
  if (typeof link["url"] !== "string" || !URL.canParse(link["url"])) return undefined;
  return new URL(link["url"]).origin;
}

function readRetryAfter(link: Link): number | undefined {
  const headers = link["responseHeaders"];
  if (!isObject(headers)) return undefined;
  const header = (name: string): string | undefined => {
    const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
    const value = key === undefined ? undefined : headers[key];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const milliseconds = Number(header("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const after = header("retry-after");
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - platformNow());
}

function readMessage(error: unknown): string {
  if (typeof error === "string") return error;
  if (!isObject(error)) return "";
  if (typeof error["message"] === "string") return error["message"];
  return isObject(error["error"]) ? readMessage(error["error"]) : "";
}
