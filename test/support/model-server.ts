import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a scripted server sees it: its body read, and parsed where it is JSON. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** A server on the loopback interface that does with each request what its script says: for wires that are not OpenAI's, and for answers that nobody should give. */
export async function startModelServer(
  answer: (request: ModelRequest, response: ServerResponse, before: number) => void | Promise<void>,
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    const serve = async (): Promise<void> => {
      let text = "";
      incoming.setEncoding("utf8");
      for await (const piece of incoming) text += String(piece);
      const body = (text === "" ? {} : JSON.parse(text)) as ModelRequest["body"];
      const request = {
        path: new URL(incoming.url ?? "/", "http://localhost").pathname,
        headers: incoming.headers,
        body,
      };
      requests.push(request);
      await answer(request, response, requests.length - 1);
    };
    serve().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close, [Symbol.asyncDispose]: close };
}

/** JSON as an answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
