import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGate, operator } from "../../src/access/gate.ts";
import type { SearchOptions } from "../../src/contracts/retriever.ts";
import { collect } from "../../src/testing/assert.ts";
import { runs } from "../support/runs.ts";
import { withRumours } from "./rumour-leg.ts";
import { open, type Subject } from "./subjects.ts";
import { anyWorld, mayRead, scopes, take } from "./worlds.ts";

const subject: Subject = {
  name: "memory, with a leg that leaks, lags and ignores filters",
  store: "memory",
  sees: "given",
  compose: withRumours,
};

const searches: readonly SearchOptions[] = [
  { topK: "all" },
  { topK: 2, fusion: "rrf" },
  { topK: "all", fusion: "weighted", filter: { kind: "even" } },
  { topK: "all", fusion: "absolute", filter: { kind: "odd" } },
];

describe("a store composed with a leg that leaks, lags and ignores filters [L3 L4 L8]", () => {
  it("shows live chunks alone, in readable scopes, that the filter admits", { timeout: runs(120_000) }, async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const opened = await open(subject, world.policy);
        const { kb, store } = opened;
        try {
          for (const step of world.steps) await take(kb, step);
          const proof = createGate(world.policy).read(operator, scopes, scopes);
          const live = new Map(
            (await collect(store.chunks(proof))).map(({ scope, chunk }) => [`${scope} ${chunk.id}`, chunk.text]),
          );
          for (const options of searches) {
            for (const hit of await kb.as(world.caller).search(world.query, options)) {
              hits++;
              expect(mayRead(world, hit.scope)).toBe(true);
              expect(live.get(`${hit.scope} ${hit.chunkId}`)).toBe(hit.text);
              expect(hit.metadata).toMatchObject(options.filter ?? {});
            }
          }
        } finally {
          await opened.close();
        }
      }),
      { numRuns: runs(10) },
    );
    expect(hits).toBeGreaterThan(0);
  });
});
