import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { searchVectors } from "../support/search-legs.ts";
import { documentEntry, read, write } from "./build.ts";
import { countTurns, slowClock } from "../support/turns.ts";

afterEach(() => vi.restoreAllMocks());

const version = { provider: "test", model: "wide", dimensions: 8192, fingerprint: "" };
const chunks = 600;

/** Vectors of 8 kB, 4.9 MB in all. */
const vectorOf = (chunk: number): Int8Array =>
  Int8Array.from({ length: version.dimensions }, (_, i) => ((chunk * 31 + i * 7) % 19) - 9);

/** A store whose vectors lie in one segment and were not looked at. */
async function openFilled() {
  const store = createMemoryStore({ segments: { sealAt: 256, settleAt: 1 } });
  const texts = Array.from({ length: chunks }, (_, i) => `heron${i} waits at the river.`);
  const entry = documentEntry("a", texts);
  await store.replace(write("deployment"), {
    ...entry,
    chunks: entry.chunks.map(({ chunk }, i) => ({ chunk, embeddings: [{ version, embedding: vectorOf(i) }] })),
  });
  await store.upkeep!.settle();
  return store;
}

/** Turns that others have while a work goes on, by a clock that each look puts on by so many milliseconds. */
async function turnsBy(step: number, work: () => Promise<unknown>): Promise<number> {
  await new Promise(setImmediate);
  slowClock(step);
  const turns = await countTurns(work);
  vi.restoreAllMocks();
  return turns;
}

describe("a search over vectors that are not in memory yet", () => {
  it("gives others a turn between the megabytes that it reads [18.6]", async () => {
    const store = await openFilled();
    const search = () => searchVectors(store, read("deployment"), { embedding: vectorOf(7), version, topK: 3 });
    // Each megabyte takes six milliseconds by this clock, more than a slice.
    const turns = await turnsBy(6, search);
    const warm = await turnsBy(6, search);
    expect(turns - warm).toBeGreaterThanOrEqual(4);
    await store.close();
  });

  it("begins anew after a commit, and ends while others go on writing [L5]", async () => {
    const store = await openFilled();
    await new Promise(setImmediate);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 6));
    const embedding = vectorOf(7).map((value, i) => (i % 2 === 0 ? value + 1 : value));
    const state = { isOver: false };
    const found = searchVectors(store, read("deployment"), { embedding, version, topK: 1 }).finally(
      () => (state.isOver = true),
    );
    let written = 0;
    while (!state.isOver) {
      await new Promise(setImmediate);
      const id = `b${written++}`;
      const { chunks: own, ...entry } = documentEntry(id, [`otter ${id} waits.`]);
      // The vector that is asked for itself, which nothing had before.
      await store.replace(write("deployment"), {
        ...entry,
        chunks: own.map(({ chunk }) => ({ chunk, embeddings: [{ version, embedding }] })),
      });
    }
    const [hit] = await found;
    expect(written).toBeGreaterThanOrEqual(3);
    expect(hit).toMatchObject({ chunk: { documentId: "b0" } });
    expect(hit!.score).toBeCloseTo(1, 12);
    await store.close();
  });
});
