import { platformNow } from "../../runtime/platform-clock.ts";
import { IbidError } from "../../contracts/errors.ts";
import { anySignal, pause, throwIfAborted } from "../../runtime/abort.ts";
import { readErrorCode } from "./read-listing.ts";
import { encodePath, encodeQuery, hexHash, type S3Credentials, signRequest } from "./sign-request.ts";
import { readStream } from "../../runtime/read-stream.ts";

/** Where requests go, and how patiently. */
export interface S3Place {
  readonly endpoint: URL;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: () => S3Credentials | Promise<S3Credentials>;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** `""` for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Limit for the answer. **Units** bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Statuses that are returned to the caller instead of thrown. */
  readonly expects: readonly number[];
}

/** An answer, read to its end. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The server's name for an error. */
  readonly code: string | undefined;
  /** Whether an earlier attempt may have done what this one was to do. */
  readonly repeated: boolean;
}

/** Statuses after which the same request may succeed. 409 is two conditional writes at once. **Source** S3, "Error best practices". */
const passing = new Set([409, 429, 500, 502, 503, 504]);

/**
 * Sends a signed request, again when its failure may pass, each time signed anew and after twice as long.
 *
 * **Errors** `store-busy` when the server asks for patience to the end, `store-failed`, `too-large`, `aborted`, `timeout`. None of them repeats a header or
 * what a server says beyond its error's name: that may hold what was signed.
 */
export async function sendS3Request(place: S3Place, request: S3Request): Promise<S3Answer> {
  for (let attempt = 1; ; attempt++) {
    throwIfAborted(request.signal, `${request.method} of ${nameOf(place, request)}`);
    const last = attempt >= place.attempts;
    try {
      const answer = await sendOnce(place, request);
      const expected = request.expects.includes(answer.status) || (answer.status >= 200 && answer.status < 300);
      if (expected) return { ...answer, repeated: attempt > 1 };
      if (last || !passing.has(answer.status)) throw refused(place, request, answer);
    } catch (error) {
      if (IbidError.isInstance(error)) throw error;
      throwIfAborted(request.signal, `${request.method} of ${nameOf(place, request)}`);
      if (last) throw unreachable(place, request, error);
    }
    const delayMs = place.retryDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    await pause(delayMs, request.signal, "Waiting to ask again");
  }
}

async function sendOnce(place: S3Place, request: S3Request): Promise<Omit<S3Answer, "repeated">> {
  const { endpoint, region } = place;
  const body = request.body ?? new Uint8Array();
  const path = encodePath(`${endpoint.pathname.replace(/\/$/u, "")}/${place.bucket}${slash(request.key)}`);
  const query = request.query ?? {};
  const parts = {
    method: request.method,
    host: endpoint.host,
    path,
    query,
    headers: request.headers ?? {},
    payloadHash: await hexHash(body),
  };
  const headers = await signRequest(parts, {
    region,
    credentials: await place.credentials(),
    now: new Date(platformNow()),
  });
  const search = encodeQuery(query);
  const deadline = AbortSignal.timeout(place.timeoutMs);
  const response = await fetch(`${endpoint.origin}${path}${search === "" ? "" : `?${search}`}`, {
    method: request.method,
    headers,
    redirect: "manual",
    signal: request.signal === undefined ? deadline : anySignal([request.signal, deadline]),
    ...(request.body === undefined ? {} : { body: new Uint8Array(body) }),
  });
  const good = response.status >= 200 && response.status < 300;
  const bytes = await readBody(response, good ? request.maxBytes : maxErrorBytes, good, nameOf(place, request));
  const code = good ? undefined : readErrorCode(new TextDecoder().decode(bytes));
  return { status: response.status, headers: response.headers, bytes, code };
}

/** As much of an error's answer as is looked at. */
const maxErrorBytes = 64 * 1024;

const slash = (key: string): string => (key === "" ? "" : `/${key}`);

/** **Errors** `too-large` for a whole answer beyond `maxBytes`; of an error's answer the first bytes are enough. */
function readBody(response: Response, maxBytes: number, isWhole: boolean, name: string): Promise<Uint8Array> {
  const tooLarge = (): IbidError =>
    new IbidError("too-large", `${name} has more than ${maxBytes.toLocaleString("en")} bytes.`, {
      uri: name,
      hint: "Open the store with a larger maxBytes.",
      details: { maxBytes },
    });
  return readStream(response.body, { maxBytes, tooLarge: isWhole ? tooLarge : undefined });
}

function nameOf({ endpoint, bucket }: S3Place, { key }: S3Request): string {
  return `${endpoint.origin}/${bucket}${slash(key)}`;
}

function refused(place: S3Place, request: S3Request, { status, code }: Omit<S3Answer, "repeated">): IbidError {
  const busy = status === 503 || status === 429 || status === 409;
  const hint =
    status === 401 || status === 403
      ? "Check the credentials, the region and the clock, and what the bucket allows them."
      : status === 404
        ? "Check the bucket's name and its address."
        : status >= 300 && status < 400
          ? "Name the endpoint and the region that the bucket is in."
          : "Try again later.";
  return new IbidError(
    busy ? "store-busy" : "store-failed",
    `${nameOf(place, request)} answered ${request.method} with status ${status}${code === undefined ? "" : ` (${code})`}.`,
    { uri: nameOf(place, request), hint, details: { status, ...(code === undefined ? {} : { code }) } },
  );
}

function unreachable(place: S3Place, request: S3Request, error: unknown): IbidError {
  if (error instanceof Error && error.name === "TimeoutError") {
    return new IbidError("timeout", `${nameOf(place, request)} did not answer within ${place.timeoutMs} ms.`, {
      uri: nameOf(place, request),
      hint: "Allow more time with timeoutMs, or look at the server.",
    });
  }
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = inner instanceof Error && "code" in inner && typeof inner.code === "string" ? inner.code : undefined;
  return new IbidError(
    "store-failed",
    `${nameOf(place, request)} could not be reached, or broke off${code === undefined ? "" : ` (${code})`}.`,
    {
      uri: nameOf(place, request),
      hint: "Check the endpoint and the network.",
      ...(code === undefined ? {} : { details: { code } }),
    },
  );
}
