import { createServer, type Server, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Engine } from "../../../src/contracts/engine.ts";
import type { StandardSchema } from "../../../src/contracts/schema.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createChromaEngine } from "../../../src/stores/chroma/chroma-engine.ts";
import { createPgvectorEngine } from "../../../src/stores/pgvector/pgvector-engine.ts";
import { createQdrantEngine } from "../../../src/stores/qdrant/qdrant-engine.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";

type Item = { readonly id: string; readonly text: string };

const schema: StandardSchema<Item, Item> = {
  "~standard": { version: 1, vendor: "ibid", validate: (value) => ({ value: value as Item }) },
};

async function openItems(engine: Engine) {
  const kb = await openKnowledgeBase({ engine, models: { embedding: createHashingModel() } });
  onTestFinished(() => kb.close());
  return kb.collection("items", { schema, key: "id", text: ["text"], vectors: { text: {} }, keptIn: "engine" });
}

/** A port that takes connections and never says a word, and one that takes none. */
async function deadPorts(): Promise<{ readonly silent: number; readonly closed: number }> {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const closed = (free.address() as { port: number }).port;
  await new Promise((resolve) => free.close(resolve));
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { silent: (server.address() as { port: number }).port, closed };
}

const item: Item = { id: "a", text: "ash" };

describe("a write to an engine that is gone", () => {
  it.each([
    ["qdrant", (port: number) => createQdrantEngine({ url: `http://ada:hunter2@127.0.0.1:${port}` })],
    ["chroma", (port: number) => createChromaEngine({ url: `http://127.0.0.1:${port}`, apiKey: "hunter2" })],
    ["pgvector", (port: number) => createPgvectorEngine({ database: `postgres://ada:hunter2@127.0.0.1:${port}/kb` })],
  ])("ends at its limit with the engine, the cause and the next action: %s", async (name, create) => {
    const { silent, closed } = await deadPorts();
    // The pool of Postgres waits ten seconds for a connection, and a close waits for the pool.
    for (const port of name === "pgvector" ? [closed] : [closed, silent]) {
      const items = await openItems(create(port));
      const from = performance.now();
      const error = await items
        .upsert(item, { timeoutMs: port === closed ? 2_500 : 200 })
        .catch((reason: unknown) => reason);
      expect(performance.now() - from).toBeLessThan(9_000);
      expect(error).toMatchObject({
        code: "timeout",
        message: expect.stringMatching(
          port === closed ? `^Waiting until ${name} is ready ended: .*:${port}.*ECONNREFUSED` : "has not answered$",
        ),
        hint: expect.stringContaining("timeoutMs"),
        details: { store: name, operation: "ready" },
      });
      expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toContain("hunter2");
    }
  });

  it("waits ten seconds where nothing else is said, and a rebuild does too", async () => {
    const asked: number[] = [];
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      asked.push(ms);
      const soon = new AbortController();
      setTimeout(() => soon.abort(new DOMException("late", "TimeoutError")), 20);
      return soon.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    const items = await openItems({ ...createReferenceEngine(), ready: () => new Promise<boolean>(() => {}) });
    for (const write of [() => items.upsert(item), () => items.rebuild()])
      await expect(write()).rejects.toMatchObject({ code: "timeout", details: { operation: "ready" } });
    expect(asked).toEqual([10_000, 10_000]);
    await expect(items.ensure()).rejects.toMatchObject({ code: "timeout" });
    expect(asked.at(-1)).toBe(60_000);
  });

  it.each([-1, 2 ** 31, Number.NaN])("refuses a limit of %s", async (timeoutMs) => {
    const items = await openItems(createReferenceEngine());
    await expect(items.upsert(item, { timeoutMs })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(items.rebuild({ timeoutMs })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});
