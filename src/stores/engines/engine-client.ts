import { IbidError } from "../../contracts/errors.ts";
import { anySignal, abortError, pause, throwIfAborted } from "../../runtime/abort.ts";
import { parseServerAddress } from "../../runtime/parse-server-address.ts";

/**
 * How an engine is reached over HTTP.
 */
export interface EngineAddress {
  /** Such as `http://127.0.0.1:6333`. A user and password in it become a header. */
  readonly url: string;
  /** Headers of every request, such as a key. They stand in no message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** **Units** milliseconds for one request. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries of a request whose failure may pass. Default 4. */
  readonly attempts?: number | undefined;
}

/** Names of the options of {@link EngineAddress}, for the check of an engine's options. */
export const addressOptions = { url: true, headers: true, timeoutMs: true, attempts: true } as const;

/** An engine over HTTP that takes a key, and whose indexes lie beside those of others. */
export interface EngineService extends EngineAddress {
  /** Key of the service. It travels as a header. */
  readonly apiKey?: string | undefined;
  /** Beginning of the names of indexes: lower-case letters, digits and `_`. Default `"ibid"`. */
  readonly prefix?: string | undefined;
}

/** Names of the options of {@link EngineService}. */
export const serviceOptions = { ...addressOptions, apiKey: true, prefix: true } as const;

/** A request to an engine. */
export interface EngineCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  readonly path: string;
  /** JSON, or text that is JSON already. */
  readonly body?: unknown;
  /** Statuses that are no failure, beside those below 300. Their answers are returned too. */
  readonly expects?: readonly number[] | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An engine that speaks JSON over HTTP. */
export interface EngineClient {
  /** **Errors** `store-failed`, `store-busy`, `timeout`, `aborted`, with the engine's name and the operation. */
  call<Answer>(operation: string, call: EngineCall): Promise<{ readonly status: number; readonly body: Answer }>;
  /** The answer to a `POST` of JSON. */
  post<Answer>(operation: string, path: string, body: unknown, signal?: AbortSignal): Promise<Answer>;
}

/** A client whose requests all go by one function. */
export function clientBy(call: EngineClient["call"]): EngineClient {
  return {
    call,
    post: async <Answer>(operation: string, path: string, body: unknown, signal?: AbortSignal) =>
      (await call<Answer>(operation, { method: "POST", path, body, signal })).body,
  };
}

/** As {@link createEngineClient}, with the header that a key travels in. */
export function createServiceClient(
  engine: string,
  { apiKey, ...address }: EngineService,
  header: (key: string) => Readonly<Record<string, string>>,
): EngineClient {
  const headers = { ...address.headers, ...(apiKey !== undefined && header(apiKey)) };
  return createEngineClient(engine, { ...address, headers });
}

const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Characters of an engine's own words that an error repeats. */
const longestReason = 300;

/** Makes a client. Each of its requests may be repeated, because entries never change. **Errors** `invalid-argument` for a wrong address. */
export function createEngineClient(engine: string, address: EngineAddress): EngineClient {
  const { timeoutMs = 30_000, attempts = 4 } = address;
  const { base, headers } = readAddress(engine, address);
  const host = new URL(base).host;

  function failed(operation: string, reason: string, status?: number, cause?: unknown): IbidError {
    const isBusy = status === 429 || status === 503;
    return new IbidError(
      isBusy ? "store-busy" : "store-failed",
      `${engine} at ${host}: ${operation} failed: ${reason}.`,
      {
        hint: hintFor(status),
        details: { store: engine, operation, ...(status !== undefined && { status }) },
        cause,
      },
    );
  }

  async function once(
    operation: string,
    { method, path, body, contentType, signal }: EngineCall,
    deadline: AbortSignal,
  ) {
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: "error",
      headers: {
        ...headers,
        accept: "application/json",
        ...(body !== undefined && { "content-type": contentType ?? "application/json" }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: signal === undefined ? deadline : anySignal([signal, deadline]),
    });
    const text = await response.text();
    if (text === "")
      return { status: response.status, body: undefined, text, retryAfter: response.headers.get("retry-after") };
    try {
      return {
        status: response.status,
        body: JSON.parse(text) as unknown,
        text,
        retryAfter: response.headers.get("retry-after"),
      };
    } catch {
      if (response.ok) throw failed(operation, "the answer is no JSON", response.status);
      return { status: response.status, body: undefined, text, retryAfter: response.headers.get("retry-after") };
    }
  }

  return clientBy(async <Answer>(operation: string, call: EngineCall) => {
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(call.signal, `${engine}: ${operation}`);
      const isLast = attempt >= attempts;
      const deadline = AbortSignal.timeout(timeoutMs);
      let waitMs = 100 * 2 ** attempt * (0.5 + Math.random() / 2);
      try {
        const { status, body, text, retryAfter } = await once(operation, call, deadline);
        if (status < 300 || call.expects?.includes(status) === true) return { status, body: body as Answer };
        if (isLast || !passing.has(status))
          throw failed(
            operation,
            text.trim() === ""
              ? `status ${status}, without a reason`
              : `status ${status}: ${text.slice(0, longestReason).replaceAll(/\s+/gu, " ").replace(/\.$/u, "")}`,
            status,
          );
        if (retryAfter !== null && Number(retryAfter) >= 0) waitMs = Math.max(waitMs, Number(retryAfter) * 1000);
      } catch (error) {
        if (IbidError.isInstance(error)) throw error;
        if (call.signal?.aborted === true) throw abortError(call.signal, `${engine}: ${operation}`);
        if (deadline.aborted && isLast) {
          throw new IbidError("timeout", `${engine} at ${host}: ${operation} took longer than ${timeoutMs} ms.`, {
            hint: "Allow more time with timeoutMs, or look at the server.",
            details: { store: engine, operation },
            cause: error,
          });
        }
        if (isLast) throw failed(operation, reasonOf(error), undefined, error);
      }
      await pause(Math.min(waitMs, timeoutMs), call.signal, `${engine}: ${operation}`);
    }
  });
}

function readAddress(
  engine: string,
  { url, headers = {} }: EngineAddress,
): { base: string; headers: Record<string, string> } {
  const read = parseAddress(engine, url, ["http", "https"], "http://host:port, or https://…");
  const { username, password } = read;
  const authorization =
    username === ""
      ? {}
      : { authorization: `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}` };
  return { base: `${read.origin}${read.pathname.replace(/\/$/u, "")}`, headers: { ...authorization, ...headers } };
}

/** **Errors** `invalid-argument` for an address of another protocol, without a word of it: it may hold a password. */
export function parseAddress(engine: string, address: string, protocols: readonly string[], expected: string): URL {
  const read = parseServerAddress(address, protocols);
  if (read !== undefined) return read;
  throw new IbidError("invalid-argument", `The address of ${engine} cannot be read.`, {
    hint: `Write ${expected}; encode @, : and / in a password as %40, %3A and %2F.`,
  });
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = inner instanceof Error && "code" in inner && typeof inner.code === "string" ? inner.code : undefined;
  return code ?? (inner instanceof Error ? inner.message : String(inner));
}

function hintFor(status: number | undefined): string {
  if (status === undefined) return "Check the address and the network.";
  if (status === 401 || status === 403) return "Check the key or the password, and the rights that go with it.";
  if (status === 400 || status === 422)
    return "Check the options of the engine against the server's own words, and the server's version.";
  if (status === 404) return "Check the address and the version of the server, which does not know the path.";
  return status === 429 || status >= 500
    ? "Call again later, and look at the server."
    : "Look at the server's version, and report this.";
}
