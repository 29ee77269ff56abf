import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openConnection } from "../../src/stores/sqlite/open-connection.ts";
import { close, createRandom, makeOperations, openWorkplace, perform, stateOf, timeOf } from "./workload.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-again-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** **Shape** what anybody sees in the end. */
async function work(name: string, seed: number, isDoneAgain: () => boolean) {
  const path = join(folder, name);
  const open = (now: number) => openWorkplace(path, () => openConnection(path, { busyTimeoutMs: 5000 }), { now });
  let place = await open(timeOf(0));
  for (const [i, operation] of makeOperations(seed, 100).entries()) {
    place.clock.now = timeOf(i);
    await perform(place, operation);
    if (!isDoneAgain()) continue;
    await close(place);
    place = await open(timeOf(i));
    await perform(place, operation);
  }
  const state = await stateOf(place);
  await close(place);
  return state;
}

describe("operations that are done again by another process, as after a death between the work and its receipt", () => {
  it("leave what they leave when done once [L6 L7 L8]", async () => {
    // Of this one, when segments were sealed and merged decided once which models' vectors a vacuum took.
    const seed = 1019;
    const random = createRandom(seed + 2);
    const again = await work("again", seed, () => random() < 0.3);
    expect(again).toEqual(await work("once", seed, () => false));
  });
});
