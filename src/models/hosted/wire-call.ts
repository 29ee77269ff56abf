import { IbidError } from "../../contracts/errors.ts";
import { isObject } from "../ai-sdk/ai-sdk-model.ts";
import { anySignal } from "../../runtime/abort.ts";

/** A server that speaks OpenAI's API, and how it is called. */
export interface WirePlace {
  /** How errors and vectors name it: `ollama`, `hosted`. */
  readonly provider: string;
  /** Without a slash at its end; endpoints are appended: `http://127.0.0.1:11434/v1`. */
  readonly baseURL: string;
  /** Sent as a bearer token, where there is one. */
  readonly token?: string | undefined;
  /** How long nothing at all may come, and how long the rest of an answer that is no stream may take from its headers on. **Units** milliseconds. Default 5 minutes: a local model may have to be loaded first. */
  readonly timeoutMs?: number | undefined;
  /** Whether files and recordings may be named by their address. Default false. */
  readonly takesAddresses?: boolean | undefined;
}

/** A name by which {@link readProviderFailure} knows what went wrong: those of the AI SDK, so that every provider's failures are read alike. */
type FailureName =
  | "AI_APICallError"
  | "AI_JSONParseError"
  | "AI_InvalidResponseDataError"
  | "AI_UnsupportedFunctionalityError";

const usualTimeoutMs = 300_000;
/** The largest honest answer in text: far more than a model writes at once. */
export const maxTextBytes = 2 ** 23;
const maxErrorBytes = 64 * 1024;

/** An error as the AI SDK's packages throw it. */
export function wireError(name: FailureName, message: string, rest: object = {}): Error {
  return Object.assign(new Error(message), { name }, rest);
}

/** An answer that would fill the memory. Its connection is closed. **Units** bytes. */
export function tooLarge({ provider }: WirePlace, maxBytes: number): IbidError {
  return new IbidError("invalid-response", `${provider} sent more than ${maxBytes} bytes, so its answer was ended.`, {
    hint: "Use another model, or check that the address belongs to an API of this kind.",
    details: { provider, maxBytes, retryable: false },
  });
}

/**
 * Sends JSON, or a form with files, and gives what answers it: an object.
 *
 * **Errors** in the form of the AI SDK's `APICallError`, `JSONParseError` and the like, for {@link toModelError}. No retries.
 */
export async function callWire(
  place: WirePlace,
  endpoint: string,
  body: object,
  signal: AbortSignal | undefined,
  maxBytes = maxTextBytes,
): Promise<Readonly<Record<string, unknown>>> {
  let text = "";
  for await (const piece of openWire(place, endpoint, body, signal, maxBytes, true)) text += piece;
  if (text.trim() === "") throw wireError("AI_InvalidResponseDataError", "The answer is empty.");
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw wireError("AI_JSONParseError", "The answer is not JSON.");
  }
  if (isObject(answer) && !Array.isArray(answer)) return answer;
  throw wireError("AI_InvalidResponseDataError", "The answer is not an object.");
}

/**
 * Sends JSON and gives the answer's text as it comes. Leaving it early ends the connection.
 *
 * **Shape** bytes end the silence of a stream. An answer that `isWhole` has the same time for all of them, so a server that sends one after another cannot hold a call.
 * **Errors** as {@link callWire}; a `TimeoutError` when nothing came for as long as the place allows.
 */
export async function* openWire(
  place: WirePlace,
  endpoint: string,
  body: object,
  signal: AbortSignal | undefined,
  maxBytes: number,
  isWhole = false,
): AsyncGenerator<string, void, undefined> {
  const { baseURL, token, timeoutMs = usualTimeoutMs } = place;
  const url = `${baseURL}${endpoint}`;
  const silence = createSilence(timeoutMs);
  const stop = signal === undefined ? silence.signal : anySignal([signal, silence.signal]);
  try {
    silence.heard();
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
        accept: "application/json, text/event-stream",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
      // A redirect would send the token to another server.
      redirect: "error",
      signal: stop,
    });
    silence.heard();
    if (!response.ok) throw await refusal(place, response, url);
    yield* readText(place, response, maxBytes, isWhole ? undefined : silence);
  } catch (error) {
    if (IbidError.isInstance(error)) throw error;
    // Engines word fetch failures differently, and without the address, so it is added.
    throw isObject(error) && !("url" in error) ? Object.assign(error, { url }) : error;
  } finally {
    silence.end();
  }
}

interface Silence {
  readonly signal: AbortSignal;
  heard(): void;
  end(): void;
}

function createSilence(timeoutMs: number): Silence {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void =>
    controller.abort(Object.assign(new Error(`No data came for ${timeoutMs} ms.`), { name: "TimeoutError" }));
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(timer);
      timer = setTimeout(stop, timeoutMs);
    },
    end: () => clearTimeout(timer),
  };
}

async function* readText(
  place: WirePlace,
  response: Response,
  maxBytes: number,
  silence: Silence | undefined,
): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      silence?.heard();
      if (done) {
        ended = true;
        yield decoder.decode();
        return;
      }
      bytes += value.length;
      if (bytes > maxBytes) throw tooLarge(place, maxBytes);
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // After the consumer leaves, the server must stop writing.
    if (!ended) await reader.cancel().catch(() => {});
  }
}

async function refusal(place: WirePlace, response: Response, url: string): Promise<Error> {
  let text = "";
  try {
    for await (const piece of readText(place, response, maxErrorBytes, undefined)) text += piece;
  } catch {
    // The status says enough.
  }
  const data = parse(text);
  const said = isObject(data) ? data["error"] : undefined;
  const message = isObject(said) ? said["message"] : (said ?? (isObject(data) ? data["message"] : undefined));
  return wireError("AI_APICallError", typeof message === "string" ? message : "", {
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: text,
    url,
    ...(isObject(data) && { data }),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
