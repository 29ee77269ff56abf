import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Block, TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { type DocumentUnits, findUnits } from "./document-units.ts";
import { createHeadingKeys } from "./heading-keys.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { createMarkedUpPlans, type MarkedUpStructure } from "./marked-up-plan.ts";
import { createRecursivePlan, type RecursivePlanSettings } from "./recursive-plan.ts";
import { createSectionPlan } from "./section-plan.ts";
import { type SplitPlan, splitRange } from "./split-range.ts";
import { trimEndAt } from "./white-space.ts";

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
