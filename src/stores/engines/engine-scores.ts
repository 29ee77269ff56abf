import type { EngineMetric } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";

/** Metrics of an engine, in an order of their own, with what the engine needs to know of each. */
export type Measures<Measure> = Readonly<Partial<Record<EngineMetric, Measure>>>;

/** A metric by the engine's own name, and the score of a value that the engine gives for it. */
export interface NamedMeasure {
  readonly name: string;
  readonly score: (value: number) => number;
}

/** The score of a cosine or a product, which is its value. */
export const asItIs = (value: number): number => value;

/** The score of a cosine or a product that is given as 1 minus its value. */
export const fromOne = (distance: number): number => 1 - distance;

/** The score of a negative product. */
export const fromNegative = (distance: number): number => -distance;

/** The score of a distance. */
export const fromDistance = (distance: number): number => 1 / (1 + distance);

/** The score of a squared Euclidean distance. */
export const fromSquare = (square: number): number => fromDistance(Math.sqrt(Math.max(0, square)));

/** A write of which an engine took a part: settling writes the rest. */
export function failedInPart(engine: string, operation: string, reason: string, status?: number): IbidError {
  const isBusy = status !== undefined && [409, 422, 429, 503].includes(status);
  return new IbidError(
    isBusy ? "store-busy" : "store-failed",
    `${engine}: ${operation} failed in part: ${reason.replace(/\.$/u, "")}.`,
    {
      hint: "Settle again later: missing entries are written then.",
      details: { store: engine, operation, ...(status !== undefined && { status }) },
    },
  );
}
