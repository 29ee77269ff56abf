import { afterEach, describe, expect, it } from "vitest";

import { type OpenAiScript, type OpenAiServer, startOpenAiServer, vectorOf } from "../support/openai-server.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(script: OpenAiScript): Promise<OpenAiServer> {
  const server = await startOpenAiServer(script);
  servers.push(server);
  return server;
}

// The other tests lean on this server, so what they lean on is said once, with nothing but fetch.
describe("the OpenAI-compatible test server", () => {
  const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { method: "POST", body: JSON.stringify(body), headers });

  it("lists its models, wants its key, and knows no other path", async () => {
    const server = await start({ models: ["a", "b"], apiKey: "k" });
    expect((await fetch(`${server.url}/models`)).status).toBe(401);
    const models = (await (await fetch(`${server.url}/models`, { headers: { authorization: "Bearer k" } })).json()) as {
      data: { id: string }[];
    };
    expect(models.data.map(({ id }) => id)).toEqual(["a", "b"]);
    expect((await fetch(`${server.url}/other`, { headers: { authorization: "Bearer k" } })).status).toBe(404);
  });

  it("calls its script with each request and how many came before, and records them", async () => {
    const server = await start({
      chat: (request, before) => `${before}: ${String(request.body["n"])}`,
    });
    const said: unknown[] = [];
    for (const n of [7, 8]) {
      const answer = (await (await post(`${server.url}/chat/completions`, { n, messages: [] })).json()) as {
        choices: { message: { content: string } }[];
      };
      said.push(answer.choices[0]?.message.content);
    }
    expect(said).toEqual(["0: 7", "1: 8"]);
    expect(server.requests.map((request) => [request.method, request.path, request.body["n"]])).toEqual([
      ["POST", "/v1/chat/completions", 7],
      ["POST", "/v1/chat/completions", 8],
    ]);
    expect(await server.requests[0]?.ended).toBe("finished");
  });

  it("streams events and ends them as OpenAI does", async () => {
    const server = await start({ chat: { content: "a b", pieces: ["a", " b"] } });
    const text = await (await post(`${server.url}/chat/completions`, { stream: true, messages: [] })).text();
    const events = text.trim().split("\n\n");
    expect(events.at(-1)).toBe("data: [DONE]");
    expect(events).toHaveLength(4);
    expect(JSON.parse(events[1]?.slice(6) ?? "")).toMatchObject({ choices: [{ delta: { content: " b" } }] });
  });

  it("embeds texts with common words near each other, the same each time", async () => {
    const dot = (a: string, b: string): number => {
      const other = vectorOf(b, 64);
      return vectorOf(a, 64).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
    };
    expect(dot("rotate the keys", "how to rotate keys")).toBeGreaterThan(dot("rotate the keys", "cheese for lunch"));
    expect(dot("same text", "same text")).toBeCloseTo(1, 12);
    expect(vectorOf("", 3)).toEqual([1, 0, 0]);
  });

  it("says loudly when its own script fails", async () => {
    const server = await start({
      chat: () => {
        throw new Error("mistake");
      },
    });
    const response = await post(`${server.url}/chat/completions`, { messages: [] });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("script failed: Error: mistake");
  });
});
