import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Block, TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { type DocumentUnits, findUnits } from "./document-units.ts";
import { createHeadingKeys, findHeadingLevels } from "./heading-keys.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { createRecursivePlan, type RecursivePlanSettings } from "./recursive-plan.ts";
import { createSectionPlan, type BlockLevels, levelsOfProse } from "./section-plan.ts";
import { type SplitPlan, splitRange } from "./split-range.ts";
import { trimEndAt } from "./white-space.ts";
import { indexFrom } from "./table-rows.ts";

/** Where cutting begins: at what the document is made of, or at places that any text has. */
export type MarkedUpStrategy = MarkedUpStructure | RecursivePlanSettings["chain"];

export interface MarkedUpSettings {
  readonly maxSize: number;
  readonly overlap: number;
  readonly length: LengthFunction;
  readonly strategy: MarkedUpStrategy;
  /** Whether code blocks are chunks of their own, and say so. */
  readonly codeApart: boolean;
  readonly fingerprint: string;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly code: Block | undefined;
}

/**
 * The common part of Ballerina's chunkers for Markdown and HTML: they cut by structure, and give each chunk the headings above it.
 *
 * **Shape** metadata: {@link createHeadingKeys} for the chunk without its overlap. With `codeApart`, each chunk of code
 * has `type: "code_block"` and `language`. Each but the first of its block also has `prev`, the id of the chunk before
 * it.
 */
export function createMarkedUpChunker(settings: MarkedUpSettings): Chunker {
  const { length, codeApart, fingerprint } = settings;

  function* chunk(document: TextDocument): Generator<Chunk, undefined> {
    const { text } = document;
    const makeChunk = createChunkFactory(document);
    const headingKeys = createHeadingKeys(document);
    const units = findUnits(document);
    const planFor = createPlans(document, units, createMeasure(text, length), settings);
    for (const { from, to, code } of stretchesOf(units.units, text.length, codeApart)) {
      let before: Chunk | undefined;
      for (const { start, end, fresh, header } of splitRange(text, from, to, planFor(to, code))) {
        const made = makeChunk(start, end, header === "" ? undefined : header + text.slice(start, end));
        const own = code === undefined ? {} : describeCode(code, before);
        before = { ...made, metadata: { ...made.metadata, ...headingKeys(fresh, end), ...own } };
        yield before;
      }
    }
  }

  return {
    fingerprint,
    chunk: (document) => {
      checkTextDocument(document);
      return { [Symbol.iterator]: () => chunk(document) };
    },
  };
}

function describeCode({ language = "unknown" }: Block, before: Chunk | undefined): Metadata {
  return { type: "code_block", language, ...(before === undefined ? {} : { prev: before.id }) };
}

/** The document in one stretch; or its code blocks, and what lies between them. */
function* stretchesOf(units: readonly Block[], length: number, codeApart: boolean): Generator<Stretch, undefined> {
  let from = 0;
  for (const unit of units) {
    if (!codeApart || unit.kind !== "code") continue;
    yield { from, to: unit.start, code: undefined };
    yield { from: unit.start, to: unit.end, code: unit };
    from = unit.end;
  }
  yield { from, to: length, code: undefined };
}

type PlanFor = (to: number, code: Block | undefined) => SplitPlan;

function createPlans(
  document: TextDocument,
  units: DocumentUnits,
  measure: Measure,
  { strategy, maxSize, overlap }: MarkedUpSettings,
): PlanFor {
  const { text } = document;
  if ("byHeading" in strategy) return createMarkedUpPlans(document, units, measure, strategy, { maxSize, overlap });
  const byLine = { maxSize, overlap, respectSentences: true };
  const byPlace = { maxSize, overlap, chain: strategy };
  return (to, code) =>
    code === undefined
      ? createRecursivePlan(text, to, measure, byPlace)
      : createSectionPlan(text, trimEndAt(text, 0, to), units, measure, byLine);
}

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
interface MarkedUpStructure {
  readonly byHeading: boolean;
  readonly byRule: boolean;
}

/**
 * Plans the cuts of a text with headings: before the highest heading within the size, at rules, between blocks, at last within one.
 *
 * **Shape** a heading stays with the text after it. Sections that fit together share a chunk; the rest of a section that was cut never shares
 * one with the next heading. `to` is where the stretch ends. **Source** Ballerina's chains of strategies.
 */
function createMarkedUpPlans(
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
