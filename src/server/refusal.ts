import { IbidError, type IbidErrorCode } from "../contracts/errors.ts";

/** Parts of a refusal beside its sentence. */
interface RefusalDetails {
  /** The next action of the client. */
  readonly hint?: string | undefined;
  /** The document that the request names. */
  readonly uri?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request that the service turns away: an HTTP status, a code for programs, a sentence for people. It shows nothing internal. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly uri: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, { hint, uri, headers = {} }: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.uri = uri;
    this.headers = headers;
  }
}

/** Codes for mistakes of the caller. Their sentences speak of the request, or of documents that the caller may read. */
const callersOwn: Partial<Record<IbidErrorCode, number>> = {
  "invalid-argument": 400,
  "invalid-filter": 400,
  "invalid-regex": 400,
  "invalid-id": 400,
  "unsupported-input": 400,
  unsupported: 400,
  "access-denied": 403,
  "not-found": 404,
  ambiguous: 409,
  "too-large": 413,
  "unsupported-media": 415,
  unreadable: 422,
  binary: 422,
  empty: 422,
  encrypted: 422,
};

/** Failures of a model, with a sentence of the service. The library's sentence may name addresses of the operator or repeat a provider's words. */
const ofModels: Partial<Record<IbidErrorCode, string>> = {
  "model-failed": "The model failed before its answer was complete.",
  "invalid-response": "The model's response broke off or cannot be read.",
  "embedding-failed": "The embedding model failed.",
};

/**
 * Any failure as the client sees it.
 *
 * **Shape** a mistake of the caller keeps its code, message, hint and uri. The failure of a model keeps its code and gets a sentence of the service. Any other failure becomes one
 * general sentence. Only the log has the details.
 */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (IbidError.isInstance(error)) {
    if (error.cause instanceof Refusal) return error.cause;
    const { code, message, hint, uri } = error;
    const status = callersOwn[code];
    if (status !== undefined) return new Refusal(status, code, message, { hint, uri });
    const ofModel = ofModels[code];
    if (ofModel !== undefined) return new Refusal(502, code, ofModel, { hint: hintWithCause });
    // The library's sentence speaks of the operator's models, collections and packages.
    if (code === "configuration-missing" || code === "dependency-missing")
      return new Refusal(409, code, "The service is not set up for this request.", {
        hint: "Ask for another mode or collection, or give the operator the request id: the log has the cause under it.",
      });
    if (code === "timeout") return tooSlow();
    if (code === "aborted") return new Refusal(499, "aborted", "The client ended the request.");
    if (code === "store-busy" || code === "rate-limited") return busy(5);
    if (code === "store-failed" && error.details["isFull"] === true)
      return new Refusal(507, "disk-full", "The disk of the service is full.", {
        hint: "Ask the operator to make room on it, then send it again. Searches go on.",
      });
  }
  return new Refusal(500, "internal", "The service failed to answer this request.", {
    hint: hintWithCause,
  });
}

const hintWithCause = "Try again. If it fails again, give the operator the request id: the log has the cause under it.";

function tooSlow(): Refusal {
  return new Refusal(504, "timeout", "The request took longer than this service allows.", {
    hint: "Ask for less, or try again later.",
  });
}

/** **Units** seconds until the client should try again. */
export function busy(seconds: number, headers: Readonly<Record<string, string>> = {}): Refusal {
  return new Refusal(503, "busy", "The service is busy.", {
    hint: `Try again in ${seconds} seconds or later.`,
    headers: { "retry-after": String(seconds), ...headers },
  });
}

/** Codes of the service that are the library's too, beside those of callers and models. */
const otherCodes: readonly string[] = [
  "configuration-missing",
  "dependency-missing",
  "timeout",
  "aborted",
  "internal",
] satisfies IbidErrorCode[];

/** Address of the page about a code; `undefined` without `IbidError.pages`, and for codes that only the service has. */
function pageOf(code: string): string | undefined {
  const isLibrarys = Object.hasOwn(callersOwn, code) || Object.hasOwn(ofModels, code) || otherCodes.includes(code);
  return isLibrarys ? new IbidError(code as IbidErrorCode, "").page : undefined;
}

/** The fields that an error has besides in OpenAI's shape. **Source** OpenAI's API reference, error codes; the package `openai` shows both. */
export function openAiFacts({ status }: Refusal): object {
  const types: Readonly<Record<number, string>> = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
  };
  return { type: types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error"), param: null };
}

/** The JSON of an error, the same in bodies and in the `error` event of a stream. */
export function errorJson({ code, message, hint, uri }: Refusal, requestId: string): object {
  return { code, message, hint, uri, requestId, page: pageOf(code) };
}
