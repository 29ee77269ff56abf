import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { describe, expect, it, vi } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { createAnswerStreams } from "../../src/server/answer-streams.ts";
import type { Call } from "../../src/server/route.ts";
import { keys, openWorld, startWorld } from "./service.ts";

const words = ["A ", "key ", "is ", "valid ", "for ", "ninety ", "days ", "[1]."];

/** A model that writes one word each time the test lets it, and counts how often it is asked. */
function slowModel() {
  let asked = 0;
  let stopped = 0;
  let allowed = Promise.withResolvers<void>();
  const model: ChatModel = {
    provider: "testing",
    model: "slow",
    chat: () => Promise.reject(new Error("It streams.")),
    async *stream(_messages, { signal } = {}) {
      asked += 1;
      signal?.addEventListener("abort", () => (stopped += 1), { once: true });
      for (const [index, delta] of words.entries()) {
        if (index === 3)
          await Promise.race([allowed.promise, new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
        signal?.throwIfAborted();
        yield { type: "text", delta };
      }
      yield {
        type: "finish",
        result: { message: { role: "assistant", content: words.join("") }, finishReason: "stop" },
      };
    },
  };
  return {
    model,
    goOn: () => allowed.resolve(),
    again: () => void (allowed = Promise.withResolvers<void>()),
    get asked() {
      return asked;
    },
    get stopped() {
      return stopped;
    },
  };
}

interface Seen {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads events until there are `most`, then leaves. */
async function read(response: Response, most = Infinity): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  let text = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "mu").exec(block)?.[1] ?? "";
      if (block.startsWith(":")) continue;
      seen.push({ id: field("id"), event: field("event"), data: field("data") });
    }
    if (seen.length >= most) {
      await reader.cancel();
      break;
    }
  }
  return seen.slice(0, most);
}

const question = { question: "How long is a key valid?", grounding: "permissive" };

function asker(url: string, who: keyof typeof keys = "ada") {
  return (path: string, { body, last, method }: { body?: object; last?: string; method?: string } = {}) =>
    fetch(new URL(path, url), {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        authorization: `Bearer ${keys[who].key}`,
        accept: "text/event-stream",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(last !== undefined && { "last-event-id": last }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

describe("a stream of an answer", () => {
  it("goes on for a client that comes back, from each place, and asks the model once", async () => {
    const slow = slowModel();
    const { service } = await startWorld({}, await openWorld(slow.model));
    const send = asker(service.url);
    const begun = await read(await send("ask", { body: question }), 1);
    expect(begun.map(({ event }) => event)).toEqual(["hits"]);
    const last = begun.at(-1)!.id;
    const [byPost, byGet] = [send("ask", { body: question, last }), send(`stream?id=${last.split(".")[0]}`, { last })];
    slow.goOn();
    const rests = await Promise.all([byPost, byGet].map(async (response) => read(await response)));
    expect(rests[1]).toEqual(rests[0]);
    const all = [...begun, ...rests[0]!];
    expect(all.map(({ id }) => Number(id.split(".")[1]))).toEqual(all.map((_, index) => index + 1));
    const text = all
      .filter(({ event }) => event === "text")
      .map(({ data }) => (JSON.parse(data) as { delta: string }).delta);
    expect(text.join("")).toContain("valid for ninety days");
    expect(all.map(({ event }) => event).filter((event) => event === "answer" || event === "error")).toEqual([
      "answer",
    ]);
    expect(all.at(-1)?.event).toBe("answer");
    // After its end it is still there, from each event on.
    for (const [index, { id }] of all.entries())
      expect(await read(await send("ask", { body: question, last: id }))).toEqual(all.slice(index + 1));
    // A client that forgets to ask for events does not ask the model either.
    const { key } = keys.ada;
    const forgetful = await fetch(new URL("ask", service.url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "last-event-id": last },
      body: JSON.stringify(question),
    });
    expect(await read(forgetful)).toEqual(rests[0]);
    expect(slow.asked).toBe(1);
  });

  it("has no event beyond the last: a number that was not sent is refused, and after the end an EventSource stops", async () => {
    const slow = slowModel();
    const { service } = await startWorld({}, await openWorld(slow.model));
    const send = asker(service.url);
    const { id } = (await read(await send("ask", { body: question }), 1))[0]!;
    const [stream] = id.split(".");
    const beyond = { body: question, last: `${stream}.2` };
    expect((await send("ask", beyond)).status).toBe(400);
    expect(await (await send(`stream?id=${stream}`, { last: `${stream}.99` })).text()).toContain("sent no event 99");
    slow.goOn();
    const all = await read(await send(`stream?id=${stream}`));
    const end = all.at(-1)!.id;
    expect((await send(`stream?id=${stream}`, { last: end })).status).toBe(204);
    expect((await send(`stream?id=${stream}`, { last: all.at(-2)!.id })).status).toBe(200);
    expect((await send(`stream?id=${stream}`, { last: `${stream}.${all.length + 1}` })).status).toBe(400);
    expect(slow.asked).toBe(1);
  });

  it("belongs to its caller: others cannot resume or end it, and an unknown id is not asked again", async () => {
    const slow = slowModel();
    const { service } = await startWorld({}, await openWorld(slow.model));
    const id = (await read(await asker(service.url)("ask", { body: question }), 1))[0]!.id;
    const [stream] = id.split(".");
    for (const who of ["bob", "anyone", "operator"] as const) {
      const send = asker(service.url, who);
      expect((await send("ask", { body: question, last: id })).status).toBe(404);
      expect((await send(`stream?id=${stream}`)).status).toBe(404);
      expect((await send(`stream?id=${stream}`, { method: "DELETE" })).status).toBe(404);
    }
    const own = asker(service.url);
    expect((await own("ask", { body: question, last: `${crypto.randomUUID()}.1` })).status).toBe(404);
    expect((await own("ask", { body: question, last: "7" })).status).toBe(400);
    expect((await own("stream")).status).toBe(400);
    expect(slow.asked).toBe(1);
    expect(await (await own(`stream?id=${stream}`, { method: "DELETE" })).json()).toEqual({ stopped: true });
    await vi.waitFor(() => expect(slow.stopped).toBe(1), { timeout: 20_000 });
    const rest = await read(await own("ask", { body: question, last: id }));
    expect(rest.at(-1)?.event).toBe("error");
  });

  it("ends its run when the client does not come back in time", async () => {
    const slow = slowModel();
    const { service } = await startWorld({ limits: { resumeMs: 50 } }, await openWorld(slow.model));
    const send = asker(service.url);
    const id = (await read(await send("ask", { body: question }), 1))[0]!.id;
    await vi.waitFor(() => expect(slow.stopped).toBe(1), { timeout: 5000 });
    await vi.waitFor(async () => expect((await send("ask", { body: question, last: id })).status).toBe(404), {
      timeout: 5000,
      interval: 300,
    });
    const none = await startWorld({ limits: { resumeMs: 0 } }, await openWorld(slow.model));
    await read(await asker(none.service.url)("ask", { body: question }), 1);
    await vi.waitFor(() => expect(slow.stopped).toBe(2), { timeout: 5000 });
  });

  it("goes on for useChat, by the id of the chat, until the client has seen its end", async () => {
    const slow = slowModel();
    const { service } = await startWorld({}, await openWorld(slow.model));
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${service.url}chat`,
      headers: { authorization: `Bearer ${keys.ada.key}` },
    });
    const byQuery = new DefaultChatTransport<UIMessage>({
      headers: { authorization: `Bearer ${keys.ada.key}` },
      prepareReconnectToStreamRequest: ({ id }) => ({ api: `${service.url}stream?chat=${id}` }),
    });
    const first = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "holiday",
      messageId: undefined,
      abortSignal: undefined,
      messages: [{ id: "1", role: "user", parts: [{ type: "text", text: question.question }] }],
      body: { grounding: "permissive" },
    });
    const reader = first.getReader();
    await reader.read();
    await reader.cancel();
    const both = [transport, byQuery];
    const again = await Promise.all(both.map((each) => each.reconnectToStream({ chatId: "holiday" })));
    slow.goOn();
    for (const stream of again) {
      let message: UIMessage | undefined;
      for await (const each of readUIMessageStream({ stream: stream! })) message = each;
      const text = message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      expect(text).toContain("valid for ninety days");
    }
    for (const each of both) {
      expect(await each.reconnectToStream({ chatId: "holiday" })).toBeNull();
      expect(await each.reconnectToStream({ chatId: "another" })).toBeNull();
    }
    expect(slow.asked).toBe(1);
  });
});

describe("the streams that are kept", () => {
  const callOf = (name: string): Call =>
    ({
      caller: { name, access: { userId: name } },
      request: new Request("http://localhost/"),
      requestId: "1",
      detach: () => ({ signal: new AbortController().signal, release() {} }),
      fail() {},
    }) as unknown as Call;

  it("are found by their key before their first event, also after the first client left, and by their caller alone", async () => {
    const streams = createAnswerStreams({ resumeMs: 60_000, repeatMs: 60_000, streamBytes: 10_000 });
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    const make = async function* () {
      asked++;
      await begun.promise;
      yield { data: "one" };
      yield { data: "two" };
    };
    const left = new AbortController();
    const keyed = (name: string, key: string, signal?: AbortSignal): Call => {
      const headers = { "idempotency-key": key };
      return { ...callOf(name), request: new Request("http://localhost/", { headers, signal: signal ?? null }) };
    };
    const first = streams.start(keyed("ada", "k", left.signal), make);
    const again = await streams.start(keyed("ada", "k"), make);
    expect(asked).toBe(1);
    left.abort();
    begun.resolve();
    expect((await read(again)).map(({ data }) => data)).toEqual(["one", "two"]);
    await (await first).body?.cancel();
    expect(asked).toBe(1);
    await streams.start(keyed("ada", "other"), make);
    await streams.start(keyed("bob", "k"), make);
    expect(asked).toBe(3);
    streams.close();
  });

  it("have bounded bytes: the oldest that are over go first, then events that every client has read", async () => {
    const streams = createAnswerStreams({ resumeMs: 60_000, repeatMs: 60_000, streamBytes: 10_000 });
    const events = (count: number) =>
      async function* () {
        for (let index = 0; index < count; index++) yield { data: "x".repeat(400) };
      };
    const idOf = async (response: Response): Promise<string> => (await read(response)).at(-1)!.id.split(".")[0]!;
    const call = callOf("ada");
    const ids: string[] = [];
    // Nine events of 900 bytes each fill a stream.
    for (let index = 0; index < 4; index++) ids.push(await idOf(await streams.start(call, events(5))));
    expect(() => streams.resume(call, ids[0]!, 0)).toThrow("no stream");
    expect(() => streams.resume(call, ids[1]!, 0)).toThrow("no stream");
    expect(await read(streams.resume(call, ids[3]!, 0))).toHaveLength(5);
    expect(() => streams.resume(callOf("bob"), ids[3]!, 0)).toThrow("no stream");
    const long = await idOf(await streams.start(call, events(50)));
    expect(() => streams.resume(call, long, 0)).toThrow("not kept any more");
    expect(await read(streams.resume(call, long, 45))).toHaveLength(5);
    streams.close();
    expect(() => streams.resume(call, long, 45)).toThrow("no stream");
  });
});
