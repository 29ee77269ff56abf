import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const section =
  read("bench/RESULTS.md")
    .split("\n## ")
    .find((part) => part.startsWith("Wesichain's benchmarks")) ?? "";
const columns = new Map(section.split("\n### ").map((part) => [part.split("\n", 1)[0] ?? "", part]));

/** The rows of the first table of a part, by whose they are. */
function rowsOf(title: string): ReadonlyMap<string, readonly string[]> {
  const lines = (columns.get(title) ?? "").split("\n");
  const first = lines.findIndex((line) => line.startsWith("| --- "));
  const rows = lines.slice(first + 1, lines.indexOf("", first));
  return new Map(
    rows
      .map((row) => row.split("|").slice(1, -1))
      .map(([name = "", ...cells]) => [name.trim(), cells.map((cell) => cell.trim())]),
  );
}

const contestants = [
  "**ibid**, embedding included",
  "**ibid**, vectors given",
  "Python baseline (NumPy), vectors given",
];

describe("the figures of Wesichain's benchmarks", () => {
  it.each(["1,000 documents", "10,000 documents"])(
    "are there for %s: indexing, querying, all of them exact [W1 W3 W46 W48]",
    (title) => {
      const rows = rowsOf(title);
      expect([...rows.keys()].toSorted()).toEqual(contestants);
      for (const [index, , p50, p95, , recall] of rows.values()) {
        expect(Number(index?.replace(",", ""))).toBeGreaterThan(0);
        expect(Number(p95)).toBeGreaterThan(Number(p50));
        expect(recall).toBe("1.0000");
      }
    },
  );

  it.each(["1,000 documents: resident memory, MB", "10,000 documents: resident memory, MB"])(
    "have the memory before and after: %s [W47]",
    (title) => {
      const rows = rowsOf(title);
      expect([...rows.keys()].toSorted()).toEqual(contestants);
      for (const [before, after] of rows.values()) expect(Number(after)).toBeGreaterThan(Number(before));
    },
  );

  it("say how they were made, and what they leave out, in the words of the program that makes them [W49]", () => {
    const about = /about:\s*"([^"]+)"/u.exec(read("bench/peers/works/wesichain.ts"))?.[1] ?? "nothing";
    expect(about).toContain("Hybrid search and HNSW are no part of these claims.");
    expect(section).toContain(about);
    expect(section).toContain("--only wesichain");
  });
});
