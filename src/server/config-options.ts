import { nodeOptions, type OpenOptions } from "../knowledge-base/open/open-knowledge-base.ts";
import type { ApiMeter } from "../integrations/opentelemetry/load-api.ts";
import { type OptionRule, type OptionTable, type RulesOf, inCode, objectWith } from "../runtime/plan-options.ts";
import type { McpServerOptions } from "../integrations/mcp/mcp-server-options.ts";
import { boundsOf, defaultLimits, defaultPort, type HandlerOptions, type ServiceLimits } from "./handler-options.ts";
import type { TrustedHeaders } from "./identity.ts";
import type { LoginOptions, TokenOptions } from "./oidc.ts";
import type { ServiceLogger } from "./start-service.ts";

/**
 * Settings of the service that `ibid serve` starts.
 *
 * @experimental
 */
export interface ServeSettings {
  /** Default 9090; 0 for any free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Path of the file with the keys, from the folder of the configuration. Default: none, so only this machine gets answers. */
  readonly keys?: string | undefined;
  /** Without keys: whether this machine may also upload and delete. Default false. */
  readonly write?: boolean | undefined;
  /** Further host names that the service answers to. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins whose pages may send requests from a browser. */
  readonly origins?: readonly string[] | undefined;
  /** Whether `/` shows a page. Default true. */
  readonly page?: boolean | undefined;
  readonly limits?: ServiceLimits | undefined;
  /** Signed tokens of an OpenID provider that name callers, beside keys. */
  readonly tokens?: TokenOptions | undefined;
  /** Login of an OpenID provider for the page. */
  readonly login?: LoginOptions | undefined;
  /** Headers of a proxy that has identified the caller. */
  readonly trustedHeaders?: TrustedHeaders | undefined;
  /** Processes that search beside each other. Default 0: this process searches. */
  readonly workers?: number | undefined;
  /** Path under which a proxy shows the service, such as `/kb`. */
  readonly basePath?: string | undefined;
  /** Networks of the proxies whose `X-Forwarded-For` names the client, such as `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Networks that webhooks of jobs may go to although they are not public, such as `10.0.0.0/8`. */
  readonly webhookNetworks?: readonly string[] | undefined;
  /** Whether `/metrics` tells operators the figures of the service. Default true. */
  readonly metrics?: boolean | undefined;
  /** Port of a second listener that serves `/metrics` alone, without a key. */
  readonly metricsPort?: number | undefined;
  /** Meter of OpenTelemetry that gets the same figures. */
  readonly meter?: ApiMeter | undefined;
  /** Gets each request in place of standard error: a logger such as pino's. */
  readonly logger?: ServiceLogger | undefined;
  /** Whether the files of uploads are kept beside their text. Default true. */
  readonly originals?: boolean | undefined;
  /** Days that a thread is kept after its last question; 0 keeps no questions and answers. **Units** days. Default 30. */
  readonly threadDays?: number | undefined;
  /** Options of entities by their name: types, and properties that filters can name. */
  readonly entities?: HandlerOptions["entities"];
}

/**
 * Settings of `ibid mcp`, and of `/mcp` of `ibid serve`.
 *
 * @experimental
 */
export type McpSettings = Pick<
  McpServerOptions,
  | "serverName"
  | "instructions"
  | "about"
  | "topK"
  | "pageAddress"
  | "collections"
  | "changes"
  | "maxResourceLength"
  | "more"
>;

/**
 * The default export of `ibid.config.ts` or `ibid.config.js`, and the content of `ibid.config.json`: options of `openKnowledgeBase`, the folder, the service.
 *
 * @experimental
 */
export interface Config extends Omit<OpenOptions, "create"> {
  /** Folder of the knowledge base, from the folder of the configuration. Default `.ibid`. */
  readonly kb?: string | undefined;
  /** The service that `ibid serve` starts. */
  readonly serve?: ServeSettings | undefined;
  /** The server for agents. */
  readonly mcp?: McpSettings | undefined;
}

const limitDocs: Readonly<Record<keyof ServiceLimits, string>> = {
  maxJsonBytes: "Size of a JSON body, in bytes.",
  maxUploadBytes: "Size of an uploaded file, in bytes.",
  maxBufferedBytes: "Bytes of all bodies that are in memory at once.",
  maxChecks: "Sentences, citations and quotations of one answer that are verified together.",
  requestsPerMinute: "Requests a minute of one key, or of one address without keys.",
  requestsPerDay: "Requests of one caller in a day of UTC; 0 for no limit.",
  bytesPerDay: "Bytes of the bodies of one caller in a day of UTC; 0 for no limit.",
  tokensPerDay: "Tokens that models use for the answers and verdicts of one caller in a day of UTC; 0 for no limit.",
  concurrent: "Requests that run at once.",
  perCaller: "Slots that one caller may hold beside no other.",
  waiting: "Requests that wait for a slot.",
  bodyTimeoutMs: "Time for a body to arrive, in milliseconds.",
  timeoutMs: "Time for a request, waiting included, in milliseconds.",
  answerTimeoutMs: "Time for an answer, which a model may write, in milliseconds.",
  strangersPerMinute: "Requests without a valid key that one address may send each minute.",
  connections: "Connections that may be open at once.",
  headersTimeoutMs: "Time for the headers of a request to arrive, in milliseconds.",
  resumeMs:
    "How long the stream of an answer waits for a client that left, and is kept after its end, in milliseconds.",
  repeatMs: "How long an answer under an `Idempotency-Key` is kept after its end, in milliseconds; 0 keeps none.",
  streamBytes: "Bytes of events that are kept for clients that come back.",
  jobs: "Jobs of all callers that are not over.",
  jobBytes: "Bytes of files that arrive, wait or failed.",
  jobsAtOnce: "Jobs that are done at once.",
  jobHours: "How long a job is kept after its end, and an upload that does not go on, in hours.",
};

const limitOtherwise: Partial<Readonly<Record<keyof ServiceLimits, string>>> = {
  maxBufferedBytes: "8 times `maxUploadBytes`",
  perCaller: "half of `concurrent`; without keys all",
};

/** Rules of {@link ServiceLimits}, with the defaults of the handler. */
const limitRules: OptionTable = Object.fromEntries(
  (Object.keys(limitDocs) as (keyof ServiceLimits)[]).map((name): [string, OptionRule] => {
    const otherwise = limitOtherwise[name];
    return [
      name,
      {
        doc: limitDocs[name],
        kind: { type: "integer", ...boundsOf(name) },
        ...(otherwise === undefined ? { default: defaultLimits[name] } : { otherwise }),
        for: inCode,
      },
    ];
  }),
);

const serveRules = {
  port: {
    doc: "Port to listen on; 0 for any free one.",
    kind: { type: "integer", min: 0, max: 65_535 },
    default: defaultPort,
    for: inCode,
  },
  host: { doc: "Address to listen on; others than this machine need keys.", kind: { type: "string" }, for: inCode },
  keys: { doc: "File with the keys and their callers.", kind: { type: "string" }, for: inCode },
  write: {
    doc: "Without keys: whether this machine may also upload and delete.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
  },
  hosts: {
    doc: "Further host names that the service answers to.",
    kind: { type: "list", of: { type: "string" } },
    for: inCode,
  },
  origins: {
    doc: "Origins whose pages may send requests from a browser.",
    kind: { type: "list", of: { type: "string" } },
    for: inCode,
  },
  page: { doc: "Whether `/` shows a page.", kind: { type: "boolean" }, default: true, for: inCode },
  tokens: {
    doc: "Signed tokens that name callers: `issuer`, `audience`, `claims`.",
    kind: { type: "object" },
    for: inCode,
  },
  login: {
    doc: "Login for the page: `issuer`, `clientId`, `clientSecret`, `publicUrl`, `sessionSecret`, `sessionMinutes`, `scope`, `claims`.",
    kind: { type: "object" },
    for: inCode,
  },
  trustedHeaders: {
    doc: "Headers of a proxy that has identified the caller: `networks`, `user`, `teams`, `writers`, `operators`.",
    kind: { type: "object" },
    for: inCode,
  },
  workers: {
    doc: "Processes that search beside each other; 0: the process of the service searches.",
    kind: { type: "integer", min: 0, max: 256 },
    default: 0,
    for: inCode,
  },
  basePath: {
    doc: "Path under which a proxy shows the service, such as `/kb`.",
    kind: { type: "string" },
    for: inCode,
  },
  trustedProxies: {
    doc: "Networks of the proxies whose `X-Forwarded-For` names the client, such as `10.0.0.0/8`.",
    kind: { type: "list", of: { type: "string" } },
    for: inCode,
  },
  webhookNetworks: {
    doc: "Networks that webhooks of jobs may go to although they are not public, such as `10.0.0.0/8`.",
    kind: { type: "list", of: { type: "string" } },
    for: inCode,
  },
  metrics: {
    doc: "Whether `/metrics` tells operators the figures of the service.",
    kind: { type: "boolean" },
    default: true,
    for: inCode,
  },
  metricsPort: {
    doc: "Port of a second listener that serves `/metrics` alone, without a key.",
    kind: { type: "integer", min: 0, max: 65_535 },
    for: inCode,
  },
  meter: {
    doc: "Meter of OpenTelemetry that gets the same figures.",
    kind: objectWith("a meter of @opentelemetry/api", "createHistogram", "createCounter", "createGauge"),
    for: inCode,
  },
  logger: {
    doc: "Gets each request in place of standard error: a logger such as pino's.",
    kind: objectWith("a logger with info, warn and error", "info", "warn", "error"),
    for: inCode,
  },
  originals: {
    doc: "Whether the files of uploads are kept beside their text.",
    kind: { type: "boolean" },
    default: true,
    for: inCode,
  },
  threadDays: {
    doc: "Days that a thread is kept after its last question; 0 keeps no questions and answers.",
    kind: { type: "number", min: 0 },
    default: 30,
    for: inCode,
  },
  entities: {
    doc: "Options of entities by their name: types, and properties that filters can name.",
    kind: { type: "object" },
    for: inCode,
  },
  limits: { doc: "Limits of the service.", kind: { type: "group", options: limitRules }, for: inCode },
} as const satisfies RulesOf<ServeSettings>;

const mcpRules = {
  serverName: {
    doc: "Name of the server, as clients list it.",
    kind: { type: "string" },
    default: "ibid",
    for: inCode,
  },
  instructions: {
    doc: "Guidance for the model, once for the whole server.",
    kind: { type: "string" },
    otherwise: "search first, open what was found",
    for: inCode,
  },
  about: {
    doc: "Content of the knowledge base, for the descriptions of the tools, such as the handbook of ACME.",
    kind: { type: "string" },
    otherwise: "the user's documents",
    for: inCode,
  },
  topK: {
    doc: "Results of a search when the model gives no number.",
    kind: { type: "integer", min: 1 },
    default: 5,
    for: inCode,
  },
  pageAddress: {
    doc: "Address of a service's page, where the `url` of a result opens its place.",
    kind: { type: "string" },
    otherwise: "the service's own; on standard input and output none",
    for: inCode,
  },
  collections: {
    doc: "Whether there are tools for collections of records.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
  },
  changes: {
    doc: "Whether there are tools that delete and restore documents, for callers who may write.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
    beyond: {
      expects: "an object with confirm, true or false",
      check: (value) =>
        typeof value === "object" &&
        value !== null &&
        Object.entries(value).every(([key, each]) => key === "confirm" && typeof each === "boolean"),
    },
  },
  maxResourceLength: {
    doc: "Characters of a resource.",
    kind: { type: "integer", min: 1 },
    default: 1_000_000,
    for: inCode,
  },
  more: {
    doc: "Further tools of your own.",
    kind: { type: "list", of: objectWith("a tool with execute", "execute") },
    for: inCode,
  },
} as const satisfies OptionTable;

const { create: _create, ...openRules } = nodeOptions;

/** The one schema of configuration files, of `IBID_*` variables and of their manual. */
export const configOptions: OptionTable = {
  kb: { doc: "Folder of the knowledge base.", kind: { type: "string" }, default: ".ibid", for: inCode },
  serve: { doc: "The service that `ibid serve` starts.", kind: { type: "group", options: serveRules }, for: inCode },
  mcp: {
    doc: "The server for agents: `ibid mcp`, and `/mcp` of `ibid serve`.",
    kind: { type: "group", options: mcpRules },
    for: inCode,
  },
  ...openRules,
};
