import { describe, expect, it } from "vitest";
import type { Engine, EngineIndex } from "../../../src/contracts/engine.ts";
import { createEngineStore } from "../../../src/stores/engines/engine-store.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { indexCases } from "../../../src/testing/engine-index-cases.ts";
import { createEnginePack } from "../../../src/testing/engine-pack.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";

/** An engine with one method of its indexes broken. */
function broken(
  change: (index: EngineIndex) => Partial<EngineIndex>,
  rest: Partial<Engine> = {},
): () => Promise<Engine> {
  return async () => {
    const engine = createReferenceEngine();
    return {
      ...engine,
      async open(spec) {
        const index = await engine.open(spec);
        return { ...index, ...change(index) };
      },
      ...rest,
    };
  };
}

const mutants: Readonly<Record<string, () => Promise<Engine>>> = {
  "keeps nothing": broken(() => ({ put: async () => {} })),
  "keeps a batch's first half": broken((own) => ({ put: (all) => own.put(all.slice(0, all.length >> 1)) })),
  "deletes nothing": broken(() => ({ delete: async () => {} })),
  "lists one page alone": broken((own) => ({
    list: async (tag, from) => ({ keys: (await own.list(tag, from)).keys }),
  })),
  "lists everything for each tag": broken((own) => ({ list: (_, from) => own.list("0000000000000abc", from) })),
  "counts one too few": broken((own) => ({ count: async (tag) => Math.max(0, (await own.count(tag)) - 1) })),
  "takes a distance for a score": broken((own) => ({
    nearest: async (request) => (await own.nearest(request)).map(({ ref, score }) => ({ ref, score: 1 - score })),
  })),
  "gives the farthest first": broken((own) => ({
    nearest: async (request) => (await own.nearest(request)).toReversed(),
  })),
  "evaluates no condition that it declares": broken((own) => ({
    nearest: (request) => own.nearest({ ...request, condition: undefined }),
  })),
  "takes `lacks` for `has`": broken((own) => ({
    nearest: ({ condition, ...request }) =>
      own.nearest({ ...request, condition: condition?.op === "lacks" ? { op: "has", tag: condition.tag } : condition }),
  })),
  "finds half of the nearest": broken((own) => ({
    nearest: async (request) => (await own.nearest(request)).filter((_, i) => i % 2 === 0),
  })),
  "forgets the nearest one, and calls itself exhaustive": broken((own) => ({
    nearest: async (request) => (await own.nearest({ ...request, limit: request.limit + 1 })).slice(1),
  })),
  "takes the straight distance for the one along axes": async () => {
    const engine = createReferenceEngine();
    const open: Engine["open"] = (spec) =>
      engine.open({ ...spec, metric: spec.metric === "manhattan" ? "euclidean" : spec.metric });
    return { ...engine, open };
  },
  "drops nothing": broken(() => ({}), { drop: async () => {} }),
};

describe("the engine pack", () => {
  it.each(Object.entries(mutants))("catches an engine that %s", async (_, create) => {
    const pack = createEnginePack({
      name: "mutant",
      create,
      createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
      chunks: 60,
    });
    // The first cases look at the engine by itself.
    const failures: string[] = [];
    for (const { id, run } of pack.slice(0, indexCases.length)) await run().catch(() => failures.push(id));
    expect(failures).not.toEqual([]);
  });
});
