import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChatModel, ChatOptions, ChatStreamPart } from "../../src/contracts/chat.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { limitAnswers } from "../../src/models/limit-answers.ts";
import { resolveChatModel, resolveEmbeddingModel } from "../../src/models/hosted/resolve-model.ts";
import { type floods, startFlood } from "../support/flood-server.ts";

const question = { role: "user", content: "Question?" } as const;
const never = (): Promise<never> => new Promise(() => {});

/** A model that streams these texts, and then nothing more or a finish. */
function speaking(texts: readonly string[], isEndless = false): ChatModel & { readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const message = { role: "assistant" as const, content: texts.join("") };
  return {
    provider: "testing",
    model: "speaking",
    signals,
    async chat(_messages, options: ChatOptions = {}) {
      signals.push(options.signal!);
      return isEndless ? never() : { message };
    },
    async *stream(_messages, options: ChatOptions = {}): AsyncGenerator<ChatStreamPart> {
      signals.push(options.signal!);
      for (const delta of texts) yield { type: "text", delta };
      if (isEndless) await never();
      yield { type: "finish", result: { message } };
    },
  };
}

async function read(model: ChatModel, options?: ChatOptions): Promise<string> {
  let text = "";
  for await (const part of model.stream(question, options)) if (part.type === "text") text += part.delta;
  return text;
}

describe("limits of an answer", () => {
  it("an answer passes whole if it is as long as allowed, and ends one character later, in whatever pieces it comes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 12 }), async (texts) => {
        const length = texts.join("").length;
        const model = speaking(texts);
        await expect(read(limitAnswers(model, { characters: Math.max(1, length) }))).resolves.toBe(texts.join(""));
        const { message } = await limitAnswers(model, { characters: Math.max(1, length) }).chat(question);
        expect(message.content).toBe(texts.join(""));
        if (length < 2) return;
        const short = limitAnswers(model, { characters: length - 1 });
        const error = { code: "invalid-response", details: { maxCharacters: length - 1 } };
        await expect(read(short)).rejects.toMatchObject(error);
        await expect(short.chat(question)).rejects.toMatchObject(error);
        expect(model.signals.slice(-2).map(({ aborted }) => aborted)).toEqual([true, true]);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ["no word at all", [], "startMs"],
    ["words without characters", ["", "", ""], "startMs"],
    ["words, then silence", ["and ", "so on"], "silenceMs"],
  ] as const)("a silence ends an answer, and the model's signal fires: %s", async (_, texts, option) => {
    const model = speaking(texts, true);
    const limited = limitAnswers(model, { startMs: 20, silenceMs: 30 });
    await expect(read(limited)).rejects.toMatchObject({
      code: "timeout",
      hint: expect.stringContaining(`models.limits.${option}`) as string,
    });
    await expect(limited.chat(question)).rejects.toMatchObject({ code: "timeout", details: { waitMs: 20 } });
    expect(model.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("words without characters, one after another, end no silence", async () => {
    const dripping: ChatModel = {
      ...speaking([]),
      async *stream(): AsyncGenerator<ChatStreamPart> {
        for (;;) {
          await new Promise(setImmediate);
          yield { type: "text", delta: "" };
        }
      },
    };
    await expect(read(limitAnswers(dripping, { startMs: 20 }))).rejects.toMatchObject({ code: "timeout" });
  });

  it("the caller's signal ends an answer at once, also of a model that does not listen", async () => {
    const limited = limitAnswers(speaking([], true));
    const stop = new AbortController();
    const waiting = [read(limited, { signal: stop.signal }), limited.chat(question, { signal: stop.signal })];
    stop.abort();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: "aborted" });
    await expect(limited.chat(question, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });

  it("hold for the models of a knowledge base, and for a judge of one call", async () => {
    const kb = await openKnowledgeBase({
      models: { chat: speaking(["Keys last ninety days [1]."]), limits: { characters: 10, startMs: 20 } },
      reading: { worker: false },
    });
    onTestFinished(() => kb.close());
    await kb.ingest({ uri: "keys.txt", text: "Keys last ninety days." });
    await expect(kb.ask("How long do keys last?")).rejects.toMatchObject({ code: "invalid-response" });
    // A judge that fails leaves its sentences to the words.
    const verified = await kb.verify("Keys last ninety days.", { judge: speaking([], true) });
    expect(verified.support.judgeFailure).toBeDefined();
  });

  it("have bounds", async () => {
    await expect(openKnowledgeBase({ models: { limits: { characters: 0 } } })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("models.limits.characters") as string,
    });
  });
});

/** Sockets that this process connects from now on. Bytes that were read count, and those that the system keeps do not. */
function socketsOfClients(): readonly { readonly remotePort: () => number; readonly bytesRead: () => number }[] {
  const sockets: { readonly remotePort: () => number; readonly bytesRead: () => number }[] = [];
  const note = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    let port = 0;
    socket.once("connect", () => (port = socket.remotePort ?? 0));
    sockets.push({ remotePort: () => port, bytesRead: () => socket.bytesRead });
  };
  subscribe("net.client.socket", note);
  onTestFinished(() => void unsubscribe("net.client.socket", note));
  return sockets;
}

describe("a model server without end", () => {
  const megabytes = 2 ** 20;

  it.each<[keyof typeof floods, "stream" | "chat" | "embed", number]>([
    // 400,000 characters of an answer; arguments of a call are read to the end of their event.
    ["words", "stream", 1],
    ["calls", "stream", 2.5],
    // A line, and an event, have at most two megabytes.
    ["one line", "stream", 2.5],
    ["one event", "stream", 2.5],
    ["empty lines", "stream", 2.5],
    ["thoughts", "stream", 25],
    ["one text", "chat", 8.5],
    ["one vector", "embed", 2.5],
  ])("is left, its connection closed: %s", async (shape, how, most) => {
    const flood = await startFlood(shape, 200 * megabytes);
    onTestFinished(() => flood.close());
    const sockets = socketsOfClients();
    const name = `openai-compatible/m@${flood.url}`;
    const chat = limitAnswers(await resolveChatModel(name, { env: {} }));
    const ways = {
      stream: () => read(chat),
      chat: () => chat.chat(question),
      embed: async () =>
        (await resolveEmbeddingModel(name, { env: {} })).embed(["text"], { purpose: "query" } as never),
    };
    await expect(ways[how]()).rejects.toMatchObject({ code: "invalid-response" });
    await expect.poll(flood.isClosed).toBe(true);
    const port = Number(new URL(flood.url).port);
    let bytes = 0;
    for (const { remotePort, bytesRead } of sockets) if (remotePort() === port) bytes += bytesRead();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes / megabytes).toBeLessThan(most);
    // The rest never reaches the process: the system keeps up to some megabytes for a connection, on either side.
    expect(flood.sent() / megabytes).toBeLessThan(most + 7);
  });
});

describe("a model of one's own", () => {
  it.each(["provider", "model", "chat", "stream"])("without %s is refused where it is given", async (name) => {
    const lacking = { ...speaking(["Yes."]), [name]: undefined } as unknown as ChatModel;
    const refused = { code: "invalid-argument", message: expect.stringMatching(/chat model/u) as string };
    await expect(openKnowledgeBase({ models: { chat: lacking } })).rejects.toMatchObject(refused);
    await using kb = await openKnowledgeBase();
    await kb.ingest({ uri: "a.txt", text: "Keys live for ninety days." });
    await expect(kb.ask("How long do keys live?", { judge: lacking })).rejects.toMatchObject(refused);
  });
});
