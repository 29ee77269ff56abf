import type { EngineCondition, EnginePage } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";

/** The score of a squared Euclidean distance. */
export const fromSquare = (square: number): number => 1 / (1 + Math.sqrt(Math.max(0, square)));

/** A page of keys in their order: the next one begins after the last key of a full page. */
export const pageOf = (keys: readonly string[], size: number): EnginePage => ({
  keys,
  next: keys.length < size ? undefined : keys.at(-1),
});

/** Keys of numbers that a condition asks for. */
export function numberKeys(condition: EngineCondition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if ("of" in condition) return condition.of.flatMap(numberKeys);
  return condition.op === "number" ? [condition.key] : [];
}

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
