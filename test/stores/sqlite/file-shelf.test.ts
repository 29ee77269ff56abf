import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFileShelf } from "../../../src/stores/sqlite/file-shelf.ts";
import { createMemoryShelf } from "../../../src/stores/segments/shelf.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-shelf-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Of every size around a board's, the empty one included, each told by its length and what it is filled with. */
const sizes = [0, 1, 3, 70_000, 1_048_571, 1_048_572, 1_048_576, 1_048_577, 2_500_000, 0, 5];
const runs = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
const told = (bytes: Uint8Array): readonly [number, boolean, number | undefined] => [
  bytes.length,
  bytes.every((byte) => byte === bytes[0]),
  bytes[0],
];

describe.each([
  ["in memory", createMemoryShelf],
  ["in a file", () => openFileShelf(join(folder, "ibid.sqlite"))],
])("a shelf %s", (_, open) => {
  it("gives back what was put, in order, each time it is asked", () => {
    const shelf = open();
    for (const run of runs) shelf.put(run);
    const all = () => Array.from(shelf.each(), told);
    expect(all()).toEqual(runs.map(told));
    shelf.put(Uint8Array.of(9, 9));
    expect(all()).toEqual([...runs.map(told), [2, true, 9]]);
    shelf.close();
  });

  it("may be empty", () => {
    const shelf = open();
    expect([...shelf.each()]).toEqual([]);
    shelf.close();
  });
});

describe("a shelf in a file", () => {
  it("has no name, so that nothing is left of it however the process ends [L8]", () => {
    const shelf = openFileShelf(join(folder, "ibid.sqlite"));
    shelf.put(new Uint8Array(3_000_000).fill(7));
    expect(readdirSync(folder)).toEqual([]);
    expect([...shelf.each()].map(told)).toEqual([[3_000_000, true, 7]]);
    shelf.close();
  });

  it("is in memory where no file can be made", () => {
    const shelf = openFileShelf(join(folder, "missing", "ibid.sqlite"));
    shelf.put(Uint8Array.of(1));
    expect([...shelf.each()].map(told)).toEqual([[1, true, 1]]);
    shelf.close();
  });
});
