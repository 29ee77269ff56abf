import type { EmbeddingCache } from "../../src/contracts/embedding-model.ts";
import type { Vector } from "../../src/contracts/embedding.ts";
import { close, equal, scribble } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { CaseDefinition, ContractCase } from "../../src/testing/contract-case.ts";

/** How the pack gets caches, one for each case. */
export interface EmbeddingCacheSubject {
  /** A fresh, empty cache; of this capacity, when one is named and the cache is bounded. */
  create(capacity?: number): Promise<EmbeddingCache> | EmbeddingCache;
  /** Whether `create` heeds its capacity. Default: no. */
  readonly bounded?: boolean;
}

/** What every {@link EmbeddingCache} promises: what was put in, under its own key, and a true hit rate. */
export function createEmbeddingCachePack(subject: EmbeddingCacheSubject): readonly ContractCase[] {
  const cases: readonly CaseDefinition[] = [
    [
      "gives-back-what-it-was-given",
      "T38 B12",
      async () => {
        const cache = await subject.create();
        const vectors = {
          dense: [1, -0.5],
          typed: new Float32Array([0.25, 3]),
          bytes: Int8Array.of(-128, 127),
          sparse: { indices: [1, 9], values: [2, 3] },
          hybrid: { dense: [1, 2], sparse: { indices: [4], values: [0.5] } },
        };
        for (const [key, embedding] of Object.entries(vectors)) await cache.set(key, embedding);
        for (const [key, embedding] of Object.entries(vectors))
          equal(await cache.get(key), embedding, `the ${key} vector`);
        equal(await cache.get("never set"), undefined, "an unknown key");
      },
    ],
    [
      "keys-apart",
      "T38",
      async () => {
        const cache = await subject.create();
        const keys = [
          "a",
          "A",
          "a ",
          "a\u0000",
          "",
          "__proto__",
          "constructor",
          "é",
          "e\u0301",
          "a".repeat(5000),
          `${"a".repeat(4999)}b`,
        ];
        for (const key of keys)
          equal(await cache.get(key), undefined, `key ${JSON.stringify(key.slice(0, 20))} before`);
        for (const [i, key] of keys.entries()) await cache.set(key, [i, 1]);
        for (const [i, key] of keys.entries())
          equal(await cache.get(key), [i, 1], `key ${JSON.stringify(key.slice(0, 20))}`);
        await cache.set("a", [99, 1]);
        equal(await cache.get("a"), [99, 1], "a key that was set again");
      },
    ],
    [
      "hit-rate",
      "T38",
      async () => {
        const cache = await subject.create();
        equal(cache.hitRate, 0, "the rate before the first read");
        await cache.get("a");
        equal(cache.hitRate, 0, "the rate after a miss");
        await cache.set("a", [1]);
        await cache.get("a");
        close(cache.hitRate, 1 / 2, "the rate after a miss and a hit");
        await cache.get("a");
        await cache.get("b");
        close(cache.hitRate, 2 / 4, "the rate after two of each");
        await cache.set("c", [1]);
        close(cache.hitRate, 2 / 4, "the rate after a write");
      },
    ],
    [
      "not-aliased",
      "B27",
      async () => {
        const cache = await subject.create();
        const given = [1, 2];
        await cache.set("a", given);
        given[0] = 9;
        const first = (await cache.get("a")) as Vector;
        equal(first, [1, 2], "the vector after the caller changed theirs");
        scribble(first);
        equal(await cache.get("a"), [1, 2], "the vector after a reader changed theirs");
      },
    ],
    [
      "forgets-the-least-recent",
      "T38",
      async () => {
        if (subject.bounded !== true) return;
        const cache = await subject.create(3);
        for (const key of ["a", "b", "c"]) await cache.set(key, [1]);
        await cache.get("a");
        await cache.set("d", [1]);
        equal(await cache.get("b"), undefined, "the one that nobody had read for longest");
        for (const key of ["a", "c", "d"]) equal(await cache.get(key), [1], `key ${key}`);
        await cache.set("a", [2]);
        await cache.set("e", [1]);
        equal(await cache.get("c"), undefined, "the least recent after a write made another recent");
        equal(await cache.get("a"), [2], "the one that was written again");
      },
    ],
  ];
  return defineCases("embedding-cache", cases);
}
