import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { beforeAll, describe, expect, it } from "vitest";

import { openKnowledgeBase } from "../../src/index.node.ts";

const read = (name: string): string => fileURLToPath(new URL(`claims/${name}`, import.meta.url));
const claims = readFileSync(read("claims.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(/: (.*)/u, 2) as [expected: string, claim: string]);
const fails = claims.filter(([expected]) => expected === "fails").map(([, claim]) => claim);
const holds = claims.filter(([expected]) => expected === "holds").map(([, claim]) => claim);
/** A claim of two words of one sentence, in another order. */
const missed = ["Water should be boiling."];

describe("claims about documents of several kinds", () => {
  const verdicts = new Map<string, string | undefined>();
  const supported = (list: readonly string[]): readonly string[] =>
    list.filter((claim) => verdicts.get(claim) === "supported");

  beforeAll(async () => {
    await using kb = await openKnowledgeBase();
    await kb.ingest(read("documents"));
    const { sentences } = await kb.verify(claims.map(([, claim]) => claim).join("\n\n"));
    for (const { text, verdict } of sentences) verdicts.set(text, verdict);
  });

  it("supports none of the false ones but for one", () => {
    expect(fails.length).toBeGreaterThan(240);
    expect(supported(fails)).toEqual(missed);
  });

  it("supports four of five true ones", () => {
    expect(supported(holds).length).toBeGreaterThanOrEqual(0.8 * holds.length);
  });
});
