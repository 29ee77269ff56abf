import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { rowsOfNewBlock } from "../../../src/engine/segments/column-header.ts";
import { newFile } from "../../../src/stores/sqlite/sqlite-schema.ts";

/** Bytes that a row of a column takes in the file beyond its own. */
function spareBytes(dimensions: number, rows: number): number {
  const file = new DatabaseSync(":memory:");
  file.exec(newFile);
  file.exec("CREATE TABLE files (key INTEGER PRIMARY KEY, segment INTEGER, name TEXT, part INTEGER, data BLOB)");
  const add = file.prepare("INSERT INTO files (segment, name, part, data) VALUES (3, 'dense/0', ?, zeroblob(?))");
  const blocks = 140;
  for (let part = 0; part < blocks; part++) add.run(part, 4 * dimensions * rows);
  const { bytes } = file.prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = 'files'").get()!;
  file.close();
  return Number(bytes) / (blocks * rows) - 4 * dimensions;
}

describe("blocks of a new column of vectors", () => {
  it.each([
    [256, 8],
    [384, 12],
    [768, 20],
    [1536, 110],
  ])("of %i dimensions leave at most %i bytes a row of the file's pages unused", (dimensions, most) => {
    expect(spareBytes(dimensions, rowsOfNewBlock(dimensions))).toBeLessThan(most);
  });

  it("are near 32 KiB, because a search reads a block for a row", () => {
    for (const dimensions of [1, 64, 100, 384, 768, 1024, 1536, 3072, 5000]) {
      const bytes = 4 * dimensions * rowsOfNewBlock(dimensions);
      expect(bytes).toBeGreaterThan(Math.min(32_768 * 0.6, 4 * dimensions));
      expect(bytes).toBeLessThan(Math.max(32_768 * 1.4, 4 * dimensions) + 1);
    }
  });
});
