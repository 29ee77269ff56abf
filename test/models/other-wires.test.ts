import { afterEach, describe, expect, it } from "vitest";

import { resolveChatModel, resolveEmbeddingModel } from "../../src/models/hosted/resolve-model.ts";
import { prompt } from "../../src/answers/prompts/prompt.ts";
import { createGoogle } from "@ai-sdk/google";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createImageDocument } from "../../src/readers/media-document.ts";
import { type ModelServer, sendJson, startModelServer } from "../support/model-server.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Answer = Parameters<typeof startModelServer>[0];
type Response = Parameters<Answer>[1];

async function serve(answer: Answer): Promise<ModelServer> {
  const server = await startModelServer(answer);
  servers.push(server);
  return server;
}

const question = { role: "user", content: "Question?" } as const;
const events = (response: Response, all: readonly object[], named = true): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of all) {
    if (named) response.write(`event: ${(event as { type: string }).type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
};

async function textOf(model: ChatModel): Promise<string> {
  let text = "";
  for await (const part of model.stream(question)) if (part.type === "text") text += part.delta;
  return text;
}

/** As Anthropic's Messages API streams an answer. */
const anthropicEvents = [
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 4, output_tokens: 0 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Answer." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const anthropicMessage = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "Answer." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 4, output_tokens: 2 },
};
const geminiAnswer = {
  candidates: [{ content: { role: "model", parts: [{ text: "Answer." }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
};

const anthropic = (server: ModelServer): Promise<ChatModel> =>
  resolveChatModel(`anthropic/claude@${server.url}`, { env: { ANTHROPIC_API_KEY: "k" } });
/** The package takes its address in code alone: the loader puts it there. */
const googleOptions = (server: ModelServer) => ({
  env: { GOOGLE_GENERATIVE_AI_API_KEY: "k" },
  load: async () => ({
    createGoogle: (settings: object) => createGoogle({ ...settings, baseURL: `${server.url}/v1beta` }),
  }),
});
const google = (server: ModelServer): Promise<ChatModel> => resolveChatModel("google/gemini", googleOptions(server));

describe("Anthropic, over its own wire [W41]", () => {
  it("answers whole and streamed, with what it used; a picture goes along [B41 B43]", async () => {
    const server = await serve((request, response) => {
      if (request.body["stream"] !== true) return sendJson(response, 200, anthropicMessage);
      events(response, anthropicEvents);
      response.end();
    });
    const model = await anthropic(server);
    const image = createImageDocument(new Uint8Array([1, 2]), { mediaType: "image/png" });
    expect(await model.chat({ role: "user", content: prompt`See ${image}.` })).toMatchObject({
      message: { content: "Answer." },
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    expect(await textOf(model)).toBe("Answer.");
    expect(server.requests[0]).toMatchObject({ path: "/v1/messages", headers: { "x-api-key": "k" } });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"media_type":"image/png"');
  });
});

describe("Google, over its own wire [W41]", () => {
  it("answers whole and streamed, with what it used [B41]", async () => {
    const server = await serve((request, response) => {
      if (!request.path.includes("stream")) return sendJson(response, 200, geminiAnswer);
      events(response, [geminiAnswer], false);
      response.end();
    });
    const model = await google(server);
    expect(await model.chat(question)).toMatchObject({
      message: { content: "Answer." },
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    expect(await textOf(model)).toBe("Answer.");
    expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("k");
  });

  it("embeds, told what a text is for; a wrong count and wrong dimensions are noticed [T36 W14]", async () => {
    const replies = [
      { embeddings: [{ values: [1, 0] }, { values: [0, 1] }] },
      { embeddings: [{ values: [1, 0] }] },
      { embeddings: [{ values: [1, 0] }, { values: [1] }] },
    ];
    const server = await serve((_, response, before) => sendJson(response, 200, replies[before]));
    const model = await resolveEmbeddingModel("google/gemini-embedding", googleOptions(server));
    const embedder = createEmbedder(model, { secret: new Uint8Array(32) });
    expect((await embedder.embed(["a", "b"], { purpose: "document" })).embeddings).toEqual([
      [1, 0],
      [0, 1],
    ]);
    await expect(embedder.embed(["a", "b"], { purpose: "document" })).rejects.toMatchObject({
      code: "invalid-response",
    });
    await expect(embedder.embed(["a", "b"], { purpose: "document" })).rejects.toMatchObject({
      code: "dimension-mismatch",
    });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"taskType":"RETRIEVAL_DOCUMENT"');
  });
});

describe("what goes wrong there [W11 W41]", () => {
  const faults: readonly (readonly [string, string, (response: Response) => void])[] = [
    [
      "rate-limited",
      "rate-limited",
      (response) =>
        sendJson(response, 429, { error: { type: "rate_limit_error", message: "Slow down" } }, { "retry-after": "3" }),
    ],
    [
      "overloaded",
      "model-failed",
      (response) => sendJson(response, 529, { error: { type: "overloaded_error", message: "Overloaded" } }),
    ],
    ["refused a key", "model-failed", (response) => sendJson(response, 401, { error: { message: "Bad key" } })],
    [
      "malformed",
      "invalid-response",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end("<html>"),
    ],
    [
      "truncated",
      "invalid-response",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"content":[{"te'),
    ],
    ["cut off", "model-failed", (response) => void response.destroy()],
  ];
  const kinds = { anthropic, google };
  it.each(
    Object.entries(kinds).flatMap(([name, make]) =>
      faults.map(([fault, code, answer]) => [name, fault, code, make, answer] as const),
    ),
  )("%s, %s, is %s [W11 W41]", async (_name, _fault, code, make, answer) => {
    const model = await make(await serve((_, response) => answer(response)));
    await expect(model.chat(question)).rejects.toMatchObject({ code });
  });

  it.each(Object.entries(kinds))(
    "%s that says when to come back is asked no sooner, and not again by us [W11 W13]",
    async (_, make) => {
      const server = await serve((_request, response) =>
        sendJson(response, 429, { error: { message: "Slow" } }, { "retry-after": "3" }),
      );
      await expect((await make(server)).chat(question)).rejects.toMatchObject({ details: { retryAfterMs: 3000 } });
      expect(server.requests).toHaveLength(1);
    },
  );

  it("a stream of Anthropic's that breaks off, and one that reports an error, are no answers [W11]", async () => {
    const broken = await serve((_, response) => {
      events(response, anthropicEvents.slice(0, 3));
      response.end();
    });
    await expect(textOf(await anthropic(broken))).rejects.toMatchObject({ code: "invalid-response" });
    const failing = await serve((_, response) => {
      events(response, [
        ...anthropicEvents.slice(0, 3),
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      ]);
      response.end();
    });
    await expect(textOf(await anthropic(failing))).rejects.toMatchObject({ code: "model-failed" });
  });
});
