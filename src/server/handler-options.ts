import type { McpServerOptions } from "../integrations/mcp/mcp-server-options.ts";
import type { AccessContext } from "../contracts/scope.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../runtime/check-options.ts";
import type { Failure } from "./describe-failure.ts";
import { given } from "./given.ts";
import type { AccessKey } from "./keys.ts";

/** Who asks, as somebody else has found out. */
export interface KnownCaller {
  /** What the log calls them, and what their requests are counted by. */
  readonly name: string;
  readonly access: AccessContext | "operator";
  /** Whether they upload and delete, in the scopes that the gate lets them write. Default false. */
  readonly write?: boolean;
}

/** How much is done for whom. All have defaults. */
export interface ServiceLimits {
  /** Of questions and texts. **Units** bytes. Default 1 MiB. */
  readonly maxJsonBytes?: number;
  /** **Units** bytes. Default 32 MiB. */
  readonly maxUploadBytes?: number;
  /** Of one key, or of one address where there are none. All of a minute's can come at once. Default 1,200. */
  readonly requestsPerMinute?: number;
  /** Worked on at once. Default 16. */
  readonly concurrent?: number;
  /** Waiting for that; beyond it 503. Default 256. */
  readonly waiting?: number;
  /** Until a body is there. Default 30,000. */
  readonly bodyTimeoutMs?: number;
  /** Until a request is done, waiting included. Default 60,000. */
  readonly timeoutMs?: number;
  /** The same of an answer, which a model writes. Default 180,000. */
  readonly answerTimeoutMs?: number;
}

/** One request, as it is logged: everything but what was asked (law 10). */
export interface RequestLogEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly id: string;
  readonly method: string;
  /** One of the service's own; `null` for any other, which could say anything. */
  readonly path: string | null;
  readonly status: number;
  readonly ms: number;
  /** Who asked, where that is known. */
  readonly caller?: string;
  readonly address?: string;
  /** Why it was turned away. */
  readonly refused?: string;
  /** What went wrong in here. */
  readonly failure?: Failure;
}

/** How a service goes about it; everything has a default. */
export interface HandlerOptions {
  /** Whoever asks needs one of these, as `Authorization: Bearer …`. Without keys only this machine is answered. */
  readonly keys?: readonly AccessKey[];
  /** Instead of keys: tells who asks, `undefined` for nobody. */
  readonly authenticate?: (request: Request) => KnownCaller | undefined | Promise<KnownCaller | undefined>;
  /** Where there are neither: as whom this machine asks. Default: the operator, who only reads. */
  readonly local?: Omit<KnownCaller, "name">;
  /** Names that the service answers to (`Host`). Default: this machine's own; any, where there are keys. */
  readonly hosts?: readonly string[];
  /** Of pages elsewhere that may ask from a browser, such as `https://app.example`. Default: none. */
  readonly origins?: readonly string[];
  readonly limits?: ServiceLimits;
  /** Whether there is a page at `/`. Default true. */
  readonly page?: boolean;
  /** Whether agents are served at `/mcp`, and how. Default true. */
  readonly mcp?: boolean | McpServerOptions;
  /** `"mcp"`: nothing but that. Default: everything. */
  readonly only?: "mcp";
  /** Told of every request when it is over. What it throws is lost. */
  readonly log?: (entry: RequestLogEntry) => void;
}

const known = [
  "keys",
  "authenticate",
  "local",
  "hosts",
  "origins",
  "limits",
  "page",
  "mcp",
  "only",
  "log",
] as const satisfies readonly (keyof HandlerOptions)[];

const defaultLimits: Required<ServiceLimits> = {
  maxJsonBytes: 2 ** 20,
  maxUploadBytes: 32 * 2 ** 20,
  requestsPerMinute: 1200,
  concurrent: 16,
  waiting: 256,
  bodyTimeoutMs: 30_000,
  timeoutMs: 60_000,
  answerTimeoutMs: 180_000,
};

/** **Errors** `invalid-argument` for options that nobody knows, contradict one another, or are out of bounds. */
export function checkHandlerOptions(options: HandlerOptions): Required<ServiceLimits> {
  checkOptions("createHandler", options, known);
  const { keys, authenticate, local, hosts, origins = [], limits = {}, mcp, only } = options;
  checkOptions("limits", limits, Object.keys(defaultLimits));
  checkOptions("local", local, ["access", "write"]);
  if (only !== undefined && (only !== "mcp" || mcp === false))
    throw wrong(`only is "${only as string}"`, 'Say "mcp", and leave mcp as it is.');
  const ways = [keys, authenticate, local].filter((way) => way !== undefined);
  if (ways.length > 1) throw wrong("keys, authenticate and local are three ways to say who asks", "Choose one.");
  if (hosts?.some((name) => !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/iu.test(name)))
    throw wrong("a name in hosts is none", 'Write names without port, such as "search.example".');
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin && origin !== "null") continue;
    throw wrong("an origin is none", 'Write them as browsers send them, such as "https://app.example".');
  }
  for (const [name, value] of Object.entries(limits)) {
    const least = name === "waiting" ? 0 : 1;
    if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= 2 ** 31 - 1)) continue;
    throw wrong(`limits.${name} is ${String(value)}`, `Give a whole number, ${least} or more.`);
  }
  return { ...defaultLimits, ...given(limits) };
}

function wrong(what: string, hint: string): IbidError {
  return new IbidError("invalid-argument", `createHandler: ${what}.`, { hint });
}
