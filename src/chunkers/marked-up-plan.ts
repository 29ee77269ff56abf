import type { Block, TextDocument } from "../contracts/document.ts";
import { findHeadingLevels } from "./heading-keys.ts";
import type { DocumentUnits } from "./document-units.ts";
import type { Measure } from "./measure.ts";
import { type BlockLevels, createSectionPlan, levelsOfProse } from "./section-plan.ts";
import type { SplitPlan } from "./split-range.ts";
import { indexFrom } from "./table-rows.ts";
import { trimEndAt } from "./white-space.ts";

/** Ranks of places between blocks, from coarse to fine: before headings, by level; around rules; any other. */
const headingRank = (level: number): number => level - 10;
const ruleRank = -3;

/** Lines before sentences, as in Ballerina's chains. */
const levelsByLine: BlockLevels = {
  ...levelsOfProse,
  heading: ["line", "sentence", "word", "part"],
  paragraph: ["paragraph", "line", "sentence", "word", "part"],
  quote: ["paragraph", "line", "sentence", "word", "part"],
};

/** Parts of a document's structure that count for cuts. */
export interface MarkedUpStructure {
  readonly byHeading: boolean;
  readonly byRule: boolean;
}

/**
 * Plans the cuts of a text with headings: before the highest heading within the size, at rules, between blocks, at last within one.
 *
 * **Shape** a heading stays with the text after it. Sections that fit together share a chunk; the rest of a section that was cut never shares
 * one with the next heading. `to` is where the stretch ends. **Source** Ballerina's chains of strategies.
 */
export function createMarkedUpPlans(
  { root, text }: TextDocument,
  units: DocumentUnits,
  measure: Measure,
  { byHeading, byRule }: MarkedUpStructure,
  sizes: { readonly maxSize: number; readonly overlap: number },
): (to: number) => SplitPlan {
  const levels = byHeading ? findHeadingLevels(root) : new Map<number, number>();
  const starts = [...levels.keys()].toSorted((a, b) => a - b);
  const rankBetween = (before: Block, after: Block): number | undefined => {
    const level = levels.get(after.start);
    if (before.kind === "heading") return undefined;
    if (level !== undefined) return headingRank(level);
    return byRule && (before.kind === "rule" || after.kind === "rule") ? ruleRank : 0;
  };
  const settings = { ...sizes, respectSentences: true, levels: levelsByLine, rankBetween };
  const isWithin = (position: number): boolean => position > (units.units[0]?.start ?? 0) && !levels.has(position);
  return (to) => {
    const plan = createSectionPlan(text, trimEndAt(text, 0, to), units, measure, settings);
    return {
      cut(start, after, limit) {
        const next = limit === undefined && isWithin(after) ? starts[indexFrom(starts, after + 1)] : undefined;
        const apart = next === undefined || next >= to ? undefined : plan.cut(start, after, next);
        return apart ?? plan.cut(start, after, limit);
      },
      overlapStart: (start, end, rank) => plan.overlapStart(start, end, rank),
    };
  };
}
