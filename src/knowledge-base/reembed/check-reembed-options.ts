import { IbidError } from "../../contracts/errors.ts";
import type { ReembedOptions } from "../../contracts/reembedding.ts";
import { checkOptions } from "../../runtime/check-options.ts";

const known = [
  "scope",
  "estimate",
  "rollback",
  "pricePerMillionTokens",
  "batchSize",
  "chunksPerMinute",
  "signal",
  "onProgress",
] as const satisfies readonly (keyof ReembedOptions)[];

/** **Errors** `invalid-argument` for an option that is unknown or cannot be, before anything begins. */
export function checkReembedOptions(options: ReembedOptions): void {
  checkOptions("reembed", options, known);
  const { estimate, rollback, batchSize = 1, chunksPerMinute = 1, pricePerMillionTokens = 0 } = options;
  const refuse = (message: string, hint: string): never => {
    throw new IbidError("invalid-argument", message, { hint });
  };
  if (estimate === true && rollback === true) refuse("A rollback has no estimate.", "Give one of the two.");
  if (!Number.isSafeInteger(batchSize) || batchSize < 1)
    refuse(`batchSize is ${String(batchSize)}.`, "It is a whole number from 1.");
  if (!(chunksPerMinute > 0))
    refuse(`chunksPerMinute is ${String(chunksPerMinute)}.`, "It is a number above 0; leave it out for no limit.");
  if (!(pricePerMillionTokens >= 0))
    refuse(`pricePerMillionTokens is ${String(pricePerMillionTokens)}.`, "It is a number from 0.");
}
