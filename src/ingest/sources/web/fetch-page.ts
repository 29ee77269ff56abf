import { version } from "../../../runtime/version.ts";
import type { Dispatcher, fetch, Response } from "undici";
import { IbidError } from "../../../contracts/errors.ts";
import type { Validators } from "../../../contracts/reader.ts";
import { anySignal, throwIfAborted } from "../../../runtime/abort.ts";
import { badStatus, toFetchError, tooLarge } from "./fetch-errors.ts";
import { checkUrl } from "./normalize-url.ts";
import type { AllowAddress } from "./public-agent.ts";
import { readStream } from "../../../runtime/read-stream.ts";

/**
 * Limits for a request: addresses, size and time.
 *
 * @experimental
 */
export interface UrlSourceOptions {
  /** Largest page, in bytes after decompression. Default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** For everything: connecting, redirects, the whole body. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Default 5. */
  readonly maxRedirects?: number | undefined;
  /** Permits addresses that are not public, by IP: for an intranet, or a test's own server. Default: none. */
  readonly allowAddress?: AllowAddress | undefined;
  /** Default `ibid/<version>`. */
  readonly userAgent?: string | undefined;
}

/** Names of {@link UrlSourceOptions}, for `checkOptions`. */
export const urlOptionNames = {
  maxBytes: true,
  timeoutMs: true,
  maxRedirects: true,
  allowAddress: true,
  userAgent: true,
} as const;

/** A page as its server sent it. */
export interface Page {
  readonly bytes: Uint8Array;
  /** The `content-type` header as it came, with its parameters. */
  readonly mediaType?: string;
  readonly validators?: Validators;
  /** ISO 8601, when the server says when the page was last changed. */
  readonly modifiedAt?: string;
}

/** Fetches pages, one at a time, until it is closed. */
export interface PageClient {
  /**
   * **Shape** with `validators`, `unchanged` when the server says that it has nothing newer. **Errors** `fetch-failed` with `details.status`,
   * `blocked-address`, `too-large`, `timeout`, `aborted`, `invalid-argument` for a redirect to what cannot be fetched.
   */
  fetch(
    url: URL,
    request: { readonly validators?: Validators | undefined; readonly accept?: string; readonly maxBytes?: number },
    signal: AbortSignal | undefined,
  ): Promise<Page | { readonly unchanged: true; readonly validators?: Validators }>;
  close(): Promise<void>;
}

/** **Errors** `invalid-argument` for an option that is out of range. */
export function readUrlLimits(options: UrlSourceOptions): Limits {
  return {
    maxBytes: atLeast("maxBytes", options.maxBytes ?? 10 * 1024 * 1024, 1),
    timeoutMs: atLeast("timeoutMs", options.timeoutMs ?? 30_000, 1),
    maxRedirects: atLeast("maxRedirects", options.maxRedirects ?? 5, 0),
    userAgent: options.userAgent ?? defaultUserAgent(),
    allowAddress: options.allowAddress,
  };
}

/** Options with their defaults filled in. */
export interface Limits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  readonly userAgent: string;
  readonly allowAddress: AllowAddress | undefined;
}

interface Client {
  readonly fetch: typeof fetch;
  readonly agent: Dispatcher;
  readonly limits: Limits;
}

/** Opens a client. Undici is loaded here, so that reading files does not wait for it. */
export async function openPageClient(limits: Limits): Promise<PageClient> {
  const [{ fetch }, { createPublicAgent }] = await Promise.all([import("undici"), import("./public-agent.ts")]);
  const agent = createPublicAgent({ allowAddress: limits.allowAddress, timeoutMs: limits.timeoutMs });
  const client: Client = { fetch, agent, limits };
  return {
    fetch: (url, wanted, signal) => fetchPage(client, url, wanted, signal),
    close: () => agent.destroy(),
  };
}

const defaultAccept = "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain;q=0.9,*/*;q=0.5";

async function fetchPage(
  client: Client,
  url: URL,
  wanted: Parameters<PageClient["fetch"]>[1],
  signal: AbortSignal | undefined,
): ReturnType<PageClient["fetch"]> {
  const { timeoutMs, maxBytes } = client.limits;
  const uri = url.href;
  throwIfAborted(signal, "Fetching");
  const clock = AbortSignal.timeout(timeoutMs);
  try {
    const headers = {
      "user-agent": client.limits.userAgent,
      accept: wanted.accept ?? defaultAccept,
      ...toConditions(wanted.validators),
    };
    const response = await request(client, url, headers, signal === undefined ? clock : anySignal([signal, clock]));
    const validators = readValidators(response);
    if (response.status === 304) {
      await discard(response);
      return { unchanged: true, ...(validators && { validators }) };
    }
    const bytes = await readBody(response, uri, wanted.maxBytes ?? maxBytes);
    const mediaType = response.headers.get("content-type");
    const modified = Date.parse(validators?.lastModified ?? "");
    return {
      bytes,
      ...(mediaType === null ? {} : { mediaType }),
      ...(validators && { validators }),
      ...(Number.isNaN(modified) ? {} : { modifiedAt: new Date(modified).toISOString() }),
    };
  } catch (error) {
    throwIfAborted(signal, "Fetching");
    if (!clock.aborted) throw toFetchError(error, uri);
    throw new IbidError("timeout", `${uri} did not answer within ${timeoutMs / 1000} s.`, {
      uri,
      hint: "Try again later, or save the page to a file and ingest that.",
    });
  }
}

/** **Source** RFC 9110, 13.1: a server that knows both goes by the entity tag. */
function toConditions(validators: Validators | undefined): Record<string, string> {
  return {
    ...(validators?.etag === undefined ? {} : { "if-none-match": validators.etag }),
    ...(validators?.lastModified === undefined ? {} : { "if-modified-since": validators.lastModified }),
  };
}

/** Longer than any that is meant: what a server says is sent back to it, and kept. */
const maxValidatorLength = 1024;

function readValidators(response: Response): Validators | undefined {
  const read = (name: string): string | undefined => {
    const value = response.headers.get(name);
    return value === null || value === "" || value.length > maxValidatorLength ? undefined : value;
  };
  const etag = read("etag");
  const lastModified = read("last-modified");
  if (etag === undefined && lastModified === undefined) return undefined;
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) };
}

/** Follows redirects by hand, because each target must be checked like the first address. */
async function request(
  { fetch, agent, limits }: Client,
  first: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const uri = first.href;
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { dispatcher: agent, redirect: "manual", signal, headers });
    const location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
      const isAnswer =
        response.ok || (response.status === 304 && ("if-none-match" in headers || "if-modified-since" in headers));
      if (isAnswer) return response;
      await discard(response);
      throw badStatus(uri, response.status);
    }
    await discard(response);
    if (redirects >= limits.maxRedirects) {
      throw new IbidError("fetch-failed", `${uri} redirects more than ${limits.maxRedirects} times.`, {
        uri,
        hint: "Use the address that it ends at.",
      });
    }
    const next = checkUrl(location, url);
    if (url.protocol === "https:" && next.protocol === "http:") {
      throw new IbidError("fetch-failed", `${uri} redirects from https to http.`, {
        uri,
        hint: "Use an address that stays with https.",
      });
    }
    url = next;
  }
}

/**
 * Reads what the server sends, decompressed, and stops at the limit: a small download may unpack to any size.
 *
 * @internal
 */
export async function readBody(response: Response, uri: string, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length"));
  if (declared > maxBytes) {
    await discard(response);
    throw tooLarge(uri, maxBytes);
  }
  return readStream(response.body, { maxBytes, tooLarge: () => tooLarge(uri, maxBytes) });
}

/** @internal */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new IbidError("invalid-argument", `${name} is ${String(value)}; it must be a whole number, ${least} or more.`, {
    hint: "Leave it out for the default.",
  });
}

export function defaultUserAgent(): string {
  return `ibid/${version}`;
}
