import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dropDuplicates, type DropDuplicatesOptions } from "../../../src/search/around/drop-duplicates.ts";
import { from } from "../../../src/testing/store-fixtures.ts";
import { jaccard, shinglesOf } from "../../../src/text/shingles.ts";
import { finding, hitOf, ids } from "./fixtures.ts";

const proof = from("deployment");
const hitsOf = (...given: readonly string[]) =>
  given.map((text, i) => hitOf(String(i).padStart(3, "0"), 1 - i / 1000, { text }));
const ask = (given: readonly string[], options: DropDuplicatesOptions = {}, topK: number | "all" = "all") =>
  dropDuplicates(finding(hitsOf(...given)), options).retrieve(proof, "q", { topK, explain: true });

describe("duplicates are left out [E55]", () => {
  it("the better of two copies stands for both, whatever their signs and capitals", async () => {
    const hits = await ask(["Keys are kept in a safe.", "Tea at four.", "keys are kept — in a safe"]);
    expect(ids(hits)).toEqual(["000", "001"]);
    expect(hits.map(({ explain }) => explain?.steps?.[0]?.chunkIds)).toEqual([["002"], []]);
  });

  it("runs of four words, so many in common of all: by hand", async () => {
    const one = "one two three four five six seven";
    const other = "one two three four five six eight";
    // Three runs of the five that there are.
    expect(jaccard(shinglesOf(one, 4), shinglesOf(other, 4))).toBe(3 / 5);
    expect(await ask([one, other], { threshold: 3 / 5 })).toHaveLength(1);
    expect(await ask([one, other], { threshold: 0.61 })).toHaveLength(2);
    expect(await ask([one, other])).toHaveLength(2);
  });

  it("counts characters where words are not apart, and leaves texts without words alone", async () => {
    expect([...shinglesOf("東京都庁", 3)]).toEqual(["東 京 都", "京 都 庁"]);
    expect(shinglesOf("東".repeat(200_000), 3).size).toBe(1);
    expect(await ask(["…", "!!"])).toHaveLength(2);
  });

  it("fetches more until there are as many as were asked for", async () => {
    const base = finding(hitsOf(...Array.from({ length: 60 }, () => "The same, again."), "One more.", "And another."));
    expect(ids(await dropDuplicates(base).retrieve(proof, "q", { topK: 3 }))).toEqual(["000", "060", "061"]);
    expect(base.asked.map(({ options }) => options.topK)).toEqual([32, 128]);
  });

  it("no two of what is left resemble one another, what is gone resembles something better, and more of it changes nothing [L11]", async () => {
    const some = fc.array(fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 6 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(some, fc.constantFrom(0.3, 0.5, 1), async (given, threshold) => {
        const all = given.map((words) => words.join(" "));
        const options = { threshold, words: 2 };
        const likeness = (a: string, b: string): number => jaccard(shinglesOf(a, 2), shinglesOf(b, 2));
        const kept = await ask(all, options);
        for (const [i, { text }] of kept.entries())
          for (const before of kept.slice(0, i)) expect(likeness(before.text, text)).toBeLessThan(threshold);
        for (const [i, text] of all.entries()) {
          const stands = kept.some(({ chunkId }) => Number(chunkId) === i);
          const resembles = kept.some((hit) => Number(hit.chunkId) < i && likeness(hit.text, text) >= threshold);
          expect(stands).toBe(!resembles);
        }
        expect(ids(await ask(all, options, 3))).toEqual(ids(kept).slice(0, 3));
      }),
      { numRuns: 100 },
    );
  });

  it.each([{ threshold: 0 }, { threshold: 1.1 }, { words: 0 }, { treshold: 1 } as never])("refuses %j", (options) => {
    expect(() => dropDuplicates(finding([]), options)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
