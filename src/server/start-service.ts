import { checkGiven } from "../runtime/check-options.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { createHandler } from "./create-handler.ts";
import { checkHandlerOptions, defaultPort, type HandlerOptions } from "./handler-options.ts";
import { isLoopbackName } from "./loopback.ts";
import type { Readiness } from "./probe-routes.ts";
import { errorJson, Refusal } from "./refusal.ts";
import { jsonResponse } from "./route.ts";

/**
 * Address, limits and access of a service.
 *
 * @experimental
 */
export interface ServiceOptions extends HandlerOptions {
  /** Default 9090; 0 for any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`: only this machine. Other hosts need `keys` or `authenticate`. */
  readonly host?: string;
  /** Whether a first search loads the index before `/readyz` says ready. It counts as a search. Default false. */
  readonly warmUp?: boolean;
}

/**
 * A service that listens.
 *
 * @experimental
 */
export interface RunningService extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:9090/`. */
  readonly url: string;
  /** Refuses new requests and finishes the accepted ones, for `answerTimeoutMs` at most. The knowledge base stays open. */
  stop(): Promise<void>;
}

const defaultHost = "127.0.0.1";
const headersTimeoutMs = 15_000;
const keepAliveMs = 10_000;
/** Sockets that may be open at once; Node closes further ones. */
const maxConnections = 4096;

/**
 * Serves a knowledge base over HTTP, on Node.
 *
 * **Errors** `invalid-argument` as {@link createHandler}, for another host than this machine without keys, and for an address that is busy or forbidden.
 */
export async function startService(kb: KnowledgeBase, options: ServiceOptions = {}): Promise<RunningService> {
  checkGiven("startService", "options", options, "object");
  const { port = defaultPort, host = defaultHost, warmUp = false, ...rest } = options;
  const limits = checkHandlerOptions(rest);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new IbidError("invalid-argument", `The port is ${String(port)}; it must be a whole number from 0 to 65535.`, {
      hint: "Give 0 for any free port.",
    });
  }
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
  let readiness: Readiness = warmUp ? "warming up" : "ready";
  const isStopping = (): boolean => readiness === "stopping";
  const handler = createHandler(kb, { readiness: () => readiness, ...rest });
  // Only Node needs these, so they are loaded here.
  const [{ createServer }, { getRequestListener }] = await Promise.all([
    import("node:http"),
    import("@hono/node-server"),
  ]);
  let active = 0;
  const drained = Promise.withResolvers<void>();
  const listener = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse };
      // The port stays open until accepted requests are finished, so that probes still get an answer.
      const isProbe = /^\/(?:livez|readyz)$/u.test(new URL(request.url).pathname);
      if (isStopping() && !isProbe) return stopping();
      active += 1;
      outgoing.once("close", () => {
        active -= 1;
        if (isStopping() && active === 0) drained.resolve();
      });
      return handler(request, { remoteAddress: incoming.socket.remoteAddress });
    },
    // The globals belong to the application.
    { overrideGlobalObjects: false, errorHandler: malformed },
  );
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: headersTimeoutMs + limits.bodyTimeoutMs,
      keepAliveTimeout: keepAliveMs,
    },
    (request, response) => void listener(request, response),
  );
  server.maxConnections = maxConnections;
  // A client that does not read its response blocks a socket; it closes after this time.
  server.setTimeout(limits.answerTimeoutMs + 30_000);
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => {
      if (isStopping()) response.socket?.end();
    });
  });
  await listen(server, port, bare);

  const { address, port: chosen } = server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= finish());
  const finish = async (): Promise<void> => {
    readiness = "stopping";
    if (active === 0) drained.resolve();
    const late = setTimeout(() => drained.resolve(), limits.answerTimeoutMs);
    await drained.promise;
    clearTimeout(late);
    await close(server, 1000);
  };
  if (warmUp) {
    // A search that fails must not keep the service from being used: the next request gets its error.
    void searchOnce(kb)
      .catch(() => {})
      .then(() => {
        if (!isStopping()) readiness = "ready";
      });
  }
  return {
    host: address,
    port: chosen,
    url: `http://${address.includes(":") ? `[${address}]` : address}:${chosen}/`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Searches for the title of a document, so that health counts no miss. An empty knowledge base has nothing to load. */
async function searchOnce(kb: KnowledgeBase): Promise<void> {
  for await (const { title, uri } of kb.list()) {
    await kb.search((title ?? uri).slice(0, 200), { topK: 1 });
    return;
  }
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
