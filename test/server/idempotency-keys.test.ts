import { describe, expect, it } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import type { ServiceLimits } from "../../src/server/index.node.ts";
import { keys, openWorld, startWorld, type Who } from "./service.ts";

/** A model that counts its calls, and writes when the test lets it. It fails as often as it is said. */
function countedModel({ failures = 0, isOpen = true } = {}) {
  let asked = 0;
  const open = Promise.withResolvers<void>();
  if (isOpen) open.resolve();
  const model: ChatModel = {
    provider: "testing",
    model: "counted",
    chat: () => Promise.reject(new Error("It streams.")),
    async *stream(_messages, { signal } = {}) {
      asked += 1;
      const mine = asked;
      const left = new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
      await Promise.race([open.promise, left]);
      signal?.throwIfAborted();
      if (mine <= failures) throw new Error("The provider is away.");
      const content = `A key is valid for ninety days [1].`;
      yield { type: "text", delta: content };
      yield { type: "finish", result: { message: { role: "assistant", content }, finishReason: "stop" } };
    },
  };
  return {
    model,
    open: () => open.resolve(),
    get asked() {
      return asked;
    },
  };
}

const question = "How long is a key valid?";

/** Requests of each route that asks a model, with a question. */
const whole = {
  "v1/chat/completions": (text: string) => ({ model: "ibid", messages: [{ role: "user", content: text }] }),
  "v1/responses": (text: string) => ({ model: "ibid", input: text }),
  ask: (text: string) => ({ question: text, grounding: "permissive" }),
  "rag/query": (text: string) => ({ query: text }),
};
const streamed = {
  "v1/chat/completions": (text: string) => ({ ...whole["v1/chat/completions"](text), stream: true }),
  "v1/responses": (text: string) => ({ ...whole["v1/responses"](text), stream: true }),
  ask: whole.ask,
  chat: (text: string) => ({ messages: [{ id: "1", role: "user", parts: [{ type: "text", text }] }] }),
};

async function serve(counted: ReturnType<typeof countedModel>, limits: ServiceLimits = {}) {
  const { service, kb, as } = await startWorld({ limits }, await openWorld(counted.model));
  const post = (
    path: string,
    body: object,
    {
      who = "ada",
      key = "one",
      accept = "application/json",
      signal,
    }: Partial<Record<"key" | "accept", string>> & {
      readonly who?: Who;
      readonly signal?: AbortSignal;
    } = {},
  ) =>
    fetch(new URL(path, service.url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${keys[who].key}`,
        "content-type": "application/json",
        accept,
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  return { kb, as, post };
}

/** Until so many calls have reached the model. */
async function untilAsked(counted: { readonly asked: number }, count: number): Promise<void> {
  while (counted.asked < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each(Object.entries(whole))("a whole answer of /%s under an Idempotency-Key", (path, bodyOf) => {
  it("is asked for once: a repeat waits for the first one, and a later one gets the same", async () => {
    const counted = countedModel({ isOpen: false });
    const { post } = await serve(counted);
    const both = [post(path, bodyOf(question)), post(path, bodyOf(question))];
    await untilAsked(counted, 1);
    counted.open();
    const texts = await Promise.all(both.map(async (response) => (await response).text()));
    texts.push(await (await post(path, bodyOf(question))).text());
    expect(texts[0]).toContain("ninety days");
    expect(new Set(texts).size).toBe(1);
    expect(counted.asked).toBe(1);
    expect((await post(path, bodyOf(question), { key: "two" })).status).toBe(200);
    expect(counted.asked).toBe(2);
  });

  it("goes on for a client that lost its connection", async () => {
    const counted = countedModel({ isOpen: false });
    const { post } = await serve(counted, { resumeMs: 200 });
    const left = new AbortController();
    const first = post(path, bodyOf(question), { signal: left.signal });
    await untilAsked(counted, 1);
    left.abort();
    await expect(first).rejects.toThrow("aborted");
    const again = post(path, bodyOf(question));
    await new Promise((resolve) => setTimeout(resolve, 300));
    counted.open();
    expect(await (await again).text()).toContain("ninety days");
    expect(counted.asked).toBe(1);
  });

  it("is refused for another question with 422, and made again after a failure", async () => {
    const counted = countedModel({ failures: 1 });
    const { post } = await serve(counted);
    expect((await post(path, bodyOf(question))).status).toBe(path === "rag/query" ? 500 : 502);
    expect(await (await post(path, bodyOf(question))).text()).toContain("ninety days");
    expect(counted.asked).toBe(2);
    const other = await post(path, bodyOf("Who rotates a key?"));
    expect(other.status).toBe(422);
    expect(await other.text()).toContain("This Idempotency-Key came with another request.");
    expect(counted.asked).toBe(2);
  });

  it("is another one for another caller, and after a purge of its documents", async () => {
    const counted = countedModel();
    const { kb, as, post } = await serve(counted);
    const before = await (await post(path, bodyOf(question))).text();
    await post(path, bodyOf(question), { who: "bob" });
    expect(counted.asked).toBe(2);
    // Another purge leaves it.
    await kb.ingest({ uri: "other.md", text: "The pump is oiled each Monday." });
    await as("operator", "/document?uri=other.md&purge=true", { method: "DELETE" });
    expect(await (await post(path, bodyOf(question))).text()).toBe(before);
    expect(counted.asked).toBe(2);
    expect((await as("operator", "/document?uri=deployment.md&purge=true", { method: "DELETE" })).status).toBe(200);
    await post(path, bodyOf(question));
    expect(counted.asked).toBe(3);
  });
});

describe.each(Object.entries(streamed))("a stream of /%s under an Idempotency-Key", (path, bodyOf) => {
  it("is one run for its request, and refused for another one", async () => {
    const counted = countedModel();
    const { post } = await serve(counted);
    const accept = "text/event-stream";
    const first = await (await post(path, bodyOf(question), { accept })).text();
    expect(first).toContain("ninety");
    expect(await (await post(path, bodyOf(question), { accept })).text()).toBe(first);
    expect(counted.asked).toBe(1);
    expect((await post(path, bodyOf("Who rotates a key?"), { accept })).status).toBe(422);
    expect((await post("rag/query", { query: question })).status).toBe(422);
    expect(counted.asked).toBe(1);
  });
});

describe("an Idempotency-Key", () => {
  it("does not keep a run alive for a client that stays away", async () => {
    const away = countedModel({ isOpen: false });
    const alone = await serve(away, { resumeMs: 50 });
    const leaving = new AbortController();
    const gone = alone.post("ask", whole.ask(question), { signal: leaving.signal });
    await untilAsked(away, 1);
    leaving.abort();
    await expect(gone).rejects.toThrow("aborted");
    await new Promise((resolve) => setTimeout(resolve, 300));
    away.open();
    expect(await (await alone.post("ask", whole.ask(question))).text()).toContain("ninety days");
    expect(away.asked).toBe(2);
  });

  it("is kept for limits.repeatMs, whatever limits.resumeMs is", async () => {
    const counted = countedModel();
    const { post } = await serve(counted, { resumeMs: 1, repeatMs: 400 });
    const body = whole.ask(question);
    await post("ask", body);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await post("ask", body);
    expect(counted.asked).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 700));
    await post("ask", body);
    expect(counted.asked).toBe(2);
  });

  it("has 255 characters at most; a verdict has one too", async () => {
    const { post } = await serve(countedModel());
    const long = await post("ask", whole.ask(question), { key: "k".repeat(256) });
    expect(long.status).toBe(400);
    expect(await long.text()).toContain("Idempotency-Key has 256 characters; it may have 255.");
    const body = { answer: 'A key is valid for ninety days [1].\n\n[1]: deployment.md "valid for ninety days"' };
    const [one, two] = [await post("verify", body), await post("verify", body)];
    expect(await one.text()).toBe(await two.text());
    expect((await post("verify", { answer: "Nothing." })).status).toBe(422);
  });
});
