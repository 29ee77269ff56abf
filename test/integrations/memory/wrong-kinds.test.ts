import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { createMemory, createMemoryTools, type Memory } from "../../../src/integrations/memory/index.ts";
import { collect } from "../../../src/testing/assert.ts";

const odd: readonly unknown[] = [
  null,
  5,
  Number.NaN,
  1n,
  true,
  "",
  "\ud800",
  Symbol("x"),
  [],
  [null],
  {},
  { a: 1 },
  Object.create(null),
  new Date(0),
  () => 1,
];

let kb: KnowledgeBase;
let memory: Memory;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  memory = createMemory(kb);
});
afterAll(() => kb.close());

const note = "The lantern is here.";
/** Every argument and option of a memory, with a value in its place. */
const calls: Readonly<Record<string, (value: never) => unknown>> = {
  createMemory: (value) => createMemory(value),
  "createMemory options": (value) => createMemory(kb, value),
  "createMemory judge": (value) => createMemory(kb, { judge: value }).remember(note),
  "createMemory now": (value) => collect(createMemory(kb, { now: value }).list()),
  "createMemory countTokens": (value) => createMemory(kb, { countTokens: value }),
  "createMemory scope": (value) => createMemory(kb, { scope: value }).recall("x"),
  createMemoryTools: (value) => createMemoryTools(memory, value),
  remember: (value) => memory.remember(value),
  "remember call": (value) => memory.remember(note, value),
  get: (value) => memory.get(value),
  recall: (value) => memory.recall(value),
  "recall options": (value) => memory.recall("x", value),
  forget: (value) => memory.forget(value),
  "forget id": (value) => memory.forget({ id: value }),
  "forget key": (value) => memory.forget({ key: value }),
  list: (value) => collect(memory.list(value)),
  ...Object.fromEntries(
    ["text", "key", "id", "supersedes", "validFrom", "validTo", "recordedAt", "by", "session", "file", "metadata"].map(
      (name) => [`remember ${name}`, (value: never) => memory.remember({ text: note, [name]: value })],
    ),
  ),
  ...Object.fromEntries(
    ["tokens", "topK", "asOf", "key", "filter", "mode", "signal"].map((name) => [
      `recall ${name}`,
      (value: never) => memory.recall("x", { [name]: value }),
    ]),
  ),
  ...Object.fromEntries(
    ["key", "asOf", "after"].map((name) => [`list ${name}`, (value: never) => collect(memory.list({ [name]: value }))]),
  ),
};

describe("a value of a wrong kind in a memory", () => {
  it.each(Object.entries(calls))("ends with an error of ibid, or is taken: %s [L8]", async (_, call) => {
    const foreign: unknown[] = [];
    for (const value of odd) {
      try {
        await call(value as never);
      } catch (error) {
        if (!IbidError.isInstance(error)) foreign.push(error);
      }
    }
    expect(foreign).toEqual([]);
  });
});
