/**
 * Codes of errors, as a closed set that callers can switch on.
 *
 * The names say who must act: `invalid-…` the caller, `unsupported-…` and `…-missing` the configuration, `…-failed` the operator of the other side.
 */
export type IbidErrorCode =
  // arguments
  | "invalid-argument"
  | "invalid-filter"
  | "invalid-regex"
  | "invalid-id"
  | "ambiguous"
  | "not-found"
  // access
  | "access-denied"
  // reading
  | "unreadable"
  | "unsupported-media"
  | "binary"
  | "empty"
  | "encrypted"
  | "too-large"
  | "fetch-failed"
  | "blocked-address"
  // embedding and models
  | "unsupported-input"
  | "dimension-mismatch"
  | "embedding-failed"
  | "invalid-response"
  | "rate-limited"
  | "timeout"
  | "model-failed"
  | "dependency-missing"
  | "configuration-missing"
  // keeping
  | "store-busy"
  | "store-closed"
  | "store-corrupt"
  | "store-failed"
  | "unsupported"
  // measuring
  | "below-minimum"
  // in a graph
  | "node-failed"
  // running
  | "aborted"
  | "unsupported-runtime"
  | "internal";

/** Parts of an {@link IbidError} beside code and message. */
export interface IbidErrorOptions {
  /** Next action, as a sentence. */
  readonly hint?: string | undefined;
  /** The document, file or address concerned. */
  readonly uri?: string | undefined;
  /** Facts for programs: `{ expected: 384, got: 3 }`. Never document text, never query text. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

const mark = Symbol.for("ibid.error");

/**
 * The one error class that ibid throws.
 *
 * **Shape** `message` says what and where; `hint` what to do. `IbidError.isInstance` works across copies of the package, `instanceof` does not.
 * **Source** Wesichain's `EmbeddingError` and `StoreError`, Ballerina's error values.
 */
export class IbidError extends Error {
  /**
   * Address below which the pages of the errors stand, such as `https://docs.example/errors/`. Default: none, because the site has no address of its own.
   */
  static pages: string | undefined;

  override readonly name = "IbidError";
  readonly code: IbidErrorCode;
  readonly hint: string | undefined;
  readonly uri: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: IbidErrorCode, message: string, options: IbidErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.uri = options.uri;
    this.details = options.details ?? {};
    Object.defineProperty(this, mark, { value: true });
  }

  /**
   * Address of the page about this code; `undefined` without {@link IbidError.pages}. `ibid docs <code>` prints the same page.
   */
  get page(): string | undefined {
    return IbidError.pages === undefined ? undefined : `${IbidError.pages.replace(/\/*$/u, "/")}${this.code}/`;
  }

  /** Plain data for logs and JSON results, without stack and cause. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { name, code, message, hint, uri, details, page } = this;
    return { name, code, message, hint, uri, details, ...(page !== undefined && { page }) };
  }

  /** Whether `error` is an `IbidError` of any copy of this package, and of this `code` when one is given. */
  static isInstance(error: unknown, code?: IbidErrorCode): error is IbidError {
    return (
      error instanceof Error &&
      mark in error &&
      (code === undefined || (error as Error & { code?: unknown }).code === code)
    );
  }
}
