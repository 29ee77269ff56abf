import { checkGiven } from "../runtime/check-options.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { createHandler } from "./create-handler.ts";
import { createDirectExchange, type DirectExchange, directExchange } from "./direct-exchange.ts";
import {
  checkHandlerOptions,
  type ConnectionFacts,
  defaultPort,
  type HandlerOptions,
  type RequestLogEntry,
  type ServiceLimits,
} from "./handler-options.ts";
import { isLoopbackName } from "./loopback.ts";
import type { Readiness } from "./probe-routes.ts";
import { errorJson, Refusal } from "./refusal.ts";
import { jsonResponse } from "./route.ts";
import { createRestReader } from "./read-the-rest.ts";
import { finishFit } from "./finish-fit.ts";
import { checkAgents } from "./service-routes.ts";
import { searchOnce } from "./search-once.ts";
import type { ServiceMetrics } from "./service-metrics.ts";

/**
 * Address, limits and access of a service.
 *
 * @experimental
 */
export interface ServiceOptions extends Omit<HandlerOptions, "metrics" | "sendWebhook"> {
  /** Default 9090; 0 for any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`: only this machine. Other hosts need `keys` or `authenticate`. */
  readonly host?: string | undefined;
  /** Path under which a proxy shows the service, such as `/kb`. Requests outside of it get 404, but for `/livez` and `/readyz`. Default: none. */
  readonly basePath?: string | undefined;
  /** Figures of the service, which `/metrics` tells operators. Default: no such route. */
  readonly metrics?: ServiceMetrics | undefined;
  /** Networks of the proxies whose `X-Forwarded-For` names the client, such as `10.0.0.0/8`. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Networks that webhooks of jobs may go to although they are not public, such as `10.0.0.0/8`. Default: none. */
  readonly webhookNetworks?: readonly string[] | undefined;
  /** Port of a second listener that serves `/metrics` alone, without a key; it needs `metrics`. Default: none. */
  readonly metricsPort?: number | undefined;
  /** Gets each request, as `log` does, in the shape of pino's loggers: `error` for failures of the service, `warn` for refusals, else `info`. */
  readonly logger?: ServiceLogger | undefined;
  /** Whether a first search loads the index before `/readyz` says ready. It counts as a search. Default false. */
  readonly warmUp?: boolean | undefined;
}

/**
 * Logger such as those of pino, winston or bunyan.
 *
 * @experimental
 */
export interface ServiceLogger {
  info(entry: object, message: string): void;
  warn(entry: object, message: string): void;
  error(entry: object, message: string): void;
}

/**
 * A service that listens.
 *
 * @experimental
 */
export interface RunningService extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly metricsPort?: number;
  /** `http://127.0.0.1:9090/`. */
  readonly url: string;
  /** Refuses new requests and finishes the accepted ones, for `answerTimeoutMs` at most. The knowledge base stays open. */
  stop(): Promise<void>;
}

const defaultHost = "127.0.0.1";
const keepAliveMs = 10_000;

/**
 * Serves a knowledge base over HTTP, on Node.
 *
 * **Errors** `invalid-argument` as {@link createHandler}, for another host than this machine without keys, and for an address that is busy or forbidden.
 */
export async function startService(kb: KnowledgeBase, options: ServiceOptions = {}): Promise<RunningService> {
  checkGiven("startService", "options", options, "object");
  const { warmUp = false } = options;
  const { limits, base, bare, port, isTrusted, mayReach, rest } = await checkServiceOptions(kb, options);
  const { metrics } = rest;
  const { metricsPort, logger } = options;
  let readiness: Readiness = warmUp ? "warming up" : "ready";
  const isStopping = (): boolean => readiness === "stopping";
  // Only Node needs these, so they are loaded here.
  const [{ createServer }, { getRequestListener }, { findClientAddress }, { createRequestSender }, { packBody }] =
    await Promise.all([
      import("node:http"),
      import("@hono/node-server"),
      import("./client-address.ts"),
      import("../ingest/sources/web/send-request.ts"),
      import("./pack-body.ts"),
    ]);
  const handler = createHandler(kb, {
    readiness: () => readiness,
    ...rest,
    sendWebhook: createRequestSender({ allowAddress: mayReach }),
    log(entry) {
      metrics?.request(entry);
      rest.log?.(entry);
      if (logger !== undefined) writeEntry(logger, entry);
    },
  });
  let active = 0;
  const drained = Promise.withResolvers<void>();
  const listener = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse };
      // The port stays open until accepted requests are finished, so that probes still get an answer.
      if (isStopping() && !isProbe(new URL(request.url).pathname)) return stopping();
      active += 1;
      const end = metrics?.begin();
      outgoing.once("close", () => {
        end?.();
        active -= 1;
        if (isStopping() && active === 0) drained.resolve();
      });
      const forwardedFor = incoming.headers["x-forwarded-for"]?.toString();
      const remoteAddress = findClientAddress(incoming.socket.remoteAddress, forwardedFor, isTrusted);
      const facts: ConnectionFacts & { readonly [directExchange]: DirectExchange } = {
        [directExchange]: createDirectExchange(incoming, outgoing, packBody),
        remoteAddress,
        peerAddress: incoming.socket.remoteAddress,
        ...(base !== "" && { basePath: base }),
        ...(isTrusted(incoming.socket.remoteAddress ?? "") && { protocol: forwardedProtocol(incoming) }),
      };
      return handler(request, facts);
    },
    // The globals belong to the application.
    { overrideGlobalObjects: false, errorHandler: malformed },
  );
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      // Readers of bodies have limits of their own; an upload may take as long as an answer.
      requestTimeout: limits.headersTimeoutMs + Math.max(limits.bodyTimeoutMs, limits.answerTimeoutMs),
      keepAliveTimeout: keepAliveMs,
    },
    (request, response) => {
      if (base !== "" && !moveBelow(base, request, response)) return;
      // Probes of load balancers have names that no URL may have, and in HTTP/1.0 none.
      if (isProbe(pathOf(request))) request.headers.host = "localhost";
      void listener(request, response);
    },
  );
  server.maxConnections = limits.connections;
  // A client that does not read its response blocks a socket; it closes after this time.
  server.setTimeout(limits.answerTimeoutMs + 30_000);
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => {
      if (isStopping()) response.socket?.end();
    });
  });
  server.prependListener("request", createRestReader(limits));
  await listen(server, port, bare);
  const figures = metrics && metricsPort !== undefined ? createServer(metricsListener(kb, metrics)) : undefined;
  if (figures !== undefined) {
    try {
      await listen(figures, metricsPort!, bare);
    } catch (error) {
      await close(server, 0);
      throw error;
    }
  }

  const { address, port: chosen } = server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  const finish = async (): Promise<void> => {
    readiness = "stopping";
    if (active === 0) drained.resolve();
    const late = setTimeout(() => drained.resolve(), limits.answerTimeoutMs);
    // Streams of events end now, and the requests that read them.
    await Promise.all([handler.close(), drained.promise]);
    clearTimeout(late);
    await Promise.all([close(server, 1000), figures && close(figures, 0)]);
  };
  const stop = (): Promise<void> => (stopped ??= finish());
  if (warmUp) {
    // A search that fails must not keep the service from being used: the next request gets its error.
    void searchOnce(kb)
      .catch(() => {})
      .then(() => {
        if (!isStopping()) readiness = "ready";
        return finishFit(kb);
      })
      .catch(() => {});
  }
  return {
    host: address,
    port: chosen,
    ...(figures !== undefined && { metricsPort: (figures.address() as AddressInfo).port }),
    url: `http://${address.includes(":") ? `[${address}]` : address}:${chosen}${base}/`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Options of a service that were checked. */
interface CheckedService {
  readonly limits: Required<ServiceLimits>;
  readonly base: string;
  /** The host without the brackets of IPv6. */
  readonly bare: string;
  readonly port: number;
  readonly isTrusted: (address: string) => boolean;
  readonly mayReach: (address: string) => boolean;
  /** Options of the handler. */
  readonly rest: Omit<HandlerOptions, "metrics"> & { readonly metrics?: ServiceMetrics | undefined };
}

/** Checks all options of a service, and opens no port. **Errors** as {@link startService}, but for an address that cannot be had. */
export async function checkServiceOptions(kb: KnowledgeBase, options: ServiceOptions): Promise<CheckedService> {
  const { port = defaultPort, host = defaultHost, warmUp: _warmUp, basePath, metricsPort, ...others } = options;
  const { logger: _logger, trustedProxies = [], webhookNetworks = [], ...rest } = others;
  const limits = checkHandlerOptions(rest);
  checkPort("port", port);
  checkMetricsPort(metricsPort, rest.metrics);
  const bare = host.replace(/^\[|\]$/gu, "");
  if (!isLoopbackName(bare.toLowerCase()) && rest.keys === undefined && rest.authenticate === undefined) {
    throw new IbidError(
      "invalid-argument",
      `The host is ${host}, and without keys every machine that reaches it could read everything.`,
      {
        hint: "Give keys, or listen on 127.0.0.1.",
      },
    );
  }
  const base = readBasePath(basePath);
  const { readNetworks } = await import("./client-address.ts");
  const isTrusted = readNetworks("trustedProxies", trustedProxies);
  const mayReach = readNetworks("webhookNetworks", webhookNetworks);
  await checkAgents(kb, rest);
  return { limits, base, bare, port, isTrusted, mayReach, rest };
}

function checkMetricsPort(port: number | undefined, metrics: ServiceMetrics | undefined): void {
  if (port === undefined) return;
  checkPort("metricsPort", port);
  if (metrics === undefined)
    throw new IbidError("invalid-argument", "metricsPort is given without metrics.", {
      hint: "Give metrics: createServiceMetrics(), or leave out metricsPort.",
    });
}

function checkPort(option: string, port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new IbidError(
    "invalid-argument",
    `The ${option} is ${String(port)}; it must be a whole number from 0 to 65535.`,
    {
      hint: "Give 0 for any free port.",
    },
  );
}

/** The protocol that the nearest proxy was asked by; `undefined` where it says none. */
function forwardedProtocol({ headersDistinct }: IncomingMessage): "http" | "https" | undefined {
  const said = headersDistinct["x-forwarded-proto"]?.at(-1)?.split(",").at(-1)?.trim().toLowerCase();
  return said === "http" || said === "https" ? said : undefined;
}

/** **Shape** `""` for none; else a path without a slash at its end. **Errors** `invalid-argument` for a text that is no path. */
function readBasePath(path = ""): string {
  const base = path.replace(/\/$/u, "");
  if (base === "" || /^(?:\/[\w.~-]+)+$/u.test(base)) return base;
  throw new IbidError("invalid-argument", `The base path is ${JSON.stringify(path)}; it must be a path.`, {
    hint: "Write a path such as /kb, of letters, digits, and . _ ~ -",
  });
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

function isProbe(path: string): boolean {
  return path === "/livez" || path === "/readyz";
}

/** Takes the base path off a request. **Shape** false where the request is answered: it is elsewhere, or lacks the slash that relative addresses need. */
function moveBelow(base: string, request: IncomingMessage, response: ServerResponse): boolean {
  const { url = "/" } = request;
  const path = pathOf(request);
  if (isProbe(path)) return true;
  if (path.startsWith(`${base}/`)) {
    request.url = url.slice(base.length);
    return true;
  }
  if (path === base) {
    response.writeHead(308, { location: `${base}/${url.slice(base.length)}` }).end();
    return false;
  }
  const refusal = new Refusal(404, "not-found", "This service has no such route.", {
    hint: `Its addresses begin with ${base}/.`,
  });
  response
    .writeHead(refusal.status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
    .end(JSON.stringify({ error: errorJson(refusal, crypto.randomUUID()) }));
  return false;
}

/** Serves `/metrics` alone. */
function metricsListener(kb: KnowledgeBase, metrics: ServiceMetrics) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text(kb).then(
      (text) => response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text),
      () => response.writeHead(503).end(),
    );
  };
}

/** A failure of a logger does not stop the response: the handler ignores it. */
function writeEntry(logger: ServiceLogger, entry: RequestLogEntry): void {
  const { status, method, path } = entry;
  const message = `${method} ${path ?? "(elsewhere)"} ${status}`;
  if (status >= 500) logger.error(entry, message);
  else if (status >= 400) logger.warn(entry, message);
  else logger.info(entry, message);
}

/** The response to a request that arrives while the service stops. */
function stopping(): Response {
  return plainRefusal(
    new Refusal(503, "busy", "The service is stopping.", {
      hint: "Try again when it runs again.",
      headers: { connection: "close", "retry-after": "1" },
    }),
  );
}

/** The response to a request that HTTP itself does not allow, such as one with an invalid Host. */
function malformed(): Response {
  return plainRefusal(
    new Refusal(400, "invalid-argument", "The request is not valid HTTP.", {
      hint: "Check the address and the headers, above all Host.",
    }),
  );
}

function plainRefusal(refusal: Refusal): Response {
  return jsonResponse({ error: errorJson(refusal, crypto.randomUUID()) }, refusal.status, refusal.headers);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (cause: NodeJS.ErrnoException): void => {
      const why = {
        EADDRINUSE: "another program listens there",
        EACCES: "this user may not open it",
        ENOTFOUND: "the host is unknown",
        EADDRNOTAVAIL: "the address does not belong to this machine",
      };
      const known = why[cause.code as keyof typeof why] ?? cause.message;
      reject(
        new IbidError("invalid-argument", `The service cannot listen on ${host} port ${port}: ${known}.`, {
          hint: "Choose another port or host; port 0 is any free one.",
          cause,
        }),
      );
    };
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      resolve();
    });
  });
}

function close(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const over = setTimeout(() => server.closeAllConnections(), patienceMs);
    server.close(() => {
      clearTimeout(over);
      resolve();
    });
    server.closeIdleConnections();
  });
}
