import { expect, it } from "vitest";
import type { Engine } from "../../../src/contracts/engine.ts";
import { openRecordTable, type RecordRow } from "../../../src/stores/engines/engine-records.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";

const version = { provider: "test", model: "test", dimensions: 2, fingerprint: "" };
const spec = (name: string) => ({ name, version, dimensions: 2, metric: "cosine" as const });
const specs = new Map([
  ["title", spec("titles")],
  ["", spec("texts")],
]);

/** An engine whose process dies at a call that changes something. */
function dyingAt(engine: Engine, call: number): Engine {
  let calls = 0;
  const live = (): void => {
    if (++calls === call) throw new Error("the process died");
  };
  return {
    ...engine,
    async open(given, signal) {
      const index = await engine.open(given, signal);
      return {
        ...index,
        put: async (entries) => (live(), index.put(entries)),
        delete: async (keys) => (live(), index.delete(keys)),
      };
    },
  };
}

const row: RecordRow = {
  scope: "deployment",
  key: "7",
  json: '{"id":"7"}',
  metadata: {},
  parts: [
    { name: "title", text: "a", vector: Float32Array.of(1, 0) },
    { name: "", text: "b", vector: Float32Array.of(0, 1) },
  ],
};

it("a record is there when all its parts are, and until the last of them is deleted", async () => {
  const engine = createReferenceEngine();
  const table = openRecordTable(engine, specs);
  await expect(openRecordTable(dyingAt(engine, 2), specs).put([row])).rejects.toThrow("died");
  expect(await table.read(["deployment"], ["7"])).toEqual([]);
  await table.put([row]);
  expect([...(await table.counts("deployment"))]).toEqual([
    ["titles", 1],
    ["texts", 1],
  ]);
  await expect(openRecordTable(dyingAt(engine, 2), specs).delete("deployment", ["7"])).rejects.toThrow("died");
  expect(await table.read(["deployment"], ["7"])).toHaveLength(1);
  expect(await table.delete("deployment", ["7"])).toBe(1);
  expect([...(await table.counts("deployment")).values()]).toEqual([0, 0]);
});
