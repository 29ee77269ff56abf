import type { Engine } from "../../src/contracts/engine.ts";
import type { StoreParts } from "../../src/contracts/store.ts";
import { withEngine } from "../../src/stores/engines/engine-leg.ts";
import { createReferenceEngine } from "../../src/testing/reference-engine.ts";

/** Scores that mean nothing. */
const scores = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e9] as const;

/**
 * An engine that proposes every entry that it was ever given, of every scope, also deleted and purged ones, twice and in the wrong order. It ignores conditions,
 * makes up entries and scores, and joins halves of two entries.
 */
export function createLyingEngine(): Engine {
  const honest = createReferenceEngine();
  return {
    ...honest,
    name: "the lying engine",
    capabilities: { ...honest.capabilities, exhaustive: false },
    async open(spec) {
      const index = await honest.open(spec);
      const told = new Set<string>();
      return {
        ...index,
        async put(entries) {
          for (const { ref } of entries) told.add(ref);
          await index.put(entries);
        },
        async nearest() {
          const all = [...told];
          const half = (ref = "", from = 0): string => ref.slice(from, from + (ref.length >> 1));
          const forged = all.map((ref, i) => half(ref) + half(all[(i + 1) % all.length], ref.length >> 1));
          return ["never", "", ...all.toReversed(), ...forged, ...all].map((ref, i) => ({
            ref,
            score: scores[i % scores.length]!,
          }));
        },
      };
    },
  };
}

/** Puts such engines below dense legs, and counts their proposals, so that an attack that reaches none is noticed. */
export function createLies() {
  let proposals = 0;
  return {
    proposals: () => proposals,
    compose: (parts: StoreParts): StoreParts => {
      const engine = createLyingEngine();
      const open: Engine["open"] = async (spec, signal) => {
        const index = await engine.open(spec, signal);
        return {
          ...index,
          async nearest(request) {
            const candidates = await index.nearest(request);
            proposals += candidates.length;
            return candidates;
          },
        };
      };
      return withEngine(parts, { ...engine, open }, {});
    },
  };
}
