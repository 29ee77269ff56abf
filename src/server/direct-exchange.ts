import type { IncomingMessage, ServerResponse } from "node:http";
import type { StreamOfBytes } from "../runtime/read-stream.ts";

/** Body and response of a request where the host has them without web streams. These cost more than the rest of a request together. */
export interface DirectExchange {
  /** The same bytes as `request.body`. One of the two is read. */
  readonly body: StreamOfBytes;
  /** Packs a body with gzip. **Shape** `undefined` for one that gains nothing, or is too large for one go. */
  readonly pack: (body: Uint8Array) => Uint8Array | undefined;
  /** Sends a whole response. **Shape** a response for the host, which says that everything is sent. */
  send(status: number, headers: ReadonlyMap<string, string>, cookies: readonly string[], body: Uint8Array): Response;
}

/** Key of a {@link DirectExchange} among the facts of a connection. No caller of a handler has to give one. */
export const directExchange: unique symbol = Symbol("directExchange");

/**
 * Response that the server of hono does not send. **Source** @hono/node-server, `RESPONSE_ALREADY_SENT`.
 *
 * A copy is always one of the engine's own class. Another server of hono in the process puts a class of its own in the place of the global one, and writes such responses unseen.
 */
const alreadySent = (): Response =>
  (sent ??= new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone());
/** One for all requests: it has no body, and is only read. */
let sent: Response | undefined;

/** The exchange of a request to a server of Node. */
export function createDirectExchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  pack: DirectExchange["pack"],
): DirectExchange {
  return {
    pack,
    body: { getReader: () => readIncoming(incoming) },
    send(status, headers, cookies, body) {
      const lines = [...headers].flat();
      for (const cookie of cookies) lines.push("set-cookie", cookie);
      outgoing.writeHead(status, lines);
      outgoing.end(body);
      return alreadySent();
    },
  };
}

/** Reads the parts of a body. Cancelling lets the rest wait in its socket, for the one that drops it. */
function readIncoming(incoming: IncomingMessage): ReturnType<StreamOfBytes["getReader"]> {
  const parts: Uint8Array[] = [];
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => {};
  const add = (part: Uint8Array): void => {
    parts.push(part);
    // The next part is read when this one was taken.
    incoming.pause();
    wake();
  };
  const end = (): void => {
    isOver = true;
    wake();
  };
  const fail = (error: unknown): void => {
    failure ??= { error };
    wake();
  };
  const close = (): void => {
    if (!incoming.readableEnded) fail(new Error("The connection closed before the end of the body."));
  };
  incoming.on("data", add).once("end", end).on("error", fail).once("close", close);
  if (incoming.destroyed) close();
  return {
    async read() {
      for (;;) {
        const value = parts.shift();
        if (value !== undefined) return { done: false, value };
        if (failure !== undefined) throw failure.error;
        if (isOver) return { done: true };
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        incoming.resume();
        await promise;
      }
    },
    async cancel() {
      incoming.off("data", add).off("end", end).off("close", close).pause();
    },
  };
}
