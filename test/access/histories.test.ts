import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fewer, runsAll } from "../support/runs.ts";
import { anyHistory, compareSettled, compareUnsettled, differences } from "./histories.ts";

describe("documents that left their readers, or were never theirs [L3 L8 L11]", () => {
  // The engine is one; the other directory has its turn at night.
  it.each([["memory", 1, 30] as const, ...(runsAll ? [["SQLite", 1, 8] as const] : [])])(
    "show in nothing of a settled base: %s",
    async (store, few, all) => {
      await fc.assert(
        fc.asyncProperty(anyHistory, async (history) => {
          expect(differences(await compareSettled({ store }, history))).toEqual({});
        }),
        { numRuns: fewer(few, all), endOnFailure: true },
      );
    },
  );

  it("do not show by their words before it has settled, which are like words never seen", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        expect(differences(await compareUnsettled(history))).toEqual({});
      }),
      { numRuns: fewer(1, 20), endOnFailure: true },
    );
  });
});
