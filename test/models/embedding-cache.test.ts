import { describe, expect, it } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import { createEmbeddingCache } from "../../src/models/embedder/embedding-cache.ts";

describe("createEmbeddingCache", () => {
  it("finds what was set and counts how often [T38]", () => {
    const cache = createEmbeddingCache();
    expect(cache.hitRate).toBe(0);
    expect(cache.get("a")).toBeUndefined();
    cache.set("a", [1, 2]);
    expect(cache.get("a")).toEqual([1, 2]);
    expect(cache.get("a")).toEqual([1, 2]);
    expect(cache.get("b")).toBeUndefined();
    expect(cache.hitRate).toBe(0.5);
  });

  it("forgets the least recently used, a read counting as use [T38]", () => {
    const cache = createEmbeddingCache({ capacity: 2 });
    cache.set("a", [1]);
    cache.set("b", [2]);
    cache.get("a");
    cache.set("c", [3]);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([[1], undefined, [3]]);
    cache.set("a", [4]);
    cache.set("d", [5]);
    expect([cache.get("a"), cache.get("c"), cache.get("d")]).toEqual([[4], undefined, [5]]);
  });

  it("holds 10,000 entries unless told otherwise [T38]", () => {
    const cache = createEmbeddingCache();
    for (let index = 0; index <= 10_000; index += 1) cache.set(String(index), [index]);
    expect(cache.get("0")).toBeUndefined();
    expect(cache.get("1")).toEqual([1]);
    expect(cache.get("10000")).toEqual([10_000]);
  });

  it("shares no memory with what goes in or out, in any kind [B27 B12]", () => {
    const cache = createEmbeddingCache();
    const dense = new Float32Array([1, 2]);
    const sparse = { indices: [1, 4], values: [0.5, 0.25] };
    const hybrid = { dense: [1, 2], sparse: { indices: new Uint32Array([3]), values: new Float32Array([1]) } };
    cache.set("dense", dense);
    cache.set("sparse", sparse);
    cache.set("hybrid", hybrid);
    dense[0] = 9;
    sparse.values[0] = 9;
    hybrid.dense[0] = 9;
    hybrid.sparse.values[0] = 9;
    const given = cache.get("dense") as Float32Array;
    expect(given).toEqual(new Float32Array([1, 2]));
    given[1] = 9;
    expect(cache.get("dense")).toEqual(new Float32Array([1, 2]));
    expect(cache.get("sparse")).toEqual({ indices: [1, 4], values: [0.5, 0.25] });
    expect(cache.get("hybrid")).toEqual({
      dense: [1, 2],
      sparse: { indices: new Uint32Array([3]), values: new Float32Array([1]) },
    });
  });

  it("refuses a capacity below one", () => {
    for (const capacity of [0, -1, 2.5, NaN]) expect(() => createEmbeddingCache({ capacity })).toThrow(IbidError);
    expect(() => createEmbeddingCache({ size: 3 } as never)).toThrow(IbidError);
  });
});
