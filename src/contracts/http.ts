/** One request over HTTP. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How much an answer may be, and how long it may take. */
export interface HttpLimits {
  /** **Units** bytes, after decompression. */
  readonly maxBytes: number;
  /** For everything: connecting, redirects, the whole body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A response with any status. */
export interface HttpAnswer {
  readonly status: number;
  /** The `content-type` header as it came. */
  readonly mediaType: string | undefined;
  /** Read as UTF-8. */
  readonly text: string;
}

/**
 * Sends one request: the way to a server, for parts that know what to say and must not know the network.
 *
 * **Errors** `fetch-failed`, `blocked-address`, `too-large`, `timeout`, `aborted`. It follows no redirect that leaves the request's origin.
 */
export type SendRequest = (request: HttpRequest, limits: HttpLimits) => Promise<HttpAnswer>;
