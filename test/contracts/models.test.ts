import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterAll, afterEach, beforeAll, describe } from "vitest";

import { fromAiSdkEmbeddingModel } from "../../src/models/ai-sdk/embedding-model.ts";
import { fromAiSdkLanguageModel } from "../../src/models/ai-sdk/language-model.ts";
import { renderPrompt } from "../../src/models/render-prompt.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { createChatModelPack } from "../../src/testing/chat-model-pack.ts";
import { createEmbeddingModelPack } from "../../src/testing/embedding-model-pack.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import type { ScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import type { ChatReply, OpenAiServer } from "../support/openai-server.ts";
import { runPack } from "./run-pack.ts";

/** What the script was asked last, as a model of text would see it. */
function lastWords(model: ScriptedChatModel): string {
  const call = model.calls.at(-1);
  const contents = call?.messages.map(({ content }) => (content === null ? "" : renderPrompt(content)));
  return [...(contents ?? []), JSON.stringify(call?.options)].join("\n");
}

describe("the scripted model", () => {
  runPack(
    createChatModelPack({
      create: (replies) => createScriptedChatModel(replies),
      lastRequest: (model) => lastWords(model as ScriptedChatModel),
      calling: (name, given) => createScriptedChatModel([{ toolCalls: [{ id: "1", name, arguments: given }] }]),
    }),
  );
});

describe("an AI SDK language model over HTTP [W41]", () => {
  const servers = new Map<ChatModel, OpenAiServer>();
  afterEach(async () => {
    for (const server of servers.values()) await server.close();
    servers.clear();
  });
  const serve = async (replies: readonly ChatReply[]): Promise<ChatModel> => {
    const server = await startOpenAiServer({ chat: (_, before) => replies[before] ?? "the script is over" });
    const model = fromAiSdkLanguageModel(createOpenAICompatible({ name: "local", baseURL: server.url })("test-model"));
    servers.set(model, server);
    return model;
  };
  const failing = (reply: ChatReply) => () => serve([reply]);
  runPack(
    createChatModelPack({
      create: serve,
      lastRequest: (model) => JSON.stringify(servers.get(model)?.requests.at(-1)?.body),
      calling: (name, given) =>
        serve([{ content: null, toolCalls: [{ id: "call_1", name, arguments: JSON.stringify(given) }] }]),
      failing: [
        {
          name: "rate-limit",
          code: "rate-limited",
          create: failing({ fault: "status", status: 429, message: "Slow down: Say hello." }),
        },
        {
          name: "server-error",
          code: "model-failed",
          create: failing({ fault: "status", status: 500, message: "Oops" }),
        },
        { name: "not-json", code: "invalid-response", create: failing({ fault: "malformed" }) },
        {
          name: "refused-key",
          code: "model-failed",
          create: failing({ fault: "status", status: 401, message: "Who are you?" }),
        },
      ],
    }),
  );
});

describe("an AI SDK embedding model over HTTP [W41]", () => {
  let server: OpenAiServer;
  beforeAll(async () => void (server = await startOpenAiServer({ embeddings: 64 })));
  afterAll(() => server.close());
  const model = (dimensions?: number) =>
    fromAiSdkEmbeddingModel(
      createOpenAICompatible({ name: "local", baseURL: server.url }).embeddingModel("test-embedding"),
      dimensions === undefined ? {} : { dimensions },
    );
  const texts = ["a lighthouse", "the sea at night", "größe zwölf", "灯台は遠くから", "one more word"];
  describe("of stated dimensions", () => {
    runPack(createEmbeddingModelPack({ create: () => model(64), texts }));
  });
  describe("of dimensions that it does not state", () => {
    runPack(createEmbeddingModelPack({ create: () => model(), texts }));
  });
});
