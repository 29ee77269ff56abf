import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteJobStore } from "../../../src/stores/sqlite/sqlite-job-store.ts";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { createIngestionQueue, openIngestionQueue } from "../../../src/ingest/index.node.ts";

let folder = "";
let location = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-queue-"));
  location = join(folder, "kb");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a process on the queue, and kills it without warning after so many messages. **Shape** what it said. */
async function work(task: "fill" | "drain", amount: number, killAfter = Infinity): Promise<string[]> {
  const child = fork(join(import.meta.dirname, "queue-child.ts"), [location, task, String(amount)], { execArgv: [] });
  const said: string[] = [];
  child.on("message", (message: string) => {
    said.push(message);
    if (said.length === killAfter) child.kill("SIGKILL");
  });
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  expect(killAfter === Infinity ? code : 0).toBe(0);
  return said;
}

describe("processes that are killed at a queue", () => {
  it("lose nothing that was acknowledged, and do nothing twice [L7 L8 T42]", async () => {
    const acknowledged = await work("fill", 60, 25);
    expect(acknowledged.length).toBeGreaterThanOrEqual(25);
    let jobs = await openSqliteJobStore(join(location, "ibid.sqlite"));
    for (const id of acknowledged) expect((await jobs.get(id))?.state).toBe("queued");
    await jobs.close();
    await work("fill", 60);

    for (const killAfter of [1, 7, 20]) await work("drain", 0, killAfter);
    // Two at once, each of which would do it all.
    await Promise.all([work("drain", 0, 40), work("drain", 0, 40)]);
    const kb = await openKnowledgeBase(location);
    const queue = await openIngestionQueue(kb, location, { leaseMs: 2000, pollMs: 20 });
    for (let i = 0; i < 60; i++) {
      const { state, attempts } = await queue.done(queue.idOf(`${i}.md`));
      expect(state).toBe("indexed");
      expect(attempts).toBeLessThanOrEqual(5);
    }
    expect(await queue.depth()).toMatchObject({ depth: 0, indexed: 60, failed: 0, bytes: 0 });
    expect(await kb.status()).toMatchObject({ documents: 60, chunks: 60 });
    for (const i of [0, 31, 59])
      expect((await kb.search(`topic${i}`, { mode: "lexical" })).map(({ source }) => source.uri)).toEqual([`${i}.md`]);
    await queue.close();
    await kb.close();
    jobs = await openSqliteJobStore(join(location, "ibid.sqlite"));
    expect((await jobs.list({ limit: 100 })).every(({ size }) => size === 0)).toBe(true);
    await jobs.close();
  });
});

describe("a queue in the file of its knowledge base", () => {
  const front = { concurrency: 0 };
  it("a document that is purged takes its jobs and their words along, from every file [L8]", async () => {
    const kb = await openKnowledgeBase(location);
    const secret = "xylophonezanzibar";
    await kb.ingest({ uri: "a.md", text: "An older version." });
    const queue = await openIngestionQueue(kb, location, front);
    const id = await queue.enqueue({ uri: "a.md", text: `The word is ${secret}.` });
    const other = await queue.enqueue({ uri: "b.md", text: "Another." });
    await kb.delete("a.md", { purge: true });
    expect(await queue.status(id as string)).toBeUndefined();
    expect(await queue.status(other as string)).toMatchObject({ state: "queued" });
    for (const file of ["ibid.sqlite", "ibid.sqlite-wal"])
      expect(readFileSync(join(location, file)).includes(secret)).toBe(false);
    await queue.close();
    await kb.close();
  });

  it("a delete is the last wish about a document, until it is asked for again [L8]", async () => {
    const kb = await openKnowledgeBase(location);
    const queue = await openIngestionQueue(kb, location, front);
    await kb.ingest({ uri: "a.md", text: "First." });
    const id = (await queue.enqueue({ uri: "a.md", text: "Second." })) as string;
    await kb.delete("a.md");
    expect(await queue.status(id)).toBeUndefined();
    await queue.enqueue({ uri: "a.md", text: "Third." });
    await queue.close();
    const worker = await openIngestionQueue(kb, location);
    expect((await worker.done(id)).state).toBe("indexed");
    expect((await kb.document("a.md"))?.text).toBe("Third.");
    await worker.close();
    await kb.close();
  });

  it("holds what it was given when it is opened again [L8 T2]", async () => {
    let kb = await openKnowledgeBase(location);
    let queue = await openIngestionQueue(kb, location, front);
    const ada = queue.as({ userId: "ada" });
    const id = (await ada.enqueue({ uri: "a.md", text: "Kept." }, { metadata: { year: 2026 } })) as string;
    await queue.close();
    await kb.close();
    kb = await openKnowledgeBase(location);
    queue = await openIngestionQueue(kb, location);
    expect(await queue.done(id)).toMatchObject({ state: "indexed", scope: "user:ada" });
    expect((await kb.as({ userId: "ada" }).document("a.md"))?.metadata).toMatchObject({ year: 2026 });
    expect(await kb.as({ userId: "eve" }).document("a.md")).toBeUndefined();
    await queue.close();
    await kb.close();
  });
});

it("a burst of 10,000 documents: 5,000 are taken, the others are told so, and memory stays flat [T42 L9]", async () => {
  const kb = await openKnowledgeBase();
  const queue = createIngestionQueue(kb, { concurrency: 0 });
  let [taken, refused] = [0, 0];
  for (let i = 0; i < 10_000; i++) {
    if ((await queue.enqueue({ uri: `${i}`, text: "x" })) === false) refused++;
    else taken++;
  }
  expect([taken, refused]).toEqual([5000, 5000]);
  expect(await queue.depth()).toMatchObject({ depth: 5000, queued: 5000, bytes: 5000, rejected: 5000 });
  let listed = 0;
  for await (const { state } of queue.list()) listed += state === "queued" ? 1 : 0;
  expect(listed).toBe(5000);
  await queue.close();
  await kb.close();
});
