import type { EntitiesOptions } from "../knowledge-base/entities/open-entities.ts";
import type { McpServerOptions } from "../integrations/mcp/mcp-server-options.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { SendRequest } from "../contracts/http.ts";
import type { BlobStore } from "../contracts/blob-store.ts";
import type { AccessContext } from "../contracts/scope.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../runtime/check-options.ts";
import type { Failure } from "./describe-failure.ts";
import { given } from "./given.ts";
import type { Readiness } from "./probe-routes.ts";
import type { Route } from "./route.ts";

/**
 * Facts about the connection of a request that the `Request` itself lacks.
 *
 * @experimental
 */
export interface ConnectionFacts {
  /** The IP address of the client, from the socket or from a trusted proxy. Without it, no client counts as this machine. */
  readonly remoteAddress?: string | undefined;
  /** The IP address at the other end of the socket: of the proxy, where there is one. */
  readonly peerAddress?: string | undefined;
  /** Path under which a proxy shows the service, such as `/kb`. The request's own address lacks it. */
  readonly basePath?: string | undefined;
  /** Protocol between the client and a trusted proxy. Default: that of the request. */
  readonly protocol?: "http" | "https" | undefined;
}

/**
 * A key and its bearer: the operator, or a user with teams. With neither, the key reads what all callers may read.
 *
 * @experimental
 */
export interface AccessKey extends AccessContext {
  /** Name of the bearer in the log. */
  readonly name: string;
  /** The key itself. Give either this or `sha256`. */
  readonly key?: string;
  /** The hash of the key's UTF-8 bytes, in hexadecimal. It keeps the key itself out of the file. */
  readonly sha256?: string;
  /** Whether the bearer reads every scope, and health. Default false. */
  readonly operator?: boolean;
  /** Whether the bearer may upload and delete, in the scopes that it may write. Default false. */
  readonly write?: boolean;
  /** Default: `limits.requestsPerMinute`. */
  readonly requestsPerMinute?: number;
  /** Default: `limits.requestsPerDay`. */
  readonly requestsPerDay?: number;
  /** Default: `limits.bytesPerDay`. */
  readonly bytesPerDay?: number;
  /** Default: `limits.tokensPerDay`. */
  readonly tokensPerDay?: number;
  /** The key opens nothing from this time on: ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/**
 * A caller that the application has identified.
 *
 * @experimental
 */
export interface KnownCaller {
  /** Name of the caller in the log; requests are counted by it. */
  readonly name: string;
  readonly access: AccessContext | "operator";
  /** Whether the caller may upload and delete, in the scopes that it may write. Default false. */
  readonly write?: boolean;
}

/**
 * Limits of a service. All have defaults.
 *
 * @experimental
 */
export interface ServiceLimits {
  /** Size of a JSON body. **Units** bytes. Default 1 MiB. */
  readonly maxJsonBytes?: number;
  /** Size of an uploaded file. **Units** bytes. Default 32 MiB. */
  readonly maxUploadBytes?: number;
  /**
   * Sentences, citations and quotations of one answer that `POST /verify` and the tool `verify` look up; each may cost a search. An answer with more gets 413 before anything is
   * looked up. Default 500.
   */
  readonly maxChecks?: number;
  /** Requests a minute of one key, or of one address without keys. They may come at once. Default 1,200. */
  readonly requestsPerMinute?: number;
  /** Requests of one caller in a day of UTC; 0 for no limit. Counts are in memory: a restart begins the day anew. Default 0. */
  readonly requestsPerDay?: number;
  /** Bytes of the bodies of one caller in a day of UTC; 0 for no limit. **Units** bytes. Default 0. */
  readonly bytesPerDay?: number;
  /**
   * Tokens that models use for the answers and verdicts of one caller in a day of UTC; 0 for no limit. A caller who has used them still searches. An answer that breaks off
   * counts a token for four characters. Default 0.
   */
  readonly tokensPerDay?: number;
  /** Bytes of all bodies that are in memory at once; further ones get 503. Default 8 times `maxUploadBytes`. */
  readonly maxBufferedBytes?: number;
  /** Requests that run at once. The list, a document's text, its outline, the counts and the page have as many slots again. Default 16. */
  readonly concurrent?: number;
  /**
   * Slots that one caller may hold beside no other; several callers hold the same fraction of what is left, and at least one each. Shares of `waiting` and of `maxBufferedBytes`
   * are in proportion. Default half of `concurrent`; without keys all.
   */
  readonly perCaller?: number;
  /** Requests that wait for a slot; further ones get 503. Default 256. */
  readonly waiting?: number;
  /** Time for a body to arrive. Default 30,000. */
  readonly bodyTimeoutMs?: number;
  /** Time for a request, waiting included. Default 60,000. */
  readonly timeoutMs?: number;
  /** Time for an answer, which a model may write. Default 180,000. */
  readonly answerTimeoutMs?: number;
  /** Requests without a valid key that one address may send each minute; further ones get 429 instead of 401. Default 60. */
  readonly strangersPerMinute?: number;
  /** Connections that may be open at once; further ones are closed. Default 4,096. */
  readonly connections?: number;
  /** Time for the headers of a request to arrive. Default 15,000. */
  readonly headersTimeoutMs?: number;
  /** How long the stream of an answer waits for a client that left, and is kept after its end. 0 ends the run when the client leaves. Default 30,000. */
  readonly resumeMs?: number;
  /** How long an answer under an `Idempotency-Key` is kept after its end; 0 keeps none. Default 600,000. */
  readonly repeatMs?: number;
  /** Bytes of events that are kept for clients that come back. **Units** bytes. Default 16 MiB. */
  readonly streamBytes?: number;
  /** Jobs of all callers that are not over; further ones get 503. Default 5,000. */
  readonly jobs?: number;
  /** Bytes of files that arrive, wait or failed; further ones get 503. **Units** bytes. Default 1 GiB; without `files` at most `maxBufferedBytes`. */
  readonly jobBytes?: number;
  /** Jobs that are done at once. Default 2. */
  readonly jobsAtOnce?: number;
  /** How long a job is kept after its end, and an upload that does not go on. **Units** hours. Default 168, a week. */
  readonly jobHours?: number;
}

/**
 * One request in the log. It contains no word of the question.
 *
 * @experimental
 */
export interface RequestLogEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly id: string;
  readonly method: string;
  /** Path of a route; `null` for any other path, which could contain anything. */
  readonly path: string | null;
  readonly status: number;
  readonly ms: number;
  /** Name of the caller, if known. */
  readonly caller?: string;
  readonly address?: string;
  /** Code of the refusal. */
  readonly refused?: string;
  /** Cause of an error that the service made. */
  readonly failure?: Failure;
}

/**
 * A login for the page of a service: its routes, and the callers that have signed in.
 *
 * @experimental
 */
export interface Login {
  readonly routes: readonly Route[];
  /** For the option `authenticate` of the service. */
  readonly authenticate: NonNullable<HandlerOptions["authenticate"]>;
  /** Address of the login, from the page. */
  readonly path: string;
  /** Name of the cookie of a session, for the OpenAPI document. */
  readonly cookie?: string;
}

/**
 * Options of a service. All have defaults.
 *
 * @experimental
 */
export interface HandlerOptions {
  /**
   * Keys, one of which each request sends as `Authorization: Bearer …`. Without keys, only this machine gets answers. A function returns the present list, which counts from the
   * next request on; it is read again when the list is another array.
   */
  readonly keys?: readonly AccessKey[] | (() => readonly AccessKey[]) | undefined;
  /**
   * Writes a changed list of keys, which `keys` gives from then on: it hands the present list to `change`. With it, operators who may write add, replace and revoke keys over
   * HTTP, as `ibid serve --keys FILE` lets them. Default: none.
   */
  readonly changeKeys?: ((change: (keys: readonly AccessKey[]) => readonly AccessKey[]) => Promise<void>) | undefined;
  /** Identifies a caller whom no key identifies; `undefined` for an unknown one. `connection` has the address of the client. */
  readonly authenticate?:
    | ((request: Request, connection: ConnectionFacts) => KnownCaller | undefined | Promise<KnownCaller | undefined>)
    | undefined;
  /** The caller that requests of this machine count as, without keys. Default: the operator, read-only. */
  readonly local?: Omit<KnownCaller, "name"> | undefined;
  /** Host names that the service answers to. Default: those of this machine; with keys, any. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins whose pages may send requests from a browser, such as `https://app.example`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: ServiceLimits | undefined;
  /** Whether `/` shows a page. Default true. */
  readonly page?: boolean | undefined;
  /** Reads the bytes of the base's own files by part, such as `database` and `events`: `GET /disk` tells operators, beside those of `files`. Default: none. */
  readonly partSizes?: (() => Promise<Readonly<Record<string, number>>>) | undefined;
  /** Keeps the bytes of uploads, the places of PDF text on its pages, threads and jobs. Default: none; no threads, and jobs in memory. */
  readonly files?: BlobStore | undefined;
  /** Reads the file of a document that lies on this machine; `undefined` for what is not there. It gets absolute paths and addresses. Default: none. */
  readonly readSource?: ((uri: string) => Promise<Uint8Array | undefined>) | undefined;
  /** Whether `files` keeps the bytes of uploads, for `/original`. Default true. */
  readonly keepOriginals?: boolean | undefined;
  /** How long `files` keeps a thread after its last question; 0 for no threads. **Units** days. Default 30. */
  readonly threadDays?: number | undefined;
  /** Reads pages in Markdown that an empty page offers for a first try, as `ibid serve` gives its own documentation; `name` is a path without its ending. Default: none. */
  readonly manual?: (() => Promise<readonly { readonly name: string; readonly text: string }[]>) | undefined;
  /** Sends the messages of webhooks, and knows the addresses that are permitted. `startService` has one for public addresses. Default: none, and webhooks are refused. */
  readonly sendWebhook?: SendRequest | undefined;
  /** Options of entities by their name: types, and properties that filters can name. They are also tools of `/mcp`. Default: none; entities of any name are served without. */
  readonly entities?: Readonly<Record<string, EntitiesOptions>> | undefined;
  /** Whether `/mcp` serves agents, or its options. Default true. */
  readonly mcp?: boolean | McpServerOptions | undefined;
  /**
   * Issuers whose tokens `authenticate` accepts. Clients of `/mcp` find them by the protected-resource metadata, which a 401 of that route names. Default: none, and no metadata.
   */
  readonly authorizationServers?: readonly string[] | undefined;
  /** `"mcp"`: only that route. Default: all routes. */
  readonly only?: "mcp" | undefined;
  /** State that `/readyz` tells. Default: always ready. */
  readonly readiness?: (() => Readiness) | undefined;
  /** Login for the page, whose `authenticate` finds those who have signed in. Default: none. */
  readonly login?: Login | undefined;
  /** Figures of the service, which `/metrics` tells operators. Default: no such route. */
  readonly metrics?: { text(kb: KnowledgeBase): Promise<string> } | undefined;
  /** Gets each request when it is over, but for `/livez` and `/readyz`. Errors that it throws are ignored. */
  readonly log?: ((entry: RequestLogEntry) => void) | undefined;
}

const known = {
  keys: true,
  changeKeys: true,
  authenticate: true,
  local: true,
  hosts: true,
  origins: true,
  limits: true,
  page: true,
  partSizes: true,
  files: true,
  readSource: true,
  keepOriginals: true,
  threadDays: true,
  manual: true,
  sendWebhook: true,
  entities: true,
  mcp: true,
  authorizationServers: true,
  only: true,
  readiness: true,
  login: true,
  metrics: true,
  log: true,
} as const;

/**
 * The port of `ibid serve`. **Source** Ballerina's query example.
 *
 * @experimental
 */
export const defaultPort = 9090;

/** Defaults of {@link ServiceLimits}. */
export const defaultLimits: Required<ServiceLimits> = {
  maxJsonBytes: 2 ** 20,
  maxUploadBytes: 32 * 2 ** 20,
  maxBufferedBytes: 256 * 2 ** 20,
  maxChecks: 500,
  requestsPerMinute: 1200,
  requestsPerDay: 0,
  bytesPerDay: 0,
  tokensPerDay: 0,
  concurrent: 16,
  perCaller: 8,
  waiting: 256,
  bodyTimeoutMs: 30_000,
  timeoutMs: 60_000,
  answerTimeoutMs: 180_000,
  strangersPerMinute: 60,
  connections: 4096,
  headersTimeoutMs: 15_000,
  resumeMs: 30_000,
  repeatMs: 600_000,
  streamBytes: 2 ** 24,
  jobs: 5000,
  jobBytes: 2 ** 30,
  jobsAtOnce: 2,
  jobHours: 168,
};

/** The longest time that a timer can wait. */
const mostOfALimit = 2 ** 31 - 1;

/** Limits that 0 turns off. */
const mayBeZero: ReadonlySet<string> = new Set([
  "waiting",
  "resumeMs",
  "repeatMs",
  "requestsPerDay",
  "bytesPerDay",
  "tokensPerDay",
]);

/** The smallest and the largest value of a limit. */
export function boundsOf(name: string): { readonly min: number; readonly max: number } {
  return { min: mayBeZero.has(name) ? 0 : 1, max: name.endsWith("PerDay") ? Number.MAX_SAFE_INTEGER : mostOfALimit };
}

/** **Errors** `invalid-argument` for options that are unknown, contradictory or out of bounds. */
export function checkHandlerOptions(options: HandlerOptions): Required<ServiceLimits> {
  checkOptions("createHandler", options, known);
  const { keys, authenticate, local, hosts, origins = [], limits = {}, mcp, only } = options;
  checkOptions("limits", limits, defaultLimits);
  checkOptions("local", local, { access: true, write: true });
  if (only !== undefined && (only !== "mcp" || mcp === false))
    throw wrong(
      `only is "${only as string}"; it must be "mcp", with mcp not false`,
      'Write only: "mcp", and leave out mcp.',
    );
  if (local !== undefined && (keys !== undefined || authenticate !== undefined))
    throw wrong("local is given beside keys or authenticate", "Leave out local: it is for a service without keys.");
  const { threadDays = 0 } = options;
  if (!Number.isFinite(threadDays) || threadDays < 0)
    throw wrong(`threadDays is ${String(threadDays)}; it must be 0 or more`, "Give a number of days.");
  if (hosts?.some((name) => !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/iu.test(name)))
    throw wrong("hosts contains an invalid name", 'Write names without port, such as "search.example".');
  for (const issuer of options.authorizationServers ?? []) {
    if (URL.canParse(issuer) && /^https?:$/u.test(new URL(issuer).protocol)) continue;
    throw wrong(
      `the authorization server ${JSON.stringify(issuer)} is invalid`,
      'Write the address of an issuer, such as "https://login.acme.com".',
    );
  }
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin && origin !== "null") continue;
    throw wrong(
      `the origin ${JSON.stringify(origin)} is invalid`,
      'Write origins as browsers send them, such as "https://app.example".',
    );
  }
  for (const [name, value] of Object.entries(limits)) {
    const { min, max } = boundsOf(name);
    if (value === undefined || (Number.isSafeInteger(value) && value >= min && value <= max)) continue;
    throw wrong(`limits.${name} is ${String(value)}; it must be ${min} or more`, "Give a whole number.");
  }
  return completeLimits(given(limits), keys !== undefined || authenticate !== undefined);
}

/** Defaults that follow from other limits, and from whether there are several callers. */
function completeLimits(chosen: ServiceLimits, hasKeys: boolean): Required<ServiceLimits> {
  const limits = { ...defaultLimits, ...chosen };
  const largest = Math.max(limits.maxUploadBytes, limits.maxJsonBytes);
  const perCaller = chosen.perCaller ?? (hasKeys ? Math.ceil(limits.concurrent / 2) : limits.concurrent);
  const maxBufferedBytes = chosen.maxBufferedBytes ?? Math.min(8 * largest, mostOfALimit);
  if (perCaller > limits.concurrent)
    throw wrong(
      `limits.perCaller is ${perCaller}; it must be ${limits.concurrent} or less`,
      "Raise limits.concurrent.",
    );
  if (maxBufferedBytes < largest)
    throw wrong(
      `limits.maxBufferedBytes is ${maxBufferedBytes}; it must be ${largest} or more, the largest body`,
      "Raise it, or lower limits.maxUploadBytes.",
    );
  return { ...limits, perCaller, maxBufferedBytes };
}

function wrong(problem: string, hint: string): IbidError {
  return new IbidError("invalid-argument", `createHandler: ${problem}.`, { hint });
}
