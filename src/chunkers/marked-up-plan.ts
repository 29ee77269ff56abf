import type { Block, TextDocument } from "../contracts/document.ts";
import { findHeadingLevels } from "./heading-keys.ts";
import { type BlockLevels, levelsOfProse, type SectionPlanSettings } from "./section-plan.ts";

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
 * **Shape** a heading stays with the text after it. **Source** Ballerina's chains of strategies.
 */
export function settleMarkedUpPlan(
  { root }: TextDocument,
  { byHeading, byRule }: MarkedUpStructure,
  sizes: { readonly maxSize: number; readonly overlap: number },
): SectionPlanSettings {
  const levels = byHeading ? findHeadingLevels(root) : new Map<number, number>();
  const rankBetween = (before: Block, after: Block): number | undefined => {
    const level = levels.get(after.start);
    if (before.kind === "heading") return undefined;
    if (level !== undefined) return headingRank(level);
    return byRule && (before.kind === "rule" || after.kind === "rule") ? ruleRank : 0;
  };
  return { ...sizes, respectSentences: true, levels: levelsByLine, rankBetween };
}
