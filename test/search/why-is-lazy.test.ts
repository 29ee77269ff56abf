import { expect, it } from "vitest";
import type { ChunkRef, LegMatch, LegResult } from "../../src/contracts/leg.ts";
import { fuse } from "../../src/search/fuse.ts";
import { runWaits } from "../../src/runtime/waits.ts";
import { createFusion } from "../../src/search/fusions.ts";

it("asks no candidate why it matched before somebody shows it, in whichever round it was found", async () => {
  let asked = 0;
  const match = (i: number, score: number): LegMatch => ({
    scope: "deployment",
    id: `c${i}`,
    score,
    revision: i,
    get why() {
      asked++;
      return { kind: "vector", rawScore: score, metric: "cosine" } as const;
    },
  });
  // Scores that fall so slowly that pools grow until they are whole.
  const scores = Array.from({ length: 300 }, (_, i) => match(i, 1 - i / 10_000));
  const leg = (name: string, order: readonly LegMatch[]) => ({
    name,
    search: async (_: unknown, k: number | "all", { only }: { readonly only?: readonly ChunkRef[] | undefined }) => {
      const held = only === undefined ? order : order.filter(({ id }) => only.some((ref) => ref.id === id));
      const matches = k === "all" ? held : held.slice(0, k);
      const result: LegResult = {
        matches,
        complete: k === "all" || held.length < k,
        exact: true,
        calibration: { weight: 1, scale: 1 },
      };
      return result;
    },
  });
  const legs = [
    leg("lexical", scores),
    leg(
      "dense",
      scores.toReversed().map((each, i) => match(each.revision, 1 - i / 10_000)),
    ),
  ];
  const { candidates } = await runWaits(
    fuse({
      legs: legs.map((each) => ({ leg: each as never, query: {} as never, within: {} as never })),
      fusion: createFusion({ name: "absolute" }, true),
      wanted: 5,
      readPlaces: async (refs) => refs.map(({ id }) => ({ chunk: { uri: id, start: 0 } })),
    }),
  );
  expect(candidates.length).toBeGreaterThanOrEqual(5);
  expect(asked).toBe(0);
  expect(candidates[0]!.legs.get("lexical")!.why.kind).toBe("vector");
  expect(asked).toBe(1);
});
