import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { createHandler } from "./create-handler.ts";
import { checkHandlerOptions, type HandlerOptions } from "./handler-options.ts";
import { isLoopbackName } from "./loopback.ts";

/** Where a service listens, and how it goes about it. */
export interface ServiceOptions extends HandlerOptions {
  /** Default 9090 (B46); 0 for any that is free. */
  readonly port?: number;
  /** Default `127.0.0.1`: this machine alone. Any other needs `keys` or `authenticate`. */
  readonly host?: string;
}

/** A service that listens. */
export interface RunningService extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:9090/`. */
  readonly url: string;
  /** Takes nothing more, and waits for what was accepted; as long as an answer may take, if need be. The knowledge base stays open. */
  stop(): Promise<void>;
}

/** **Source** Ballerina's query example (B46). */
export const defaultPort = 9090;

const defaultHost = "127.0.0.1";
const headersTimeoutMs = 15_000;
const keepAliveMs = 10_000;
/** Sockets at a time; those beyond it are closed as they come. */
const maxConnections = 4096;

/**
 * Serves a knowledge base over HTTP, on Node.
 *
 * **Errors** `invalid-argument` as {@link createHandler}, for a host beyond this machine without keys, and for an address that cannot be listened on.
 * **Source** Ballerina's query service (B46).
 */
export async function startService(kb: KnowledgeBase, options: ServiceOptions = {}): Promise<RunningService> {
  const { port = defaultPort, host = defaultHost, ...rest } = options;
  const limits = checkHandlerOptions(rest);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new IbidError("invalid-argument", `The port ${String(port)} is none.`, { hint: "Give one from 0 to 65535." });
  }
  const bare = host.replace(/^\[|\]$/gu, "");
  if (!isLoopbackName(bare.toLowerCase()) && rest.keys === undefined && rest.authenticate === undefined) {
    throw new IbidError("invalid-argument", `Without keys, ${host} would be open to whoever reaches it.`, {
      hint: "Configure keys, or listen on 127.0.0.1.",
    });
  }
  const handler = createHandler(kb, rest);
  // Loaded where it is used: other hosts have no need of it.
  const { createAdaptorServer } = await import("@hono/node-server");
  let isStopping = false;
  const server = createAdaptorServer({
    // The globals are everybody's.
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: headersTimeoutMs,
      requestTimeout: headersTimeoutMs + limits.bodyTimeoutMs,
      keepAliveTimeout: keepAliveMs,
    },
    async fetch(request, { incoming, outgoing }) {
      if (isStopping) return ending();
      outgoing.once("close", () => {
        if (isStopping) server.closeIdleConnections();
      });
      return handler(request, { remoteAddress: (incoming as IncomingMessage).socket.remoteAddress });
    },
  }) as Server;
  server.maxConnections = maxConnections;
  // Of a socket on which nothing moves: whoever does not read what they asked for.
  server.setTimeout(limits.answerTimeoutMs + 30_000);
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => {
      if (isStopping) response.socket?.end();
    });
  });
  await listen(server, port, bare);

  const { address, port: chosen } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    isStopping = true;
    return (stopping ??= close(server, limits.answerTimeoutMs));
  };
  return {
    host: address,
    port: chosen,
    url: `http://${address.includes(":") ? `[${address}]` : address}:${chosen}/`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What is asked of a service that is ending, on a connection from before. */
function ending(): Response {
  return new Response(null, { status: 503, headers: { connection: "close", "retry-after": "1" } });
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (cause: NodeJS.ErrnoException): void => {
      const why = {
        EADDRINUSE: "something else listens there",
        EACCES: "that is not allowed",
        ENOTFOUND: "no such host",
      };
      const known = why[cause.code as keyof typeof why] ?? cause.message;
      reject(
        new IbidError("invalid-argument", `${host} port ${port} cannot be listened on: ${known}.`, {
          hint: "Choose another port or host.",
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
