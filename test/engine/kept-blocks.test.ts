import { beforeEach, describe, expect, it, vi } from "vitest";
import { createSimdMemory } from "../../src/engine/kernels/simd-memory.ts";
import type * as keptBlocks from "../../src/engine/segments/kept-blocks.ts";

let createKeptBlocks: typeof keptBlocks.createKeptBlocks;

/** Blocks of other tests in the same process would take part. */
beforeEach(async () => {
  vi.resetModules();
  ({ createKeptBlocks } = await import("../../src/engine/segments/kept-blocks.ts"));
});

/** A block of 4 MiB. */
function block(part: number): Float32Array {
  const made = new Float32Array(2 ** 20);
  made[0] = part;
  return made;
}

describe("blocks of 32-bit rows", () => {
  it("take 256 MiB over all columns; the one that came first goes first, unless it was used", () => {
    const reads: string[] = [];
    const open = (name: string) =>
      createKeptBlocks(
        40,
        (part) => (reads.push(`${name}${part}`), block(part)),
        () => 0,
      );
    const [a, b] = [open("a"), open("b")];
    const parts = Array.from({ length: 32 }, (_, part) => part);
    for (const part of parts) expect(a.get(part)[0]).toBe(part);
    for (const part of parts) expect(b.get(part)[0]).toBe(part);
    expect(reads).toHaveLength(64);
    a.get(0);
    expect(reads).toHaveLength(64);

    b.get(32);
    expect(a.kept(0)).toBeDefined();
    expect(a.kept(1)).toBeUndefined();
    expect(a.kept(2)).toBeDefined();
    expect(a.get(1)[0]).toBe(1);
    expect(a.kept(2)).toBeUndefined();
    expect(reads.slice(64)).toEqual(["b32", "a1"]);
  });

  it("leave room for codes, and keep 32 MiB beside any", () => {
    let coded = 0;
    const countKept = (): number => {
      const blocks = createKeptBlocks(64, block, () => coded);
      for (let part = 0; part < 64; part++) blocks.get(part);
      return Array.from({ length: 64 }, (_, part) => blocks.kept(part)).filter((kept) => kept !== undefined).length;
    };
    const mebibytes = 2 ** 20;
    expect(countKept()).toBe(64);
    coded = 96 * mebibytes;
    expect(countKept()).toBe(40);
    coded = 400 * mebibytes;
    expect(countKept()).toBe(8);
  });

  it("know the codes by the tables that are not given back", () => {
    const memory = createSimdMemory()!;
    expect(memory.bytes).toBe(0);
    const [small, large] = [memory.allocate(32, 4), memory.allocate(32, 1000)];
    // Codes, a norm, a slope, a residual, and the error of the digits.
    expect(memory.bytes).toBe(4 * 52 + 48 + 1000 * 52 + 32);
    memory.free(large);
    memory.free(large);
    expect(memory.bytes).toBe(4 * 52 + 48);
    memory.free(small);
    expect(memory.bytes).toBe(0);
  });

  it("keep the one in use, however large it is", () => {
    const large = createKeptBlocks(
      2,
      () => new Float32Array(65 * 2 ** 20),
      () => 0,
    );
    const first = large.get(0);
    expect(large.get(0)).toBe(first);
    large.get(1);
    expect(large.kept(0)).toBeUndefined();
  });
});
