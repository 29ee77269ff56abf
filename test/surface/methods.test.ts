import { inspect } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGate } from "../../src/access/gate.ts";
import { createPromptBuilder, readAnswer } from "../../src/answers/index.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createIngestionQueue } from "../../src/ingest/index.ts";
import { createTextMemory } from "../../src/integrations/compat/create-text-memory.ts";
import { createTextSearchProvider } from "../../src/integrations/compat/create-text-search-provider.ts";
import { withMemory } from "../../src/integrations/compat/with-memory.ts";
import { createMemory } from "../../src/integrations/memory/index.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { errorOf, revoked } from "../support/error-of.ts";

const endless: Record<string, unknown> = {};
endless["in"] = endless;

/** Wrong nearly everywhere. Names that every object has are among them. */
const odd: readonly unknown[] = [
  null,
  undefined,
  5,
  1n,
  Symbol("odd"),
  "constructor",
  "__proto__",
  [null],
  Object.assign([], { length: 3 }),
  {},
  endless,
  Object.create(null),
  () => {},
  { [Symbol.asyncIterator]: () => ({}) },
  revoked({}),
  revoked(() => {}),
];

const chat: ChatModel = {
  provider: "test",
  model: "plain",
  chat: async () => ({ message: { role: "assistant", content: "ok" } }),
  async *stream() {
    yield { type: "finish", result: { message: { role: "assistant", content: "ok" } } };
  },
};

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest({ uri: "a.md", text: "Keys rotate every 90 days." });
});
afterAll(() => kb.close());

/** Objects that applications call, and methods with arguments that are right. */
const objects: Readonly<Record<string, readonly [() => object, Readonly<Record<string, readonly unknown[]>>]>> = {
  "a knowledge base": [() => kb, { ingest: [{ uri: "b.md", text: "A text." }, {}] }],
  "a gate": [() => createGate(), { read: [{}, []], write: [{ userId: "ada" }, "user:ada"], writable: [{}, []] }],
  "a prompt builder": [
    () => createPromptBuilder(kb),
    { build: ["How often do keys rotate?", {}], check: [{ hits: [], labels: [] }, "How often?", "Often."] },
  ],
  "a reader of answers": [() => ({ readAnswer }), { readAnswer: [{ text: "x" }, "markdown"] }],
  "a queue": [
    () => createIngestionQueue(kb, { concurrency: 0 }),
    {
      enqueue: [{ uri: "c.md", text: "A text." }, {}],
      enqueueWhenRoom: [{ uri: "c.md", text: "A text." }, {}],
      idOf: ["c.md", "deployment"],
      status: ["x"],
      list: [{}],
      done: ["x", {}],
      cancel: ["x"],
      forget: ["c.md", {}],
      events: [{}],
    },
  ],
  "a memory": [
    () => createMemory(kb),
    { remember: ["A note.", {}], recall: ["What?", {}], forget: [{ key: "k" }, {}], list: [{}] },
  ],
  "a text memory": [
    () => createTextMemory(kb),
    { saveReference: [{ text: "x", externalId: "1", externalSource: "s" }, {}], get: ["k", {}], search: ["keys", {}] },
  ],
  "a search provider": [() => createTextSearchProvider(kb), { beforeCall: [{ role: "user", content: "keys" }, {}] }],
  "a model with memory": [
    () => withMemory(chat, { store: kb }),
    { chat: [{ role: "user", content: "keys" }, {}], stream: [[{ role: "user", content: "keys" }], {}] },
  ],
  "a blob store": [
    () => createMemoryBlobStore(),
    { head: ["a", {}], get: ["a", {}], put: ["a", new Uint8Array(1), {}], delete: ["a", {}], list: [{}] },
  ],
};

it.each(Object.entries(objects))(
  "%s whose methods get a value of a wrong kind answers, or ends with an error of ibid",
  async (_, [make, methods]) => {
    const foreign: string[] = [];
    const object = make() as Record<string, (...args: readonly unknown[]) => unknown>;
    for (const [name, right] of Object.entries(methods)) {
      for (const at of right.keys()) {
        for (const value of odd) {
          const call = (): unknown => object[name]!(...right.with(at, value));
          // A stream of events has no end.
          const error = await errorOf(name === "events" ? () => void call() : call);
          if (error !== undefined && !IbidError.isInstance(error))
            foreign.push(`${name}, argument ${at} ${inspect(value)}: ${inspect(error).split("\n")[0]}`);
        }
      }
    }
    expect(foreign).toEqual([]);
  },
);
