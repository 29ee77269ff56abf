import { IbidError, type IbidErrorCode } from "../contracts/errors.ts";

/** A request that is turned away: a status for HTTP, a code for programs, a sentence for people. Nothing in it is of the inside. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** What the caller got wrong, and may be told in the library's own words: they speak of what was sent, or of what this caller may read. */
const callersOwn: Partial<Record<IbidErrorCode, number>> = {
  "invalid-argument": 400,
  "invalid-filter": 400,
  "invalid-regex": 400,
  "invalid-id": 400,
  "unsupported-input": 400,
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

/** So many seconds are waited where nobody says how long. */
const usualWait = "5";

/**
 * Any failure as what a client sees of it.
 *
 * **Shape** mistakes of the caller keep their code and sentence; what failed in here is said in one sentence that gives nothing away, and the log has the rest.
 */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (IbidError.isInstance(error)) {
    const status = callersOwn[error.code];
    if (status !== undefined)
      return new Refusal(status, error.code, [error.message, error.hint].filter(Boolean).join(" "));
    if (error.code === "timeout") return new Refusal(504, "timeout", "This took longer than is allowed here.");
    if (error.code === "aborted") return new Refusal(499, "aborted", "The request was given up.");
    if (error.code === "store-busy" || error.code === "rate-limited")
      return new Refusal(503, "busy", "This is busy. Try again later.", { "retry-after": usualWait });
  }
  return new Refusal(500, "internal", "Something failed here. The log has it under the request's id.");
}

/** The body of every refusal but those of `POST /rag/query`. */
export function refusalBody({ code, message }: Refusal, requestId: string): object {
  return { error: { code, message, requestId } };
}
