import { expect, it } from "vitest";

import { isEqual } from "../../src/testing/assert.ts";

it.each([
  [new Set(["a"]), new Set(["a"]), true],
  [new Set(["a", "b"]), new Set(["b", "a"]), true],
  [new Set(["a"]), new Set(["b"]), false],
  [new Set(["a"]), new Set(["a", "b"]), false],
  [new Set(["a"]), ["a"], false],
  [new Set(), {}, false],
  [[NaN, undefined], [NaN, undefined], true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [Float32Array.of(1, 2), [1, 2], true],
] as const)("packs compare %o with %o: %s", (a, b, expected) => {
  expect(isEqual(a, b)).toBe(expected);
});
