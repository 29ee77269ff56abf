import { IbidError } from "../contracts/errors.ts";
import type { FusionSettings, FusionWeights, RetrieveOptions, SearchMode } from "../contracts/retriever.ts";
import { fusions } from "./fusions.ts";

/** Completes the sentence "It must be …". */
export const weightsExpected = "a number from 0 for each leg, one of them above 0";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value holds weights by leg: finite numbers from 0, and not all of them 0. */
export function areWeights(value: unknown): value is FusionWeights {
  if (!isRecord(value)) return false;
  const weights = Object.values(value);
  return weights.every((one) => Number.isFinite(one) && (one as number) >= 0) && weights.some((one) => one !== 0);
}

/** Whether a value is a fusion with its constants. */
export function isFusion(value: unknown): value is FusionSettings {
  if (!isRecord(value)) return false;
  const { name, weights, half, ...others } = value;
  return (
    typeof name === "string" &&
    Object.hasOwn(fusions, name) &&
    (weights === undefined || areWeights(weights)) &&
    (half === undefined || (Number.isFinite(half) && (half as number) > 0)) &&
    Object.keys(others).length === 0
  );
}

/** Reads `lexical=0.6,dense=0.4`, or JSON. **Shape** `undefined` for other text. */
export function readWeights(text: string): unknown {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }
  const weights: Record<string, number> = {};
  for (const part of text.split(",")) {
    const [, leg, weight] = /^\s*([^\s=]+)=(\d+(?:\.\d+)?|\.\d+)\s*$/u.exec(part) ?? [];
    if (leg === undefined || Object.hasOwn(weights, leg)) return undefined;
    Object.defineProperty(weights, leg, { value: Number(weight), enumerable: true });
  }
  return weights;
}

/** A fusion as the caller asks for it; without a name, the default. */
export type PlannedFusion = Partial<FusionSettings>;

/**
 * Joins the options of the fusion.
 *
 * **Errors** `invalid-argument` for weights that are given twice, for `half` beside another fusion than `halves`, and for a threshold that the fusion's scores
 * cannot have.
 */
export function planFusion(options: Pick<RetrieveOptions, "fusion" | "weights" | "minFusedScore">, mode: SearchMode) {
  const { fusion, minFusedScore } = options;
  const settings: PlannedFusion = typeof fusion === "string" ? { name: fusion } : (fusion ?? {});
  const { name } = settings;
  if (settings.weights !== undefined && options.weights !== undefined) {
    throw invalid("The weights of the fusion are given twice.", "Give them in fusion, or in weights.");
  }
  if (settings.half !== undefined && name !== "halves") {
    throw invalid(`The fusion ${name} takes no half.`, "Leave half out, or search with the fusion halves.");
  }
  if (minFusedScore !== undefined && mode === "hybrid" && (name === undefined || name === "best")) {
    throw invalid(
      "minFusedScore has no meaning under the fusion best: it divides each leg by its best score of the query.",
      "Use minScore for the dense leg, or name a fusion whose scores compare between queries: absolute, weighted or halves.",
    );
  }
  return { ...settings, weights: settings.weights ?? options.weights } satisfies PlannedFusion;
}

/** **Errors** `invalid-argument` for weights of which none belongs to a leg of the store, or one to none. */
export function checkWeights(weights: FusionWeights | undefined, legs: readonly string[]): void {
  const unknown = Object.keys(weights ?? {}).find((leg) => !legs.includes(leg));
  if (unknown === undefined) return;
  throw invalid(`There is no leg "${unknown}" to weigh.`, `This store has: ${legs.join(", ")}.`);
}

function invalid(message: string, hint: string): IbidError {
  return new IbidError("invalid-argument", message, { hint });
}
