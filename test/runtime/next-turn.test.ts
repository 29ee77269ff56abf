import { afterEach, describe, expect, it, vi } from "vitest";
import { openKnowledgeBase } from "../../src/index.ts";
import { giveTurn, inTurns } from "../../src/runtime/next-turn.ts";
import { countTurns, slowClock } from "../support/turns.ts";

afterEach(() => vi.restoreAllMocks());

async function loop(times: number): Promise<void> {
  for (let i = 0; i < times; i++) await giveTurn();
}

describe("giveTurn", () => {
  it("lets others have their turn every three milliseconds of short works", async () => {
    await new Promise(setImmediate);
    slowClock(1);
    // Four looks at the clock make a stretch, and the first look of the next one ends the wait.
    const turns = await countTurns(() => loop(1200));
    expect(turns).toBeGreaterThanOrEqual(280);
    expect(turns).toBeLessThanOrEqual(320);
  });

  it("lets nobody wait before", async () => {
    await new Promise(setImmediate);
    slowClock(0.01);
    expect(await countTurns(() => loop(250))).toBe(0);
  });

  it("lets works that waited together go on one after the other", async () => {
    await new Promise(setImmediate);
    slowClock(6);
    expect(await countTurns(() => Promise.all(Array.from({ length: 40 }, () => loop(1))))).toBeGreaterThanOrEqual(15);
  });
});

describe("inTurns", () => {
  it("counts a long first step", async () => {
    await new Promise(setImmediate);
    vi.spyOn(performance, "now").mockImplementation(() => now);
    let now = 0;
    function* steps(): Generator<undefined, void> {
      now += 50;
      yield undefined;
      now += 1;
    }
    expect(await countTurns(() => inTurns(steps()))).toBeGreaterThan(0);
  });
});

describe("a loop of awaited searches", () => {
  it("leaves the event loop to others", async () => {
    await using kb = await openKnowledgeBase();
    await kb.ingest([{ uri: "a.txt", text: "The bridge was built in 1890." }]);
    await kb.search("bridge");
    await new Promise(setImmediate);
    slowClock(3);
    const turns = await countTurns(async () => {
      for (let i = 0; i < 50; i++) await kb.search("bridge");
    });
    expect(turns).toBeGreaterThanOrEqual(25);
  });
});
