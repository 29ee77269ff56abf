/**
 * An answer in a chat of the AI SDK: a route for `useChat` behind a real HTTP server, and a client of the `ai` package.
 * In a page the client is `useChat<UIMessage<UIAnswerMetadata, UIAnswerData>>()`; ibid itself does not need the
 * package.
 *
 *     npm run build && npx node examples/answers/chat-ui.ts
 */
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { openKnowledgeBase } from "ibid";
import { readUIMessages, toUIMessageStreamResponse, type UIAnswerData, type UIAnswerMetadata } from "ibid/ai-sdk";
import { createScriptedChatModel } from "ibid/testing";
import { check } from "../check.ts";

const model = createScriptedChatModel(["Keys are rotated every 90 days [1]. Backups are kept for 30 days [2]."]);
const kb = await openKnowledgeBase({ models: { chat: model } });
await kb.ingest([
  { uri: "https://docs.example/keys", title: "Keys", text: "Keys are rotated every 90 days by the operator." },
  { uri: "backups", title: "Backups", text: "Backups of the keys are kept for 30 days." },
]);

/** The route: all that an application writes. */
async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: unknown };
  const { question, history } = readUIMessages(messages);
  return toUIMessageStreamResponse(kb.ask(question, { history, signal: request.signal }));
}

const server = createServer((incoming, outgoing) => {
  const body = Readable.toWeb(incoming) as unknown as ReadableStream;
  const request = new Request("http://localhost/api/chat", { method: "POST", body, duplex: "half" });
  void POST(request).then((response) => {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    // A client that goes away ends the pipeline, and with it the model's call.
    if (response.body) pipeline(Readable.fromWeb(response.body), outgoing, () => {});
  });
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;

type Message = UIMessage<UIAnswerMetadata, UIAnswerData>;
const stream = await new DefaultChatTransport<Message>({ api }).sendMessages({
  trigger: "submit-message",
  chatId: "1",
  messageId: undefined,
  messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "How often are keys rotated?" }] }],
  abortSignal: undefined,
});
let states = 0;
let shown: Message | undefined;
for await (const message of readUIMessageStream<Message>({ stream })) {
  states += 1;
  shown = message;
}

const parts = shown?.parts ?? [];
check("grew as it came", states > 10, true);
check(
  "text",
  parts.find((part) => part.type === "text")?.text,
  "Keys are rotated every 90 days [1]. Backups are kept for 30 days [2].",
);
check(
  "sources",
  parts.flatMap((part) =>
    part.type === "source-url" ? [part.url] : part.type === "source-document" ? [part.filename] : [],
  ),
  ["https://docs.example/keys", "backups"],
);
check(
  "citations",
  parts.flatMap((part) => (part.type === "data-citation" ? [`${part.data.marker} ${part.data.quote}`] : [])),
  ["[1] Keys are rotated every 90 days by the operator.", "[2] Backups of the keys are kept for 30 days."],
);
check("grounded", shown?.metadata?.grounded, true);
check("tokens", shown?.metadata?.usage?.totalTokens, 18);
server.close();
await kb.close();
