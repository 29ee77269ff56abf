import { expect, it } from "vitest";

import { equal, isEqual } from "../../src/testing/assert.ts";

/** A list that holds itself after `before`. */
function loop(...before: readonly unknown[]): unknown[] {
  const list: unknown[] = [...before];
  list.push(list);
  return list;
}

/** A map that holds itself under "self". */
function mapLoop(value: number): Map<string, unknown> {
  const map = new Map<string, unknown>([["value", value]]);
  return map.set("self", map);
}

const key = {};

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
  [Float32Array.of(1, 2), Float64Array.of(1, 2), true],
  [Float32Array.of(1, 2), Float32Array.of(1, 3), false],
  [Float32Array.of(NaN), Float32Array.of(NaN), true],
  [new Set([1]), new Map([[1, 1]]), false],
  [new Map([["a", 1]]), new Map([["a", 1]]), true],
  [new Map([["a", 1]]), new Map([["a", 2]]), false],
  [new Map([["a", 1]]), new Map([["b", 1]]), false],
  [new Map([["a", 1]]), new Map(), false],
  [new Map([["a", 1]]), { a: 1 }, false],
  [new Map(), {}, false],
  [new Map([["a", undefined]]), new Map([["b", undefined]]), false],
  [
    new Map([
      ["a", { b: [1] }],
      ["c", {}],
    ] as const),
    new Map([
      ["c", {}],
      ["a", { b: [1] }],
    ] as const),
    true,
  ],
  [new Map([["a", { b: [1] }]]), new Map([["a", { b: [2] }]]), false],
  [new Map([[key, 1]]), new Map([[key, 1]]), true],
  [new Map([[{}, 1]]), new Map([[{}, 1]]), false],
  [new Date(0), new Date(0), true],
  [new Date(0), new Date(1), false],
  [new Date(NaN), new Date(NaN), true],
  [new Date(0), {}, false],
  [/a/u, /a/u, true],
  [/a/u, /b/u, false],
  [new TypeError("a"), new TypeError("a"), true],
  [new TypeError("a"), new TypeError("b"), false],
  [new TypeError("a"), new RangeError("a"), false],
  [Uint8Array.of(1, 2).buffer, Uint8Array.of(1, 2).buffer, true],
  [Uint8Array.of(1, 2).buffer, Uint8Array.of(1, 3).buffer, false],
  [new DataView(Uint8Array.of(1).buffer), new DataView(Uint8Array.of(2).buffer), false],
  [Promise.resolve(1), Promise.resolve(1), false],
  [0, -0, true],
  [[0], [-0], true],
  [NaN, 0, false],
  [null, {}, false],
  [loop(1), loop(1), true],
  [loop(1), loop(2), false],
  [loop(1), loop(1, 2), false],
  [mapLoop(1), mapLoop(1), true],
  [mapLoop(1), mapLoop(2), false],
] as const)("packs compare %o with %o: %s", (a, b, expected) => {
  expect(isEqual(a, b)).toBe(expected);
});

it("says what differs, maps, sets and cycles included", () => {
  expect(() => equal(new Map([["a", new Set([1])]]), mapLoop(1), "a map")).toThrow(
    'a map: expected [["value",1],["self","(a cycle)"]], got [["a",[1]]]',
  );
  const shared = [1];
  expect(() => equal([shared, shared], loop(), "a list")).toThrow('a list: expected ["(a cycle)"], got [[1],[1]]');
});
