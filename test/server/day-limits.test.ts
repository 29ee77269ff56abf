import { describe, expect, it } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { createDayBudget } from "../../src/server/limits.ts";
import { parseKeys } from "../../src/server/caller-keys.ts";
import { keys, openWorld, startWorld } from "./service.ts";

/** A model that says how many tokens each answer takes. */
const counting: ChatModel = {
  provider: "testing",
  model: "counting",
  chat: async () => ({
    message: { role: "assistant", content: "A key is valid for ninety days [1]." },
    usage: { inputTokens: 60, outputTokens: 10 },
  }),
  async *stream() {
    yield { type: "text", delta: "A key is valid for ninety days [1]." };
    const message = { role: "assistant" as const, content: "A key is valid for ninety days [1]." };
    yield { type: "finish", result: { message, usage: { inputTokens: 60, outputTokens: 10 } } };
  },
};
const ask = { body: { question: "How long is a key valid?" } };
const search = { body: { query: "key" } };

describe("the budget of a day", () => {
  it("takes what fits, and begins anew with the next day of UTC", () => {
    let now = Date.UTC(2026, 4, 1, 23, 59, 30);
    const days = createDayBudget(() => now);
    expect(days.take("ada", "bytes", 60, 100)).toBe(0);
    expect(days.take("ada", "bytes", 41, 100)).toBe(30);
    expect(days.take("ada", "bytes", 40, 100)).toBe(0);
    expect(days.take("ada", "requests", 1, 1)).toBe(0);
    expect(days.take("bob", "bytes", 100, 100)).toBe(0);
    expect(days.take("bob", "bytes", 1_000_000, 0)).toBe(0);
    now += 30_000;
    expect(days.take("ada", "bytes", 100, 100)).toBe(0);
    expect(days.take("ada", "bytes", 1, 100)).toBe(86_400);
  });
});

describe("limits of a day of one key [20]", () => {
  it("refuse its requests beyond them, and nobody else's", async () => {
    const { as } = await startWorld({ keys: [keys.ada, { ...keys.bob, requestsPerDay: 2 }, keys.operator] });
    expect((await as("bob", "/documents")).status).toBe(200);
    expect((await as("bob", "/search", search)).status).toBe(200);
    const refused = await as("bob", "/search", search);
    expect([refused.status, refused.json.error.code]).toEqual([429, "rate-limited"]);
    expect(refused.json.error.message).toBe("This service gives one caller 2 requests a day.");
    const wait = Number(refused.headers["retry-after"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    for (let n = 0; n < 4; n++) expect((await as("ada", "/search", search)).status).toBe(200);
  });

  it("count the bytes of bodies as they arrive: JSON, files, forms and jobs", async () => {
    const { as } = await startWorld({ keys: [keys.ada, keys.bob, keys.operator], limits: { bytesPerDay: 50_000 } });
    const put = (uri: string, size: number, path = "/document") =>
      as("ada", `${path}?uri=${uri}&scope=user:ada`, {
        method: path === "/jobs" ? "POST" : "PUT",
        body: new Uint8Array(size).fill(0x61),
        headers: { "content-type": "text/plain", ...(size === 20_001 && { "transfer-encoding": "chunked" }) },
      });
    expect((await put("a.txt", 20_000)).status).toBe(201);
    expect((await put("b.txt", 20_000, "/jobs")).status).toBe(202);
    for (const path of ["/document", "/jobs"])
      for (const size of [20_000, 20_001]) {
        const refused = await put("c.txt", size, path).catch(() => undefined);
        expect(refused?.status ?? 429).toBe(429);
      }
    expect((await as("ada", "/document?uri=c.txt")).status).toBe(404);
    expect((await as("bob", "/search", search)).status).toBe(200);
  });

  it("count the tokens of answers, whole, streamed and broken off; a search needs none", async () => {
    const { as } = await startWorld(
      { keys: [{ ...keys.ada, tokensPerDay: 150 }, keys.bob, keys.operator] },
      await openWorld(counting),
    );
    expect((await as("ada", "/ask", ask)).status).toBe(200);
    const streamed = await as("ada", "/ask", { ...ask, headers: { accept: "text/event-stream" } });
    expect(streamed.text).toContain("ninety days");
    expect((await as("ada", "/ask", ask)).status).toBe(200);
    const refused = await as("ada", "/ask", ask);
    expect([refused.status, refused.json.error.message]).toEqual([
      429,
      "This service gives one caller 150 tokens a day.",
    ]);
    const chat = { model: "ibid", messages: [{ role: "user", content: "How long is a key valid?" }] };
    expect((await as("ada", "/v1/chat/completions", { body: chat })).status).toBe(429);
    const call = { name: "ask", arguments: { question: "How long is a key valid?" } };
    const byAgent = await as("ada", "/mcp", {
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
      headers: { accept: "application/json, text/event-stream" },
    });
    expect(byAgent.text).toContain("This service gives one caller 150 tokens a day. Try again in");
    expect((await as("ada", "/search", search)).status).toBe(200);
    expect((await as("bob", "/ask", ask)).status).toBe(200);
  });

  it("count by characters where the model counts none, and nothing where no model answers", async () => {
    const silent: ChatModel = {
      ...counting,
      chat: async () => ({ message: { role: "assistant", content: "A key is valid for ninety days [1]." } }),
      async *stream() {
        yield { type: "text", delta: "A key is valid for ninety days [1]." };
        yield {
          type: "finish",
          result: { message: { role: "assistant", content: "A key is valid for ninety days [1]." } },
        };
      },
    };
    for (const [model, answers] of [
      [silent, 1],
      [undefined, 4],
    ] as const) {
      const key = { ...keys.ada, tokensPerDay: 10 };
      const { as } = await startWorld({ keys: [key, keys.operator] }, await openWorld(model));
      const given: number[] = [];
      for (let n = 0; n < 4; n++) given.push((await as("ada", "/ask", ask)).status);
      expect(given).toEqual(given.map((_, n) => (n < answers ? 200 : 429)));
    }
  });

  it("stand in a file of keys, as whole numbers", () => {
    const file = (fields: object): string => JSON.stringify({ keys: [{ name: "a", key: "a".repeat(16), ...fields }] });
    const fields = { requestsPerDay: 10, bytesPerDay: 5_000_000_000, tokensPerDay: 0 };
    expect(parseKeys(file(fields))).toMatchObject([fields]);
    for (const name of Object.keys(fields))
      for (const value of [-1, 1.5, "2"]) expect(() => parseKeys(file({ [name]: value }))).toThrow(name);
  });
});
