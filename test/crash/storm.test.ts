import { describe, expect, it } from "vitest";
import { raiseStorm } from "./storm.ts";
import { expectAfter, makeOperations, timeOf } from "./workload.ts";
import { fewer, runsAll } from "../support/runs.ts";

describe("a store whose process is killed again and again", () => {
  it("is whole after each death, and ends as if nothing had been [L6 L8 T12 T14 T15]", async () => {
    const least = fewer(3, 8);
    const { kills, runs, faults } = await raiseStorm({ kills: least, seed: 42, length: runsAll ? 24 : 12 });
    expect(faults).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(least);
    expect(runs).toBeGreaterThan(0);
  });

  it("is held against what the operations say: deleted, restored, vacuumed, purged", () => {
    const { live, deleted } = expectAfter([
      { kind: "ingest", documents: [0, 1, 2, 3], edition: 0, model: 0 },
      { kind: "delete", document: 0 },
      { kind: "delete", document: 1 },
      { kind: "restore", document: 1 },
      { kind: "purge", document: 2 },
      { kind: "ingest", documents: [3], edition: 5, model: 0 },
      { kind: "delete", document: 3 },
      { kind: "vacuum", age: 4 },
    ]);
    expect([...live]).toEqual([[1, 0]]);
    expect([...deleted]).toEqual([[3, { edition: 5, at: timeOf(6) }]]);
    expect(makeOperations(3, 40)).toEqual(makeOperations(3, 40));
    expect(new Set(makeOperations(1, 100).map(({ kind }) => kind)).size).toBe(9);
  });
});
