import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openSqliteJobStore } from "../../../src/stores/sqlite/sqlite-job-store.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { IngestionEvent, IngestionQueue } from "../../../src/contracts/ingestion-queue.ts";
import type { JobStore } from "../../../src/contracts/job-store.ts";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { createIngestionQueue } from "../../../src/ingest/queue/ingestion-queue.ts";
import type { IngestionQueueOptions } from "../../../src/ingest/queue/queue-options.ts";
import { createMemoryJobStore } from "../../../src/ingest/queue/memory-job-store.ts";
import { type Behaviour, fakeClock, scriptedKnowledgeBase, turns } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-queue-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const queues: IngestionQueue[] = [];
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close();
});

const busy = new IbidError("rate-limited", "Too fast.", { details: { status: 429 } });
const text = (uri: string, words = uri) => ({ uri, text: words });

describe.each([
  ["memory", async (): Promise<JobStore> => createMemoryJobStore()],
  ["SQLite", (): Promise<JobStore> => openSqliteJobStore(join(folder, `${files++}.sqlite`))],
])("an ingestion queue over %s", (_, openJobs) => {
  async function start(behave?: Behaviour, options: IngestionQueueOptions = {}) {
    const clock = fakeClock();
    const { kb, held, ingested } = scriptedKnowledgeBase(behave);
    const queue = createIngestionQueue(kb, { jobs: await openJobs(), ...clockOf(clock), ...options });
    queues.push(queue);
    return { queue, clock, held, ingested, kb };
  }
  const clockOf = ({ now, wait }: ReturnType<typeof fakeClock>) => ({ now, wait, random: () => 0 });
  /** Until nothing happens any more, however many turns that takes. */
  async function idle(queue: IngestionQueue, clock: ReturnType<typeof fakeClock>): Promise<void> {
    await clock.until(queue.drained());
  }

  it("is drained although a process that died has a job; everywhere, when that was taken and done [T42 L8]", async () => {
    const jobs = await openJobs();
    const { queue, clock, held } = await start(undefined, { jobs, concurrency: 0 });
    await queue.enqueue(text("a.md"));
    await jobs.take({ owner: "dead", now: clock.now(), until: clock.now() + 60_000 });
    await clock.until(queue.drained());
    expect(held.size).toBe(0);
    const { kb } = scriptedKnowledgeBase((given) => void held.set("a.md", given));
    const next = createIngestionQueue(kb, { jobs: { ...jobs, close: async () => {} }, ...clockOf(clock) });
    let isDrained = false;
    const everywhere = next.drained({ everywhere: true }).then(() => (isDrained = true));
    await clock.advance(59_000);
    expect([isDrained, held.size]).toEqual([false, 0]);
    await clock.until(everywhere, 1000);
    expect(held.size).toBe(1);
    await next.close();
  });

  it("takes documents in, ingests them, and says so [T2 T40 T41]", async () => {
    const { queue, held } = await start();
    const events: IngestionEvent[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const event of queue.events({ signal: stop.signal })) events.push(event);
    })();
    const id = await queue.enqueue(text("a.md"));
    expect(id).toBe(queue.idOf("a.md"));
    expect(await queue.done(id as string)).toMatchObject({
      uri: "a.md",
      scope: "deployment",
      state: "indexed",
      attempts: 1,
      result: { documents: 1, chunks: 1, failed: 0 },
    });
    expect(held).toEqual(new Map([["a.md", "a.md"]]));
    await turns();
    stop.abort();
    await listening;
    const names = events.map((event) => ("state" in event ? event.state : event.type));
    expect(names.filter((name) => name !== "embedding")).toEqual([
      "queued",
      "reading",
      "KnowledgeChunkIndexed",
      "indexed",
    ]);
    expect(names.filter((name) => name === "embedding")).toHaveLength(1);
  });

  it("says when it is full, keeps nothing of what it refused, and lets those wait who want to [T42 L9]", async () => {
    const open = Promise.withResolvers<undefined>();
    const { queue, held } = await start(() => open.promise, { capacity: 3 });
    for (const uri of ["a", "b", "c"]) expect(await queue.enqueue(text(uri))).toBe(queue.idOf(uri));
    expect(await queue.enqueue(text("d"))).toBe(false);
    expect(await queue.status(queue.idOf("d"))).toMatchObject({ state: "rejected", error: { code: "store-busy" } });
    expect((await queue.done(queue.idOf("d"))).state).toBe("rejected");
    expect(await queue.depth()).toMatchObject({ depth: 3, capacity: 3, rejected: 1 });
    const waited = queue.enqueueWhenRoom(text("d"));
    open.resolve(undefined);
    expect((await queue.done(await waited)).state).toBe("indexed");
    await queue.drained();
    expect([...held.keys()].toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("works on two at a time [T40]", async () => {
    let [now, most] = [0, 0];
    const { queue } = await start(async () => {
      most = Math.max(most, ++now);
      await turns();
      now--;
      return undefined;
    });
    for (let i = 0; i < 9; i++) await queue.enqueue(text(`${i}`));
    await queue.drained();
    expect(most).toBe(2);
  });

  it("tries again after 30, 60, 120 and 240 seconds, and then no more [T43]", async () => {
    const times: number[] = [];
    const clock = fakeClock();
    const { queue } = await start(() => {
      times.push(clock.now());
      return busy;
    }, clockOf(clock));
    const id = (await queue.enqueue(text("a"))) as string;
    const done = queue.done(id);
    await idle(queue, clock);
    expect(await queue.status(id)).toMatchObject({
      state: "queued",
      attempts: 1,
      retryAt: 31_000,
      error: { code: "rate-limited" },
    });
    await clock.until(done, 1000);
    expect(await done).toMatchObject({
      state: "failed",
      attempts: 5,
      error: { code: "rate-limited", message: "Too fast." },
    });
    const waits = times.slice(1).map((time, i) => time - times[i]!);
    expect(waits.map((ms) => Math.round(ms / 1000))).toEqual([30, 60, 120, 240]);
  });

  it("does not try again what will be no better, and replays dead letters when told to [T41 T43]", async () => {
    let error: IbidError | undefined = new IbidError("embedding-failed", "No such model.", {
      details: { status: 404 },
      hint: "Name another.",
    });
    const { queue, held } = await start(() => error);
    const [a, b] = [(await queue.enqueue(text("a"))) as string, (await queue.enqueue(text("b"))) as string];
    const reason = { code: "embedding-failed", message: "No such model.", hint: "Name another." };
    expect(await queue.done(a)).toMatchObject({ state: "failed", attempts: 1, error: reason });
    await queue.done(b);
    const letters: string[] = [];
    for await (const { uri } of queue.list({ states: ["failed"] })) letters.push(uri);
    expect(letters).toEqual(["a", "b"]);
    error = undefined;
    expect(await queue.replay(a)).toBe(1);
    expect((await queue.done(a)).state).toBe("indexed");
    expect(await queue.replay()).toBe(1);
    await queue.drained();
    expect([...held]).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
    expect(await queue.replay()).toBe(0);
  });

  it("cancels what waits and what is being done, by id and by signal [L8]", async () => {
    const started = Promise.withResolvers<void>();
    const { queue, held } = await start(
      async (_text, { signal }) => {
        started.resolve();
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        return undefined;
      },
      { concurrency: 1 },
    );
    const [a, b] = [(await queue.enqueue(text("a"))) as string, (await queue.enqueue(text("b"))) as string];
    await started.promise;
    expect(await queue.cancel(b)).toBe(true);
    expect(await queue.cancel(a)).toBe(true);
    expect(await queue.cancel(a)).toBe(false);
    expect(await queue.done(a)).toMatchObject({ state: "failed", error: { code: "aborted" } });
    await queue.drained();
    expect(held.size).toBe(0);
    expect(await queue.replay()).toBe(0);
    await expect(queue.enqueue(text("c"), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    expect(await queue.status(queue.idOf("c"))).toBeUndefined();
  });

  it("does what was last asked for, whatever it is doing meanwhile [L7]", async () => {
    const gates = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const texts: string[] = [];
    const { queue, held } = await start((words) => {
      texts.push(words);
      return gates[texts.length - 1]?.promise;
    });
    await queue.enqueue(text("a", "first"));
    await turns();
    const id = (await queue.enqueue(text("a", "second"))) as string;
    await queue.enqueue(text("a", "third"));
    await turns();
    for (const gate of gates) gate.resolve(undefined);
    await queue.done(id);
    await queue.drained();
    expect(texts).toEqual(["first", "third"]);
    expect(held.get("a")).toBe("third");
  });

  it("buries what no process lives to end [T43 L8]", async () => {
    const jobs = await openJobs();
    const clock = fakeClock();
    const { kb, ingested } = scriptedKnowledgeBase();
    await jobs.put(
      { id: "x", scope: "deployment", uri: "bomb.pdf", request: { kind: "path", options: {} }, enqueuedAt: 1 },
      { capacity: 9, maxBytes: 9 },
    );
    for (let i = 0; i < 5; i++) await jobs.take({ owner: `dead ${i}`, now: 2 + i, until: 2 + i });
    const queue = createIngestionQueue(kb, { jobs, ...clockOf(clock) });
    queues.push(queue);
    expect(await queue.done("x")).toMatchObject({ state: "failed", attempts: 6, error: { code: "internal" } });
    expect(ingested).toEqual([]);
  });

  it("a slow listener holds nobody up, and is told what it missed [T41 L9]", async () => {
    const { queue } = await start();
    const events = queue.events({ buffer: 4 })[Symbol.asyncIterator]();
    for (let i = 0; i < 6; i++) await queue.enqueue(text(`${i}`));
    await queue.drained();
    await turns();
    expect(await events.next()).toEqual({ done: false, value: { type: "EventsMissed", at: 1000, missed: 26 } });
    for (let i = 0; i < 4; i++)
      expect((await events.next()).value).toMatchObject({ uri: expect.any(String) as string });
    await events.return?.();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("shows and takes only what a caller may write, now and when its turn comes [L3]", async () => {
    const { queue, ingested } = await start();
    const ada = queue.as({ userId: "ada" });
    const eve = queue.as({ userId: "eve" });
    const id = (await ada.enqueue(text("diary"))) as string;
    expect(await ada.done(id)).toMatchObject({ scope: "user:ada", state: "indexed" });
    expect(await eve.status(id)).toBeUndefined();
    expect(await eve.cancel(id)).toBe(false);
    expect(await eve.replay(id)).toBe(0);
    await expect(eve.done(id)).rejects.toMatchObject({ code: "not-found" });
    await expect(eve.enqueue(text("diary"), { scope: "user:ada" })).rejects.toMatchObject({ code: "access-denied" });
    await expect(eve.enqueue(text("news"), { scope: "deployment" })).rejects.toMatchObject({ code: "access-denied" });
    for await (const job of eve.list()) expect.unreachable(`Eve sees ${job.uri}`);
    expect(ingested).toEqual(["diary"]);
  });

  it("asks the gate again when the turn comes [L3]", async () => {
    const jobs = await openJobs();
    const { kb } = scriptedKnowledgeBase();
    // As if Eve had been in the team when she asked.
    const request = { kind: "path", options: {} };
    await jobs.put(
      { id: "x", scope: "team:acme", uri: "a.md", caller: { userId: "eve" }, request, enqueuedAt: 1 },
      { capacity: 9, maxBytes: 9 },
    );
    const queue = createIngestionQueue(kb, { jobs });
    queues.push(queue);
    expect(await queue.done("x")).toMatchObject({ state: "failed", error: { code: "access-denied" } });
  });

  it("takes what a dead process left, once its lease is over [L8]", async () => {
    const jobs = await openJobs();
    const clock = fakeClock();
    const { kb, held } = scriptedKnowledgeBase();
    const front = createIngestionQueue(kb, { jobs, ...clockOf(clock), concurrency: 0 });
    const id = (await front.enqueue(text("a"))) as string;
    await jobs.take({ owner: "dead", now: clock.now(), until: clock.now() + 60_000 });
    const back = createIngestionQueue(kb, { jobs, ...clockOf(clock) });
    queues.push(back);
    await clock.advance(59_999);
    expect(held.size).toBe(0);
    const done = back.done(id);
    await clock.advance(2000);
    expect(await done).toMatchObject({ state: "indexed", attempts: 2 });
    void front;
  });

  it("keeps its lease while it works, however long that takes [L8]", async () => {
    const jobs = await openJobs();
    const clock = fakeClock();
    const open = Promise.withResolvers<undefined>();
    const { kb, ingested } = scriptedKnowledgeBase(() => open.promise);
    const queue = createIngestionQueue(kb, { jobs, ...clockOf(clock) });
    queues.push(queue);
    const id = (await queue.enqueue(text("a"))) as string;
    for (let i = 0; i < 10; i++) await clock.advance(30_000);
    expect(await jobs.take({ owner: "other", now: clock.now(), until: Infinity })).toBeUndefined();
    open.resolve(undefined);
    expect((await queue.done(id)).state).toBe("indexed");
    expect(ingested).toEqual(["a"]);
  });

  it("refuses what it cannot keep, and options that nobody reads", async () => {
    const { queue } = await start(undefined, { maxBytes: 10 });
    await expect(queue.enqueue(" ")).rejects.toMatchObject({ code: "invalid-id" });
    await expect(queue.enqueue(text("a\u0000"))).rejects.toMatchObject({ code: "invalid-id" });
    await expect(queue.enqueue(text("a", "far too many words"))).rejects.toMatchObject({ code: "too-large" });
    await expect(queue.enqueue(text("a"), { password: "x" } as never)).rejects.toMatchObject({
      code: "invalid-argument",
    });
    expect(() => createIngestionQueue(scriptedKnowledgeBase().kb, { capacity: 0 })).toThrow(/capacity/u);
    expect(() => createIngestionQueue(scriptedKnowledgeBase().kb, { size: 0 } as never)).toThrow(/size/u);
    await queue.close();
    await expect(queue.enqueue(text("a"))).rejects.toMatchObject({ code: "store-closed" });
  });
});

it("ingests texts, bytes and streams as the knowledge base itself would: a second time nothing changes [L7 T2]", async () => {
  const kb = await openKnowledgeBase();
  const queue = createIngestionQueue(kb);
  const inputs = [
    { uri: "a.txt", text: "Keys rotate every ninety days.", title: "Keys", metadata: { year: 2026 } },
    { uri: "b.txt", bytes: new TextEncoder().encode("Locks are changed each spring."), mediaType: "text/plain" },
    { uri: "c.txt", bytes: new Blob(["Doors are painted red."]), charset: "utf-8" },
  ];
  for (const input of inputs) await queue.enqueue(input, { metadata: { site: "hq" } });
  await queue.drained();
  expect(await kb.ingest(inputs.slice(0, 2), { metadata: { site: "hq" } })).toMatchObject({ unchanged: 2, added: 0 });
  expect((await kb.search("painted doors"))[0]?.source.uri).toBe("c.txt");
  expect(() => createIngestionQueue(kb.as({ userId: "eve" }))).toThrow(/one caller's view/u);
  const eve = queue.as({ userId: "eve" });
  await expect(eve.enqueue(inputs[0]!, { scope: "deployment" })).rejects.toMatchObject({ code: "access-denied" });
  await queue.close();
  await kb.close();
});
