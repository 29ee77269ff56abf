import { createRequire } from "node:module";
import type { Dispatcher, fetch, Response } from "undici";
import { IbidError } from "../../contracts/errors.ts";
import type { Source, SourceItem, SourceRefusal } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../text/abort.ts";
import { checkOptions } from "../../text/check-options.ts";
import { checkUrl, isUrl, normalizeUrl, withoutCredentials } from "./normalize-url.ts";
import type { AllowAddress } from "./public-agent.ts";

export { isUrl, normalizeUrl };

/** What may be fetched, how much of it, and how long it may take. */
export interface UrlSourceOptions {
  /** Largest page, in bytes after decompression. Default 10 MiB. */
  readonly maxBytes?: number;
  /** For everything: connecting, redirects, the whole body. Default 30,000. */
  readonly timeoutMs?: number;
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Permits addresses that are not public, by IP: for an intranet, or a test's own server. Default: none. */
  readonly allowAddress?: AllowAddress;
  /** Default `ibid/<version>`. */
  readonly userAgent?: string;
}

/**
 * Pages and files on the public web as a source, one request at a time.
 *
 * Only http and https, never to an address that is not public (checked by IP, at every redirect), never from https to http.
 *
 * **Shape** uris are the addresses as given, normalised; a redirect does not change them. `mediaType` is the `content-type` header as it came,
 * with its parameters. **Errors** as refusals: `invalid-argument` for an address that cannot be fetched, `blocked-address`, `fetch-failed` with
 * `details.status`, `too-large`, `timeout`. While iterating: `aborted`. **Cost** memory for one page.
 */
export function openUrlSource(urls: readonly string[], options: UrlSourceOptions = {}): Source {
  checkOptions("openUrlSource", options, ["maxBytes", "timeoutMs", "maxRedirects", "allowAddress", "userAgent"]);
  const limits: Limits = {
    maxBytes: atLeast("maxBytes", options.maxBytes ?? 10 * 1024 * 1024, 1),
    timeoutMs: atLeast("timeoutMs", options.timeoutMs ?? 30_000, 1),
    maxRedirects: atLeast("maxRedirects", options.maxRedirects ?? 5, 0),
    userAgent: options.userAgent ?? defaultUserAgent(),
  };

  return {
    folders: [],
    async *items(signal) {
      // Loaded when there is something to fetch: whoever only reads files need not wait for it.
      const [{ fetch }, { createPublicAgent }] = await Promise.all([import("undici"), import("./public-agent.ts")]);
      const agent = createPublicAgent({ allowAddress: options.allowAddress, timeoutMs: limits.timeoutMs });
      const seen = new Set<string>();
      try {
        for (const address of urls) {
          const item = await fetchItem(address, { fetch, agent, limits }, signal);
          if (seen.has(item.uri)) continue;
          seen.add(item.uri);
          yield item;
        }
      } finally {
        await agent.destroy();
      }
    },
  };
}

interface Limits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  readonly userAgent: string;
}

interface Client {
  readonly fetch: typeof fetch;
  readonly agent: Dispatcher;
  readonly limits: Limits;
}

async function fetchItem(
  address: string,
  client: Client,
  signal: AbortSignal | undefined,
): Promise<SourceItem | SourceRefusal> {
  throwIfAborted(signal, "Fetching");
  const { limits } = client;
  let uri = withoutCredentials(address);
  const clock = AbortSignal.timeout(limits.timeoutMs);
  try {
    const url = checkUrl(address);
    uri = url.href;
    const response = await request(url, client, signal === undefined ? clock : AbortSignal.any([signal, clock]));
    const bytes = await readBody(response, uri, limits.maxBytes);
    const mediaType = response.headers.get("content-type");
    return {
      uri,
      size: bytes.byteLength,
      ...(mediaType === null ? {} : { mediaType }),
      bytes: () => Promise.resolve(bytes),
    };
  } catch (error) {
    throwIfAborted(signal, "Fetching");
    if (clock.aborted) {
      const mend = "Try again later, or save the page to a file and ingest that.";
      return {
        uri,
        error: new IbidError("timeout", `${uri} did not answer within ${limits.timeoutMs / 1000} s.`, { uri, mend }),
      };
    }
    return { uri, error: toFetchError(error, uri) };
  }
}

/** Follows redirects by hand, because each target must be checked like the first address. */
async function request(first: URL, { fetch, agent, limits }: Client, signal: AbortSignal): Promise<Response> {
  const uri = first.href;
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, {
      dispatcher: agent,
      redirect: "manual",
      signal,
      headers: {
        "user-agent": limits.userAgent,
        accept: "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain;q=0.9,*/*;q=0.5",
      },
    });
    const location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
      if (response.ok) return response;
      await discard(response);
      throw badStatus(uri, response.status);
    }
    await discard(response);
    if (redirects >= limits.maxRedirects) {
      throw new IbidError("fetch-failed", `${uri} redirects more than ${limits.maxRedirects} times.`, {
        uri,
        mend: "Use the address that it ends at.",
      });
    }
    const next = checkUrl(location, url);
    if (url.protocol === "https:" && next.protocol === "http:") {
      throw new IbidError("fetch-failed", `${uri} redirects from https to http.`, {
        uri,
        mend: "Use an address that stays with https.",
      });
    }
    url = next;
  }
}

/** Reads what the server sends, decompressed, and stops at the limit: a small download may unpack to any size. */
async function readBody(response: Response, uri: string, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length"));
  if (declared > maxBytes) {
    await discard(response);
    throw tooLarge(uri, maxBytes);
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  if (response.body !== null) {
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      length += part.byteLength;
      // Leaving the loop closes the connection.
      if (length > maxBytes) throw tooLarge(uri, maxBytes);
      parts.push(part);
    }
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function tooLarge(uri: string, maxBytes: number): IbidError {
  return new IbidError("too-large", `${uri} is larger than the limit of ${maxBytes.toLocaleString("en")} bytes.`, {
    uri,
    mend: "Save it to a file and ingest that, or raise the limit.",
    details: { limit: maxBytes },
  });
}

function badStatus(uri: string, status: number): IbidError {
  const mend =
    status === 401 || status === 403
      ? "The page is not open to everybody: save it to a file and ingest that."
      : status === 404 || status === 410
        ? "Check the address."
        : status === 429 || status >= 500
          ? "Try again later."
          : "Check the address in a browser.";
  return new IbidError("fetch-failed", `${uri} answered with status ${status}.`, { uri, mend, details: { status } });
}

/** Errors of the network come wrapped; the innermost says what happened. */
function toFetchError(error: unknown, uri: string): IbidError {
  let what = String(error);
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    what = cause.message || what;
    if (IbidError.isInstance(cause)) {
      if (cause.uri !== undefined) return cause;
      const message = cause.message.includes(uri) ? cause.message : `${uri}: ${cause.message}`;
      return new IbidError(cause.code, message, {
        uri,
        details: cause.details,
        ...(cause.mend === undefined ? {} : { mend: cause.mend }),
      });
    }
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
    const reason = code === undefined ? undefined : reasons[code];
    if (code !== undefined && (reason !== undefined || cause.cause === undefined)) {
      const [happened, mend] = reason ?? [`could not be fetched (${code}).`, "Check the address and the network."];
      return new IbidError("fetch-failed", `${uri} ${happened}`, { uri, mend, details: { code }, cause: error });
    }
  }
  return new IbidError("fetch-failed", `${uri} could not be fetched: ${what}.`, {
    uri,
    mend: "Check the address and the network.",
    cause: error,
  });
}

const reasons: { readonly [code: string]: readonly [what: string, mend: string] } = {
  ENOTFOUND: ["names a host that does not exist.", "Check the spelling of the address."],
  EAI_AGAIN: ["could not be looked up: the name server did not answer.", "Check the network and try again."],
  ECONNREFUSED: ["could not be reached: the host refused the connection.", "Check the address and its port."],
  ECONNRESET: ["could not be read: the host closed the connection.", "Try again later."],
  UND_ERR_SOCKET: ["could not be read: the host closed the connection.", "Try again later."],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["could not be read: the host closed the connection.", "Try again later."],
  UND_ERR_CONNECT_TIMEOUT: ["could not be reached: the host did not answer.", "Check the address and the network."],
  CERT_HAS_EXPIRED: ["has a certificate that has expired.", "Tell whoever runs the site."],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "has a certificate that nobody vouches for.",
    "Save the page to a file and ingest that.",
  ],
};

function atLeast(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new IbidError("invalid-argument", `${name} is ${String(value)}; it must be a whole number, ${least} or more.`, {
    mend: "Leave it out for the default.",
  });
}

function defaultUserAgent(): string {
  // By the package's own name: what is built does not lie as deep as its source.
  const { version } = createRequire(import.meta.url)("ibid/package.json") as { version: string };
  return `ibid/${version}`;
}
