import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** One request to an {@link withEndpoint endpoint}. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Its answer. An object is written as JSON, a string as it is; `undefined` leaves the caller waiting. */
export interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An HTTP server on this machine, closed after use. */
export async function withEndpoint<Result>(
  answer: (asked: Asked) => Told | undefined | Promise<Told | undefined>,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += String(piece);
    const { url = "/", headers } = request;
    const told = await answer({ path: url, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) });
    if (told === undefined) return;
    response.writeHead(told.status ?? 200, { "content-type": "application/json", ...told.headers });
    response.end(typeof told.body === "string" ? told.body : JSON.stringify(told.body));
  });
  // On a busy machine a connection rests longer than the usual five seconds, and is used again as it ends.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The answer of an embedding endpoint in OpenAI's form, one vector for each input. */
export function embeddings({ body }: Asked, vectorOf: (text: string) => readonly number[]): Told {
  const { input } = body as { readonly input: readonly string[] };
  const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
  return { body: { object: "list", data, usage: { prompt_tokens: input.length, total_tokens: input.length } } };
}

/** The answer of a chat endpoint in OpenAI's form. */
export function chatReply(content: string): Told {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  return { body: { id: "1", object: "chat.completion", choices, usage: { prompt_tokens: 1, completion_tokens: 1 } } };
}
