import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { createHandler } from "../../src/server/index.node.ts";
import { createBodyRoom } from "../../src/server/body-room.ts";
import { createSlots } from "../../src/server/slots.ts";
import { keys, openWorld, startWorld } from "./service.ts";
import { fewer } from "../support/runs.ts";

const question = { question: "How long is a key valid?" };

/** A model that says nothing, and does not listen to its signal. */
function silentModel(): { readonly model: ChatModel; readonly calls: () => number } {
  let calls = 0;
  const forever = (): Promise<never> => {
    calls += 1;
    return new Promise(() => {});
  };
  const stream = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: forever }) });
  return { model: { provider: "testing", model: "silent", chat: forever, stream }, calls: () => calls };
}

/** Begins a request whose body never ends. */
async function beginBody(port: number, key: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  const head = `POST /search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: 1000\r\n\r\n{`);
}

describe("slots", () => {
  const { signal } = new AbortController();

  it("go to the first who waits, come back once, and are lost by nobody who leaves", async () => {
    const slots = createSlots({ concurrent: 1, waiting: 2, perCaller: 1 });
    const first = await slots.take("a", signal);
    const leaving = new AbortController();
    const order: string[] = [];
    const left = slots.take("a", leaving.signal).catch(() => order.push("left"));
    const second = slots.take("a", signal).then((giveBack) => {
      order.push("second");
      return giveBack;
    });
    await expect(slots.take("a", signal)).rejects.toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    leaving.abort();
    await left;
    first();
    first();
    const giveBack = await second;
    const third = slots.take("a", signal).then((back) => {
      order.push("third");
      return back;
    });
    await Promise.resolve();
    expect(order).toEqual(["left", "second"]);
    giveBack();
    (await third)();
    expect(order).toEqual(["left", "second", "third"]);
    await expect(slots.take("a", AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  });

  it("one caller holds a share of them and of the queue, and whoever holds fewest comes first", async () => {
    const slots = createSlots({ concurrent: 4, waiting: 4, perCaller: 2 });
    const [one, two] = [await slots.take("a", signal), await slots.take("a", signal)];
    const order: string[] = [];
    const wait = (caller: string) =>
      slots.take(caller, signal).then((giveBack) => {
        order.push(caller);
        return giveBack;
      });
    const waiting = [wait("a"), wait("a")];
    // Two slots are free, and the share of "a" is taken.
    await expect(slots.take("a", signal)).rejects.toMatchObject({ status: 503 });
    const [b, c] = [await slots.take("b", signal), await slots.take("c", signal)];
    waiting.push(wait("b"));
    // One slot is kept for a caller who has none: "a" and "b" hold one each.
    one();
    const d = await slots.take("d", signal);
    expect(order).toEqual([]);
    // "a" is the first of those who hold none.
    two();
    await waiting[0];
    c();
    d();
    // Two are free. "a" and "b" hold one each, and "a" waits longer.
    await waiting[1];
    b();
    await waiting[2];
    expect(order).toEqual(["a", "a", "b"]);
  });

  it("greedy callers of any number leave a slot to another, and as much as each of them holds", async () => {
    const shares = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(shares, fc.integer({ min: 1, max: 60 }), async (perCaller, greedy) => {
        const concurrent = 2 * perCaller;
        const slots = createSlots({ concurrent, waiting: 1_000_000, perCaller });
        const held = Array.from({ length: greedy }, () => 0);
        const want = (caller: number): void =>
          void slots.take(String(caller), signal).then(() => {
            held[caller]! += 1;
          });
        for (let turn = 0; turn < concurrent; turn++) for (let caller = 0; caller < greedy; caller++) want(caller);
        await new Promise(setImmediate);
        // Alone, a caller has half. Several have one share more than they are, and at least one slot each.
        const [least, most] = [Math.min(...held), Math.max(...held)];
        expect(least).toBeGreaterThanOrEqual(Math.max(1, most - 1));
        expect(most).toBe(Math.ceil(concurrent / (greedy + 1)));
        let own = 0;
        for (let n = 0; n < concurrent; n++) void slots.take("other", signal).then(() => (own += 1));
        await new Promise(setImmediate);
        expect(own).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: fewer(20, 60) },
    );
  });

  it("whatever comes, no share is passed, no caller waits without a slot, and all get one", async () => {
    const sizes = fc.record({ concurrent: fc.integer({ min: 1, max: 6 }), perCaller: fc.integer({ min: 1, max: 6 }) });
    const steps = fc.array(fc.record({ caller: fc.constantFrom("a", "b", "c"), ends: fc.nat(9) }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sizes, steps, async ({ concurrent, perCaller }, requests) => {
        const share = Math.min(perCaller, concurrent);
        const slots = createSlots({ concurrent, waiting: 1000, perCaller: share });
        const running: { readonly caller: string; readonly giveBack: () => void }[] = [];
        const wanted = new Map<string, number>();
        let served = 0;
        const check = async (): Promise<void> => {
          await new Promise(setImmediate);
          const held = (caller: string): number => running.filter((each) => each.caller === caller).length;
          const others = new Set(running.map(({ caller }) => caller)).size - 1;
          expect(running.length).toBeLessThanOrEqual(concurrent + Math.max(0, others));
          for (const [caller, wants] of wanted) {
            expect(held(caller)).toBeLessThanOrEqual(share);
            expect(held(caller)).toBeGreaterThanOrEqual(Math.min(1, wants));
            const isAlone = held(caller) === running.length;
            // Alone, a caller has the whole share.
            expect(isAlone && held(caller) < Math.min(wants, share)).toBe(false);
          }
        };
        const end = (at: number): void => {
          const [over] = running.splice(at % running.length, 1);
          if (over === undefined) return;
          wanted.set(over.caller, wanted.get(over.caller)! - 1);
          over.giveBack();
        };
        for (const { caller, ends } of requests) {
          wanted.set(caller, (wanted.get(caller) ?? 0) + 1);
          void slots.take(caller, signal).then((giveBack) => {
            served += 1;
            running.push({ caller, giveBack });
          });
          await check();
          if (ends < 4) end(ends);
          await check();
        }
        while (running.length > 0) {
          end(0);
          await check();
        }
        expect(served).toBe(requests.length);
      }),
      { numRuns: fewer(10, 30) },
    );
  });
});

describe("memory for bodies", () => {
  it("is bounded for all and for one caller, and comes back once", () => {
    const room = createBodyRoom(100, 60);
    const [first, second, other] = [room.open("a"), room.open("a"), room.open("b")];
    first.add(50);
    expect(() => second.add(11)).toThrow(expect.objectContaining({ status: 503 }));
    second.add(10);
    // 40 are left, and a share is six tenths of that: 24.
    expect(() => other.add(25)).toThrow(expect.objectContaining({ status: 503 }));
    other.add(24);
    const last = room.open("c");
    last.add(9);
    for (const each of [first, first, other, last]) each.release();
    second.add(50);
    expect(() => second.add(1)).toThrow(expect.objectContaining({ status: 503 }));
  });

  it("is refused over HTTP beyond a caller's share, and others still send", async () => {
    const kb = await openWorld();
    const handler = createHandler(kb, {
      keys: [keys.ada, keys.bob],
      limits: { maxUploadBytes: 1000, maxJsonBytes: 1000, maxBufferedBytes: 2000, concurrent: 2, perCaller: 1 },
    });
    const post = (who: "ada" | "bob", body: string | ReadableStream) =>
      handler(
        new Request("http://localhost/search", {
          method: "POST",
          body,
          headers: { "content-type": "application/json", authorization: `Bearer ${keys[who].key}` },
          duplex: "half",
        }),
      );
    const parts = new TransformStream<Uint8Array, Uint8Array>();
    const writer = parts.writable.getWriter();
    const slow = post("ada", parts.readable);
    await writer.write(new TextEncoder().encode(`{"query": "rotate key${" ".repeat(600)}`));
    const large = JSON.stringify({ query: `rotate${" ".repeat(600)}key` });
    await expect.poll(async () => (await post("ada", large)).status).toBe(503);
    expect((await post("bob", large)).status).toBe(200);
    await writer.write(new TextEncoder().encode('"}'));
    await writer.close();
    expect((await slow).status).toBe(200);
    expect((await post("ada", large)).status).toBe(200);
  });
});

describe("one key does not stop the others", () => {
  it("with bodies that never end, and a model that never answers", async () => {
    const { model, calls } = silentModel();
    const { service, as } = await startWorld({ limits: { concurrent: 4, waiting: 16 } }, await openWorld(model));
    for (let i = 0; i < 16; i++) await beginBody(service.port, keys.ada.key);
    const left = new AbortController();
    onTestFinished(() => left.abort());
    const statuses: number[] = [];
    for (let i = 0; i < 16; i++) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${keys.ada.key}` };
      fetch(`${service.url}ask`, { method: "POST", headers, body: JSON.stringify(question), signal: left.signal }).then(
        ({ status }) => statuses.push(status),
        () => {},
      );
    }
    // Two slots and eight places in the queue are the caller's share.
    await expect.poll(calls).toBe(2);
    await expect.poll(() => statuses).toEqual([503, 503, 503, 503, 503, 503]);
    expect((await as("bob", "/search", { body: { query: "rotate key" } })).status).toBe(200);
    // The same key still has the light routes.
    expect((await as("ada", "/documents")).status).toBe(200);
    expect(calls()).toBe(2);
  });

  it("nor do several keys together, with fewer slots than keys", async () => {
    const { model, calls } = silentModel();
    const { service, as } = await startWorld({ limits: { concurrent: 2, waiting: 4 } }, await openWorld(model));
    const left = new AbortController();
    onTestFinished(() => left.abort());
    for (const { key } of [keys.ada, keys.anyone, keys.operator]) {
      for (let i = 0; i < 8; i++) {
        const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
        const body = JSON.stringify(question);
        fetch(`${service.url}ask`, { method: "POST", headers, body, signal: left.signal }).catch(() => {});
      }
    }
    await expect.poll(calls).toBe(3);
    expect((await as("bob", "/search", { body: { query: "rotate key" } })).status).toBe(200);
    expect(calls()).toBe(3);
  });

  it("and bodies alone hold no slot at all, also of their own key", async () => {
    const { service, as } = await startWorld({ limits: { concurrent: 2 } });
    for (let i = 0; i < 16; i++) await beginBody(service.port, keys.ada.key);
    expect((await as("ada", "/search", { body: { query: "rotate key" } })).status).toBe(200);
  });

  it.each([
    [{ concurrent: 4, perCaller: 5 }, "limits.perCaller is 5; it must be 4 or less"],
    [{ maxBufferedBytes: 1000 }, "limits.maxBufferedBytes is 1000; it must be 33554432 or more"],
  ])("limits that contradict each other are refused: %j", async (limits, problem) => {
    const kb = await openWorld();
    expect(() => createHandler(kb, { limits })).toThrow(problem);
  });
});
