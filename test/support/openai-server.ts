import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the server got it. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // What a client sends is looked at freely by tests.
  readonly body: Readonly<Record<string, unknown>>;
  /** Settles when the answer went out whole, or the client left before. */
  readonly ended: Promise<"finished" | "left">;
}

export interface ToolCallReply {
  readonly id: string;
  readonly name: string;
  /** JSON, as models write it. */
  readonly arguments: string;
}

/** What a model says. */
export interface AnswerReply {
  readonly content: string | null;
  /** How the content is cut when streamed. Default: one piece per word. */
  readonly pieces?: readonly string[];
  /** Waits before a piece of a stream is sent. */
  readonly beforePiece?: (index: number) => Promise<void> | undefined;
  readonly toolCalls?: readonly ToolCallReply[];
  readonly finishReason?: string;
  /** Default: one token per word. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null;
  /** Wait before the answer. */
  readonly delayMs?: number;
}

/** What goes wrong instead. */
export type FaultReply =
  | {
      readonly fault: "status";
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Something that is not JSON. In a stream, after its first piece. */
  | { readonly fault: "malformed" }
  /** A body without a byte. */
  | { readonly fault: "empty" }
  /** The answer ends in the middle: in a stream without a finish, else in half a JSON. */
  | { readonly fault: "truncated"; readonly content: string }
  /** An error inside a stream that began well. */
  | { readonly fault: "stream-error"; readonly content: string; readonly message: string; readonly code?: string }
  /** The connection is cut, in a stream after the content. */
  | { readonly fault: "cut"; readonly content?: string }
  /** Nothing at all until the client leaves; in a stream after the content. */
  | { readonly fault: "silence"; readonly content?: string };

/** A string is an answer of that text. */
export type ChatReply = string | AnswerReply | FaultReply;

/** A number is that many dimensions; an array is sent as it is, whatever was asked. */
export type EmbeddingReply = number | readonly (readonly number[])[] | FaultReply;

/** Behaviour of the server. Functions see the request and how many came to that endpoint before it. */
export interface OpenAiScript {
  /** Default `"ok"`. */
  readonly chat?: ChatReply | ((request: RecordedRequest, before: number) => ChatReply | Promise<ChatReply>);
  /** Default 8. */
  readonly embeddings?:
    | EmbeddingReply
    | ((request: RecordedRequest, before: number) => EmbeddingReply | Promise<EmbeddingReply>);
  readonly models?: readonly string[];
  /** When set, requests without this bearer token get 401. */
  readonly apiKey?: string;
}

export interface OpenAiServer extends AsyncDisposable {
  /** With the version: `http://127.0.0.1:1234/v1`. */
  readonly url: string;
  /** Without: `http://127.0.0.1:1234`. */
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/**
 * A server on the loopback interface that speaks as much of OpenAI's API as ibid uses: `/v1/chat/completions` and `/v1/responses` (whole or streamed),
 * `/v1/embeddings` and `/v1/models`. It does what its script says.
 *
 * Vectors of texts are made from their words, so that texts with common words are near each other, and are the same each time.
 */
export async function startOpenAiServer(script: OpenAiScript = {}): Promise<OpenAiServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A fault of the script, not of the client: said loudly.
      if (!response.headersSent)
        sendJson(response, 500, { error: { message: `script failed: ${String(error)}`, type: "script_error" } });
      else response.destroy();
    });
  });

  // A test that works for seconds at a time would find its connection closed.
  server.keepAliveTimeout = 600_000;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await record(incoming, response);
    const before = requests.filter((one) => one.path === request.path).length;
    requests.push(request);
    if (script.apiKey !== undefined && request.headers["authorization"] !== `Bearer ${script.apiKey}`) {
      sendFault(response, {
        fault: "status",
        status: 401,
        message: "Incorrect API key provided.",
        code: "invalid_api_key",
      });
      return;
    }
    if (request.path === "/v1/models") {
      const data = (script.models ?? ["test-model"]).map((id) => ({
        id,
        object: "model",
        created: 1,
        owned_by: "test",
      }));
      sendJson(response, 200, { object: "list", data });
    } else if (request.path === "/v1/embeddings") {
      const { embeddings = 8 } = script;
      sendEmbeddings(
        response,
        request,
        typeof embeddings === "function" ? await embeddings(request, before) : embeddings,
      );
    } else if (request.path === "/v1/chat/completions" || request.path === "/v1/responses") {
      const { chat = "ok" } = script;
      const reply = typeof chat === "function" ? await chat(request, before) : chat;
      if (request.path === "/v1/responses") sendResponse(response, request, reply);
      else await sendChat(response, request, reply);
    } else {
      sendFault(response, {
        fault: "status",
        status: 404,
        message: "There is no such endpoint.",
        type: "not_found_error",
      });
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `${origin}/v1`, origin, requests, close, [Symbol.asyncDispose]: close };
}

/** The text of the messages of a chat request, joined: for scripts that answer what they are asked. */
export function promptOf(request: RecordedRequest): string {
  const messages = (request.body["messages"] ?? request.body["input"] ?? []) as readonly { content?: unknown }[];
  return messages
    .map(({ content }) =>
      Array.isArray(content)
        ? content.map((part) => (part as { text?: string }).text ?? "").join("")
        : typeof content === "string"
          ? content
          : "",
    )
    .join("\n");
}

/** The vector that the server gives a text: counts of its words, spread by a hash, at length 1. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from<number>({ length: dimensions }).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2166136261;
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16777619) >>> 0;
    const slot = hash % dimensions;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  if (length === 0) {
    vector[0] = 1;
    return vector;
  }
  return vector.map((value) => value / length);
}

async function record(incoming: IncomingMessage, response: ServerResponse): Promise<RecordedRequest> {
  const ended = new Promise<"finished" | "left">((resolve) => {
    response.once("close", () => resolve(response.writableFinished ? "finished" : "left"));
  });
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming) text += String(piece);
  return {
    method: incoming.method ?? "",
    path: new URL(incoming.url ?? "/", "http://localhost").pathname,
    headers: incoming.headers,
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    ended,
  };
}

async function sendChat(response: ServerResponse, request: RecordedRequest, reply: ChatReply): Promise<void> {
  const said: AnswerReply | FaultReply = typeof reply === "string" ? { content: reply } : reply;
  const streamed = request.body["stream"] === true;
  if ("fault" in said) {
    if (streamed && sendStreamFault(response, request, said)) return;
    sendFault(response, said);
    return;
  }
  if (said.delayMs !== undefined) await new Promise((resolve) => void setTimeout(resolve, said.delayMs));
  const finish = said.finishReason ?? (said.toolCalls === undefined ? "stop" : "tool_calls");
  const usage = usageOf(said, request);
  if (!streamed) {
    const message = {
      role: "assistant",
      content: said.content,
      ...(said.toolCalls === undefined ? {} : { tool_calls: said.toolCalls.map(toWireCall) }),
    };
    sendJson(response, 200, {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: request.body["model"],
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(usage === null ? {} : { usage }),
    });
    return;
  }
  const write = openStream(response, request);
  for (const [index, content] of piecesOf(said).entries()) {
    await said.beforePiece?.(index);
    write(delta({ content }));
  }
  for (const [index, call] of (said.toolCalls ?? []).entries()) {
    const half = Math.ceil(call.arguments.length / 2);
    const { id, type } = toWireCall(call);
    write(
      delta({
        tool_calls: [{ index, id, type, function: { name: call.name, arguments: call.arguments.slice(0, half) } }],
      }),
    );
    write(delta({ tool_calls: [{ index, function: { arguments: call.arguments.slice(half) } }] }));
  }
  write({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const options = request.body["stream_options"] as { include_usage?: boolean } | undefined;
  if (options?.include_usage === true && usage !== null) write({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

/** **Shape** false when the fault looks the same with and without a stream. */
function sendStreamFault(response: ServerResponse, request: RecordedRequest, reply: FaultReply): boolean {
  if (reply.fault === "status" || reply.fault === "empty") return false;
  const write = openStream(response, request);
  const content = "content" in reply ? reply.content : undefined;
  if (content !== undefined) write(delta({ content }));
  switch (reply.fault) {
    case "malformed":
      write(delta({ content: "A" }));
      response.end('data: {"choices": [{"delta": \n\n');
      break;
    case "truncated":
      response.end();
      break;
    case "stream-error":
      response.end(
        `data: ${JSON.stringify({ error: { message: reply.message, code: reply.code ?? null, type: "server_error" } })}\n\n`,
      );
      break;
    case "cut":
      // After what was written has left.
      setTimeout(() => response.destroy(), 20);
      break;
    case "silence":
      break;
  }
  return true;
}

function sendFault(response: ServerResponse, reply: FaultReply): void {
  switch (reply.fault) {
    case "status": {
      const { status, message = "It failed.", code = null, type = "server_error", headers = {} } = reply;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendJson(response, status, { error: { message, type, code, param: null } });
      break;
    }
    case "malformed":
      response
        .writeHead(200, { "content-type": "application/json" })
        .end("<html>This is not the API that you look for.</html>");
      break;
    case "empty":
      response.writeHead(200, { "content-type": "application/json" }).end();
      break;
    case "truncated":
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(`{"choices":[{"message":{"content":"${reply.content}`);
      break;
    case "stream-error":
      sendJson(response, 500, { error: { message: reply.message, type: "server_error", code: reply.code ?? null } });
      break;
    case "cut":
      response.destroy();
      break;
    case "silence":
      break;
  }
}

function sendEmbeddings(response: ServerResponse, request: RecordedRequest, reply: EmbeddingReply): void {
  if (typeof reply === "object" && "fault" in reply) {
    sendFault(response, reply);
    return;
  }
  const input = request.body["input"];
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  const asked = request.body["dimensions"];
  const vectors =
    typeof reply === "number" ? texts.map((text) => vectorOf(text, typeof asked === "number" ? asked : reply)) : reply;
  const tokens = texts.reduce((sum, text) => sum + countWords(text), 0);
  sendJson(response, 200, {
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    model: request.body["model"],
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** OpenAI's Responses API: answers and failures, no tools. */
function sendResponse(response: ServerResponse, request: RecordedRequest, reply: ChatReply): void {
  const said: AnswerReply | FaultReply = typeof reply === "string" ? { content: reply } : reply;
  if ("fault" in said) {
    sendFault(response, said);
    return;
  }
  const counted = usageOf(said, request);
  const usage = { input_tokens: counted?.prompt_tokens ?? 0, output_tokens: counted?.completion_tokens ?? 0 };
  const head = { id: "resp_1", created_at: 1, model: String(request.body["model"]) };
  const item = { type: "message", id: "msg_1", role: "assistant" };
  if (request.body["stream"] !== true) {
    const content = [{ type: "output_text", text: said.content ?? "", annotations: [] }];
    sendJson(response, 200, { ...head, object: "response", output: [{ ...item, content }], usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = (type: string, event: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`);
  write("response.created", { response: head });
  write("response.output_item.added", { output_index: 0, item });
  for (const piece of piecesOf(said)) {
    write("response.output_text.delta", { item_id: item.id, output_index: 0, content_index: 0, delta: piece });
  }
  write("response.output_item.done", { output_index: 0, item });
  write("response.completed", { response: { ...head, usage } });
  response.end();
}

function openStream(response: ServerResponse, request: RecordedRequest): (chunk: object) => void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: request.body["model"] };
  return (chunk) => void response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
}

function delta(content: object): object {
  return { choices: [{ index: 0, delta: content, finish_reason: null }] };
}

function piecesOf(reply: AnswerReply): readonly string[] {
  return reply.pieces ?? reply.content?.match(/\S+\s*|\s+/gu) ?? [];
}

function toWireCall(call: ToolCallReply): {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
} {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}

function usageOf(
  reply: AnswerReply,
  request: RecordedRequest,
): { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null {
  if (reply.usage === null) return null;
  const input = reply.usage?.inputTokens ?? countWords(promptOf(request));
  const output = reply.usage?.outputTokens ?? countWords(reply.content ?? "");
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function countWords(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
